#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# tidy.sh FOLDER JOBS: clang-tidy over the libraries, the command and the shim, with the compile
# commands of the build in FOLDER and the checks of .clang-tidy. Exit code 77: another version than
# Debian 12's.
set -euo pipefail

cd "$(dirname "$0")/.."
source tools/clang_tool.sh
clang_tool tidy
# what the build compiles of these rooms, each file once
tools/python.sh - "$1/compile_commands.json" <<'END' |
import json, os, sys
here = os.getcwd()
files = {os.path.relpath(c["file"], here) for c in json.load(open(sys.argv[1]))}
rooms = ("src/", "text/", "draw/", "ptx/", "cli/", "shim/")
print("\0".join(sorted(f for f in files if f.startswith(rooms) and "/tests/" not in f)), end="")
END
    xargs -0 -n 1 -P "${2:-$(nproc)}" "$tool" -p "$1" --quiet
