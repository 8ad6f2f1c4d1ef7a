#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# each_ptxas.sh COMMAND...: the command with the ptxas of each release that changed edits of maps or
# was compared, out of PyPI (40 MB each), in PTXAS; 77 where they cannot be had.
set -eu
tools=$(dirname "$0")/../../tools
NVDISASM=$("$tools/nvdisasm.sh") || { echo "skipped: no nvidia-cuda-nvdisasm from PyPI"; exit 77; }
PTXAS=
for version in 13.5.37 13.4.92 13.4.59 13.3.73 13.2.86 13.1.115 13.0.88; do
  one=$("$tools/ptxas.sh" "$version") || { echo "skipped: no ptxas $version from PyPI"; exit 77; }
  PTXAS=$PTXAS:$one
done
for version in 12.9.86 12.8.93 12.6.85 12.5.82 12.4.131; do
  one=$("$tools/cuda_program.sh" ptxas nvidia-cuda-nvcc-cu12 "$version" "$tools/../build-ptxas") || {
    echo "skipped: no ptxas $version from PyPI"
    exit 77
  }
  PTXAS=$PTXAS:$one
done
PTXAS=${PTXAS#:}
export PTXAS NVDISASM
exec "$@"
