/* SPDX-License-Identifier: Apache-2.0
 *
 * Each function of libtma with arguments that are null, garbage, or lie in one another: no call
 * crashes, waits or writes outside the block that all arguments lie in. Plans are real ones, which
 * nothing else lies in: a caller may not write into an opaque object.
 */
#include "fuzz_assert.h"

#include <tma/judge_record.h>
#include <tma/tma.h>

#define BLOCK_B   2048
#define MOST_RUNS 4096

struct fuzz {
    const uint8_t *data;
    size_t left;
    uint8_t *block; /* BLOCK_B bytes, the last is 0: a text ends there */
    size_t bytes_B; /* of the last f_bytes() */
    tma_plan plan;
    tma_cursor cursor;
    tma_range range;
    tma_global global;
    tma_window window;
    uint32_t runs;
};

static uint64_t f_number(struct fuzz *f, int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++) {
        number = number << 8 | (f->left ? *f->data : 0);
        f->data += f->left ? 1 : 0;
        f->left -= f->left ? 1 : 0;
    }
    return number;
}

/* Mostly small, or beside a power of two. */
static uint64_t f_any(struct fuzz *f) {
    const uint64_t first = f_number(f, 1);
    return first < 192   ? first
           : first < 248 ? (UINT64_C(1) << (first - 184)) + f_number(f, 1) - 128
                         : f_number(f, 8);
}

static size_t f_few(struct fuzz *f) {
    return f_number(f, 1) % 5;
}

static size_t f_one(struct fuzz *f) {
    return f_number(f, 1) % 2;
}

/* Somewhere in the block, with room for so much; null one time in eight. */
static void *f_place(struct fuzz *f, size_t size, size_t align) {
    const uint64_t where = f_number(f, 2);
    const size_t places = (BLOCK_B - size) / align + 1;
    return where % 8 == 0 ? NULL : f->block + where / 8 % places * align;
}

static const void *f_bytes(struct fuzz *f) {
    f->bytes_B = f_number(f, 2) % (BLOCK_B + 1);
    return f_place(f, f->bytes_B, 1);
}

static int f_visit(void *context, const tma_run *run) {
    struct fuzz *f = context;
    DEMAND(run->length_B > 0);
    return ++f->runs > MOST_RUNS; /* a long copy is left */
}

static tma_plan *f_plan(struct fuzz *f) {
    return f_number(f, 1) % 16 ? &f->plan : NULL;
}

static const tma_global *f_global(struct fuzz *f) {
    const uint64_t how = f_number(f, 1);
    f->range = (tma_range){.address = tma_plan_info(&f->plan)->address + f_number(f, 1),
                           .size_B = f_number(f, 2) % BLOCK_B};
    f->range.host = f_place(f, f->range.size_B, 1);
    f->global = (tma_global){.ranges = how % 8 == 1 ? NULL : &f->range, .count = how % 8 > 1};
    return how % 8 ? &f->global : NULL;
}

static const tma_window *f_window(struct fuzz *f) {
    f->window = (tma_window){.address = (uint32_t)f_any(f), .size_B = f_number(f, 2) % BLOCK_B};
    f->window.host = f_place(f, f->window.size_B, 1);
    return f_number(f, 1) % 8 ? &f->window : NULL;
}

static size_t f_length(const char *words) {
    DEMAND(words);
    return strlen(words);
}

/* A plan of a small map: the arguments of a spec are bytes of the input, as far as they go. */
static int f_plan_make(struct fuzz *f) {
    const uint64_t how = f_number(f, 2);
    const tma_target target = {.sm = how % 2 ? 100 : 90, .suffix = 'a', .driver = 13000};
    const tma_instruction in = {.op = (uint32_t)(how / 2 % 10), .mode = (uint32_t)(how / 20 % 12)};
    tma_spec spec = {.api = (uint32_t)(how / 240 % 3),
                     .dtype = (uint32_t)f_number(f, 1) % 16,
                     .rank = 1 + (uint32_t)f_number(f, 1) % 5,
                     .address = 0x1000,
                     .swizzle = (uint32_t)f_number(f, 1) % 8,
                     .interleave = (uint32_t)f_number(f, 1) % 16 == 1,
                     .channels_per_pixel = 32,
                     .pixels_per_column = 1 + (uint32_t)f_number(f, 1) % 16};
    tma_map map;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        spec.dim_el[i] = 16 * (1 + f_number(f, 1) % 4);
        spec.box_el[i] = i ? 1 + (uint32_t)f_number(f, 1) % 4 : 32;
        spec.element_stride[i] = 1;
    }
    (void)!tma_spec_fill(&spec);
    return tma_encode_forced(map.bytes, &spec, &target, NULL) == TMA_OK &&
           tma_plan_make(&f->plan, map.bytes, &in, &target, NULL) == TMA_OK;
}

#define N32              ((uint32_t)f_any(f))
#define N64              f_any(f)
#define NSIZE            ((size_t)f_any(f))
#define IN(type)         ((const type *)f_place(f, sizeof(type), _Alignof(type)))
#define OUT(type, count) ((type *)f_place(f, sizeof(type) * (count), _Alignof(type)))
#define SPEC             IN(tma_spec)
#define TARGET           IN(tma_target)
#define AT               IN(tma_position)
#define WHY              OUT(tma_finding, 1)
#define MAP              OUT(uint8_t, TMA_MAP_BYTES)
#define TEXT             OUT(char, 1)
#define FIELD            (tma_field_at((size_t)f_number(f, 1) % (tma_field_count() + 1)))
#define PLAN             f_plan(f)
#define CURSOR           (f_number(f, 1) % 8 ? &f->cursor : NULL)
#define GLOBAL           f_global(f)
#define WINDOW           f_window(f)
#define NUMBER_OF(call)  ((uint64_t)(call))
#define WORDS(call)      f_length(call)

#define FUZZ_CALL(function, call)                                                                  \
    static uint64_t call_##function(struct fuzz *f) {                                              \
        (void)f;                                                                                   \
        return call;                                                                               \
    }
#include "fuzz_calls.def"
#undef FUZZ_CALL

static uint64_t (*const calls[])(struct fuzz *f) = {
#define FUZZ_CALL(function, call) call_##function,
#include "fuzz_calls.def"
#undef FUZZ_CALL
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz f = {.data = data, .left = size};
    uint64_t sum = 0;
    if (!f_plan_make(&f)) {
        return 0;
    }
    f.block = malloc(BLOCK_B); /* its own block: what is read or written beside it is seen */
    DEMAND(f.block);
    for (size_t i = 0; i < BLOCK_B; i++) {
        f.block[i] = (uint8_t)(f.left ? f_number(&f, 1) : 0);
        if (i % 64 == 63 && f_number(&f, 1) % 4) {
            memset(f.block + i + 1, 0, BLOCK_B - i - 1);
            break;
        }
    }
    for (int i = 0; i < 64 && f.left; i++) {
        const tma_plan plan = f.plan;
        f.block[BLOCK_B - 1] = 0;
        f.runs = 0;
        sum += calls[f_number(&f, 1) % (sizeof(calls) / sizeof(calls[0]))](&f);
        const size_t path = offsetof(tma_plan_facts, path);
        DEMAND(memcmp(&plan, &f.plan, path) == 0); /* beyond it tma_plan_set_path() writes */
    }
    free(f.block);
    return (int)(sum & 0); /* read, so that no call is left out */
}
