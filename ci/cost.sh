#!/usr/bin/env bash
# What the library costs to build and to carry: one program with twenty operators, on coldflow and on futures-util, built
# from nothing. It prints a table; noise and compilers move all of it but the number of packages, so only that can fail.
#
#     ci/cost.sh [ROUNDS]    the least of so many clean builds, which take turns
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
rounds=${1:-1}
ways=(coldflow futures-util)

# packages ARGUMENTS..: how many packages the library is built from, itself included.
packages() {
    cargo tree -p coldflow -e normal --prefix none --no-dedupe "$@" | awk '{ print $1 }' | sort -u | wc -l
}

declare -A least
# note FIGURE WAY NUMBER: keeps the least number.
note() {
    local key="$1 $2"
    if [[ -z ${least[$key]:-} ]] || awk "BEGIN { exit !($3 < ${least[$key]}) }"; then least[$key]=$3; fi
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CARGO_INCREMENTAL=0
cargo fetch --quiet

# build WAY PROFILE: a clean build, timed. Processor time is what a busy machine disturbs less.
build() {
    local folder="$scratch/$1-$2" times
    rm -rf "$folder"
    times=$({
        TIMEFORMAT='%R %U %S'
        time cargo build --quiet --profile "$2" -p "cost-$1" --target-dir "$folder" >&3 2>&3
    } 3>&2 2>&1)
    note "clean $2 build, seconds" "$1" "$(awk '{ print $1 }' <<<"$times")"
    note "clean $2 build, seconds of processor time" "$1" "$(awk '{ print $2 + $3 }' <<<"$times")"
}

for ((round = 0; round < rounds; round++)); do
    for profile in dev release; do
        for way in "${ways[@]}"; do build "$way" "$profile"; done
    done
done

for way in "${ways[@]}"; do
    program="$scratch/$way-release/release/cost-$way"
    "$program" >"$scratch/$way.out" 2>"$scratch/$way.names"
    note "longest name of a type, characters" "$way" "$(awk '{ if ($NF > most) most = $NF } END { print most }' "$scratch/$way.names")"
    note ".text of the program, bytes" "$way" "$(size -A "$program" | awk '$1 == ".text" { print $2 }')"
    # As it is handed to the optimizer, so that what counts is what the compiler was made to write.
    cargo rustc --quiet --release -p "cost-$way" --target-dir "$scratch/$way-release" -- \
        --emit=llvm-ir -C codegen-units=1 -C no-prepopulate-passes
    note "LLVM IR of the program, lines" "$way" "$(cat "$scratch/$way-release/release/deps/cost_${way//-/_}"-*.ll | grep -c '^  ')"
done
cmp "$scratch/coldflow.out" "$scratch/futures-util.out" || { echo "cost: the programs print different things" >&2; exit 1; }

printf '### Code size and compile time\n\n'
echo '| | coldflow | futures-util |'
echo '|---|---:|---:|'
for figure in 'clean dev build, seconds' 'clean dev build, seconds of processor time' \
    'clean release build, seconds' 'clean release build, seconds of processor time' \
    'LLVM IR of the program, lines' '.text of the program, bytes' 'longest name of a type, characters'; do
    ours=${least["$figure coldflow"]} theirs=${least["$figure futures-util"]}
    printf '| %s | %s (×%s) | %s |\n' "$figure" "$ours" "$(awk "BEGIN { printf \"%.2f\", $ours / $theirs }")" "$theirs"
done

status=0
# at_most LIMIT ARGUMENTS..: fails when the library is built from more packages.
at_most() {
    local limit=$1 count
    shift
    count=$(packages "$@")
    printf '%s packages with %s, at most %s\n' "$count" "${*:-default features}" "$limit"
    if ((count > limit)); then
        echo "cost: more than $limit packages with ${*:-default features}" >&2
        status=1
    fi
}
echo
at_most 12
at_most 3 --no-default-features
exit "$status"
