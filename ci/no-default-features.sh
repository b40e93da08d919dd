#!/usr/bin/env bash
# Without default features the library builds and keeps what it promises.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Without tests first: what they depend on would bring features of its own.
cargo build --quiet -p coldflow --no-default-features
# The unit tests, and the example of every method that is left. The whole-surface tests need the whole surface. For those
# the package asks itself for all features when it is tested, so here it is one without that line.
target=$PWD/target
bare=$target/no-default-features
rm -rf "$bare"
mkdir -p "$bare"
sed '/^coldflow = /d; /^members = /,/^]/c members = ["."]' Cargo.toml >"$bare/Cargo.toml"
cp Cargo.lock "$bare"
ln -s "$PWD"/{src,docs,tests,examples,README.md} "$bare"
(cd "$bare" && cargo test --quiet --no-default-features --target-dir "$target")
