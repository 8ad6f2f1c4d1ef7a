/* SPDX-License-Identifier: Apache-2.0
 *
 * The checker inside a kernel: what `tma ptxas` calls before a copy. Compiled to PTX with the
 * library's own words for findings (kernel/make_checker.py; text/ptx_checker.inc is the result), so
 * that a kernel says what the host would. One thread at a time reports, the others wait for the
 * end.
 */
#define TMA_CONDITION       static inline __attribute__((always_inline))
#define TMA_LAYOUT_FUNCTION TMA_CONDITION
#define TMA_JUDGE_STAGE     TMA_CONDITION
#define TMA_TEXT_FUNCTION   static __attribute__((noinline))

#include "../src/finding_text.c"
#include "../src/instruction.c"
#include "../src/put.h"
#include "../src/rule_words.c"
#include "tma/judge_quick.h"

#define MESSAGE_B 2048u
#define WAIT_NS   1000000u
#define WAITS     5000u

/* What the rewriter writes for each site, as 64-bit numbers: text/ptx_check.c. */
typedef struct checked_site {
    tma_judge_site site;
    const char *file;
    const char *function;
    const char *opcode;
    uint32_t line;
    uint32_t coords; /* how many the instruction has */
} checked_site;

/* What the thread passes: the operands, and where the map is. Its bytes may be a copy. */
typedef struct checked_position {
    tma_judge_at at;
    uint64_t map;
} checked_position;

void __assertfail(const char *message, const char *file, uint32_t line, const char *function,
                  uint64_t char_B);

/* --- words that finding_text.c asks for, without the tables' sources and evidence --- */

const tma_rule *tma_rule_of(uint32_t number) {
#define KEEP_KILLS(number, ...)     ROW(number, __VA_ARGS__)
#define KEEP_MISALIGNS(number, ...) ROW(number, __VA_ARGS__)
#define KEEP_LAUNCH(number, ...)    ROW(number, __VA_ARGS__)
#define KEEP_LEAVES(number, ...)    ROW(number, __VA_ARGS__)
#define KEEP_UNKNOWN(number, ...)
#define KEEP_NOTHING(number, ...)
#define KEEP_PTXAS(number, ...)
#define KEEP_INVALID(number, ...)
#define TMA_RULE(number, id, name, severity, hardware, standing, targets, argument, statement,     \
                 source, evidence)                                                                 \
    KEEP_##hardware(number, name, TMA_SEVERITY_##severity, TMA_ARG_##argument, statement)
#define ROW(n, name_, severity_, argument_, statement_)                                            \
    {.number = (tma_rule_id)(n),                                                                   \
     .name = (name_),                                                                              \
     .severity = (severity_),                                                                      \
     .argument = (argument_),                                                                      \
     .statement = (statement_)},
    static const tma_rule rules[] = {
#include "tma/rules.def"
#include "tma/traps.def"
    };
#undef TMA_RULE
    for (uint32_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        if (rules[i].number == number) {
            return &rules[i];
        }
    }
    return &rules[0];
}

/* Types, swizzles and fills by name. */
const tma_enum_row *tma_enum_row_of(tma_enum_kind kind, uint32_t number) {
    static const tma_enum_row rows[] = {
#define TMA_DTYPE_ROWS(id, name_, ...) {.name = (name_), .driver = TMA_DTYPE_##id},
#include "tma/enums.def"
#undef TMA_DTYPE_ROWS
    };
    if (kind != TMA_ENUM_DTYPE || number >= sizeof(rows) / sizeof(rows[0])) {
        return NULL;
    }
    return &rows[number];
}

/* --- the message --- */

static char message[MESSAGE_B];
static tma_text text; /* not on the stack: the kernel would carry it */
static uint32_t reporting;

static void put_operands(const checked_site *where, const checked_position *position) {
    const tma_judge_at *at = &position->at;
    tma_put(&text, "\n  ");
    tma_put(&text, where->opcode);
    tma_put(&text, ": map ");
    tma_put_hex(&text, position->map);
    tma_put(&text, ", coordinates {");
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        if (i < where->coords) {
            tma_put(&text, i ? ", " : "");
            tma_put_i64(&text, at->coord[i]);
        }
    }
    tma_put(&text, "}");
    if (where->site.op != TMA_OP_PREFETCH) {
        tma_put(&text, ", shared ");
        tma_put_hex(&text, at->shared_address);
    }
}

static void put_map(const void *map) {
    tma_put(&text, "\n  tma decode ");
    for (uint32_t i = 0; i < TMA_MAP_BYTES; i++) {
        const uint32_t byte = tma_layout_word(map, i / 4) >> i % 4 * 8;
        tma_put_char(&text, "0123456789abcdef"[byte >> 4 & 15]);
        tma_put_char(&text, "0123456789abcdef"[byte & 15]);
    }
    tma_put_char(&text, '\n');
}

static void put_finding(const tma_judge_fault *fault) {
    static tma_finding finding;
    const tma_rule *rule = tma_rule_of(fault->rule);
    finding.rule = (uint16_t)fault->rule;
    finding.severity = (uint8_t)rule->severity;
    finding.argument = (uint8_t)rule->argument;
    finding.index = (int8_t)fault->index;
    finding.unit = (uint8_t)fault->unit;
    finding.relation = (uint8_t)fault->relation;
    finding.given = fault->given;
    finding.value = fault->value;
    finding.limit = fault->limit;
    tma_put(&text, "libtma: ");
    tma_put(&text, rule->name);
    tma_put(&text, ": ");
    text.length += tma_finding_text(text.at + text.length, text.size - text.length, &finding);
}

/* Judges once more, for the whole finding: the judgement before every copy keeps the status alone,
 * and few registers. */
static __attribute__((noinline)) void report(const void *map, const checked_site *where,
                                             const checked_position *position) {
    static tma_judge_fault fault;
    uint32_t others = 0;
    __asm__ volatile("atom.cas.b32 %0, [%1], 0, 1;" : "=r"(others) : "l"(&reporting) : "memory");
    for (uint32_t i = 0; others && i < WAITS; i++) {
        __asm__ volatile("nanosleep.u32 %0;" : : "r"(WAIT_NS));
    }
    if (!others) {
        tma_judge_copy(&fault, map, &where->site, &position->at);
        text = tma_text_in(message, sizeof(message));
        put_finding(&fault);
        put_operands(where, position);
        put_map(map);
        __assertfail(message, where->file, where->line, where->function, 1);
    }
    __builtin_trap();
}

/* Judges, and reports and stops the kernel. */
static __attribute__((noinline)) uint32_t check_in_full(const void *map, const checked_site *where,
                                                        const checked_position *position) {
    tma_judge_fault fault;
    const uint32_t status = tma_judge_copy(&fault, map, &where->site, &position->at);
    if (status == TMA_TRAP || status == TMA_MEMORY) {
        report(map, where, position);
    }
    return fault.pass;
}

/* Stops the kernel, or returns what later copies are compared with. The operands come in memory of
 * the thread, so that few registers are taken from the kernel's. */
uint32_t tma_check_copy(const void *map, const checked_site *where,
                        const checked_position *position) {
    const tma_judge_at *at = &position->at;
    const int32_t *c = at->coord;
    const uint32_t quick = tma_judge_quick(map, &where->site, at->window_end);
    const int signs = where->site.op == TMA_OP_LOAD || (c[0] | c[1] | c[2] | c[3] | c[4]) >= 0;
    const int mask = !where->site.multicast || !tma_mask_beyond(at->cta_mask, at->ctas);
    return TMA_PASSES(quick, c[0], at->shared_address) && signs && mask
               ? quick
               : check_in_full(map, where, position);
}
