#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# install.sh BUILD PREFIX: installs anew into PREFIX, for the consumers to find, and looks whether
# each public header came along.
set -euo pipefail

build=$1
prefix=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix"
diff -r "$source/include/tma" "$prefix/include/tma"
if [ -e "$build/tma" ]; then
    "$prefix/bin/tma" --version
fi
