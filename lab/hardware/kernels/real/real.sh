#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# real.sh FOLDER [CUTLASS]: on a Hopper GPU, with nvcc, CMake, ninja, and Python with torch, Triton, CuPy
# and cuda-bindings; CUTLASS: a folder with the headers of CUTLASS 4.2 (include, tools/util/include).
# Kernels as users write them, plain and through tma run-checked, in turns: the same bytes, not a word,
# and how much longer it takes; and one broken kernel for each compiler that only the driver's hook
# reaches. PROGRAMS="gluon ...": those alone. FOLDER/summary.txt has the outcome, FOLDER/output.txt what
# was printed.
set -u
out=$(realpath -m "${1:?a folder for the results}")
cutlass=${2:-}
cd "$(dirname "$0")/../../../.." || exit 2
. lab/hardware/kernels/results.sh
flags="-DNDEBUG -std=c++17 -gencode=arch=compute_90a,code=sm_90a -lineinfo --expt-relaxed-constexpr -I$cutlass/include -I$cutlass/tools/util/include"
compile() { # how, program, what goes before nvcc
    local how=$1 program=$2
    shift 2
    # shellcheck disable=SC2086 # a list
    "$@" nvcc $flags "lab/hardware/kernels/real/$program.cu" -o "$work/$program.$how" -lcuda > "$work/nvcc.$program.$how" 2>&1
}
for program in ${cutlass:+cutlass_gemm cutlass_conv}; do
    compile plain "$program" &
done

if ! cmake -S . -B "$work/build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D LIBTMA_BUILD_TESTS=OFF > "$work/cmake" 2>&1 ||
    ! ninja -C "$work/build" tma tma_cuda >> "$work/cmake" 2>&1; then
    tail -30 "$work/cmake"
    say "FAILED: the build of libtma"
    exit 1
fi
tma=$work/build/tma
say "$("$tma" --version); $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null); $(nvcc --version | tail -1)"
say "$(python3 -c 'import torch, triton, cupy; print("torch", torch.__version__, "Triton", triton.__version__, "CuPy", cupy.__version__)' 2>&1 | tail -1)"

for program in ${cutlass:+cutlass_gemm cutlass_conv}; do
    compile checked "$program" "$tma" run-checked --notes="$out/notes_${program#cutlass_}.txt" &
    compile record "$program" "$tma" run-checked --on-fault=record &
done

# The real launches: plain or checked, program, words.
launch() {
    local how=$1 program=$2
    shift 2
    case $program in
        cutlass_*.record) timeout 120 "$tma" run-checked --on-fault=record "$work/$program" ;;
        cutlass_*) timeout 120 "$work/$program.$how" ;;
        *) if [ "$how" = plain ]; then TRITON_CACHE_DIR=$work/triton CUPY_CACHE_DIR=$work/cupy timeout 200 python3 lab/hardware/kernels/real/real.py "$program" "$@"
           else timeout 200 "$tma" run-checked --cache="$work/checked_cache" --notes="$work/notes" python3 lab/hardware/kernels/real/real.py "$program" "$@"; fi ;;
    esac
}

programs="gluon persistent persistent-device cupy nvrtc"
[ -z "$cutlass" ] || programs="$programs cutlass_gemm cutlass_conv"
programs=${PROGRAMS:-$programs}
waited=0
for program in $programs; do
    if [ "${program%_*}" = cutlass ] && [ $waited = 0 ]; then
        wait # for nvcc
        waited=1
        grep -h -i -E 'error|found' "$work"/nvcc.* | head -20 | tee -a "$summary"
    fi
    for turn in 1 2; do
        for how in plain checked; do
            launch "$how" "$program" > "$work/said" 2>&1
            { echo "--- $program $how $turn"; cat "$work/said"; } >> "$out/output.txt"
            cp "$work/said" "$work/$program.$how.$turn"
            [ "$how" = plain ] || [ ! -f "$work/notes" ] || { echo "--- $program"; cat "$work/notes"; } >> "$out/notes_python.txt"
            rm -f "$work/notes"
        done
    done
    plain=$(grep -h '^result' "$work/$program".plain.? | sort -u)
    checked=$(grep -h '^result' "$work/$program".checked.? | sort -u)
    same=0
    [ -n "$plain" ] && [ "$plain" = "$checked" ] && ! grep -q -E '^libtma: |`libtma: ' "$work/$program".checked.? && same=1
    judge "$program: ${checked:-no result}, as plain, and no word" $same
    case $program in
        cutlass_*) found=$(grep -c ' checked, 0 left' "$out/notes_${program#cutlass_}.txt") ;;
        *) found=$(grep -h -c -E ': [1-9][0-9]* bulk cop[a-z]* found, [1-9][0-9]* checked, 0 left' "$work/$program.checked.1") ;;
    esac
    judge "$program: its copies were found and checked" "$([ "${found:-0}" -gt 0 ] && echo 1)"
    plain=$(cat "$work/$program".plain.? | sed -n 's/^ms //p' | sort -n | tr '\n' ' ')
    checked=$(cat "$work/$program".checked.? | sed -n 's/^ms //p' | sort -n | tr '\n' ' ')
    say "$program, ms: plain ${plain:-none} checked ${checked:-none} $(awk -v p="${plain%% *}" -v c="${checked%% *}" 'BEGIN {if (p > 0 && c > 0) printf "%.3f times as long", c / p}') (the smaller of two turns)"
    [[ $program == cutlass_* ]] || continue
    launch record "$program.record" > "$work/said" 2>&1
    { echo "--- $program record"; cat "$work/said"; } >> "$out/output.txt"
    recorded=$(sed -n 's/^ms //p' "$work/said")
    judge "$program, --on-fault=record: the same result, and no word" "$([ "$(grep '^result' "$work/said")" = "$(grep -h '^result' "$work/$program.plain.1")" ] && ! grep -q '^libtma: ' "$work/said" && echo 1)"
    say "$program, record, ms: ${recorded:-none} $(awk -v p="${plain%% *}" -v c="${recorded:-0}" 'BEGIN {if (p > 0 && c > 0) printf "%.3f times as long", c / p}')"
done

# What only the driver's hook reaches, broken: named.
for program in cupy nvrtc; do
    [[ " $programs " == *" $program "* ]] || continue
    launch plain $program bad > "$work/plain" 2>&1
    launch checked $program bad > "$work/checked" 2>&1
    { echo "--- $program plain bad"; cat "$work/plain"; echo "--- $program checked bad"; cat "$work/checked"; } >> "$out/output.txt"
    judge "$program broken: named ($(grep -h '^error' "$work/plain" | head -1 | cut -c1-80)): $(grep -h -o 'libtma: .*' "$work/checked" | head -1)" "$(grep -q 'libtma: coord-align: ' "$work/checked" && echo 1)"
done
say "$passed passed, $failed failed"
rm -rf "$work"
[ $failed = 0 ]
