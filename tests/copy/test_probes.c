/* SPDX-License-Identifier: Apache-2.0
 *
 * What an H200 answered to the questions of lab/hardware/probes: copies like the other vectors, and
 * those of maps with bits that no driver sets, of instructions that do not fit their map, to
 * several CTAs.
 */
#include "support/testing.h"

#include "support/cases/hw_case.h"
#include "support/judged.h"
#include "support/paths.h"
#include <tma/copy.h>
#include <tma/map.h>
#include <zlib.h>

#ifndef TMA_VECTORS_DIR
#error "TMA_VECTORS_DIR: the folder of the captured answers"
#endif

#define BUFFER_ADDRESS UINT64_C(0x7f0000000000)
#define WINDOW_ADDRESS 0x400
#define LINE_BYTES     65536
#define GLOBAL_BYTES   (8u << 20)
#define WINDOW_BYTES   (256u << 10)
#define CTAS           8
#define PATCHES        16
#define VALUE_BYTES    16384

/* The fields that only these lines have. */
struct further {
    uint32_t word[PATCHES];
    uint32_t clear[PATCHES];
    uint32_t set[PATCHES];
    int patches;
    int zero; /* the whole map */
    uint32_t irank;
    uint32_t ctas;
    uint32_t mask;
    int prefetch;
    char global[VALUE_BYTES]; /* hexadecimal, over and over */
    char shared[VALUE_BYTES];
    uint64_t others[CTAS]; /* hashes of the windows of CTAs 1 and on */
};

static struct {
    uint8_t global[GLOBAL_BYTES];
    uint8_t global_before[GLOBAL_BYTES];
    uint8_t window[CTAS][WINDOW_BYTES];
    uint8_t window_before[WINDOW_BYTES];
    char line[LINE_BYTES];
    struct further further;
} memory;

static int complain(const char *what) {
    print_error("%s: ", what);
    return 0;
}

/* Cuts " key=value" out of the line; 0 if it has none. */
static int cut(char *line, const char *key, char *value, size_t size) {
    char word[32];
    snprintf(word, sizeof(word), " %s=", key);
    char *at = strstr(line, word);
    if (!at) {
        value[0] = 0;
        return 0;
    }
    char *from = at + strlen(word);
    const size_t length = strcspn(from, " \n");
    assert_true(length < size);
    memcpy(value, from, length);
    value[length] = 0;
    memmove(at, from + length, strlen(from + length) + 1);
    return 1;
}

static uint32_t cut_number(char *line, const char *key, uint32_t otherwise) {
    char value[32];
    return cut(line, key, value, sizeof(value)) ? (uint32_t)strtoul(value, NULL, 0) : otherwise;
}

/* Numbers between commas or colons, at most `most`. */
static int numbers(const char *text, int base, uint64_t *out, int most) {
    int n = 0;
    while (*text && n < most) {
        char *end = NULL;
        out[n++] = strtoull(text, &end, base);
        text = *end ? end + 1 : end;
    }
    return n;
}

static void read_further(char *line, struct further *f) {
    uint64_t list[3 * PATCHES];
    char value[1024];
    memset(f, 0, sizeof(*f));
    f->zero = cut_number(line, "zero", 0) != 0;
    f->irank = cut_number(line, "irank", 0);
    f->ctas = cut_number(line, "cluster", 1);
    f->mask = cut_number(line, "mask", 0);
    cut(line, "g", f->global, sizeof(f->global));
    cut(line, "s", f->shared, sizeof(f->shared));
    cut(line, "patch", value, sizeof(value));
    f->patches = numbers(value, 0, list, 3 * PATCHES) / 3;
    for (int i = 0; i < f->patches; i++) {
        f->word[i] = (uint32_t)list[3 * i];
        f->clear[i] = (uint32_t)list[3 * i + 1];
        f->set[i] = (uint32_t)list[3 * i + 2];
    }
    cut(line, "others", value, sizeof(value));
    numbers(value, 16, f->others + 1, CTAS - 1);
    char *op = strstr(line, " op=prefetch");
    f->prefetch = op != NULL;
    if (op) { /* the reader knows none: these leave nothing to read about */
        memcpy(op, " op=load    ", 12);
        memmove(op + 8, op + 12, strlen(op + 12) + 1);
    }
}

static void make_map(const struct hw_case *c, const struct further *f, tma_map *map) {
    tma_spec spec = c->spec;
    spec.address += BUFFER_ADDRESS;
    assert_int_equal(tma_encode(map->bytes, &spec, &c->target), TMA_OK);
    for (int i = 0; i < f->patches; i++) {
        uint8_t *at = map->bytes + 4 * f->word[i];
        uint32_t word = at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
        word = (word & ~f->clear[i]) | f->set[i];
        for (int k = 0; k < 4; k++) {
            at[k] = (uint8_t)(word >> (8 * k));
        }
    }
    if (f->zero) {
        memset(map, 0, sizeof(*map));
    }
}

static void fill(uint8_t *bytes, uint64_t count_B, const struct hw_case *c, uint64_t seed,
                 const char *hex) {
    const size_t period = strlen(hex) / 2;
    hw_fill_bytes(bytes, count_B, c->fill, seed);
    for (uint64_t i = 0; period && i < count_B; i++) {
        const char digits[3] = {hex[i % period * 2], hex[i % period * 2 + 1], 0};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
}

static void fill_memory(const struct hw_case *c, const struct further *f) {
    fill(memory.global_before, c->global_B, c, c->seed, f->global);
    if (c->instruction.op == TMA_OP_LOAD) {
        memset(memory.window_before, 0xA5, c->window_B);
    } else {
        const unsigned later = c->fill == HW_FILL_SPECIAL ? 2 : 1;
        fill(memory.window_before, c->window_B, c, c->seed + later, f->shared);
    }
}

static int trap_agrees(const struct hw_case *c, tma_status status, const tma_finding *why) {
    if (status != TMA_TRAP || strncmp(c->status, "trap:", 5) != 0 ||
        strcmp(tma_trap_name(why), c->status + 5) != 0) {
        char text[512];
        tma_finding_text(text, sizeof(text), why);
        return complain(text);
    }
    return 1;
}

static int bytes_agree(const struct hw_case *c, const struct further *f) {
    if (f->prefetch) {
        return memcmp(memory.global, memory.global_before, c->global_B) == 0;
    }
    if (c->instruction.op != TMA_OP_LOAD) {
        return hw_hash(memory.global, c->global_B) == c->hash || complain("other bytes");
    }
    for (uint32_t i = 0; i < f->ctas; i++) {
        const uint64_t wanted = i ? f->others[i] : c->hash;
        if (hw_hash(memory.window[i], c->window_B) != wanted) {
            return complain("other bytes in a window");
        }
    }
    return 1;
}

enum way { BY_REFERENCE, BY_COPY };

static int copy_agrees(const struct hw_case *c, const struct further *f, const tma_plan *plan,
                       enum way way) {
    tma_finding why = {0};
    tma_status status = TMA_OK;
    const tma_range range = {
        .address = BUFFER_ADDRESS, .size_B = c->global_B, .host = memory.global};
    const tma_global global = {.ranges = &range, .count = 1};
    tma_window windows[CTAS];
    tma_position at = c->at;
    at.shared_address += WINDOW_ADDRESS;
    memcpy(memory.global, memory.global_before, c->global_B);
    for (uint32_t i = 0; i < f->ctas; i++) {
        memcpy(memory.window[i], memory.window_before, c->window_B);
        windows[i] = (tma_window){
            .address = WINDOW_ADDRESS, .size_B = (uint32_t)c->window_B, .host = memory.window[i]};
    }
    if (f->mask) {
        status = tma_copy_multicast(plan, &at, &global, windows, f->ctas, &why);
    } else if (way == BY_REFERENCE) {
        status = tma_copy_reference(plan, &at, &global, windows, &why);
    } else {
        status = tma_copy(plan, &at, &global, windows, &why);
    }
    if (status != TMA_OK || strcmp(c->status, "1") != 0) {
        return trap_agrees(c, status, &why);
    }
    if (c->instruction.op == TMA_OP_LOAD && !f->prefetch &&
        c->expect_B != tma_plan_info(plan)->tx_B) {
        return complain("another count of bytes");
    }
    return bytes_agree(c, f);
}

static int agrees(struct hw_case *c, const struct further *f) {
    tma_map map;
    tma_plan plan;
    tma_plan forced;
    tma_finding why = {0};
    assert_true(c->global_B <= GLOBAL_BYTES && c->window_B <= WINDOW_BYTES && f->ctas <= CTAS);
    fill_memory(c, f);
    make_map(c, f, &map);
    c->instruction.rank = f->irank;
    c->instruction.cta_mask = f->mask;
    c->instruction.op = f->prefetch ? TMA_OP_PREFETCH : c->instruction.op;
    char text[512];
    tma_position at = c->at;
    at.shared_address += WINDOW_ADDRESS;
    if (!judged_alike(map.bytes, &c->instruction, &c->target, &at, text, sizeof(text))) {
        return complain(text);
    }
    const tma_status planned = tma_plan_make(&plan, map.bytes, &c->instruction, &c->target, &why);
    if (planned != TMA_OK) {
        return trap_agrees(c, planned, &why);
    }
    int alike = copy_agrees(c, f, &plan, BY_REFERENCE);
    for_each_path(forced, &plan) {
        alike = alike && copy_agrees(c, f, &forced, BY_COPY);
    }
    return alike;
}

static void expect(const char *name, unsigned wanted, unsigned wanted_trapped) {
    unsigned lines = 0;
    unsigned trapped = 0;
    unsigned failed = 0;
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.txt.gz", TMA_VECTORS_DIR, name);
    gzFile file = gzopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s", path);
    }
    while (gzgets(file, memory.line, LINE_BYTES)) {
        struct hw_case c;
        char id[128];
        lines++;
        read_further(memory.line, &memory.further);
        cut(memory.line, "id", id, sizeof(id));
        const char *wrong = hw_case_read(memory.line, &c);
        if (wrong || !agrees(&c, &memory.further)) {
            print_error("%s: %s\n", id, wrong ? wrong : "disagrees");
            failed++;
            continue;
        }
        trapped += c.status[0] == 't';
    }
    gzclose(file);
    assert_int_equal(failed, 0);
    assert_int_equal(lines, wanted);
    assert_int_equal(trapped, wanted_trapped);
}

static void copies(void **state) {
    (void)state;
    expect("copy_probes", 429, 26);
}

static void odd_maps_and_clusters(void **state) {
    (void)state;
    expect("probes", 205, 94);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies),
        cmocka_unit_test(odd_maps_and_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
