#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# deps.sh [--ask] PURPOSE...: installs the Debian packages that building (build), testing (test),
# format and clang-tidy (lint), measuring (bench), sanitizers and fuzzing (fuzz), the page (page), tests
# in a browser (browser), for other processors (platform), on bare Debians (bare) or by .ci/run (ci)
# need and that are missing; for a browser also PyPI's axe-core-python, into build/pypi. Does nothing if
# all are there; without root, or with --ask, it names them and goes on.
set -eu

ask=
if [ "${1:-}" = --ask ]; then
    ask=yes
    shift
fi

packages='' pypi=''
for purpose in "$@"; do
    case $purpose in
    build) packages="$packages gcc libc6-dev make cmake pkg-config" ;;
    test) packages="$packages g++ clang ninja-build libcmocka-dev zlib1g-dev python3 python3-pytest python3-dev python3-venv valgrind libxml2-utils libcairo2-dev git jq strace" ;;
    lint) packages="$packages clang-format clang-tidy python3" ;;
    bench) packages="$packages python3 valgrind" ;;
    fuzz) packages="$packages clang libclang-rt-dev llvm" ;;
    page) packages="$packages clang lld python3" ;;
    browser) packages="$packages clang lld nodejs chromium chromium-driver python3-pip python3-selenium" pypi=axe-core-python ;;
    platform) packages="$packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-i686-linux-gnu libc6-dev-i386-cross musl-tools autoconf automake libtool libltdl-dev gcc-mingw-w64-x86-64 qemu-user-static wine wine64 python3 python3-pytest" ;;
    bare) packages="$packages debootstrap debian-archive-keyring" ;; # the keyring: Ubuntu has none
    ci) packages="$packages ccache zsh fish" ;; # the shells: completion is tried in them
    *)
        echo "deps.sh: '$purpose' is none of build, test, lint, bench, fuzz, page, browser, platform, bare, ci" >&2
        exit 2
        ;;
    esac
done

command -v dpkg-query >/dev/null || exit 0 # no Debian: whoever builds here knows the packages

missing=
for package in $packages; do
    case " $missing " in *" $package "*) continue ;; esac
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    case $state in
    *not-installed* | *config-files* | '') missing="$missing $package" ;;
    *) ;;
    esac
done

from_pypi() { # into build/pypi, which tests/page looks into
    folder=$(dirname "$0")/../build/pypi
    if [ -z "$pypi" ] || [ -n "$(ls "$folder" 2>/dev/null)" ]; then
        return
    fi
    if [ -n "$ask" ]; then
        echo "missing here, and what needs it is left out: pip's $pypi" >&2
    elif ! /usr/bin/python3 -m pip install -q --no-deps --target "$folder" "$pypi" >&2; then
        echo "deps.sh: pip could not install $pypi; going on without" >&2
    fi
}

if [ -n "$missing" ] && { [ -n "$ask" ] || [ "$(id -u)" != 0 ]; }; then
    echo "missing here, and what needs it is left out: as root, apt-get install$missing" >&2
elif [ -n "$missing" ]; then
    echo "deps.sh: installing$missing" >&2
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # a list
    if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null; }; then
        echo "deps.sh: apt-get could not install$missing; going on without" >&2
    fi
fi
from_pypi
