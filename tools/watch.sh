#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tools/watch.sh [BUILD]: the newest compiler and headers of NVIDIA on PyPI against the tables: words of ptxas that
# no table knows, forms by target and version, the machine code of edits, members of cuda.h. It prints
# what is new, and its status is 1 where a table lags, 77 where PyPI cannot be asked.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
newest() { python3 -m pip index versions "$1" 2>/dev/null | sed -n '1s/.*(\(.*\))/\1/p'; }
for package in nvidia-cuda-nvcc nvidia-cuda-runtime cuda-bindings nvidia-cutlass-dsl triton tilelang; do
  version=$(newest "$package")
  [ -n "$version" ] || { echo "skipped: PyPI does not answer for $package"; exit 77; }
  seen=$(sed -n "s/^$package //p" "$root/tests/toolchain/seen.txt")
  echo "$package $version$([ "$version" = "$seen" ] || echo " (compared: ${seen:-none})")"
done
PTXAS=$("$root/tools/ptxas.sh" "$(newest nvidia-cuda-nvcc)")
NVDISASM=$("$root/tools/nvdisasm.sh")
header=$root/build-cuda/$(newest nvidia-cuda-runtime)
[ -d "$header" ] || python3 -m pip install --quiet --no-deps --target "$header" "nvidia-cuda-runtime==${header##*/}"
TMA=$build/tma
export PTXAS NVDISASM TMA
status=0
python3 -B "$root/tests/toolchain/watch_words.py" "$PTXAS" || status=1
python3 -B "$root/tests/toolchain/watch_header.py" "$(find "$header" -name cuda.h)" || status=1
"$root/tools/python.sh" -B -m pytest -q -p no:cacheprovider "$root/tests/toolchain/test_edits.py" || status=1
"$root/tools/python.sh" -B -m pytest -q -p no:cacheprovider "$root/tests/ptx/test_ptx_files.py" -k forms || status=1
exit $status
