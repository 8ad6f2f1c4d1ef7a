#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# longest_tests.sh BUILD: the eight tests of the last run of ctest there that took longest.
awk '/^[0-9]+\/[0-9]+ Test: / { name = $3 } /^Test time =/ { print $4, name }' "$1/Testing/Temporary/LastTest.log" |
    sort -rn | head -n 8 | awk '{ printf "%s%s %d s", (NR > 1 ? ", " : ""), $2, $1 }'
