/* SPDX-License-Identifier: Apache-2.0
 *
 * One copy from its options to its words.
 */
#include "copy_run.h"

#include <stdio.h>

#include "copy_json.h"

static int run(const copy_runner *r, tma_error *error) {
    tma_finding why;
    if (memory_make(r->memory, r->copy, error)) {
        return CLI_MISUSE;
    }
    if (r->before) {
        r->before(r->context);
    }
    const tma_status status = memory_copy(r->memory, r->copy, &why);
    const int in_words = status == TMA_OK && !r->memory->json && !memory_is_piped(r->memory);
    FILE *out = in_words ? stdout : stderr;
    const color_set colors = colors_for(out, r->memory->color);
    if (r->memory->json) {
        copy_done_json(r->verb, r->copy, r->memory, status, &why);
    }
    if (status != TMA_OK) {
        copy_fault(stderr, r->copy, status, &why, &colors);
        return CLI_FINDINGS;
    }
    if (in_words) {
        copy_title(stdout, r->copy, &colors);
        memory_print(stdout, r->memory, r->copy);
        r->print(r->context, &colors);
    }
    copy_notes(out, r->copy, &colors);
    return r->write_files(r->context, error) ? CLI_MISUSE : CLI_CLEAN;
}

/* Why there is no copy to run. */
static void say_none(const copy_runner *r, tma_status status, const tma_finding *why) {
    if (r->memory->json && status != TMA_OK) {
        copy_done_json(r->verb, r->copy, r->memory, status, why);
    } else if (r->memory->json) {
        copy_refused_json(r->verb, r->copy);
    } else if (status != TMA_OK) {
        const color_set colors = colors_for(stderr, r->memory->color);
        copy_title(stderr, r->copy, &colors);
        copy_fault(stderr, r->copy, status, why, &colors);
    }
}

int copy_run(const copy_runner *r) {
    tma_status status = TMA_OK;
    tma_finding why;
    tma_error error;
    int result = copy_args_plan(r->copy, r->memory->color, &status, &why);
    if (result == CLI_FINDINGS) {
        say_none(r, status, &why);
    } else if (result == CLI_CLEAN) {
        result = run(r, &error);
        if (result == CLI_MISUSE) {
            cli_say("%s", error.text);
        }
    }
    memory_free(r->memory);
    return result;
}
