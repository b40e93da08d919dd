#!/usr/bin/env bash
# Without default features the library builds and keeps what it promises.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Without tests first: what they depend on would bring features of its own.
cargo build --quiet -p coldflow --no-default-features
# The unit tests, and the example of every method that is left. The whole-surface tests need the whole surface.
cargo test --quiet -p coldflow --no-default-features
