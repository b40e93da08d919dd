#!/usr/bin/env bash
# The hot flows between eight threads for some seconds each, which `cargo test` leaves out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo test --test it hot::stress -- --ignored --test-threads 1
