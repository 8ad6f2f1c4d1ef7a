#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh CONSUMER VERSION: what consumer.c prints: 128 bytes in hex, and with which libtma.
set -eu

"$1" | {
    read -r map
    read -r linked
    [ "${#map}" = 256 ] && [ "$linked" = "libtma $2 linked" ] && ! read -r _ || {
        echo "run.sh: $1 prints '$map', '$linked'"
        exit 1
    }
}
"$1" >/dev/null # its exit status
