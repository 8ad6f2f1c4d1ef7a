#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# bulk.sh FOLDER: on a Hopper GPU, with nvcc and a C compiler. bulk.cu's copies without a map and barriers,
# each right one and each that breaks a rule in a process of its own: plain, and by --on-fault=record, assert
# and skip, which name the rule; a right one leaves its bytes and no word. Then bulk_values.cu: random copies beside
# tma_copy_bulk() (FOLDER/values.txt). FOLDER/summary.txt has the outcome,
# FOLDER/output.txt what was printed.
set -u
out=$(realpath -m "${1:?a folder for the results}")
cd "$(dirname "$0")/../../.." || exit 2
. lab/hardware/kernels/results.sh
build_here
flags="-std=c++17 -O2 -lineinfo -Iinclude -gencode=arch=compute_90a,code=sm_90a lab/hardware/kernels/bulk.cu $work/libtma.a"
# shellcheck disable=SC2086 # a list
nvcc $flags -o "$work/plain" || say "FAILED: nvcc, plain"
for how in record assert skip; do
    # shellcheck disable=SC2086
    "$tma" run-checked --on-fault=$how nvcc $flags -o "$work/$how" > "$work/said" 2>&1 || say "FAILED: nvcc, $how"
done
one() { # how, operands
    local how=$1
    shift
    case $how in
        plain | assert) timeout 20 "$work/$how" "$@" ;;
        *) timeout 20 "$tma" run-checked --on-fault="$how" "$work/$how" "$@" ;;
    esac > "$work/said" 2>&1
    { echo "--- $how $*"; cat "$work/said"; } >> "$out/output.txt"
}
while read -r rule operands; do
    for how in plain record assert skip; do
        # shellcheck disable=SC2086
        one $how $operands
        case $how/$rule in
            */none) judge "$how, $operands: runs, without a word" "$(grep -q 'error 0 ' "$work/said" && ! grep -q 'libtma: ' "$work/said" && echo 1)" ;;
            plain/*) say "$rule, $operands, plain: $(sed 's/.*: error/error/' "$work/said")" ;;
            *) judge "$how, $operands: $rule" "$(grep -q "libtma: $rule: " "$work/said" && echo 1)" ;;
        esac
    done
done << 'CASES'
none load
none load_cta
none store
none add
none add_bf16
none prefetch
none tensor
none load 12032 0 256
none load -4096 0 256
none load 0 0 0
none load 0 0 256 0 inval
none expect
none expect 0 0 256 0 inval
bulk-size load 0 0 264
bulk-size load_cta 0 0 8
bulk-size store 0 0 264
bulk-size add_bf16 0 0 258
bulk-size prefetch 0 0 8
bulk-shared-align load 8 0 256
bulk-shared-align store 0 8 256
bulk-shared-align add 0 4 256
bulk-global-align load 0 8 256
bulk-global-align store 8 0 256
bulk-global-align prefetch 0 1 256
memory-shared load 12160 0 256
memory-shared store 0 8064 256
memory-shared load 0 0 65536
barrier-align load 0 0 256 4
barrier-align tensor 0 0 256 4
barrier-memory load 0 0 256 64 away
barrier-uninitialised expect 0 0 256 0 zeros
CASES
# shellcheck disable=SC2086
nvcc ${flags/bulk.cu/bulk_values.cu} -o "$work/values" || say "FAILED: nvcc, values"
right=
timeout 200 "$work/values" 200000 1 > "$out/values.txt" && right=1
judge "random copies beside tma_copy_bulk(): $(tail -1 "$out/values.txt")" "$right"
say "$passed passed, $failed failed"
rm -rf "$work"
[ $failed = 0 ]
