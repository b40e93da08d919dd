#!/usr/bin/env bash
# The README's command: all tests of all packages, and the examples in the documentation.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo test --workspace
