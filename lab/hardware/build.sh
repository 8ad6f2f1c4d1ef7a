#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh PROGRAM [TARGET...]: builds tma-conformance as PROGRAM with nvcc and a C compiler alone,
# for machines without CMake. Targets are chips, as 90a or 100a; without any, those that are there.
# shellcheck disable=SC2046,SC2086 # lists
set -eu

program=$(realpath -m "$1")
shift
cd "$(dirname "$0")/../.."
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mkdir "$objects/library"

rooms=$(printf 'lab/hardware/%s ' program encode copies passes mma barrier)
flags='-std=c11 -O2 -ffp-contract=off -D_GNU_SOURCE -Iinclude -Iptx/statement -Iptx/check -Itests -Icli/args -Iprogram/dump'
flags="$flags -Iemulator $(find emulator/* ptx/* src/* text/* $rooms -type d -printf ' -I%p')"
kernels=$(find emulator ptx -name '*.c' ! -path 'emulator/session/*' ! -path 'emulator/record/*' ! -path 'ptx/insert/*')
own=$(find $rooms -name '*.c')
for source in src/*/*.c text/*/*.c $kernels cli/args/*.c program/dump/core_file.c $own tests/support/gen/gen_spec.c; do
    case $source in src/*) inside=-DTMA_INSIDE ;; *) inside= ;; esac
    case $source in lab/*) into=$objects ;; *) into=$objects/library ;; esac
    ${CC:-cc} $flags $inside -c "$source" -o "$into/$(basename "$source" .c).c.o"
done

ar rcs "$objects/library.a" "$objects"/library/*.o
targets=
[ $# -gt 0 ] || set -- $(lab/hardware/chips.sh)
for target in "$@"; do
    targets="$targets -gencode=arch=compute_$target,code=sm_$target"
done
device=$(find $rooms -name '*.cu')
for source in $device; do
    nvcc -std=c++17 -O2 -Iinclude $(printf ' -I%s' $rooms) $targets -c "$source" -o "$objects/$(basename "$source").o"
done
nvcc $targets -o "$program" "$objects"/*.o "$objects/library.a" -lpthread -ldl
