/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of any public function, made from a fuzzer's bytes: numbers, texts, and places in one
 * block in which all of them lie, also in one another. Plans are real ones, which nothing else lies
 * in: a caller may not write into an opaque object.
 */
#ifndef FUZZ_CALLS_INPUT_H
#define FUZZ_CALLS_INPUT_H

#include "fuzz_assert.h"

#include <tma/tma.h>

struct fuzz {
    const uint8_t *data;
    size_t left;
    uint8_t *block; /* the last byte is 0: a text ends there */
    size_t block_B;
    size_t tail_B; /* behind all that is written */
    uint8_t *bytes;
    size_t bytes_B; /* of the last f_bytes() */
    tma_plan plan;
    tma_cursor cursor;
    tma_range range;
    tma_global global;
    tma_window window;
    tma_mma_tile tile;
    tma_mma_placed placed[TMA_MMA_PLACED];
    uint32_t runs;
};

uint64_t f_number(struct fuzz *f, int bytes);

/* Mostly small, or beside a power of two; below 5; below 2. */
uint64_t f_any(struct fuzz *f);
size_t f_few(struct fuzz *f);
size_t f_one(struct fuzz *f);

/* Somewhere in the block, with room for so much; the second is null one time in eight. */
void *f_room(struct fuzz *f, size_t size, size_t align);
void *f_place(struct fuzz *f, size_t size, size_t align);

/* f->bytes_B bytes, and null one time in eight. */
const void *f_bytes(struct fuzz *f);

size_t f_length(const char *words);

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
#define PLAN             (f_number(f, 1) % 16 ? &f->plan : NULL)
#define NUMBER_OF(call)  ((uint64_t)(call))
#define WORDS(call)      f_length(call)

typedef uint64_t (*fuzz_call)(struct fuzz *f);

/* One function after the other, as the input says, on one block. */
void f_run(const uint8_t *data, size_t size, size_t block_B, size_t tail_B, const fuzz_call *calls,
           size_t count);

#endif
