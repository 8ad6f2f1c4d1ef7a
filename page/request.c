/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the forms that the libraries read a text is.
 */
#include "request.h"

#include <string.h>

#include "tma/case.h"
#include "tma/dump.h"

static char copy_of_text[PAGE_TEXT + 1]; /* case lines are cut up in place */

static int begins(const char *text, size_t length, const char *word) {
    size_t i = 0;
    while (word[i] && i < length && text[i] == word[i]) {
        i++;
    }
    return !word[i];
}

static int read_case(page_request *request, const char *text, size_t length) {
    tma_case line;
    memcpy(copy_of_text, text, length);
    copy_of_text[length] = 0;
    request->from = FROM_CASE;
    if (tma_case_read(&line, copy_of_text, length, &request->error) ||
        tma_case_spec(&request->map.spec, &request->map.target.target, &line, "",
                      &request->error)) {
        return -1;
    }
    request->kind = PAGE_SPEC;
    return 0;
}

static void take_found(void *context, const tma_paste *found) {
    page_request *request = context;
    if (request->found_count < PAGE_FOUND) {
        request->found[request->found_count] = *found;
    }
    request->found_count++;
}

/* The first call that is whole, unless another is asked for. */
static size_t first_map(const page_request *request) {
    for (size_t i = 0; i < request->found_count; i++) {
        if (request->found[i].kind == TMA_PASTE_MAP) {
            return i;
        }
    }
    return 0;
}

static int read_paste(page_request *request, const char *text, size_t length, size_t pick) {
    tma_paste_read(text, length, take_found, request);
    if (request->found_count > PAGE_FOUND) {
        request->found_count = PAGE_FOUND;
    }
    if (!request->found_count) {
        return -1;
    }
    request->from = FROM_PASTE;
    request->pick = pick < request->found_count ? pick : first_map(request);
    const tma_paste *found = &request->found[request->pick];
    if (found->kind == TMA_PASTE_MAP) {
        request->kind = PAGE_SPEC;
        request->map.spec = found->spec;
    } else {
        tma_fail(&request->error, "%s", *found->says ? found->says : "no arguments of a call");
    }
    return 0;
}

static int read_dump(page_request *request, const char *text, size_t length) {
    tma_error why;
    request->from = FROM_DUMP;
    if (tma_read_dump(request->bytes, text, length, &why)) {
        return tma_fail(&request->error,
                        "no options of the command (--dtype ...), no log of an encode call, and no "
                        "128 bytes: %s",
                        why.text);
    }
    request->kind = PAGE_MAP;
    return 0;
}

/* A map of a rank that none has takes any number of coordinates, as the command has it. */
static void check_copy(page_request *request) {
    const tma_spec *spec = &request->map.spec;
    tma_error *error = &request->error;
    if (spec->rank <= TMA_MAX_RANK && tma_copy_words_check(&request->copy, spec, error)) {
        tma_out out = tma_out_into(request->copy_error, sizeof(request->copy_error));
        tma_put(&out, error->text);
    }
}

static void complete(page_request *request) {
    tma_decoded decoded;
    const tma_target *target = &request->map.target.target;
    if (request->kind == PAGE_MAP) {
        request->is_accepted = tma_decode(&decoded, request->bytes) == TMA_OK;
        request->map.spec = decoded.spec;
    } else if (request->kind == PAGE_SPEC) {
        request->is_accepted = tma_encode(request->bytes, &request->map.spec, target) == TMA_OK;
    }
    tma_copy_words_default(&request->copy, &request->map.spec);
    check_copy(request);
    if (!request->has_picture) {
        request->drawing.picture =
            tma_mode_is_im2col(request->copy.in.mode) ? TMA_PICTURE_IM2COL : TMA_PICTURE_COPY;
    }
}

static int read_any(page_request *request, const char *text, size_t length, size_t pick) {
    if (begins(text, length, "enc ")) {
        return read_case(request, text, length);
    }
    if (page_is_command(text, length)) {
        request->from = FROM_COMMAND;
        return page_read_command(request, text, length);
    }
    if (!read_paste(request, text, length, pick) && request->kind == PAGE_SPEC) {
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

static void take_crash(void *context, const tma_crash *found) {
    page_request *request = context;
    for (size_t i = 0; i < request->crash_count; i++) {
        if (request->crashes[i].row == found->row) {
            return;
        }
    }
    if (request->crash_count < PAGE_CRASHES) {
        request->crashes[request->crash_count++] = *found;
    }
}

void page_read(page_request *request, const char *text, size_t length, size_t pick) {
    size_t at = 0;
    while (at < length &&
           (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) {
        at++;
    }
    memset(request, 0, sizeof(*request));
    tma_spec_words_begin(&request->map);
    tma_copy_words_begin(&request->copy, TMA_OP_LOAD);
    request->drawing.reader = TMA_READER_LDMATRIX;
    request->error.at = TMA_NOWHERE;
    if (at == length) {
        return;
    }
    if (read_any(request, text + at, length - at, pick) || request->kind == PAGE_NOTHING) {
        request->kind = PAGE_ERROR;
        if (request->from != FROM_COMMAND) {
            tma_crash_read(text, length, take_crash, request);
        }
        request->error.at += request->error.at == TMA_NOWHERE ? 0 : at;
    } else {
        complete(request);
    }
}
