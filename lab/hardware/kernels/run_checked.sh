#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# run_checked.sh FOLDER: on a Hopper GPU, with nvcc, a C compiler, and Python with torch and Triton.
# Kernels that break each rule, as compilers make them and through tma ptxas: the rule is named and the
# error is 710; the same kernels unbroken leave the same bytes, and not a word; a Triton matmul of 4096
# beside the plain build. FOLDER/summary.txt has the outcome, FOLDER/output.txt what was printed.
set -u
out=$(realpath -m "${1:?a folder for the results}")
cd "$(dirname "$0")/../../.." || exit 2
. lab/hardware/kernels/results.sh

build_here

flags="-std=c++17 -O2 -lineinfo -gencode=arch=compute_90a,code=sm_90a -Iinclude"
# shellcheck disable=SC2086 # a list
nvcc $flags lab/hardware/kernels/breaks.cu "$work/libtma.a" -o "$work/plain" || say "FAILED: nvcc, plain"
# shellcheck disable=SC2086
"$tma" run-checked --notes="$out/notes_nvcc.txt" nvcc $flags lab/hardware/kernels/breaks.cu "$work/libtma.a" -o "$work/checked" || say "FAILED: nvcc, checked"

one() { # case: four runs, into files
    for program in plain checked; do
        for way in good bad; do
            timeout 60 "$work/$program" "$1" $way > "$work/$1.$program.$way" 2>&1
        done
    done
}
every_case
while read -r c; do
    rule=${c%-prefetch}; rule=${rule%-add}
    case $rule in coord-align-store) rule=coord-align ;; esac
    { for f in plain.good checked.good plain.bad checked.bad; do echo "--- $c $f"; cat "$work/$c.$f"; done; } >> "$out/output.txt"
    plain=$(grep -o '^error [0-9]* [A-Za-z]*' "$work/$c.plain.bad" | cut -d' ' -f2-)
    same=0
    cmp -s "$work/$c.plain.good" "$work/$c.checked.good" && grep -q '^error 0 ' "$work/$c.checked.good" && same=1
    judge "$c: kept, the same bytes and no word" $same
    named=0
    grep -q "libtma: $rule: " "$work/$c.checked.bad" && [ "$(grep -c 'libtma: ' "$work/$c.checked.bad")" = 1 ] &&
        grep -q '^error 710 ' "$work/$c.checked.bad" && named=1
    judge "$c: broken, named, 710 (plain: $plain)" $named
done < "$work/cases"

# tma/device.cuh: printf and a trap, 719.
# shellcheck disable=SC2086
nvcc $flags lab/hardware/kernels/own.cu "$work/libtma.a" -o "$work/own" || say "FAILED: nvcc, device.cuh"
for way in good bad; do timeout 60 "$work/own" $way > "$work/own.$way" 2>&1; { echo "--- device.cuh $way"; cat "$work/own.$way"; } >> "$out/output.txt"; done
judge "device.cuh: kept, the bytes are there" "$(grep -qx 'error 0 cudaSuccess, the bytes are there' "$work/own.good" && [ "$(wc -l < "$work/own.good")" = 1 ] && echo 1)"
judge "device.cuh: broken, named, 719" "$(grep -q '^libtma: coord-align: ' "$work/own.bad" && grep -q '^error 719 ' "$work/own.bad" && echo 1)"

# Triton: its caches apart, so that nothing is served from another build.
export TRITON_CACHE_DIR=$work/triton
triton_run() { # plain|checked, words
    local how=$1
    shift
    if [ "$how" = plain ]; then timeout 200 python3 lab/hardware/kernels/matmul.py "$@"
    else timeout 200 "$tma" run-checked --cache="$work/checked_cache" --notes="$out/notes_triton.txt" python3 lab/hardware/kernels/matmul.py "$@"; fi
}
for c in coord-align coord-negative device-descriptor; do
    rule=$c
    [ $c = device-descriptor ] && rule=coord-align
    for how in plain checked; do
        for way in good bad; do triton_run $how $c $way > "$work/t.$c.$how.$way" 2>&1; done
    done
    { for f in plain.good checked.good plain.bad checked.bad; do echo "--- Triton $c $f"; cat "$work/t.$c.$f"; done; } >> "$out/output.txt"
    same=0
    [ "$(grep '^result' "$work/t.$c.plain.good")" = "$(grep '^result' "$work/t.$c.checked.good")" ] &&
        grep -q '^result' "$work/t.$c.checked.good" && ! grep -q 'libtma: ' "$work/t.$c.checked.good" && same=1
    judge "Triton $c: kept, the same bytes and no word" $same
    named=0
    grep -q "libtma: $rule: " "$work/t.$c.checked.bad" && [ "$(grep -c 'libtma: ' "$work/t.$c.checked.bad")" = 1 ] && named=1
    judge "Triton $c: broken, named (plain: $(grep '^error' "$work/t.$c.plain.bad" | head -1 | cut -c1-90))" $named
done

# In turns, three times each.
for how in plain checked plain checked plain checked; do
    triton_run $how time > "$work/time" 2>&1
    { echo "--- time $how"; cat "$work/time"; } >> "$out/output.txt"
    grep '^ms' "$work/time" | sed "s/^ms/$how/" >> "$work/times"
done
say "Triton matmul 4096, ms: $(tr '\n' ' ' < "$work/times")"
ratio=$(awk '$1 == "plain" {p[++n] = $2} $1 == "checked" {c[++m] = $2}
    function median(v, k,   i, j, t) {for (i = 1; i <= k; i++) for (j = i + 1; j <= k; j++) if (v[j] < v[i]) {t = v[i]; v[i] = v[j]; v[j] = t}
        return v[int((k + 1) / 2)]} END {if (n && m) printf "%.3f", median(c, m) / median(p, n)}' "$work/times")
judge "matmul 4096 checked / plain: ${ratio:-none}, at most 1.15" "$(awk -v r="${ratio:-9}" 'BEGIN {print r <= 1.15 ? 1 : 0}')"
say "$passed passed, $failed failed"
rm -rf "$work"
[ $failed = 0 ]
