#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# configure.sh FOLDER [CMAKE'S ARGUMENTS]: configures the project in FOLDER; says what is left out for
# want of an optional package, and else nothing unless it fails. A new folder starts with the library
# and the command alone; what an earlier call turned on stays on, what a failed one turned on does not.
# What was installed or removed since is noticed.
set -eu

cd "$(dirname "$0")/.."
folder=$1
shift

there() { # which of the optional things are there
    for program in python3 pkg-config clang wasm-ld c++ ccache; do
        command -v "$program" >/dev/null || echo "no $program"
    done
    for module in cmocka zlib cairo; do
        pkg-config --modversion "$module" 2>/dev/null || echo "no $module"
    done
    ls /usr/include/valgrind/callgrind.h /usr/local/cuda/include/cuda.h 2>&1 || true
}

now=$(there)
if [ ! -f "$folder/CMakeCache.txt" ]; then
    if [ -z "${CMAKE_GENERATOR:-}" ] && command -v ninja >/dev/null; then
        export CMAKE_GENERATOR=Ninja
    fi
    set -- -D LIBTMA_BUILD_TESTS=OFF -D LIBTMA_BUILD_BENCH=OFF -D LIBTMA_BUILD_FUZZERS=OFF "$@"
elif [ $# = 0 ] && [ "$now" = "$(cat "$folder/optional.txt" 2>/dev/null)" ]; then
    exit 0 # cmake --build notices changed files by itself
fi
before=$(mktemp -d)
trap 'rm -rf "$before"' EXIT
if [ -f "$folder/CMakeCache.txt" ]; then
    cp "$folder/CMakeCache.txt" "$before/"
fi
cmake -S . -B "$folder" "$@" >"$before/log" 2>&1 || {
    cat "$before/log" >&2
    if [ -f "$before/CMakeCache.txt" ]; then
        cp "$before/CMakeCache.txt" "$folder/CMakeCache.txt"
    else
        rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
    fi
    exit 1
}
if [ "$now" != "$(cat "$folder/optional.txt" 2>/dev/null)" ]; then
    grep '^left out: ' "$before/log" >&2 || true
    echo "$now" >"$folder/optional.txt"
fi
