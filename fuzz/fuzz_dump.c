/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text as a dump of 128 bytes: a map or a message, nothing half. A map that was read reads back
 * from its plain hex.
 */
#include "fuzz_assert.h"

#include "dump_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char digits[] = "0123456789abcdef";
    uint8_t map[TMA_MAP_BYTES];
    uint8_t untouched[TMA_MAP_BYTES];
    cli_error error = {{0}};
    char *text = malloc(size ? size : 1); /* its own block, without a 0 behind it */
    DEMAND(text);
    memcpy(text, data, size);
    memset(map, 0xA5, sizeof(map));
    memset(untouched, 0xA5, sizeof(untouched));
    if (dump_read(text, size, map, &error)) {
        DEMAND(error.text[0]);
        DEMAND(memchr(error.text, 0, sizeof(error.text)));
        DEMAND(memcmp(map, untouched, sizeof(map)) == 0);
    } else {
        char hex[2 * TMA_MAP_BYTES];
        uint8_t again[TMA_MAP_BYTES];
        for (size_t i = 0; i < sizeof(map); i++) {
            hex[2 * i] = digits[map[i] >> 4];
            hex[2 * i + 1] = digits[map[i] & 15];
        }
        DEMAND(dump_read(hex, sizeof(hex), again, &error) == 0);
        DEMAND(memcmp(map, again, sizeof(map)) == 0);
    }
    free(text);
    return 0;
}
