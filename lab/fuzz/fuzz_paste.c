/* SPDX-License-Identifier: Apache-2.0
 *
 * Any text as a log: what is found lies in its lines, in kinds and sources that exist, and every
 * spec can be judged.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include <tma/grammar.h>
#include <tma/paste.h>

typedef struct tally {
    size_t count;
    size_t lines;
} tally;

static void say(const tma_paste *p) {
    char text[1024];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_put_spec(&out, &p->spec);
    DEMAND(out.length < sizeof(text));
    fuzz_said_text(tma_paste_source_name(p->source));
    fuzz_said_text(text);
    fuzz_said_text(p->says);
    fuzz_said_number("kind", p->kind);
    fuzz_said_number("line", p->line);
    fuzz_said_number("last_line", p->last_line);
    fuzz_said_number("shown", p->shown);
    fuzz_said_number("fixed", p->fixed);
    fuzz_said_number("unread", p->unread);
    fuzz_said_number("code", (uint64_t)(int64_t)p->code);
}

static void visit(void *context, const tma_paste *p) {
    tally *t = context;
    tma_finding findings[64];
    t->count++;
    DEMAND(p->kind < TMA_PASTE_KINDS && p->source < TMA_PASTE_SOURCES);
    DEMAND(p->line >= 1 && p->line <= p->last_line && p->last_line <= t->lines);
    DEMAND(p->says && *tma_paste_source_name(p->source));
    DEMAND(p->kind == TMA_PASTE_MAP || *p->says);
    DEMAND((p->shown & p->fixed) == 0 && (p->shown & p->unread) == 0);
    DEMAND(p->quotes <= TMA_PASTE_QUOTES);
    for (uint32_t i = 0; i < p->quotes; i++) {
        DEMAND(p->kind == TMA_PASTE_TORN || p->unread & TMA_PASTE_BIT(p->quote[i].argument));
        fuzz_said_text(p->quote[i].text);
    }
    DEMAND(p->code >= TMA_PASTE_UNKNOWN_CODE);
    say(p);
    if (p->kind == TMA_PASTE_MAP) {
        DEMAND(tma_check(findings, 64, &p->spec, NULL) < 256); /* no spec has half as many */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    tally t = {0, 1};
    char *text = fuzz_own(data, size); /* without a 0 behind it */
    for (size_t i = 0; i < size; i++) {
        t.lines += data[i] == '\n';
    }
    const size_t visited = tma_paste_read(text, size, visit, &t);
    DEMAND(visited == t.count);
    fuzz_disown(text);
    return 0;
}
