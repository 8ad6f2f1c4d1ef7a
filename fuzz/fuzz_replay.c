/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text as case lines: each an answer or a message. An answer is the same the second time, has
 * the form of one, and where the tests' own reader understands the line too, both read one spec.
 */
#include "fuzz_assert.h"

#include "replay_kinds.h"

#define LONGEST 4096

/* The tests' reader has names that the command's has, too. */
int fuzz_other_reader(const char *line, tma_spec *spec);

static void demand_message(const cli_error *error) {
    DEMAND(error->text[0]);
    DEMAND(memchr(error->text, 0, sizeof(error->text)));
}

static int answer(const case_line *line, answer_text *out, tma_spec *spec) {
    cli_error error = {{0}};
    replay_request request = {line, {0}, {90, 0, 13000}};
    const replay_kind *kind = replay_kind_of(line->kind, &error);
    answer_clear(out);
    if (!kind || case_spec(line, kind->keys, &request.spec, &request.target, &error) ||
        kind->answer(&request, out, &error)) {
        demand_message(&error);
        return -1;
    }
    *spec = request.spec;
    DEMAND(strncmp(out->at, " rc=", 4) == 0 && strlen(out->at) == out->length);
    return 0;
}

static void replay(const char *text, size_t length) {
    static answer_text first;
    static answer_text second;
    char copy[LONGEST + 8];
    case_line line;
    cli_error error = {{0}};
    tma_spec spec;
    tma_spec other;
    memcpy(copy, text, length);
    copy[length] = 0;
    const int kind_of_line = case_read(&line, copy, length, &error);
    if (kind_of_line) {
        if (kind_of_line < 0) {
            demand_message(&error);
        }
        return;
    }
    if (answer(&line, &first, &spec)) {
        return;
    }
    DEMAND(answer(&line, &second, &spec) == 0);
    DEMAND(strcmp(first.at, second.at) == 0);
    memcpy(copy, text, length);
    copy[length] = 0;
    char *end = strstr(copy, " rc=");
    strcpy(end ? end : copy + length, " rc=0"); /* an answer, whether it had one or not */
    if (memchr(text, 0, length) == NULL && fuzz_other_reader(copy, &other)) {
        DEMAND(memcmp(&spec, &other, sizeof(spec)) == 0);
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
