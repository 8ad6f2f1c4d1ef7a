/* SPDX-License-Identifier: Apache-2.0
 *
 * An mbarrier's word and what is done to it.
 */
#include "tma/barrier.h"

enum field_form { PLAIN, MINUS, MINUS_SIGNED };

enum field_bits {
#define TMA_BARRIER_FIELD(id, name, bit, width, ...) BIT_##id = (bit), WIDTH_##id = (width),
#include "tma/barrier.def"
};

#define MOST_OF(id)    ((UINT64_C(1) << WIDTH_##id) - 1)
#define MOST_MISSING_B (INT64_C(1) << (WIDTH_BYTES - 1))

static const tma_barrier_field fields[] = {
#define TMA_BARRIER_FIELD(id, name, bit, width, form, meaning, evidence)                           \
    {name, meaning, evidence, bit, width},
#include "tma/barrier.def"
};

static const struct operation_row {
    const char *name;
    uint8_t adds_arrivals, drops, adds_bytes, takes_bytes;
} operations[] = {
#define TMA_BARRIER_OPERATION(id, ...) {__VA_ARGS__},
#include "tma/barrier.def"
};

static const char *const deaths[] = {
    "",
#define TMA_BARRIER_DEATH(id, text) text,
#include "tma/barrier.def"
};

const tma_barrier_field *tma_barrier_field_at(size_t number) {
    return number < sizeof(fields) / sizeof(fields[0]) ? &fields[number] : NULL;
}

const char *tma_barrier_operation_name(uint32_t operation) {
    return operation < TMA_BARRIER_OPERATIONS ? operations[operation].name : "";
}

const char *tma_barrier_death_text(uint32_t death) {
    return death < TMA_BARRIER_DEATHS ? deaths[death] : "";
}

static int64_t taken_out(uint64_t word, uint32_t bit, uint32_t width, enum field_form form) {
    const uint64_t most = (UINT64_C(1) << width) - 1;
    const uint64_t stored = word >> bit & most;
    const int64_t span = (int64_t)(most + 1);
    switch (form) {
    case PLAIN:
        return (int64_t)stored;
    case MINUS_SIGNED:
        return stored > most / 2 ? span - (int64_t)stored : -(int64_t)stored;
    default:
        return stored ? span - (int64_t)stored : 0;
    }
}

static uint64_t put_in(int64_t value, uint32_t bit, uint32_t width, enum field_form form) {
    const uint64_t stored = form == PLAIN ? (uint64_t)value : UINT64_C(0) - (uint64_t)value;
    return (stored & ((UINT64_C(1) << width) - 1)) << bit;
}

#define FIELDS_OF(barrier)                                                                         \
    {                                                                                              \
        (barrier)->zero, (barrier)->count, (barrier)->bytes_missing_B, (barrier)->error,           \
            (barrier)->arrivals_missing, (barrier)->parity                                         \
    }

void tma_barrier_read(tma_barrier *barrier, uint64_t word) {
    if (!barrier) {
        return;
    }
    const int64_t values[] = {
#define TMA_BARRIER_FIELD(id, name, bit, width, form, ...) taken_out(word, bit, width, form),
#include "tma/barrier.def"
    };
    *barrier = (tma_barrier){.zero = (uint32_t)values[0],
                             .count = (uint32_t)values[1],
                             .bytes_missing_B = (int32_t)values[2],
                             .error = (uint32_t)values[3],
                             .arrivals_missing = (uint32_t)values[4],
                             .parity = (uint32_t)values[5]};
}

uint64_t tma_barrier_word(const tma_barrier *barrier) {
    if (!barrier) {
        return 0;
    }
    const int64_t values[] = FIELDS_OF(barrier);
    uint64_t word = 0;
    size_t i = 0;
#define TMA_BARRIER_FIELD(id, name, bit, width, form, ...)                                         \
    word |= put_in(values[i++], bit, width, form);
#include "tma/barrier.def"
    return word;
}

bool tma_barrier_is_likely(uint64_t word) {
    tma_barrier b;
    tma_barrier_read(&b, word);
    return !b.zero && b.count && b.arrivals_missing <= b.count &&
           (b.arrivals_missing || b.bytes_missing_B);
}

bool tma_barrier_waits(const tma_barrier *barrier, uint32_t parity) {
    return barrier && barrier->parity == parity;
}

bool tma_barrier_init(tma_barrier *barrier, uint32_t count) {
    if (!barrier || count == 0 || count > MOST_OF(COUNT)) {
        return false;
    }
    *barrier = (tma_barrier){.count = count, .arrivals_missing = count};
    return true;
}

tma_barrier_death tma_barrier_apply(tma_barrier *barrier, tma_barrier_operation operation,
                                    uint32_t count, uint32_t bytes_B) {
    if (!barrier || (uint32_t)operation >= TMA_BARRIER_OPERATIONS) {
        return TMA_BARRIER_LIVES;
    }
    const struct operation_row *row = &operations[operation];
    const int64_t bytes = (int64_t)barrier->bytes_missing_B + (row->adds_bytes ? bytes_B : 0) -
                          (row->takes_bytes ? (int64_t)bytes_B : 0);
    const uint32_t arrivals = row->adds_arrivals ? count : 0;
    if (bytes > MOST_MISSING_B) {
        return TMA_BARRIER_DIES_EXPECTED;
    }
    if (bytes <= -MOST_MISSING_B) {
        return TMA_BARRIER_DIES_CAME;
    }
    if (arrivals > barrier->arrivals_missing) {
        return TMA_BARRIER_DIES_ARRIVALS;
    }
    barrier->bytes_missing_B = (int32_t)bytes;
    barrier->arrivals_missing -= arrivals;
    barrier->count -= row->drops ? arrivals : 0;
    if (bytes == 0 && barrier->arrivals_missing == 0) {
        barrier->arrivals_missing = barrier->count;
        barrier->parity ^= 1;
    }
    return TMA_BARRIER_LIVES;
}
