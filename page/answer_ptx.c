/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said of a PTX file, as tma ptx --json --findings says it.
 */
#include "answer.h"

#include "ptx_said.h"
#include "tma/detail/chars.h"

#define ARENA_B (64u << 20)

/* What the reader has for a text: all of it again for the next one. */
typedef struct arena {
    size_t used;
    _Alignas(16) unsigned char bytes[ARENA_B];
} arena;

static arena room;

static void *more(void *context, size_t size_B) {
    arena *a = context;
    const size_t size = (size_B + 15) & ~(size_t)15;
    if (size < size_B || size > sizeof(a->bytes) - a->used) {
        return NULL;
    }
    a->used += size;
    return a->bytes + a->used - size;
}

/* Behind a comment that begins here, or null. */
static const char *past_comment(const char *at, size_t size) {
    const int is_line = size > 1 && at[0] == '/' && at[1] == '/';
    if (!is_line && !(size > 1 && at[0] == '/' && at[1] == '*')) {
        return NULL;
    }
    const char *const end = text_within(at, size, is_line ? "\n" : "*/");
    return end ? end + (is_line ? 1 : 2) : NULL;
}

int page_is_ptx(const char *text, size_t size) {
    static const char word[] = ".version";
    const char *const end = text + size;
    while (text < end) {
        const char *const behind = past_comment(text, (size_t)(end - text));
        if (!behind && !text_is_space(*text)) {
            break;
        }
        text = behind ? behind : text + 1;
    }
    return (size_t)(end - text) > sizeof(word) && text_within(text, sizeof(word) - 1, word) == text;
}

int page_answer_ptx(tma_json *json, const char *text, size_t size) {
    ptx_report report;
    room.used = 0;
    if (ptx_report_make(&report, more, &room, text, size, NULL, 0, NULL)) {
        return 0;
    }
    tma_json_object(json, "ptx_file");
    ptx_report_json(json, &report, 1);
    tma_json_end(json);
    return 1;
}
