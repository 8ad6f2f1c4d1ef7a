#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# pkg_config.sh PREFIX FOLDER: compiles consumer.c and consumer_words.c with nothing but pkg-config's
# answers, against the shared and the static libraries, and runs all.
set -euo pipefail

prefix=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name libtma.pc)")
export PKG_CONFIG_PATH
libraries=$(pkg-config --variable=libdir libtma)
for pair in consumer:libtma consumer_words:libtma-text; do
    source=$here/${pair%:*}.c
    read -ra flags < <(pkg-config --cflags --libs "${pair#*:}")
    cc "$source" "${flags[@]}" -o "$folder/shared"
    LD_LIBRARY_PATH=$libraries "$folder/shared"
    cc "$source" -Wl,-Bstatic "${flags[@]}" -Wl,-Bdynamic -o "$folder/static"
    "$folder/static"
done
if pkg-config --exists libtma-emulator; then # not where PTX is not read
    read -ra flags < <(pkg-config --cflags --libs libtma-emulator)
    cc "$here/../../examples/emulate.c" "${flags[@]}" -o "$folder/emulates"
    LD_LIBRARY_PATH=$libraries "$folder/emulates" | grep -q 'certain data-race'
fi
