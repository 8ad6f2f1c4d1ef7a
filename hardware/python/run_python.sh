#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run_python.sh [FOLDER]: builds the Python package and libtma-cuda.so, and lets a GPU take their maps: CuPy,
# cuda.bindings, Triton. One line an item, also into FOLDER/python.txt. Needs nvcc, nanobind and the
# three packages; no network.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
results=${1:-.}/python.txt
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
{
    cmake -S . -B "$build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D LIBTMA_BUILD_PYTHON=ON \
        -D LIBTMA_BUILD_TESTS=OFF -D LIBTMA_BUILD_FUZZERS=OFF -D LIBTMA_BUILD_BENCH=OFF \
        -D LIBTMA_BUILD_CLI=OFF -D LIBTMA_WERROR=OFF -D Python_EXECUTABLE="$(command -v python3)" &&
        cmake --build "$build" &&
        nvcc -cubin -arch=sm_90a -o "$build/copy_tile.cubin" hardware/python/copy_tile.cu
} >"$build/log" 2>&1 || {
    tail -30 "$build/log"
    exit 1
}
mkdir "$build/package" && cp -r python/libtma "$build/package" &&
    cp "$build"/python/_core*.so "$build/package/libtma/"
export PYTHONPATH=$build/package PYTHONDONTWRITEBYTECODE=1
status=0
item() {
    timeout 200 "$@" 2>&1 | tee -a "$results" || status=1
}
: >"$results"
item python3 hardware/python/gpu_copies.py "$build/copy_tile.cubin"
item python3 hardware/python/gpu_matmul.py
item env LD_PRELOAD="$build/libtma-cuda.so" LIBTMA_MODE=stand-in LIBTMA_QUIET=1 \
    python3 hardware/python/gpu_matmul.py
exit $status
