#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# fuzz.sh SECONDS JOBS: builds the fuzzers with clang's libFuzzer, address and undefined sanitizers
# in build-fuzz/ and runs each for SECONDS, JOBS at a time. What a fuzzer learns stays in
# build-fuzz/corpus/, what makes it fail in build-fuzz/NAME-crash-... RECORD=1 in the environment: the
# numbers of inputs go to docs/evidence/fuzzing.md. COMPARE=1: libFuzzer is told of each comparison, too, which
# finds its way past a number or a word, and takes three quarters of the time.
set -euo pipefail

cd "$(dirname "$0")/.."
seconds=${1:-60}
jobs=${2:-$(nproc)}
compare=
[ -n "${COMPARE:-}" ] || compare=-fno-sanitize-coverage=trace-cmp
tools/configure.sh build-fuzz -D CMAKE_C_COMPILER=clang -D LIBTMA_BUILD_FUZZERS=ON \
    -D LIBTMA_SANITIZE=address,undefined,fuzzer-no-link \
    -D CMAKE_C_FLAGS="$compare"
cmake --build build-fuzz -j "$jobs"

fuzz_one() { # SECONDS PROGRAM
    local name log known status=0
    name=$(basename "$2")
    log=build-fuzz/$name.log
    mkdir -p "build-fuzz/corpus/$name"
    local corpora=("build-fuzz/corpus/$name")
    for known in lab/fuzz/corpus/*/"$name"; do
        [ -d "$known" ] && corpora+=("$known")
    done
    # A feature that 8 inputs had is no longer rare: libFuzzer looks each up in the list of the rare ones,
    # which with its own 255 took more of the time than the readers of PTX.
    "$2" -max_total_time="$1" -print_final_stats=1 -artifact_prefix="build-fuzz/$name-" \
        -entropic_feature_frequency_threshold=8 "${corpora[@]}" >"$log" 2>&1 || status=$?
    if [ "$status" = 0 ]; then
        echo "$name: clean, $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $1 s"
    else
        tail -n 40 "$log"
        echo "$name: FAILED, see $log. Once corrected, keep the input as lab/fuzz/corpus/found/$name/WHAT_WAS_WRONG"
    fi
    return "$status"
}
export -f fuzz_one

mapfile -t programs < <(find build-fuzz/lab/fuzz -maxdepth 1 -type f -name 'fuzz_*' -perm -u+x | sort)
if [ "${#programs[@]}" = 0 ]; then
    echo "fuzz.sh: no fuzzer was built" >&2
    exit 1
fi
status=0
printf '%s\n' "${programs[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz_one "$@"' _ "$seconds" {} || status=1
[ -z "${RECORD:-}" ] || python3 -B lab/fuzz/fuzz_table.py --add build-fuzz
python3 -B lab/fuzz/fuzz_command.py build-fuzz/tma --seconds "$seconds" --seed "$(date +%s)" || status=1
exit $status
