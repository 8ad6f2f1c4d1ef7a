#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# chips.sh: the chips of this machine's GPUs as nvcc names them with all their instructions, such as
# "90a"; where no GPU is, all that tma-conformance has instructions for.
set -eu

found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null |
    sed -n 's/^\([0-9][0-9]*\)\.\([0-9]\) *$/\1\2a/p' | sort -u | tr '\n' ' ') || found=
echo "${found:-90a 100a 103a 110a 120a 121a}"
