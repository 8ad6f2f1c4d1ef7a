/* SPDX-License-Identifier: Apache-2.0
 *
 * What is odd about 128 bytes, with the numbers: TMA_ODD_* of tma/map.h, and bit 21 where a target
 * was named.
 */
#ifndef CLI_JUDGE_H
#define CLI_JUDGE_H

#include <jansson.h>
#include <stdio.h>

#include "color.h"
#include "target_args.h"
#include "tma/map.h"

#define JUDGE_ODDITIES 12 /* the bits of TMA_ODD_ALL, and bit 21 */

typedef struct oddity {
    const char *name; /* "box_bytes" */
    char text[512];
} oddity;

/* A map with all that is said about it. */
typedef struct judged {
    tma_map map;
    tma_decoded decoded;
    oddity odd[JUDGE_ODDITIES];
    size_t count;
    int has_bytes;   /* whether encoding the spec gives the same 128 bytes back */
    int needs_force; /* which takes --force */
} judged;

/* `target` decides about bit 21 if it was given on the command line. */
void judge_map(judged *judged, const tma_map *map, const target_args *target);

int judged_has(const judged *judged, const char *oddity_name);

/* One line for each oddity, behind `before` ("", "A: "). */
void judge_print(FILE *out, const judged *judged, const char *before, const color_set *colors);

json_t *judge_json(const judged *judged);

#endif
