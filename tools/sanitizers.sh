#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# sanitizers.sh JOBS [LABEL]: builds with clang's address and undefined sanitizers in build-asan/ and runs
# there the tests, the fuzzers' corpora among them, that need neither a browser, an emulator nor an
# installed libtma, or of these those with LABEL; properties on TMA_TEST_SPECS random specs (100,000).
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
jobs=${1:-$(nproc)} label=${2:-} status=0

echo "== build-asan =="
export TMA_TEST_SPECS=${TMA_TEST_SPECS:-100000}
tools/configure.sh build-asan -D LIBTMA_BUILD_TESTS=ON -D CMAKE_C_COMPILER=clang -D CMAKE_BUILD_TYPE=Sanitizers \
    -D LIBTMA_SANITIZE=address,undefined -D LIBTMA_BUILD_FUZZERS=ON &&
    tools/compile.sh build-asan "$jobs" || exit 1
built=$SECONDS
ctest --test-dir build-asan -j "$jobs" --no-tests=error --output-on-failure ${label:+-L "^$label\$"} \
    -LE 'lint|browser|platform|rare|consumer|bench' || status=1
echo "build-asan: built in $built s, tested in $((SECONDS - built)) s; most of it: $(tools/longest_tests.sh build-asan)"
exit $status
