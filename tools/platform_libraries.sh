#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# platform_libraries.sh FOLDER CC [CMAKE'S ARGUMENTS]: cmocka and zlib, which the test programs need,
# compiled by CC into FOLDER/lib and FOLDER/include, once. Their sources are Debian's, fetched and
# verified by apt-get with lists of its own: no root, nothing of the machine's apt changes.
set -eu

folder=$1
cc=$2
shift 2
[ ! -f "$folder/complete" ] || exit 0
mkdir -p "$folder/lib/pkgconfig" "$folder/include" "$folder/build"
folder=$(cd "$folder" && pwd)
sources=$(dirname "$folder")/sources
command -v apt-get >/dev/null || { echo "platform_libraries.sh: no apt-get, so no sources of cmocka and zlib" >&2; exit 77; }

fetch() {
    mkdir -p "$sources/apt/lists/partial" "$sources/apt/cache/archives/partial"
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb-src [signed-by=$key] http://deb.debian.org/debian bookworm main" >"$sources/apt/sources.list"
    set -- -qq -o Dir::Etc::SourceList="$sources/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$sources/apt/lists" -o Dir::Cache="$sources/apt/cache" \
        -o APT::Sandbox::User=
    (cd "$sources" && apt-get "$@" update && apt-get "$@" source --download-only cmocka zlib) &&
        unpack cmocka && unpack zlib && touch "$sources/complete"
}

unpack() {
    mkdir -p "$sources/$1" &&
        tar -xf "$(find "$sources" -name "$1_*.orig.tar.*" ! -name '*.asc')" -C "$sources/$1" --strip-components=1
}

mkdir -p "$sources"
if ! (flock 9 && { [ -f "$sources/complete" ] || fetch; }) 9>"$sources/lock"; then
    echo "platform_libraries.sh: Debian's sources of cmocka and zlib could not be had" >&2
    exit 77
fi

cmake -S "$sources/cmocka" -B "$folder/build" -D CMAKE_C_COMPILER="$cc" -D CMAKE_BUILD_TYPE=Release \
    -D CMAKE_INSTALL_PREFIX="$folder" -D WITH_STATIC_LIB=ON -D WITH_EXAMPLES=OFF "$@" >"$folder/log" 2>&1 &&
    cmake --build "$folder/build" --target cmocka-static >>"$folder/log" 2>&1 || {
    tail -20 "$folder/log" >&2
    exit 1
}
cp "$(find "$folder/build" -name 'libcmocka*.a' ! -name '*.dll.a' | head -1)" "$folder/lib/libcmocka.a"
cp "$sources"/cmocka/include/cmocka*.h "$sources/zlib/zlib.h" "$sources/zlib/zconf.h" "$folder/include/"
cat >"$folder/lib/pkgconfig/cmocka.pc" <<PC
Name: cmocka
Description: as compiled by platform_libraries.sh
Version: 1.1
Libs: -L$folder/lib -lcmocka
Cflags: -I$folder/include
PC
for source in "$sources"/zlib/*.c; do
    "$cc" -O2 -w -DHAVE_UNISTD_H -c "$source" -o "$folder/build/$(basename "$source" .c).o"
done
rm -f "$folder/lib/libz.a"
ar rcs "$folder/lib/libz.a" "$folder"/build/*.o
touch "$folder/complete"
