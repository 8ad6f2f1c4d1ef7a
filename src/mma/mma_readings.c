/* SPDX-License-Identifier: Apache-2.0
 *
 * What sources of tcgen05's descriptors read otherwise: mma_readings.def as code.
 */
#include "mma_internal.h"

#define MOST_READS 2

static const tma_reading questions[TMA_MMA_READINGS] = {
#define TMA_MMA_READING(id, count, name, question) {name, question, 0, count},
#include "tma/mma_readings.def"
};

static const tma_reads reads[TMA_MMA_READINGS][MOST_READS] = {
#define TMA_MMA_READS(id, value, name, meaning, holder)                                            \
    [TMA_MMA_READING_##id][value] = {name, meaning, holder},
#include "tma/mma_readings.def"
};

const tma_reading *tma_mma_reading_at(size_t index) {
    return index < TMA_MMA_READINGS ? &questions[index] : NULL;
}

const tma_reads *tma_mma_reads_at(size_t reading, size_t value) {
    return reading < TMA_MMA_READINGS && value < questions[reading].count ? &reads[reading][value]
                                                                          : NULL;
}
