#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tools/watch.sh [BUILD [TREE]]: the newest compilers and headers of NVIDIA on PyPI against the tables of TREE (this one) and
# the command of its BUILD: words of ptxas that no table knows; tensor instructions of all qualifiers by target and
# version; the machine code of edits; members, enumerators and calls of cuda.h; the bytes of maps that
# nvidia-cutlass-dsl builds. It prints what is new, and its status is 1 where a table lags, 77 where PyPI cannot be asked.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
tree=${2:-$root}
here=$root/tests/toolchain
newest() { python3 -m pip index versions "$1" 2>/dev/null | sed -n '1s/.*(\(.*\))/\1/p'; }
for package in nvidia-cuda-nvcc nvidia-cuda-runtime cuda-bindings nvidia-cutlass-dsl triton tilelang; do
  version=$(newest "$package")
  [ -n "$version" ] || { echo "skipped: PyPI does not answer for $package"; exit 77; }
  seen=$(sed -n "s/^$package //p" "$here/seen.txt")
  echo "$package $version$([ "$version" = "$seen" ] || echo " (compared: ${seen:-none})")"
done
PTXAS=$("$root/tools/ptxas.sh" "$(newest nvidia-cuda-nvcc)")
NVDISASM=$("$root/tools/nvdisasm.sh")
header=$root/build-cuda/$(newest nvidia-cuda-runtime)
[ -d "$header" ] || python3 -m pip install --quiet --no-deps --target "$header" "nvidia-cuda-runtime==${header##*/}"
header=$(find "$header" -name cuda.h)
dsl=$root/build-cuda/cutlass-dsl-$(newest nvidia-cutlass-dsl)
[ -e "$dsl/installed" ] || {
  python3 -m venv "$dsl" && "$dsl/bin/python" -m pip install --quiet "nvidia-cutlass-dsl==${dsl##*-}" && : >"$dsl/installed"
} || { echo "maps of the CuTe DSL: not compared: no Python environment for nvidia-cutlass-dsl" && dsl=; }
TMA=$build/tma
export PTXAS NVDISASM TMA
status=0
says() { # WHAT COMMAND...
  what=$1
  shift
  if "$@"; then echo "$what: as the tables"; else echo "$what: LAGS"; status=1; fi
}
says "words of ptxas" python3 -B "$here/watch_words.py" "$PTXAS" "$tree"
says "tensor instructions" python3 -B "$here/watch_forms.py" "$PTXAS" "$TMA"
says "edits" "$root/tools/python.sh" -B -m pytest -q --tb=line -p no:cacheprovider "$here/test_edits.py"
says "names of cuda.h" python3 -B "$here/watch_header.py" "$header" "$tree"
says "types of cuda.h" cc -std=c11 -fsyntax-only -DHAVE_CUDA_H -I "$tree/include" -I "$tree/program/shim/driver" -I "$tree/program/shim/calls" \
  -I "${header%/*}" "$tree/program/shim/tests/cases/same_as_cuda_h.c"
[ -z "$dsl" ] || says "maps of the CuTe DSL" python3 -B "$here/watch_cute.py" "$dsl/bin/python" "$TMA"
exit $status
