/* SPDX-License-Identifier: Apache-2.0
 *
 * What an H200 left in memory, copy by copy, and the loads of a GeForce RTX 5080: the whole window
 * or buffer, or the name of the trap.
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

#define BUFFER_ADDRESS UINT64_C(0x7f0000000000) /* 256-byte aligned, as the machine's was */
#define WINDOW_ADDRESS 0x400                    /* 1024-byte aligned */
#define LINE_BYTES     65536
#define GLOBAL_BYTES   (8u << 20)
#define WINDOW_BYTES   (256u << 10)

typedef tma_status (*copier)(const tma_plan *, const tma_position *, const tma_global *,
                             const tma_window *, tma_finding *);

static struct {
    uint8_t global[GLOBAL_BYTES];
    uint8_t global_before[GLOBAL_BYTES];
    uint8_t window[WINDOW_BYTES];
    uint8_t window_before[WINDOW_BYTES];
    uint8_t captured[GLOBAL_BYTES]; /* what the machine left, as its hash says */
    char line[LINE_BYTES];
} memory;

struct tally {
    unsigned lines;
    unsigned failed;
    unsigned trapped;
    unsigned raw;
    unsigned tx; /* lines with a byte count that means something */
};

static int complain(const char *what) {
    print_error("%s: ", what);
    return 0;
}

static void fill_memory(const struct hw_case *c) {
    hw_fill_bytes(memory.global_before, c->global_B, c->fill, c->seed);
    if (c->instruction.op == TMA_OP_LOAD) {
        memset(memory.window_before, 0xA5, c->window_B);
    } else {
        const unsigned later = c->fill == HW_FILL_SPECIAL ? 2 : 1;
        hw_fill_bytes(memory.window_before, c->window_B, c->fill, c->seed + later);
    }
}

static int same_raw(const uint8_t *bytes, uint64_t count_B, const char *raw) {
    static const char digits[] = "0123456789abcdef";
    if (strlen(raw) != 2 * count_B) {
        return 0;
    }
    for (uint64_t i = 0; i < count_B; i++) {
        if (raw[2 * i] != digits[bytes[i] >> 4] || raw[2 * i + 1] != digits[bytes[i] & 15]) {
            return 0;
        }
    }
    return 1;
}

/* What the other side of the copy held must still be there. The hash is asked of the first path's
 * bytes; the others' must be the same. */
static int bytes_agree(const struct hw_case *c, int first) {
    const int load = c->instruction.op == TMA_OP_LOAD;
    const uint8_t *result = load ? memory.window : memory.global;
    const uint64_t whole_B = load ? c->window_B : c->global_B;
    if (load ? memcmp(memory.global, memory.global_before, c->global_B)
             : memcmp(memory.window, memory.window_before, c->window_B)) {
        return complain("the source changed");
    }
    if (c->count_B != whole_B ||
        (first ? hw_hash(result, whole_B) != c->hash : memcmp(result, memory.captured, whole_B))) {
        return complain("other bytes");
    }
    if (!first) {
        return 1;
    }
    memcpy(memory.captured, result, whole_B);
    return !c->raw || same_raw(result, whole_B, c->raw) ? 1 : complain("other raw bytes");
}

static int unchanged(const struct hw_case *c) {
    return memcmp(memory.global, memory.global_before, c->global_B) == 0 &&
           memcmp(memory.window, memory.window_before, c->window_B) == 0;
}

static int trap_agrees(const struct hw_case *c, tma_status status, const tma_finding *why) {
    if (status != TMA_TRAP || strcmp(tma_trap_name(why), c->status + 5) != 0) {
        return complain("another trap, or none");
    }
    return 1;
}

static int copy_agrees(const struct hw_case *c, const tma_plan *plan, copier copy) {
    const int first = copy == tma_copy_reference;
    const tma_plan_facts *const facts = tma_plan_info(plan);
    tma_finding why = {0};
    const tma_range range = {
        .address = BUFFER_ADDRESS, .size_B = c->global_B, .host = memory.global};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {
        .address = WINDOW_ADDRESS, .size_B = (uint32_t)c->window_B, .host = memory.window};
    tma_position at = c->at;
    at.shared_address += WINDOW_ADDRESS;
    memcpy(memory.global, memory.global_before, c->global_B);
    memcpy(memory.window, memory.window_before, c->window_B);
    const tma_status status = copy(plan, &at, &global, &window, &why);
    if (strncmp(c->status, "trap:", 5) == 0) {
        return trap_agrees(c, status, &why) && (unchanged(c) || complain("bytes moved"));
    }
    if (status != TMA_OK) {
        char text[512];
        tma_finding_text(text, sizeof(text), &why);
        return complain(text);
    }
    const int done = !c->expect_B || c->expect_B == facts->tx_B;
    if (strcmp(c->status, done ? "1" : "0") != 0 || (c->has_tx && c->tx_B != facts->tx_B)) {
        return complain("another count of bytes");
    }
    return bytes_agree(c, first);
}

static int agrees(const struct hw_case *c) {
    tma_map map;
    tma_plan plan;
    tma_plan forced;
    tma_finding why = {0};
    tma_spec spec = c->spec;
    spec.address += BUFFER_ADDRESS;
    assert_true(c->global_B <= GLOBAL_BYTES && c->window_B <= WINDOW_BYTES);
    const tma_status encoded = tma_encode(map.bytes, &spec, &c->target);
    if (encoded != TMA_OK || c->rc != 0) {
        return (uint64_t)encoded == c->rc ? 1 : complain("another rc");
    }
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
    fill_memory(c);
    int alike = copy_agrees(c, &plan, tma_copy_reference);
    for_each_path(forced, &plan) {
        alike = alike && copy_agrees(c, &forced, tma_copy);
    }
    return alike;
}

static struct tally replay(const char *name) {
    struct tally tally = {0};
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.txt.gz", TMA_VECTORS_DIR, name);
    gzFile file = gzopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s", path);
    }
    while (gzgets(file, memory.line, LINE_BYTES)) {
        if (memory.line[0] == '#') {
            continue;
        }
        struct hw_case c;
        const char *wrong = hw_case_read(memory.line, &c);
        tally.lines++;
        if (wrong || !agrees(&c)) {
            print_error("%s:%u: %s\n", name, tally.lines, wrong ? wrong : "disagrees");
            tally.failed++;
            continue;
        }
        tally.trapped += c.status[0] == 't';
        tally.raw += c.raw != NULL;
        tally.tx += c.has_tx;
    }
    gzclose(file);
    return tally;
}

static unsigned total;

static void expect(const char *name, struct tally wanted) {
    const struct tally tally = replay(name);
    assert_int_equal(tally.failed, 0);
    assert_int_equal(tally.lines, wanted.lines);
    assert_int_equal(tally.trapped, wanted.trapped);
    assert_int_equal(tally.raw, wanted.raw);
    assert_int_equal(tally.tx, wanted.tx);
    total += tally.lines;
}

static void random_copies(void **state) {
    (void)state;
    expect("copy", (struct tally){.lines = 3000, .trapped = 31});
}

static void copies_inside_the_tensor(void **state) {
    (void)state;
    expect("copy_inside", (struct tally){.lines = 1887, .trapped = 14});
}

static void small_copies_byte_by_byte(void **state) {
    (void)state;
    expect("copy_raw", (struct tally){.lines = 440, .trapped = 4, .raw = 436});
}

static void copies_at_the_edges(void **state) {
    (void)state;
    expect("copy_edge", (struct tally){.lines = 257, .trapped = 56});
}

static void special_values(void **state) {
    (void)state;
    expect("copy_special", (struct tally){.lines = 236});
}

static void every_reduction_on_every_type(void **state) {
    (void)state;
    expect("reduce", (struct tally){.lines = 104, .trapped = 71});
}

/* With the counts that completed the loads' barriers: the expect= of each. */
static void conformance_run(void **state) {
    (void)state;
    expect("copy_conformance", (struct tally){.lines = 2412, .trapped = 39});
}

static void loads_of_a_geforce(void **state) {
    (void)state;
    expect("copy_blackwell", (struct tally){.lines = 17, .raw = 17, .tx = 17});
}

/* Not captured: what a tutorial of Triton's asserts. */
static void gathers_and_scatters(void **state) {
    (void)state;
    expect("copy_gather_scatter", (struct tally){.lines = 269, .tx = 154});
}

static void all_of_them(void **state) {
    (void)state;
    assert_int_equal(total, 8622);
    print_message("%u of 8622 copies reproduced\n", total);
}

#define TENSOR                                                                                     \
    "hw api=tiled dtype=6 rank=2 addr=0 dim=64,32 stride=128 es=1,1 il=0 sw=0 l2=0 oob=0 "         \
    "box=8,4 op=load mode=tile coord=0,-1 smem=0 win=4096 gwin=65536 fill=rand seed=7 "

/* The reader must not pass over what it does not understand. */
static void reader_refuses(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "enc api=tiled rc=0",
        "hw api=tiled rc=0",
        TENSOR,
        TENSOR "rc=0",
        TENSOR "rc=0 st=1",
        TENSOR "rc=0 st=1 n=4096",
        TENSOR "rc=0 st=1 n=4096 hash=0x",
        TENSOR "rc=0 st=1 n=4096 hash=00 colour=1",
        TENSOR "rc=0 st=1 n=4096 hash=00 dim=1,2",
        TENSOR "raw=1 rc=0 st=1 n=4096 hash=00",
        TENSOR "rc=0 st=1 n= hash=00",
        TENSOR "rc=0 st=1 n=1, hash=00",
        TENSOR "rc=0 st=1 n=99999999999999999999 hash=00",
        TENSOR "off=1,2,3,4 rc=0 st=1 n=4096 hash=00",
        TENSOR "arch=sm_89 rc=0 st=1 n=4096 hash=00",
    };
    struct hw_case c;
    char line[1024];
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        snprintf(line, sizeof(line), "%s", wrong[i]);
        if (!hw_case_read(line, &c)) {
            fail_msg("read without complaint: %s", wrong[i]);
        }
    }
    snprintf(line, sizeof(line), "%s", TENSOR "expect=64 rc=0 st=0 tx=9 n=4096 hash=a0\n");
    assert_null(hw_case_read(line, &c));
    assert_int_equal(c.at.coord[1], -1);
    assert_int_equal(c.expect_B, 64);
    assert_int_equal(c.hash, 0xa0);
    assert_int_equal(c.has_tx, 0);
    assert_string_equal(c.status, "0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_refuses),
        cmocka_unit_test(random_copies),
        cmocka_unit_test(copies_inside_the_tensor),
        cmocka_unit_test(small_copies_byte_by_byte),
        cmocka_unit_test(copies_at_the_edges),
        cmocka_unit_test(special_values),
        cmocka_unit_test(every_reduction_on_every_type),
        cmocka_unit_test(conformance_run),
        cmocka_unit_test(loads_of_a_geforce),
        cmocka_unit_test(gathers_and_scatters),
        cmocka_unit_test(all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
