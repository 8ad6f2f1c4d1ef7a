#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# demo.sh TMA: the main job on the map of a real kernel: the bf16 operand of a Hopper GEMM, 4096
# wide, in tiles of 64 x 128 with the 128-byte swizzle. Then the mistake that everybody makes once,
# and at last a load.
set -euo pipefail

cd "$(dirname "$0")/.."
tma=$1
tensor=(--dtype bfloat16 --address 0x7f0000000000 --dim "4096,8192" --stride 8192)

say() {
    printf '\n\033[1m# %s\033[0m\n' "$*" | if [ -t 1 ]; then cat; else sed 's/\x1b\[[0-9]*m//g'; fi
}

run() { # EXPECTED-EXIT-CODE ARGUMENT...
    local expected=$1 status=0
    shift
    printf '$ tma %s\n' "$*"
    "$tma" "$@" || status=$?
    if [ "$status" != "$expected" ]; then
        echo "demo.sh: exit code $status, expected $expected" >&2
        exit 1
    fi
}

say "A tile of 64 x 128 elements: is the map right?"
run 0 check "${tensor[@]}" --box 64,128 --swizzle 128B --l2 256B

say "The 128 bytes that cuTensorMapEncodeTiled would write"
run 0 encode "${tensor[@]}" --box 64,128 --swizzle 128B --l2 256B

say "Read back, as if they came out of a debugger"
printf '$ tma encode ... | tma decode -\n'
"$tma" encode "${tensor[@]}" --box 64,128 --swizzle 128B --l2 256B | "$tma" decode -

say "Now a tile of 128 x 128: CUDA_ERROR_INVALID_VALUE, and nothing else, says the driver"
run 1 check "${tensor[@]}" --box 128,128 --swizzle 128B --l2 256B

say "Who says so?"
run 0 explain inner-span

say "The right map at work: one load at the tensor's lower edge, and what lies where in shared memory"
run 0 load "${tensor[@]}" --box 64,128 --swizzle 128B --l2 256B --coord 64,8128 --lines 16

say "The same load as a picture: build/demo.svg"
run 0 draw copy "${tensor[@]}" --box 64,128 --swizzle 128B --l2 256B --coord 64,8128 --row 56 \
    --lines 16 --out build/demo.svg

say "A kernel executed: thread 0 loads the tile, the others read it and do not wait"
run 1 emulate tests/golden/inputs/emulate_tile.ptx --kernel waits_not --param out=zeros:512 \
    --map 'map=--dtype float16 --dim 64,32 --box 64,32'

say "To try by typing, with pictures: make page, then open build/page/index.html in a browser"
