/* SPDX-License-Identifier: Apache-2.0
 *
 * Which allocations a captured launch leads to, where a driver has memory in pieces.
 */
#include "aside.h"
#include "captured_memory.h"
#include "map_memory.h"
#include "support/testing.h"

#define FIRST   0x100000u
#define PIECE_B 0x1000u

static uint64_t pieces;   /* from FIRST on, one behind the other */
static uint64_t hole;     /* the number of one that is not there; 0: none */
static uint64_t reserved; /* how many are of the same addresses */

int map_memory_range(uint64_t address, uint64_t *start, uint64_t *end) {
    const uint64_t which = (address - FIRST) / PIECE_B;
    *start = FIRST + which * PIECE_B;
    *end = *start + PIECE_B;
    return address >= FIRST && which < pieces && (!hole || which != hole);
}

int map_memory_reserved(uint64_t address, uint64_t *start, uint64_t *end) {
    *start = FIRST + (address - FIRST) / PIECE_B / reserved * reserved * PIECE_B;
    *end = *start + reserved * PIECE_B;
    return map_memory_range(address, &(uint64_t){0}, &(uint64_t){0});
}

static void reach(const void *context) {
    static struct captured_memory m;
    const uint64_t *size_B = context;
    captured_memory_begin(&m, 0, NULL);
    captured_memory_reach(&m, FIRST + 16, *size_B);
    captured_memory_reach(&m, FIRST + 16, *size_B); /* each is there once */
    say("%u, the last ends at %llx\n", m.allocations,
        (unsigned long long)(m.allocations ? m.allocation[m.allocations - 1].end : 0));
}

static const struct {
    const char *what;
    uint64_t pieces, size_B;
    const char *said;
} rows[] = {
    {"none", 0, 16, "0, the last ends at 0\n"},
    {"one of several", 4, PIECE_B - 16, "1, the last ends at 101000\n"},
    {"a byte of the second", 4, PIECE_B - 15, "2, the last ends at 102000\n"},
    {"all", 4, UINT64_C(4) * PIECE_B, "4, the last ends at 104000\n"},
    {"as many as there may be", 512, UINT64_MAX, "512, the last ends at 300000\n"},
    {"more", 514, UINT64_MAX,
     "libtma: a launch leads to more than 512 allocations: the others are not in its file\n"
     "512, the last ends at 300000\n"},
};

static void test_pieces(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        pieces = rows[i].pieces;
        reserved = pieces + 1;
        is_said(rows[i].what, reach, &rows[i].size_B, rows[i].said);
    }
}

static void point(const void *context) {
    static struct captured_memory m;
    captured_memory_begin(&m, 0, NULL);
    captured_memory_add(&m, FIRST + *(const uint64_t *)context * PIECE_B + 8);
    for (uint32_t i = 0; i < m.allocations; i++) {
        say("%llu ", (unsigned long long)((m.allocation[i].start - FIRST) / PIECE_B));
    }
}

static const struct {
    const char *what;
    uint64_t pieces, hole, reserved, to;
    const char *said;
} pointers[] = {
    {"allocations next to one another", 6, 0, 1, 3, "3 "},
    {"pieces", 6, 0, 8, 3, "3 4 5 2 1 0 "},
    {"pieces of two reservations", 6, 0, 4, 2, "2 3 1 0 "},
    {"those behind a hole are not next to it", 6, 2, 8, 4, "4 5 3 "},
    {"nothing", 6, 2, 8, 2, ""},
};

static void test_pointers(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(pointers); i++) {
        pieces = pointers[i].pieces;
        hole = pointers[i].hole;
        reserved = pointers[i].reserved;
        is_said(pointers[i].what, point, &pointers[i].to, pointers[i].said);
    }
    hole = 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
