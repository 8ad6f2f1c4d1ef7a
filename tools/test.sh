#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test.sh JOBS: builds and runs all tests, plain in build/ and with clang's sanitizers in
# build-asan/. The second runs even if the first fails; either failing fails the whole.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
jobs=${1:-$(nproc)}
status=0

run_in() { # FOLDER [CMAKE'S ARGUMENTS]
    local folder=$1
    shift
    tools/configure.sh "$folder" -D LIBTMA_BUILD_TESTS=ON -D LIBTMA_BUILD_FUZZERS=ON "$@" &&
        cmake --build "$folder" -j "$jobs" &&
        ctest --test-dir "$folder" -j "$jobs" --no-tests=error --output-on-failure
}

run_in build || status=1
run_in build-asan -D CMAKE_C_COMPILER=clang -D LIBTMA_SANITIZE=address,undefined || status=1
exit $status
