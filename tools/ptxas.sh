#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tools/ptxas.sh [VERSION] [FOLDER]: NVIDIA's ptxas out of the PyPI package nvidia-cuda-nvcc, kept in
# FOLDER (build-ptxas) and fetched once; prints where it is. For the tests that ask a ptxas:
#   PTXAS=$(tools/ptxas.sh 13.5.37) ctest --test-dir build -R ptx_files
set -eu
version=${1:-13.5.37}
folder=${2:-$(dirname "$0")/../build-ptxas}
at=$folder/$version
found() { find "$at" -name ptxas -type f 2>/dev/null | head -n 1; }
if [ -z "$(found)" ]; then
  mkdir -p "$folder"
  new=$(mktemp -d "$folder/new.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  python3 -m pip install --quiet --no-deps --target "$new" "nvidia-cuda-nvcc==$version" >&2
  rm -rf "$at"
  mv "$new" "$at"
fi
[ -n "$(found)" ] || { echo "tools/ptxas.sh: nvidia-cuda-nvcc $version has no ptxas" >&2; exit 1; }
cd "$(dirname "$(found)")" && echo "$PWD/ptxas"
