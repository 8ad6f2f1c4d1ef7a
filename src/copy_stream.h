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

/* Part of one line, chunk by chunk. */
TMA_INLINE void TMA_NAME(part_of_line)(uint8_t *shared, uint32_t address, const uint8_t *from,
                                       uint32_t size_B, tma_swizzle_bits bits) {
    const uint32_t x = TMA_NAME(line_xor)(bits, address);
    const int flip = (address >> bits.flip_shift & bits.flip_mask) != 0;
    const uint32_t chunk = address / 16 % (TMA_LINE_B / 16);
    uint8_t *const line = shared - (size_t)16 * chunk;
    for (uint32_t at = 0; at < size_B; at += 16) {
        *(TMA_NAME(v16) *)(line + (size_t)16 * ((chunk + at / 16) ^ x)) =
            TMA_NAME(flipped)(*(const TMA_NAME(v16) *)(from + at), flip);
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

TMA_INLINE void TMA_NAME(stream)(uint8_t *shared, uint32_t address, const uint8_t *from,
                                 uint32_t size_B, uint32_t repeat_B, tma_swizzle_bits bits) {
    const uint32_t off = (0 - address) % TMA_LINE_B;
    if (off) {
        const uint32_t head_B = off < size_B ? off : size_B;
        TMA_NAME(part_of_line)(shared, address, from, head_B, bits);
        shared += head_B;
        from += head_B;
        address += head_B;
        size_B -= head_B;
    }
    while (size_B >= TMA_LINE_B) {
        if (address % repeat_B || size_B < repeat_B) {
            TMA_NAME(whole_line)(shared, address, from, bits);
            shared += TMA_LINE_B;
            from += TMA_LINE_B;
            address += TMA_LINE_B;
            size_B -= TMA_LINE_B;
            continue;
        }
        TMA_UNROLL_8
        for (uint32_t i = 0; i < repeat_B / TMA_LINE_B; i++) {
            TMA_NAME(whole_line)(shared, i * TMA_LINE_B, from, bits);
            shared += TMA_LINE_B;
            from += TMA_LINE_B;
        }
        address += repeat_B;
        size_B -= repeat_B;
    }
    if (size_B) {
        TMA_NAME(part_of_line)(shared, address, from, size_B, bits);
    }
}

/* Whether a line holds whole rows of this span. */
#define TMA_DIVIDES_LINE(span_B) ((span_B) >= 16 && (span_B) <= 128 && !((span_B) & ((span_B)-1)))

#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, repeat, ...)                     \
    static void TMA_NAME(stream_##name)(uint8_t * shared, uint32_t address, const uint8_t *from,   \
                                        uint32_t size_B) {                                         \
        TMA_NAME(stream)                                                                           \
        (shared, address, from, size_B, (repeat) >= 256 ? (repeat) : 256, tma_bits_of_##name());   \
    }
#include "tma/enums.def"
#undef TMA_SWIZZLE_ROWS

static const tma_stream TMA_NAME(streams)[TMA_PERIODS] = {
#define TMA_SWIZZLE_ROWS(name, w, c, m, d, s, e, atomicity, span, ...)                             \
    [TMA_PERIOD_NUMBER(TMA_SWIZZLE_##name)] =                                                      \
        TMA_DIVIDES_LINE(span) ? TMA_NAME(stream_##name) : TMA_NO_STREAM,
#include "tma/enums.def"
#undef TMA_SWIZZLE_ROWS
};
#undef TMA_DIVIDES_LINE
