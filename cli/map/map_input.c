/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps from arguments, files and standard input.
 */
#include "map_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "tma/dump.h"
#include "tma/grammar.h"
#include "tma/view.h"

#define MOST_B ((size_t)1 << 20) /* no dump of 128 bytes is that long */

/* A text that is one word of 64 bits and blanks. */
static int is_word(uint64_t *word, const char *data, size_t size) {
    char text[64];
    while (size && strchr(" \t\r\n", *data)) {
        data++;
        size--;
    }
    while (size && strchr(" \t\r\n", data[size - 1])) {
        size--;
    }
    if (!size || size >= sizeof(text) || memchr(data, 0, size)) {
        return 0;
    }
    memcpy(text, data, size);
    text[size] = 0;
    return tma_read_barrier_word(word, text);
}

/* 1: it is a word, where one may be. */
static int read_all(FILE *file, const char *name, uint64_t *word, tma_map *map, tma_error *error) {
    char *data = cli_got(malloc(MOST_B + 1));
    const size_t size = fread(data, 1, MOST_B + 1, file);
    int failed = 0;
    const char *how = "";
    if (ferror(file)) {
        failed = tma_fail(error, "cannot read %s: %s", name, strerror(errno));
    } else if (size > MOST_B) {
        failed = tma_fail(error, "%s is larger than 1 MiB: no dump of one map", name);
    } else if (word && is_word(word, data, size)) {
        failed = 1;
    } else if (tma_read_dump_how(map->bytes, &how, data, size, error)) {
        tma_error why = *error;
        failed = tma_fail(error, "%s: %s", name, why.text);
    } else if (*how) {
        cli_say("%s: %s", name, how);
    }
    free(data);
    return failed;
}

/* Text that can only be meant as bytes, so that a wrong number of them is the thing to say. */
static int looks_like_bytes(const char *text) {
    return strlen(text) >= 32 && strspn(text, "0123456789abcdefABCDEFxX, \t\n{}") == strlen(text);
}

static int read_argument(const char *argument, uint64_t *word, tma_map *map, tma_error *error) {
    if (!strcmp(argument, "-")) {
        return read_all(stdin, "standard input", word, map, error);
    }
    const char *how = "";
    if (!tma_read_dump_how(map->bytes, &how, argument, strlen(argument), error)) {
        if (*how) {
            cli_say("%s", how);
        }
        return 0;
    }
    FILE *file = fopen(argument, "rb");
    if (!file && looks_like_bytes(argument)) {
        return -1;
    }
    if (!file) {
        return tma_fail(error, "cannot open '%.200s': %s (and it does not spell 128 bytes itself)",
                        argument, strerror(errno));
    }
    const int failed = read_all(file, argument, word, map, error);
    fclose(file);
    return failed;
}

int map_input(const char *argument, tma_map *map, tma_error *error) {
    return read_argument(argument, NULL, map, error);
}

static int read_options(const char *text, tma_map *map, tma_error *error) {
    tma_spec_words words;
    if (tma_spec_words_read(&words, text, NULL, NULL, error)) {
        return -1;
    }
    return tma_encode(map->bytes, &words.spec, &words.target.target) == TMA_OK
               ? 0
               : tma_fail(error, "the driver refuses the map '%.200s': tma check says why", text);
}

int map_input_or_options(const char *argument, tma_map *map, tma_error *error) {
    return strncmp(argument, "--", 2) == 0 ? read_options(argument, map, error)
                                           : map_input(argument, map, error);
}

int map_input_or_word(const char *argument, uint64_t *word, tma_map *map, tma_error *error) {
    return tma_read_barrier_word(word, argument) ? 1 : read_argument(argument, word, map, error);
}
