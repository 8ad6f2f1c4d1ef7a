#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# For the scripts of this folder, which read it (. results.sh) in the repository's root after they set `out`:
# a folder to work in ($work), summary.txt and output.txt begun anew in $out, what is said and judged.
# shellcheck disable=SC2034,SC2154 # its readers' variables
mkdir -p "$out"
work=$(mktemp -d)
summary=$out/summary.txt
: > "$summary"
: > "$out/output.txt"
failed=0
passed=0
say() { echo "$*" | tee -a "$summary"; }
judge() { # what happened, whether it is right
    if [ "$2" = 1 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    say "$([ "$2" = 1 ] && echo ok || echo FAILED): $1"
}
build_here() { # libtma and its command, $tma, without CMake; and what it runs with
    lab/hardware/kernels/build_alone.sh "$work" || { say "FAILED: the build of libtma"; exit 1; }
    export tma=$work/tma
    say "$("$tma" --version); $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null); $(nvcc --version | tail -1); Triton $(python3 -c 'import triton; print(triton.__version__)' 2>/dev/null || echo none)"
}
every_case() { # runs one() for each case that "$work/plain" lists, four at a time
    export -f one
    export work
    "$work/plain" list > "$work/cases"
    xargs -P 4 -I{} bash -c 'one {}' < "$work/cases"
}
