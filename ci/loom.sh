#!/usr/bin/env bash
# Every interleaving of what threads share: the emitter's slot, the channel of `channel_flow`, the set of woken sources, the hot
# flows and the retry budget.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export RUSTFLAGS="${RUSTFLAGS:-} --cfg coldflow_loom"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
cargo test --release --lib --no-default-features --features std,time loom
