/* SPDX-License-Identifier: Apache-2.0
 *
 * Rows that fill a swizzle's span, as a template like copy_chunks.h, to be included after it. A
 * swizzle repeats after eight lines of 128 bytes at most: eight at once, every permutation is a
 * constant. One loop for each row of enums.def whose lines hold whole rows.
 */

#define TMA_PERIOD_B (8 * TMA_LINE_B)

enum { TMA_NAME(LOAD), TMA_NAME(STORE) };

/* One line: the rows that lie in it, `span_B` each. x, flip: of chunk numbers, of halves. All but
 * the addresses is constant where it is called. The line is read as a whole before it is written,
 * in the order of its addresses: where both memories have the same offset in their pages, a
 * processor that looks at twelve bits of an address would hold each read for the write before it.
 */
TMA_INLINE void TMA_NAME(line)(uint8_t *line, uint8_t *rows, uint64_t step_B, uint32_t span_B,
                               uint32_t x, uint32_t flip, int how) {
    TMA_NAME(vec) v[TMA_LINE_B / TMA_W];
    const uint32_t moved = x & ~(TMA_W / 16 - 1u); /* whole vectors change places */
    TMA_UNROLL_8
    for (uint32_t at = 0; at < TMA_LINE_B; at += TMA_W) {
        const uint32_t in = how == TMA_NAME(LOAD) ? at ^ moved * 16 : at;
        const uint8_t *const from = how == TMA_NAME(LOAD)
                                        ? rows + in / span_B * step_B + in % span_B
                                        : line + (at ^ moved * 16);
        v[at / TMA_W] = TMA_NAME(permute)(*(const TMA_NAME(vec) *)from, x, flip);
    }
    TMA_UNROLL_8
    for (uint32_t at = 0; at < TMA_LINE_B; at += TMA_W) {
        uint8_t *const to =
            how == TMA_NAME(LOAD) ? line + at : rows + at / span_B * step_B + at % span_B;
        *(TMA_NAME(vec) *)to = v[at / TMA_W];
    }
}

/* Rows off a pattern's start, or fewer than it has: the same, a row at a time. */
TMA_INLINE void TMA_NAME(some_rows)(uint8_t *shared, uint32_t address, uint8_t *global,
                                    uint64_t step_B, uint32_t rows, uint32_t span_B,
                                    tma_swizzle_bits bits, int how) {
    uint8_t *const origin = shared - (address & (TMA_LINE_B - 1));
    const uint32_t base = address & ~(TMA_LINE_B - 1u);
    for (uint32_t row = 0; row < rows; row++, address += span_B, global += step_B) {
        const uint32_t x = TMA_NAME(line_xor)(bits, address);
        const uint32_t flip = (address >> bits.flip_shift & bits.flip_mask) != 0;
        uint8_t *const line = origin + ((address & ~(TMA_LINE_B - 1u)) - base);
        for (uint32_t at = 0; at < span_B; at += TMA_W) {
            const uint32_t chunk = (address % TMA_LINE_B + at) / 16;
            uint8_t *const to = line + (size_t)16 * ((chunk ^ x) & ~(TMA_W / 16 - 1u));
            if (how == TMA_NAME(LOAD)) {
                *(TMA_NAME(vec) *)to =
                    TMA_NAME(permute)(*(const TMA_NAME(vec) *)(global + at), x, flip);
            } else {
                *(TMA_NAME(vec) *)(global + at) =
                    TMA_NAME(permute)(*(const TMA_NAME(vec) *)to, x, flip);
            }
        }
    }
}

/* The next rows of global memory, asked for line by line of shared memory: the machine's own
 * foresight stops at pages, and starts late. */
TMA_INLINE void TMA_NAME(ask)(const uint8_t *rows, uint64_t step_B, uint32_t span_B, int how) {
    for (uint32_t at = 0; at < TMA_LINE_B; at += span_B < 64 ? span_B : 64) {
        const uint8_t *const row = rows + at / span_B * step_B + at % span_B;
        if (how == TMA_NAME(LOAD)) {
            __builtin_prefetch(row);
        } else {
            __builtin_prefetch(row, 1);
        }
    }
}

TMA_INLINE void TMA_NAME(periods)(uint8_t *shared, uint32_t address, uint8_t *global,
                                  uint64_t step_B, uint32_t rows, uint32_t span_B,
                                  tma_swizzle_bits bits, int how) {
    const uint32_t rows_of_line = TMA_LINE_B / span_B;
    const uint32_t rows_of_period = TMA_PERIOD_B / span_B;
    const uint32_t off = (0 - address) % TMA_PERIOD_B / span_B;
    if (off) {
        const uint32_t head = off < rows ? off : rows;
        TMA_NAME(some_rows)(shared, address, global, step_B, head, span_B, bits, how);
        shared += (size_t)head * span_B;
        global += head * step_B;
        address += head * span_B;
        rows -= head;
    }
    for (; rows >= rows_of_period; rows -= rows_of_period) {
        /* not the rows at hand once more: that takes as long as reading them */
        const int more = rows >= rows_of_period + TMA_AHEAD;
        TMA_UNROLL_8
        for (uint32_t i = 0; i < 8; i++) {
            const uint32_t x = TMA_NAME(line_xor)(bits, i * TMA_LINE_B);
            const uint32_t flip = (i * TMA_LINE_B >> bits.flip_shift & bits.flip_mask) != 0;
            if (more) {
                TMA_NAME(ask)(global + TMA_AHEAD * step_B, step_B, span_B, how);
            }
            TMA_NAME(line)(shared, global, step_B, span_B, x, flip, how);
            shared += TMA_LINE_B;
            global += rows_of_line * step_B;
        }
        address += TMA_PERIOD_B;
    }
    if (rows) {
        TMA_NAME(some_rows)(shared, address, global, step_B, rows, span_B, bits, how);
    }
}

/* The same for rows that lie anywhere, one pointer for each: loads. */
TMA_INLINE void TMA_NAME(listed_line)(uint8_t *line, const uint8_t *const *rows, uint32_t span_B,
                                      uint32_t x, uint32_t flip) {
    TMA_NAME(vec) v[TMA_LINE_B / TMA_W];
    const uint32_t moved = x & ~(TMA_W / 16 - 1u);
    TMA_UNROLL_8
    for (uint32_t at = 0; at < TMA_LINE_B; at += TMA_W) {
        const uint32_t in = at ^ moved * 16;
        v[at / TMA_W] =
            TMA_NAME(permute)(*(const TMA_NAME(vec) *)(rows[in / span_B] + in % span_B), x, flip);
    }
    TMA_UNROLL_8
    for (uint32_t at = 0; at < TMA_LINE_B; at += TMA_W) {
        *(TMA_NAME(vec) *)(line + at) = v[at / TMA_W];
    }
}

TMA_INLINE void TMA_NAME(ask_listed)(const uint8_t *const *rows, uint32_t span_B) {
    for (uint32_t at = 0; at < TMA_LINE_B; at += span_B < 64 ? span_B : 64) {
        __builtin_prefetch(rows[at / span_B] + at % span_B);
    }
}

TMA_INLINE void TMA_NAME(list)(uint8_t *shared, uint32_t address, const uint8_t *const *rows,
                               uint32_t count, uint32_t span_B, tma_swizzle_bits bits) {
    const uint32_t rows_of_line = TMA_LINE_B / span_B;
    const uint32_t rows_of_period = TMA_PERIOD_B / span_B;
    while (count) {
        if (address % TMA_PERIOD_B || count < rows_of_period) {
            TMA_NAME(some_rows)
            (shared, address, (uint8_t *)(uintptr_t)*rows, 0, 1, span_B, bits, TMA_NAME(LOAD));
            rows++;
            count--;
            shared += span_B;
            address += span_B;
            continue;
        }
        const int more = count >= rows_of_period + TMA_AHEAD;
        TMA_UNROLL_8
        for (uint32_t i = 0; i < 8; i++) {
            const uint32_t x = TMA_NAME(line_xor)(bits, i * TMA_LINE_B);
            const uint32_t flip = (i * TMA_LINE_B >> bits.flip_shift & bits.flip_mask) != 0;
            if (more) {
                TMA_NAME(ask_listed)(rows + TMA_AHEAD, span_B);
            }
            TMA_NAME(listed_line)(shared, rows, span_B, x, flip);
            shared += TMA_LINE_B;
            rows += rows_of_line;
        }
        address += TMA_PERIOD_B;
        count -= rows_of_period;
    }
}

/* Whether a line holds whole rows of this span, and the rows whole vectors. */
#define TMA_FILLS(span_B) ((span_B) >= TMA_W && (span_B) <= 128 && !((span_B) & ((span_B)-1)))

#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, ...)                             \
    static void TMA_NAME(load_##name)(uint8_t * shared, uint32_t address, uint8_t * global,        \
                                      uint64_t step_B, uint32_t rows) {                            \
        TMA_NAME(periods)                                                                          \
        (shared, address, global, step_B, rows, TMA_FILLS(span) ? (span) : 128,                    \
         tma_bits_of_##name(), TMA_NAME(LOAD));                                                    \
    }                                                                                              \
    static void TMA_NAME(store_##name)(uint8_t * shared, uint32_t address, uint8_t * global,       \
                                       uint64_t step_B, uint32_t rows) {                           \
        TMA_NAME(periods)                                                                          \
        (shared, address, global, step_B, rows, TMA_FILLS(span) ? (span) : 128,                    \
         tma_bits_of_##name(), TMA_NAME(STORE));                                                   \
    }
#include "tma/enums.def"
#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, ...)                             \
    static void TMA_NAME(list_##name)(uint8_t * shared, uint32_t address,                          \
                                      const uint8_t *const *rows, uint32_t count) {                \
        TMA_NAME(list)                                                                             \
        (shared, address, rows, count, TMA_FILLS(span) ? (span) : 128, tma_bits_of_##name());      \
    }
#include "tma/enums.def"

/* NOLINTBEGIN(bugprone-macro-parentheses): an entry of an initializer */
#define TMA_PERIOD_ROW(way, name, span)                                                            \
    [TMA_PERIOD_NUMBER(TMA_SWIZZLE_##name)] = TMA_FILLS(span)       ? TMA_NAME(way##_##name)       \
                                              : (span) == TMA_W / 2 ? TMA_NARROW(way##_##name)     \
                                                                    : TMA_NO_PERIOD
static const tma_period TMA_NAME(load_periods)[TMA_PERIODS] = {
#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, ...)                             \
    TMA_PERIOD_ROW(load, name, span),
#include "tma/enums.def"
};
static const tma_period TMA_NAME(store_periods)[TMA_PERIODS] = {
#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, ...)                             \
    TMA_PERIOD_ROW(store, name, span),
#include "tma/enums.def"
};
#undef TMA_PERIOD_ROW
#define TMA_PERIOD_ROW(way, name, span)                                                            \
    [TMA_PERIOD_NUMBER(TMA_SWIZZLE_##name)] = TMA_FILLS(span) ? TMA_NAME(way##_##name)             \
                                              : (span) == TMA_W / 2                                \
                                                  ? TMA_NARROW_LIST(way##_##name)                  \
                                                  : TMA_NO_LIST
static const tma_list TMA_NAME(list_periods)[TMA_PERIODS] = {
#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, ...)                             \
    TMA_PERIOD_ROW(list, name, span),
#include "tma/enums.def"
};
#undef TMA_PERIOD_ROW
/* NOLINTEND(bugprone-macro-parentheses) */
#undef TMA_FILLS
#undef TMA_PERIOD_B
