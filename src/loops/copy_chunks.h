/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops of copy_kernels.h, as a template over the vector's width. Include with
 *   TMA_W      16, 32 or 64: bytes of a vector
 *   TMA_NAME   a macro that makes a name of this instance: TMA_NAME(load)
 * defined, inside a region compiled for that vector. Several instances live in one file.
 */

typedef uint64_t TMA_NAME(v16) __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint32_t TMA_NAME(vec) __attribute__((vector_size(TMA_W), aligned(1), may_alias));

/* Lanes of 16 bytes of a vector, reordered so that lane i comes from lane i ^ x; flip: and the two
 * halves of each changed over. */
TMA_INLINE TMA_NAME(vec) TMA_NAME(permute)(TMA_NAME(vec) v, uint32_t x, uint32_t flip) {
#if TMA_W == 16
    const TMA_NAME(v16) halves = (TMA_NAME(v16))v;
    const TMA_NAME(v16) turned = {halves[1], halves[0]};
    (void)x;
    return flip ? (TMA_NAME(vec))turned : v;
#else
    const uint32_t moved = (x & (TMA_W / 16 - 1u)) << 2 | flip << 1; /* bits of a lane's dwords */
    if (__builtin_constant_p(moved) && moved == 0) {
        return v;
    }
#if TMA_W == 64
    const TMA_NAME(vec) lanes = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    return TMA_PERMUTE_64(v, lanes ^ moved);
#else
    const TMA_NAME(vec) lanes = {0, 1, 2, 3, 4, 5, 6, 7};
    return TMA_PERMUTE_32(v, lanes ^ moved);
#endif
#endif
}

/* tma_round_tf32() on every lane. */
TMA_INLINE TMA_NAME(vec) TMA_NAME(round)(TMA_NAME(vec) v) {
    const TMA_NAME(vec) magnitude = v & 0x7FFFFFFF;
    const TMA_NAME(vec) rounded =
        ((magnitude + 0x0FFF + (magnitude >> 13 & 1)) & ~UINT32_C(0x1FFF)) | (v & 0x80000000);
    const TMA_NAME(vec) is_nan = (TMA_NAME(vec))(magnitude > 0x7F800000);
    return (is_nan & 0x7FFFE000) | (~is_nan & rounded);
}

TMA_INLINE uint32_t TMA_NAME(line_xor)(tma_swizzle_bits bits, uint32_t address) {
    return (address >> bits.shift & bits.mask) >> 4;
}

#define TMA_AHEAD 16 /* rows to ask for before they are needed; measured, lab/bench/ */

#include "copy_period.h"

/* One row of whole vectors within a line, or rows that no swizzle moves: from linear to swizzled,
 * or back. x: exclusive or of chunk numbers; chunk: number of the row's first one in its line;
 * turn: what x moves within a vector. */
TMA_INLINE void TMA_NAME(in_row_as)(uint8_t *line, uint32_t chunk, uint32_t x, const uint8_t *from,
                                    uint32_t row_B, int tf32, uint32_t turn) {
    TMA_UNROLL_8
    for (uint32_t at = 0; at < row_B; at += TMA_W) {
        TMA_NAME(vec) v = *(const TMA_NAME(vec) *)(from + at);
        if (tf32) {
            v = TMA_NAME(round)(v);
        }
        const uint32_t to = ((chunk + at / 16) ^ x) & ~(TMA_W / 16 - 1u);
        *(TMA_NAME(vec) *)(line + (size_t)to * 16) = TMA_NAME(permute)(v, turn, 0);
    }
}

/* With two lanes in a vector, what moves is a constant in each of two loops. */
TMA_INLINE void TMA_NAME(in_row)(uint8_t *line, uint32_t chunk, uint32_t x, const uint8_t *from,
                                 uint32_t row_B, int tf32) {
#if TMA_W == 32
    if (x & 1) {
        TMA_NAME(in_row_as)(line, chunk, x, from, row_B, tf32, 1);
    } else {
        TMA_NAME(in_row_as)(line, chunk, x, from, row_B, tf32, 0);
    }
#else
    TMA_NAME(in_row_as)(line, chunk, x, from, row_B, tf32, x);
#endif
}

TMA_INLINE void TMA_NAME(out_row)(const uint8_t *line, uint32_t chunk, uint32_t x, uint8_t *to,
                                  uint32_t row_B) {
    for (uint32_t at = 0; at < row_B; at += TMA_W) {
        const uint32_t from = ((chunk + at / 16) ^ x) & ~(TMA_W / 16 - 1u);
        const TMA_NAME(vec) v = *(const TMA_NAME(vec) *)(line + (size_t)from * 16);
        *(TMA_NAME(vec) *)(to + at) = TMA_NAME(permute)(v, x, 0);
    }
}

/* Any row, a chunk at a time: lines crossed, halves of chunks flipped. */
TMA_INLINE uint8_t *TMA_NAME(chunk_at)(const tma_job *j, uint32_t address, int *flip) {
    *flip = (address >> j->bits.flip_shift & j->bits.flip_mask) != 0;
    const uint32_t moved = address ^ (address >> j->bits.shift & j->bits.mask);
    return j->window + (moved - j->window_address);
}

TMA_INLINE TMA_NAME(v16) TMA_NAME(flipped)(TMA_NAME(v16) v, int flip) {
    const TMA_NAME(v16) turned = {v[1], v[0]};
    return flip ? turned : v;
}

#include "copy_stream.h"

static void TMA_NAME(in_chunks)(const tma_job *job, uint32_t address, const uint8_t *from) {
    const tma_job one = *job;
    const tma_job *const j = &one;
    for (uint32_t at = 0; at < j->row_B; at += 16) {
        int flip = 0;
        uint8_t *to = TMA_NAME(chunk_at)(j, address + at, &flip);
        TMA_NAME(v16) v = *(const TMA_NAME(v16) *)(from + at);
        if (j->tf32) {
            uint32_t words[4];
            memcpy(words, &v, 16);
            for (int i = 0; i < 4; i++) {
                words[i] = tma_round_tf32(words[i]);
            }
            memcpy(&v, words, 16);
        }
        *(TMA_NAME(v16) *)to = TMA_NAME(flipped)(v, flip);
    }
}

static void TMA_NAME(out_chunks)(const tma_job *job, uint32_t address, uint8_t *to) {
    const tma_job one = *job;
    const tma_job *const j = &one;
    for (uint32_t at = 0; at < j->row_B; at += 16) {
        int flip = 0;
        const uint8_t *from = TMA_NAME(chunk_at)(j, address + at, &flip);
        *(TMA_NAME(v16) *)(to + at) = TMA_NAME(flipped)(*(const TMA_NAME(v16) *)from, flip);
    }
}

/* The rows of a job whose every row is a number of whole vectors within one line. `row_B` and
 * `tf32` are constants where they are called; the job is copied, since bytes alias everything. */
TMA_INLINE void TMA_NAME(in_lined)(const tma_job *job, uint32_t row_B, int tf32) {
    const tma_job j = *job;
    const uint8_t *from = j.global;
    uint8_t *const origin = j.window + ((int64_t)(j.address & ~127u) - (int64_t)j.window_address);
    const uint32_t base = j.address & ~127u;
    const uint64_t ahead_B = TMA_AHEAD * j.step_B;
    const uint32_t near_end = j.rows > TMA_AHEAD ? j.rows - TMA_AHEAD : 0;
    uint32_t address = j.address;
    for (uint32_t row = 0; row < j.rows; row++) {
        if (row < near_end) {
            __builtin_prefetch(from + ahead_B);
            if (row_B > 64) {
                __builtin_prefetch(from + ahead_B + 64);
            }
        }
        TMA_NAME(in_row)
        (origin + ((address & ~127u) - base), address >> 4 & 7, TMA_NAME(line_xor)(j.bits, address),
         from, row_B, tf32);
        from += j.step_B;
        address += j.pitch_B;
    }
}

TMA_INLINE void TMA_NAME(out_lined)(const tma_job *job, uint32_t row_B) {
    const tma_job j = *job;
    uint8_t *to = j.global;
    const uint8_t *const origin =
        j.window + ((int64_t)(j.address & ~127u) - (int64_t)j.window_address);
    const uint32_t base = j.address & ~127u;
    const uint64_t ahead_B = TMA_AHEAD * j.step_B;
    const uint32_t near_end = j.rows > TMA_AHEAD ? j.rows - TMA_AHEAD : 0;
    uint32_t address = j.address;
    for (uint32_t row = 0; row < j.rows; row++) {
        if (row < near_end) {
            __builtin_prefetch(to + ahead_B, 1);
            if (row_B > 64) {
                __builtin_prefetch(to + ahead_B + 64, 1);
            }
        }
        TMA_NAME(out_row)
        (origin + ((address & ~127u) - base), address >> 4 & 7, TMA_NAME(line_xor)(j.bits, address),
         to, row_B);
        to += j.step_B;
        address += j.pitch_B;
    }
}

/* Rows that nothing moves. */
TMA_INLINE void TMA_NAME(straight_row)(uint8_t *to, const uint8_t *from, uint32_t row_B) {
    uint32_t at = 0;
    for (; at + TMA_W <= row_B; at += TMA_W) {
        *(TMA_NAME(vec) *)(to + at) = *(const TMA_NAME(vec) *)(from + at);
    }
    for (; at < row_B; at += 16) {
        *(TMA_NAME(v16) *)(to + at) = *(const TMA_NAME(v16) *)(from + at);
    }
}

#define TMA_LONG_B 1024 /* from here on the C library's memcpy is as fast */

/* `from` and `to` step apart by their own distances. row_B is a constant where it is short. */
TMA_INLINE void TMA_NAME(straight)(uint8_t *to, uint64_t to_step_B, const uint8_t *from,
                                   uint64_t from_step_B, uint32_t rows, uint32_t row_B) {
    const uint32_t near_end = rows > TMA_AHEAD ? rows - TMA_AHEAD : 0;
    for (uint32_t row = 0; row < rows; row++) {
        if (row_B >= 64 && row < near_end) { /* shorter rows share lines */
            __builtin_prefetch(from + TMA_AHEAD * from_step_B);
        }
        if (row_B >= TMA_LONG_B) {
            memcpy(to, from, row_B);
        } else {
            TMA_NAME(straight_row)(to, from, row_B);
        }
        to += to_step_B;
        from += from_step_B;
    }
}

static void TMA_NAME(straight_any)(uint8_t *to, uint64_t to_step_B, const uint8_t *from,
                                   uint64_t from_step_B, uint32_t rows, uint32_t row_B) {
    switch (row_B) {
    case 16:
        TMA_NAME(straight)(to, to_step_B, from, from_step_B, rows, 16);
        break;
    case 128:
        TMA_NAME(straight)(to, to_step_B, from, from_step_B, rows, 128);
        break;
    case 256:
        TMA_NAME(straight)(to, to_step_B, from, from_step_B, rows, 256);
        break;
    default:
        TMA_NAME(straight)(to, to_step_B, from, from_step_B, rows, row_B);
    }
}

TMA_INLINE void TMA_NAME(round_straight)(const tma_job *j) {
    uint8_t *to = j->window + (j->address - j->window_address);
    const uint8_t *from = j->global;
    for (uint32_t row = 0; row < j->rows; row++) {
        for (uint32_t at = 0; at < j->row_B; at += TMA_W) {
            *(TMA_NAME(vec) *)(to + at) = TMA_NAME(round)(*(const TMA_NAME(vec) *)(from + at));
        }
        to += j->pitch_B;
        from += j->step_B;
    }
}

TMA_INLINE void TMA_NAME(load_as)(const tma_job *j, int tf32) {
    const int whole = j->lined && !j->bits.flip_mask;
    if (whole && j->row_B == 128 && j->pitch_B == 128) {
        TMA_NAME(in_lined)(j, 128, tf32);
    } else if (whole && j->row_B == 64 && !(j->address & 63)) {
        TMA_NAME(in_lined)(j, 64, tf32);
    } else if (whole && TMA_W <= 32 && j->row_B == 32 && !(j->address & 31)) {
        TMA_NAME(in_lined)(j, 32, tf32);
    } else {
        const uint8_t *from = j->global;
        for (uint32_t row = 0; row < j->rows; row++) {
            TMA_NAME(in_chunks)(j, j->address + row * j->pitch_B, from);
            from += j->step_B;
        }
    }
}

/* Rows that fill the swizzle's span go by its period: null for the others. */
TMA_INLINE tma_period TMA_NAME(period_of)(const tma_job *j, const tma_period *periods) {
    return j->lined && j->row_B == j->pitch_B ? periods[j->period] : NULL;
}

static void TMA_NAME(load)(const tma_job *j) {
    const tma_period rows = TMA_NAME(period_of)(j, TMA_NAME(load_periods));
    if (rows && !j->tf32) {
        rows(j->window + (j->address - j->window_address), j->address, j->global, j->step_B,
             j->rows);
        return;
    }
    if (j->tf32 && !j->bits.mask && j->row_B % TMA_W == 0) {
        TMA_NAME(round_straight)(j);
    } else if (j->tf32) {
        TMA_NAME(load_as)(j, 1);
    } else if (j->bits.mask) {
        TMA_NAME(load_as)(j, 0);
    } else {
        TMA_NAME(straight_any)
        (j->window + (j->address - j->window_address), j->pitch_B, j->global, j->step_B, j->rows,
         j->row_B);
    }
}

static void TMA_NAME(store)(const tma_job *j) {
    const int whole = j->lined && !j->bits.flip_mask;
    const tma_period rows = TMA_NAME(period_of)(j, TMA_NAME(store_periods));
    if (rows) {
        rows(j->window + (j->address - j->window_address), j->address, j->global, j->step_B,
             j->rows);
        return;
    }
    if (!j->bits.mask) {
        TMA_NAME(straight_any)
        (j->global, j->step_B, j->window + (j->address - j->window_address), j->pitch_B, j->rows,
         j->row_B);
    } else if (whole && j->row_B == 128 && j->pitch_B == 128) {
        TMA_NAME(out_lined)(j, 128);
    } else if (whole && j->row_B == 64 && !(j->address & 63)) {
        TMA_NAME(out_lined)(j, 64);
    } else if (whole && TMA_W <= 32 && j->row_B == 32 && !(j->address & 31)) {
        TMA_NAME(out_lined)(j, 32);
    } else {
        for (uint32_t row = 0; row < j->rows; row++) {
            TMA_NAME(out_chunks)(j, j->address + row * j->pitch_B, j->global + row * j->step_B);
        }
    }
}

/* Fill: every 16 bits 0x7FF7 for NaN fill, else 0. A row that the swizzle keeps in place as a whole
 * is one stretch; else it goes chunk by chunk. */
static void TMA_NAME(fill)(const tma_job *j) {
    const uint32_t pattern = j->fill == TMA_FILL_NAN ? 0x7FF77FF7 : 0;
    const TMA_NAME(vec) wide = (TMA_NAME(vec)){0} + pattern;
    const TMA_NAME(v16) chunk = (TMA_NAME(v16)){0} + (pattern | (uint64_t)pattern << 32);
    const int in_place = j->bits.mask < j->pitch_B && j->row_B == j->pitch_B;
    if (!j->bits.mask || (in_place && j->lined)) {
        const uint32_t block_B = j->row_B == j->pitch_B ? j->rows * j->row_B : j->row_B;
        const uint32_t blocks = j->row_B == j->pitch_B ? 1 : j->rows;
        uint8_t *to = j->window + (j->address - j->window_address);
        for (uint32_t i = 0; i < blocks; i++, to += j->pitch_B) {
            uint32_t at = 0;
            for (; at + TMA_W <= block_B; at += TMA_W) {
                *(TMA_NAME(vec) *)(to + at) = wide;
            }
            for (; at < block_B; at += 16) {
                *(TMA_NAME(v16) *)(to + at) = chunk;
            }
        }
        return;
    }
    for (uint32_t row = 0; row < j->rows; row++) {
        for (uint32_t at = 0; at < j->row_B; at += 16) {
            int flip = 0;
            *(TMA_NAME(v16) *)TMA_NAME(chunk_at)(j, j->address + row * j->pitch_B + at, &flip) =
                chunk;
        }
    }
}

/* Packed types with padding: 8 or 12 bytes into each chunk, the rest of it left alone. */
TMA_INLINE void TMA_NAME(expand_as)(const tma_job *job, uint32_t payload_B) {
    const tma_job j = *job;
    const uint8_t *from_row = j.global;
    for (uint32_t row = 0; row < j.rows; row++) {
        const uint8_t *from = from_row;
        const uint32_t address = j.address + row * j.pitch_B;
        const uint32_t x = TMA_NAME(line_xor)(j.bits, address);
        uint8_t *line = j.window + ((int64_t)(address & ~127u) - (int64_t)j.window_address);
        const uint32_t chunk = address >> 4 & 7;
        for (uint32_t at = 0; at < j.row_B / 16; at++) {
            int flip = 0;
            uint8_t *to = j.lined ? line + (size_t)16 * ((chunk + at) ^ x)
                                  : TMA_NAME(chunk_at)(&j, address + 16 * at, &flip);
            memcpy(to, from, 8);
            if (payload_B == 12) {
                memcpy(to + 8, from + 8, 4);
            }
            from += payload_B;
        }
        from_row += j.step_B;
    }
}

/* Rows of 128 bytes by `one`, eight at once from where the swizzle begins to repeat. */
TMA_INLINE void TMA_NAME(expand_lines)(const tma_job *job, uint32_t payload_B,
                                       tma_swizzle_bits bits, tma_expand_line *one) {
    const tma_job j = *job;
    uint8_t *line = j.window + (j.address - j.window_address);
    const uint8_t *from = j.global;
    uint32_t address = j.address;
    uint32_t left = j.rows;
    for (; left && address & (8 * TMA_LINE_B - 1); left--) {
        one(line, from, payload_B, TMA_NAME(line_xor)(bits, address));
        line += TMA_LINE_B;
        from += j.step_B;
        address += TMA_LINE_B;
    }
    for (; left >= 8; left -= 8) {
        TMA_UNROLL_8
        for (uint32_t i = 0; i < 8; i++) {
            if (left >= 8 + TMA_AHEAD) {
                __builtin_prefetch(from + TMA_AHEAD * j.step_B);
                __builtin_prefetch(from + TMA_AHEAD * j.step_B + 64);
            }
            one(line, from, payload_B, TMA_NAME(line_xor)(bits, i * TMA_LINE_B));
            line += TMA_LINE_B;
            from += j.step_B;
        }
        address += 8 * TMA_LINE_B;
    }
    for (; left; left--) {
        one(line, from, payload_B, TMA_NAME(line_xor)(bits, address));
        line += TMA_LINE_B;
        from += j.step_B;
        address += TMA_LINE_B;
    }
}

/* Whole lines without a swizzle or in the 128B one by `one`, all else chunk by chunk. */
TMA_INLINE void TMA_NAME(expand_by)(const tma_job *j, tma_expand_line *one) {
    const int full = j->period == TMA_PERIOD_NUMBER(TMA_SWIZZLE_128B);
    const int is_wide = j->payload_B == 12;
    if (!j->lined || j->row_B != TMA_LINE_B || !(full || !j->bits.mask)) {
        TMA_NAME(expand_as)(j, is_wide ? 12 : 8);
    } else if (is_wide && full) {
        TMA_NAME(expand_lines)(j, 12, tma_bits_of_128B(), one);
    } else if (is_wide) {
        TMA_NAME(expand_lines)(j, 12, tma_bits_of_NONE(), one);
    } else if (full) {
        TMA_NAME(expand_lines)(j, 8, tma_bits_of_128B(), one);
    } else {
        TMA_NAME(expand_lines)(j, 8, tma_bits_of_NONE(), one);
    }
}
