/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel's printf beside the machine's own, on formats and numbers drawn at random.
 */
#include "print.h"
#include "support/gen/random.h"
#include "support/testing.h"

typedef struct output {
    char text[8192];
    size_t length;
} output;

static void put(void *context, const char *text, size_t length) {
    output *out = context;
    assert_true(out->length + length < sizeof(out->text));
    memcpy(out->text + out->length, text, length);
    out->length += length;
    out->text[out->length] = 0;
}

static const char *text_at(void *context, uint64_t address, size_t *length) {
    (void)context;
    const char *text = address == 1 ? "hello" : NULL;
    *length = text ? strlen(text) : 0;
    return text;
}

static int32_t printed(output *out, const char *format, const void *arguments, size_t size_B) {
    out->length = 0;
    out->text[0] = 0;
    return emu_print(put, out, format, strlen(format), arguments, size_B, text_at, NULL);
}

static const char *draw_flags(struct random_source *state, char *format) {
    char *at = format;
    *at++ = '%';
    for (const char *flag = "-+ #0"; *flag; flag++) {
        if (random_below(state, 4) == 0) {
            *at++ = *flag;
        }
    }
    if (random_below(state, 2)) {
        at += sprintf(at, "%u", (unsigned)random_below(state, 30) + 1);
    }
    if (random_below(state, 2)) {
        at += sprintf(at, ".%u", (unsigned)random_below(state, 25));
    }
    return at;
}

#ifdef __GLIBC__
#define CONVERSIONS "fFeEgGaA"
#else /* C leaves the first digit of %a to the library */
#define CONVERSIONS "fFeEgG"
#endif

static void doubles_print_as_the_machine_prints_them(void **unused) {
    (void)unused;
    struct random_source state = {7};
    output out;
    for (int i = 0; i < 200000; i++) {
        char format[64], expected[2048];
        char *at = (char *)(uintptr_t)draw_flags(&state, format);
        *at++ = CONVERSIONS[random_below(&state, sizeof(CONVERSIONS) - 1)];
        *at = 0;
        uint64_t bits = random_u64(&state);
        double value;
        switch (random_below(&state, 4)) {
        case 0: /* short decimals: ties */
            value = (double)(int64_t)random_below(&state, 100000) / 1024 - 30;
            memcpy(&bits, &value, sizeof(bits));
            break;
        case 1:
            value = (double)random_below(&state, 2000) / 1000;
            memcpy(&bits, &value, sizeof(bits));
            break;
        case 2:
            bits &= UINT64_C(0x800fffffffffffff); /* the smallest */
            break;
        default:
            break;
        }
        memcpy(&value, &bits, sizeof(value));
        if (value != value) {
            bits &= UINT64_C(0x7fffffffffffffff); /* libraries write a NaN's sign or not */
            memcpy(&value, &bits, sizeof(value));
        }
        snprintf(expected, sizeof(expected), format, value);
        assert_int_equal(printed(&out, format, &bits, sizeof(bits)), 1);
        if (strcmp(out.text, expected) != 0) {
            fail_msg("%s of %016llx: '%s', not '%s'", format, (unsigned long long)bits, out.text,
                     expected);
        }
    }
}

static void whole_numbers_print_as_the_machine_prints_them(void **unused) {
    (void)unused;
    struct random_source state = {8};
    output out;
    for (int i = 0; i < 200000; i++) {
        static const char *const SIZE[] = {"", "l", "ll", "h", "hh"};
        const size_t size = random_below(&state, COUNT_OF(SIZE));
        char format[64], expected[256];
        char *at = (char *)(uintptr_t)draw_flags(&state, format);
#ifdef _WIN32
        const char *const drawn = size == 1 ? "ll" : SIZE[size]; // its long has 32 bits
#else
        const char *const drawn = SIZE[size];
#endif
        const char conversion = "diuoxX"[random_below(&state, 6)];
        at += sprintf(at, "%s%c", drawn, conversion);
#ifdef _WIN32
        if (!strchr("di", conversion) && strpbrk(format, " +#")) {
            continue; // C says nothing of a sign there, and Windows forgets %#.0o of 0
        }
#endif
        uint64_t bits = random_u64(&state) >> random_below(&state, 64);
        if (size == 1 || size == 2) {
            snprintf(expected, sizeof(expected), format, bits);
        } else {
            bits = (uint32_t)bits;
            snprintf(expected, sizeof(expected), format, (unsigned)bits);
        }
        assert_int_equal(printed(&out, format, &bits, sizeof(bits)), 1);
        if (strcmp(out.text, expected) != 0) {
            fail_msg("%s of %016llx: '%s', not '%s'", format, (unsigned long long)bits, out.text,
                     expected);
        }
    }
}

static void texts_characters_and_widths(void **unused) {
    (void)unused;
    output out;
    const struct {
        uint32_t width, number;
        uint64_t text, null;
        uint32_t character;
        int32_t precision;
        double value;
    } a = {6, 42, 1, 0, 'z', 2, 1.125};
    _Static_assert(offsetof(__typeof__(a), value) == 32, "no padding that a kernel has not");
    assert_int_equal(printed(&out, "[%*d|%-8s|%s|%c|%.*f] 100%% %y", &a, sizeof(a)), 5);
    assert_string_equal(out.text, "[    42|hello   |(null)|z|1.12] 100% %y");
    assert_int_equal(printed(&out, "%d %d", &a, 4), -1);
    assert_string_equal(out.text, "6 ");
    const uint64_t pointer = UINT64_C(0x7f0000001230);
    assert_int_equal(printed(&out, "%p", &pointer, 8), 1);
    assert_string_equal(out.text, "0x7f0000001230");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_print_as_the_machine_prints_them),
        cmocka_unit_test(whole_numbers_print_as_the_machine_prints_them),
        cmocka_unit_test(texts_characters_and_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
