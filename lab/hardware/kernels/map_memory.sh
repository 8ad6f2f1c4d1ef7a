#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# map_memory.sh FOLDER: on a Hopper GPU, with nvcc and a C compiler. map_memory.cu's maps, each in a process of its
# own, plain and through tma run-checked, built with checks and without: where the kernel ends with an error,
# the map is named that lacks memory, and nothing is said where it does not. FOLDER/summary.txt has the
# outcome, FOLDER/output.txt what was printed.
set -u
out=$(realpath -m "${1:?a folder for the results}")
cd "$(dirname "$0")/../../.." || exit 2
. lab/hardware/kernels/results.sh
build_here
flags="-std=c++17 -O2 -lineinfo -gencode=arch=compute_90a,code=sm_90a lab/hardware/kernels/map_memory.cu -lcuda"
# shellcheck disable=SC2086 # a list
nvcc $flags -o "$work/plain" || say "FAILED: nvcc, plain"
# shellcheck disable=SC2086
"$tma" run-checked --on-fault=record nvcc $flags -o "$work/record" > "$work/said" 2>&1 || say "FAILED: nvcc, record"
while read -r name words; do
    timeout 20 "$work/plain" "$name" asked > "$work/said" 2>&1
    { echo "--- plain $name"; cat "$work/said"; } >> "$out/output.txt"
    error=$(sed -n 's/^[a-z_]*: error \([0-9]*\).*/\1/p' "$work/said")
    say "$name, plain: error $error"
    case $words/$error in
        none/0 | [!n]*/[1-9]*) judge "$name: ends as its row says" 1 ;;
        *) judge "$name: ends as its row says" "" ;;
    esac
    for how in plain record; do
        timeout 20 "$tma" run-checked --on-fault=record "$work/$how" "$name" > "$work/said" 2>&1
        { echo "--- $how, run-checked $name"; cat "$work/said"; } >> "$out/output.txt"
        judge "$name, $how: error $error as without" "$(grep -q ": error $error " "$work/said" && echo 1)"
        if [ "$words" = none ]; then
            judge "$name, $how: not a word" "$(! grep -q 'libtma: ' "$work/said" && echo 1)"
        else
            judge "$name, $how: $words" "$(grep -q "libtma: .*$words" "$work/said" && echo 1)"
        fi
    done
done << 'CASES'
whole none
pool none
pieces none
ragged none
made_again none
freed was freed after this map was made
pool_freed was freed after this map was made
unmapped was freed after this map was made
long the memory there ends after
short_piece the memory there ends after
host the driver had no memory
CASES
say "$passed passed, $failed failed"
rm -rf "$work"
[ $failed = 0 ]
