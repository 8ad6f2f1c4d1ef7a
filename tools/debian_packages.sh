#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# debian_packages.sh SUITE...: builds Debian's packages in a bare root of SUITE (bookworm, trixie), holds
# them against lintian, and installs them in another bare root by `apt install ./*libtma*.deb`, where the
# command, a C program and, from Debian 13 on, Python have to work with nothing else of the project
# there. They are left in build/debian-SUITE. Exit status 77: not root.
# debian_packages.sh build|use: what is run inside those roots.
set -euo pipefail
cd "$(dirname "$0")/.."
export DEBIAN_FRONTEND=noninteractive

step() { # WHAT: says what begins
    echo "debian_packages.sh: $1 (after $SECONDS s)"
}

apt() { # ARGUMENTS OF APT-GET: what it says where it fails
    apt-get -y -qq --no-install-recommends "$@" >/tmp/log 2>&1 || {
        tail -n 20 /tmp/log
        echo "debian_packages.sh: apt-get $* failed"
        exit 1
    }
}

build() { # in a root of its own: the packages, into /root/shared
    local profiles=
    cp -r packaging/debian debian # where dpkg looks for it
    step "lintian, debhelper and what the build needs"
    apt install lintian dpkg-dev debhelper
    apt-cache show python3-nanobind >/dev/null 2>&1 || profiles=pkg.libtma.nopython
    export DEB_BUILD_PROFILES=$profiles
    apt build-dep ./
    step "dpkg-buildpackage"
    dpkg-buildpackage -us -uc -b >/tmp/log 2>&1 || {
        tail -n 60 /tmp/log
        exit 1
    }
    step "lintian"
    lintian --allow-root --fail-on error,warning --info ../libtma*.changes
    rm -f /root/shared/*.deb ../*-dbgsym_*
    cp ../*.deb /root/shared/
    ls /root/shared
}

draw_without_and_with_cairo() { # which libtma-tools recommends, no more
    local said
    # shellcheck disable=SC2054 # commas of tma's
    local draw=(tma draw box --dtype float16 --dim 64,32 --box 64,8 --out box.pdf)
    said=$("${draw[@]}" 2>&1) && echo "tma draw wrote a .pdf without cairo" && exit 1
    echo "$said"
    case $said in *cairo*) ;; *) echo "which does not name cairo" && exit 1 ;; esac
    [ ! -e box.pdf ] || { echo "box.pdf was begun all the same" && exit 1; }
    apt install "$(dpkg-query -W -f '${Recommends}' libtma-tools)"
    "${draw[@]}"
    [ "$(head -c 4 box.pdf)" = %PDF ] || { echo "box.pdf is no PDF" && exit 1; }
}

use() { # in another root, without the tree
    local folder
    folder=$(mktemp -d)
    cp /root/shared/*.deb "$folder"
    cd "$folder"
    step "apt-get install ./*libtma*.deb"
    apt install ./*libtma*.deb
    rm -rf /root/libtma
    tma --version
    tma check --dtype bfloat16 --dim 4096,8192 --box 64,128 --swizzle 128B | sed -n 1,2p
    zcat /usr/share/man/man1/tma-check.1.gz | sed -n 1,3p
    draw_without_and_with_cairo
    apt install gcc libc6-dev pkgconf
    cat >use.c <<'END'
#include <stdio.h>
#include <tma/tma.h>
int main(void) {
    printf("a C program: libtma %u, headers %u\n", (unsigned)tma_version(), (unsigned)TMA_VERSION_NUMBER);
    return 0;
}
END
    # shellcheck disable=SC2046 # its words
    cc use.c -o use $(pkgconf --cflags --libs libtma)
    ./use
    readelf -d use 2>/dev/null | grep NEEDED || true
    if ls python3-libtma_*.deb >/dev/null 2>&1; then
        python3 -c 'import libtma; print("python3-libtma", libtma.__version__, libtma.shim_path())'
    fi
    echo "debian_packages.sh: installed and used"
}

case ${1:-} in
build) build ;;
use) use ;;
*)
    [ "$(id -u)" = 0 ] || {
        echo "debian_packages.sh: skipped: not root"
        exit 77
    }
    for suite in "$@"; do
        mkdir -p "build/debian-$suite"
        .ci/bare_debian --share "build/debian-$suite" "$suite" 'tools/debian_packages.sh build'
        .ci/bare_debian --share "build/debian-$suite" "$suite" 'tools/debian_packages.sh use'
    done
    ;;
esac
