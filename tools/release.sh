#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# release.sh [--jobs N] [PART ...]: everything of a release but the upload, of HEAD, in
# build/release/libtma-VERSION/: the tarball, a static tma for x86_64 and aarch64, Debian's packages
# for bookworm and trixie, PyPI's wheels, the page, NOTES.md, and SHA256SUMS of all of them. Each part is
# tried as the tool that makes it does, in bare roots where it has them. PART: tarball, static,
# debian, wheels, page; default: all. Half an hour to an hour. At the end a line for each part. Exit status 1:
# one failed; 77: none failed, but one was left out, since this machine cannot make it.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

jobs=$(nproc)
if [ "${1:-}" = --jobs ]; then
    jobs=$2
    shift 2
fi
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

for part in "${parts[@]}"; do
    declare -F "make_$part" >/dev/null || refuse "no part is called '$part': tarball, static, debian, wheels, page"
done
git diff --quiet HEAD || refuse "what is not committed is in no release: commit it, or git stash"
grep -q "^## $version\$" CHANGELOG.md || refuse "CHANGELOG.md has no section '## $version'"

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
