/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as memory with maps in it. Pieces find what the whole finds; what is certain encodes to
 * the bytes that stand there; nothing outside of the bytes is read.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include <tma/tma.h>

#define MOST 64

static size_t find_all(tma_found *found, const uint8_t *bytes, size_t size, size_t piece_B) {
    size_t count = 0;
    size_t at = 0;
    for (size_t end = 0; end < size;) {
        end = size - end > piece_B ? end + piece_B : size;
        tma_found next;
        while (tma_find_next(&next, bytes, size, &at, end)) {
            if (count < MOST) {
                found[count] = next;
            }
            count++;
        }
        DEMAND(at >= end);
    }
    return count < MOST ? count : MOST;
}

static int is_written(const tma_spec *spec, const tma_target *target, const uint8_t *bytes) {
    uint8_t map[TMA_MAP_BYTES];
    if (tma_encode(map, spec, target) != TMA_OK) {
        return 0;
    }
    for (uint32_t class = TMA_CLASS_AUTO; class <= TMA_CLASS_LARGE; class ++) {
        uint32_t now = 0;
        if (!memcmp(map, bytes, sizeof(map))) {
            return 1;
        }
        DEMAND(tma_set_allocation_class(map, class, &now, target) == TMA_OK);
    }
    return !memcmp(map, bytes, sizeof(map));
}

/* Whether an encode call writes these bytes for some target, or does before the call that sets the
 * allocation class. */
static int is_encoded(const tma_decoded *decoded, const uint8_t *bytes) {
    const size_t count = tma_arch_count();
    for (size_t i = 0; i < count; i++) {
        const tma_arch_row *arch = tma_arch_at(i);
        tma_target target = {.sm = arch->sm, .suffix = arch->suffix, .driver = 13000};
        target.readings = decoded->readings;
        if (is_written(&decoded->spec, &target, bytes)) {
            return 1;
        }
        target.driver = 13020;
        if (is_written(&decoded->spec, &target, bytes)) {
            return 1;
        }
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static tma_found whole[MOST];
    static tma_found pieces[MOST];
    char *own = fuzz_own(data, size);
    const uint8_t *memory = (const uint8_t *)own;
    size_t end = 0;
    const size_t count = find_all(whole, memory, size, SIZE_MAX);
    DEMAND(find_all(pieces, memory, size, 48) == count);
    for (size_t i = 0; i < count; i++) {
        const tma_found *found = &whole[i];
        const size_t needs_B =
            found->form == TMA_FOUND_CUTE_DSL ? TMA_CUTE_DSL_BYTES : TMA_MAP_BYTES;
        DEMAND(found->form < TMA_FOUND_FORMS && found->offset % TMA_FIND_STEP_B == 0);
        DEMAND(found->offset >= end && found->offset + needs_B <= size);
        DEMAND(pieces[i].offset == found->offset && pieces[i].form == found->form);
        end = found->offset + needs_B;
        fuzz_said_number(tma_found_form_name(found->form), found->offset);
        if (TMA_FOUND_IS_CERTAIN(found->form)) {
            DEMAND(is_encoded(&found->decoded, memory + found->offset));
        }
    }
    fuzz_disown(own);
    return 0;
}
