#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# dist.sh JOBS: build/dist/libtma-VERSION.tar.gz, HEAD as a release has it. Made twice, the second time
# from a clone of its own with another time zone and umask, and both must be the same bytes. Then it is
# unpacked, built, tested (make check) and installed, with a git that fails and, where the machine allows
# a namespace without a network, without one.
set -euo pipefail

cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}
version=$(git show HEAD:include/tma/export.h | sed -nE 's/^#define TMA_VERSION +"([^"]*)"$/\1/p')
name=libtma-$version
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! git diff --quiet HEAD; then
    echo "dist.sh: what is not committed does not go into it" >&2
fi

archive() { # REPOSITORY: HEAD's files, with the commit's time, in git's order
    git -C "$1" -c tar.umask=0022 archive --format=tar --prefix="$name/" HEAD | gzip -9 -n
}

mkdir -p build/dist
archive . >"build/dist/$name.tar.gz"
git clone -q --no-hardlinks . "$work/clone"
(umask 077 && TZ=Asia/Tokyo archive "$work/clone" >"$work/again.tar.gz")
cmp "build/dist/$name.tar.gz" "$work/again.tar.gz" || {
    echo "dist.sh: made twice, it differs" >&2
    exit 1
}

mkdir "$work/bin"
printf '#!/bin/sh\nexit 127\n' >"$work/bin/git"
chmod +x "$work/bin/git"
alone=()
if [ "$(id -u)" = 0 ] && unshare -n true 2>/dev/null; then
    alone=(unshare -n)
elif unshare -cn true 2>/dev/null; then
    alone=(unshare -cn)
else
    echo "dist.sh: no namespace without a network here; tested with one"
fi

tar -C "$work" -xf "build/dist/$name.tar.gz"
if ! "${alone[@]}" env PATH="$work/bin:$PATH" bash -euo pipefail -c '
    cd "$1"
    ! git --version
    make JOBS="$2"
    make check JOBS="$2"
    make install PREFIX=/usr DESTDIR="$1.installed" JOBS="$2"
    said=$("$1.installed/usr/bin/tma" --version)
    [ "$said" = "tma $3" ] || { echo "the installed tma says $said, not tma $3"; exit 1; }
' _ "$work/$name" "$jobs" "$version" >"$work/log" 2>&1; then
    tail -n 60 "$work/log" >&2
    echo "dist.sh: what is in $name.tar.gz fails" >&2
    exit 1
fi
grep -E 'tests passed|^left out|Skipped' "$work/log" || true
(cd build/dist && sha256sum "$name.tar.gz")
