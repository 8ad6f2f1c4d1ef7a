/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables that tma list prints: columns of text, so that text and JSON come from one place.
 */
#ifndef CLI_LIST_TOPICS_H
#define CLI_LIST_TOPICS_H

#include <stddef.h>

#define LIST_MOST_COLUMNS 9
#define LIST_CELL_SIZE    512

typedef struct list_row {
    char cell[LIST_MOST_COLUMNS][LIST_CELL_SIZE];
} list_row;

/* Fills in row i; 0 behind the last. */
typedef int (*list_fill)(size_t i, list_row *row);

typedef struct list_topic {
    const char *name;
    const char *summary;
    const char *columns[LIST_MOST_COLUMNS]; /* headings, also JSON's keys; null behind the last */
    list_fill fill;
    const char *(*group)(size_t i); /* heading of the group that row i is in, or null */
} list_topic;

/* Null behind the last. */
const list_topic *list_topic_at(size_t i);

#endif
