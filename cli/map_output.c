/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps as text.
 */
#include "map_output.h"

#include <inttypes.h>
#include <string.h>

#include "names.h"

static const char *format_name(size_t i) {
    static const char *const names[] = {"hex", "c", "words", "raw"};
    return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

int map_format_named(const char *text, map_format *format, cli_error *error) {
    for (size_t i = 0; format_name(i); i++) {
        if (!strcmp(text, format_name(i))) {
            *format = (map_format)i;
            return 0;
        }
    }
    return name_unknown(text, "--format", format_name, error);
}

static uint64_t load(const uint8_t *at, size_t width_B) {
    uint64_t value = 0;
    for (size_t i = width_B; i-- > 0;) {
        value = value << 8 | at[i];
    }
    return value;
}

void map_hex(const void *map, char text[MAP_HEX_DIGITS + 1]) {
    const uint8_t *bytes = map;
    for (size_t i = 0; i < TMA_MAP_BYTES; i++) {
        text[2 * i] = "0123456789abcdef"[bytes[i] >> 4];
        text[2 * i + 1] = "0123456789abcdef"[bytes[i] & 15];
    }
    text[MAP_HEX_DIGITS] = 0;
}

/* An initialiser of CUtensorMap. */
static void output_c(FILE *out, const uint8_t *bytes) {
    fputs("{{\n", out);
    for (size_t at = 0; at < TMA_MAP_BYTES; at += 8) {
        fprintf(out, "%s0x%016" PRIx64 "ULL%s", at % 32 ? " " : "    ", load(bytes + at, 8),
                at + 8 == TMA_MAP_BYTES ? "\n"
                : at % 32 == 24         ? ",\n"
                                        : ",");
    }
    fputs("}}\n", out);
}

/* As a debugger's x/32wx. */
static void output_words(FILE *out, const uint8_t *bytes) {
    for (size_t at = 0; at < TMA_MAP_BYTES; at += 4) {
        if (at % 16 == 0) {
            fprintf(out, "0x%02zx:", at);
        }
        fprintf(out, " 0x%08" PRIx64 "%s", load(bytes + at, 4), at % 16 == 12 ? "\n" : "");
    }
}

void map_output(FILE *out, const tma_map *map, map_format format) {
    char text[MAP_HEX_DIGITS + 1];
    switch (format) {
    case MAP_C:
        output_c(out, map->bytes);
        break;
    case MAP_WORDS:
        output_words(out, map->bytes);
        break;
    case MAP_RAW:
        fwrite(map->bytes, 1, sizeof(map->bytes), out);
        break;
    default:
        map_hex(map, text);
        fprintf(out, "%s\n", text);
    }
}
