#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# musl_python.sh FOLDER: a Python for musl, which neither Debian nor PyPI has: Debian 13's sources of
# Python and zlib, fetched and verified by apt-get with lists of its own, compiled by musl-gcc into
# FOLDER/root/usr, once, with musl's loader beside it: a root without glibc. It has no ctypes (libffi
# would want autoconf) and no TLS. Exit status 77: no musl-gcc, or no sources.
set -euo pipefail
[ ! -f "$1/complete" ] || exit 0
mkdir -p "$1/sources/apt/lists/partial" "$1/sources/apt/cache/archives/partial" "$1/lib"
folder=$(cd "$1" && pwd)
sources=$folder/sources

there() { command -v "$1" >/dev/null || { echo "musl_python.sh: no $1 here" >&2; exit 77; }; }
there musl-gcc
there apt-get

fetch() {
    local key=/usr/share/keyrings/debian-archive-keyring.gpg
    local options=(-qq -o "Dir::Etc::SourceList=$sources/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$sources/apt/lists" -o "Dir::Cache=$sources/apt/cache" -o APT::Sandbox::User=)
    echo "deb-src [signed-by=$key] http://deb.debian.org/debian trixie main" >"$sources/apt/sources.list"
    cd "$sources"
    [ -z "$(find . -maxdepth 1 -name 'python3.13_*.orig.tar.xz')" ] || return 0
    apt-get "${options[@]}" update
    apt-get "${options[@]}" source --download-only python3.13 zlib
}

unpack() { # NAME: into SOURCES/NAME
    mkdir -p "$sources/$1"
    tar -xf "$(find "$sources" -maxdepth 1 -name "$1_*.orig.tar.*" ! -name '*.asc')" -C "$sources/$1" --strip-components=1
}

compile() {
    local libraries=$folder/lib
    # Debian's gcc behind it calls its system x86_64-linux-gnu, at which Python's configure stops.
    # shellcheck disable=SC2016 # for the shell inside
    printf '#!/bin/sh\n[ "$1" != --print-multiarch ] || exit 0\nexec musl-gcc "$@"\n' >"$folder/cc"
    chmod +x "$folder/cc"
    export CC=$folder/cc CFLAGS=-O1
    cd "$sources/zlib"
    ./configure --static --prefix="$libraries"
    make -j2 libz.a
    make install
    cd "$sources/python3.13"
    ./configure --prefix=/usr --disable-test-modules --without-static-libpython --with-ensurepip=no \
        PKG_CONFIG_LIBDIR="$libraries/lib/pkgconfig" PKG_CONFIG_PATH="$libraries/lib/pkgconfig"
    make -j2
    make install DESTDIR="$folder/root"
}

status=0
quietly() { # FUNCTION: into the log; set -e holds inside
    set +e
    (
        set -e
        "$1"
    ) >"$folder/log" 2>&1
    status=$?
    set -e
}

quietly fetch
[ $status = 0 ] || {
    tail -n 5 "$folder/log" >&2
    echo "musl_python.sh: Debian's sources could not be had" >&2
    exit 77
}
for name in python3.13 zlib; do
    unpack $name
done
quietly compile
[ $status = 0 ] || {
    tail -n 30 "$folder/log" >&2
    exit 1
}
mkdir -p "$folder/root/lib" "$folder/root/tmp" "$folder/root/bin"
cp -L /lib/ld-musl-*.so.1 "$folder/root/lib/"
touch "$folder/complete"
