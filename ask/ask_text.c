/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the forms that the libraries read a text is.
 */
#include "ask_text.h"

#include <string.h>

#include "tma/case.h"
#include "tma/detail/chars.h"
#include "tma/dump.h"

/* Case lines are cut up in place. */
static int read_case(ask_text *request, const char *text, size_t length, char *room) {
    tma_case line;
    tma_spec_words *map = &request->asked.map;
    memcpy(room, text, length);
    room[length] = 0;
    request->from = FROM_CASE;
    if (tma_case_read(&line, room, length, &request->error) ||
        tma_case_spec(&map->spec, &map->target.target, &line, "", &request->error)) {
        return -1;
    }
    request->kind = ASK_SPEC;
    return 0;
}

static void take_found(void *context, const tma_paste *found) {
    ask_text *request = context;
    if (request->found_count < ASK_FOUND) {
        request->found[request->found_count] = *found;
    }
    request->found_count++;
}

/* The first call that is whole, unless another is asked for. */
static size_t first_map(const ask_text *request) {
    for (size_t i = 0; i < request->found_count; i++) {
        if (request->found[i].kind == TMA_PASTE_MAP) {
            return i;
        }
    }
    return 0;
}

static int read_paste(ask_text *request, const char *text, size_t length, size_t pick) {
    tma_paste_read(text, length, take_found, request);
    const size_t calls = request->found_count;
    if (calls > ASK_FOUND) {
        request->found_count = ASK_FOUND;
    }
    if (!calls) {
        return -1;
    }
    request->from = FROM_PASTE;
    request->pick = pick < request->found_count ? pick : first_map(request);
    const tma_paste *found = &request->found[request->pick];
    if (found->kind == TMA_PASTE_MAP) {
        request->kind = ASK_SPEC;
        request->asked.map.spec = found->spec;
        request->unknown = tma_paste_unknown(found) | found->unread;
        ask_note_beside(request, text, length, "", calls);
    } else {
        tma_fail(&request->error, "%s", *found->says ? found->says : "no arguments of a call");
    }
    return 0;
}

static int read_dump(ask_text *request, const char *text, size_t length) {
    tma_error why;
    const char *how = "";
    request->from = FROM_DUMP;
    if (tma_read_dump_how(request->asked.encoded.bytes, &how, text, length, &why)) {
        return tma_fail(&request->error,
                        "no options of the command (--dtype ...), no log of an encode call, and no "
                        "128 bytes: %s",
                        why.text);
    }
    request->kind = ASK_MAP;
    request->asked.has_bytes = 1;
    ask_note_beside(request, text, length, how, 0);
    return 0;
}

static void complete(ask_text *request) {
    ask_request *asked = &request->asked;
    ask_complete(asked);
    asked->is_accepted &= !request->unknown; /* nobody knows */
    (void)!ask_fits(asked, &request->unfit); /* its text says it, and is "" where they fit */
    if (!asked->has_picture) {
        asked->drawing.picture =
            tma_mode_is_im2col(asked->copy.in.mode) ? TMA_PICTURE_IM2COL : TMA_PICTURE_COPY;
    }
}

static int read_command(ask_text *request, const char *text, size_t length) {
    request->from = FROM_COMMAND;
    if (ask_read_command(&request->asked, text, length, &request->error)) {
        return -1;
    }
    request->kind = ask_is_of_mma(&request->asked) ? ASK_MMA
                    : request->asked.has_bytes     ? ASK_MAP
                                                   : ASK_SPEC;
    return 0;
}

static int read_any(ask_text *request, const char *text, size_t length, size_t pick, char *room) {
    if (length >= 4 && text_equal(text, "enc ", 4)) {
        return read_case(request, text, length, room);
    }
    if (ask_is_command(text, length)) {
        return read_command(request, text, length);
    }
    if (!read_paste(request, text, length, pick) && request->kind == ASK_SPEC) {
        return 0;
    }
    if (!read_dump(request, text, length)) {
        request->found_count = 0;
        return 0;
    }
    if (request->found_count) { /* what the paste says, rather than what the dump lacks */
        return read_paste((request->found_count = 0, request), text, length, pick);
    }
    return -1;
}

/* That a map was refused is said where the map is judged. */
static bool is_of_map(const ask_text *request, const tma_crash *crash) {
    tma_crash_row row;
    for (size_t i = 0; i < request->found_count; i++) {
        const tma_paste *call = &request->found[i];
        if (call->line <= crash->line && crash->line <= call->last_line) {
            return true;
        }
    }
    return tma_crash_at(&row, crash->row) || row.copy == TMA_CRASH_COPY_MAP ||
           row.copy == TMA_CRASH_COPY_UNKNOWN;
}

static void take_crash(void *context, const tma_crash *found) {
    ask_text *request = context;
    if (request->kind != ASK_ERROR && is_of_map(request, found)) {
        return;
    }
    for (size_t i = 0; i < request->crash_count; i++) {
        if (request->crashes[i].row == found->row) {
            return;
        }
    }
    if (request->crash_count < ASK_CRASHES) {
        request->crashes[request->crash_count++] = *found;
    }
}

void ask_take_word(void *words, const tma_word *found) {
    ask_words *all = words;
    for (size_t i = 0; i < all->count; i++) {
        if (all->of[i].word == found->word) {
            return;
        }
    }
    if (all->count < ASK_WORDS) {
        all->of[all->count++] = *found;
    }
}

void ask_read(ask_text *request, const char *text, size_t length, size_t pick, char *room) {
    size_t at = 0;
    while (at < length &&
           (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) {
        at++;
    }
    memset(request, 0, sizeof(*request));
    ask_begin(&request->asked, TMA_OP_LOAD);
    request->error.at = TMA_NOWHERE;
    if (at == length) {
        return;
    }
    if (read_any(request, text + at, length - at, pick, room) || request->kind == ASK_NOTHING) {
        request->kind = ASK_ERROR;
        if (request->from != FROM_COMMAND) {
            tma_word_read(text, length, ask_take_word, &request->words);
        }
        request->error.at += request->error.at == TMA_NOWHERE ? 0 : at;
    } else if (request->kind != ASK_MMA) {
        complete(request);
    }
    if (request->from != FROM_COMMAND) {
        tma_crash_read(text, length, take_crash, request);
    }
}
