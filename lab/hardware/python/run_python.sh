#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run_python.sh [FOLDER]: builds the Python package and libtma-cuda.so, and lets a GPU take their maps: CuPy,
# cuda.bindings, Triton. One line an item, also into FOLDER/python.txt. Needs nvcc, nanobind and the
# three packages; no network.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 1
results=${1:-.}/python.txt
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
lab/hardware/python/build_package.sh "$build" || exit 1
nvcc -cubin -arch=sm_90a -o "$build/copy_tile.cubin" lab/hardware/python/copy_tile.cu || exit 1
export PYTHONPATH=$build/package PYTHONDONTWRITEBYTECODE=1
status=0
item() {
    timeout 200 "$@" 2>&1 | tee -a "$results" || status=1
}
: >"$results"
item python3 lab/hardware/python/gpu_copies.py "$build/copy_tile.cubin"
item python3 lab/hardware/python/gpu_matmul.py
item env LD_PRELOAD="$build/libtma-cuda.so" LIBTMA_MODE=stand-in LIBTMA_QUIET=1 \
    python3 lab/hardware/python/gpu_matmul.py
exit $status
