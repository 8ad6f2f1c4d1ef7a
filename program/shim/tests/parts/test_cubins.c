/* SPDX-License-Identifier: Apache-2.0
 *
 * Cubins that are drawn: which of their kernels have tensor copies; cut and damaged ones; and the
 * PTX that is kept for a cubin.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "careful_read.h"
#include "compiled_code.h"
#include "machine_code.h"
#include "support/exact_memory.h"
#include "support/gen/random.h"
#include "support/guard_page.h"
#include "support/testing.h"

#define HEAD_B    64
#define ROW_B     64
#define ROWS      6
#define CODE      1
#define STRINGS   3
#define WHOLE_B   (1 << 18)
#define PIECE_B   4096 /* in which code is read */
#define MOST_B    (UINT64_C(1) << 30)
#define OWN       "libtma"
#define OWN_B     (sizeof(OWN) - 1)
#define COPIES    8
#define NAMES     "\0.text.kernel\0.rela.text.kernel\0.text"
#define KERNEL    1
#define NO_KERNEL 15
#define SHORT     33

/* The lowest 12 bits of an instruction that copies. */
static const uint16_t copies[COPIES] = {0x3B4, 0x3B5, 0x3B6, 0x3B8, 0x5B4, 0x5B5, 0x5B6, 0x5B8};

struct row {
    uint32_t name, type;
    uint64_t at, size_B;
};

struct cubin {
    uint64_t rows_at;
    uint16_t row_B, count, names;
    struct row row[ROWS];
};

static void put_cubin(uint8_t *to, const struct cubin *c) {
    memcpy(to,
           "\x7f"
           "ELF\x02\x01",
           6);
    to[6] = 1;
    memcpy(to + 40, &c->rows_at, 8);
    memcpy(to + 58, &c->row_B, 2);
    memcpy(to + 60, &c->count, 2);
    memcpy(to + 62, &c->names, 2);
    for (unsigned i = 0; i < c->count && i < ROWS; i++) {
        uint8_t *row = to + c->rows_at + (size_t)i * ROW_B;
        memcpy(row, &c->row[i].name, 4);
        memcpy(row + 4, &c->row[i].type, 4);
        memcpy(row + 24, &c->row[i].at, 8);
        memcpy(row + 32, &c->row[i].size_B, 8);
    }
}

static void put_copy(uint8_t *unit, uint16_t which) {
    unit[0] = (uint8_t)which;
    unit[1] = (uint8_t)(0xF0 | which >> 8);
}

/* One kernel of so many bytes, and the names. */
static struct cubin one_kernel(uint64_t size_B) {
    return (struct cubin){
        HEAD_B,
        ROW_B,
        2,
        0,
        {{0, STRINGS, HEAD_B + 2 * ROW_B, sizeof(NAMES)}, {KERNEL, CODE, 512, size_B}}};
}

/* As a whole file that ends where memory does. */
static uint32_t unchecked(struct guard_arena *arena, const struct cubin *c, size_t size_B,
                          uint8_t **at) {
    *at = guard_arena_place(arena, size_B, 1);
    memset(*at, 0, size_B);
    put_cubin(*at, c);
    memcpy(*at + c->row[c->names].at, NAMES, sizeof(NAMES));
    return machine_code_unchecked(*at, size_B);
}

static void test_which_instructions_copy(void **state) {
    const struct cubin c = one_kernel(16);
    struct guard_arena arena;
    uint8_t *at = NULL;
    (void)state;
    guard_arena_make(&arena, WHOLE_B);
    assert_int_equal(unchecked(&arena, &c, 512 + 16, &at), 0);
    for (uint32_t word = 0; word < 0x10000; word++) {
        int is_copy = 0;
        for (unsigned i = 0; i < COPIES; i++) {
            is_copy |= (word & 0xFFF) == copies[i];
        }
        at[512] = (uint8_t)word;
        at[513] = (uint8_t)(word >> 8);
        assert_int_equal(machine_code_unchecked(at, 512 + 16), is_copy);
    }
    guard_arena_free(&arena);
}

/* A copy at each place of codes as long as up to three pieces; in a unit that is cut, it is none.
 */
static void test_where_they_are(void **state) {
    struct random_source r = {.state = 1};
    struct guard_arena arena;
    uint8_t *at = NULL;
    (void)state;
    guard_arena_make(&arena, WHOLE_B);
    for (int round = 0; round < 400; round++) {
        const size_t pieces_B = PIECE_B * (size_t)random_below(&r, 3);
        const size_t size_B = pieces_B + (size_t)random_in(&r, 0, 40);
        const struct cubin c = one_kernel(size_B);
        assert_int_equal(unchecked(&arena, &c, 512 + size_B, &at), 0);
        for (size_t unit = size_B > 96 && size_B > pieces_B + 16 ? pieces_B - 32 * (pieces_B != 0)
                                                                 : 0;
             unit < size_B; unit += 16) {
            uint8_t before[2];
            if (unit + 2 > size_B) {
                break;
            }
            memcpy(before, at + 512 + unit, 2);
            put_copy(at + 512 + unit, copies[random_below(&r, COPIES)]);
            assert_int_equal(machine_code_unchecked(at, 512 + size_B), unit + 16 <= size_B);
            memcpy(at + 512 + unit, before, 2);
        }
        if (size_B >= 32) { /* not where a unit begins */
            put_copy(at + 512 + 8, copies[0]);
            assert_int_equal(machine_code_unchecked(at, 512 + size_B), 0);
        }
    }
    guard_arena_free(&arena);
}

static void test_names_of_checks(void **state) {
    struct random_source r = {.state = 2};
    struct guard_arena arena;
    uint8_t *at = NULL;
    (void)state;
    guard_arena_make(&arena, WHOLE_B);
    for (int round = 0; round < 400; round++) {
        const size_t names_B = PIECE_B * (size_t)random_below(&r, 3) + (size_t)random_in(&r, 0, 40);
        struct cubin c = one_kernel(16);
        c.count = 3;
        c.row[0].at += ROW_B;
        c.row[2] = (struct row){0, STRINGS, 1024, names_B};
        assert_int_equal(unchecked(&arena, &c, 1024 + names_B, &at), 0);
        put_copy(at + 512, copies[0]);
        assert_int_equal(machine_code_unchecked(at, 1024 + names_B), 1);
        const size_t near = PIECE_B * (size_t)random_in(&r, 0, 2) + (size_t)random_below(&r, 20);
        const size_t place = near > 14 ? near - 14 : near;
        for (size_t cut = 0; cut < 2 && place + OWN_B - cut <= names_B; cut++) {
            memset(at + 1024, 'x', names_B);
            memcpy(at + 1024 + place, OWN, OWN_B - cut);
            assert_int_equal(machine_code_unchecked(at, 1024 + names_B), cut);
        }
        if (names_B >= OWN_B) {
            memset(at + 1024, 'x', names_B);
            memcpy(at + 1024 + names_B - OWN_B, OWN, OWN_B);
            assert_int_equal(machine_code_unchecked(at, 1024 + names_B), 0);
        }
    }
    guard_arena_free(&arena);
}

static const struct odd {
    const char *what;
    size_t at, size_B; /* written over in a cubin with a kernel that copies */
    uint64_t value;
    uint32_t found;
} odd[] = {
    {"as it is", 6, 1, 1, 1},
    {"version", 6, 1, 2, 1},
    {"magic", 0, 1, 0x7e, 0},
    {"magic", 3, 1, 'E', 0},
    {"32 bits", 4, 1, 1, 0},
    {"big endian", 5, 1, 2, 0},
    {"rows of 63", 58, 2, 63, 0},
    {"rows of 65", 58, 2, 65, 0},
    {"no row", 60, 2, 0, 0},
    {"one row", 60, 2, 1, 0},
    {"more rows than there are", 60, 2, 0xFFFF, 1},
    {"names elsewhere", 62, 2, 1, 0},
    {"names nowhere", 62, 2, 0xFFFF, 0},
    {"rows nowhere", 40, 8, UINT64_MAX - 63, 0},
    {"rows beyond", 40, 8, MOST_B + 1, 0},
    {"the names' text nowhere", HEAD_B + 24, 8, UINT64_MAX - 200, 0},
    {"names that are no text", HEAD_B + 4, 4, CODE, 1},
    {"a section for relocations", HEAD_B + ROW_B, 4, NO_KERNEL, 0},
    {"a section .text alone", HEAD_B + ROW_B, 4, SHORT, 0},
    {"a section with no name", HEAD_B + ROW_B, 4, 0, 0},
    {"a name nowhere", HEAD_B + ROW_B, 4, UINT32_MAX, 0},
    {"no code", HEAD_B + ROW_B + 4, 4, 8, 0},
    {"code nowhere", HEAD_B + ROW_B + 24, 8, 1024, 0},
    {"code beyond", HEAD_B + ROW_B + 24, 8, UINT64_MAX - 15, 0},
    {"15 bytes of code", HEAD_B + ROW_B + 32, 8, 15, 0},
    {"less code than it says", HEAD_B + ROW_B + 32, 8, 8192, 0},
    {"as much code as may be", HEAD_B + ROW_B + 32, 8, MOST_B, 0},
    {"more code than may be", HEAD_B + ROW_B + 32, 8, MOST_B + 1, 0},
    {"names longer than they are", HEAD_B + 32, 8, 8192, 1},
};

static void test_odd_ones(void **state) {
    const struct cubin c = one_kernel(16);
    struct guard_arena arena;
    uint8_t *at = NULL;
    (void)state;
    guard_arena_make(&arena, WHOLE_B);
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        const uint64_t value = odd[i].value;
        const uint32_t four = (uint32_t)value;
        const uint16_t two = (uint16_t)value;
        const uint8_t one = (uint8_t)value;
        (void)unchecked(&arena, &c, 512 + 16, &at);
        put_copy(at + 512, copies[3]);
        memcpy(at + odd[i].at,
               odd[i].size_B == 8   ? (const void *)&value
               : odd[i].size_B == 4 ? (const void *)&four
               : odd[i].size_B == 2 ? (const void *)&two
                                    : &one,
               odd[i].size_B);
        for (int is_said = 0; is_said < 2; is_said++) {
            const uint32_t found = machine_code_unchecked(at, is_said ? 512 + 16 : SIZE_MAX);
            if (found != odd[i].found) {
                fail_msg("%s: %u instead of %u", odd[i].what, found, odd[i].found);
            }
        }
    }
    guard_arena_free(&arena);
}

/* With each number of bytes that there can be: said, or found out. */
static void test_cut_ones(void **state) {
    const struct cubin c = {HEAD_B,
                            ROW_B,
                            4,
                            1,
                            {{KERNEL, CODE, 512, 32},
                             {0, STRINGS, 384, sizeof(NAMES)},
                             {KERNEL, CODE, 544, 16},
                             {NO_KERNEL, CODE, 512, 16}}};
    struct guard_arena arena;
    uint8_t whole[560];
    uint8_t *at = NULL;
    (void)state;
    guard_arena_make(&arena, WHOLE_B);
    (void)unchecked(&arena, &c, sizeof(whole), &at);
    put_copy(at + 512, copies[1]);
    put_copy(at + 544, copies[2]);
    memcpy(whole, at, sizeof(whole));
    for (size_t cut = 0; cut <= sizeof(whole); cut++) {
        const uint32_t found = (cut >= 544) + (cut >= 560);
        uint8_t *there = guard_arena_place(&arena, cut, 1);
        memcpy(there, whole, cut);
        assert_int_equal(machine_code_unchecked(there, SIZE_MAX), found);
        assert_int_equal(machine_code_unchecked(there, cut), found);
        assert_int_equal(machine_code_unchecked(whole, cut), found);
    }
    guard_arena_free(&arena);
}

/* No byte behind the first GiB is looked at, though memory is there. */
static void test_far_ones(void **state) {
    static const struct {
        uint64_t rows_at, code_at, size_B;
        uint32_t found;
    } cases[] = {
        {HEAD_B, MOST_B, 16, 1},      {HEAD_B, MOST_B + 1, 16, 0}, {HEAD_B, 512, MOST_B, 1},
        {HEAD_B, 512, MOST_B + 1, 0}, {MOST_B - 128, 512, 16, 1},  {MOST_B - 64, 512, 16, 1},
        {MOST_B - 63, 512, 16, 0},
    };
    const size_t size_B = (size_t)MOST_B + 65536;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct cubin c = one_kernel(cases[i].size_B);
        uint8_t *at = mmap(NULL, size_B, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        assert_ptr_not_equal(at, MAP_FAILED);
        c.rows_at = cases[i].rows_at;
        c.row[1].at = cases[i].code_at;
        put_cubin(at, &c);
        memcpy(at + c.row[0].at, NAMES, sizeof(NAMES));
        put_copy(at + cases[i].code_at, copies[0]);
        assert_int_equal(machine_code_unchecked(at, SIZE_MAX), cases[i].found);
        munmap(at, size_B);
    }
}

/* --- PTX that is kept --- */

#define CUBIN_B 100
#define TEXT_B  151 /* a block of it is one of whole words */
#define KEPT_B  (UINT64_C(256) << 20)

static void test_what_is_kept(void **state) {
    struct guard_arena arena;
    uint8_t cubin[CUBIN_B];
    char text[TEXT_B];
    (void)state;
    exact_memory_begins();
    memset(cubin, 1, CUBIN_B);
    memset(text, 'a', TEXT_B);
    assert_null(compiled_code_text(cubin, CUBIN_B));
    for (uint8_t i = 0; i < 3; i++) { /* of one head */
        cubin[64] = i;
        text[0] = (char)('a' + i);
        compiled_code_keep(cubin, CUBIN_B, text, TEXT_B);
    }
    guard_arena_make(&arena, CUBIN_B);
    for (uint8_t i = 0; i < 3; i++) {
        uint8_t *at = guard_arena_place(&arena, CUBIN_B, 1);
        memset(at, 1, CUBIN_B);
        at[64] = i;
        const char *kept = compiled_code_text(at, CUBIN_B);
        text[0] = (char)('a' + i);
        assert_non_null(kept);
        assert_memory_equal(kept, text, TEXT_B);
        assert_int_equal(kept[TEXT_B], 0);
        assert_ptr_equal(compiled_code_text(at, SIZE_MAX), kept);
        assert_null(compiled_code_text(at, CUBIN_B - 1));
        compiled_code_keep(at, CUBIN_B, "other", 5); /* is kept already */
        assert_ptr_equal(compiled_code_text(at, CUBIN_B), kept);
        assert_null(compiled_code_text(at + 1, SIZE_MAX));
        at[99]++;
        assert_null(compiled_code_text(at, CUBIN_B));
        at[99]--;
        at[63]++;
        assert_null(compiled_code_text(at, CUBIN_B));
    }
    assert_int_equal(exact_memory_blocks(), 3);
    guard_arena_free(&arena);
}

static void test_what_is_not_kept(void **state) {
    struct guard_arena arena;
    (void)state;
    exact_memory_begins();
    guard_arena_make(&arena, CUBIN_B);
    uint8_t *at = guard_arena_place(&arena, CUBIN_B, 1);
    memset(at, 2, CUBIN_B);
    compiled_code_keep(at, 63, "x", 1);
    compiled_code_keep(at, CUBIN_B, "x", (size_t)KEPT_B + 1);
    compiled_code_keep(at + CUBIN_B - 63, CUBIN_B, "x", 1); /* is not there */
    exact_memory_ends_after(0);
    compiled_code_keep(at, CUBIN_B, "x", 7);
    exact_memory_ends_after(-1);
    assert_int_equal(exact_memory_blocks(), 0);
    assert_null(compiled_code_text(at, CUBIN_B));
    assert_null(compiled_code_text(at, 63));
    compiled_code_keep(at, 64, "1234567", 7); /* a head and no more */
    assert_string_equal(compiled_code_text(at, 64), "1234567");
    exact_memory_ends_after(0);
    assert_null(compiled_code_text(at, 64)); /* there is no memory to compare it in */
    exact_memory_ends_after(-1);
    guard_arena_free(&arena);
}

/* 256 MiB in all; what goes beyond leaves the room to others. */
static void test_most_that_is_kept(void **state) {
    const size_t much_B = (size_t)(KEPT_B / 2) - 1; /* and 471 that are kept */
    uint8_t cubin[CUBIN_B];
    const char *much =
        mmap(NULL, (size_t)KEPT_B, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    (void)state;
    assert_ptr_not_equal(much, MAP_FAILED);
    memset(cubin, 3, CUBIN_B);
    compiled_code_keep(cubin, CUBIN_B, much, much_B);
    assert_non_null(compiled_code_text(cubin, CUBIN_B));
    cubin[99]++;
    compiled_code_keep(cubin, CUBIN_B, much, much_B);
    assert_null(compiled_code_text(cubin, CUBIN_B));
    compiled_code_keep(cubin, CUBIN_B, "1234567", 7);
    assert_string_equal(compiled_code_text(cubin, CUBIN_B), "1234567");
    munmap((void *)much, (size_t)KEPT_B);
}

/* --- what both read with --- */

static void test_careful_reads(void **state) {
    if (sysconf(_SC_PAGESIZE) != 4096) {
        skip();
    }
    const size_t page = 4096;
    uint8_t got[3 * 4096];
    uint8_t *at = mmap(NULL, 6 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)state;
    assert_ptr_not_equal(at, MAP_FAILED);
    for (size_t i = 0; i < 6 * page; i++) {
        at[i] = (uint8_t)(i / 7 + i / page);
    }
    munmap(at, page); /* there are pages 1, 2, 3 and 5 */
    munmap(at + 4 * page, page);
    for (size_t from = page - 9;
         from<4 * page; from += from % page> 20 && from % page < page - 20 ? page - 40 : 1) {
        static const size_t sizes[] = {1, 8, 9, 4095, 4096, 4097, 8192, 12287, 12288};
        for (size_t s = 0; s < COUNT_OF(sizes); s++) {
            const int is_there = from >= page && from + sizes[s] <= 4 * page;
            memset(got, 0xA5, sizeof(got));
            assert_int_equal(read_carefully(got, at + from, sizes[s]), is_there ? 0 : -1);
            if (is_there) {
                assert_memory_equal(got, at + from, sizes[s]);
            }
            for (size_t i = is_there ? sizes[s] : 0; i < sizeof(got); i++) {
                assert_int_equal(got[i], 0xA5);
            }
        }
    }
    errno = 77;
    assert_int_equal(read_carefully(got, at + 4 * page, 0), 0);
    assert_int_equal(read_carefully(got, NULL, 1), -1);
    assert_int_equal(read_carefully(got, (const void *)(UINTPTR_MAX - 3), 8), -1);
    assert_int_equal(read_carefully(got, (const void *)(UINTPTR_MAX - 3), 4), -1);
    assert_int_equal(errno, 77);
    munmap(at, 6 * page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_instructions_copy),
        cmocka_unit_test(test_where_they_are),
        cmocka_unit_test(test_names_of_checks),
        cmocka_unit_test(test_odd_ones),
        cmocka_unit_test(test_cut_ones),
        cmocka_unit_test(test_far_ones),
        cmocka_unit_test(test_what_is_kept),
        cmocka_unit_test(test_what_is_not_kept),
        cmocka_unit_test(test_most_that_is_kept),
        cmocka_unit_test(test_careful_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
