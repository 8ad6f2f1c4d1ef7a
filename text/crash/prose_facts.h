/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that sentences give a map.
 */
#ifndef TMA_PROSE_FACTS_H
#define TMA_PROSE_FACTS_H

#include "paste_parts.h"
#include "tma/crash.h"

/* What values that a part of a line names together break, if they break a rule; `dtype` is the type
 * that the text names, `swizzle` its swizzle, or UINT32_MAX. */
int prose_combo(const paste_line *line, size_t at, size_t end, uint32_t dtype, uint32_t swizzle,
                tma_crash_fact *out);

/* The swizzle that a part of a line names by its enumerator; UINT32_MAX if none, or several. */
uint32_t prose_swizzle_in(const paste_line *line);

/* "320x32 load": the largest of the sizes that a copy is said to have; what they take, or 0. */
size_t prose_product(const paste_line *line, size_t at, uint64_t *largest);

/* Sizes in a report's source text and lists (prose_sizes.c). */
#define PROSE_NO_TYPE UINT32_MAX
enum {
    PROSE_ASKS_ROWS = 1,
    PROSE_ASKS_PROBLEM = 2,
    PROSE_ASKS_VIEWS = 4,
    PROSE_ASKS_WHERE_NAMED = 8,
    PROSE_ASKS_STRIDES = 16
};

typedef struct prose_sizes {
    const char *text; /* all of it */
    size_t size;
    uint32_t asked; /* PROSE_ASKS_ */
    uint32_t dtype; /* the one type of the whole text, or PROSE_NO_TYPE */
    tma_crash_fact_visit visit;
    void *context;
    size_t count;
} prose_sizes;

/* What the text's failure asks of sizes, by its rows. */
uint32_t prose_asked(const char *text, size_t size);

/* Whether the line gives something that is no operand: a mesh, a loss. */
int prose_is_of_no_operand(const paste_line *line);

void prose_read_sizes(prose_sizes *s, const paste_line *line);

/* The type that a part of a line names; PROSE_NO_TYPE if none, or several. */
uint32_t prose_dtype_in(const paste_line *line, size_t from, size_t to);

/* Whether a row, or a stride, of so many elements breaks a rule; of 2 bytes where no type is known.
 * `at` to `end`: where it stands. */
int prose_row_fact(const paste_line *line, size_t at, size_t end, uint64_t elements, uint32_t dtype,
                   tma_crash_fact *out);

/* Whether a view that begins so many elements into memory does. */
int prose_view_fact(const paste_line *line, size_t at, size_t end, uint64_t elements,
                    uint32_t dtype, tma_crash_fact *out);

#endif
