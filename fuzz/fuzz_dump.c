/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text as a dump of 128 bytes: a map or a message, nothing half. A map that was read reads back
 * from every form that it is written in.
 */
#include "fuzz_assert.h"

#include "tma/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tma_map map;
    tma_map untouched;
    tma_error error = {0, {0}};
    char *text = malloc(size ? size : 1); /* its own block, without a 0 behind it */
    DEMAND(text);
    memcpy(text, data, size);
    memset(&map, 0xA5, sizeof(map));
    memset(&untouched, 0xA5, sizeof(untouched));
    if (tma_read_dump(map.bytes, text, size, &error)) {
        DEMAND(error.text[0]);
        DEMAND(memchr(error.text, 0, sizeof(error.text)));
        DEMAND(error.at == TMA_NOWHERE || error.at < size);
        DEMAND(memcmp(&map, &untouched, sizeof(map)) == 0);
    } else {
        for (size_t form = 0; form < TMA_FORMS; form++) {
            char dump[1024];
            tma_map again;
            tma_out out = tma_out_into(dump, sizeof(dump));
            tma_put_map(&out, map.bytes, (tma_map_form)form);
            DEMAND(out.length < sizeof(dump));
            if (form != TMA_FORM_RAW || memchr(map.bytes, 0, sizeof(map.bytes))) { /* else text */
                DEMAND(tma_read_dump(again.bytes, dump, out.length, &error) == 0);
                DEMAND(memcmp(&map, &again, sizeof(map)) == 0);
            }
        }
    }
    free(text);
    return 0;
}
