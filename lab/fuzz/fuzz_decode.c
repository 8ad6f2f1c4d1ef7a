/* SPDX-License-Identifier: Apache-2.0
 *
 * Any 128 bytes, then edits of them. Everything decodes; what is not odd is read completely; edits
 * touch what they should; refusals touch nothing.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include <tma/grammar.h>
#include <tma/tma.h>

#define EDIT_BYTES 11 /* field, ordinal, flags, value */

static const tma_target blackwell = {.sm = 103, .suffix = 'a', .driver = 13000};

static int same_reading(const tma_decoded *a, const tma_decoded *b) {
    return memcmp(&a->spec, &b->spec, sizeof(a->spec)) == 0 && a->kind == b->kind &&
           a->bit21 == b->bit21 && a->box_B == b->box_B && a->repeat_B == b->repeat_B &&
           a->odd == b->odd;
}

static void check_fields(const tma_decoded *d, const uint8_t *map) {
    const size_t count = tma_field_count();
    for (size_t i = 0; i < count; i++) {
        const uint64_t bits = tma_field_read(tma_field_at(i), map);
        DEMAND(tma_field_at(i)->width_bit == 64 || bits >> tma_field_at(i)->width_bit == 0);
        DEMAND(tma_field_applies(tma_field_at(i), d) == 0 ||
               tma_field_applies(tma_field_at(i), d) == 1);
    }
}

/* The spec that was read, judged and made into bytes again. */
static void check_spec(const tma_decoded *d, const uint8_t *map) {
    tma_map forced;
    tma_map encoded;
    tma_measure_result measure;
    tma_finding findings[64];
    uint64_t unfit = 0;
    const tma_target *target = d->bit21 ? &blackwell : NULL;
    DEMAND(tma_encode_forced(forced.bytes, &d->spec, target, &unfit) == TMA_OK);
    const int no_driver_sets_bit_21 = d->bit21 && !(forced.bytes[10] & 0x20);
    if (d->odd == 0 && !no_driver_sets_bit_21) {
        tma_target made = blackwell; /* a Hopper's words are not disputed */
        made.readings = d->readings;
        DEMAND(tma_encode_forced(encoded.bytes, &d->spec, d->readings ? &made : target, &unfit) ==
               TMA_OK);
        encoded.bytes[10] = (uint8_t)((encoded.bytes[10] & ~0x20) | (d->bit21 ? 0x20 : 0));
        DEMAND(memcmp(encoded.bytes, map, TMA_MAP_BYTES) == 0);
        DEMAND(tma_encode_forced(forced.bytes, &d->spec, target, &unfit) == TMA_OK);
    }
    const size_t count = tma_check(findings, 64, &d->spec, target);
    DEMAND(count <= 64);
    const int refused = count > 0 && findings[0].severity == TMA_SEVERITY_REFUSED;
    const tma_status expected = refused ? TMA_REFUSED : TMA_OK;
    DEMAND(tma_accepts(&d->spec, target) == !refused);
    DEMAND(tma_encode(encoded.bytes, &d->spec, target) == expected);
    DEMAND(tma_measure(&measure, &d->spec, target) == expected);
    if (!refused) {
        DEMAND(memcmp(&encoded, &forced, sizeof(forced)) == 0 && unfit == 0);
    }
}

static void say(const tma_decoded *d) {
    char text[1024];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_put_spec(&out, &d->spec);
    DEMAND(out.length < sizeof(text));
    fuzz_said_text(text);
    fuzz_said_number("kind", d->kind);
    fuzz_said_number("box_B", d->box_B);
    fuzz_said_number("repeat_B", d->repeat_B);
    fuzz_said_number("odd", d->odd);
}

static void check_map(const uint8_t *map) {
    tma_decoded decoded;
    tma_decoded again;
    uint32_t words[TMA_MAP_WORDS];
    DEMAND(tma_decode(&decoded, map) == TMA_OK);
    DEMAND(tma_decode(&again, map) == TMA_OK && same_reading(&decoded, &again));
    DEMAND((decoded.odd & ~TMA_ODD_ALL) == 0);
    DEMAND((tma_unowned(words, map) != 0) == ((decoded.odd & TMA_ODD_UNOWNED) != 0));
    say(&decoded);
    check_fields(&decoded, map);
    check_spec(&decoded, map);
}

static void edit(uint8_t *map, const uint8_t *how) {
    uint8_t before[TMA_MAP_BYTES];
    uint64_t value = 0;
    uint32_t changed = 0;
    memcpy(before, map, sizeof(before));
    for (int i = 7; i >= 0; i--) {
        value = value << 8 | how[3 + i];
    }
    const uint64_t small = how[2] & 2 ? value & 15 : value;
    const tma_status status =
        how[2] & 4 ? tma_replace_address(map, value, NULL)
                   : tma_replace(map,
                                 &(tma_edit){.field = (tma_replace_field)(how[0] % 13),
                                             .ordinal = how[1] % 8,
                                             .value = small,
                                             .flags = how[2] & 1},
                                 NULL);
    for (uint32_t i = 0; i < TMA_MAP_WORDS; i++) {
        changed += memcmp(before + (size_t)4 * i, map + (size_t)4 * i, 4) != 0;
    }
    DEMAND(changed <= (status == TMA_OK ? 2 : 0));
    fuzz_said_number("edit", status);
}

/* Words 16 and 18 as they should be, which no mutation finds by itself. */
static void derive(uint8_t *map) {
    tma_decoded decoded;
    tma_map forced;
    DEMAND(tma_decode(&decoded, map) == TMA_OK);
    DEMAND(tma_encode_forced(forced.bytes, &decoded.spec, NULL, NULL) == TMA_OK);
    memcpy(map + 64, forced.bytes + 64, 4);
    memcpy(map + 72, forced.bytes + 72, 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t *map = malloc(TMA_MAP_BYTES); /* its own block, for AddressSanitizer to watch */
    DEMAND(map);
    memset(map, 0, TMA_MAP_BYTES);
    memcpy(map, data, size < TMA_MAP_BYTES ? size : TMA_MAP_BYTES);
    check_map(map);
    derive(map);
    check_map(map);
    for (size_t at = TMA_MAP_BYTES; at + EDIT_BYTES <= size; at += EDIT_BYTES) {
        edit(map, data + at);
        check_map(map);
    }
    free(map);
    return 0;
}
