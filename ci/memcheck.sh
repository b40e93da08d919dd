#!/usr/bin/env bash
# The library's tests under valgrind's memcheck, and under AddressSanitizer with LeakSanitizer, where a machine has them.
# Without argument both; `valgrind` or `sanitizer` for one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
what="${1:-both}"
export PROPTEST_CASES="${PROPTEST_CASES:-4}"
target="${CARGO_TARGET_DIR:-target}/memcheck"

# Left out: tests of compiler messages, of allocations and of types, those that count to a million, and those that are
# about how long something takes.
left_out=(
    --skip ui:: --skip allocations:: --skip types:: --skip sizes:: --skip properties:: --skip imports::
    --skip deep:: --skip coop:: --skip complete:: --skip cost:: --skip ten_thousand --skip fires --skip does_not_starve
)

# The program that a test build has made, from what cargo says.
program() {
    sed -n 's/.*Executable .*(\(.*\))$/\1/p' | tail -n 1
}

valgrind_run() {
    if ! command -v valgrind >/dev/null; then
        echo "memcheck: valgrind is not here, skipped"
        return
    fi
    local tests
    tests="$(CARGO_TARGET_DIR="$target" cargo test --test it --no-run 2>&1 | tee >(cat >&2) | program)"
    # One thread: valgrind runs one at a time anyway. Left to the sanitizer is what does the same again and again at each
    # millisecond or poll, and what plays threads against each other.
    valgrind --quiet --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite --show-leak-kinds=definite \
        "$tests" --test-threads=1 "${left_out[@]}" \
        --skip whole:: --skip surface:: --skip hot::
}

sanitizer_run() {
    if ! rustup run nightly rustc --version >/dev/null 2>&1; then
        echo "memcheck: a nightly toolchain is not here, skipped"
        return
    fi
    local host tests
    host="$(rustup run nightly rustc -vV | sed -n 's/^host: //p')"
    # A target of its own keeps the flags away from build scripts and macros.
    tests="$(RUSTFLAGS="${RUSTFLAGS:-} -Zsanitizer=address" CARGO_TARGET_DIR="$target/asan" \
        cargo +nightly test --test it --no-run --target "$host" 2>&1 | tee >(cat >&2) | program)"
    ASAN_OPTIONS="detect_leaks=1:detect_stack_use_after_return=1" "$tests" "${left_out[@]}"
}

case "$what" in
valgrind) valgrind_run ;;
sanitizer) sanitizer_run ;;
both)
    sanitizer_run
    valgrind_run
    ;;
*)
    echo "usage: ci/memcheck.sh [valgrind|sanitizer]" >&2
    exit 2
    ;;
esac
