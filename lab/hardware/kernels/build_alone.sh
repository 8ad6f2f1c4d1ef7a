#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# build_alone.sh FOLDER: the command, the library and the shim, with a C compiler alone: FOLDER/tma, FOLDER/libtma.a
# and FOLDER/libtma-cuda.so, for machines that have a GPU and no CMake. Sources are what lies in the rooms, but for
# what CMake takes elsewhere: without programs, with cairo, without a shared library.
# shellcheck disable=SC2086 # flags are a list
set -eu
work=$(realpath -m "${1:?a folder for what is built}")
cd "$(dirname "$0")/../../.."
mkdir -p "$work/o"
rooms="src text draw ask ptx emulator cli program/dump program/ptxas program/run program/shim"
flags="-std=c11 -O2 -ffp-contract=off -fPIC -fvisibility=hidden -D_GNU_SOURCE -Iinclude -Iprogram/runtime" # cuda_devices.def
flags+=$(find $rooms -type d ! -path '*/tests*' -printf ' -I%p')
elsewhere='/tests/|/windows/|/left_out\.c|/cairo_calls\.c|/draw_cairo\.c|/driver_alone\.c|/cudart_lookups\.c'

compile() {
    local inside=
    case $1 in src/*) inside=-DTMA_INSIDE ;; esac
    ${CC:-cc} $flags $inside '-DTMA_CAIRO_LEFT_OUT=""' -c "$1" -o "$work/o/${1//\//_}.o"
}
export work flags
export -f compile
find $rooms -name '*.c' | grep -Ev "$elsewhere" | xargs -P "$(nproc)" -I{} bash -c 'compile {}'
o=$work/o
rm -f "$work/libtma.a"
ar rcs "$work/libtma.a" "$o"/src_*.o
${CC:-cc} "$o"/{src,text,draw,ask,ptx,emulator,cli,program_dump,program_ptxas,program_run}_*.o -lm -ldl -lpthread -o "$work/tma"
cc -E -P -x c program/shim/calls/libtma-cuda.map -o "$work/shim.map"
${CC:-cc} -shared "$o"/{src,text,ptx,program_shim}_*.o -o "$work/libtma-cuda.so" \
    "-Wl,--version-script=$work/shim.map" -Wl,-Bsymbolic,-z,now -ldl -lpthread
