#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# deps.sh PURPOSE...: installs the Debian packages that building (build), testing (test), formatting
# (style), measuring (bench) or fuzzing (fuzz) needs and that are missing. Does nothing if all are
# there; without root it names them and goes on.
set -eu

packages=
for purpose in "$@"; do
    case $purpose in
    build) packages="$packages gcc libc6-dev make cmake pkg-config libjansson-dev" ;;
    test) packages="$packages g++ libcmocka-dev zlib1g-dev python3 python3-pytest valgrind libxml2-utils libcairo2-dev" ;;
    style) packages="$packages clang-format clang-tidy python3" ;;
    bench) packages="$packages python3 valgrind" ;;
    fuzz) packages="$packages clang libclang-rt-dev" ;;
    *)
        echo "deps.sh: '$purpose' is none of build, test, style, bench, fuzz" >&2
        exit 2
        ;;
    esac
done

command -v dpkg-query >/dev/null || exit 0 # no Debian: whoever builds here knows the packages

missing=
for package in $packages; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    case $state in
    *not-installed* | *config-files* | '') missing="$missing $package" ;;
    *) ;;
    esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ]; then
    echo "deps.sh: not installed, and only root can: apt-get install$missing" >&2
    exit 0
fi
echo "deps.sh: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086 # a list
if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing >/dev/null; }; then
    echo "deps.sh: apt-get could not install$missing; going on without" >&2
fi
