/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text as case lines: each an answer or a message. An answer is the same the second time, has
 * the form of one, and where the tests' own reader understands the line too, both read one spec.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include "replay_kinds.h"
#include "support/cases/case_reader.h"
#include "tma/pattern.h"

#define LONGEST 4096

/* An answer, as far as two can be compared. */
typedef struct digest {
    char head[4];
    size_t length;
    uint64_t hash;
} digest;

static void digest_text(void *context, const char *text, size_t length) {
    digest *d = context;
    DEMAND(memchr(text, 0, length) == NULL);
    for (size_t i = 0; i < length && d->length + i < sizeof(d->head); i++) {
        d->head[d->length + i] = text[i];
    }
    d->length += length;
    fuzz_said(text, length);
    d->hash = tma_scramble(d->hash ^ tma_hash(text, length));
}

static int answer(const tma_case *line, digest *digest, tma_spec *spec) {
    tma_error error = {0, {0}};
    tma_out out = tma_out_to(digest_text, digest);
    memset(digest, 0, sizeof(*digest));
    replay_request request = {line, {0}, {.sm = 90, .driver = 13000}};
    const replay_kind *kind = replay_kind_of(line->kind, &error);
    if (!kind || tma_case_spec(&request.spec, &request.target, line, kind->keys, &error) ||
        kind->answer(&request, &out, &error)) {
        fuzz_demand_message(&error);
        return -1;
    }
    *spec = request.spec;
    DEMAND(memcmp(digest->head, " rc=", 4) == 0);
    return 0;
}

static void replay(const char *text, size_t length) {
    digest first;
    digest second;
    char copy[LONGEST + 8];
    tma_case line;
    tma_error error = {0, {0}};
    tma_spec spec;
    struct case_line other;
    memcpy(copy, text, length);
    copy[length] = 0;
    const int kind_of_line = tma_case_read(&line, copy, length, &error);
    if (kind_of_line) {
        if (kind_of_line < 0) {
            fuzz_demand_message(&error);
        }
        return;
    }
    if (answer(&line, &first, &spec)) {
        return;
    }
    DEMAND(answer(&line, &second, &spec) == 0);
    DEMAND(first.length == second.length && first.hash == second.hash);
    memcpy(copy, text, length);
    copy[length] = 0;
    char *end = strstr(copy, " rc=");
    strcpy(end ? end : copy + length, " rc=0"); /* an answer, whether it had one or not */
    if (memchr(text, 0, length) == NULL && !case_read(copy, &other)) {
        DEMAND(memcmp(&spec, &other.spec, sizeof(spec)) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    for (size_t at = 0, lines = 0; at < size && lines < 16; lines++) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - text) - at : size - at;
        if (length < LONGEST) {
            replay(text + at, length);
        }
        at += length + 1;
    }
    return 0;
}
