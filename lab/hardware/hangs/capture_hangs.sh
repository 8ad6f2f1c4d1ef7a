#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# capture_hangs.sh TMA FOLDER: runs each kernel of hangs.py under `TMA capture` on this machine's GPU, side by side, into
# FOLDER/NAME/0001.launch. One that has not ended 10 s after its launch was written, or 100 s after its start, is
# killed: FOLDER/NAME/log.txt says so, or how it ended. Exit status: 1 where a launch is missing.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
tma=$(realpath "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)

capture() {
    local to=$folder/$1 began=$SECONDS launched=
    mkdir -p "$to"
    export TRITON_CACHE_DIR=$to/triton CUPY_CACHE_DIR=$to/cupy
    setsid "$tma" capture -o "$to" python3 "$here/hangs.py" "$1" >"$to/log.txt" 2>&1 &
    local pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.5
        [ -z "$launched" ] && [ -e "$to/0001.launch" ] && launched=$SECONDS
        if [ $((SECONDS - ${launched:-$((SECONDS - 1))})) -ge 10 ] || [ $((SECONDS - began)) -ge 100 ]; then
            kill -KILL -- "-$pid"
            echo "hangs: killed after $((SECONDS - began)) s" >>"$to/log.txt"
            return
        fi
    done
    wait "$pid"
    echo "exit status $? after $((SECONDS - began)) s" >>"$to/log.txt"
}

names=$(python3 "$here/hangs.py")
for name in $names; do
    capture "$name" &
done
wait
status=0
for name in $names; do
    [ -e "$folder/$name/0001.launch" ] || status=1
    echo "$name: $(tail -n 1 "$folder/$name/log.txt")"
done
exit $status
