#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# ask_gpu.sh FOLDER [SEED]: builds tma-conformance and the probes for the GPU that is here, asks it with new
# seeds, and leaves in FOLDER the report, what was printed, and the answered probes with libtma's
# beside them. Under five minutes on an H200 with 16 processors; needs nvcc and a C compiler.
# Exit status: 0 if all agrees.
set -uo pipefail

folder=$(realpath -m "${1:?a folder for the answers}")
seed=${2:-1001}
cd "$(dirname "$0")/../.." || exit 2
mkdir -p "$folder"
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
program=$objects/tma-conformance
chips=$(lab/hardware/chips.sh)
status=0

build_probes() {
    local chip=${chips%% *}
    local target="-gencode=arch=compute_$chip,code=sm_$chip"
    local source rooms
    rooms=$(find src/* text/* -type d -printf ' -I%p')
    for source in src/*/*.c text/*/*.c ptx/statement/*.c ptx/check/*.c; do
        # shellcheck disable=SC2086 # a list
        cc -std=c11 -O2 -D_GNU_SOURCE -DTMA_INSIDE -Iinclude -Iptx/statement -Iptx/check $rooms -c "$source" \
            -o "$objects/$(basename "$source").o" || return 1 &
    done
    wait
    nvcc -std=c++17 -O2 -Iinclude "$target" lab/hardware/probes/probe.cu "$objects"/*.c.o \
        -o "$objects/probe" -lcuda &&
        nvcc -std=c++20 -O2 -Iinclude lab/hardware/probes/probe_judge.cpp "$objects"/*.c.o \
            -o "$objects/probe-judge"
}

ask() { # PART COUNT SEED
    timeout 200 "$program" --part "$1" --count "$2" --seed "$3" --report "$folder/report-$1.txt" |
        tee "$folder/$1.txt" || status=1
}

echo "for $chips"
lab/hardware/build.sh "$program" || exit 2
ask encode 150000000 "$seed"
ask copies 300000 $((seed + 1))
ask replace 300000 $((seed + 2))
case $chips in *10[0-9]a* | *110a*) ask tcgen05 1000 $((seed + 3)) ;; esac
cat "$folder"/report-*.txt | gzip >"$folder/report.gz"
rm -f "$folder"/report-*.txt

if build_probes; then
    python3 lab/hardware/probes/probe_run.py "$objects/probe" "$folder/probes.gz" q14-multicast \
        q14-mask q18-address q18-wraps | tee "$folder/probes.txt"
    zcat "$folder/probes.gz" | "$objects/probe-judge" | tee "$folder/judge.txt" | tail -40
else
    status=1
fi
exit $status
