#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# pkg_config.sh PREFIX FOLDER: compiles consumer.c with nothing but pkg-config's answers, against
# the shared and the static library, and runs both.
set -euo pipefail

prefix=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name libtma.pc)")
export PKG_CONFIG_PATH
read -ra flags < <(pkg-config --cflags --libs libtma)
libraries=$(pkg-config --variable=libdir libtma)
cc "$here/consumer.c" "${flags[@]}" -o "$folder/shared"
LD_LIBRARY_PATH=$libraries "$folder/shared"
cc "$here/consumer.c" -Wl,-Bstatic "${flags[@]}" -Wl,-Bdynamic -o "$folder/static"
"$folder/static"
