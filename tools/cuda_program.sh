#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tools/cuda_program.sh PROGRAM PACKAGE VERSION FOLDER: a program out of one of NVIDIA's PyPI packages,
# kept in FOLDER and fetched once; prints where it is.
set -eu
program=$1 package=$2 version=$3 folder=$4
at=$folder/$version
found() { find "$at" -name "$program" -type f 2>/dev/null | head -n 1; }
if [ -z "$(found)" ]; then
  mkdir -p "$folder"
  new=$(mktemp -d "$folder/new.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  python3 -m pip install --quiet --no-deps --target "$new" "$package==$version" >&2
  rm -rf "$at"
  mv "$new" "$at"
fi
[ -n "$(found)" ] || { echo "tools/cuda_program.sh: $package $version has no $program" >&2; exit 1; }
cd "$(dirname "$(found)")" && echo "$PWD/$program"
