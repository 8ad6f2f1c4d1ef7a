#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# install.sh BUILD PREFIX: installs anew into PREFIX, for the consumers to find, and looks whether
# each header came along that a program needs, and no other.
set -euo pipefail

build=$1
prefix=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix"
diff -r -x assert.h -x chars.h -x divisor.h "$source/include/tma" "$prefix/include/tma"
[ "$(ls "$prefix/include/tma/detail")" = "$(printf '%s\n' conditions.h judge_bulk.h judge_map.h)" ]
if [ -e "$build/tma" ]; then
    "$prefix/bin/tma" --version
fi
