#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# python_package.sh BUILD COMMAND [ARGUMENT...]: runs COMMAND with the Python package built from this
# tree and installed in an environment of its own, BUILD/python-environment, which is made first:
# needs Python 3.10 or later with its headers, a C++ compiler and, the first time, PyPI. Where one is
# missing it says so and ends with 77, which CTest counts as skipped. PYTHON names another Python,
# PYTHON_OPTIMIZED=1 compiles all of it as pip does. Else the libraries, the command and the page are
# those that BUILD has, where it has them (cmake/made.cmake), and the module is compiled for tests.
set -euo pipefail

cd "$(dirname "$0")/.."
mkdir -p "$1"
build=$(cd "$1" && pwd)
shift
environment=$build/python-environment
log=$build/python-package.log
needed=python/tests/requirements.txt

left_out() {
    echo "python_package.sh: the Python package is left out here: $1" >&2
    exit 77
}

usable() { # new enough, with headers and venv
    "$1" - 2>/dev/null <<'END'
import ensurepip, os, sys, sysconfig, venv
sys.exit(sys.version_info < (3, 10)
         or not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))
END
}

find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3 /usr/bin/python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
        if command -v "$candidate" >/dev/null && usable "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
}

exec 9>"$build/python-package.lock"
flock 9
if ! cmp -s "$needed" "$environment/requirements.txt"; then
    python=$(find_python)
    [ -n "$python" ] || left_out "no Python 3.10 or later with headers (apt-get install python3-dev python3-venv)"
    command -v c++ >/dev/null || left_out "no C++ compiler"
    rm -rf "$environment"
    "$python" -m venv "$environment" >"$log" 2>&1 || left_out "venv failed: $log"
    "$environment/bin/pip" install -q --disable-pip-version-check -r "$needed" >"$log" 2>&1 ||
        left_out "pip could not fetch $needed: $log"
    cp "$needed" "$environment/requirements.txt"
fi
how=${PYTHON_OPTIMIZED:+-O3}
how=${how:--O1}
made=
inputs=(python include cmake CMakeLists.txt pyproject.toml)
if [ "$how" = -O1 ] && [ -f "$build/made.cmake" ] && [ -f "$build/tma" ]; then
    made=$build
    inputs+=("$build/made.cmake" "$build/tma" "$build"/libtma*.a "$build"/libtma-cuda.so* "$build/ptx" "$build/program/dump" "$build/page")
fi
if [ "$how $made" != "$(cat "$environment/installed" 2>/dev/null)" ] || [ -z "$made" ] ||
    [ -n "$(find "${inputs[@]}" -newer "$environment/installed" -print -quit 2>/dev/null)" ]; then
    echo "$how $made" >"$environment/begun" # what changes from here on is for the next call
    if ! "$environment/bin/pip" install -q --disable-pip-version-check --no-build-isolation --no-deps \
        --no-index --config-settings "build-dir=$build/python-package" \
        --config-settings "cmake.define.CMAKE_CXX_FLAGS_RELEASE=$how -DNDEBUG" \
        --config-settings "cmake.define.LIBTMA_MADE=$made" . >"$log" 2>&1; then
        tail -40 "$log" >&2
        echo "python_package.sh: pip install . failed" >&2
        exit 1
    fi
    mv "$environment/begun" "$environment/installed"
fi
flock -u 9
PATH=$environment/bin:$PATH exec "$@"
