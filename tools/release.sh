#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# release.sh [--dry-run] [--jobs N] [PART ...]: everything of a release but the upload, of HEAD, in
# build/release/libtma-VERSION/: the tarball, a static tma for x86_64 and aarch64, Debian's packages
# for bookworm and trixie, PyPI's wheels, the page, NOTES.md, and SHA256SUMS of all of them. Each part is
# tried as the tool that makes it does, in bare roots where it has them. PART: tarball, static,
# debian, wheels, page; default: all. Half an hour to an hour. At the end a line for each part. Exit status 1:
# one failed; 77: none failed, but one was left out, since this machine cannot make it. --dry-run makes
# nothing: it asks what would be refused, names the files, what this machine lacks, and what is left to
# do by hand, in seconds.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

jobs=$(nproc) dry=''
while :; do
    case ${1:-} in
    --dry-run) dry=yes && shift ;;
    --jobs) jobs=$2 && shift 2 ;;
    *) break ;;
    esac
done
parts=("$@")
[ $# -gt 0 ] || parts=(tarball static debian wheels page)
version=$(sed -nE 's/^#define TMA_VERSION +"([^"]*)"$/\1/p' include/tma/export.h)
out=build/release/libtma-$version

refuse() {
    echo "release.sh: $1" >&2
    exit 1
}

# Makes it, and copies what is to be uploaded into a folder.
make_tarball() {
    tools/dist.sh "$jobs" && cp "build/dist/libtma-$version.tar.gz" "$1"
}

make_static() {
    local target
    cmake --build build -j "$jobs" --target tma && tools/static.sh --jobs "$jobs" || return
    for target in x86_64 aarch64; do
        cp "build-zig/$target-linux-musl/tma" "$1/tma-$version-linux-$target" || return 1
    done
}

make_debian() {
    local suite
    rm -rf build/debian-bookworm build/debian-trixie
    tools/debian_packages.sh bookworm trixie || return
    for suite in bookworm trixie; do
        mkdir -p "$1/$suite" && cp "build/debian-$suite"/*.deb "$1/$suite" || return 1
    done
}

make_wheels() {
    rm -rf build/wheels-pypi
    tools/wheels.sh && tools/wheel_roots.sh || return
    cp build/wheels-pypi/*.whl "$1"
}

make_page() {
    tools/page.sh "$jobs" && cp build/page/index.html "$1/libtma-$version.html" && cp build/page/tma-emulator.js "$1"
}

# What it makes, for --dry-run; what a machine needs for it.
names() { # PART
    case $1 in
    tarball) echo "libtma-$version.tar.gz" ;;
    static) echo "tma-$version-linux-x86_64 tma-$version-linux-aarch64" ;;
    debian) echo "bookworm/ trixie/: $(sed -n 's/^Package: //p' packaging/debian/control | paste -sd' ')" ;;
    wheels) echo "libtma-$version-{cp311-cp311,cp312-abi3}-{manylinux_2_28,musllinux_1_2}_{x86_64,aarch64}.whl" ;;
    page) echo "libtma-$version.html tma-emulator.js" ;;
    esac
}

lacks() { # PART: what is not here
    local need needs=git
    case $1 in
    static) needs=python3 ;;
    debian) needs='debootstrap unshare' ;;
    wheels) needs='python3.11 debootstrap unshare' ;;
    page) needs='clang wasm-ld' ;;
    esac
    for need in $needs; do
        command -v "$need" >/dev/null || echo "$need"
    done
    case $1 in debian | wheels) [ "$(id -u)" = 0 ] || echo root ;; esac
}

# What stands in the way of any part, a line each.
refusals() {
    git diff --quiet HEAD || echo "what is not committed is in no release: commit it, or git stash"
    [ "$(sed -n 's/^## //p' CHANGELOG.md | sed -n 1p)" = "$version" ] ||
        echo "CHANGELOG.md has no section '## $version' at its top"
    if git rev-parse -q --verify "refs/tags/v$version" >/dev/null &&
        [ "$(git rev-parse "v$version^{commit}")" != "$(git rev-parse HEAD)" ]; then
        echo "the tag v$version is another commit's: a tag is never moved"
    fi
    tools/python.sh -B tests/checks/check_packaging.py build/tma | sed '/ looked at, [0-9]* wrong$/d'
}

say_dry() {
    local lacking
    printf '==== libtma %s, %s: what make release makes, in %s/ ====\n' "$version" "$(git log -1 --format=%h)" "$out"
    for part in "${parts[@]}"; do
        lacking=$(lacks "$part" | paste -sd' ')
        printf '%-8s %s%s\n' "$part" "$(names "$part")" "${lacking:+ (left out here, which lacks: $lacking)}"
    done
    echo "         NOTES.md SHA256SUMS"
    echo "by hand: RELEASING.md's steps 3 and 4 before; git tag -a v$version, git push origin v$version and the upload behind it"
}

for part in "${parts[@]}"; do
    declare -F "make_$part" >/dev/null || refuse "no part is called '$part': tarball, static, debian, wheels, page"
done
refused=$(refusals)
[ -z "$dry" ] || say_dry
[ -z "$refused" ] || refuse "$refused"
[ -z "$dry" ] || exit 0

rm -rf "$out"
mkdir -p "$out"
tools/configure.sh build >/dev/null || refuse "the tree cannot be configured"
sed "s/VERSION/$version/g" packaging/release_notes.md >"$out/NOTES.md" || refuse "there are no release notes"
failed='' left_out='' said=()
for part in "${parts[@]}"; do
    started=$SECONDS
    made=$(mktemp -d)
    echo "==== release: $part ===="
    "make_$part" "$made"
    status=$?
    count=$(find "$made" -type f | wc -l)
    case $status in
    0) [ "$count" -gt 0 ] && cp -r "$made"/. "$out" || status=1 ;;
    77) left_out=$part ;;
    esac
    [ "$status" = 0 ] || [ "$status" = 77 ] || failed=$part
    rm -rf "$made"
    said+=("$(printf '%-8s %s, %d files, %d s' "$part" \
        "$(case $status in 0) echo made ;; 77) echo left out ;; *) echo "FAILED (status $status)" ;; esac)" \
        "$count" $((SECONDS - started)))")
done

sums=$(cd "$out" && find . -type f | sed 's|^\./||' | LC_ALL=C sort | xargs -d '\n' sha256sum)
printf '%s\n' "$sums" >"$out/SHA256SUMS"
printf '==== libtma %s, %s ====\n' "$version" "$(git log -1 --format=%h)"
printf '%s\n' "${said[@]}"
echo "$out: $(wc -l <"$out/SHA256SUMS") files, $(du -sh "$out" | cut -f1)"
[ -z "$failed" ] || exit 1
[ -z "$left_out" ] || exit 77
