#!/usr/bin/env bash
# The pictures in docs/timelines are what the runs that they show give today, and each is shown somewhere.
# `cargo run -p coldflow-pictures` draws them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo run --quiet -p coldflow-pictures -- --check

status=0
for picture in docs/timelines/*.svg; do
    name=$(basename "$picture")
    # Those of the scenarios are for the guide.
    [[ $name == scenario-* ]] && continue
    grep -rqF "timelines/$name" src || { echo "pictures: $picture is shown by no documentation" >&2; status=1; }
done
exit "$status"
