#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# oldest_cmake.sh SOURCE FOLDER: the CMake of cmake_minimum_required(), from PyPI, builds the library and the
# command, installs them, and builds two consumers, which run. 77: no such CMake could be had here.
set -eu

source=$1 folder=$2
oldest=$(sed -n 's/^cmake_minimum_required(VERSION \([0-9.]*\))$/\1/p' "$source/CMakeLists.txt")
rm -rf "$folder"
mkdir -p "$folder"
if ! { python3 -m venv "$folder/venv" && "$folder/venv/bin/pip" install -q "cmake==$oldest.*"; } >"$folder/log" 2>&1; then
    echo "no CMake $oldest here: pip cannot install it"
    exit 77
fi
cmake=$folder/venv/bin/cmake
"$cmake" --version | grep "version $oldest\."
"$cmake" -S "$source" -B "$folder/build" -D LIBTMA_BUILD_TESTS=OFF -D LIBTMA_BUILD_BENCH=OFF -D LIBTMA_BUILD_FUZZERS=OFF \
    -D CMAKE_BUILD_TYPE=Release >"$folder/log"
"$cmake" --build "$folder/build" -j 2 >"$folder/log"
"$cmake" --install "$folder/build" --prefix "$folder/prefix" >"$folder/log"
"$folder/prefix/bin/tma" --version
version=$("$folder/prefix/bin/tma" --version | grep -o '[0-9]*\.[0-9]*\.[0-9]*' | head -n 1)
for consumer in find_package subdirectory; do
    "$cmake" -S "$source/tests/consumers/$consumer" -B "$folder/$consumer" -D CMAKE_PREFIX_PATH="$folder/prefix" \
        -D EXPECTED_VERSION="$version" -D LIBTMA_SOURCE="$source" >"$folder/log" 2>&1
    "$cmake" --build "$folder/$consumer" -j 2 >"$folder/log"
    "$folder/$consumer/consumer" | grep 'linked'
done
