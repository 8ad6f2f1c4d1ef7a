#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# newest_ptxas.sh COMMAND...: the command with the newest ptxas that the tables were asked with, and the
# nvdisasm that reads its machine code, out of PyPI, in PTXAS and NVDISASM; 77 where they cannot be had.
tools=$(dirname "$0")/../../tools
PTXAS=$("$tools/ptxas.sh") && NVDISASM=$("$tools/nvdisasm.sh") || {
    echo "skipped: no nvidia-cuda-nvcc or nvidia-cuda-nvdisasm from PyPI"
    exit 77
}
export PTXAS NVDISASM
exec "$@"
