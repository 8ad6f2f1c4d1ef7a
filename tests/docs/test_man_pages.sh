#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test_man_pages.sh TMA: every verb has a man page, with every option that its --help has, which
# groff, where it is, reads without a warning.
set -euo pipefail
cd "$(dirname "$0")/../.."
tma=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
tools/python.sh -B tools/man_pages.py "$tma" "$folder" # ends with 77 where there is no Python: skipped
verbs=$("$tma" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
[ "$(wc -w <<<"$verbs")" -gt 10 ]
for verb in $verbs; do
    page=$folder/tma-$verb.1
    sed 's/\\-/-/g' "$page" >"$folder/plain"
    for option in $("$tma" "$verb" --help | grep -oE '^ +(-., )?--[a-z0-9.-]+' | grep -oE -e '--[a-z0-9.-]+'); do
        grep -qF -e "$option" "$folder/plain" || {
            echo "tma-$verb.1 lacks $option"
            exit 1
        }
    done
    if command -v groff >/dev/null && groff -man -Tascii -ww -z "$page" 2>&1 | grep .; then
        echo "tma-$verb.1: groff warns"
        exit 1
    fi
done
echo "$(wc -w <<<"$verbs") man pages"
