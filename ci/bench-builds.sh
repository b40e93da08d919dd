#!/usr/bin/env bash
# The benches compile and run to their end, so that they cannot rot. They run far too short to measure anything.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo bench --no-run -p coldflow-benches
# quick BENCH OPTIONS..: runs it for a moment. The ways of a row check that they give the same result before they are timed.
quick() {
    local bench=$1 out rows
    shift
    out=$(cargo bench -q -p coldflow-benches --bench "$bench" -- --rounds 2 --sample-us 20 "$@")
    rows=$(grep -c '^| [^n]' <<<"$out")
    echo "$bench: $rows rows"
    [ "$rows" -ge 6 ]
}
for bench in concurrency hot retry sequential; do
    quick "$bench"
done
quick fan_in --most 1000
quick in_flight --most 1000

# The charts and tables of the guide are what was recorded.
cargo run -q -p coldflow-benches --bin report -- --check

# The chain allocates nothing of its own; this is the one figure here that no noise can touch.
grep -A4 '### Allocations' <<<"$(cargo bench -q -p coldflow-benches --bench retry -- --table Allocations)" |
    grep '^| [0-9]' |
    while IFS='|' read -r _ failures _ coldflow _; do
        [ "$((coldflow))" -eq 0 ] || { echo "coldflow allocates $coldflow times over $failures failures"; exit 1; }
    done
echo "no allocations"
