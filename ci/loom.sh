#!/usr/bin/env bash
# Every interleaving of the two ends of the emitter's slot.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export RUSTFLAGS="${RUSTFLAGS:-} --cfg coldflow_loom"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/loom"
cargo test --release --lib --no-default-features loom
