#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# format.sh [--check]: puts every C, C++ and CUDA file into the form of .clang-format, or names
# those that are not. Exit code 77: another clang-format than Debian 12's, whose form differs.
set -euo pipefail

cd "$(dirname "$0")/.."
source tools/clang_tool.sh
clang_tool format
# samples are what other programs were given, line by line
find . \( -path './build*' -o -path '*/samples' -o -name '.?*' \) -prune -o \
    \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cu' \) -type f -print0 |
    if [ "${1:-}" = --check ]; then
        xargs -0 "$tool" --dry-run --Werror
    else
        xargs -0 "$tool" -i
    fi
