/* SPDX-License-Identifier: Apache-2.0
 *
 * tma explain: a rule, a finding of tma ptx or tma emulate, a stored field, with its source and
 * evidence; what an error of a GPU program means.
 */
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "cli_out.h"
#include "crash_view.h"
#include "options.h"
#include "out_text.h"
#include "ptx_rules.h"
#include "tma/emulate.h"
#include "verbs.h"
#include "word_view.h"

typedef struct explain_args {
    options_list names;
    int json;
} explain_args;

static const args_child children[] = {{&list_parser, 0, 0, ARGS_AT(explain_args, names)},
                                      {&json_parser, 0, 0, ARGS_AT(explain_args, json)},
                                      {0}};

static const args_parser parser = {
    0,
    0,
    "[RULE|FIELD|WORD|ERROR]...",
    "Explains one of these:\n"
    "  a rule: what it says, its source, and what was seen\n"
    "  a field: where it sits in the 128 bytes\n"
    "  a word of the CUDA and PTX documents (boxDim, base offset, wHalo)\n"
    "  an error of a GPU program: its number (715), its words, its name\n"
    "      (cudaErrorMisalignedAddress, CUDA_EXCEPTION_27), or hang\n"
    "Without an argument it prints the names of all rules, of the findings of tma ptx "
    "and tma emulate, and of errors.\vExamples:\n"
    "  tma explain inner-span\n"
    "  tma explain misaligned address",
    children,
    0,
};

static const char *rule_name(size_t i) {
    const tma_rule *rule = tma_rule_at(i);
    return rule ? rule->name : NULL;
}

static size_t crash_count(void) {
    tma_crash_row row;
    size_t count = 0;
    while (!tma_crash_at(&row, count)) {
        count++;
    }
    return count;
}

static const char *name_at(size_t i) {
    size_t rules = 0;
    while (rules < i && rule_name(rules)) {
        rules++;
    }
    if (rule_name(i)) {
        return rule_name(i);
    }
    if (ptx_rule_at(i - rules)) {
        return ptx_rule_at(i - rules)->name;
    }
    const size_t field = i - rules - PTX_RULES;
    tma_crash_row row;
    return field < tma_field_count() ? tma_field_at(field)->name
           : !tma_crash_at(&row, field - tma_field_count())
               ? row.name
               : word_at(field - tma_field_count() - crash_count());
}

/* What to do about a rule; null where its sentence says all. */
static const char *rule_advice(const tma_rule *rule) {
    static const struct {
        uint32_t rule;
        const char *text;
    } rows[] = {
#define RULE_ADVICE(id, text) {TMA_RULE_##id, text},
#include "rule_advice.def"
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (tma_rule_of(rows[i].rule) == rule) {
            return rows[i].text;
        }
    }
    return NULL;
}

static void print_rule(const tma_rule *rule) {
    printf("%s\n    ", rule->name);
    out_wrapped(stdout, rule->statement, 4);
    putchar('\n');
    out_labelled("severity:", tma_severity_name(rule->severity));
    out_labelled("argument:", tma_argument_name(rule->argument));
    if (rule_advice(rule)) {
        out_labelled("to do:", rule_advice(rule));
    }
    out_labelled("standing:", tma_standing_name(rule->standing));
    out_labelled("source:", rule->source);
    out_labelled("evidence:", rule->evidence);
    if (strstr(rule->evidence, " calls that ")) {
        out_labelled("", "(of 24,669 captured encode calls, driver 13.0 on sm_90)");
    }
}

static void print_ptx_rule(const ptx_rule_row *rule, int as_json) {
    if (as_json) {
        out_json line;
        tma_json *json = out_json_begin(&line, "explain");
        tma_json_text(json, "rule", rule->name);
        tma_json_text(json, "statement", rule->statement);
        tma_json_bool(json, "certain", rule->certain);
        tma_json_text(json, "advice", rule->advice);
        tma_json_text(json, "source", rule->source);
        out_json_end(&line);
        return;
    }
    printf("%s\n    ", rule->name);
    out_wrapped(stdout, rule->statement, 4);
    putchar('\n');
    out_labelled("said by:", "tma ptx, of PTX text");
    out_labelled("certain:", rule->certain
                                 ? "yes"
                                 : "no: code that is not in straight line, or the map, decides");
    out_labelled("to do:", rule->advice);
    out_labelled("source:", rule->source);
}

/* The emulator's rule of a name; TMA_EMULATE_RULES: it has none. */
static uint32_t emulate_rule_of(const char *name) {
    uint32_t rule = 0;
    while (rule < TMA_EMULATE_RULES && strcmp(tma_emulate_rule_name(rule), name)) {
        rule++;
    }
    return rule;
}

/* What to do about what tma emulate reports. */
static const char *emulate_advice(uint32_t rule) {
    static const char *const advices[] = {
#define TMA_EMULATE_RULE(id, name, meaning, source, advice) advice,
#include "tma/emulate_rules.def"
    };
    return advices[rule];
}

static void print_emulate_rule(uint32_t rule, int as_json) {
    if (as_json) {
        out_json line;
        tma_json *json = out_json_begin(&line, "explain");
        tma_json_text(json, "rule", tma_emulate_rule_name(rule));
        tma_json_text(json, "statement", tma_emulate_rule_meaning(rule));
        tma_json_text(json, "advice", emulate_advice(rule));
        tma_json_text(json, "source", tma_emulate_rule_source(rule));
        out_json_end(&line);
        return;
    }
    printf("%s\n    ", tma_emulate_rule_name(rule));
    out_wrapped(stdout, tma_emulate_rule_meaning(rule), 4);
    putchar('\n');
    out_labelled("said by:", "tma emulate, of one launch that it executed");
    out_labelled("to do:", emulate_advice(rule));
    out_labelled("source:", tma_emulate_rule_source(rule));
}

static void print_field(const tma_field_row *row) {
    char bits[16];
    static const char *const scopes[] = {"every map",          "tiled maps",
                                         "im2col maps",        "rank 3 im2col maps",
                                         "rank 4 im2col maps", "rank 5 im2col maps"};
    static const char *const forms[] = {"the number itself", "the number less one",
                                        "two's complement", "the number divided by 16"};
    tma_out out = tma_out_into(bits, sizeof(bits));
    tma_put_field_bits(&out, row);
    printf("%s\n    ", row->name);
    out_wrapped(stdout, row->meaning, 4);
    putchar('\n');
    printf("    %-10sword %u (byte 0x%02x), bits %s\n", "where:", row->word, 4u * row->word, bits);
    out_labelled("in:", scopes[row->scope]);
    out_labelled("stored:", forms[row->form]);
    out_labelled("evidence:", row->evidence);
}

static void print_json(const tma_rule *rule, const tma_field_row *row) {
    out_json line;
    tma_json *json = out_json_begin(&line, "explain");
    if (rule) {
        tma_json_rule(json, rule);
        tma_json_text(json, "advice", rule_advice(rule) ? rule_advice(rule) : "");
    } else {
        tma_json_text(json, "field", row->name);
        tma_json_u64(json, "word_index", row->word);
        tma_json_u64(json, "bit", row->bit);
        tma_json_u64(json, "width_bit", row->width_bit);
        tma_json_text(json, "meaning", row->meaning);
        tma_json_text(json, "evidence", row->evidence);
    }
    out_json_end(&line);
}

/* All rows of the name: corners have one a rank. Returns how many. */
static size_t explain_fields(const char *name, int json) {
    size_t found = 0;
    const size_t count = tma_field_count();
    for (size_t i = 0; i < count; i++) {
        if (strcmp(tma_field_at(i)->name, name) != 0) {
            continue;
        }
        if (json) {
            print_json(NULL, tma_field_at(i));
        } else {
            fputs(found ? "\n" : "", stdout);
            print_field(tma_field_at(i));
        }
        found++;
    }
    return found;
}

/* The number of a disputed question; TMA_READINGS: none has the name. */
static size_t reading_named(const char *name) {
    size_t i = 0;
    while (tma_reading_at(i) && strcmp(tma_reading_at(i)->name, name) != 0) {
        i++;
    }
    return i;
}

/* A rule by its name, or by that of the disputed question that it tells of. */
static const tma_rule *rule_named(const char *name) {
    const tma_rule *rule = tma_rule_find(name);
    const tma_reading *reading = tma_reading_at(reading_named(name));
    return !rule && reading ? tma_rule_of(reading->rule) : rule;
}

static void print_reading_json(const tma_reading *reading, size_t number) {
    out_json line;
    tma_json *json = out_json_begin(&line, "explain");
    tma_json_text(json, "reading", reading->name);
    tma_json_text(json, "question", reading->question);
    tma_json_list(json, "readings");
    for (size_t i = 0; tma_reads_at(number, i); i++) {
        const tma_reads *reads = tma_reads_at(number, i);
        tma_json_object(json, NULL);
        tma_json_text(json, "name", reads->name);
        tma_json_text(json, "meaning", reads->meaning);
        tma_json_text(json, "source", reads->holder);
        tma_json_end(json);
    }
    tma_json_end(json);
    out_json_end(&line);
}

/* A disputed question that no copy hangs on, so that no rule tells of it. */
static int explain_reading(const char *name, int json) {
    const size_t number = reading_named(name);
    const tma_reading *reading = tma_reading_at(number);
    if (!reading) {
        return 0;
    }
    if (json) {
        print_reading_json(reading, number);
        return 1;
    }
    printf("%s\n    ", reading->name);
    out_wrapped(stdout, reading->question, 4);
    putchar('\n');
    for (size_t i = 0; tma_reads_at(number, i); i++) {
        const tma_reads *reads = tma_reads_at(number, i);
        char text[512];
        snprintf(text, sizeof(text), "--reading %s=%s%s", reading->name, reads->name,
                 i ? "" : ", the default");
        out_labelled("reading:", text);
        out_labelled("meaning:", reads->meaning);
        out_labelled("source:", reads->holder);
    }
    return 1;
}

/* What an error of a GPU program means; returns how many rows know it. */
static size_t explain_error(const char *words, int json) {
    const color_set colors = colors_for(stdout, COLOR_NEVER);
    return crash_explain(words, json, &colors);
}

static int names_error_row(const char *name) {
    tma_crash_row row;
    size_t i = 0;
    while (!tma_crash_at(&row, i) && strcmp(row.name, name) != 0) {
        i++;
    }
    return !tma_crash_at(&row, i);
}

/* Behind what was printed. */
static void explain_errors_too(const char *words, int json) {
    if (tma_crash_about(words, strlen(words), NULL, NULL)) {
        fputs(json ? "" : "\n", stdout);
        explain_error(words, json);
    }
}

static int is_known(const char *name) {
    int found = rule_named(name) != NULL || ptx_rule_find(name) != NULL ||
                emulate_rule_of(name) < TMA_EMULATE_RULES;
    for (size_t i = 0; !found && i < tma_field_count(); i++) {
        found = !strcmp(tma_field_at(i)->name, name);
    }
    return found;
}

static int explain_one(const char *name, int json) {
    tma_error error;
    const tma_rule *rule = rule_named(name);
    const ptx_rule_row *ptx = ptx_rule_find(name);
    if (rule && json) {
        print_json(rule, NULL);
    } else if (rule) {
        print_rule(rule);
    }
    if (rule && ptx && !json) {
        putchar('\n');
    }
    if (ptx) {
        print_ptx_rule(ptx, json);
    }
    const uint32_t executed = emulate_rule_of(name);
    if (executed < TMA_EMULATE_RULES && !rule) {
        fputs(ptx && !json ? "\n" : "", stdout);
        print_emulate_rule(executed, json);
        if (!ptx) {
            explain_errors_too(name, json);
        }
    }
    if (rule || ptx || executed < TMA_EMULATE_RULES) {
        return 0;
    }
    if (explain_reading(name, json)) {
        return 0;
    }
    const int has_word = word_explain(name, json);
    if (has_word && names_error_row(name)) { /* its advice stands in the row */
        explain_errors_too(name, json);
    }
    if (has_word && !json && is_known(name)) {
        putchar('\n');
    }
    if (!explain_fields(name, json) && !has_word && !explain_error(name, json)) {
        tma_fail_name(&error, name, "rule, field, word or error", name_at);
        cli_say("%s; tma explain without a name and tma list fields have all", error.text);
        return -1;
    }
    return 0;
}

/* A word of the documents or of an error that came as several arguments: misaligned address. */
static int explain_together(const explain_args *args) {
    char words[1024] = "";
    size_t length = 0;
    for (size_t i = 0; i < args->names.count; i++) {
        if (is_known(args->names.of[i])) {
            return 0;
        }
        length += (size_t)snprintf(words + length, sizeof(words) - length, "%s%s", i ? " " : "",
                                   args->names.of[i]);
        if (length >= sizeof(words)) {
            return 0;
        }
    }
    return args->names.count > 1 &&
           (word_explain(words, args->json) || explain_error(words, args->json));
}

/* The names of all, or all of them as JSON. */
static void list_all(int json) {
    tma_crash_row row;
    for (size_t i = 0; rule_name(i); i++) {
        if (json) {
            explain_one(rule_name(i), 1);
        } else {
            puts(rule_name(i));
        }
    }
    for (size_t i = 0; i < PTX_RULES; i++) {
        const char *name = ptx_rule_at(i)->name;
        if (tma_rule_find(name)) {
            continue; /* said above */
        }
        if (json) {
            explain_one(name, 1);
        } else {
            puts(name);
        }
    }
    for (uint32_t i = 0; i < TMA_EMULATE_RULES; i++) {
        const char *name = tma_emulate_rule_name(i);
        if (tma_rule_find(name) || ptx_rule_find(name)) {
            continue; /* said above */
        }
        if (json) {
            print_emulate_rule(i, 1);
        } else {
            puts(name);
        }
    }
    for (size_t i = 0; !tma_crash_at(&row, i); i++) {
        if (json) {
            explain_error(row.name, 1);
        } else {
            puts(row.name);
        }
    }
}

int cmd_explain(int argc, char **argv) {
    explain_args args = {0};
    int status = CLI_CLEAN;
    options_parse(&parser, argc, argv, &args);
    if (args.names.count == 0) {
        list_all(args.json);
    } else if (explain_together(&args)) {
        return CLI_CLEAN;
    }
    for (size_t i = 0; i < args.names.count; i++) {
        fputs(i && !args.json ? "\n" : "", stdout);
        if (explain_one(args.names.of[i], args.json)) {
            status = CLI_MISUSE;
        }
    }
    return status;
}
