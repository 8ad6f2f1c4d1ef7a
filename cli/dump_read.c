/* SPDX-License-Identifier: Apache-2.0
 *
 * Which kind of dump it is.
 */
#include "dump_read.h"

#include <string.h>

int dump_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

int dump_wrong_size(size_t found, cli_error *error) {
    return cli_fail(error, "found %zu byte%s, a map has %d", found, found == 1 ? "" : "s",
                    TMA_MAP_BYTES);
}

/* Bytes that no dump as text has. */
static int is_raw(const char *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)data[i];
        if ((c < ' ' && !strchr("\t\n\v\f\r", c)) || c == 0 || c > '~') {
            return 1;
        }
    }
    return 0;
}

int dump_read(const char *data, size_t size, uint8_t map[TMA_MAP_BYTES], cli_error *error) {
    if (is_raw(data, size)) {
        if (size != TMA_MAP_BYTES) {
            dump_wrong_size(size, error);
            cli_add(error, " (they are not text, and so taken as raw bytes)");
            return -1;
        }
        memcpy(map, data, size);
        return 0;
    }
    if (memchr(data, '{', size)) {
        return dump_braces(data, size, map, error);
    }
    if (dump_has_addresses(data, size)) {
        return dump_lines(data, size, map, error);
    }
    return dump_values(data, size, map, error);
}
