/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text as a dump of 128 bytes: a map or a message, nothing half. A map that was read reads back
 * from every form that it is written in.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include "tma/dump.h"

static void demand_forms(const uint8_t map[TMA_MAP_BYTES]) {
    for (size_t form = 0; form < TMA_FORMS; form++) {
        char dump[1024];
        uint8_t again[TMA_MAP_BYTES];
        tma_error error;
        tma_out out = tma_out_into(dump, sizeof(dump));
        tma_put_map(&out, map, (tma_map_form)form);
        DEMAND(out.length < sizeof(dump));
        fuzz_said(dump, out.length);
        if (form != TMA_FORM_RAW || memchr(map, 0, TMA_MAP_BYTES)) { /* else it is text */
            DEMAND(tma_read_dump(again, dump, out.length, &error) == 0);
            DEMAND(memcmp(map, again, sizeof(again)) == 0);
        }
    }
}

static void demand_message(const tma_error *error, size_t size) {
    DEMAND(error->text[0]);
    DEMAND(memchr(error->text, 0, sizeof(error->text)));
    DEMAND(error->at == TMA_NOWHERE || error->at < size);
    fuzz_said_text(error->text);
    fuzz_said_number("at", error->at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tma_map map;
    tma_map untouched;
    tma_error error = {0, {0}};
    char *text = fuzz_own(data, size); /* without a 0 behind it */
    memset(&map, 0xA5, sizeof(map));
    memset(&untouched, 0xA5, sizeof(untouched));
    if (tma_read_dump(map.bytes, text, size, &error)) {
        demand_message(&error, size);
        DEMAND(memcmp(&map, &untouched, sizeof(map)) == 0);
    } else {
        demand_forms(map.bytes);
    }
    fuzz_disown(text);
    return 0;
}
