#!/usr/bin/env bash
# The guide builds as a book, none of its pages is missing anywhere, and its links lead somewhere. Its examples run in
# ci/test.sh, and the links between files are checked in ci/doc.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A version of mdbook, so that a new one does not change the book unseen. Without its server and its file watcher it builds in
# a minute.
version=0.5.4
tools="${CARGO_TARGET_DIR:-target}/tools"
mdbook="$tools/bin/mdbook"
if [[ $("$mdbook" --version 2>/dev/null) != "mdbook v$version" ]]; then
    cargo install --quiet mdbook --version "$version" --locked --no-default-features --features search \
        --root "$tools" --target-dir "$tools/target" --force
fi

status=0
complain() {
    printf 'book: %s\n' "$*" >&2
    status=1
}

# Every page is a chapter of the book and a module of the documentation.
for page in docs/*.md; do
    name=${page#docs/}
    [[ $name == SUMMARY.md ]] && continue
    grep -qF "]($name)" docs/SUMMARY.md || complain "$page is not in docs/SUMMARY.md"
    grep -qE "page!\(.*\"$name\"|docs/$name" src/guide.rs || complain "$page is not in src/guide.rs"
done
# In the documentation a page's links lead to modules, by the names that src/guide/links.md gives.
while read -r name; do
    grep -qF "[$name]: crate::" src/guide/links.md || complain "the link [$name] is not in src/guide/links.md"
done < <(grep -ohP '^\[\K[^\]]+(?=\]: (docs/)?[a-z-]+\.md)' docs/*.md README.md | sort -u)

# The setting that the scenarios share is shown on their page as it is.
awk '{ if (shown && /^```/) exit; if (shown) print; if (/^```rust/) shown = 1 }' docs/ten-scenarios.md | cmp --silent - docs/code/ten_scenarios.rs ||
    complain "the first example of docs/ten-scenarios.md is not docs/code/ten_scenarios.rs"

book="$(mktemp -d)"
trap 'rm -rf "$book"' EXIT
"$mdbook" build docs --dest-dir "$book" >"$book.log" 2>&1 || { cat "$book.log" >&2; exit 1; }
if grep -E 'WARN|ERROR' "$book.log" >&2; then
    complain "mdbook warns"
fi
rm -f "$book.log"

# links PAGE: where the links and pictures of a built page lead within the book.
links() {
    sed -n "/<main>/,/<\/main>/p" "$1" | grep -oP '(?<=href="|src=")[^":]+(?=")' | sort -u
}
for page in "$book"/*.html; do
    [[ $page == */print.html || $page == */404.html || $page == */toc.html ]] && continue
    while read -r target; do
        file=${target%%#*}
        file=$book/${file:-$(basename "$page")}
        if [[ ! -e $file ]]; then
            complain "$(basename "$page" .html) links to $target, which is not in the book"
        elif [[ $target == *#* ]] && ! grep -qF "id=\"${target#*#}\"" "$file"; then
            complain "$(basename "$page" .html) links to $target, where there is no such heading"
        fi
    done < <(links "$page")
done
((status)) || echo "book: $(find "$book" -maxdepth 1 -name '*.html' | wc -l) pages"
exit "$status"
