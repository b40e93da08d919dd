#!/usr/bin/env bash
# The documentation builds without a warning, so all its links lead somewhere. Its examples run in ci/test.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

RUSTDOCFLAGS='-D warnings' cargo doc --quiet --workspace --no-deps
# As it is published, with what is there only with a feature.
RUSTDOCFLAGS='-D warnings' cargo doc --quiet -p coldflow --all-features --no-deps

# In the README and the guide, links are paths for who reads them in the repository. Those lead somewhere, too.
status=0
for page in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md; do
    while read -r target; do
        [[ -e $(dirname "$page")/$target ]] || { echo "doc: $page links to $target, which is not there" >&2; status=1; }
    done < <(grep -oP '(?<=\]\()[^)#:]+(?=[)#])|^\[[^]]+\]: \K[^#:]+$' "$page")
done
exit "$status"
