#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# musl_python.sh FOLDER: a Python for musl, which neither Debian nor PyPI has: Debian 13's sources of
# Python, zlib and libffi, fetched and verified by apt-get with lists of its own, compiled by musl-gcc into
# FOLDER/root/usr, once, with musl's loader beside it: a root without glibc. It has no TLS. Exit status
# 77: no musl-gcc, no autoreconf (Debian: autoconf, automake, libtool, libltdl-dev), or no sources.
set -euo pipefail
[ ! -f "$1/complete" ] || exit 0
mkdir -p "$1/sources/apt/lists/partial" "$1/sources/apt/cache/archives/partial" "$1/lib"
folder=$(cd "$1" && pwd)
sources=$folder/sources

there() { command -v "$1" >/dev/null || { echo "musl_python.sh: no $1 here" >&2; exit 77; }; }
step() { # WHAT: says what begins
    echo "musl_python.sh: $1 (after $SECONDS s)"
}

there musl-gcc
there apt-get
there autoreconf

fetch() {
    local key=/usr/share/keyrings/debian-archive-keyring.gpg mirror
    local options=(-qq -o "Dir::Etc::SourceList=$sources/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
        -o "Dir::State::Lists=$sources/apt/lists" -o "Dir::Cache=$sources/apt/cache" -o APT::Sandbox::User=)
    # shellcheck disable=SC2016 # apt's names
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | sed -n 1p)
    mirror=${mirror:-http://deb.debian.org/debian} # none among apt's sources, as on Ubuntu
    printf 'deb%s [signed-by=%s] %s trixie main\n' '' "$key" "$mirror" -src "$key" "$mirror" >"$sources/apt/sources.list"
    cd "$sources"
    [ -z "$(find . -maxdepth 1 -name 'musl_*.deb')" ] || return 0
    apt-get "${options[@]}" update
    apt-get "${options[@]}" source --download-only --tar-only python3.13 zlib libffi
    apt-get "${options[@]}" download musl # PyPI's wheels pack their relocations, which musl reads from 1.2.4 on
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
    export CC=$folder/cc CFLAGS='-O1 -fPIC'
    cd "$sources/zlib"
    ./configure --static --prefix="$libraries"
    make -j2 libz.a
    make install
    cd "$sources/libffi"
    autoreconf -fi
    ./configure --disable-shared --with-pic --disable-docs --disable-exec-static-tramp --prefix="$libraries"
    make -j2
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

step "Debian's sources of Python, zlib and libffi"
quietly fetch
[ $status = 0 ] || {
    tail -n 5 "$folder/log" >&2
    echo "musl_python.sh: Debian's sources could not be had" >&2
    exit 77
}
for name in python3.13 zlib libffi; do
    unpack $name
done
step "compiling them: some minutes"
quietly compile
[ $status = 0 ] || {
    tail -n 30 "$folder/log" >&2
    exit 1
}
mkdir -p "$folder/root/lib" "$folder/root/tmp" "$folder/root/bin"
dpkg-deb -x "$sources"/musl_*.deb "$sources/musl"
cp -L "$sources"/musl/usr/lib/*-linux-musl/libc.so "$folder/root/lib/$(basename "$sources"/musl/usr/lib/ld-musl-*.so.1)"
touch "$folder/complete"
