#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test_all.sh JOBS: what make test leaves out: the tests with the labels slow, browser and platform
# (of the last two each skips where its browser or emulator is missing), and with sanitizers the
# longer ones, and the properties on all of their random specs; and two configurations, drawn by HEAD
# (tools/configurations.sh; make long builds all). An ended test makes no other wait for it: each stage
# runs, whatever failed before.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
jobs=${1:-$(nproc)}
status=0

build_in() { # FOLDER [CMAKE'S ARGUMENTS]
    local folder=$1
    shift
    echo "== $folder =="
    tools/configure.sh "$folder" -D LIBTMA_BUILD_TESTS=ON "$@" &&
        tools/compile.sh "$folder" "$jobs"
}

run_in() { # FOLDER CTEST'S ARGUMENTS
    local folder=$1
    shift
    ctest --test-dir "$folder" -j "$jobs" --output-on-failure "$@"
}

if build_in build; then
    run_in build --no-tests=ignore -L 'slow|browser|platform' || status=1
else
    status=1
fi
if build_in build-asan -D CMAKE_C_COMPILER=clang -D CMAKE_BUILD_TYPE=Sanitizers \
    -D LIBTMA_SANITIZE=address,undefined -D LIBTMA_BUILD_FUZZERS=ON; then
    TMA_TEST_SPECS=1000000 run_in build-asan --no-tests=error -L 'slow|property|longer' || status=1
else
    status=1
fi
echo "== configurations =="
tools/configurations.sh --jobs "$jobs" 2 || status=1
exit $status
