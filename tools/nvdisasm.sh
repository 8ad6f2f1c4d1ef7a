#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tools/nvdisasm.sh [VERSION] [FOLDER]: NVIDIA's nvdisasm out of PyPI, as ptxas.sh has ptxas: for
#   NVDISASM=$(tools/nvdisasm.sh) ctest --test-dir build -R ptx_machine_code
here=$(dirname "$0")
exec "$here/cuda_program.sh" nvdisasm nvidia-cuda-nvdisasm "${1:-13.5.37}" "${2:-$here/../build-nvdisasm}"
