/* SPDX-License-Identifier: Apache-2.0
 *
 * One map in many shapes, and what is wrong with those that are none: addresses, widths of numbers,
 * what stands between them and around them.
 */
#include "support/testing.h"

#include <inttypes.h>

#include "tma/dump.h"
#include "tma/map.h"

static const tma_spec spec = {.dtype = TMA_DTYPE_BFLOAT16,
                              .rank = 3,
                              .address = UINT64_C(0x7f1234567880),
                              .dim_el = {4096, 8192, 7},
                              .stride_B = {8192, UINT64_C(67108864)},
                              .box_el = {64, 128, 1},
                              .element_stride = {1, 1, 1},
                              .swizzle = TMA_SWIZZLE_128B};

struct shape {
    const char *before, *line; /* of all; of each line, where %llx is its address */
    const char *value;         /* a conversion for 64 bits */
    size_t value_B, line_B;
    const char *between, *end, *behind; /* values; lines */
    uint64_t base;                      /* of the addresses */
    size_t values;                      /* so many more or fewer than a map has */
    const char *said;
};

#define MORE(n)  (n)
#define FEWER(n) ((size_t) - (n))
#define ALL      0

static size_t put_shape(char *text, const struct shape *s, const uint8_t *map) {
    const size_t count = TMA_MAP_BYTES / s->value_B + s->values;
    const size_t in_line = s->line_B / s->value_B;
    size_t n = (size_t)sprintf(text, "%s", s->before);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        for (size_t k = 0; k < s->value_B; k++) {
            value |= (uint64_t)map[(i * s->value_B + k) % TMA_MAP_BYTES] << 8 * k;
        }
        if (i % in_line == 0) {
            n += (size_t)sprintf(text + n, s->line, (unsigned long long)s->base + i * s->value_B,
                                 (unsigned long long)(i * s->value_B));
        }
        n += (size_t)sprintf(text + n, s->value, value);
        n += (size_t)sprintf(text + n, "%s",
                             (i + 1) % in_line && i + 1 < count ? s->between : s->end);
    }
    return n + (size_t)sprintf(text + n, "%s", s->behind);
}

#define X2  "%02" PRIx64
#define X4  "%04" PRIx64
#define X8  "%08" PRIx64
#define X16 "%016" PRIx64
#define X   "0x%" PRIx64
#define D   "%" PRIu64

static const struct shape SHAPES[] = {
    /* bare bytes */
    {"", "", X2, 1, 128, "", "", "", 0, ALL, "= "},
    {"", "", X2, 1, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "", X2, 1, 16, ",", ";\n", "", 0, ALL, "= "},
    {"", "", X2, 1, 16, ":", "\r\n", "", 0, ALL, "= "},
    {"", "", X2, 1, 16, "\t", "\v\f\n", "", 0, ALL, "= "},
    {"", "", X2, 1, 16, "|", "\n", "", 0, ALL, "= "},
    {"\xEF\xBB\xBF", "", X2, 1, 16, " ", "\n", "", 0, ALL, "= "},
    {"\xEF\xBB", "", X2, 1, 16, " ", "\n", "", 0, ALL,
     "found 386 bytes, a map has 128 (they are not text, and so taken as raw bytes)"},
    {"", "", X2, 1, 128, "", "", "0", 0, ALL,
     "'80785634127f0000206500000002000000004000000000000000000000000000ff0f0000ff1f0000' has "
     "an odd number of hexadecimal digits"},
    {"", "", X2, 1, 128, "", "", " 0", 0, ALL, "= found among other text"},
    {"", "", X2, 1, 128, "", "", "g0", 0, ALL, "= found among other text"},
    {"", "", X2, 1, 128, "", "", "", 0, FEWER(1), "found 127 bytes, a map has 128"},
    {"", "", X2, 1, 128, "", "", "", 0, FEWER(127), "found 1 byte, a map has 128"},
    {"", "", X2, 1, 128, "", "", "", 0, FEWER(128), "found 0 bytes, a map has 128"},
    {"", "", X2, 1, 128, "", "", "", 0, MORE(1), "found 129 bytes, a map has 128"},
    {"0x", "", X2, 1, 128, "", "", "", 0, ALL, "= "},
    {"", "", X16, 8, 16, " ", "\n", "", 0, ALL,
     "= read as 64-bit words, each a number (%016llx), since as bytes in order they make no "
     "map"},
    {"", "", X8, 4, 16, " ", "\n", "", 0, ALL,
     "= read as 32-bit words, each a number (%08x), since as bytes in order they make no map"},
    {"", "", X4, 2, 16, " ", "\n", "", 0, ALL,
     "= read as 16-bit words, each a number (%04x), since as bytes in order they make no map"},
    {"", "", "\\x" X2, 1, 16, "", "\n", "", 0, ALL, "unexpected '\\' at character 1 of the dump"},
    /* numbers */
    {"", "", "0x" X2, 1, 16, ", ", ",\n", "", 0, ALL, "= "},
    {"", "", "0x" X4, 2, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "", "0x" X8, 4, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "", "0x" X16, 8, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "", "0X" X16, 8, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "", X, 8, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "", X, 4, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "", X, 2, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "", X, 1, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "", X, 8, 16, " ", "\n", "", 0, MORE(1), "= found among other text"},
    {"", "", "0x" X8, 4, 16, " ", "\n", "", 0, FEWER(1), "found 124 bytes, a map has 128"},
    {"", "", "0x" X8, 4, 16, " ", "\n", "", 0, MORE(1), "= found among other text"},
    {"", "", "0x" X2, 1, 16, " ", "\n", "", 0, MORE(1), "= found among other text"},
    {"0x10000000000000000 ", "", X, 8, 16, " ", "\n", "", 0, FEWER(1),
     "'10000000000000000' has an odd number of hexadecimal digits"},
    {"0x1ffffffff ", "", X, 4, 16, " ", "\n", "", 0, FEWER(1),
     "0x1ffffffff does not fit in the 4 bytes of each of 32 values"},
    {"0x100 ", "", X, 1, 16, " ", "\n", "", 0, FEWER(1),
     "0x100 does not fit in the 1 byte of each of 128 values"},
    /* braces */
    {"{", "", "0x" X16, 8, 16, ", ", ",\n", "}", 0, ALL, "= "},
    {"{{", "", "0x" X16 "ULL", 8, 16, ", ", ",\n", "}};", 0, ALL, "= "},
    {"$1 = {opaque = {", "", X, 8, 128, ", ", "", "}}", 0, ALL, "= "},
    {"{", "", D, 8, 16, ", ", ",\n", "}", 0, ALL, "= "},
    {"{", "", D "u", 4, 16, ", ", ",\n", "}", 0, ALL, "= "},
    {"{", "", D, 2, 16, ", ", ",\n", "}", 0, ALL,
     "found 64 values: a map is 128 bytes, 32 words or 16 double words"},
    {"{", "", D, 1, 16, ", ", ",\n", "}", 0, ALL, "= "},
    {"{", "", "0x" X4, 2, 16, ", ", ",\n", "}", 0, ALL, "= "},
    {"{ /* { */ ", "", "0x" X8, 4, 16, ", // c\n", ",\n", "}", 0, ALL,
     "unexpected '*' at character 8 of the dump"},
    {"{ /**/", "", "0x" X8, 4, 16, ",/*/ , */", ",\n", "}", 0, ALL, "= "},
    {"{ ", "", "0x" X8, 4, 16, ", ", ",\n", "", 0, ALL,
     "the initialiser has no closing brace; found 32 values"},
    {"{ ", "", "0x" X8, 4, 16, ", ", ",\n", " /* }", 0, ALL,
     "the initialiser has no closing brace; found 32 values"},
    {"{ ", "", "0x" X8, 4, 16, ", ", ",\n", " // }", 0, ALL,
     "the initialiser has no closing brace; found 32 values"},
    {"{ ", "", "0x" X8 "L", 4, 16, " + ", ",\n", "}", 0, ALL,
     "unexpected '+' at character 15 of the dump"},
    {"{ 1f, ", "", "0x" X8, 4, 16, ", ", ",\n", "}", 0, FEWER(1),
     "'1f' is not a decimal or hexadecimal constant"},
    {"{ 017, ", "", "0x" X8, 4, 16, ", ", ",\n", "}", 0, FEWER(1),
     "'017' is not a decimal or hexadecimal constant"},
    {"{ u, ", "", "0x" X8, 4, 16, ", ", ",\n", "}", 0, FEWER(1),
     "'u' is not a decimal or hexadecimal constant"},
    {"{ 18446744073709551616, ", "", D, 8, 16, ", ", ",\n", "}", 0, FEWER(1),
     "'18446744073709551616' is not a decimal or hexadecimal constant"},
    {"{ 0 <repeats 2 times>, ", "", D, 8, 16, ", ", ",\n", "}", 0, FEWER(2), "another map "},
    {"{ 0 <repeats 2 times, ", "", D, 8, 16, ", ", ",\n", "}", 0, FEWER(2),
     "unexpected '<' at character 5 of the dump"},
    {"{ 0 <repeats 0 times>, ", "", D, 8, 16, ", ", ",\n", "}", 0, FEWER(1),
     "unexpected '<' at character 5 of the dump"},
    {"{ 0 <repeats 200 times>, ", "", D, 8, 16, ", ", ",\n", "}", 0, FEWER(1),
     "found 215 values: a map is 128 bytes, 32 words or 16 double words"},
    /* lines with addresses */
    {"", "0x%llx:\t", "0x" X16, 8, 16, "\t", "\n", "", 0x7ffe0010, ALL, "= "},
    {"", "0x%llx <map+%llu>:\t", "0x" X16, 8, 16, "\t", "\n", "", 0x7ffe0010, ALL, "= "},
    {"", "0x%llx <a<int>::map+%llu>:\t", "0x" X16, 8, 16, "\t", "\n", "", 0x7ffe0010, ALL, "= "},
    {"", "0x%llx <map+%llu>:", "0x" X16, 8, 16, "\t", "\n", "", 0x7ffe0010, ALL,
     "unexpected '<' at character 12 of the dump"},
    {"", "0x%llx <map+%llu:\t", "0x" X16, 8, 16, "\t", "\n", "", 0x7ffe0010, ALL,
     "unexpected '<' at character 12 of the dump"},
    {"(gdb) x/16gx &map\n", "0x%llx:\t", "0x" X16, 8, 16, "\t", "\n", "(gdb) \n", 0x7ffe0010, ALL,
     "= "},
    {"(lldb) x\n\n", "0x%llx: ", "0x" X8, 4, 16, " ", "\n", "(cuda-gdb) q", 0x7ffe0010, ALL, "= "},
    {"gdb x\n", "0x%llx: ", "0x" X8, 4, 16, " ", "\n", "", 0x7ffe0010, ALL,
     "= found among other text"},
    {"", "%08llx: ", X2, 1, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "%08llx: ", X2, 1, 16, " ", "  ................\n", "", 0, ALL,
     "line 1 of the dump: its characters are not those of its bytes"},
    {"", "%llx: ", X2, 1, 16, " ", "\n", "", 0xfffffffffffffff0, ALL, "= "},
    {"", "%08llx: ", X2, 1, 16, " ", "\n", "00000080: \n", 0, ALL, "= "},
    {"", "%08llx: ", X2, 1, 16, " ", "\n", "00000080: *\n", 0, ALL, "= found among other text"},
    {"", "%08llx: ", X2, 1, 16, " ", "\n", "*\n", 0, ALL, "= found among other text"},
    {"", "%08llx: ", X2, 1, 16, " ", "\n", "00000090:\n", 0, ALL, "= found among other text"},
    {"", "%08llx: ", X2, 1, 16, " ", "\n", "", 0, FEWER(16), "found 112 bytes, a map has 128"},
    {"", "%08llx: ", X2, 1, 16, " ", "\n", "", 0, FEWER(1), "found 127 bytes, a map has 128"},
    {"", "%08llx: ", X2, 1, 16, " ", "\n", "", 0, MORE(1), "= found among other text"},
    {"", "%08llx: ", X2, 1, 128, " ", "\n", "", 0, ALL, "= "},
    {"", "%07llx ", X2, 1, 16, " ", "\n", "0000080\n", 0, ALL, "= "},
    {"", "%07zo ", X2, 1, 16, " ", "\n", "0000200\n", 0, ALL, "= "},
    {"", "%07zd ", X2, 1, 16, " ", "\n", "0000128\n", 0, ALL, "= "},
    {"", "%06llx ", X2, 1, 16, " ", "\n", "000080\n", 0, ALL, "= "},
    {"", "%05llx ", X2, 1, 16, " ", "\n", "00080\n", 0, ALL,
     "'00000' has an odd number of hexadecimal digits"},
    {"", "%016llx ", X2, 1, 16, " ", "\n", "0000000000000080\n", 0, ALL, "= "},
    {"", "%017llx ", X2, 1, 16, " ", "\n", "00000000000000080\n", 0, ALL,
     "'00000000000000000' has an odd number of hexadecimal digits"},
    {"", "%07llx ", X4, 2, 16, " ", "\n", "0000080\n", 0, ALL, "= "},
    {"", "%07zo ", X8, 4, 16, " ", "\n", "0000200\n", 0, ALL, "= "},
    {"", "%07llx ", X16, 8, 16, " ", "\n", "0000080\n", 0, ALL, "= "},
    {"", "%07llx ", X16, 8, 8, " ", "\n", "0000080\n", 0, ALL, "= "},
    {"", "%07llx ", X2, 1, 16, " ", "\n", "", 0, ALL, "= "},
    {"", "%07llx ", X2, 1, 16, " ", "\n", "0000090\n", 0, ALL, "= found among other text"},
    {"\n\n", "%07llx ", X2, 1, 16, " ", "\n\n", "0000080\n", 0, ALL, "= "},
    {"  ", "%07llx ", X2, 1, 16, " ", " \n  ", "0000080\n", 0, ALL, "= "},
    {"", "%07llx", X2, 1, 16, " ", "\n", "0000080\n", 0, ALL,
     "'000000080' has an odd number of hexadecimal digits"},
    {"", "%07llx ", X2, 1, 16, " ", "  >................<\n", "0000080\n", 0, ALL,
     "line 1 of the dump: its characters are not those of its bytes"},
    {"", "%08llx  ", X2, 1, 16, " ", "  |................|\n", "00000080\n", 0, ALL,
     "line 1 of the dump: its characters are not those of its bytes"},
    {"0000000 ", "", X2, 1, 16, " ", "\n0000010 ", "", 0, ALL,
     "line 3 of the dump: its address 0x10 does not follow on the 32 bytes before it"},
    /* what languages print */
    {"[", "", D, 8, 16, ", ", ",\n ", "]", 0, ALL, "= "},
    {"[", "", D, 4, 16, ", ", ",\n ", "]", 0, ALL, "= "},
    {"[", "", D, 2, 16, ", ", ",\n ", "]", 0, ALL, "= "},
    {"[", "", D, 1, 16, ", ", ",\n ", "]", 0, ALL, "= "},
    {"[", "", D, 1, 16, ", ", ",\n ", "]", 0, MORE(1), "= found among other text"},
    {"array([", "", "0x" X2, 1, 16, ", ", ",\n ", "], dtype=uint8)", 0, ALL, "= "},
    {"tensor([", "", D ".", 1, 16, ", ", ",\n ", "], device='cuda:0', dtype=torch.uint8)", 0, ALL,
     "= found among other text"},
    {"CUtensorMap { opaque: [", "", D, 8, 16, ", ", ",\n ", "] }", 0, ALL, "= "},
    {"step 12\nm=[", "[", D, 1, 16, ", ", "],\n ", "]\n", 0, ALL, "= found among other text"},
    {"step 12\n(", "(", D, 1, 8, ", ", "),\n ", ")\n", 0, ALL, "= found among other text"},
    {"b'", "", "\\x" X2, 1, 128, "", "", "'", 0, ALL, "= "},
    {"bytearray(b\"", "", "\\x" X2, 1, 128, "", "", "\")", 0, ALL, "= "},
    {"b'", "", "\\x" X2, 1, 128, "", "", "", 0, ALL, "'b' has an odd number of hexadecimal digits"},
    {"b'", "", "\\x" X2, 1, 128, "", "", "'", 0, FEWER(1),
     "'b' has an odd number of hexadecimal digits"},
    {"b'", "", "\\x" X2, 1, 128, "", "", "'", 0, MORE(1),
     "'b' has an odd number of hexadecimal digits"},
    {"b'", "", "\\y" X2, 1, 128, "", "", "'", 0, ALL,
     "'b' has an odd number of hexadecimal digits"},
    {"one two three four five [", "", D, 8, 128, ", ", "", "]", 0, ALL, "= "},
    {"one two three four five six [", "", D, 1, 128, ", ", "", "]", 0, ALL, "= "},
    {"", "tma[ %llu ] = ", "0x" X8, 4, 4, "", "\n", "", 0, ALL, "'tma' is not hexadecimal"},
    {"", "tma[ %llu] : ", "0x" X8, 4, 4, "", "\n", "", 0, ALL, "= "},
    {"", "tma(%llu) = ", "0x" X8, 4, 4, "", "\n", "", 0, ALL, "'tma' is not hexadecimal"},
    {"", "tma[%llu] = ", "0x" X8, 4, 4, "", "\n", "", 0, ALL, "= "},
    {"step 12\n", "tma[%llu]=", "0x" X8, 4, 4, "", "\n", "", 0, ALL, "= found among other text"},
    {"", "word %llu: ", "0x" X16, 8, 8, "", "\n", "", 0, ALL, "= "},
    {"", "[%llu] ", "0x" X16, 8, 8, "", "\n", "", 0, ALL, "= "},
    {"", "%llu, ", "0x" X16, 8, 8, "", "\n", "", 0, ALL,
     "'0' has an odd number of hexadecimal digits"},
};

static void shapes(void **state) {
    size_t wrong = 0;
    tma_map map;
    (void)state;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    for (size_t i = 0; i < COUNT_OF(SHAPES); i++) {
        char text[8192];
        char said[TMA_ERROR_SIZE];
        tma_map got;
        tma_error error = {0, "no message"};
        const char *how = "not said";
        const size_t size = put_shape(text, &SHAPES[i], map.bytes);
        assert_true(size < sizeof(text));
        if (tma_read_dump_how(got.bytes, &how, text, size, &error)) {
            strcpy(said, error.text);
        } else {
            sprintf(said, "%s %s", memcmp(&got, &map, sizeof(map)) ? "another map" : "=", how);
        }
        if (strcmp(said, SHAPES[i].said) != 0) {
            fprintf(stderr, "%s\nfound: %s\n  not: %s\n", text, said, SHAPES[i].said);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Base64 with those letters, in lines of so many. */
static size_t put_base64(char *text, const uint8_t *map, const char *letters, size_t line) {
    size_t n = 0;
    for (size_t i = 0; i < TMA_MAP_BYTES; i += 3) {
        uint32_t bits = 0;
        for (size_t k = 0; k < 3; k++) {
            bits = bits << 8 | (i + k < TMA_MAP_BYTES ? map[i + k] : 0);
        }
        for (size_t k = 0; k < 4; k++) {
            text[n++] = i + k <= TMA_MAP_BYTES ? letters[bits >> (18 - 6 * k) & 63] : '=';
            if (line && (n + 1) % line == 0) {
                text[n++] = '\n';
            }
        }
    }
    text[n] = 0;
    return n;
}

/* Both alphabets, in lines, with and without what fills it up, in quotes; and broken everywhere. */
static void base64(void **state) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char urls[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint8_t map[TMA_MAP_BYTES];
    (void)state;
    for (unsigned turn = 0; turn < 64; turn++) {
        char text[512];
        char quoted[520];
        tma_map got;
        for (size_t i = 0; i < sizeof(map); i++) {
            map[i] = (uint8_t)(i * (2 * turn + 5) + turn * 37);
        }
        const size_t size = put_base64(text, map, turn % 2 ? plain : urls, turn % 3 ? 0 : 65);
        assert_int_equal(tma_read_dump(got.bytes, text, size, NULL), 0);
        assert_memory_equal(got.bytes, map, sizeof(map));
        if (turn % 3) {
            assert_int_equal(tma_read_dump(got.bytes, text, size - 1, NULL), 0);
            assert_memory_equal(got.bytes, map, sizeof(map));
            assert_int_equal(tma_read_dump(got.bytes, text, size - 2, NULL), -1);
            text[size] = 'A';
            assert_int_equal(tma_read_dump(got.bytes, text, size + 1, NULL), -1);
            text[size] = 0;
        }
        sprintf(quoted, turn % 4 < 2 ? "\"%s\"" : "'%s'", text);
        assert_int_equal(tma_read_dump(got.bytes, quoted, strlen(quoted), NULL), 0);
        text[turn + 1] = '!';
        assert_int_equal(tma_read_dump(got.bytes, text, size, NULL), -1);
    }
}

/* As Python shows bytes: those of text as they are, some by a letter; not with other digits. */
static void python_bytes(void **state) {
    static const char named[] = "\\\n\r\t";
    static const char letters[] = "\\nrt";
    (void)state;
    for (unsigned turn = 0; turn < 64; turn++) {
        uint8_t map[TMA_MAP_BYTES];
        char text[600];
        tma_map got;
        const char quote = turn % 2 ? '\'' : '"';
        size_t n = (size_t)sprintf(text, turn % 3 ? "b%c" : "bytearray(b%c", quote);
        for (size_t i = 0; i < sizeof(map); i++) {
            map[i] = (uint8_t)(turn % 4 ? i * (2 * turn + 1)
                                        : (size_t) "\n\r\t\\\0ab'\""[(i * 7 + turn) % 9]);
            map[i] = map[i] == '{' ? 0 : map[i];
            const char *name = map[i] ? strchr(named, map[i]) : NULL;
            n += (size_t)(name ? sprintf(text + n, "\\%c", letters[name - named])
                          : map[i] == (uint8_t)quote       ? sprintf(text + n, "\\%c", quote)
                          : map[i] >= ' ' && map[i] <= '~' ? sprintf(text + n, "%c", map[i])
                                                           : sprintf(text + n, "\\x%02x", map[i]));
        }
        n += (size_t)sprintf(text + n, "%c", quote);
        assert_int_equal(tma_read_dump(got.bytes, text, n, NULL), 0);
        assert_memory_equal(got.bytes, map, sizeof(map));
        assert_int_equal(tma_read_dump(got.bytes, text, n - 1, NULL), -1);
        char *byte = strstr(text, "\\x");
        assert_non_null(byte);
        for (size_t k = 2; k < 4; k++) {
            const char digit = byte[k];
            byte[k] = 'g';
            assert_int_equal(tma_read_dump(got.bytes, text, n, NULL), -1);
            byte[k] = digit;
        }
    }
}

/* Sixteen 64-bit numbers of 8 digits, one of which is longer: filled up with zeros to what they
 * are not only if all are. */
static void numbers_of_several_widths(void **state) {
    (void)state;
    for (size_t longer = 0; longer <= 16; longer++) {
        char text[512];
        uint8_t map[TMA_MAP_BYTES] = {0};
        tma_map got;
        size_t n = (size_t)sprintf(text, "array([");
        for (size_t i = 0; i < 16; i++) {
            map[8 * i] = (uint8_t)(i + 1);
            map[8 * i + 5] = i == longer ? 0x7f : 0;
            n += (size_t)sprintf(text + n, "%s0x%s%08x", i ? ", " : "", i == longer ? "7f00" : "",
                                 (unsigned)i + 1);
        }
        n += (size_t)sprintf(text + n, "])");
        assert_int_equal(tma_read_dump(got.bytes, text, n, NULL), longer < 16 ? 0 : -1);
        assert_true(longer == 16 || memcmp(got.bytes, map, sizeof(map)) == 0);
    }
}

/* A number a line, behind a name and a bar; the name may be as short as a month's. */
static void numbers_behind_names(void **state) {
    (void)state;
    static const char *const names[] = {"", "| ", "gpu |", "Gpu |", "Gpu-1 | ", "Job 12 | "};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char text[2048];
        tma_dump_found found;
        tma_dump_cursor at = {0, 0};
        size_t n = 0;
        for (size_t k = 0; k < TMA_MAP_BYTES; k++) {
            n += (size_t)sprintf(text + n, "%s%u\n", names[i], map.bytes[k]);
        }
        if (!tma_dump_next(&found, text, n, &at, SIZE_MAX) ||
            memcmp(found.map, map.bytes, TMA_MAP_BYTES) != 0) {
            fail_msg("not found, or otherwise:\n%s", text);
        }
    }
}

/* Sixteen rows of 8 numbers, as Python and NumPy print a matrix, behind what a log puts before each
 * line: a row in brackets is not taken for "[rank0]". */
static void matrices_in_a_log(void **state) {
    (void)state;
    static const char *const befores[] = {"",
                                          "[rank0]: ",
                                          "INFO ",
                                          "(pid=7) ",
                                          "[1,0]<stdout>:",
                                          "2026-03-04 10:11:12,969 [12] ",
                                          "Mar 04 10:11:12 node-7 python3[4321]: "};
    static const char *const names[] = {"map=[[", "map = [[", "[[", "array([["};
    static const char *const betweens[] = {", ", ",", " "};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    for (size_t i = 0; i < COUNT_OF(befores) * COUNT_OF(names) * COUNT_OF(betweens); i++) {
        const char *before = befores[i % COUNT_OF(befores)];
        const char *name = names[i / COUNT_OF(befores) % COUNT_OF(names)];
        const char *between = betweens[i / COUNT_OF(befores) / COUNT_OF(names)];
        char text[2048];
        tma_dump_found found;
        tma_dump_cursor at = {0, 0};
        size_t n = (size_t)sprintf(text, "%sstep 12\n%s%s", before, before, name);
        for (size_t k = 0; k < TMA_MAP_BYTES; k++) {
            n += (size_t)sprintf(text + n, "%u%s", map.bytes[k], k % 8 < 7 ? between : "]");
            if (k % 8 == 7 && k + 1 < TMA_MAP_BYTES) {
                n += (size_t)sprintf(text + n, "%s\n%s [", *between == ',' ? "," : "", before);
            }
        }
        n += (size_t)sprintf(text + n, "]\n%sstep 13\n", before);
        if (!tma_dump_next(&found, text, n, &at, SIZE_MAX) ||
            memcmp(found.map, map.bytes, TMA_MAP_BYTES) != 0 || found.line != 2 ||
            found.last_line != 17) {
            fail_msg("not found, or otherwise:\n%s", text);
        }
    }
}

/* What a program says before and behind its values is no part of them: where the one map stands. */
static void values_in_a_log(void **state) {
    static const struct shape cases[] = {
        {"step 12\nmap = {", "", "0x" X16 "ULL", 8, 32, ", ", ",\n", "}\nstep 13", 0, ALL, "2-6"},
        {"step 12\nmap = {", "", D "ul", 8, 128, ", ", "", "}\nstep 13", 0, ALL, "2-2"},
        {"step 12\nmap = b'", "", "\\x" X2, 1, 128, "", "", "'\nstep 13", 0, ALL, "2-2"},
        {"step 12\nmap=b\"", "", "\\x" X2, 1, 128, "", "", "\"\nstep 13", 0, ALL, "2-2"},
        {"step 12\nb'", "", "\\x" X2, 1, 128, "", "", "'\nstep 13", 0, ALL, "2-2"},
        {"step 12\nmap = rb'", "", "\\x" X2, 1, 128, "", "", "'\nstep 13", 0, ALL, "none"},
    };
    tma_map map;
    (void)state;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[4096];
        char said[64] = "none";
        tma_dump_found found;
        tma_dump_cursor at = {0, 0};
        const size_t size = put_shape(text, &cases[i], map.bytes);
        assert_true(size < sizeof(text));
        if (tma_dump_next(&found, text, size, &at, SIZE_MAX)) {
            sprintf(said, "%zu-%zu", found.line, found.last_line);
            assert_memory_equal(found.map, map.bytes, TMA_MAP_BYTES);
            assert_string_equal(found.how, "");
        }
        if (strcmp(said, cases[i].said) != 0) {
            fail_msg("%s\nin lines %s, not %s", text, said, cases[i].said);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(base64),
        cmocka_unit_test(python_bytes),
        cmocka_unit_test(numbers_of_several_widths),
        cmocka_unit_test(numbers_behind_names),
        cmocka_unit_test(matrices_in_a_log),
        cmocka_unit_test(values_in_a_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
