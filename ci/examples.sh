#!/usr/bin/env bash
# The programs in examples/ run to their end; each asserts what it claims.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for example in examples/*.rs; do
    name=$(basename "$example" .rs)
    out=$(cargo run --quiet --example "$name") || { printf '%s\nexamples: %s failed\n' "$out" "$name" >&2; exit 1; }
    echo "examples: $name"
done
