#!/usr/bin/env bash
# The library builds with the oldest compiler that it supports, where that is installed. Nothing is fetched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
toolchain=$({ rustup toolchain list 2>/dev/null || true; } | grep -oE "^$version(\.[0-9]+)?-[^ ]+" | head -n 1 || true)
if [[ -z $toolchain ]]; then
    echo "msrv: Rust $version is not installed; clippy's incompatible_msrv covers the standard library"
    exit 0
fi
cargo "+$toolchain" check --quiet -p coldflow --target-dir "${CARGO_TARGET_DIR:-target}/msrv"
cargo "+$toolchain" check --quiet -p coldflow --no-default-features --target-dir "${CARGO_TARGET_DIR:-target}/msrv"
