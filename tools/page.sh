#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# page.sh JOBS: the page, build/page/index.html, and tma-emulator.js beside it, for a browser.
set -eu

cd "$(dirname "$0")/.."
tools/configure.sh build
cmake --build build -j "$1" --target page
echo "open build/page/index.html in a browser; from a disk, a server or inside a package alike"
