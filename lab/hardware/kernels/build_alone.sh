#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# build_alone.sh FOLDER: the command, the library and the shim, with a C compiler alone: FOLDER/tma, FOLDER/libtma.a
# and FOLDER/libtma-cuda.so, for machines that have a GPU and no CMake.
set -eu
work=$(realpath -m "${1:?a folder for what is built}")
cd "$(dirname "$0")/../../.."
mkdir -p "$work/o"
flags="-std=c11 -O2 -fPIC -fvisibility=hidden -D_GNU_SOURCE -Iinclude"
for f in src/*.c; do echo "cc $flags -DTMA_INSIDE -Isrc -c $f -o $work/o/src_$(basename "$f").o"; done > "$work/jobs"
for d in text draw ask args ptx dump cli shim; do
    for f in "$d"/*.c; do
        case $f in */cairo_calls.c | */draw_cairo.c | */left_out.c | */driver_alone.c | */cudart_lookups.c) continue ;; esac
        echo "cc $flags -Iargs -Iask -Iptx -Idump -I$d -c $f -o $work/o/${d}_$(basename "$f").o"
    done
done >> "$work/jobs"
xargs -P "$(nproc)" -I{} sh -c '{}' < "$work/jobs"
ar rcs "$work/libtma.a" "$work"/o/src_*.o
cc "$work"/o/src_*.o "$work"/o/text_*.o "$work"/o/draw_*.o "$work"/o/ask_*.o "$work"/o/args_*.o "$work"/o/ptx_*.o \
    "$work"/o/dump_*.o "$work"/o/cli_*.o -lm -ldl -o "$work/tma"
cc -E -P -x c program/shim/calls/libtma-cuda.map -o "$work/shim.map"
cc -shared "$work"/o/src_*.o "$work"/o/text_*.o "$work"/o/ptx_*.o "$work"/o/shim_*.o -o "$work/libtma-cuda.so" \
    "-Wl,--version-script=$work/shim.map" -Wl,-Bsymbolic -ldl -lpthread
