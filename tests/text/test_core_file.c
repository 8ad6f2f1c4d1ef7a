/* SPDX-License-Identifier: Apache-2.0
 *
 * ELF sections: what lies just inside and just outside of a file. No byte beyond it is asked for.
 */
#include "support/testing.h"

#include "core_file.h"

#define HEADER_B 64
#define BASE     3 /* an ELF file within a file */
#define MOST_B   (BASE + 200 * HEADER_B)

typedef struct file {
    uint8_t bytes[MOST_B];
    size_t size;
    size_t reads;
} file;

static bool read_file(void *context, uint64_t at, void *to, size_t size) {
    file *f = context;
    f->reads++;
    if (at > f->size || size > f->size - at) {
        return false;
    }
    memcpy(to, f->bytes + at, size);
    return true;
}

static void put(file *f, size_t at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++) {
        f->bytes[BASE + at + i] = (uint8_t)(value >> 8 * i);
    }
}

static void put_section(file *f, size_t number, uint32_t type, uint64_t at, uint64_t size) {
    const size_t row = HEADER_B + number * HEADER_B;
    put(f, row, 1 + number, 4);
    put(f, row + 4, type, 4);
    put(f, row + 16, 0x7000 + number, 8);
    put(f, row + 24, at, 8);
    put(f, row + 32, size, 8);
    put(f, row + 40, 20 + number, 4);
    put(f, row + 44, 40 + number, 4);
    put(f, row + 56, 60 + number, 8);
}

/* The header, `count` sections behind it, of which the last one has the names, and 16 bytes. */
static file *made(size_t count) {
    static file f;
    static const char names[] = "\0one\0another";
    memset(&f, 0, sizeof(f));
    memcpy(f.bytes + BASE, "\177ELF\2\1", 6);
    f.bytes[BASE + 7] = 65;
    f.bytes[BASE + 8] = 9;
    put(&f, 16, 0x1234, 2);
    put(&f, 18, 190, 2);
    put(&f, 40, HEADER_B, 8);
    put(&f, 58, HEADER_B, 2);
    put(&f, 60, count, 2);
    put(&f, 62, count - 1, 2);
    f.size = BASE + HEADER_B + count * HEADER_B + 16;
    put_section(&f, 0, 0, 0, 0);
    for (size_t i = 1; i < count; i++) {
        put_section(&f, i, 1, f.size - BASE - 16, 16);
    }
    memcpy(f.bytes + f.size - 16, names, sizeof(names));
    return &f;
}

static core_elf elf;

static const char *open_it(file *f) {
    memset(&elf, 0xA5, sizeof(elf));
    return core_elf_open(&elf, read_file, f, BASE, f->size - BASE);
}

static void test_a_file(void **state) {
    file *f = made(3);
    core_section s;
    char name[8];
    (void)state;
    assert_null(open_it(f));
    assert_int_equal(elf.count, 3);
    assert_int_equal(elf.abi, 65);
    assert_int_equal(elf.version, 9);
    assert_int_equal(elf.elf_type, 0x1234);
    assert_int_equal(elf.machine, 190);
    assert_true(core_elf_section(&elf, 2, &s));
    assert_int_equal(s.name, 3);
    assert_int_equal(s.type, 1);
    assert_int_equal(s.address, 0x7002);
    assert_int_equal(s.size, 16);
    assert_int_equal(s.link, 22);
    assert_int_equal(s.info, 42);
    assert_int_equal(s.row_B, 62);
    assert_false(core_elf_section(&elf, 3, &s));
    core_elf_name(&elf, 1, name, sizeof(name));
    assert_string_equal(name, "one");
    core_elf_name(&elf, 5, name, sizeof(name));
    assert_string_equal(name, "another");
    core_elf_name(&elf, 5, name, 7);
    assert_string_equal(name, "anothe");
    core_elf_name(&elf, 5, name, 1);
    assert_string_equal(name, "");
    core_elf_name(&elf, 15, name, sizeof(name));
    assert_string_equal(name, "");
    f->bytes[f->size - 1] = 'z';
    core_elf_name(&elf, 15, name, sizeof(name));
    assert_string_equal(name, "z");
    core_elf_name(&elf, 16, name, sizeof(name));
    assert_string_equal(name, "");
}

static void test_what_is_no_such_file(void **state) {
    static const char no_elf[] = "not an ELF file";
    static const char other[] = "not a 64-bit little-endian ELF file";
    static const char beyond[] = "cut off: its table of sections lies beyond its end";
    static const char longer[] = "cut off: its table of sections is longer than the file";
    static const struct {
        size_t at, size;
        uint64_t value;
        const char *why;
    } cases[] = {
        {3, 1, 'E', no_elf},
        {4, 1, 1, other},
        {4, 1, 3, other},
        {5, 1, 2, other},
        {58, 2, HEADER_B - 1, beyond},
        {58, 2, HEADER_B + 1, beyond},
        {58, 2, HEADER_B + 0x100, beyond},
        {40, 8, 4 * HEADER_B + 17 - HEADER_B, beyond},
        {40, 8, 4 * HEADER_B + 16 - HEADER_B, longer},
        {40, 8, UINT64_MAX, beyond},
        {40, 8, HEADER_B + 17, longer},
        {40, 8, HEADER_B + 16, NULL},
        {60, 2, 4, longer},
        {60, 2, 3, NULL},
        {56, 2, 0xFFFF, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        file *f = made(3);
        put(f, cases[i].at, cases[i].value, cases[i].size);
        const char *why = open_it(f);
        if (cases[i].why ? !why || strcmp(why, cases[i].why) != 0 : why != NULL) {
            fail_msg("case %zu: %s", i, why ? why : "is one");
        }
    }
    file *f = made(0);
    f->size = BASE + HEADER_B - 1;
    assert_string_equal(open_it(f), no_elf);
    f->size++;
    assert_string_equal(open_it(f), beyond);
}

/* Of 65,280 sections and more section 0 has the number, and the names' place. */
static void test_more_than_16_bits_hold(void **state) {
    file *f = made(1);
    char name[8];
    (void)state;
    f->size = BASE + 2 * HEADER_B; /* not a byte behind section 0 */
    put(f, 60, 0, 2);
    put(f, HEADER_B + 32, 1, 8);
    assert_null(open_it(f));
    assert_int_equal(elf.count, 1);
    put(f, HEADER_B + 32, 2, 8);
    assert_string_equal(open_it(f), "cut off: its table of sections is longer than the file");
    put(f, HEADER_B + 4, 1, 4);
    put(f, HEADER_B + 32, UINT64_C(2) * HEADER_B + 1, 8);
    assert_string_equal(open_it(f), "cut off in its first section");
    put(f, HEADER_B + 4, 0, 4);
    put(f, HEADER_B + 32, 1, 8);
    assert_null(open_it(f));
    f->size--; /* it was cut since it was asked how long it is */
    memset(&elf, 0xA5, sizeof(elf));
    assert_string_equal(core_elf_open(&elf, read_file, f, BASE, UINT64_C(2) * HEADER_B),
                        "cut off in its first section");
    f = made(3);
    put(f, 62, 0xFFFF, 2);
    put(f, HEADER_B + 40, 2, 4);
    assert_null(open_it(f));
    assert_int_equal(elf.count, 3);
    core_elf_name(&elf, 1, name, sizeof(name));
    assert_string_equal(name, "one");
    put(f, 60, 0, 2);
    put(f, HEADER_B + 32, 3, 8);
    assert_null(open_it(f));
    assert_int_equal(elf.count, 3);
    core_elf_name(&elf, 1, name, sizeof(name));
    assert_string_equal(name, "one");
}

/* Read 64 headers at a time, and again only where others are asked for. */
static void test_headers_are_kept(void **state) {
    file *f = made(130);
    core_section s;
    (void)state;
    assert_null(open_it(f));
    f->reads = 0;
    for (uint64_t i = 0; i < 130; i++) {
        assert_true(core_elf_section(&elf, i, &s));
        assert_int_equal(s.name, i + 1);
    }
    assert_int_equal(f->reads, 3);
    assert_true(core_elf_section(&elf, 128, &s));
    assert_int_equal(f->reads, 3);
    assert_true(core_elf_section(&elf, 127, &s));
    assert_int_equal(s.name, 128);
    assert_int_equal(f->reads, 4);
    assert_true(core_elf_section(&elf, 129, &s));
    assert_int_equal(s.name, 130);
    assert_int_equal(f->reads, 4);
    f->size = BASE + 127 * HEADER_B; /* it was cut since */
    assert_false(core_elf_section(&elf, 0, &s) && core_elf_section(&elf, 100, &s));
}

static void test_bytes_of_a_section(void **state) {
    file *f = made(3);
    core_section s;
    char bytes[17];
    (void)state;
    assert_null(open_it(f));
    assert_true(core_elf_is_whole(&elf));
    assert_true(core_elf_section(&elf, 1, &s));
    assert_true(core_elf_bytes(&elf, &s, 5, bytes, 11));
    assert_string_equal(bytes, "another");
    assert_true(core_elf_bytes(&elf, &s, 16, bytes, 0));
    assert_false(core_elf_bytes(&elf, &s, 6, bytes, 11));
    assert_false(core_elf_bytes(&elf, &s, 17, bytes, 0));
    assert_false(core_elf_bytes(&elf, &s, UINT64_MAX, bytes, 2));
    s.at++;
    assert_false(core_elf_bytes(&elf, &s, 0, bytes, 1));
    put_section(f, 2, 1, f->size - BASE - 16, 17);
    assert_null(open_it(f));
    assert_false(core_elf_section(&elf, 2, &s));
    assert_false(core_elf_is_whole(&elf));
    put_section(f, 2, 8, f->size, UINT64_MAX); /* takes nothing in the file */
    assert_null(open_it(f));
    assert_true(core_elf_section(&elf, 2, &s));
    assert_true(core_elf_is_whole(&elf));
    f = made(1);
    assert_null(open_it(f));
    assert_true(core_elf_is_whole(&elf));
    put(f, 60, 0, 2); /* as many as section 0 says: none */
    assert_null(open_it(f));
    assert_int_equal(elf.count, 0);
    assert_false(core_elf_is_whole(&elf));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_file),
        cmocka_unit_test(test_what_is_no_such_file),
        cmocka_unit_test(test_more_than_16_bits_hold),
        cmocka_unit_test(test_headers_are_kept),
        cmocka_unit_test(test_bytes_of_a_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
