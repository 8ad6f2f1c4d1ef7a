#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test.sh JOBS [LABEL]: builds and runs everything that proves correctness, plain in build/ and with
# clang's address and undefined sanitizers in build-asan/. The second runs even if the first fails;
# either failing fails the whole. The plain build tries properties on 300,000 random specs (tools/mutate.py
# counts what 200,000 notice), the sanitizers on the first 100,000 of the same ones, without the tests
# labelled longer; make test-all gives them 300,000, make long both a million. Each says how long it was built and tested, and which tests took longest. LABEL: of
# these tests those that have it.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
jobs=${1:-$(nproc)} label=${2:-}
later='lint|slow|browser|platform|rare'
status=0

run_in() { # FOLDER CTEST'S EXCEPTIONS [CMAKE'S ARGUMENTS]
    local folder=$1 but=$2 started=$SECONDS built status=0
    shift 2
    echo "== $folder =="
    tools/configure.sh "$folder" -D LIBTMA_BUILD_TESTS=ON "$@" && tools/compile.sh "$folder" "$jobs" || return 1
    built=$SECONDS
    ctest --test-dir "$folder" -j "$jobs" --no-tests=error --output-on-failure -LE "$but" ${label:+-L "^$label\$"} || status=1
    echo "$folder: built in $((built - started)) s, tested in $((SECONDS - built)) s; most of it: $(longest "$folder")"
    return $status
}

longest() { # FOLDER: the tests of the last run that took longest
    awk '/^[0-9]+\/[0-9]+ Test: / { name = $3 } /^Test time =/ { print $4, name }' "$1/Testing/Temporary/LastTest.log" |
        sort -rn | head -n 8 | awk '{ printf "%s%s %d s", (NR > 1 ? ", " : ""), $2, $1 }'
}

TMA_TEST_SPECS=${TMA_TEST_SPECS:-300000} run_in build "$later" || status=1 # the fuzzers' corpus is for the sanitizers
TMA_TEST_SPECS=${TMA_TEST_SPECS:-100000} run_in build-asan "$later|longer|consumer|bench" \
    -D CMAKE_C_COMPILER=clang -D CMAKE_BUILD_TYPE=Sanitizers \
    -D LIBTMA_SANITIZE=address,undefined -D LIBTMA_BUILD_FUZZERS=ON || status=1
if [ "$status" = 0 ]; then
    echo "make test: passed in $SECONDS s; before a release: make test-all and make lint"
else
    echo "make test: failed; one test again: make check T=NAME, or ctest --test-dir build-asan -R NAME"
fi
exit $status
