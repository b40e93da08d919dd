#!/usr/bin/env bash
# The pictures in docs/timelines are what the runs that they show give today. `cargo run -p coldflow-pictures` draws them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo run --quiet -p coldflow-pictures -- --check
