#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# drawn.sh COUNT [SEED]: so many of the lines of standard input, drawn by the seed, which is HEAD's
# number unless given: the same for the same commit. For what does not fit into CI's time as a whole.
set -euo pipefail
cd "$(dirname "$0")/.."
seed=${2:-$(git rev-parse --short=8 HEAD 2>/dev/null || echo 1)}
while read -r name; do
    echo "$(echo "$seed $name" | cksum | cut -d ' ' -f 1) $name"
done | sort -n | sed -n "1,$1p" | cut -d ' ' -f 2-
