#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# test_all.sh JOBS: what make test leaves out: the tests with the labels slow, browser and platform
# (of the last two each skips where its browser or emulator is missing) and thread-sanitizer; all tests
# with address and undefined sanitizers (tools/sanitizers.sh); and a configuration. The configuration,
# one platform (tools/drawn.sh) and a third of the cases of the tests with the label drawn
# (tests/support/drawn.py) are drawn by HEAD: make long takes all of them, make platforms all platforms
# and on each what has the label rare. An ended test makes no other wait for it: each stage runs, whatever
# failed before.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
jobs=${1:-$(nproc)}
status=0

TMA_TEST_SEED=${TMA_TEST_SEED:-$(git rev-parse --short=8 HEAD 2>/dev/null || echo 1)}
export TMA_TEST_SEED TMA_TEST_SHARE=${TMA_TEST_SHARE:-3}
drawn=$(tools/platforms.sh list | tools/drawn.sh 1)
others=$(tools/platforms.sh list | grep -vxF "$drawn" | paste -sd '|')
echo "== build =="
if tools/configure.sh build -D LIBTMA_BUILD_TESTS=ON && tools/compile.sh build "$jobs"; then
    echo "platform drawn by HEAD: $drawn; make platforms runs all"
    ctest --test-dir build -j "$jobs" --output-on-failure --no-tests=ignore \
        -L 'slow|browser|platform|thread-sanitizer' -E "^platform_($others)\$" || status=1
else
    status=1
fi
tools/sanitizers.sh "$jobs" || status=1
echo "== configurations =="
tools/configurations.sh --jobs "$jobs" 1 || status=1
exit $status
