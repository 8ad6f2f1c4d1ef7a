#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# static.sh [--jobs N] [TARGET ...]: the command tma in one file that needs nothing beside itself,
# build-zig/TARGET/tma, for x86_64-linux-musl and aarch64-linux-musl; each is run in a root that
# holds nothing else (as root; else where it lies), on one map and on every recorded answer. Of
# x86_64-linux-gnu.2.28 the symbols that it needs are held against that glibc; other targets of zig,
# such as aarch64-macos, are compiled alone. TMA is the command that it has to agree with, build/tma.
# Exit status 77: no zig.
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
tma=${TMA:-build/tma}

enter() { # ROOT EMULATOR ARGUMENTS OF TMA: runs ROOT/tma with nothing around it
    local root=$1 emulator=$2
    shift 2
    if [ "$(id -u)" != 0 ]; then
        ${emulator:+"$emulator"} "$root/tma" "$@"
    elif [ -n "$emulator" ]; then
        chroot "$root" /emulator /tma "$@"
    else
        chroot "$root" /tma "$@"
    fi
}

run() { # TARGET EMULATOR: what build/tma says, and the recorded answers
    local root said wanted map=(encode --dtype float16 --dim '64,32' --box '64,8' --format hex) where='an empty root'
    root=$(mktemp -d)
    cp "$out/$1/tma" "$root/tma"
    [ -z "$2" ] || cp "$(command -v "$2")" "$root/emulator"
    [ "$(id -u)" = 0 ] || where='its folder (not root)'
    wanted=$("$tma" "${map[@]}")
    said=$(enter "$root" "$2" "${map[@]}" || true)
    [ "$said" = "$wanted" ] || {
        echo "$1: another map than $tma's: $said"
        exit 1
    }
    said=$(gzip -dc tests/vectors/{encode,replace,copy,reduce}*.gz | enter "$root" "$2" replay --check | tail -n 1)
    case $said in
    *' 0 failed'*) ;;
    *)
        echo "$1: replay --check: $said"
        exit 1
        ;;
    esac
    rm -r "$root"
    echo "$1: run in $where; replay --check: $said; $(stat -c %s "$out/$1/tma") bytes"
}

glibc() { # TARGET: no symbol is newer than the glibc it is for
    local newest wanted=${1##*gnu.}
    newest=$(readelf -W --dyn-syms "$out/$1/tma" | grep -oE '@GLIBC_[0-9.]+' | sed 's/@GLIBC_//' | sort -uV | tail -n 1)
    if [ -z "$newest" ] || [ "$(printf '%s\n' "$newest" "$wanted" | sort -V | tail -n 1)" != "$wanted" ]; then
        echo "$1: needs symbols of glibc '$newest'"
        exit 1
    fi
    echo "$1: its newest symbol is glibc $newest's; needs $(readelf -d "$out/$1/tma" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | tr '\n' ' ')"
}

try() { # TARGET: runs it, where it can be
    case $1 in
    *-linux-gnu.*)
        glibc "$1"
        [ "${1%%-*}" != "$(uname -m)" ] || "$out/$1/tma" --version >/dev/null
        ;;
    "$(uname -m)"-linux-musl) run "$1" '' ;;
    *-linux-musl)
        if command -v "qemu-${1%%-*}-static" >/dev/null; then
            run "$1" "qemu-${1%%-*}-static"
        else
            echo "$1: compiled, not run: no qemu-${1%%-*}-static"
        fi
        ;;
    *) echo "$1: compiled, not run" ;;
    esac
}

tools/zig.sh >/dev/null
for target in "${targets[@]}"; do
    echo "$target: compiling; zig's first call for a system compiles its C library: a minute or two (after $SECONDS s)"
    file=$(tools/zig.sh "$target" "$out/zig")
    link=
    case $target in *musl) link=-static ;; esac
    tools/configure.sh "$out/$target" -D CMAKE_TOOLCHAIN_FILE="$file" -D LIBTMA_PROGRAMS_ONLY=ON \
        -D LIBTMA_CAIRO=OFF -D LIBTMA_BUILD_SHIM=OFF -D CMAKE_BUILD_TYPE=Release \
        -D CMAKE_EXE_LINKER_FLAGS="$link -s"
    cmake --build "$out/$target" -j "$jobs" >"$out/$target.log" 2>&1 || {
        grep -E 'error|FAILED' "$out/$target.log" | sed -n 1,20p
        exit 1
    }
    try "$target"
done
