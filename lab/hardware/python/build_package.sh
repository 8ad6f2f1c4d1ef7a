#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# build_package.sh FOLDER: builds the Python package for python3, without network, and puts it into
# FOLDER/package. Needs nanobind.
set -euo pipefail
cd "$(dirname "$0")/../../.."
build=$1
{
    cmake -S . -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D LIBTMA_BUILD_PYTHON=ON \
        -D LIBTMA_BUILD_TESTS=OFF -D LIBTMA_BUILD_FUZZERS=OFF -D LIBTMA_BUILD_BENCH=OFF \
        -D LIBTMA_BUILD_CLI=OFF -D LIBTMA_WERROR=OFF -D Python_EXECUTABLE="$(command -v python3)"
    cmake --build "$build"
} >"$build/log" 2>&1 || {
    tail -30 "$build/log"
    exit 1
}
mkdir "$build/package"
cp -r python/libtma "$build/package"
cp "$build"/python/_core*.so "$build/package/libtma/"
