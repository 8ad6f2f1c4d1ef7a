/* SPDX-License-Identifier: Apache-2.0
 *
 * The swizzles as PTX ISA 5.5.7 prints them: tables of 16-byte pieces, one row for each line of 128
 * bytes of shared memory. Typed off the document, not made from the library's exclusive ors.
 */
#ifndef TESTS_SWIZZLE_TABLES_H
#define TESTS_SWIZZLE_TABLES_H

#include <stddef.h>
#include <tma/spec.h>

struct swizzle_table {
    uint32_t swizzle; /* tma_swizzle */
    const char *name;
    uint32_t lines;      /* rows of the table: after them the pattern repeats */
    uint32_t boundary_B; /* "starting address of the repeating pattern" */
    uint32_t align_B;    /* "requires ... alignment at shared memory"; 128 where nothing is said */
    int flip;            /* adjacent 8 bytes change places at every alternate line */
    uint8_t piece[8][8]; /* the source's piece that lies at [line][place] */
};

extern const struct swizzle_table swizzle_tables[];
extern const size_t swizzle_table_count;

const struct swizzle_table *swizzle_table_of(uint32_t swizzle);

/* Where the table puts a byte that lies at this shared address before the swizzle. The line is
 * (address / 128) modulo the lines: the document's base offset. */
uint32_t swizzle_table_place(const struct swizzle_table *table, uint32_t address);

#endif
