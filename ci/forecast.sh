#!/usr/bin/env bash
# Runs the forecast service as a newcomer would, and checks what it shows.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
    printf 'forecast: %s\n--- standard output\n%s\n--- standard error\n%s\n' "$1" "$out" "$(cat "$errors")" >&2
    exit 1
}

errors=$(mktemp)
trap 'rm -f "$errors"' EXIT

# Builds now, so that the run below is timed alone.
cargo build --quiet -p forecast

# forecast ARGUMENTS..: sets `out`, `code` and `seconds`.
forecast() {
    local start=$SECONDS
    code=0
    out=$(cargo run --quiet -p forecast -- "$@" 2>"$errors") || code=$?
    seconds=$((SECONDS - start))
}

expect_line() {
    grep -Eqx -- "$1" <<<"$out" || fail "no line like: $1"
}

forecast Seoul
[[ $code == 0 ]] || fail "exit code $code instead of 0"
[[ $(wc -l <<<"$out") == 4 ]] || fail "expected three attempts and a result"
expect_line 'forecast:Seoul:1  status 503, asks to wait 1 s.* → next attempt in 1 s'
expect_line 'forecast:Seoul:2  no response: .*reset.* → next attempt at once'
expect_line 'forecast:Seoul:3  .+ °C, wind .+ km/h'
expect_line 'Seoul, South Korea: .+ °C, wind .+ km/h \(3 attempts\)'
[[ $seconds -ge 1 ]] || fail "it did not wait the second that the server asked for"

forecast --script ok Atlantis
[[ $code == 1 ]] || fail "exit code $code instead of 1 for an unknown city"
grep -q 'no city called "Atlantis" was found; check the spelling' "$errors" || fail "an unknown city is not named"

forecast --no-such-option
[[ $code == 2 ]] || fail "exit code $code instead of 2 for wrong usage"
grep -q 'unexpected argument' "$errors" || fail "wrong usage is not explained"

echo 'forecast: three attempts, the wait, the result, and the exit codes are as they should be'
