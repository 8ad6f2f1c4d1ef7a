#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# configure.sh FOLDER [CMAKE'S ARGUMENTS]: configures the project in FOLDER, silent unless it
# fails. A new folder starts with the library and the command alone; what an earlier call turned on
# stays on.
set -eu

cd "$(dirname "$0")/.."
folder=$1
shift
if [ ! -f "$folder/CMakeCache.txt" ]; then
    if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
        export CMAKE_GENERATOR=Ninja
    fi
    set -- -D LIBTMA_BUILD_TESTS=OFF -D LIBTMA_BUILD_BENCH=OFF -D LIBTMA_BUILD_FUZZERS=OFF "$@"
elif [ $# = 0 ]; then
    exit 0 # cmake --build notices changed files by itself
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
cmake -S . -B "$folder" "$@" >"$log" 2>&1 || {
    cat "$log" >&2
    exit 1
}
