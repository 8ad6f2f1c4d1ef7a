#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# configurations.sh [--jobs N] [--seed S] [--record] all|list|COUNT|NAME...: builds a copy of this tree in
# every configuration below, all targets, and runs its quick tests; fewer of them than written here
# is red. COUNT draws so many by the seed (default: HEAD's number). What a machine lacks is taken out
# of a view of this machine (an overlay), which takes root; who is not root has those skipped, counted.
# --record: after all of them, none of which failed, a row in docs/evidence/conformance.md.
set -uo pipefail

cd "$(dirname "$0")/.." || exit 1
project=$PWD
jobs=$(nproc) seed='' record=
later='longer|consumer|bench|lint|slow|browser|platform|rare|thread-sanitizer'

# Name, fewest tests that pass (two fewer than were measured, one where there are few), what it is. Tests: see tests/,
# lab/hardware/, program/shim/, each label's quick ones.
TABLE='
tests-off         0  -D LIBTMA_BUILD_TESTS=OFF, as packagers build: builds, installs, runs
shared-only       0  -D BUILD_SHARED_LIBS=ON installs the shared libraries, and a program finds them
static-only       0  -D BUILD_SHARED_LIBS=OFF installs the static libraries, and a program finds them
without-python3    70  no Python
without-zlib       44  no zlib: no test programs
without-pkg-config   44  no pkg-config: no test programs, no cairo
without-cmocka     45  no cmocka: no test programs
without-cairo     104  no cairo: no .pdf
without-clang     105  no clang and no lld: no page
without-nvcc      103  no CUDA; make hardware fails, and make after it does not
without-git       105  no git
without-jq        105  no jq
not-root          105  another user than root
mode-700          105  a checkout in a folder of mode 700
path-with-blanks  105  a checkout in a folder with blanks in its name
consumers        14  as a subdirectory, by FetchContent, find_package, pkg-config, from C and C++
archive           105  a git archive, without .git
gcc               105  gcc
clang             105  clang
'

names() { awk 'NF { print $1 }' <<<"$TABLE"; }
fewest() { awk -v name="$1" '$1 == name { print $2 }' <<<"$TABLE"; }

# Files of Debian's packages, or a program in any folder of PATH. Looked for inside ROOT: a link's
# target such as /usr/local/cuda is otherwise the machine's own folder.
away() { # ROOT PROGRAM-OR-FILE PATTERN...: what matches in ROOT is gone
    local root=$1 pattern
    shift
    for pattern in "$@"; do
        case $pattern in
        /*) chroot "$root" /bin/sh -c "rm -rf $pattern" ;;
        *) # shellcheck disable=SC2046 # folders
            chroot "$root" find $(echo "$PATH" | tr ':' '\n' | sed 's|$|/|') -maxdepth 1 -name "$pattern" \
                -exec rm -f {} + 2>/dev/null ;;
        esac
    done
}

view() { # WHAT IS AWAY..., then -- COMMAND: in this machine without it, inside a mount namespace
    local layer=/tmp/libtma-layer patterns=()
    while [ "$1" != -- ]; do
        patterns+=("$1")
        shift
    done
    shift
    mount --make-rprivate / && mkdir -p $layer && mount -t tmpfs tmpfs $layer &&
        mkdir $layer/upper $layer/work $layer/root &&
        mount -t overlay overlay -o "lowerdir=/,upperdir=$layer/upper,workdir=$layer/work" $layer/root &&
        mount --rbind /dev $layer/root/dev && mount -t proc proc $layer/root/proc &&
        mount --bind "$work" "$layer/root$work" || return 99
    if [ -n "$objects" ]; then # what is compiled here stays compiled
        mount --bind "$objects" "$layer/root$objects" || return 99
    fi
    away $layer/root "${patterns[@]}"
    chroot $layer/root "$@"
}

tree() { # FOLDER: the project's files as they are now
    mkdir -p "$1"
    if git rev-parse --git-dir >/dev/null 2>&1; then
        git ls-files -z -co --exclude-standard | tar --null --ignore-failed-read -cf - -T - 2>/dev/null | tar -C "$1" -xf -
        git -C "$1" init -q && git -C "$1" add -A
    else
        tar --exclude './build*' -cf - . | tar -C "$1" -xf -
    fi
}

check() { # FOLDER [CMAKE'S ARGUMENTS]: all targets, and the quick tests
    # shellcheck disable=SC2016 # for the shell inside
    quick='cd "$1" && shift && unset MAKEFLAGS && tools/configure.sh build -D LIBTMA_BUILD_TESTS=ON "$@" &&
        cmake --build build -j "$jobs" && ctest --test-dir build -j "$jobs" --no-tests=error --output-on-failure $labels'
    "${as[@]}" env jobs="$jobs" labels="${labels:--LE $later}" TMA_TEST_SPECS=2000 bash -c "$quick" _ "$@"
}

without() { # PATTERN...: check, without what matches
    if [ "$(id -u)" != 0 ]; then
        return 77
    fi
    tree "$work/libtma"
    export -f check view away
    export work later jobs labels objects
    # shellcheck disable=SC2016 # for the shell inside
    unshare --mount bash -c 'as=(); view "$@" -- bash -c "as=(); $(declare -f check); check \"\$work/libtma\"; status=\$?; ${after:-:}; exit \$status"' _ "$@"
}

cairo_found_later() { # the folder that was configured without it, on this machine, which may have it
    pkg-config --exists cairo || return 0
    (cd "$work/libtma" && tools/configure.sh build && cmake --build build -j "$jobs" --target tma &&
        build/tma draw box --dtype float16 --dim 64,32 --box 64,8 --out "$work/later.pdf")
}

installed() { # KIND [CMAKE'S ARGUMENTS]: builds, installs, and a program of CMake's finds it
    local kind=$1
    shift
    tree "$work/libtma"
    (cd "$work" && cmake -S libtma -B b -D LIBTMA_BUILD_TESTS=OFF -D CMAKE_INSTALL_PREFIX="$work/prefix" "$@" &&
        cmake --build b -j "$jobs" && cmake --install b &&
        prefix/bin/tma --version &&
        case $kind in
        shared) ! find prefix -name 'libtma*.a' ! -name libtma-driver.a | grep . ;; # that one is static by what it is for
        static) ! find prefix -name 'libtma.so*' | grep . ;;
        esac &&
        cmake -S libtma/tests/consumers/find_package -B c -D CMAKE_PREFIX_PATH="$work/prefix" "$@" &&
        cmake --build c && c/consumer)
}

configuration() { # NAME
    local as=() labels=
    case $1 in
    tests-off) installed both ;;
    shared-only) installed shared -D BUILD_SHARED_LIBS=ON ;;
    static-only) installed static -D BUILD_SHARED_LIBS=OFF ;;
    without-python3) without 'python3*' '/usr/bin/python3*' "$HOME/.pyenv" ;;
    without-zlib) without /usr/include/zlib.h '/usr/lib/*/pkgconfig/zlib.pc' ;;
    without-pkg-config) without pkg-config pkgconf '*-pkg-config' ;;
    without-cmocka) without '/usr/include/cmocka*' '/usr/lib/*/pkgconfig/cmocka.pc' '/usr/lib/*/cmake/cmocka' ;;
    without-cairo) without /usr/include/cairo '/usr/lib/*/pkgconfig/cairo*.pc' && cairo_found_later ;;
    without-clang)
        # shellcheck disable=SC2016 # for the shell inside
        after='cd "$work/libtma"; if tools/page.sh "$jobs" >page.log 2>&1 || ! grep "no clang, wasm-ld (Debian: lld)" page.log; then cat page.log; status=1; fi' \
            without 'clang*' 'wasm-ld*' 'lld*' 'ld.lld*' ;;
    without-nvcc)
        # shellcheck disable=SC2016 # for the shell inside
        after='cd "$work/libtma"; if make hardware; then echo "make hardware passed without nvcc"; status=1; fi; make || status=1' \
            without nvcc '/usr/local/cuda*' ;;
    without-git) without 'git*' ;;
    without-jq) without jq ;;
    not-root)
        [ "$(id -u)" = 0 ] || return 77
        tree "$work/libtma"
        chmod 755 "$work" && chown -R 65534:65534 "$work/libtma"
        as=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$work/libtma" CCACHE_DISABLE=1)
        check "$work/libtma" ;;
    mode-700)
        mkdir -m 700 "$work/closed" && tree "$work/closed/libtma" && check "$work/closed/libtma" ;;
    path-with-blanks) tree "$work/a folder/lib tma" && check "$work/a folder/lib tma" ;;
    consumers) tree "$work/libtma" && labels='-L consumer' && check "$work/libtma" ;;
    archive)
        mkdir "$work/libtma" && git archive HEAD | tar -C "$work/libtma" -xf - && check "$work/libtma" ;;
    gcc) tree "$work/libtma" && check "$work/libtma" -D CMAKE_C_COMPILER=gcc ;;
    clang) tree "$work/libtma" && check "$work/libtma" -D CMAKE_C_COMPILER=clang ;;
    esac
}

run() { # NAME
    local started=$SECONDS status=0 passed least
    work=$(mktemp -d /var/tmp/libtma-XXXXXX)
    log=$work.log
    export CCACHE_BASEDIR=$work CCACHE_NOHASHDIR=1 # where ccache compiles: each tree's objects are the last one's
    (configuration "$1") >"$log" 2>&1 </dev/null || status=$?
    rm -rf --one-file-system "$work"
    if [ "$status" = 77 ]; then
        echo "configuration $1: skipped: not root"
        skipped=$((skipped + 1))
        rm -f "$log"
        return
    fi
    passed=$(grep -cE '^ *[0-9]+/[0-9]+ +Test +#[0-9]+: .* Passed ' "$log")
    least=$(fewest "$1")
    if [ "$status" != 0 ] || [ "$passed" -lt "$least" ]; then
        tail -n 60 "$log"
        echo "configuration $1: FAILED after $((SECONDS - started)) s: status $status, $passed tests passed, $least at least have to; all it said: $log"
        failed=$((failed + 1))
        return
    fi
    grep '^left out: ' "$log" | sort -u
    echo "configuration $1: passed, $passed tests, $((SECONDS - started)) s"
    good=$((good + 1))
    rm -f "$log"
}

while [ $# -gt 0 ]; do
    case $1 in
    --jobs) jobs=$2 && shift 2 ;;
    --seed) seed=$2 && shift 2 ;;
    --record) record=yes && shift ;;
    *) break ;;
    esac
done
case ${1:-} in
list)
    echo "${TABLE:1}"
    exit
    ;;
all) mapfile -t wanted < <(names) ;;
[0-9]*)
    mapfile -t wanted < <(names | "$project/tools/drawn.sh" "$1" $seed)
    echo "configurations.sh: drawn by ${seed:-HEAD}: ${wanted[*]}; make long runs all $(names | wc -l)"
    ;;
'')
    echo "usage: configurations.sh [--jobs N] [--seed S] [--record] all|list|COUNT|NAME..." >&2
    exit 2
    ;;
*) wanted=("$@") ;;
esac
for name in "${wanted[@]}"; do
    if [ -z "$(fewest "$name")" ]; then
        echo "configurations.sh: no configuration '$name'; configurations.sh list" >&2
        exit 2
    fi
done

objects=$(ccache --get-config cache_dir 2>/dev/null) # its own, where it is there
[ -d "$objects" ] || objects=
good=0 failed=0 skipped=0 work='' log=''
for name in "${wanted[@]}"; do
    run "$name"
done
echo "configurations: $good passed, $failed failed, $skipped skipped"
if [ -n "$record" ] && [ "$failed" = 0 ] && [ "${#wanted[@]}" = "$(names | wc -l)" ]; then
    echo "| $(git rev-parse --short HEAD) | $(date -u +%F) | $(. /etc/os-release && echo "$PRETTY_NAME") | $good passed, $skipped skipped |" >>"$project/docs/evidence/conformance.md"
fi
[ "$failed" = 0 ]
