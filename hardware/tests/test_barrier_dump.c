/* SPDX-License-Identifier: Apache-2.0
 *
 * The reader of barriers' words around a pretended driver, which writes its core dump slowly: the
 * header first, then nothing for a while, the table of sections last.
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

#define HEADER_B 64
#define WINDOW_B 0x400
#define BARRIERS 3
#define SHARED_B (WINDOW_B + DEVICE_BARRIER_AT_B + 8 * BARRIERS)
#define TABLE_AT (HEADER_B + SHARED_B)
#define DUMP_B   (TABLE_AT + 2 * HEADER_B)
#define PAUSE_NS 300000000

static const uint64_t written[BARRIERS] = {0x7ffff800001ffffe, 0x000003f8001ffffe, 0x40000000000};

const char *device_barriers_end(void) {
    return NULL;
}

static void put(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static void make_dump(uint8_t dump[DUMP_B]) {
    uint8_t *shared = dump + HEADER_B;
    uint8_t *row = dump + TABLE_AT + HEADER_B;
    memset(dump, 0, DUMP_B);
    put(dump, UINT64_C(0x33010102464C457F), 8); /* "\177ELF", 64 bits, little-endian, CUDA's */
    dump[8] = 7;
    put(dump + 40, TABLE_AT, 8);
    put(dump + 58, HEADER_B, 2);
    put(dump + 60, 2, 2);
    put(shared + WINDOW_B, DEVICE_BARRIER_MAGIC, 8);
    put(shared + WINDOW_B + 8, BARRIERS, 8);
    for (size_t i = 0; i < BARRIERS; i++) {
        put(shared + WINDOW_B + DEVICE_BARRIER_AT_B + 8 * i, written[i], 8);
    }
    put(row + 4, CORE_TYPES + CORE_SHARED, 4);
    put(row + 24, HEADER_B, 8);
    put(row + 32, SHARED_B, 8);
}

/* In a process of its own: the file begins late and grows in three steps. */
static void write_slowly(const char *path) {
    static const size_t ends[] = {HEADER_B, TABLE_AT + HEADER_B, DUMP_B};
    const struct timespec pause = {0, PAUSE_NS};
    uint8_t dump[DUMP_B];
    size_t done = 0;
    make_dump(dump);
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

static void test_a_dump_that_grows(void **state) {
    char folder[] = "/tmp/tma-slow-XXXXXX";
    char path[64];
    char pipe[64];
    uint64_t words[BARRIERS] = {0, 0, 0};
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/core", folder);
    assert_int_equal(setenv("CUDA_COREDUMP_FILE", path, 1), 0);
    snprintf(pipe, sizeof(pipe), "%s/pipe", folder);
    FILE *asked = fopen(pipe, "wb"); /* a file takes the byte, too */
    assert_non_null(asked);
    fclose(asked);
    assert_int_equal(setenv("CUDA_COREDUMP_PIPE", pipe, 1), 0);
    const pid_t driver = fork();
    if (driver == 0) {
        write_slowly(path);
    }
    const char *error = device_barrier_words(words, BARRIERS);
    assert_int_equal(waitpid(driver, NULL, 0), driver);
    unlink(path);
    unlink(pipe);
    rmdir(folder);
    assert_string_equal(error ? error : "", "");
    assert_memory_equal(words, written, sizeof(written));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_dump_that_grows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
