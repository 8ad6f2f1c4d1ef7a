#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test.sh JOBS [LABEL]: builds plain in build/ and runs everything that proves correctness, in three
# minutes; with sanitizers tools/sanitizers.sh runs it, for make test-all. Properties are tried on
# 100,000 random specs. Says how long it was built and tested, and which tests
# took longest. LABEL: of these tests those that have it.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
jobs=${1:-$(nproc)} label=${2:-}
status=0

export TMA_TEST_SPECS=${TMA_TEST_SPECS:-100000}
tools/configure.sh build -D LIBTMA_BUILD_TESTS=ON && tools/compile.sh build "$jobs" || exit 1
built=$SECONDS
ctest --test-dir build -j "$jobs" --no-tests=error --output-on-failure ${label:+-L "^$label\$"} \
    -LE 'lint|slow|browser|platform|rare|thread-sanitizer' || status=1
echo "build: built in $built s, tested in $((SECONDS - built)) s; most of it: $(tools/longest_tests.sh build)"
if [ "$status" = 0 ]; then
    echo "make test: passed in $SECONDS s; before a release: make test-all and make lint"
else
    echo "make test: failed; one test again: make check T=NAME, or ctest --test-dir build -R NAME"
fi
exit $status
