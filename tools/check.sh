#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# check.sh JOBS [NAME]: builds plain in build/ and runs the quick tests; with NAME the tests whose
# name holds it and the golden sessions whose name holds it. Installs nothing: what is missing is
# named and left out. Properties are tried on TMA_TEST_SPECS random specs (20000; in make test
# 100,000).
set -euo pipefail

cd "$(dirname "$0")/.."
jobs=$1 name=${2:-}
later='longer|consumer|bench|lint|slow|browser|platform|rare|thread-sanitizer'
export TMA_TEST_SPECS=${TMA_TEST_SPECS:-20000}
started=$SECONDS

tools/deps.sh --ask build test
tools/configure.sh build -D LIBTMA_BUILD_TESTS=ON

run() { # CTEST'S ARGUMENTS
    local status=0
    ctest --test-dir build -j $((jobs + 1)) --no-tests=error --output-on-failure "$@" || status=$?
    if [ "$status" != 0 ]; then
        echo "make check: failed; one test again: make check T=NAME" >&2
    fi
    return "$status"
}

if [ -z "$name" ]; then
    tools/compile.sh build "$jobs" tma # first: it is there for whoever ends the rest
    tools/compile.sh build "$jobs"
    run --progress -LE "$later"
    echo "make check: passed in $((SECONDS - started)) s; before a commit: make test"
    exit
fi

found=
if [ -n "$(ctest --test-dir build -N -R "$name" | grep '^ *Test *#')" ]; then
    found=test
    if [ -n "$(cmake --build build --target help | grep -E "^(\.\.\. )?$name(:|$)")" ]; then
        cmake --build build -j "$jobs" --target "$name" # its own program is all that it needs
    else
        tools/compile.sh build "$jobs"
    fi
    run -R "$name"
fi
if compgen -G "tests/golden/*/*$name*.session" >/dev/null; then
    found=session
    cmake --build build -j "$jobs" --target tma
    TMA=build/tma tools/python.sh -B -m pytest -q -p no:cacheprovider tests/golden/test_golden.py -k "$name"
fi
if [ -z "$found" ]; then
    echo "make check: no test and no golden session has '$name' in its name; ctest --test-dir build -N lists the tests" >&2
    exit 1
fi
