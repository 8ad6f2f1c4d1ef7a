#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run_hangs.sh OUT COMMAND...: runs COMMAND, which hangs; after a while has the driver write the GPU
# core dump OUT, and says what was seen. SECONDS_BEFORE=3: how long to wait; FLAGS: more of
# CUDA_COREDUMP_GENERATION_FLAGS, such as skip_global_memory,skip_constbank_memory.
out=$1
shift
pipe=/tmp/hang_pipe.$$
rm -f "$out" "$pipe"
CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1 CUDA_COREDUMP_PIPE=$pipe CUDA_COREDUMP_FILE=$out \
CUDA_COREDUMP_GENERATION_FLAGS=skip_abort${FLAGS:+,$FLAGS} CUDA_MODULE_LOADING=LAZY timeout "${SECONDS_AT_MOST:-60}" "$@" >"$out.said" 2>&1 &
program=$!
i=0
while [ $i -lt 200 ] && ! grep -q launch "$out.said" 2>/dev/null; do sleep 0.05; i=$((i + 1)); done
sleep "${SECONDS_BEFORE:-0.6}"
if kill -0 $program 2>/dev/null && [ -p "$pipe" ]; then
    printf x >"$pipe"
    hung=1
else
    hung=0
fi
wait $program
status=$?
rm -f "$pipe"
size=$(stat -c %s "$out" 2>/dev/null || echo 0)
echo "$(basename "$out" .nvcudmp): hung $hung, status $status, dump $size B: $(tr '\n' ' ' <"$out.said")"
rm -f "$out.said"
