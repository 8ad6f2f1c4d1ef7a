#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test_all.sh JOBS: what make test leaves out: the tests with the labels slow, browser and platform
# (of the last two each skips where its browser or emulator is missing), and with sanitizers the
# longer ones, and the properties on 300,000 random specs; and two configurations. Configurations
# and two platforms are drawn by HEAD (tools/drawn.sh): make long builds all of the first, make
# platforms all of the second. An ended test makes no other wait for it: each stage runs, whatever
# failed before.
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

drawn=$(tools/platforms.sh list | tools/drawn.sh 2)
others=$(tools/platforms.sh list | grep -vxF "$drawn" | paste -sd '|')
if build_in build; then
    echo "platforms drawn by HEAD: $(paste -sd ' ' <<<"$drawn"); make platforms runs all"
    run_in build --no-tests=ignore -L 'slow|browser|platform' -E "^platform_($others)\$" || status=1
else
    status=1
fi
if build_in build-asan -D CMAKE_C_COMPILER=clang -D CMAKE_BUILD_TYPE=Sanitizers \
    -D LIBTMA_SANITIZE=address,undefined -D LIBTMA_BUILD_FUZZERS=ON; then
    TMA_TEST_SPECS=300000 run_in build-asan --no-tests=error -L 'slow|property|longer' || status=1
else
    status=1
fi
echo "== configurations =="
tools/configurations.sh --jobs "$jobs" 2 || status=1
exit $status
