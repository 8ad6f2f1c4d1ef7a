/* SPDX-License-Identifier: Apache-2.0
 *
 * Options as lines of "name value", the form of the inputs of fuzz_words and fuzz_spec_text.
 */
#ifndef FUZZ_LINES_H
#define FUZZ_LINES_H

#include <string.h>

/* Cuts the first line off `*text`, which is null behind the last, and its value off the name; NULL
 * where it has no value. */
static inline char *cut_line(char **text, char **value) {
    char *name = *text;
    char *end = strchr(name, '\n');
    if (end) {
        *end++ = 0;
    }
    *text = end;
    *value = strchr(name, ' ');
    if (*value) {
        *(*value)++ = 0;
    }
    return name;
}

/* " --name value --name=value --name", in place, as such lines. */
static inline void to_lines(char *text) {
    char *to = text;
    for (const char *from = text; *from;) {
        const int option = strncmp(from, " --", 3) == 0;
        if (option && to != text) {
            *to++ = '\n';
        }
        from += option ? 3 : 0;
        const int ends_name = option && *from;
        for (; ends_name && *from && *from != ' ' && *from != '='; from++) {
            *to++ = *from;
        }
        if (ends_name && *from == '=') {
            *to++ = ' ';
            from++;
        } else if (*from && strncmp(from, " --", 3) != 0) {
            *to++ = *from++;
        }
    }
    *to = 0;
}

#endif
