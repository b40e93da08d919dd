#!/usr/bin/env bash
# No warning anywhere, and none in the library with fewer features. The lints are in Cargo.toml; among them is
# `incompatible_msrv`, which knows from which version on each function of the standard library is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo clippy --quiet --workspace --all-targets -- -D warnings
for features in '' std time rt macros serde test-util tracing; do
    cargo clippy --quiet -p coldflow --no-default-features --features "$features" -- -D warnings
done
