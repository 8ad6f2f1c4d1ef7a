/* SPDX-License-Identifier: Apache-2.0
 *
 * Every form of ldmatrix, stmatrix, movmatrix, mma, mma.sp, wgmma and wgmma.sp that sm_90a has, a
 * kernel each (tests/vectors/mma_forms.ptx.gz), run from its text: each register of each thread as
 * an H200 left it (mma_forms.txt.gz). wmma's are in wmma_forms. A line of that names a kernel, its
 * threads, the kinds and numbers of its input words and the number of its output words a thread;
 * the output follows, 32 words a line.
 */
#include <zlib.h>

#include "harness.h"

#define TEXT_B  (1u << 20)
#define WORDS   65536
#define LINE    1024
#define MEMORY0 HARNESS_ADDRESS(0)

typedef struct form {
    char name[128], in[256];
    unsigned threads, out;
} form;

static uint64_t next_random(uint64_t *seed) {
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static uint64_t seed_of(const char *name) {
    uint64_t seed = UINT64_C(14695981039346656037);
    for (; *name; name++) {
        seed = (seed ^ (uint8_t)*name) * UINT64_C(1099511628211);
    }
    return seed;
}

/* Eight pairs of places; of tf32 eight single ones. */
static uint32_t metadata(uint64_t random, int is_tf32) {
    static const uint8_t PAIRS[6] = {4, 8, 9, 12, 13, 14};
    uint32_t word = 0;
    for (uint32_t i = 0; i < 8; i++) {
        const uint8_t byte = (uint8_t)(random >> 8 * i);
        word |= (is_tf32 ? byte & 1 ? 14u : 4u : PAIRS[byte % 6]) << 4 * i;
    }
    return word;
}

/* One word of a kind: numbers near 1 of a format, any bits, or metadata. */
static uint32_t word_of(char kind, uint64_t random, uint32_t index) {
    const uint32_t w = (uint32_t)random;
    switch (kind) {
    case 'h':
        return (w & 0x87ff87ff) | 0x38003800;
    case 'b':
        return (w & 0x80ff80ff) | 0x3f003f00;
    case 't':
        return (w & 0x80ffffff) | 0x3f000000;
    case '8':
        return (w & 0x8f8f8f8f) | 0x30303030;
    case '5':
        return (w & 0x87878787) | 0x38383838;
    case 'd':
        return index % 2 ? (w & 0x801fffff) | 0x3fe00000 : w;
    case 'm':
        return metadata(random, 0);
    case 'M':
        return metadata(random, 1);
    default:
        return w;
    }
}

static uint32_t fill(const form *f, uint32_t *words) {
    uint64_t seed = seed_of(f->name);
    uint32_t count = 0;
    for (const char *at = f->in; *at;) {
        char *end;
        const char kind = *at;
        const unsigned long n = strtoul(at + 2, &end, 10) * f->threads;
        for (uint32_t i = 0; i < n; i++) {
            assert_true(count < WORDS);
            words[count++] = word_of(kind, next_random(&seed), i);
        }
        at = *end == ',' ? end + 1 : end;
    }
    return count;
}

static int read_form(gzFile file, form *f) {
    char line[LINE];
    return gzgets(file, line, sizeof(line)) && sscanf(line, "%127s threads=%u in=%255s out=%u",
                                                      f->name, &f->threads, f->in, &f->out) == 4;
}

static uint32_t compare(gzFile file, const form *f, const uint32_t *out) {
    char line[LINE];
    uint32_t different = 0;
    for (uint32_t i = 0; i < f->out * f->threads; i++) {
        unsigned captured = 0;
        if (i % 32 == 0) {
            assert_non_null(gzgets(file, line, sizeof(line)));
        }
        assert_int_equal(sscanf(line + 8 * (i % 32), "%8x", &captured), 1);
        if (captured != out[i] && !different++) {
            print_error("%s: word %u: an H200 has %08x, here %08x\n", f->name, i, captured, out[i]);
        }
    }
    return different;
}

static char *read_text(const char *path) {
    char *text = malloc(TEXT_B);
    gzFile file = gzopen(path, "rb");
    assert_non_null(text);
    assert_non_null(file);
    const int size = gzread(file, text, TEXT_B - 1);
    assert_true(size > 0 && size < (int)TEXT_B - 1);
    gzclose(file);
    text[size] = 0;
    assert_memory_equal(text, ".version 8.8\n.target sm_90a\n.address_size 64\n", 44);
    return text;
}

static void check_forms(const char *kernels, const char *captured, uint32_t count) {
    char *text = read_text(kernels);
    uint32_t forms = 0, wrong = 0;
    harness h;
    form f;
    harness_begin(&h, text + 44);
    uint32_t *in = harness_memory(&h, 4 * WORDS), *out = harness_memory(&h, 4 * WORDS);
    gzFile file = gzopen(captured, "rb");
    assert_non_null(file);
    for (; read_form(file, &f); forms++) {
        memset(out, 0, 4 * WORDS);
        fill(&f, in);
        h.launch.kernel = f.name;
        harness_block(&h, 1, f.threads);
        const uint32_t end = harness_run(&h);
        if (end != TMA_EMULATE_COMPLETED) {
            print_error("%s: %s: %s\n", f.name, tma_emulate_end_name(end), harness_why(&h));
        }
        if (harness_findings(&h, TMA_EMULATE_RULES)) {
            print_error("%s: %s\n", f.name, tma_emulator_finding_at(h.emulator, 0)->text);
            wrong++;
        }
        wrong += compare(file, &f, out) || end != TMA_EMULATE_COMPLETED;
    }
    gzclose(file);
    harness_end(&h);
    free(text);
    assert_int_equal(wrong, 0);
    assert_int_equal(forms, count);
}

static void test_mma(void **state) {
    (void)state;
    check_forms(TMA_VECTORS_DIR "/mma_forms.ptx.gz", TMA_VECTORS_DIR "/mma_forms.txt.gz", 185);
}

static void test_wmma(void **state) {
    (void)state;
    check_forms(TMA_VECTORS_DIR "/wmma_forms.ptx.gz", TMA_VECTORS_DIR "/wmma_forms.txt.gz", 162);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mma), cmocka_unit_test(test_wmma)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
