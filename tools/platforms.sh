#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# platforms.sh [--jobs N] [list|NAME ...]: builds libraries, command and test programs for other
# processors, C libraries and systems, runs them under an emulator, and closes with a line each: the
# rows of the README's table. Without a name all of them, one after the other; "list" prints the names.
# Exit status 77: no platform could be tried; 1: something failed.
# TMA_TEST_SPECS is 2,000 unless set; the vectors are all of them. Without TMA_TEST_SHARE, which make
# test-all sets, the tests of the label rare run, too: ten million specs for one of them.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

# 32-bit x86 runs here itself: qemu-i386 7.2 stops for ever in any program with threads.
i386='/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib'
# name | compiler | CMake's system and processor | runs a program | flags of compiler | of linker
table="
aarch64   | aarch64-linux-gnu-gcc  | Linux aarch64  | qemu-aarch64-static -L /usr/aarch64-linux-gnu |  |
s390x     | s390x-linux-gnu-gcc    | Linux s390x    | qemu-s390x-static -L /usr/s390x-linux-gnu     |  |
riscv64   | riscv64-linux-gnu-gcc  | Linux riscv64  | qemu-riscv64-static -L /usr/riscv64-linux-gnu |  |
i686-sse2 | i686-linux-gnu-gcc     | Linux i686     | $i386 | -msse2 -mfpmath=sse |
i686-x87  | i686-linux-gnu-gcc     | Linux i686     | $i386 | -march=i686 -mfpmath=387 |
musl      | musl-gcc               | Linux x86_64   |      |  | -static
mingw-w64 | x86_64-w64-mingw32-gcc | Windows x86_64 | wine | -D__USE_MINGW_ANSI_STDIO=1 -Wno-format -Wno-format-extra-args | -static
"
export TMA_TEST_SPECS=${TMA_TEST_SPECS:-2000} WINEDEBUG=${WINEDEBUG:--all}
jobs=$(nproc)
if [ "${1:-}" = --jobs ]; then
    jobs=$2
    shift 2
fi
lines=() tried=0 failed=0

row() { # NAME FIELD
    awk -F'|' -v name="$1" -v field="$2" '{gsub(/^ +| +$/, "", $1); gsub(/^ +| +$/, "", $field)}
        $1 == name {print $field}' <<<"$table"
}

configure() { # NAME
    local folder=build-platform/$1 libraries=build-platform/$1-libraries cc system emulator flags link
    cc=$(row "$1" 2) system=$(row "$1" 3) emulator=$(row "$1" 4) flags=$(row "$1" 5) link=$(row "$1" 6)
    local machine=(-D CMAKE_SYSTEM_NAME="${system% *}" -D CMAKE_SYSTEM_PROCESSOR="${system#* }")
    CFLAGS=$flags tools/platform_libraries.sh "$libraries" "$cc" "${machine[@]}" || return
    export PKG_CONFIG_LIBDIR=$PWD/$libraries/lib/pkgconfig
    tools/configure.sh "$folder" "${machine[@]}" -D CMAKE_C_COMPILER="$cc" -D CMAKE_C_FLAGS="$flags" \
        -D CMAKE_EXE_LINKER_FLAGS="$link" -D CMAKE_CROSSCOMPILING_EMULATOR="${emulator// /;}" \
        -D CMAKE_FIND_ROOT_PATH_MODE_LIBRARY=NEVER -D CMAKE_FIND_ROOT_PATH_MODE_INCLUDE=NEVER \
        -D LIBTMA_PROGRAMS_ONLY=ON -D LIBTMA_BUILD_TESTS=ON -D LIBTMA_CAIRO=OFF \
        -D ZLIB_LIBRARY="$PWD/$libraries/lib/libz.a" -D ZLIB_INCLUDE_DIR="$PWD/$libraries/include"
}

replay() { # NAME: the recorded lines, through the command; prints "N passed, N failed"
    local command=build-platform/$1/tma emulator
    [ -x "$command" ] || { echo "command left out"; return 0; }
    read -ra emulator <<<"$(row "$1" 4)"
    zcat tests/vectors/{encode,replace,copy,reduce}*.gz | "${emulator[@]}" "$command" replay --check | tail -1
}

try() { # NAME
    local folder=build-platform/$1 began=$SECONDS status log tests replayed
    echo "== $1 =="
    configure "$1"
    status=$?
    if [ $status = 77 ]; then
        lines+=("$1 | left out")
        return
    fi
    tried=$((tried + 1))
    if [ $status != 0 ] || ! tools/compile.sh "$folder" "$jobs"; then
        lines+=("$1 | does not build")
        failed=$((failed + 1))
        return
    fi
    log=$folder/tests.log
    ctest --test-dir "$folder" -j "$jobs" --no-tests=error -LE "slow${TMA_TEST_SHARE:+|rare}" --output-on-failure | tee "$log"
    status=$?
    tests=$(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\2 test programs, \1 failed/p' "$log")
    replayed=$(replay "$1")
    case $replayed in *[1-9]*" passed, 0 failed" | 'command left out') ;; *) status=1 ;; esac
    [ $status = 0 ] || failed=$((failed + 1))
    lines+=("$1 | ${tests:-no test ran} | ${replayed:-replay ended without a count} | $((SECONDS - began)) s")
}

all_names() {
    awk -F'|' 'NF > 1 {gsub(/ /, "", $1); print $1}' <<<"$table"
}

if [ "${1:-}" = list ]; then
    all_names
    exit
fi
names=("$@")
[ ${#names[@]} != 0 ] || mapfile -t names < <(all_names)
for name in "${names[@]}"; do
    cc=$(row "$name" 2)
    [ -n "$cc" ] || { echo "platforms.sh: no platform '$name'" >&2; exit 2; }
    read -ra emulator <<<"$(row "$name" 4)"
    missing=
    for program in "$cc" "${emulator[@]:0:1}"; do
        command -v "$program" >/dev/null || missing="$missing $program"
    done
    if [ -n "$missing" ]; then
        lines+=("$name | left out, missing:$missing (as root: tools/deps.sh platform)")
        continue
    fi
    try "$name"
done
echo
printf '%s\n' "${lines[@]}"
[ $failed = 0 ] || exit 1
[ $tried != 0 ] || exit 77
