#!/usr/bin/env bash
# Plays the pipelines that were recorded from Kotlin: the full set where it lies beside the repository, and the selection
# in the repository, which must work alone.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for folder in ../shared/conformance tests/conformance/vectors; do
    if [[ -d $folder ]]; then
        echo "conformance: $folder"
        CONFORMANCE_DIR=$PWD/$folder cargo test --quiet -p coldflow --test conformance
    fi
done
