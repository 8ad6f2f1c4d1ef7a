#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# lint.sh JOBS: the tests with the label lint: format, clang-tidy, ruff. They read the code and need no
# build of it.
set -euo pipefail

cd "$(dirname "$0")/.."
tools/configure.sh build -D LIBTMA_BUILD_TESTS=ON
if ctest --test-dir build -j "$1" --no-tests=error --output-on-failure -L lint; then
    echo "make lint: clean"
else
    echo "make lint: failed; make format mends the form" >&2
    exit 1
fi
