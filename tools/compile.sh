#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# compile.sh FOLDER JOBS [TARGET]: builds what is configured in FOLDER, or of it TARGET; prints progress
# on a terminal, the compiler's words where it fails, and else nothing.
set -eu

cd "$(dirname "$0")/.."
if [ -t 1 ]; then
    exec cmake --build "$1" -j "$2" --target "${3:-all}"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake --build "$1" -j "$2" --target "${3:-all}" >"$log" 2>&1 || {
    grep -vE '^\[' "$log" | tail -n 200
    exit 1
}
