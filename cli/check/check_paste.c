/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs printed, judged: the spec as it was understood, what it lacks, the findings, and
 * what the printed error has to do with them.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check_view.h"
#include "cli_error.h"
#include "crash_view.h"
#include "fact_view.h"
#include "out_text.h"
#include "printable.h"
#include "tma/limits.def"

#define MOST_AT_ONCE 16 /* blocks whose lines are mixed */

typedef struct pastes {
    const check_view *view;
    check_tally *tally;
    const char *label;
    const char *text;
    size_t size;
    tma_paste *kept;
    size_t count;
    size_t room;
    int has_maps;
    size_t facts; /* values in sentences that break a rule */
} pastes;

/* Arguments of the calls, those that a text may leave out. */
static const uint32_t arguments[] = {
    TMA_ARG_DTYPE,   TMA_ARG_ADDRESS, TMA_ARG_DIM,      TMA_ARG_STRIDE, TMA_ARG_BOX,
    TMA_ARG_LOWER,   TMA_ARG_UPPER,   TMA_ARG_CHANNELS, TMA_ARG_PIXELS, TMA_ARG_INTERLEAVE,
    TMA_ARG_SWIZZLE, TMA_ARG_L2,      TMA_ARG_FILL,
};

#define ARGUMENTS (sizeof(arguments) / sizeof(arguments[0]))

/* Arrays that the command line has in place of those that were not read. */
static void take_given_lists(tma_paste *p, const tma_spec_words *words) {
    static const struct {
        tma_spec_option option;
        uint32_t argument;
        size_t at;
        size_t entry_B;
    } rows[] = {
        {TMA_OPTION_DIM, TMA_ARG_DIM, offsetof(tma_spec, dim_el), 8},
        {TMA_OPTION_BOX, TMA_ARG_BOX, offsetof(tma_spec, box_el), 4},
        {TMA_OPTION_ELEMENT_STRIDE, TMA_ARG_ELEMENT_STRIDE, offsetof(tma_spec, element_stride), 4},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const int is_given = words->given >> rows[i].option & 1;
        if (is_given && p->unread & TMA_PASTE_BIT(rows[i].argument) &&
            words->count[rows[i].option] == p->spec.rank) {
            memcpy((char *)&p->spec + rows[i].at, (const char *)&words->spec + rows[i].at,
                   p->spec.rank * rows[i].entry_B);
            p->shown |= TMA_PASTE_BIT(rows[i].argument);
        }
    }
}

/* What the command line says in place of what the text does not. */
static void take_given(tma_paste *p, const tma_spec_words *words) {
    static const struct {
        tma_spec_option option;
        uint32_t argument;
        size_t at;
    } rows[] = {
        {TMA_OPTION_DTYPE, TMA_ARG_DTYPE, offsetof(tma_spec, dtype)},
        {TMA_OPTION_INTERLEAVE, TMA_ARG_INTERLEAVE, offsetof(tma_spec, interleave)},
        {TMA_OPTION_SWIZZLE, TMA_ARG_SWIZZLE, offsetof(tma_spec, swizzle)},
        {TMA_OPTION_L2, TMA_ARG_L2, offsetof(tma_spec, l2)},
        {TMA_OPTION_FILL, TMA_ARG_FILL, offsetof(tma_spec, fill)},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (words->given >> rows[i].option & 1) {
            memcpy((char *)&p->spec + rows[i].at, (const char *)&words->spec + rows[i].at, 4);
            p->shown |= TMA_PASTE_BIT(rows[i].argument);
            p->fixed &= ~TMA_PASTE_BIT(rows[i].argument);
        }
    }
    const uint32_t strides = words->count[TMA_OPTION_STRIDE];
    if (words->given >> TMA_OPTION_STRIDE & 1 && p->spec.rank > 1 && strides == p->spec.rank - 1) {
        memcpy(p->spec.stride_B, words->spec.stride_B, strides * sizeof(p->spec.stride_B[0]));
        p->shown |= TMA_PASTE_BIT(TMA_ARG_STRIDE);
    }
    if (words->given >> TMA_OPTION_ADDRESS & 1) {
        p->spec.address = words->spec.address;
        p->shown |= TMA_PASTE_BIT(TMA_ARG_ADDRESS);
    }
    take_given_lists(p, words);
    p->unread &= ~p->shown;
}

/* Findings about what the text does not have are about what stands for it: they go. */
static void drop_unknown(verdict *v, const tma_paste *p) {
    size_t kept = 0;
    memset(v->of, 0, sizeof(v->of));
    for (size_t i = 0; i < v->count; i++) {
        const tma_finding *f = &v->findings[i];
        if (tma_paste_judges(p, f)) {
            v->of[f->severity]++;
            v->findings[kept++] = *f;
        }
    }
    v->count = kept;
}

static void print_names(const tma_paste *p, uint32_t mask, const char *before, const char *after) {
    int count = 0;
    for (size_t i = 0; i < ARGUMENTS; i++) {
        if (mask & TMA_PASTE_BIT(arguments[i])) {
            printf("%s%s", count++ ? ", " : before, tma_argument_name(arguments[i]));
            if (arguments[i] == TMA_ARG_DTYPE && p->element_bits) {
                printf(" (%" PRIu32 " bits an element)", p->element_bits);
            }
        }
    }
    if (count) {
        puts(after);
    }
}

/* What stands in the text and was not read, in its own words; of a call that is no map, what was,
 * too. */
static void print_unread(const tma_paste *p) {
    for (uint32_t i = 0; i < p->quotes; i++) {
        const tma_paste_quote *q = &p->quote[i];
        const int is_part = p->known[q->argument] != 0;
        if (q->argument == TMA_ARG_NONE) { /* nobody knows which one */
            fputs(p->kind == TMA_PASTE_MAP ? "  " : "  in the text: ", stdout);
            printable(stdout, q->text);
            puts(p->kind == TMA_PASTE_MAP ? "" : " (not judged)");
            continue;
        }
        if (p->kind != TMA_PASTE_MAP && !(p->unread & TMA_PASTE_BIT(q->argument))) {
            printf("  in the text: %s, ", tma_argument_name(q->argument));
            printable(stdout, q->text);
            putchar('\n');
        }
        if (p->unread & TMA_PASTE_BIT(q->argument)) {
            printf("  in the text, but not read%s: %s, ", is_part ? " whole" : "",
                   tma_argument_name(q->argument));
            printable(stdout, q->text);
            puts(is_part && p->kind == TMA_PASTE_MAP ? " (judged by the entries that were)"
                                                     : " (not judged)");
        }
    }
}

static void print_lacks(const tma_paste *p) {
    const uint32_t unknown = tma_paste_unknown(p) | p->unread;
    const uint32_t missing = tma_paste_missing(p);
    if (p->kind == TMA_PASTE_MAP && p->says[0]) {
        printf("  %s\n", p->says);
    }
    print_unread(p);
    print_names(p, unknown & ~p->unread, "  not in the text, so not judged: ", "");
    if (unknown) {
        tma_out out = out_to(stdout);
        tma_put(&out, "    to have it judged, add ");
        tma_put_paste_lacks(&out, unknown, "\n    to have it judged, add ");
        tma_put(&out, "\n");
    }
    print_names(p, missing & ~unknown,
                "  not in the text: ", ", assumed as above (an option says otherwise)");
    if (p->fixed) {
        char after[128];
        snprintf(after, sizeof(after), ", which %s passes so where nothing else is said",
                 tma_paste_source_name(p->source));
        print_names(p, p->fixed, "  not in the text: ", after);
    }
}

enum judgement { TAKEN, REFUSED, NOT_SHOWN, IN_PART };

/* The driver's error about the arguments themselves, beside what the rules say of them. */
static const char *about_arguments(enum judgement judged) {
    switch (judged) {
    case IN_PART:
        return "the driver refused the call: nothing in the text breaks a rule, so what "
               "is not in it decides";
    case TAKEN:
        return "the driver refused the call, but no rule known here refuses these arguments: they "
               "are not those of the failed call, the target is another one (--arch, --driver), or "
               "a rule is missing here";
    default:
        return "the driver refused these arguments, for what is said above";
    }
}

static void put_reason(tma_out *out, const tma_code_row *row, enum judgement judged) {
    const char *meaning = row ? row->meaning : "";
    switch (row ? row->about : TMA_CODE_ABOUT_CONTEXT) {
    case TMA_CODE_ABOUT_ARGUMENTS:
        tma_put(out, about_arguments(judged));
        break;
    case TMA_CODE_ABOUT_OLDER:
        tma_putf(out,
                 "these arguments are not the cause, the error is older: %s%sthe context answers "
                 "every later call with it, and this call is one of them. compute-sanitizer or "
                 "CUDA_LAUNCH_BLOCKING=1 shows where%s",
                 meaning, *meaning ? ". From then on " : "",
                 judged == REFUSED ? "; the arguments would be refused all the same" : "");
        break;
    default:
        tma_putf(out, "these arguments are not the cause%s%s", *meaning ? ": " : "", meaning);
    }
}

/* What the printed error means beside these arguments. Returns whether the arguments do not explain
 * it, though it is one. */
static int say_code(const tma_paste *p, enum judgement judged, char *text, size_t room) {
    const tma_code_row *row = tma_code_of(p->code);
    const int is_unexplained = judged == TAKEN || judged == IN_PART;
    tma_out out = tma_out_into(text, room);
    /* Among mixed lines a number that is no error's was cut out of another. */
    const int is_cut = p->kind == TMA_PASTE_TORN && !row && p->code != TMA_PASTE_UNKNOWN_CODE;
    if (is_cut || p->code == TMA_PASTE_NO_CODE || (row && row->about == TMA_CODE_ABOUT_NOTHING)) {
        return 0;
    }
    if (p->code == TMA_PASTE_UNKNOWN_CODE) {
        tma_put(&out, is_unexplained ? "the call failed, and the text does not say with which error"
                                     : "");
        return is_unexplained;
    }
    tma_putf(&out, "error %d (%s): ", p->code,
             row ? row->words : "an error that is not known here");
    put_reason(&out, row, judged);
    return !row || row->about != TMA_CODE_ABOUT_ARGUMENTS || is_unexplained;
}

static void print_head(const pastes *all, const tma_paste *p, size_t same) {
    const char *users = tma_paste_source_users(p->source);
    fputs(all->view->colors.bold, stdout);
    if (all->label) {
        printable(stdout, all->label);
        putchar(':');
    }
    printf("%zu", p->line);
    if (p->last_line != p->line) {
        printf("-%zu", p->last_line);
    }
    printf("%s: %s%s%s%s", all->view->colors.end, tma_paste_source_name(p->source),
           *users ? " (also " : "", users, *users ? ")" : "");
    if (same) {
        printf(", and %zu more like it", same);
    }
    putchar('\n');
}

static void print_map(const pastes *all, const tma_paste *p, const verdict *v,
                      const tma_target *target, const char *code, const char *place) {
    tma_out out = out_to(stdout);
    const check_view *view = all->view;
    tma_put_paste_command(&out, p);
    tma_putf(&out, " --arch %s\n", tma_arch_text(target));
    print_lacks(p);
    if (!view->words->target.has_arch && target->sm != view->words->target.target.sm) {
        printf("  judged for %s: %s refuses it\n", tma_arch_text(target),
               tma_arch_text(&view->words->target.target));
    }
    verdict_findings(stdout, v, view->level, &view->colors);
    verdict_summary(stdout, v, view->level);
    if (*place) {
        out_wrapped(stdout, place, 0);
    }
    if (*code) {
        out_wrapped(stdout, code, 0);
    }
}

static void json_arguments(tma_json *json, const char *key, const tma_paste *p, uint32_t mask) {
    tma_json_list(json, key);
    for (size_t i = 0; i < ARGUMENTS; i++) {
        if (mask & TMA_PASTE_BIT(arguments[i]) && tma_paste_has(p, arguments[i])) {
            tma_json_text(json, NULL, tma_argument_name(arguments[i]));
        }
    }
    tma_json_end(json);
}

static void json_unread(tma_json *json, const tma_paste *p) {
    tma_json_list(json, "not_read");
    for (uint32_t i = 0; i < p->quotes; i++) {
        if (p->unread & TMA_PASTE_BIT(p->quote[i].argument)) {
            tma_json_object(json, NULL);
            tma_json_text(json, "argument", tma_argument_name(p->quote[i].argument));
            tma_json_text(json, "text", p->quote[i].text);
            tma_json_end(json);
        }
    }
    tma_json_end(json);
}

static tma_json *json_head(out_json *line, const pastes *all, const tma_paste *p) {
    static const char *const kinds[] = {"map", "pointers", "torn", "error", "remark"};
    tma_json *json = out_json_begin(line, "check");
    if (all->label) {
        tma_json_text(json, "input", all->label);
    }
    tma_json_u64(json, "line", p->line);
    tma_json_u64(json, "last_line", p->last_line);
    tma_json_text(json, "kind", kinds[p->kind]);
    tma_json_text(json, "source", tma_paste_source_name(p->source));
    if (p->code >= 0) {
        tma_json_i64(json, "code", p->code);
    } else {
        tma_json_null(json, "code");
    }
    return json;
}

/* A map that a text has not all of, and what is said of that which it has. */
typedef struct judged_part {
    const tma_paste *paste;
    verdict v;
} judged_part;

static int takes_part(void *context, const tma_target *target) {
    judged_part *part = context;
    verdict_of(&part->v, &part->paste->spec, target);
    drop_unknown(&part->v, part->paste);
    return part->v.of[TMA_SEVERITY_REFUSED] == 0;
}

static void check_map(const pastes *all, const tma_paste *found, size_t same) {
    const check_view *view = all->view;
    tma_paste p = *found;
    judged_part part = {.paste = &p};
    char code[768];
    char place[512] = "";
    take_given(&p, view->words);
    const tma_target target = check_target_by(&view->words->target, takes_part, &part);
    verdict *v = &part.v;
    v->accepted = takes_part(&part, &target) && v->accepted;
    const uint64_t address = view->has_map_address ? view->map_address : p.map_address;
    if (view->has_map_address || p.has_map) {
        verdict_place(v, address, &target);
    }
    if (view->has_map_address) {
        check_map_type(address, place, sizeof(place));
    }
    const int is_other = say_code(&p,
                                  v->of[TMA_SEVERITY_REFUSED]        ? REFUSED
                                  : tma_paste_unknown(&p) | p.unread ? IN_PART
                                                                     : TAKEN,
                                  code, sizeof(code));
    check_count(all->tally, v, view->level, &p.spec, &target);
    all->tally->codes += is_other;
    all->tally->unread += p.unread != 0;
    if (view->lint.writer) {
        lint_verdict(&view->lint, p.line, v, view->level);
        if (is_other) {
            lint_says(&view->lint, p.last_line, "driver-error", LINT_ERROR, code);
        }
        if (p.unread | tma_paste_unknown(&p)) {
            lint_says(&view->lint, p.line, LINT_NOT_JUDGED, LINT_NOTE,
                      "the text lacks some arguments of the call; tma check without --format names "
                      "them");
        }
    } else if (view->json) {
        out_json line;
        tma_json *json = json_head(&line, all, &p);
        json_arguments(json, "shown", &p, p.shown);
        json_arguments(json, "fixed", &p, p.fixed);
        json_arguments(json, "not_judged", &p, tma_paste_unknown(&p));
        json_unread(json, &p);
        tma_json_text(json, "code_says", *code ? code : NULL);
        tma_json_text(json, "map_address_says", *place ? place : NULL);
        tma_json_target(json, "target", &target);
        tma_json_spec(json, "spec", &p.spec);
        verdict_json(json, v, &p.spec, view->level);
        out_json_end(&line);
    } else {
        print_head(all, &p, same);
        print_map(all, &p, v, &target, code, place);
    }
}

static void lint_other(const pastes *all, const tma_paste *p, const tma_rule *rule) {
    const int is_error = p->kind == TMA_PASTE_REMARK || p->kind == TMA_PASTE_ERROR;
    lint_says(&all->view->lint, p->line,
              rule       ? rule->name
              : is_error ? "driver-error"
                         : LINT_NOT_JUDGED,
              is_error ? LINT_ERROR : LINT_NOTE, p->says);
}

static void json_other(const pastes *all, const tma_paste *p, const tma_rule *rule) {
    out_json line;
    tma_json *json = json_head(&line, all, p);
    tma_json_text(json, "says", p->says);
    tma_json_text(json, "rule", rule ? rule->name : NULL);
    if (p->quotes) {
        json_unread(json, p);
    }
    if (p->index >= 0) {
        tma_json_i64(json, "index", p->index);
    }
    out_json_end(&line);
}

static void check_other(const pastes *all, const tma_paste *p, size_t same) {
    char code[768];
    const tma_rule *rule = tma_rule_of(p->rule);
    all->tally->unread += p->quotes != 0;
    if (all->view->lint.writer) {
        lint_other(all, p, rule);
        return;
    }
    if (all->view->json) {
        json_other(all, p, rule);
        return;
    }
    print_head(all, p, same);
    printable_line(stdout, all->text, all->size,
                   p->kind == TMA_PASTE_ERROR ? p->last_line : p->line);
    if (p->kind == TMA_PASTE_REMARK && rule) {
        printf("  %s", tma_argument_name(rule->argument));
        if (p->index >= 0) {
            printf("[%" PRId32 "]", p->index);
        }
        printf(": %s; see: tma explain %s\n", p->says, rule->name);
    } else {
        printf("  %s%s\n",
               p->kind == TMA_PASTE_TORN || p->kind == TMA_PASTE_POINTERS ? "cannot be judged: "
                                                                          : "",
               p->says);
        print_unread(p);
    }
    say_code(p, NOT_SHOWN, code, sizeof(code));
    if (p->kind != TMA_PASTE_REMARK && p->code > 1 && *code) {
        out_wrapped(stdout, code, 0);
    } else if (p->kind == TMA_PASTE_ERROR) {
        static const char how[] =
            "Often refused: rows and strides that are no multiple of 16 bytes (8 elements of 2); "
            "tma explain encode-refused. To have the map judged, give the log with the call's "
            "arguments, or run the program with LD_PRELOAD=libtma-cuda.so, which prints them "
            "with the rule that they break";
        char words[640];
        snprintf(words, sizeof(words), "%s. %s",
                 p->code == TMA_PASTE_UNKNOWN_CODE
                     ? "the call failed, with an error that the text does not name: 1 (invalid "
                       "argument) says that the driver refused the map, 700 to 719 that an earlier "
                       "kernel died"
                     : "the driver refused a tensor map",
                 how);
        out_wrapped(stdout, words, 0);
    }
}

static void keep(void *context, const tma_paste *p) {
    pastes *all = context;
    if (all->count == all->room) {
        all->room = all->room ? 2 * all->room : 16;
        all->kept = cli_got(realloc(all->kept, all->room * sizeof(*all->kept)));
    }
    all->kept[all->count++] = *p;
    all->has_maps |= p->kind == TMA_PASTE_MAP;
}

/* A lone error of a text that has a call's arguments is said of them. */
static void drop_lone(pastes *all) {
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        const tma_paste *p = &all->kept[i];
        if (!all->has_maps || p->kind != TMA_PASTE_ERROR || p->code != TMA_PASTE_UNKNOWN_CODE) {
            all->kept[kept++] = *p;
        }
    }
    all->count = kept;
}

static int by_line(const void *a, const void *b) {
    const tma_paste *x = a;
    const tma_paste *y = b;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* The questions that are the same beside each other: ranks print one once each. Those before come
 * first. */
static int by_question(const void *a, const void *b) {
    const tma_paste *x = *(const tma_paste *const *)a;
    const tma_paste *y = *(const tma_paste *const *)b;
    const int64_t own[] = {x->kind, x->source, x->code, x->shown, x->unread, x->rule, x->index};
    const int64_t other[] = {y->kind, y->source, y->code, y->shown, y->unread, y->rule, y->index};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        if (own[i] != other[i]) {
            return own[i] < other[i] ? -1 : 1;
        }
    }
    const int by_spec = memcmp(&x->spec, &y->spec, sizeof(x->spec));
    const int order = by_spec ? by_spec : memcmp(x->quote, y->quote, sizeof(x->quote));
    return order ? order : x < y ? -1 : x > y;
}

static int is_same(const tma_paste *a, const tma_paste *b) {
    return a->kind == b->kind && a->source == b->source && a->code == b->code &&
           a->shown == b->shown && a->unread == b->unread && a->rule == b->rule &&
           a->index == b->index && !memcmp(&a->spec, &b->spec, sizeof(a->spec)) &&
           !memcmp(a->quote, b->quote, sizeof(a->quote));
}

#define AGAIN SIZE_MAX /* another one before it is the same */

/* How many more are like each one, or AGAIN. */
static size_t *count_same(const pastes *all) {
    size_t *more = cli_got(calloc(all->count + 1, sizeof(*more)));
    const tma_paste **order = cli_got(calloc(all->count + 1, sizeof(const tma_paste *)));
    for (size_t i = 0; i < all->count; i++) {
        order[i] = &all->kept[i];
    }
    qsort(order, all->count, sizeof(const tma_paste *), by_question);
    for (size_t i = 0, first = 0; i < all->count; i++) {
        first = i && is_same(order[first], order[i]) ? first : i;
        if (first != i) {
            more[order[i] - all->kept] = AGAIN;
            more[order[first] - all->kept]++;
        }
    }
    free(order);
    return more;
}

/* What a value that breaks a rule explains, where the text has one. */
static int is_symptom(const tma_crash_row *row) {
    static const char *const names[] = {"wrong-values", "outside-fill", "nondeterministic"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (!strcmp(row->name, names[i])) {
            return 1;
        }
    }
    return 0;
}

/* Whether a line is one of those that were judged, or explained, as a whole: of the last blocks
 * that begin up to it. What a program found wrong with its map is said where the map is judged. */
static int is_of_paste(const void *context, size_t line, const tma_crash_row *row) {
    const pastes *all = context;
    if ((all->facts && is_symptom(row)) || (row->copy == TMA_CRASH_COPY_MAP && all->has_maps) ||
        (row->copy == TMA_CRASH_COPY_UNKNOWN && all->count)) {
        return 1;
    }
    size_t from = 0;
    size_t end = all->count;
    while (from < end) {
        const size_t middle = from + (end - from) / 2;
        if (all->kept[middle].line <= line) {
            from = middle + 1;
        } else {
            end = middle;
        }
    }
    for (size_t i = from; i > 0 && from - i < MOST_AT_ONCE; i--) {
        if (line <= all->kept[i - 1].last_line) {
            return 1;
        }
    }
    return 0;
}

size_t check_text(const check_view *view, check_tally *tally, const char *label, const char *text,
                  size_t size) {
    pastes all = {view, tally, label, text, size, NULL, 0, 0, 0, 0};
    tma_paste_read(text, size, keep, &all);
    drop_lone(&all);
    if (all.count) {
        qsort(all.kept, all.count, sizeof(*all.kept), by_line);
    }
    size_t *more = count_same(&all);
    for (size_t i = 0; i < all.count; i++) {
        const tma_paste *p = &all.kept[i];
        const int is_lines = view->json || view->lint.writer;
        const size_t same = is_lines ? 0 : more[i];
        if (same == AGAIN) {
            continue;
        }
        if (i && !is_lines) {
            putchar('\n');
        }
        if (p->kind == TMA_PASTE_MAP) {
            check_map(&all, p, same);
        } else {
            check_other(&all, p, same);
        }
    }
    all.facts = all.has_maps ? 0 : fact_text(view, label, text, size, all.count);
    const size_t crashes =
        crash_text(view, label, text, size, all.count + all.facts, is_of_paste, &all);
    free(more);
    free(all.kept);
    return all.count + all.facts + crashes;
}
