/* SPDX-License-Identifier: Apache-2.0
 *
 * Specs from options, lines and files.
 */
#include "spec_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_input.h"

enum { KEY_CASE = 0x300 };

static const args_option options[] = {
    {"case", KEY_CASE, "LINE", 0, "the map as a case line: 'enc api=tiled dtype=9 rank=2 ...'", 20},
    {0},
};

static const args_child children[] = {{&list_parser, 0, 0, ARGS_AT(spec_inputs, paths)},
                                      {&spec_parser, 0, 10, ARGS_AT(spec_inputs, args)},
                                      {0}};

static void one_source_only(const spec_inputs *in, args_state *state) {
    const int is_options = in->args.given != 0 && !(in->takes_texts && in->paths.count);
    const int sources =
        is_options + (in->case_line != NULL) + (in->paths.count > 0) + (in->map != NULL);
    if (sources == 0 && in->takes_texts) {
        args_error(state, "no map: give --dtype, --dim and --box, or --map, or a file with 128 "
                          "bytes, a log or case lines (- is standard input)");
    } else if (sources == 0) {
        args_error(state, "no map: give --dtype, --dim and --box, or --case, or a file of case "
                          "lines (- is standard input)");
    } else if (sources > 1) {
        args_error(state, "a map's options, --case%s and files of case lines exclude each other",
                   in->takes_texts ? ", --map" : "");
    }
}

static void finish(spec_inputs *in, args_state *state) {
    tma_error error;
    one_source_only(in, state);
    if (in->args.given && !in->paths.count && tma_spec_words_finish(&in->args, &error)) {
        args_error(state, "%s", error.text);
    }
}

static int parse(int key, char *text, args_state *state) {
    spec_inputs *in = state->input;
    switch (key) {
    case ARGS_KEY_INIT:
        *in = (spec_inputs){.takes_texts = in->takes_texts};
        return 0;
    case KEY_CASE:
        if (in->case_line) {
            args_error(state, "--case is given twice: several lines go in a file, or to -");
        }
        in->case_line = text;
        return 0;
    case ARGS_KEY_END:
        finish(in, state);
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

const args_parser spec_inputs_parser = {options, parse, 0, 0, children, 0};

typedef struct each {
    const tma_target *target; /* where a line names none */
    spec_visit visit;
    void *context;
    size_t errors;
} each;

/* The request of a line of kind enc; an answer behind it is not looked at. */
static int spec_of_line(const tma_case *line, const tma_target *given, tma_spec *spec,
                        tma_target *target, tma_error *error) {
    *target = *given;
    if (strcmp(line->kind, "enc") != 0) {
        return tma_fail(error, "a line of kind '%.80s' asks for more than a map: see tma replay",
                        line->kind);
    }
    return tma_case_spec(spec, target, line, "", error);
}

static void visit_line(each *e, const tma_case *line, const char *label, size_t number,
                       const tma_error *error) {
    tma_spec spec;
    tma_target target;
    tma_error own;
    spec_input input = {label, number, NULL, NULL, NULL, error};
    if (line && spec_of_line(line, e->target, &spec, &target, &own)) {
        input.error = &own;
    } else if (line) {
        input = (spec_input){label, number, tma_case_request(line, "id"), &spec, &target, NULL};
    }
    if (input.error) {
        cli_say("%s: %s", label ? label : "--case", input.error->text);
        e->errors++;
    }
    e->visit(e->context, &input);
}

static void visit_file_line(void *context, const tma_case *line, const case_place *place,
                            const tma_error *error) {
    char label[4200];
    snprintf(label, sizeof(label), "%s:%zu", place->file, place->line);
    visit_line(context, line, label, place->line, line ? NULL : error);
}

static void visit_case(each *e, char *text) {
    tma_case line;
    tma_error error;
    const int status = tma_case_read(&line, text, strlen(text), &error);
    if (status > 0) {
        tma_fail(&error, "the line asks nothing");
    }
    visit_line(e, status ? NULL : &line, NULL, 0, status ? &error : NULL);
}

size_t spec_inputs_text(spec_inputs *in, const char *text, size_t size, const char *name,
                        spec_visit visit, void *context) {
    each e = {&in->args.target.target, visit, context, 0};
    case_input_text(text, size, name, visit_file_line, &e);
    return e.errors;
}

size_t spec_inputs_each(spec_inputs *in, spec_visit visit, void *context) {
    each e = {&in->args.target.target, visit, context, 0};
    if (in->case_line) {
        visit_case(&e, in->case_line);
    } else if (in->paths.count) {
        e.errors += case_input(in->paths.of, in->paths.count, visit_file_line, &e);
    } else {
        const spec_input input = {NULL, 0, NULL, &in->args.spec, e.target, NULL};
        visit(context, &input);
    }
    return e.errors;
}

int spec_input_json(tma_json *json, const spec_input *in) {
    if (in->label) {
        tma_json_text(json, "input", in->label);
    }
    if (in->id) {
        tma_json_text(json, "id", in->id);
    }
    if (in->error) {
        tma_json_text(json, "error", in->error->text);
        return 0;
    }
    tma_json_target(json, "target", in->target);
    tma_json_spec(json, "spec", in->spec);
    return 1;
}
