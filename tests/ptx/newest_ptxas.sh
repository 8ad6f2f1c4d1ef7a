#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# newest_ptxas.sh COMMAND...: the command with the newest ptxas that the tables were asked with, out of
# PyPI, in PTXAS; 77 where it cannot be had.
PTXAS=$("$(dirname "$0")/../../tools/ptxas.sh") || {
    echo "skipped: no nvidia-cuda-nvcc from PyPI"
    exit 77
}
export PTXAS
exec "$@"
