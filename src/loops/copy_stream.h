/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads of rows that lie next to each other in both memories and fill their swizzle's span, as a
 * template like copy_period.h, to be included after it: no rows are seen, but a stretch of bytes
 * whose chunks change places within their lines.
 */

/* The next bytes of global memory, also behind the stretch: pixels go on there after a border, and
 * so do copies of a tensor's pixels one after the other. Nothing is read by asking. */
TMA_INLINE void TMA_NAME(ask_behind)(const uint8_t *from) {
    const uintptr_t ahead = (uintptr_t)from + (uintptr_t)TMA_AHEAD * TMA_LINE_B;
    __builtin_prefetch((const void *)ahead);
    __builtin_prefetch((const void *)(ahead + TMA_LINE_B / 2));
}

/* Rows that are part of one line. */
TMA_INLINE void TMA_NAME(part_of_line)(uint8_t *shared, uint32_t address, const uint8_t *from,
                                       uint32_t size_B, uint32_t span_B, tma_swizzle_bits bits) {
    const uint32_t x = TMA_NAME(line_xor)(bits, address);
    const uint32_t flip = (address >> bits.flip_shift & bits.flip_mask) != 0;
    uint8_t *const line = shared - address % TMA_LINE_B;
    for (uint32_t row = 0; row < size_B; row += span_B) {
        const uint32_t chunk = (address + row) / 16 % (TMA_LINE_B / 16);
        TMA_UNROLL_8
        // NOLINTNEXTLINE(bugprone-branch-clone): TMA_W is 16 on some paths
        for (uint32_t at = 0; at < span_B; at += span_B < TMA_W ? 16 : TMA_W) {
            const uint8_t *const in = from + row + at;
            if (span_B < TMA_W) {
                *(TMA_NAME(v16) *)(line + (size_t)16 * ((chunk + at / 16) ^ x)) =
                    TMA_NAME(flipped)(*(const TMA_NAME(v16) *)in, (int)flip);
            } else {
                const uint32_t to = ((chunk + at / 16) ^ x) & ~(TMA_W / 16 - 1u);
                *(TMA_NAME(vec) *)(line + (size_t)16 * to) =
                    TMA_NAME(permute)(*(const TMA_NAME(vec) *)in, x, flip);
            }
        }
    }
}

TMA_INLINE void TMA_NAME(whole_line)(uint8_t *shared, uint32_t address, const uint8_t *from,
                                     tma_swizzle_bits bits) {
    const uint32_t flip = (address >> bits.flip_shift & bits.flip_mask) != 0;
    TMA_NAME(ask_behind)(from);
    TMA_NAME(line)
    (shared, (uint8_t *)(uintptr_t)from, TMA_LINE_B, TMA_LINE_B, TMA_NAME(line_xor)(bits, address),
     flip, TMA_NAME(LOAD));
}

/* Lines from where the pattern begins on, as many as it has at once. */
TMA_INLINE void TMA_NAME(pattern)(uint8_t *shared, const uint8_t *from, uint32_t repeat_B,
                                  tma_swizzle_bits bits) {
    TMA_UNROLL_8
    for (uint32_t at = 0; at < repeat_B; at += TMA_LINE_B) {
        TMA_NAME(whole_line)(shared + at, at, from + at, bits);
    }
}

TMA_INLINE void TMA_NAME(stream)(uint8_t *shared, uint32_t address, const uint8_t *from,
                                 uint32_t size_B, uint32_t span_B, uint32_t repeat_B,
                                 tma_swizzle_bits bits) {
    const uint32_t off_line = (0 - address) % TMA_LINE_B;
    const uint32_t head_B = off_line < size_B ? off_line : size_B;
    if (head_B) {
        TMA_NAME(part_of_line)(shared, address, from, head_B, span_B, bits);
    }
    uint32_t at = head_B;
    const uint32_t lines_end = at + (size_B - at) / TMA_LINE_B * TMA_LINE_B;
    const uint32_t off = head_B + (0 - (address + head_B)) % repeat_B;
    uint32_t end = off < lines_end ? off : lines_end; /* lines by themselves, up to the pattern; */
    for (;;) {
        for (; at < end; at += TMA_LINE_B) {
            TMA_NAME(whole_line)(shared + at, address + at, from + at, bits);
        }
        if (at == lines_end) {
            break;
        }
        for (; lines_end - at >= repeat_B; at += repeat_B) {
            TMA_NAME(pattern)(shared + at, from + at, repeat_B, bits);
        }
        end = lines_end; /* and those behind it */
    }
    if (at < size_B) {
        TMA_NAME(part_of_line)(shared + at, address + at, from + at, size_B - at, span_B, bits);
    }
}

/* Whether a line holds whole rows of this span. */
#define TMA_DIVIDES_LINE(span_B) ((span_B) >= 16 && (span_B) <= 128 && !((span_B) & ((span_B)-1)))

#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, repeat, ...)                     \
    static void TMA_NAME(stream_##name)(uint8_t * shared, uint32_t address, const uint8_t *from,   \
                                        uint32_t size_B) {                                         \
        TMA_NAME(stream)                                                                           \
        (shared, address, from, size_B, TMA_DIVIDES_LINE(span) ? (span) : 128,                     \
         (repeat) >= 256 ? (repeat) : 256, tma_bits_of_##name());                                  \
    }
#include "tma/enums.def"

static const tma_stream TMA_NAME(streams)[TMA_PERIODS] = {
#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, ...)                             \
    [TMA_PERIOD_NUMBER(TMA_SWIZZLE_##name)] =                                                      \
        TMA_DIVIDES_LINE(span) ? TMA_NAME(stream_##name) : TMA_NO_STREAM,
#include "tma/enums.def"
};
#undef TMA_DIVIDES_LINE
