#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tidy.sh FOLDER JOBS: clang-tidy over the libraries, the command and the shim, with the compile
# commands of the build in FOLDER and the checks of .clang-tidy. What was clean before and has not
# changed is not asked again (tidy_files.py). Exit code 77: another version than Debian 12's.
set -euo pipefail

cd "$(dirname "$0")/.."
source tools/clang_tool.sh
clang_tool tidy
exec tools/python.sh -B tools/tidy_files.py "$1" "${2:-$(nproc)}" "$tool"
