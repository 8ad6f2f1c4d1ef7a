/* SPDX-License-Identifier: Apache-2.0
 *
 * The fields in which two maps differ.
 */
#ifndef CLI_MAP_DIFF_H
#define CLI_MAP_DIFF_H

#include "judge.h"

/* One difference; "-" where one of the maps has no such field. */
typedef struct difference {
    char name[40];
    char a[64];
    char b[64];
} difference;

#define MAP_MOST_DIFFERENCES 128 /* all fields, and 32 words of bits that no field owns */

/* Returns how many there are; every differing bit is in one of them. */
size_t map_diff(const judged *a, const judged *b, difference out[MAP_MOST_DIFFERENCES]);

#endif
