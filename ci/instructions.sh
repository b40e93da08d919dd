#!/usr/bin/env bash
# Counts the instructions of the benches under callgrind, prints them as tables, and fails where one of ours has grown by
# more than 2 % over benches/instructions.txt. Times jump on a shared machine; counts do not.
#
#   ci/instructions.sh           count and compare
#   ci/instructions.sh --write   count, and write benches/instructions.txt and the tables of docs/benchmarks.md anew
#
# Another compiler or C library makes other code: where they are not those of the file, the tables are printed and nothing
# fails.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1-}" in
    '') mode=compare ;;
    --write) mode=write ;;
    *) echo "usage: $0 [--write]"; exit 2 ;;
esac

if ! command -v valgrind >/dev/null; then
    (apt-get update && apt-get install -y --no-install-recommends valgrind) >/dev/null 2>&1 ||
        { echo "valgrind is not installed and could not be: skipped"; exit 0; }
fi

made_by="$(rustc --version), $(ldd --version | sed -n 1p)"
# The lines "Executable retry.rs (target/release/deps/retry-0123456789abcdef)".
mapfile -t benches < <(cargo bench --no-run -p coldflow-benches 2>&1 | tee /dev/stderr |
    sed -n 's/^ *Executable .* (\(.*\))$/\1/p')
cargo run -q --profile bench -p coldflow-benches --bin instructions -- \
    "$mode" benches/instructions.txt "$made_by" "${benches[@]}"
if [[ $mode == write ]]; then
    cargo run -q --profile bench -p coldflow-benches --bin report
fi
