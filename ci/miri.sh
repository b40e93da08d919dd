#!/usr/bin/env bash
# The emitter and the retries under Miri, on machines that have it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
if ! cargo miri --version >/dev/null 2>&1; then
    echo "miri: not available here, skipped"
    exit 0
fi
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/miri"
# Without files and processes, and without what counts to a million.
cargo miri test --test it -- emitter:: operator:: source:: spawned::
