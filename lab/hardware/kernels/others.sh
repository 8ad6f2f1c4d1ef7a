#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# others.sh SOURCES FOLDER: on a Hopper GPU, with nvcc, and Python with torch, Triton, CuPy, pytest. Kernels
# that nobody here wrote, plain and through tma run-checked: the same results, no words of the checks,
# copies found and checked, launches that fail, and how much longer it takes. Nothing is fetched. SOURCES
# holds, as far as they are there, what was checked out elsewhere:
#   triton           the release that is installed (python/test, python/tutorials)
#   ThunderKittens   include, prototype, kernels/gemm
#   cutlass          4.x: include, tools/util/include, examples
#   DeepGEMM, flash-attention   with deep_gemm and flash_attn_interface installed
# TMA=FILE: this tma, else one is built. ONLY="triton tk ...": those alone. WORKERS=16: of pytest.
# SECONDS_EACH=600: no run
# takes longer. ROUNDS=3: of programs. DONE=FILE: names of Triton's tests to leave out. FOLDER/summary.txt has the outcome.
set -u
sources=$(realpath -m "${1:?a folder with the sources}")
out=$(realpath -m "${2:?a folder for the results}")
cd "$(dirname "$0")/../../.." || exit 2
. lab/hardware/kernels/results.sh
limit=${SECONDS_EACH:-600}
only=${ONLY:-tk cutlass deepgemm flash cupy triton}
if [ -z "${TMA:-}" ]; then
    cmake -S . -B "$work/build" -G Ninja -D CMAKE_BUILD_TYPE=Release -D LIBTMA_BUILD_TESTS=OFF > "$work/cmake" 2>&1 &&
        ninja -C "$work/build" tma tma_cuda >> "$work/cmake" 2>&1 || { tail -30 "$work/cmake"; say "FAILED: the build"; exit 1; }
fi
tma=$(realpath "${TMA:-$work/build/tma}")
say "$("$tma" --version); $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null); $(nvcc --version | tail -1)"
wanted() { [[ " $only " == *" $1 "* ]]; }
checked_run() { # words of run-checked, then a program: in a cache of its own
    timeout -k 5 "$limit" env --default-signal=INT "$tma" run-checked "$@"
}

# --- programs that nvcc builds ---

declare -A flags
hopper="-gencode arch=compute_90a,code=[compute_90a,sm_90a] -lineinfo -DNDEBUG --expt-relaxed-constexpr -lcuda"
flags[tk]="-std=c++20 -O3 --use_fast_math --expt-extended-lambda -DKITTENS_HOPPER -I$sources/ThunderKittens/include -I$sources/ThunderKittens/prototype $hopper"
flags[cutlass]="-std=c++17 -O3 -I$sources/cutlass/include -I$sources/cutlass/tools/util/include -I$sources/cutlass/examples/common $hopper"
programs=()
add() { # group, file, its arguments
    [ -f "$2" ] && wanted "$1" && programs+=("$1|$(basename "$2" .cu)|$2|${3:-}")
}
gemm=$sources/ThunderKittens/kernels/gemm
for level in 04 05 06 07 08; do add tk "$gemm/educational_h100/level_$level.cu"; done
add tk "$gemm/bf16_h100/bf16_h100_gemm.cu"
add tk "$gemm/fp8_h100/fp8_h100_gemm.cu"
add cutlass "$sources/cutlass/examples/48_hopper_warp_specialized_gemm/48_hopper_warp_specialized_gemm.cu" "--m=4096 --n=4096 --k=4096 --iterations=20"
build() { # group|name|file|arguments, how
    local group name file
    IFS='|' read -r group name file _ <<< "$1"
    local at=$work/$name.$2
    # shellcheck disable=SC2086 # lists
    case $2 in
        plain) nvcc ${flags[$group]} "$file" -o "$at" > "$at.nvcc" 2>&1 ;;
        *) "$tma" run-checked --notes="$at.notes" --on-fault="$2" nvcc ${flags[$group]} "$file" -o "$at" > "$at.nvcc" 2>&1 ;;
    esac
}
for program in "${programs[@]}"; do
    for how in plain assert record; do
        build "$program" $how &
        [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
    done
done
wait
one() { # name, how, arguments: what it says, without its times
    # shellcheck disable=SC2086 # a list
    case $2 in
        record) checked_run --on-fault=record "$work/$1.$2" $3 ;;
        *) timeout -k 5 "$limit" "$work/$1.$2" $3 ;;
    esac > "$work/said" 2>&1
    { echo "--- $1 $2"; tail -c 4000 "$work/said"; } >> "$out/output.txt"
    grep -E 'Error count|Max error|err (mean|max)|Disposition|rror:' "$work/said" > "$work/$1.$2.result"
    sed -n -E 's/.*(kernel execution time|Avg runtime *): *([0-9.]+).*/\2/Ip' "$work/said" | head -1 >> "$work/$1.$2.times"
    grep -c 'libtma: ' "$work/said" >> "$work/$1.words"
}
smallest() { sort -n "$1" 2>/dev/null | head -1; }
for program in "${programs[@]}"; do
    IFS='|' read -r _ name _ arguments <<< "$program"
    for _ in $(seq "${ROUNDS:-3}"); do
        for how in plain assert record; do one "$name" $how "$arguments"; done
    done
    plain=$(smallest "$work/$name.plain.times")
    for how in assert record; do
        same=0
        [ -s "$work/$name.plain.result" ] && cmp -s "$work/$name.plain.result" "$work/$name.$how.result" && same=1
        checked=$(smallest "$work/$name.$how.times")
        judge "$name, $how: $(grep -h '^total' "$work/$name.$how.notes"): as plain; ${plain:-none}, ${checked:-none}, $(awk -v p="${plain:-0}" -v c="${checked:-0}" 'BEGIN {if (p > 0 && c > 0) printf "%.3f times as long", c / p}')" $same
        grep -h 'no block size' "$work/$name.$how.notes" | cut -c1-220 | tee -a "$summary"
        judge "$name, $how: no copy is left" "$(grep -q '^total' "$work/$name.$how.notes" && ! grep -q 'left: ' "$work/$name.$how.notes" && echo 1)"
    done
    judge "$name: no words" "$(grep -qv '^0$' "$work/$name.words" || echo 1)"
done

# --- Python ---

summed() { # a file: run-checked's last lines
    grep 'tma run-checked: ' "$1" | tail -3 | cut -c1-400 | tee -a "$summary"
}
if wanted cupy; then
    for live in 20 30 40; do
        plain=$(timeout 100 python3 lab/hardware/kernels/registers.py $live 2>&1 | tail -2)
        checked_run --notes="$work/notes" python3 lab/hardware/kernels/registers.py $live "$(sed -n 's/^threads \([0-9]*\).*/\1/p' <<< "$plain")" > "$work/said" 2>&1
        { echo "--- registers $live"; echo "$plain"; cat "$work/said" "$work/notes" 2> /dev/null; } >> "$out/output.txt"
        judge "CuPy, $live values: ${plain//$'\n'/, } plain; $(grep -h '^threads\|^result\|^error' "$work/said" | tr '\n' ' ')checked" \
            "$(grep -q '^result' <<< "$plain" && [ "$(grep '^result' "$work/said")" = "$(grep '^result' <<< "$plain")" ] && grep -q ' checked, 0 left' "$work/said" && echo 1)"
    done
fi
python_tests() { # name, words: of a program that ends with 0
    local name=$1
    shift
    timeout -k 5 "$limit" "$@" > "$work/plain" 2>&1; local plain=$?
    checked_run --notes="$out/notes_$name.txt" "$@" > "$work/checked" 2>&1; local checked=$?
    { echo "--- $name plain"; tail -c 4000 "$work/plain"; echo "--- $name checked"; tail -c 4000 "$work/checked"; } >> "$out/output.txt"
    judge "$name: ends with $checked, plain with $plain; no word" "$([ $plain = "$checked" ] && ! grep -q 'libtma: ' "$work/checked" && echo 1)"
    summed "$work/checked"
}
if wanted deepgemm && [ -d "$sources/DeepGEMM/tests" ]; then
    if python3 -c 'import deep_gemm' 2> /dev/null; then python_tests DeepGEMM python3 "$sources/DeepGEMM/tests/test_bf16.py"
    else say "DeepGEMM: left out, Python has no deep_gemm"; fi
fi
if wanted flash && [ -d "$sources/flash-attention/hopper" ]; then
    if python3 -c 'import flash_attn_interface' 2> /dev/null; then
        python_tests FlashAttention python3 -m pytest -q -x "$sources/flash-attention/hopper/test_flash_attn.py" -k "test_flash_attn_output and 128"
    else say "FlashAttention 3: left out, Python has no flash_attn_interface (built through tma run-checked)"; fi
fi

# --- Triton's tests ---

tests=()
for file in language/test_tensor_descriptor cuda/test_tensor_descriptor cuda/test_tma_descriptor cuda/test_tma_store_gemm; do
    [ -f "$sources/triton/python/test/unit/$file.py" ] && tests+=("$sources/triton/python/test/unit/$file.py")
done
if wanted triton && [ ${#tests[@]} -gt 0 ]; then
    words=(python3 -m pytest -v -p no:cacheprovider -c /dev/null "--rootdir=$sources/triton/python/test" --tb=short -n "${WORKERS:-$(nproc)}")
    [ -z "${DONE:-}" ] || words+=(-p others_done)
    export PYTHONPATH=$PWD/lab/hardware/kernels${PYTHONPATH:+:$PYTHONPATH}
    [ -n "${NO_PLAIN:-}" ] || TRITON_CACHE_DIR=$work/triton timeout -s INT -k 5 "$limit" env --default-signal=INT "${words[@]}" "${tests[@]}" > "$out/triton.plain" 2>&1
    timeout -s INT -k 5 "$limit" env --default-signal=INT "$tma" run-checked --notes="$out/notes_triton.txt" "${words[@]}" "${tests[@]}" > "$out/triton.checked" 2>&1
    summed "$out/triton.checked"
    python3 lab/hardware/kernels/others_done.py "$out/triton.plain" "$out/triton.checked" "$out/triton.done" > "$work/compared"
    tee -a "$summary" < "$work/compared"
    judge "Triton: the same tests pass, without a word" "$(grep -q '^0 differ, 0 words.* both passed [1-9]' "$work/compared" && echo 1)"
    judge "Triton: no copy is left" "$(grep -q ', [1-9][0-9]* checked, 0 left' "$out/triton.checked" && echo 1)"
fi
say "$passed passed, $failed failed"
rm -rf "$work"
[ $failed = 0 ]
