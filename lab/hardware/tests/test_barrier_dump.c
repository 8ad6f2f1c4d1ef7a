/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of barriers' words around a pretended driver, which writes its core dump slowly: the
 * header first, then nothing for a while, then the table of sections, their contents last.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "core_file.h"
#include "device_barrier.h"

#define HEADER_B  64
#define WINDOW_B  0x400
#define BARRIERS  3
#define MOST      (2 * DEVICE_BARRIERS_A_BLOCK)
#define SHARED_B  (WINDOW_B + DEVICE_BARRIER_AT_B + 8 * (size_t)DEVICE_BARRIERS_A_BLOCK)
#define SECTIONS  4 /* none, two of shared memory, one of something else */
#define DUMP_MOST (HEADER_B * (SECTIONS + 1) + 2 * SHARED_B)
#define PAUSE_NS  200000000

/* The head of a block's shared memory, and how much of it the dump has. */
typedef struct block {
    uint64_t magic;
    uint64_t a_block;
    size_t shared_B;
} block;

static const block usual = {DEVICE_BARRIER_MAGIC, BARRIERS,
                            WINDOW_B + DEVICE_BARRIER_AT_B + 8 * BARRIERS};

const char *device_barriers_end(void) {
    return NULL;
}

static void put(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

/* Of block b and place i in it. */
static uint64_t written(size_t b, size_t i) {
    return UINT64_C(0x7ffff800001ffffe) - b * 0x100000 - 2 * i;
}

/* The table, then the sections of blocks; the one behind them is no shared memory. Returns the
 * size.
 */
static size_t make_dump(uint8_t *dump, const block *blocks, size_t count) {
    const size_t rows = count + 2;
    size_t at = HEADER_B * (1 + rows);
    memset(dump, 0, DUMP_MOST);
    put(dump, UINT64_C(0x33010102464C457F), 8); /* "\177ELF", 64 bits, little-endian, CUDA's */
    dump[8] = 7;
    put(dump + 40, HEADER_B, 8);
    put(dump + 58, HEADER_B, 2);
    put(dump + 60, rows, 2);
    for (size_t b = 0; b < count; b++) {
        uint8_t *shared = dump + at;
        uint8_t *row = dump + HEADER_B * (b + 2);
        put(shared + WINDOW_B, blocks[b].magic, 8);
        put(shared + WINDOW_B + 8, blocks[b].a_block, 8);
        for (size_t i = 0; WINDOW_B + DEVICE_BARRIER_AT_B + 8 * (i + 1) <= blocks[b].shared_B;
             i++) {
            put(shared + WINDOW_B + DEVICE_BARRIER_AT_B + 8 * i, written(b, i), 8);
        }
        put(row + 4, CORE_TYPES + CORE_SHARED, 4);
        put(row + 24, at, 8);
        put(row + 32, blocks[b].shared_B, 8);
        at += blocks[b].shared_B;
    }
    put(dump + HEADER_B * rows + 4, CORE_TYPES + CORE_REGS, 4);
    put(dump + HEADER_B * rows + 24, HEADER_B, 8);
    put(dump + HEADER_B * rows + 32, 4, 8);
    return at;
}

/* In a process of its own: the file begins late and grows in four steps. */
static void write_slowly(const char *path) {
    static uint8_t dump[DUMP_MOST];
    const struct timespec pause = {0, PAUSE_NS};
    const size_t whole = make_dump(dump, &usual, 1);
    const size_t ends[] = {HEADER_B, 2 * HEADER_B, 4 * HEADER_B, whole};
    size_t done = 0;
    nanosleep(&pause, NULL);
    FILE *file = fopen(path, "wb");
    for (size_t i = 0; file && i < sizeof(ends) / sizeof(ends[0]); i++) {
        fwrite(dump + done, 1, ends[i] - done, file);
        fflush(file);
        done = ends[i];
        nanosleep(&pause, NULL);
    }
    _exit(file ? 0 : 1);
}

/* Where the driver's pipe and its dump are. */
typedef struct places {
    char folder[32], path[64], pipe[64];
} places;

static places begin(void) {
    places p = {.folder = "/tmp/tma-slow-XXXXXX"};
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.path, sizeof(p.path), "%s/core", p.folder);
    assert_int_equal(setenv("CUDA_COREDUMP_FILE", p.path, 1), 0);
    snprintf(p.pipe, sizeof(p.pipe), "%s/pipe", p.folder);
    FILE *asked = fopen(p.pipe, "wb"); /* a file takes the byte, too */
    assert_non_null(asked);
    fclose(asked);
    assert_int_equal(setenv("CUDA_COREDUMP_PIPE", p.pipe, 1), 0);
    return p;
}

static void end(const places *p) {
    char asked[4] = "";
    FILE *pipe = fopen(p->pipe, "rb");
    assert_non_null(pipe);
    assert_int_equal(fread(asked, 1, sizeof(asked), pipe), 1);
    fclose(pipe);
    unlink(p->path);
    unlink(p->pipe);
    rmdir(p->folder);
}

static void same_words(const uint64_t *words, size_t barriers, size_t a_block) {
    for (size_t i = 0; i < barriers; i++) {
        assert_int_equal(words[i], written(i / a_block, i % a_block));
    }
}

static void test_a_dump_that_grows(void **state) {
    uint64_t words[BARRIERS] = {0, 0, 0};
    (void)state;
    const places p = begin();
    const pid_t driver = fork();
    if (driver == 0) {
        write_slowly(p.path);
    }
    const char *error = device_barrier_words(words, BARRIERS);
    assert_int_equal(waitpid(driver, NULL, 0), driver);
    end(&p);
    assert_string_equal(error ? error : "", "");
    same_words(words, BARRIERS, BARRIERS);
}

static const char *read_of(const block *blocks, size_t count, uint64_t *words, size_t barriers) {
    static uint8_t dump[DUMP_MOST];
    const places p = begin();
    const size_t whole = make_dump(dump, blocks, count);
    FILE *file = fopen(p.path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(dump, 1, whole, file), whole);
    fclose(file);
    const char *error = device_barrier_words(words, barriers);
    end(&p);
    return error ? error : "";
}

static void test_blocks_as_full_as_they_may_be(void **state) {
    static uint64_t words[MOST];
    const block blocks[] = {{DEVICE_BARRIER_MAGIC, DEVICE_BARRIERS_A_BLOCK, SHARED_B},
                            {DEVICE_BARRIER_MAGIC + 1, DEVICE_BARRIERS_A_BLOCK, SHARED_B}};
    (void)state;
    for (size_t barriers = MOST; barriers > DEVICE_BARRIERS_A_BLOCK; barriers -= 5461) {
        memset(words, 0, sizeof(words));
        assert_string_equal(read_of(blocks, 2, words, barriers), "");
        same_words(words, barriers, DEVICE_BARRIERS_A_BLOCK);
        assert_int_equal(barriers < MOST ? words[barriers] : 0, 0);
    }
}

static void test_dumps_of_something_else(void **state) {
    static const char other[] = "shared memory of another kernel in the core dump";
    static const char unread[] = "shared memory that cannot be read in the core dump";
    static const struct {
        block block;
        const char *error;
    } cases[] = {
        {{DEVICE_BARRIER_MAGIC - 1, BARRIERS, 0}, other},
        {{DEVICE_BARRIER_MAGIC + 1, BARRIERS, 0}, other},
        {{DEVICE_BARRIER_MAGIC, 0, 0}, other},
        {{DEVICE_BARRIER_MAGIC, DEVICE_BARRIERS_A_BLOCK + 1, 0}, other},
        {{DEVICE_BARRIER_MAGIC, DEVICE_BARRIERS_A_BLOCK, 0}, ""},
        {{DEVICE_BARRIER_MAGIC, BARRIERS - 1, 0}, "barriers that the core dump does not show"},
        {{DEVICE_BARRIER_MAGIC, BARRIERS, WINDOW_B + DEVICE_BARRIER_AT_B + 8 * BARRIERS - 1},
         unread},
        {{DEVICE_BARRIER_MAGIC, BARRIERS, WINDOW_B + DEVICE_BARRIER_AT_B - 1}, unread},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t words[BARRIERS];
        block b = cases[i].block;
        b.shared_B = b.shared_B ? b.shared_B : usual.shared_B;
        assert_string_equal(read_of(&b, 1, words, BARRIERS), cases[i].error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_dump_that_grows),
                                       cmocka_unit_test(test_blocks_as_full_as_they_may_be),
                                       cmocka_unit_test(test_dumps_of_something_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
