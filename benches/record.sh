#!/usr/bin/env bash
# Runs the benches, records what they print in benches/results, draws the charts and fills in docs/benchmarks.md. Best on
# a quiet machine: the ways of a row take turns, but what disturbs all of them for long is in the figures.
#
#     benches/record.sh [BENCH..]    some of them, or all
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

benches=("$@")
((${#benches[@]})) || benches=(retry in_flight sequential fan_in concurrency hot cost)

cargo bench --quiet --no-run -p coldflow-benches
for bench in "${benches[@]}"; do
    echo "recording $bench"
    options=()
    case $bench in
        hot) options=(--sample-us 2000) ;;
        retry | sequential | concurrency) options=(--rounds 500) ;;
    esac
    {
        printf '%s, %s processors, %s\n\n' "$(date +%F)" "$(nproc)" "$(rustc --version)"
        if [[ $bench == cost ]]; then
            ci/cost.sh 3
        else
            cargo bench --quiet -p coldflow-benches --bench "$bench" -- "${options[@]}"
        fi
    } >"benches/results/$bench.new"
    mv "benches/results/$bench.new" "benches/results/$bench.md"
done
cargo run --quiet -p coldflow-benches --bin report
