#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# install.sh BUILD PREFIX: installs anew into PREFIX, for the consumers to find, and looks whether
# each header came along that a program needs, and no other, whether all lies in PREFIX, and whether
# packaging/README.md has it, and all that it has is there.
set -euo pipefail

build=$1
prefix=$2
source=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix"
diff -r -x assert.h -x chars.h -x divisor.h "$source/include/tma" "$prefix/include/tma"
[ "$(ls "$prefix/include/tma/detail")" = "$(printf '%s\n' conditions.h judge_bulk.h judge_map.h)" ]
if [ -e "$build/tma" ]; then
    "$prefix/bin/tma" --version
fi

shim=$(find "$prefix" -name libtma-cuda.so)
if [ -n "$shim" ]; then # the driver's name for it, in the same prefix
    [ "$(dirname "$shim")/libtma/stand-in/libcuda.so.1" -ef "$shim" ]
fi
if grep -v "^$prefix/" "$build/install_manifest.txt"; then
    echo "installed outside $prefix"
    exit 1
fi
for file in "$prefix"/lib*/pkgconfig/*.pc "$prefix"/lib/*/pkgconfig/*.pc; do
    [ ! -e "$file" ] || grep -qE '^prefix=\$\{pcfiledir\}(/\.\.)+$' "$file"
done

# The table's paths: a file begins with one of them, whatever folder of libraries the system has.
# shellcheck disable=SC2016 # backticks of Markdown
named=$(sed -n '/^| installed |/,/^$/p' "$source/packaging/README.md" | cut -d'|' -f2 | grep -o '`[^`]*`' | tr -d '`')
installed=$(cd "$prefix" && find . -type f -o -type l | sed -E 's|^\./||; s|^lib(64)?/([a-z0-9_]+-linux-gnu[a-z0-9]*/)?|lib/|')
unnamed=$(grep -vFf <(echo "$named") <<<"$installed" || true)
if [ -n "$unnamed" ]; then
    echo "packaging/README.md does not name $unnamed"
    exit 1
fi
if [ -n "$shim" ] && [ -e "$prefix/bin/tma" ] && ! grep -q '^BUILD_SHARED_LIBS:' "$build/CMakeCache.txt"; then
    for path in $named; do
        grep -qF "$path" <<<"$installed" || { echo "packaging/README.md names $path, which is not installed" && exit 1; }
    done
fi

# What is right only where it is installed lies apart in the build's folder, which a user may name to CMake or
# pkg-config; and no library is looked for in the folder where a program happens to run.
if compgen -G "$build/*.pc" || [ -e "$build/libtmaConfig.cmake" ]; then
    echo "the build's folder has what is right only where it is installed"
    exit 1
fi
if command -v readelf >/dev/null; then
    for file in "$build"/*.so "$build"/emulated/*.so* $(find "$prefix" -name '*.so*'); do
        if [ -f "$file" ] && readelf -d "$file" | grep -E 'R(UN)?PATH.*(\[|:)(:|\])'; then
            echo "$file looks for libraries in the current folder"
            exit 1
        fi
    done
fi
