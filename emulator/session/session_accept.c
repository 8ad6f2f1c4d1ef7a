/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings that are known: lines of a rule, a function and, where one is given, a line. Each takes
 * one finding; the form is that of tma ptx --accept, with the line behind it.
 */
#include "launch.h"
#include "run_session.h"
#include "tma/detail/chars.h"

typedef struct known {
    tma_ptx_span rule, function;
    uint64_t line; /* 0: any */
} known;

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static tma_ptx_span word(const char **at, const char *end) {
    while (*at < end && is_blank(**at)) {
        (*at)++;
    }
    tma_ptx_span span = {*at, 0};
    while (*at < end && !is_blank(**at)) {
        (*at)++;
        span.length++;
    }
    return span;
}

static int read_known(known *k, const char *at, const char *end, uint32_t number,
                      tma_error *error) {
    k->line = 0;
    k->rule = word(&at, end);
    k->function = word(&at, end);
    const tma_ptx_span line = word(&at, end);
    if (!k->function.length || (line.length && *line.at != '#' &&
                                tma_number_of(&k->line, line.at, line.length) != TMA_NUMBER_OK)) {
        return tma_fail(error,
                        "--accept, line %u: a rule, a kernel and, if it is to be one line's "
                        "alone, a line number are expected: wait-missing gemm 64",
                        number);
    }
    return 0;
}

static const char *function_of(const session *s, const tma_emulate_finding *f, size_t *length) {
    const emu_program *p = emu_program_of(s->emulator);
    if (!f->accesses || f->access[0].instruction >= p->instructions) {
        *length = text_length(s->kernel);
        return s->kernel;
    }
    const emu_function *in = &p->function[p->code[f->access[0].instruction].function];
    *length = in->name.length;
    return in->name.at;
}

static int is_span(tma_ptx_span span, const char *text, size_t length) {
    return span.length == length && text_equal(span.at, text, length);
}

/* A finding of either kind: its function's name, or the kernel's. */
static int fits(const session *s, const known *k, const char *rule, const char *function,
                size_t length, uint32_t line) {
    return text_is(k->rule.at, k->rule.length, rule) && (!k->line || k->line == line) &&
           (is_span(k->function, function, length) ||
            text_is(k->function.at, k->function.length, s->kernel));
}

static int accept_one(session *s, const known *k) {
    for (uint32_t i = 0; i < s->findings; i++) {
        session_finding *f = &s->finding[i];
        size_t length;
        const char *function = function_of(s, &f->is, &length);
        if (!f->is_accepted && fits(s, k, tma_emulate_rule_name(f->is.rule), function, length,
                                    f->is.accesses ? f->is.access[0].line : 0)) {
            f->is_accepted = 1;
            return 1;
        }
    }
    for (uint32_t i = 0; i < s->statics; i++) {
        session_static_finding *f = &s->by_static[i];
        if (!f->is_accepted &&
            fits(s, k, f->rule, f->function, text_length(f->function), f->line)) {
            f->is_accepted = 1;
            return 1;
        }
    }
    return 0;
}

int session_accept(session *s, const char *text, size_t size, uint32_t *left, tma_error *error) {
    uint32_t number = 0;
    *left = 0;
    for (size_t at = 0; at < size;) {
        const size_t length = text_until(text + at, size - at, '\n');
        const char *begin = text + at, *end = begin + length;
        known k;
        number++;
        at += length + 1;
        const tma_ptx_span first = word(&begin, end);
        if (!first.length || *first.at == '#') {
            continue;
        }
        if (read_known(&k, first.at, end, number, error)) {
            return -1;
        }
        const int is_ours = text_is(k.function.at, k.function.length, s->kernel);
        *left += !accept_one(s, &k) && is_ours;
    }
    return 0;
}
