#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# static.sh [--jobs N] [TARGET ...]: the command tma in one file that needs nothing beside itself,
# build-zig/TARGET/tma, for x86_64-linux-musl and aarch64-linux-musl; each is run in a root that
# holds nothing else (as root; else where it lies). Other targets of zig are compiled alone:
# x86_64-linux-gnu.2.28 needs no newer glibc; aarch64-macos. Exit status 77: no zig.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
if [ "${1:-}" = --jobs ]; then
    jobs=$2
    shift 2
fi
targets=("$@")
[ $# -gt 0 ] || targets=(x86_64-linux-musl aarch64-linux-musl)
out=$PWD/build-zig

in_empty_root() { # EMULATOR COMMAND
    local root
    root=$(mktemp -d)
    cp "$2" "$root/tma"
    if [ "$(id -u)" != 0 ]; then
        echo "not root: run where it lies" >&2
        ${1:+"$1"} "$root/tma" encode --dtype float16 --dim 64,32 --box 64,8 --format hex
    elif [ -n "$1" ]; then
        cp "$(command -v "$1")" "$root/emulator"
        chroot "$root" /emulator /tma encode --dtype float16 --dim 64,32 --box 64,8 --format hex
    else
        chroot "$root" /tma encode --dtype float16 --dim 64,32 --box 64,8 --format hex
    fi
    rm -r "$root"
}

try() { # TARGET: runs it, where it can be
    local emulator='' said wanted
    case $1 in
    aarch64-linux-musl) emulator=qemu-aarch64-static ;;
    x86_64-linux-musl) ;;
    *)
        echo "$1: compiled, not run"
        return
        ;;
    esac
    if [ -n "$emulator" ] && ! command -v $emulator >/dev/null; then
        echo "$1: compiled, not run: no $emulator"
        return
    fi
    said=$(in_empty_root "$emulator" "$out/$1/tma")
    wanted=$(build/tma encode --dtype float16 --dim 64,32 --box 64,8 --format hex)
    [ "$said" = "$wanted" ] || {
        echo "$1: another map than build/tma's: $said"
        exit 1
    }
    echo "$1: run in an empty root; $(stat -c %s "$out/$1/tma") bytes"
}

tools/zig.sh >/dev/null
for target in "${targets[@]}"; do
    file=$(tools/zig.sh "$target" "$out/zig")
    link=
    case $target in *musl) link=-static ;; esac
    tools/configure.sh "$out/$target" -D CMAKE_TOOLCHAIN_FILE="$file" -D LIBTMA_PROGRAMS_ONLY=ON \
        -D LIBTMA_CAIRO=OFF -D LIBTMA_BUILD_SHIM=OFF -D CMAKE_BUILD_TYPE=Release \
        -D CMAKE_EXE_LINKER_FLAGS="$link -s"
    cmake --build "$out/$target" -j "$jobs" >"$out/$target.log" 2>&1 || {
        grep -E 'error|FAILED' "$out/$target.log" | head -20
        exit 1
    }
    try "$target"
done
