#!/usr/bin/env bash
# Without default features the library builds, keeps what it promises, and stands on two dependencies.
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

# at_most COUNT ARGUMENTS..: how many packages the library is built from, itself included.
at_most() {
    local limit=$1 packages
    shift
    packages=$(cargo tree -p coldflow -e normal --prefix none --no-dedupe "$@" | awk '{ print $1 }' | sort -u)
    if (($(wc -l <<<"$packages") > limit)); then
        printf 'no-default-features: more than %s packages with %s:\n%s\n' "$limit" "${*:-default features}" "$packages" >&2
        exit 1
    fi
}

at_most 3 --no-default-features
at_most 12
