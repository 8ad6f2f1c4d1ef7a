#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tools/ptxas.sh [VERSION] [FOLDER]: NVIDIA's ptxas out of the PyPI package nvidia-cuda-nvcc, kept in
# FOLDER (build-ptxas) and fetched once; prints where it is. For the tests that ask a ptxas:
#   PTXAS=$(tools/ptxas.sh 13.5.37) ctest --test-dir build -R ptx_files
here=$(dirname "$0")
exec "$here/cuda_program.sh" ptxas nvidia-cuda-nvcc "${1:-13.5.37}" "${2:-$here/../build-ptxas}"
