#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# wheel_elsewhere.sh [aarch64] [aarch64-cp311] [musl]: installs the wheels of build/wheels-pypi
# (tools/wheels.sh) by pip where no bare root of this machine's own kind is, and runs the package's
# tests there: aarch64, a Debian 13 of arm64 under qemu's emulator of a user's programs, known to the
# kernel in a namespace of its own; aarch64-cp311, a Debian 12, whose Python is 3.11; musl, a root with
# nothing but musl and a Python for it (tools/musl_python.sh). What pip takes from PyPI is fetched here. The wheels for both, aarch64 and musl, are held against auditwheel alone:
# there is no Python for them here. Exit status 77: not root, or something of that cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || {
    echo "wheel_elsewhere.sh: skipped: not root"
    exit 77
}
[ $# -gt 0 ] || set -- aarch64 aarch64-cp311 musl
export PIP_DISABLE_PIP_VERSION_CHECK=1
cache=${XDG_CACHE_HOME:-$HOME/.cache}/libtma
work=$(mktemp -d /var/tmp/libtma-elsewhere-XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
mkdir -p "$cache"

skip() {
    echo "wheel_elsewhere.sh: skipped: $1"
    exit 77
}

step() { # WHAT: says what begins
    echo "wheel_elsewhere.sh: $1 (after $SECONDS s)"
}

[ -n "$(find build/wheels-pypi -name '*.whl' 2>/dev/null)" ] || {
    echo "wheel_elsewhere.sh: no wheels in build/wheels-pypi: tools/wheels.sh makes them" >&2
    exit 1
}

needs() { # PACKAGE...: PyPI's wheels for platforms into WORK/root/shared, for the Python there, `version`
    local tags=()
    read -ra tags <<<"${platforms[*]/#/--platform=}"
    step "PyPI's wheels of $*"
    python3 -m pip download -q --dest "$work/root/shared" --only-binary=:all: --python-version "$version" "${tags[@]}" "$@" ||
        skip "PyPI's wheels of $* cannot be had here"
}

tree() { # what the tests read
    mkdir -p "$work/root/libtma" "$work/root/shared"
    git ls-files -z python/tests tests docs include pyproject.toml | xargs -0 cp --parents -t "$work/root/libtma"
    cp build/wheels-pypi/*.whl "$work/root/shared/"
}

# Inside a root of its own, by a Python of that root; no test there needs a compiler or a shell.
# shellcheck disable=SC2016 # for the shell inside
inside='mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && { [ -z "$2" ] || { mount -t binfmt_misc none /proc/sys/fs/binfmt_misc && printf %s "$2" >/proc/sys/fs/binfmt_misc/register; }; } &&
    cd "$1" && shift 2 && exec env -i HOME=/root PATH=/v/bin:/usr/bin TMA_TEST_SPECS=200 ${target:+PYTHONPATH=$target} "$(command -v chroot)" . "$@"'
enter() { # BINFMT'S LINE OR NOTHING, COMMAND...
    local known=$1
    shift
    mkdir -p "$work/root/proc" "$work/root/dev" "$work/root/tmp" "$work/root/root"
    unshare --user --map-root-user --mount --pid --fork --kill-child bash -c "$inside" _ "$work/root" "$known" "$@"
}

# Who looks which of the wheels fits: the Python there, in a venv; or, where that takes minutes under an
# emulator, pip here for the system that it is told, and the Python there says whether it is that one.
# shellcheck disable=SC2317 # called by its name
install_there() { # BINFMT'S LINE OR NOTHING, PACKAGE...
    enter "$1" /usr/bin/python3 -m venv /v
    enter "$1" /v/bin/python -m pip install -q --no-index --find-links /shared "${@:2}"
}

# shellcheck disable=SC2317 # called by its name
install_from_here() { # BINFMT'S LINE OR NOTHING, PACKAGE...
    local tags=()
    read -ra tags <<<"${platforms[*]/#/--platform=}"
    python3 -m pip install -q --no-compile --no-index --find-links "$work/root/shared" --target "$work/root/v" \
        --only-binary=:all: --python-version "$version" --ignore-requires-python "${tags[@]}" "${@:2}" # as needs() asked
    enter "$1" /usr/bin/python3 -c 'import glob, sys
sys.path += glob.glob("/usr/share/python-wheels/pip-*.whl")
from pip._vendor.packaging.tags import sys_tags
file, = glob.glob("/v/libtma-*.dist-info/WHEEL")
named = [line.split()[1] for line in open(file) if line.startswith("Tag:")]
here = {str(tag) for tag in sys_tags()}
print(*named)
sys.exit(None if here & set(named) else f"pip there would not take {named}")'
}

try() { # NAME BINFMT'S LINE OR NOTHING, INSTALL PYTHON PACKAGE...
    local name=$1 known=$2 install=$3 python=$4 tests
    shift 4
    tests='import os, subprocess, sys
os.chdir("/libtma")
sys.exit(subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "python/tests", *sys.argv[1:]]).returncode)'
    # shellcheck disable=SC2310 # its status is asked
    enter "$known" /usr/bin/python3 -c '' || skip "no program of $name runs here (an emulator in a namespace takes Linux 6.7)"
    step "$name: pip install"
    "$install" "$known" libtma "$@"
    enter "$known" /v/bin/tma --version
    enter "$known" "$python" -c 'import libtma, platform, sys
try: shim = libtma.shim_path()
except FileNotFoundError as error: shim = error
print(sys.version, platform.machine(), shim, sep="; ")'
    step "$name: the package's tests"
    # shellcheck disable=SC2086 # words
    enter "$known" "$python" -c "$tests" --ignore python/tests/test_documents.py --ignore python/tests/test_package.py $left
    echo "wheel_elsewhere.sh: $name: passed"
}

aarch64() { # SUITE of Debian, and which Python it has
    local suite=$1 version=$2 tar=$cache/arm64-$1.tar qemu magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    qemu=$(command -v qemu-aarch64-static) || skip "no qemu-aarch64-static"
    command -v debootstrap >/dev/null || skip "no debootstrap"
    if [ ! -f "$tar" ]; then # unpacked, not set up: that takes minutes under an emulator, and Python needs none of it
        step "a Debian of arm64"
        debootstrap --foreign --arch arm64 --variant=minbase --include=python3,python3-venv "$suite" "$work/root" \
            >"$work/log" 2>&1 || skip "no Debian for arm64: $(tail -n 1 "$work/log")"
        find "$work/root/var/cache/apt/archives" -name '*.deb' -exec dpkg-deb -x {} "$work/root" \;
        rm -rf "$work/root/var/cache/apt/archives"
        tar -C "$work/root" -cf "$work/tar" . && mv "$work/tar" "$tar"
    else
        mkdir "$work/root" && tar -C "$work/root" -xf "$tar"
    fi
    # What setting ca-certificates up would have made: without it Debian's pip ends at once, and so does venv.
    mkdir -p "$work/root/etc/ssl/certs"
    cat "$work"/root/usr/share/ca-certificates/mozilla/*.crt >"$work/root/etc/ssl/certs/ca-certificates.crt"
    tree
    platforms=(manylinux_2_28_aarch64 manylinux_2_27_aarch64 manylinux2014_aarch64)
    needs hypothesis ml_dtypes numpy pytest
    left='' target=/v
    export target
    try "aarch64, Python $version" ":libtma-aarch64:M::$magic:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:$qemu:F" \
        install_from_here /usr/bin/python3 hypothesis ml_dtypes numpy pytest
}

musl() {
    local version=3.13
    tools/musl_python.sh build-zig/musl-python || exit $?
    cp -a build-zig/musl-python/root "$work/root"
    tree
    platforms=(musllinux_1_2_x86_64)
    needs hypothesis numpy pytest
    left=$(grep -l '^import ml_dtypes' python/tests/*.py | sed 's/^/--ignore /') # PyPI's ml_dtypes has no wheel for musl
    try musl '' install_there /v/bin/python hypothesis numpy pytest
}

skipped=0
for what in "$@"; do
    set +e # where set -e is to hold inside, nothing may test the status outside
    (
        set -e
        case $what in
        aarch64) aarch64 trixie 3.13 ;;
        aarch64-cp311) aarch64 bookworm 3.11 ;;
        musl) musl ;;
        *)
            echo "wheel_elsewhere.sh: '$what' is none of aarch64, aarch64-cp311, musl" >&2
            exit 2
            ;;
        esac
    )
    status=$?
    set -e
    case $status in
    0) ;;
    77) skipped=77 ;;
    *) exit $status ;;
    esac
    rm -rf --one-file-system "$work/root"
done
exit $skipped
