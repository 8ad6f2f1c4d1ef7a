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

static uint64_t pieces; /* from FIRST on, one behind the other */

int map_memory_range(uint64_t address, uint64_t *start, uint64_t *end) {
    const uint64_t which = (address - FIRST) / PIECE_B;
    *start = FIRST + which * PIECE_B;
    *end = *start + PIECE_B;
    return address >= FIRST && which < pieces;
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
        is_said(rows[i].what, reach, &rows[i].size_B, rows[i].said);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
