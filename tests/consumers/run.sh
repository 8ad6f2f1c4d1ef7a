#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh CONSUMER EXPRESSION: it ends with 0, and all that it prints, its lines joined by a blank,
# is the expression.
set -eu

said=$("$1" | tr '\n' ' ')
if ! "$1" >/dev/null; then
    echo "run.sh: $1 ends with $?, and prints: $said"
    exit 1
fi
if ! echo "$said" | grep -Exq "$2 *"; then
    echo "run.sh: $1 prints: $said, not: $2"
    exit 1
fi
