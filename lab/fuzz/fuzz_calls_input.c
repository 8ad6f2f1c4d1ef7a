/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments from bytes.
 */
#include "fuzz_calls_input.h"

uint64_t f_number(struct fuzz *f, int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++) {
        number = number << 8 | (f->left ? *f->data : 0);
        f->data += f->left ? 1 : 0;
        f->left -= f->left ? 1 : 0;
    }
    return number;
}

uint64_t f_any(struct fuzz *f) {
    const uint64_t first = f_number(f, 1);
    return first < 192   ? first
           : first < 248 ? (UINT64_C(1) << (first - 184)) + f_number(f, 1) - 128
                         : f_number(f, 8);
}

size_t f_few(struct fuzz *f) {
    return f_number(f, 1) % 5;
}

size_t f_one(struct fuzz *f) {
    return f_number(f, 1) % 2;
}

void *f_room(struct fuzz *f, size_t size, size_t align) {
    const size_t places = (f->block_B - f->tail_B - size) / align + 1;
    return f->block + f_number(f, 2) % places * align;
}

void *f_place(struct fuzz *f, size_t size, size_t align) {
    const uint64_t where = f_number(f, 2);
    const size_t places = (f->block_B - f->tail_B - size) / align + 1;
    return where % 8 == 0 ? NULL : f->block + where / 8 % places * align;
}

const void *f_bytes(struct fuzz *f) {
    f->bytes_B = f_number(f, 2) % (f->block_B + 1);
    return f_place(f, f->bytes_B, 1);
}

size_t f_length(const char *words) {
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

void f_run(const uint8_t *data, size_t size, size_t block_B, size_t tail_B, const fuzz_call *calls,
           size_t count) {
    struct fuzz f = {.data = data, .left = size, .block_B = block_B, .tail_B = tail_B};
    uint64_t sum = 0;
    if (!f_plan_make(&f)) {
        return;
    }
    f.block = malloc(block_B); /* its own block: what is read or written beside it is seen */
    DEMAND(f.block);
    for (size_t i = 0; i < block_B; i++) {
        f.block[i] = (uint8_t)(f.left ? f_number(&f, 1) : 0);
        if (i % 64 == 63 && f_number(&f, 1) % 4) {
            memset(f.block + i + 1, 0, block_B - i - 1);
            break;
        }
    }
    for (int i = 0; i < 64 && f.left; i++) {
        const tma_plan plan = f.plan;
        memset(f.block + block_B - 1 - tail_B, 0, tail_B + 1);
        f.runs = 0;
        sum += calls[f_number(&f, 1) % count](&f);
        const size_t path = offsetof(tma_plan_facts, path);
        DEMAND(memcmp(&plan, &f.plan, path) == 0); /* beyond it tma_plan_set_path() writes */
    }
    free(f.block);
    static volatile uint64_t kept; /* so that no call is left out */
    kept = sum;
    (void)kept;
}
