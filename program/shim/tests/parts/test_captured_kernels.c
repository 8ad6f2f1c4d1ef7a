/* SPDX-License-Identifier: Apache-2.0
 *
 * Which PTX tma capture takes for a kernel, of all that were loaded.
 */
#include <fcntl.h>

#include "aside.h"
#include "captured_kernels.h"
#include "fat_image.h"
#include "support/testing.h"
#include "write_out.h"

#define PTX(target, body)                                                                          \
    ".version 8.0\n.target " target "\n.address_size 64\n.visible .entry k() {\n" body "\n}\n"

int open_beyond(const char *path, int flags) {
    return open(path, flags);
}

static const char cubin[64] = "\x7f"
                              "ELF"; /* whose PTX nobody knows */
static const int owner, other, handle;

static void say_text_of(const void *of) {
    captured_kernels_found(of, &handle, "k");
    const struct captured_kernel *k = captured_kernels_at(&handle);
    say("%s\n", k && k->text ? strstr(k->text->text, "// ") : "none");
}

/* ---- handles that come again ---- */

static void load_again(const void *context) {
    (void)context;
    captured_kernels_loaded(PTX("sm_90", "// first"), &owner);
    captured_kernels_loaded(PTX("sm_90", "// another's"), &other);
    say_text_of(&owner);
    captured_kernels_loaded(cubin, &owner);
    say_text_of(&owner);
    captured_kernels_loaded(PTX("sm_90", "// second"), &owner);
    say_text_of(&owner);
    say_text_of(&other);
}

static void test_a_handle_that_comes_again(void **state) {
    (void)state;
    is_said("again", load_again, NULL, "// first\n}\n\nnone\n// second\n}\n\n// another's\n}\n\n");
}

/* ---- fatbinaries ---- */

#define FAT_HEAD_B  16
#define FILE_HEAD_B 64
#define MOST_FAT_B  4096

static void put(uint8_t *at, uint64_t number, uint32_t size_B) { /* little-endian on any machine */
    for (uint32_t i = 0; i < size_B; i++) {
        at[i] = (uint8_t)(number >> 8 * i);
    }
}

/* A file of one, behind what is there; `packed`: it says that it is compressed, and is not. */
static void add_file(uint8_t fat[MOST_FAT_B], const char *text, int packed) {
    const size_t text_B = strlen(text) + 1;
    size_t files_B = fat[8] | (size_t)fat[9] << 8;
    uint8_t *const at = fat + FAT_HEAD_B + files_B;
    put(fat, 0xBA55ED50u, 4);
    put(fat + 6, FAT_HEAD_B, 2);
    put(at, 1, 2); /* PTX */
    put(at + 4, FILE_HEAD_B, 4);
    put(at + 8, text_B, 8);
    put(at + 16, packed ? text_B : 0, 4);
    put(at + 56, text_B, 8);
    memcpy(at + FILE_HEAD_B, text, text_B);
    files_B += FILE_HEAD_B + text_B;
    put(fat + 8, files_B, 8);
}

static int device_sm; /* 0: nobody says */

static shim_result answer(int *value, int attribute, int device) {
    (void)device;
    *value = attribute == SHIM_ATTRIBUTE_MAJOR ? device_sm / 10 : device_sm % 10;
    return SHIM_SUCCESS;
}

static void load_fat(const void *context) {
    const char *const *target = context;
    uint8_t fat[MOST_FAT_B] = {0};
    driver.call[AT_cuDeviceGetAttribute] = device_sm ? (shim_function)answer : NULL;
    for (; *target; target++) {
        char text[200];
        snprintf(text, sizeof(text), PTX("%s", "// %s"), *target, *target);
        add_file(fat, text, 0);
    }
    captured_kernels_loaded(fat, &owner);
    say_text_of(&owner);
}

#define FOR_OTHERS                                                                                 \
    "libtma: a fatbinary has PTX for other devices than sm_90 alone: its launches are not "        \
    "captured\n"
#define UNDECIDED                                                                                  \
    "libtma: a fatbinary has PTX for several devices, and the driver does not say which this one " \
    "is: its launches are not captured\n"

static const struct {
    const char *what;
    int sm;
    const char *target[4], *said;
} fats[] = {
    {"the last is the nearest", 90, {"sm_80", "sm_90"}, "// sm_90\n}\n\n"},
    {"the first is", 90, {"sm_90", "sm_80"}, "// sm_90\n}\n\n"},
    {"its own features", 90, {"sm_90a", "sm_90", "sm_100a"}, "// sm_90a\n}\n\n"},
    {"another's features", 100, {"sm_90a", "sm_90"}, "// sm_90\n}\n\n"},
    {"a family's", 103, {"sm_100f", "sm_100", "sm_100a"}, "// sm_100f\n}\n\n"},
    {"another family's", 120, {"sm_100f", "sm_90"}, "// sm_90\n}\n\n"},
    {"newer ones alone", 90, {"sm_100", "sm_120"}, FOR_OTHERS "none\n"},
    {"one, of nobody's device", 0, {"sm_100"}, "// sm_100\n}\n\n"},
    {"two", 0, {"sm_90", "sm_100"}, UNDECIDED "none\n"},
};

static void test_which_of_a_fatbinary(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fats); i++) {
        device_sm = fats[i].sm;
        is_said(fats[i].what, load_fat, fats[i].target, fats[i].said);
    }
}

static void load_packed(const void *context) {
    (void)context;
    uint8_t fat[MOST_FAT_B] = {0};
    add_file(fat, "no compression that is known", 1);
    add_file(fat, "no compression that is known", 1);
    captured_kernels_loaded(fat, &other);
    captured_kernels_loaded(fat, &other);
    add_file(fat, PTX("sm_90", "// plain"), 0);
    captured_kernels_loaded(fat, &owner);
    say_text_of(&owner);
}

static void load_some_packed(const void *context) {
    (void)context;
    uint8_t fat[MOST_FAT_B] = {0};
    add_file(fat, "no compression that is known", 1);
    add_file(fat, PTX("sm_90", "// plain"), 0);
    captured_kernels_loaded(fat, &owner);
    say_text_of(&owner);
}

static void test_why_one_cannot_be_read(void **state) {
    (void)state;
    is_said(
        "packed", load_packed, NULL,
        fat_image_has_unpacker()
            ? "libtma: a compressed fatbinary cannot be read: it is not Zstandard's, or memory "
              "lacks, and its launches are not captured\n// plain\n}\n\n"
            : "libtma: a compressed fatbinary cannot be read: there is no libzstd.so.1, and its "
              "launches are not captured\n// plain\n}\n\n");
    is_said("some packed", load_some_packed, NULL, "// plain\n}\n\n");
}

/* ---- the same kernel by other handles ---- */

static void count_launches(const void *context) {
    (void)context;
    static const char handles[4];
    for (size_t i = 0; i < sizeof(handles); i++) {
        captured_kernels_loaded(i < 3 ? PTX("sm_90", "// same") : PTX("sm_90", "// other"), &owner);
        captured_kernels_found(&owner, &handles[i], "k");
        say("%u ", atomic_fetch_add(captured_kernels_at(&handles[i])->launches, 1));
    }
}

static void say_named(const void *handle_of_it) {
    const struct captured_kernel *k = captured_kernels_named(handle_of_it, "k");
    say("%s\n", k && k->text ? "one" : "none");
}

static void name_alone(const void *context) {
    (void)context;
    static const char handles[3];
    say_named(&handles[0]);
    say("%s\n", captured_kernels_at(&handles[0]) ? "is kept" : "is asked again");
    captured_kernels_loaded(PTX("sm_90", "// same"), &owner);
    captured_kernels_loaded(PTX("sm_90", "// same"), &other);
    say_named(&handles[1]);
    captured_kernels_loaded(PTX("sm_90", "// other"), &other);
    say_named(&handles[2]);
}

static void test_kernels_of_one_name(void **state) {
    (void)state;
    is_said("launches", count_launches, NULL, "0 1 2 0 ");
    is_said("names", name_alone, NULL,
            "none\nis kept\none\nlibtma: several modules have a kernel k: its launches are not "
            "captured\nnone\n");
}

/* ---- as many as a program of machine learning has ---- */

#define MANY 3000

static void test_many_handles(void **state) {
    (void)state;
    static char handles[MANY][16];
    char name[16];
    for (size_t i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "k%zu", i);
        captured_kernels_found(&owner, handles[i], name);
    }
    for (size_t i = 0; i < MANY; i++) {
        const struct captured_kernel *k = captured_kernels_at(handles[i]);
        snprintf(name, sizeof(name), "k%zu", i);
        assert_non_null(k);
        assert_string_equal(k->name, name);
    }
    assert_null(captured_kernels_at(handles[0] + 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_handle_that_comes_again),
        cmocka_unit_test(test_which_of_a_fatbinary),
        cmocka_unit_test(test_why_one_cannot_be_read),
        cmocka_unit_test(test_kernels_of_one_name),
        cmocka_unit_test(test_many_handles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
