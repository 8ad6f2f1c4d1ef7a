#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# run_triton.sh [FOLDER] [COUNT]: random kernels on Triton's tensor descriptors (1,100 of them), on the GPU
# and in the interpreter with libtma behind it: the same bytes? And what the interpreter takes with
# and without. Into FOLDER: triton.txt, and every kernel in gpu.tsv, interpreter.tsv, torch.tsv,
# plain.tsv. Needs nanobind, Triton, PyTorch; no network. A minute with 16 cores.
set -uo pipefail
cd "$(dirname "$0")/../../.." || exit 1
results=${1:-.}
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
lab/hardware/python/build_package.sh "$build" || exit 1
export PYTHONPATH=$build/package PYTHONDONTWRITEBYTECODE=1
status=0
{
    timeout 60 python3 lab/bench/bench_triton.py || status=1
    timeout 420 python3 lab/hardware/python/compare_kernels.py "$results" "${2:-1100}" || status=1
    # docs/triton.md's example, with PyTorch; not beside libtma.so, which Python would import
    mkdir "$build/example"
    sed -n '/^```python$/,/^```$/p' docs/triton.md | sed '1d;$d' >"$build/example/kernel.py"
    timeout 60 python3 "$build/example/kernel.py" || status=1
    exit $status
} 2>&1 | tee "$results/triton.txt"
exit "${PIPESTATUS[0]}"
