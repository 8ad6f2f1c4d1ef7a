#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# on_fault.sh FOLDER: on a Hopper GPU, as run_checked.sh, what a broken rule ends in by --on-fault. record: the
# words of the assertion from tma run-checked, error 700. skip: the copy is left out, the kernel comes to its
# end and finds its barrier complete. A Triton matmul of 4096 with each, beside the plain build.
# FOLDER/summary.txt has the outcome, FOLDER/output.txt what was printed, FOLDER/times.txt the milliseconds.
set -u
out=$(realpath -m "${1:?a folder for the results}")
cd "$(dirname "$0")/../../.." || exit 2
. lab/hardware/kernels/results.sh
build_here

flags="-std=c++17 -O2 -lineinfo -gencode=arch=compute_90a,code=sm_90a -Iinclude"
for fault in plain assert record skip rdc; do
    (
        made=("$tma" run-checked "--on-fault=$fault" "--notes=$work/notes.$fault")
        [ $fault = plain ] && made=()
        more=
        [ $fault = rdc ] && made[2]=--on-fault=record && more=-rdc=true
        # shellcheck disable=SC2086 # lists
        "${made[@]}" nvcc $flags $more lab/hardware/kernels/breaks.cu "$work/libtma.a" -o "$work/$fault" > "$work/built.$fault" 2>&1 ||
            echo "FAILED: nvcc, $fault" >> "$work/wrong"
    ) &
done
wait
[ -f "$work/wrong" ] && cat "$work/wrong" "$work"/built.* | tee -a "$summary"
cat "$work"/built.* >> "$out/output.txt"

one() { # case: its runs, into files
    timeout 60 "$work/plain" "$1" good > "$work/$1.plain.good" 2>&1
    timeout 60 "$work/assert" "$1" bad > "$work/$1.assert.bad" 2>&1
    for fault in record skip; do
        for way in good bad; do
            timeout 60 "$tma" run-checked "--on-fault=$fault" "$work/$fault" "$1" $way > "$work/$1.$fault.$way" 2>&1
        done
    done
}
every_case

own() { grep -v '^tma run-checked: ' "$1"; }
words() { # of a message, without addresses
    grep -o 'libtma: .*' "$1" | sed -E 's/0x7[0-9a-f]{9,}/MAP/; s/tma decode [0-9a-f]{16}/tma decode BASE/'
    grep -E '^  (cp|tma decode)' "$1" | sed -E 's/0x7[0-9a-f]{9,}/MAP/; s/tma decode [0-9a-f]{16}/tma decode BASE/'
}
while read -r c; do
    rule=${c%-prefetch}; rule=${rule%-add}
    case $rule in coord-align-store) rule=coord-align ;; esac
    { for f in plain.good assert.bad record.good record.bad skip.good skip.bad; do echo "--- $c $f"; cat "$work/$c.$f"; done; } >> "$out/output.txt"
    for fault in record skip; do
        same=0
        [ "$(own "$work/$c.$fault.good")" = "$(cat "$work/$c.plain.good")" ] && grep -q '^error 0 ' "$work/$c.plain.good" && same=1
        judge "$c, $fault: kept, the same bytes and no word" $same
        named=0
        grep -q "libtma: $rule: " "$work/$c.$fault.bad" && [ "$(grep -c 'libtma: ' "$work/$c.$fault.bad")" = 1 ] &&
            [ "$(words "$work/$c.$fault.bad")" = "$(words "$work/$c.assert.bad")" ] && named=1
        judge "$c, $fault: broken, the assertion's words" $named
    done
    judge "$c, record: 700" "$(grep -q '^error 700 ' "$work/$c.record.bad" && echo 1)"
    # A load with a map of no type or rank stops; maps that no copy could use expect what nobody counts.
    ends=$(grep -E '^error|barrier' "$work/$c.skip.bad" | tr '\n' ' ')
    right=0
    case $c in
    map-code) grep -q '^error 719 ' "$work/$c.skip.bad" && right=1 ;;
    shared-align | coord-align | coord-below-box | coord-above-box | multicast-cluster | memory-shared | load-fill-integer | load-tf32-flag)
        grep -q '^error 0 ' "$work/$c.skip.bad" && grep -q 'barrier 1$' "$work/$c.skip.bad" &&
            grep -q '1 copy was not made' "$work/$c.skip.bad" && right=1 ;;
    *) grep -q '^error 0 ' "$work/$c.skip.bad" && grep -q '1 copy was not made' "$work/$c.skip.bad" && right=1 ;;
    esac
    judge "$c, skip: comes to its end ($ends)" $right
done < "$work/cases"

# Relocatable code, where nvlink gives the window no alignment: the good and the bad copy are off. And a program that runs by itself, where nobody reads: an error without a word.
timeout 60 "$tma" run-checked --on-fault=record "$work/rdc" coord-align bad > "$work/rdc.bad" 2>&1
{ echo "--- rdc"; cat "$work/rdc.bad"; } >> "$out/output.txt"
judge "-rdc=true, record: named" "$(grep -Eq 'libtma: (coord|shared)-align: ' "$work/rdc.bad" && grep -q '^error 700 ' "$work/rdc.bad" && echo 1)"
timeout 60 "$work/record" coord-align bad > "$work/alone" 2>&1
{ echo "--- alone"; cat "$work/alone"; } >> "$out/output.txt"
judge "record, alone: 700 and no word" "$(grep -q '^error 700 ' "$work/alone" && [ "$(wc -l < "$work/alone")" = 1 ] && echo 1)"
LD_PRELOAD=$work/libtma-cuda.so LIBTMA_RECORD=1 timeout 60 "$work/record" coord-align bad > "$work/preloaded" 2>&1
{ echo "--- preloaded"; cat "$work/preloaded"; } >> "$out/output.txt"
judge "record, with the shim alone: named" "$(grep -q 'libtma:   coord-align: ' "$work/preloaded" && echo 1)"

# Triton: its caches apart, so that nothing is served from another build.
export TRITON_CACHE_DIR=$work/triton
triton_run() { # plain or --on-fault's word; words
    local how=$1
    shift
    if [ "$how" = plain ]; then timeout 200 python3 lab/hardware/kernels/matmul.py "$@"
    else timeout 200 "$tma" run-checked --cache="$work/cache.$how" "--on-fault=$how" python3 lab/hardware/kernels/matmul.py "$@"; fi
}
for c in coord-align device-descriptor; do
    triton_run plain $c good > "$work/t.plain" 2>&1 &
    for fault in auto record skip; do
        for way in good bad; do triton_run $fault $c $way > "$work/t.$fault.$way" 2>&1; done &
    done
    wait
    for fault in auto record skip; do
        for way in good bad; do
            { echo "--- Triton $c $fault $way"; cat "$work/t.$fault.$way"; } >> "$out/output.txt"
        done
        judge "Triton $c, $fault: kept, the same bytes and no word" "$([ "$(own "$work/t.$fault.good")" = "$(cat "$work/t.plain")" ] && grep -q '^result' "$work/t.plain" && echo 1)"
        judge "Triton $c, $fault: broken, named ($(grep -h '^error' "$work/t.$fault.bad" | head -1 | cut -c1-70))" "$([ "$(grep -c 'libtma: coord-align: ' "$work/t.$fault.bad")" = 1 ] && echo 1)"
    done
done

# In turns.
for turn in 1 2 3; do
    for how in plain assert record trap skip; do
        triton_run $how time > "$work/time" 2>&1
        { echo "--- time $turn $how"; cat "$work/time"; } >> "$out/output.txt"
        grep '^ms' "$work/time" | sed "s/^ms/$how/" >> "$out/times.txt"
    done
done
say "Triton matmul 4096, medians in ms, and beside plain:"
awk 'function median(h,   i, j, t, n, v) {n = count[h]; for (i = 1; i <= n; i++) v[i] = ms[h, i]
        for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (v[j] < v[i]) {t = v[i]; v[i] = v[j]; v[j] = t}
        return v[int((n + 1) / 2)]}
    {ms[$1, ++count[$1]] = $2} END {for (h in count) printf "%s %.4f %.3f\n", h, median(h), median(h) / median("plain")}' "$out/times.txt" | sort -k2 | tee -a "$summary"
ratio=$(awk '$1 == "record" && NF == 3 {print $3}' "$summary")
judge "matmul 4096 record / plain: ${ratio:-none}, at most 1.15" "$(awk -v r="${ratio:-9}" 'BEGIN {print r <= 1.15 ? 1 : 0}')"
say "$passed passed, $failed failed"
rm -rf "$work"
[ $failed = 0 ]
