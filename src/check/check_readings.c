/* SPDX-License-Identifier: Apache-2.0
 *
 * Disputed questions and their readings: readings.def as code.
 */
#include "check_internal.h"

#define MASK ((1u << TMA_READING_BITS) - 1)

static const tma_reading questions[TMA_READINGS] = {
#define TMA_READING(id, rule, count, name, question) {name, question, TMA_RULE_##rule, count},
#include "tma/readings.def"
};

static const tma_reads reads[TMA_READINGS][TMA_MOST_READS] = {
#define TMA_READS(id, value, name, meaning, holder)                                                \
    [TMA_READING_##id][value] = {name, meaning, holder},
#include "tma/readings.def"
};

const tma_reading *tma_reading_at(size_t index) {
    return index < TMA_READINGS ? &questions[index] : NULL;
}

const tma_reads *tma_reads_at(size_t reading, size_t value) {
    return reading < TMA_READINGS && value < questions[reading].count ? &reads[reading][value]
                                                                      : NULL;
}

tma_status tma_target_read(tma_target *target, uint32_t reading, uint32_t value) {
    if (!target || !tma_reads_at(reading, value)) {
        return TMA_INVALID;
    }
    const uint32_t shift = reading * TMA_READING_BITS;
    target->readings = (target->readings & ~(MASK << shift)) | value << shift;
    return TMA_OK;
}

uint32_t tma_target_reads(const tma_target *target, uint32_t reading) {
    return target && reading < TMA_READINGS ? target->readings >> reading * TMA_READING_BITS & MASK
                                            : 0;
}

uint32_t tma_readings_unknown(uint32_t readings) {
    uint32_t unknown = readings >> TMA_READINGS * TMA_READING_BITS;
    for (uint32_t i = 0; i < TMA_READINGS; i++) {
        unknown |= (uint32_t)((readings >> i * TMA_READING_BITS & MASK) >= questions[i].count);
    }
    return unknown;
}
