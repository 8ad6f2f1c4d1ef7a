#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# zig.sh: prints the path of a Python that has ziglang, a C compiler for every system, which PyPI
# has; it is put into build-zig/venv the first time. 77: it cannot be had.
# zig.sh TARGET FOLDER: writes a CMake toolchain file for it, FOLDER/TARGET.cmake, e.g. for
# x86_64-linux-musl or aarch64-linux-gnu.2.28.
set -euo pipefail
cd "$(dirname "$0")/.."
version=0.17.1
root=$PWD/build-zig/venv
if [ "$("$root/bin/python" -c 'import importlib.metadata as m; print(m.version("ziglang"))' 2>/dev/null)" != $version ]; then
    { python3 -m venv "$root" && "$root/bin/pip" install -q --disable-pip-version-check "ziglang==$version"; } >&2 || {
        echo "zig.sh: ziglang $version cannot be had here" >&2
        exit 77
    }
fi
if [ $# = 0 ]; then
    echo "$root/bin/python"
    exit
fi
target=$1
zig=$("$root/bin/python" -c 'import ziglang; print(ziglang.__path__[0])')/zig # itself: a Python for each file costs more than the file
mkdir -p "$2"
folder=$(cd "$2" && pwd)
for tool in cc c++ ar ranlib; do
    flags=
    case $tool in c*) flags="-target $target" ;; esac
    printf '#!/bin/sh\nexec "%s" %s %s "$@"\n' "$zig" "$tool" "$flags" >"$folder/$target-$tool"
    chmod +x "$folder/$target-$tool"
done
case $target in
*windows*) system=Windows ;;
*macos*) system=Darwin ;;
*) system=Linux ;;
esac
cat >"$folder/$target.cmake" <<END
set(CMAKE_SYSTEM_NAME $system)
set(CMAKE_SYSTEM_PROCESSOR ${target%%-*})
set(CMAKE_C_COMPILER "$folder/$target-cc")
set(CMAKE_CXX_COMPILER "$folder/$target-c++")
set(CMAKE_AR "$folder/$target-ar")
set(CMAKE_RANLIB "$folder/$target-ranlib")
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE NEVER)
END
echo "$folder/$target.cmake"
