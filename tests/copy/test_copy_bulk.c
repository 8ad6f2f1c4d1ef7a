/* SPDX-License-Identifier: Apache-2.0
 *
 * tma_copy_bulk(): random copies in all directions against plain loops over bytes, global memory in
 * pieces included; what is judged moves nothing.
 */
#include "support/gen/random.h"
#include "support/testing.h"
#include "tma/copy.h"
#include "tma/element.h"

#define GLOBAL   UINT64_C(0x7f0000000000)
#define GLOBAL_B 4096u
#define SHARED   0x1000400u /* CTA 1's */
#define SHARED_B 2048u
#define COPIES   200000

struct memory {
    uint8_t global[GLOBAL_B], shared[SHARED_B], other[SHARED_B];
};

static void fill(struct memory *m, struct random_source *r) {
    uint8_t *bytes = (uint8_t *)m;
    for (size_t i = 0; i < sizeof(*m); i++) {
        bytes[i] = (uint8_t)random_u64(r);
    }
}

/* Two ranges that meet somewhere, at no multiple of anything. */
static tma_status run(const tma_bulk *b, struct memory *m, uint64_t meet_B, tma_finding *why) {
    const tma_range ranges[2] = {
        {.address = GLOBAL + meet_B, .size_B = GLOBAL_B - meet_B, .host = m->global + meet_B},
        {.address = GLOBAL, .size_B = meet_B, .host = m->global}};
    const tma_global global = {.ranges = ranges, .count = 2};
    const tma_window window = {.address = SHARED, .size_B = SHARED_B, .host = m->shared};
    const tma_window to = {.address = SHARED + 0x1000000, .size_B = SHARED_B, .host = m->other};
    struct memory before = *m;
    const tma_status judged = tma_copy_bulk_judge(b, &global, &window, &to, NULL);
    assert_memory_equal(m, &before, sizeof(before));
    const tma_status status = tma_copy_bulk(b, &global, &window, &to, why);
    assert_int_equal(status, judged);
    if (status != TMA_OK) {
        assert_memory_equal(m, &before, sizeof(before));
    }
    return status;
}

static void plainly(const tma_bulk *b, struct memory *m) {
    uint8_t *near = m->shared + (b->shared_address - SHARED);
    uint8_t *far = b->to_shared ? m->other + (b->address - SHARED - 0x1000000)
                                : m->global + (b->address - GLOBAL);
    const uint32_t element_B = tma_dtype_bits(b->dtype) / 8;
    for (uint32_t i = 0; i < b->size_B; i++) {
        if (b->op == TMA_OP_LOAD) {
            near[i] = far[i];
        } else if (b->op == TMA_OP_STORE) {
            far[i] = b->has_mask && !(b->byte_mask >> i % 16 & 1) ? far[i] : near[i];
        } else if (b->op != TMA_OP_PREFETCH && i % element_B == 0) {
            uint64_t old = 0, with = 0;
            for (uint32_t k = element_B; k-- > 0;) {
                old = old << 8 | far[i + k];
                with = with << 8 | near[i + k];
            }
            old = tma_reduce(b->op, b->dtype, old, with);
            for (uint32_t k = 0; k < element_B; k++) {
                far[i + k] = (uint8_t)(old >> 8 * k);
            }
        }
    }
}

/* cp.reduce.async.bulk's types, as ptxas 13.0 takes them, typed in: .b32 and .b64 are here with and
 * without a sign as the tensor copies have them. */
static int is_in_ptx(const tma_bulk *b) {
    const uint32_t type = b->dtype;
    const int is_32 = type == TMA_DTYPE_UINT32 || type == TMA_DTYPE_INT32;
    const int is_half = type == TMA_DTYPE_FLOAT16 || type == TMA_DTYPE_BFLOAT16;
    switch (b->op) {
    case TMA_OP_ADD:
        return is_32 || type == TMA_DTYPE_UINT64 ||
               (!b->to_shared &&
                (is_half || type == TMA_DTYPE_FLOAT32 || type == TMA_DTYPE_FLOAT64));
    case TMA_OP_MIN:
    case TMA_OP_MAX:
        return is_32 ||
               (!b->to_shared && (is_half || type == TMA_DTYPE_UINT64 || type == TMA_DTYPE_INT64));
    case TMA_OP_INC:
    case TMA_OP_DEC:
        return type == TMA_DTYPE_UINT32;
    default:
        return is_32 || (!b->to_shared && type == TMA_DTYPE_UINT64);
    }
}

static void random_copies(void **state) {
    (void)state;
    struct random_source r = {.state = 1};
    static struct memory ours, plain;
    unsigned moved = 0;
    fill(&ours, &r);
    for (unsigned i = 0; i < COPIES; i++) {
        tma_bulk b = {.op = (uint32_t)random_below(&r, TMA_OPS),
                      .dtype = random_one_in(&r, 4)
                                   ? (uint32_t)TMA_DTYPE_UINT32 /* which all reductions have */
                                   : (uint32_t)random_below(&r, TMA_DTYPE_FLOAT64 + 2),
                      .barrier = UINT32_MAX};
        b.to_shared = b.op != TMA_OP_LOAD && b.op != TMA_OP_PREFETCH && random_one_in(&r, 3);
        const uint32_t units = (uint32_t)random_below(&r, 20);
        const uint32_t room_B = b.to_shared ? SHARED_B : GLOBAL_B;
        b.size_B = units * 16;
        b.shared_address = SHARED + 16 * (uint32_t)random_below(&r, (SHARED_B - b.size_B) / 16 + 1);
        b.address = (b.to_shared ? SHARED + 0x1000000 : GLOBAL) +
                    16 * random_below(&r, (room_B - b.size_B) / 16 + 1);
        if (b.op == TMA_OP_STORE && !b.to_shared && random_one_in(&r, 2)) {
            b.has_mask = 1;
            b.byte_mask = (uint32_t)random_below(&r, 65536);
        }
        const int exists = b.op <= TMA_OP_STORE || b.op == TMA_OP_PREFETCH || is_in_ptx(&b);
        plain = ours;
        assert_int_equal(run(&b, &ours, random_below(&r, GLOBAL_B + 1), NULL),
                         exists ? TMA_OK : TMA_PTXAS);
        if (exists) {
            plainly(&b, &plain);
            moved++;
        }
        assert_memory_equal(&ours, &plain, sizeof(ours));
    }
    assert_true(moved > COPIES / 2);
}

static const struct {
    tma_bulk b;
    uint32_t status, rule;
} REFUSED[] = {
    {{.address = GLOBAL, .shared_address = SHARED, .size_B = 24}, TMA_UNKNOWN, TMA_RULE_BULK_SIZE},
    {{.address = GLOBAL + 8, .shared_address = SHARED, .size_B = 32},
     TMA_TRAP,
     TMA_RULE_BULK_FAR_ALIGN},
    {{.op = TMA_OP_PREFETCH, .address = GLOBAL + 1, .size_B = 32},
     TMA_TRAP,
     TMA_RULE_BULK_FAR_ALIGN},
    {{.address = GLOBAL, .shared_address = SHARED + 4, .size_B = 32},
     TMA_TRAP,
     TMA_RULE_BULK_SHARED_ALIGN},
    {{.address = GLOBAL, .shared_address = SHARED, .size_B = 32, .barrier = 4},
     TMA_TRAP,
     TMA_RULE_BARRIER_ALIGN},
    {{.op = TMA_OP_STORE, .address = GLOBAL, .shared_address = SHARED, .size_B = 32, .barrier = 4},
     TMA_OK,
     0},
    {{.address = GLOBAL, .shared_address = SHARED + SHARED_B - 16, .size_B = 32},
     TMA_MEMORY,
     TMA_RULE_MEMORY_SHARED},
    {{.address = GLOBAL, .shared_address = SHARED - 16, .size_B = 32},
     TMA_MEMORY,
     TMA_RULE_MEMORY_SHARED},
    {{.address = GLOBAL + GLOBAL_B - 16, .shared_address = SHARED, .size_B = 32},
     TMA_MEMORY,
     TMA_RULE_MEMORY_GLOBAL},
    {{.op = TMA_OP_ADD,
      .dtype = TMA_DTYPE_UINT32,
      .address = GLOBAL + GLOBAL_B,
      .shared_address = SHARED,
      .size_B = 16},
     TMA_MEMORY,
     TMA_RULE_MEMORY_GLOBAL},
    {{.op = TMA_OP_STORE,
      .to_shared = 1,
      .address = SHARED + 0x1000000 + SHARED_B - 16,
      .shared_address = SHARED,
      .size_B = 32},
     TMA_MEMORY,
     TMA_RULE_MEMORY_SHARED},
    {{.op = TMA_OP_ADD,
      .dtype = TMA_DTYPE_INT64,
      .address = GLOBAL,
      .shared_address = SHARED,
      .size_B = 32},
     TMA_PTXAS,
     TMA_RULE_TRAP_REDUCTION_TYPE},
    {{.to_shared = 1, .size_B = 16}, TMA_INVALID, TMA_RULE_OP_RANGE},
    {{.op = TMA_OPS, .size_B = 16}, TMA_INVALID, TMA_RULE_OP_RANGE},
    {{.op = TMA_OP_ADD, .dtype = TMA_DTYPE_UINT32, .has_mask = 1}, TMA_INVALID, TMA_RULE_OP_RANGE},
    {{.op = TMA_OP_STORE, .has_mask = 1, .byte_mask = 65536}, TMA_INVALID, TMA_RULE_OP_RANGE},
    {{.reserved = {0, 1}}, TMA_INVALID, TMA_RULE_RESERVED_ZERO},
};

static void what_does_not_run(void **state) {
    (void)state;
    static struct memory m;
    for (size_t i = 0; i < COUNT_OF(REFUSED); i++) {
        tma_finding why = {.rule = 0};
        const tma_status status = run(&REFUSED[i].b, &m, 100, &why);
        if (status != (tma_status)REFUSED[i].status || why.rule != REFUSED[i].rule) {
            fail_msg("case %zu: %d, rule %u", i, (int)status, (unsigned)why.rule);
        }
    }
}

static void null_pointers(void **state) {
    const tma_bulk load = {.size_B = 16}, send = {.op = TMA_OP_STORE, .to_shared = 1, .size_B = 16},
                   prefetch = {.op = TMA_OP_PREFETCH};
    const tma_global global = {0};
    uint8_t bytes[16] = {0};
    const tma_window window = {.size_B = 16, .host = bytes};
    (void)state;
    assert_int_equal(tma_copy_bulk(NULL, &global, &window, NULL, NULL), TMA_INVALID);
    assert_int_equal(tma_copy_bulk(&load, NULL, &window, NULL, NULL), TMA_INVALID);
    assert_int_equal(tma_copy_bulk(&load, &global, NULL, NULL, NULL), TMA_INVALID);
    assert_int_equal(tma_copy_bulk(&load, &global, &window, NULL, NULL), TMA_MEMORY);
    assert_int_equal(tma_copy_bulk(&send, NULL, &window, NULL, NULL), TMA_INVALID);
    assert_int_equal(tma_copy_bulk(&send, NULL, &window, &window, NULL), TMA_OK);
    assert_int_equal(tma_copy_bulk(&prefetch, NULL, NULL, NULL, NULL), TMA_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_copies),
        cmocka_unit_test(what_does_not_run),
        cmocka_unit_test(null_pointers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
