#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# lines.sh [COMMIT...]: the project's lines, room by room: code, and tables and data apart, tests
# apart. Of the tree as it stands, or of each COMMIT; of two, the difference in per cent besides.
# C is put into the form of .clang-format first, so that a form counts nothing.
set -euo pipefail

cd "$(dirname "$0")/.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
trees=()
for commit in "${@:-.}"; do
    tree=$root/tree-${commit//[^A-Za-z0-9]/_}
    mkdir "$tree"
    if [ "$commit" = . ]; then
        git ls-files -z --cached --others --exclude-standard | xargs -0 ls -d 2>/dev/null |
            tar -c --verbatim-files-from -T - | tar -x -C "$tree"
    else
        git archive "$commit" | tar -x -C "$tree"
    fi
    format=$tree/tools/format.sh
    if [ -f "$format" ] && ! (cd "$tree" && bash "$format") >/dev/null; then
        echo "lines.sh: counted as the files stand: no clang-format 14" >&2
    fi
    trees+=("$tree")
done
tools/python.sh -B tools/count_lines.py "${trees[@]}"
