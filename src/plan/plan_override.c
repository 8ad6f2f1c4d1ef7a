/* SPDX-License-Identifier: Apache-2.0
 *
 * What one copy with .override reads instead of its map: PTX 9.4, 9.7.10.28.5.2.
 */
#include "check_internal.h"
#include "plan_internal.h"

#define SIZE_BIT  8 /* of tensorSizeToOverride, for each dimension */
#define UPPER_BIT 4 /* of tensorUpperStrideToOverride, for each stride */
#define LOWER_BIT 32
#define UNIT_BIT  4 /* strides count 16 bytes */

/* One edit of the copy's own map; none of these fields has an ordinal or a value that is refused.
 */
static void set(uint8_t *map, tma_replace_field field, uint32_t ordinal, uint64_t value) {
    const tma_edit edit = {.field = field, .ordinal = ordinal, .value = value};
    if (tma_replace(map, &edit, NULL) != TMA_OK) {
        return;
    }
}

/* The place of dimension i's value among `count`. */
static uint32_t place_of(const tma_target *target, uint32_t i, uint32_t count) {
    return tma_target_reads(target, TMA_READING_OVERRIDE_ORDER) == TMA_READS_OVERRIDE_ORDER_0
               ? i
               : count - 1 - i;
}

/* Eight bits have 256 values: where they are the size itself, 0 is left for 256. */
static uint64_t size_of(const tma_target *target, uint32_t given) {
    const uint64_t most = UINT64_C(1) << SIZE_BIT;
    if (tma_target_reads(target, TMA_READING_OVERRIDE_SIZE) != TMA_READS_OVERRIDE_SIZE_0) {
        return (uint64_t)given + 1;
    }
    return given ? given : most;
}

static uint64_t stride_B(const tma_override_operands *o, uint32_t place) {
    const uint64_t upper = o->upper_stride >> UPPER_BIT * place & ((1u << UPPER_BIT) - 1);
    return (o->lower_stride[place] | upper << LOWER_BIT) << UNIT_BIT;
}

static tma_status check_sizes(const tma_override_operands *o, uint32_t rank, uint16_t sm,
                              tma_finding *why) {
    for (uint32_t i = 0; i < rank; i++) {
        if (o->size[i] >> SIZE_BIT) {
            return tma_stop(why, sm, TMA_RULE_OVERRIDE_VALUE, (int)i, o->size[i],
                            BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, o->size[i], 1u << SIZE_BIT));
        }
    }
    return TMA_OK;
}

static tma_status check_upper(const tma_override_operands *o, uint32_t strides, uint16_t sm,
                              tma_finding *why) {
    const uint64_t limit = UINT64_C(1) << UPPER_BIT * strides;
    return o->upper_stride < limit
               ? TMA_OK
               : tma_stop(why, sm, TMA_RULE_OVERRIDE_VALUE, -1, o->upper_stride,
                          BAD(TMA_MUST_BE_BELOW, TMA_UNIT_NONE, o->upper_stride, limit));
}

static tma_status check(const tma_instruction *in, const tma_override_operands *o, uint32_t rank,
                        uint16_t sm, tma_finding *why) {
    uint32_t reserved = 0;
    for (size_t i = 0; i < sizeof(o->reserved) / sizeof(o->reserved[0]); i++) {
        reserved |= o->reserved[i];
    }
    if (reserved) {
        return tma_stop(why, sm, TMA_RULE_RESERVED_ZERO, -1, reserved,
                        BAD(TMA_MUST_BE, TMA_UNIT_NONE, reserved, 0));
    }
    tma_status status = TMA_OK;
    if (in->overrides & (TMA_OVERRIDE_DIM | TMA_OVERRIDE_DIM_STRIDE)) {
        status = check_sizes(o, rank, sm, why);
    }
    if (status == TMA_OK && in->overrides & TMA_OVERRIDE_DIM_STRIDE && rank > 1) {
        status = check_upper(o, rank - 1, sm, why);
    }
    return status;
}

tma_status tma_override(uint8_t *out, const uint8_t *map, const tma_instruction *in,
                        const tma_override_operands *o, const tma_target *target,
                        tma_finding *why) {
    const tma_arch_row *arch = tma_arch_of(target);
    tma_decoded decoded;
    if (!out || !map || !in || !o) {
        return tma_null_fault(why, !out   ? TMA_ARG_OUT
                                   : !map ? TMA_ARG_MAP
                                   : !in  ? TMA_ARG_INSTRUCTION
                                          : TMA_ARG_OVERRIDE);
    }
    if (!tma_is_target(target, arch)) {
        return tma_target_fault(why, target);
    }
    const uint32_t rank = tma_decode(&decoded, map) == TMA_OK ? decoded.spec.rank : 0;
    const uint32_t dims = rank <= TMA_MAX_RANK ? rank : 0; /* of others no plan is made */
    const tma_status status = check(in, o, dims, arch->sm, why);
    if (status != TMA_OK) {
        return status;
    }
    tma_map edited; /* `out` may be `map` */
    memcpy(edited.bytes, map, TMA_MAP_BYTES);
    if (in->overrides & TMA_OVERRIDE_ADDRESS) {
        set(edited.bytes, TMA_REPLACE_GLOBAL_ADDRESS, 0, o->address);
    }
    for (uint32_t i = 0; i < dims && in->overrides & ~TMA_OVERRIDE_ADDRESS; i++) {
        set(edited.bytes, TMA_REPLACE_GLOBAL_DIM, i,
            size_of(target, o->size[place_of(target, i, dims)]));
    }
    for (uint32_t i = 0; i + 1 < dims && in->overrides & TMA_OVERRIDE_DIM_STRIDE; i++) {
        set(edited.bytes, TMA_REPLACE_GLOBAL_STRIDE, i, stride_B(o, place_of(target, i, dims - 1)));
    }
    memcpy(out, edited.bytes, TMA_MAP_BYTES);
    return TMA_OK;
}
