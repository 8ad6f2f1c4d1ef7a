#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# build.sh PROGRAM [TARGET...]: builds tma-conformance as PROGRAM with nvcc and a C compiler alone,
# for machines without CMake. Targets are chips, as 90a or 100a; without any, those that are there.
set -eu

program=$(realpath -m "$1")
shift
cd "$(dirname "$0")/../.."
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
mkdir "$objects/library"

flags='-std=c11 -O2 -ffp-contract=off -D_GNU_SOURCE -Iinclude -Iptx/statement -Iptx/check -Itests -Ilab/hardware -Icli/args -Iprogram/dump'
flags="$flags -Iemulator $(find emulator/* ptx/* src/* text/* -type d -printf ' -I%p')"
kernels=$(find emulator ptx -name '*.c' ! -path 'emulator/session/*' ! -path 'emulator/record/*' ! -path 'ptx/insert/*')
for source in src/*/*.c text/*/*.c $kernels cli/args/*.c program/dump/core_file.c lab/hardware/*.c tests/support/gen_spec.c; do
    case $source in
    */pretend_*) ;;
    *)
        # shellcheck disable=SC2086 # a list
        case $source in src/*) inside=-DTMA_INSIDE ;; *) inside= ;; esac
        case $source in lab/*) into=$objects ;; *) into=$objects/library ;; esac
        ${CC:-cc} $flags $inside -c "$source" -o "$into/$(basename "$source" .c).c.o"
        ;;
    esac
done

ar rcs "$objects/library.a" "$objects"/library/*.o
targets=
# shellcheck disable=SC2046 # a list
[ $# -gt 0 ] || set -- $(lab/hardware/chips.sh)
for target in "$@"; do
    targets="$targets -gencode=arch=compute_$target,code=sm_$target"
done
for source in lab/hardware/*.cu; do
    # shellcheck disable=SC2086
    nvcc -std=c++17 -O2 -Iinclude $targets -c "$source" -o "$objects/$(basename "$source").o"
done
# shellcheck disable=SC2086
nvcc $targets -o "$program" "$objects"/*.o "$objects/library.a" -lpthread -ldl
