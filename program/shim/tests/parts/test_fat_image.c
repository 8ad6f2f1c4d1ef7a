/* SPDX-License-Identifier: Apache-2.0
 *
 * Fatbinaries that are drawn, whole, cut and damaged: which files the reader finds, and that it
 * touches no byte behind what there is.
 */
#include <dlfcn.h>

#include "fat_image.h"
#include "support/exact_memory.h"
#include "support/gen/random.h"
#include "support/guard_page.h"
#include "support/testing.h"

#define FILES       3
#define WHOLE_B     4096
#define FILE_HEAD_B 64
#define MOST_FAT_B  (UINT64_C(1) << 30)
#define FAT_MAGIC   0xBA55ED50u
#define WRAPPER     0x466243B1u

/* One file, and where its head and what it holds are. */
struct file {
    uint16_t kind;
    uint32_t head_B, packed_B;
    uint64_t file_B, flags, unpacked_B;
    size_t head_at, at;
};

struct fat {
    unsigned count;
    uint16_t head_B;
    struct file file[FILES];
    size_t whole_B;
};

/* Little-endian, as a file has it. */
static void put_number(uint8_t *to, uint64_t value, size_t size_B) {
    for (size_t i = 0; i < size_B; i++) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

static void put_file(uint8_t *to, const struct file *f) {
    const size_t at = f->head_at;
    put_number(to + at, f->kind, 2);
    put_number(to + at + 4, f->head_B, 4);
    put_number(to + at + 8, f->file_B, 8);
    put_number(to + at + 16, f->packed_B, 4);
    put_number(to + at + 40, f->flags, 8);
    put_number(to + at + 56, f->unpacked_B, 8);
}

static void put_fat(uint8_t *to, const struct fat *fat) {
    const uint32_t magic = FAT_MAGIC;
    const uint64_t files_B = fat->whole_B - fat->head_B;
    memset(to, 0x5A, fat->whole_B);
    put_number(to + 0, magic, 4);
    put_number(to + 6, fat->head_B, 2);
    put_number(to + 8, files_B, 8);
    for (unsigned i = 0; i < fat->count; i++) {
        put_file(to, &fat->file[i]);
    }
}

static struct fat drawn(struct random_source *r) {
    struct fat fat = {.count = random_in(r, 1, FILES), .head_B = (uint16_t)random_in(r, 16, 40)};
    size_t at = fat.head_B;
    for (unsigned i = 0; i < fat.count; i++) {
        struct file *f = &fat.file[i];
        const int is_packed = random_one_in(r, 2);
        f->kind = (uint16_t)random_in(r, 0, 3);
        f->head_B = random_in(r, FILE_HEAD_B, FILE_HEAD_B + 20);
        f->file_B = random_one_in(r, 3) ? 0 : random_in(r, 1, 300);
        f->packed_B = is_packed && random_one_in(r, 2) ? random_in(r, 1, 400) : 0;
        f->flags = is_packed && !f->packed_B ? UINT64_C(0x1000) << random_below(r, 4) : 0x10FFF;
        f->unpacked_B = is_packed ? random_in(r, 1, 5000) : random_below(r, 2);
        f->head_at = at;
        f->at = at + f->head_B;
        at = f->at + (size_t)f->file_B;
    }
    fat.whole_B = at;
    return fat;
}

static int is_packed(const struct file *f) {
    return f->packed_B || f->flags & 0xF000;
}

/* What lies there of a packed file may be less than its room. */
static size_t stored_B(const struct file *f) {
    return (size_t)(is_packed(f) && f->packed_B < f->file_B ? f->packed_B : f->file_B);
}

static void is_file(const struct fat *fat, unsigned i, const uint8_t *image,
                    const struct fat_file *got) {
    const struct file *f = &fat->file[i];
    assert_ptr_equal(got->at, image + f->at);
    assert_int_equal(got->size_B, stored_B(f));
    assert_int_equal(got->unpacked_B, is_packed(f) ? f->unpacked_B : 0);
    assert_int_equal(got->is_ptx, f->kind == 1);
    assert_int_equal(got->is_alone, fat->count == 1);
}

static void test_files_are_found(void **state) {
    struct random_source r = {.state = 1};
    struct guard_arena arena;
    struct fat_file got;
    (void)state;
    guard_arena_make(&arena, WHOLE_B);
    for (int round = 0; round < 500; round++) {
        const struct fat fat = drawn(&r);
        uint8_t *image = guard_arena_place(&arena, fat.whole_B, 1);
        put_fat(image, &fat);
        for (unsigned i = 0; i < FILES + 2; i++) {
            const int is_there = i < fat.count;
            assert_int_equal(fat_image_file(&got, image, SIZE_MAX, i), is_there);
            assert_int_equal(fat_image_file(&got, image, fat.whole_B, i), is_there);
            if (is_there) {
                is_file(&fat, i, image, &got);
            }
        }
    }
    guard_arena_free(&arena);
}

/* With each number of bytes that there can be: said, or found out. */
static void test_cut_ones(void **state) {
    struct random_source r = {.state = 2};
    struct guard_arena arena;
    struct fat_file got;
    (void)state;
    guard_arena_make(&arena, WHOLE_B);
    for (int round = 0; round < 10; round++) {
        uint8_t whole[WHOLE_B];
        const struct fat fat = drawn(&r);
        put_fat(whole, &fat);
        for (size_t cut = 0; cut < fat.whole_B; cut++) {
            uint8_t *image = guard_arena_place(&arena, cut, 1);
            memcpy(image, whole, cut);
            for (unsigned i = 0; i < fat.count; i++) {
                const struct file *f = &fat.file[i];
                const int has_head = f->head_at + FILE_HEAD_B <= cut;
                assert_int_equal(fat_image_file(&got, image, SIZE_MAX, i), has_head);
                assert_int_equal(fat_image_file(&got, image, cut, i), f->at + stored_B(f) <= cut);
            }
        }
    }
    guard_arena_free(&arena);
}

/* A number of three files written over, `of` counted from the head of file 1 or, below 16, of all;
 * and which files are found then. */
static const struct damage {
    size_t of, size_B;
    uint64_t value;
    unsigned found; /* a bit each */
} damages[] = {
    {0, 4, FAT_MAGIC, 7},
    {0, 4, FAT_MAGIC + 1, 0},
    {0, 4, WRAPPER, 0},
    {6, 2, 15, 0},
    {8, 8, 0, 0},
    {8, 8, 3 * 128, 7},
    {8, 8, 3 * 128 + FILE_HEAD_B - 1, 7},
    {8, 8, 3 * 128 - 1, 3},
    {8, 8, 2 * 128 + FILE_HEAD_B, 3},
    {8, 8, 2 * 128 - 1, 1},
    {8, 8, 128, 1},
    {8, 8, MOST_FAT_B, 7},
    {8, 8, MOST_FAT_B + 1, 0},
    {8, 8, UINT64_MAX, 0},
    {16 + 4, 4, FILE_HEAD_B - 1, 1},
    {16 + 4, 4, 256 + 1, 1},
    {16 + 4, 4, UINT32_MAX, 1},
    {16 + 8, 8, 192, 3},
    {16 + 8, 8, 192 + 1, 1},
    {16 + 8, 8, UINT64_MAX, 1},
    {16 + 8, 8, UINT64_MAX - 64 - 128, 1},
    {16 + 40, 8, 0x1000, 5},
    {16 + 40, 8, 0x8000, 5},
    {16 + 40, 8, 0x800, 7},
    {16 + 40, 8, 0x10000, 7},
    {16 + 16, 4, 1, 5},
};

static void test_damaged_ones(void **state) {
    struct fat fat = {.count = FILES, .head_B = 16, .whole_B = 16 + 3 * 128};
    struct guard_arena arena;
    (void)state;
    for (unsigned i = 0; i < FILES; i++) {
        fat.file[i] = (struct file){
            .kind = 1, .head_B = FILE_HEAD_B, .file_B = 64, .head_at = 16 + (size_t)i * 128};
    }
    guard_arena_make(&arena, WHOLE_B);
    for (size_t d = 0; d < COUNT_OF(damages); d++) {
        const struct damage *wrong = &damages[d];
        struct fat_file got;
        unsigned found = 0;
        uint8_t *image = guard_arena_place(&arena, fat.whole_B + FILE_HEAD_B - 1, 1);
        memset(image, 0, fat.whole_B + FILE_HEAD_B - 1);
        put_fat(image, &fat);
        const size_t at = wrong->of < 16 ? wrong->of : wrong->of + 128;
        put_number(image + at, wrong->value, wrong->size_B);
        for (unsigned i = 0; i < FILES + 1; i++) {
            found |= (unsigned)fat_image_file(&got, image, SIZE_MAX, i) << i;
        }
        if (found != wrong->found) {
            fail_msg("damage %zu: files %x instead of %x", d, found, wrong->found);
        }
    }
    guard_arena_free(&arena);
}

/* How long a packed one may become. */
static void test_lengths_of_packed_ones(void **state) {
    static const struct {
        uint64_t unpacked_B;
        int is_found;
    } cases[] = {{0, 0}, {1, 1}, {MOST_FAT_B - 1, 1}, {MOST_FAT_B, 0}, {UINT64_MAX, 0}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t image[16 + FILE_HEAD_B + 8];
        struct fat_file got;
        const struct fat fat = {1,
                                16,
                                {{.kind = 1,
                                  .head_B = FILE_HEAD_B,
                                  .packed_B = 5,
                                  .file_B = 8,
                                  .unpacked_B = cases[i].unpacked_B,
                                  .head_at = 16}},
                                sizeof(image)};
        put_fat(image, &fat);
        assert_int_equal(fat_image_file(&got, image, sizeof(image), 0), cases[i].is_found);
    }
}

/* As the CUDA runtime hands it on: a pointer, which a file cannot have. */
static void test_wrapped_ones(void **state) {
    struct random_source r = {.state = 3};
    uint8_t image[WHOLE_B];
    struct fat_file got;
    const struct fat fat = drawn(&r);
    struct {
        uint32_t magic, version;
        const void *data;
        uint8_t more[FILE_HEAD_B];
    } wrapper = {WRAPPER, 1, image, {0}}, outer = {WRAPPER, 1, &wrapper, {0}};
    (void)state;
    put_fat(image, &fat);
    for (unsigned i = 0; i < fat.count; i++) {
        assert_int_equal(fat_image_file(&got, &wrapper, SIZE_MAX, i), 1);
        is_file(&fat, i, image, &got);
    }
    assert_int_equal(fat_image_file(&got, &wrapper, sizeof(wrapper), 0), 0);
    assert_int_equal(fat_image_file(&got, &outer, SIZE_MAX, 0), 0);
    wrapper.data = NULL;
    assert_int_equal(fat_image_file(&got, &wrapper, SIZE_MAX, 0), 0);
    wrapper.data = image;
    wrapper.magic++;
    assert_int_equal(fat_image_file(&got, &wrapper, SIZE_MAX, 0), 0);
}

/* zstd.h. */
typedef size_t pack_call(void *dst, size_t dstCapacity, const void *src, size_t srcSize, int level);

static void test_packed_ones(void **state) {
    static char text[3000];
    static char packed[sizeof(text) + 1000];
    struct guard_arena arena;
    void *library = dlopen("libzstd.so.1", RTLD_LAZY | RTLD_LOCAL);
    union {
        void *address;
        pack_call *call;
    } pack = {library ? dlsym(library, "ZSTD_compress") : NULL};
    (void)state;
    if (!pack.address) {
        skip();
    }
    for (size_t i = 0; i < sizeof(text); i++) {
        text[i] = (char)('a' + i * i % 23);
    }
    const size_t size_B = pack.call(packed, sizeof(packed), text, sizeof(text), 3);
    guard_arena_make(&arena, sizeof(packed));
    char *at = (char *)guard_arena_place(&arena, size_B, 1);
    memcpy(at, packed, size_B);
    struct fat_file file = {.at = at, .size_B = size_B, .unpacked_B = sizeof(text)};
    exact_memory_begins();
    char *unpacked = fat_image_unpacked(&file);
    assert_int_equal(exact_memory_blocks(), 1);
    assert_int_equal(exact_memory_size(unpacked), sizeof(text) + 1);
    assert_memory_equal(unpacked, text, sizeof(text));
    assert_int_equal(unpacked[sizeof(text)], 0);
    free(unpacked);
    for (long allocations = 0; allocations < 2; allocations++) {
        exact_memory_ends_after(allocations);
        assert_null(fat_image_unpacked(&file));
    }
    exact_memory_ends_after(-1);
    file.unpacked_B = sizeof(text) + 1; /* that becomes another size */
    assert_null(fat_image_unpacked(&file));
    file.unpacked_B = sizeof(text) - 1;
    assert_null(fat_image_unpacked(&file));
    file = (struct fat_file){.at = at, .size_B = size_B + 1, .unpacked_B = sizeof(text)};
    assert_null(fat_image_unpacked(&file));
    at[0]++;
    file.size_B = size_B;
    assert_null(fat_image_unpacked(&file));
    assert_int_equal(exact_memory_blocks(), 0);
    guard_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_are_found),        cmocka_unit_test(test_cut_ones),
        cmocka_unit_test(test_damaged_ones),           cmocka_unit_test(test_wrapped_ones),
        cmocka_unit_test(test_lengths_of_packed_ones), cmocka_unit_test(test_packed_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
