/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports about encode calls: which call, what it answered, why, and the case line that repeats it.
 */
#include "report_encode.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "caller.h"
#include "driver_errors.h"
#include "report_map.h"
#include "report_out.h"
#include "settings.h"
#include "tma/pattern.h"

#define MOST_FINDINGS 64

/* Arrays that were not read have no findings of their own; what leans on them is left out, too. */
static int stands(const struct encode_call *call, const tma_finding *f) {
    const uint64_t bad = call->nulls | call->unreadable;
    const int is_array = f->argument == TMA_ARG_DIM || f->argument == TMA_ARG_STRIDE ||
                         f->argument == TMA_ARG_BOX || f->argument == TMA_ARG_ELEMENT_STRIDE ||
                         (call->spec.api == TMA_API_IM2COL &&
                          (f->argument == TMA_ARG_LOWER || f->argument == TMA_ARG_UPPER));
    if (!bad && call->spec.rank <= TMA_MAX_RANK) {
        return 1;
    }
    return f->severity == TMA_SEVERITY_REFUSED && !(bad >> f->argument & 1) &&
           !(is_array && call->spec.rank > TMA_MAX_RANK);
}

static void report_pointers(struct report *report, const struct encode_call *call) {
    if (!call->map) {
        report_line(report, "  tensorMap is a null pointer");
    }
    for (uint32_t i = 0; i < TMA_ARGUMENTS; i++) {
        if (call->nulls >> i & 1) {
            report_line(report, "  %s is a null pointer", tma_argument_name(i));
        }
        if (call->unreadable >> i & 1) {
            report_line(report, "  %s points to memory that is not there", tma_argument_name(i));
        }
    }
}

static void report_findings(struct report *report, const struct encode_verdict *v) {
    tma_finding *found = report_room(report, MOST_FINDINGS * sizeof(*found));
    char *text = report_room(report, FINDING_BYTES);
    size_t count = tma_check(found, MOST_FINDINGS, &v->call->spec, &v->target->target);
    count = count < MOST_FINDINGS ? count : MOST_FINDINGS;
    report_pointers(report, v->call);
    for (size_t i = 0; i < count; i++) {
        if (stands(v->call, &found[i])) {
            report_finding(report, text, &found[i]);
        }
    }
}

/* The driver refused: CUDA_ERROR_INVALID_VALUE. */
static void report_refusal(struct report *report, const struct encode_verdict *v) {
    if (!v->accepted || !v->call->map) {
        report_findings(report, v);
    } else {
        report_line(report, "  libtma finds nothing here that this target refuses: the driver has "
                            "a rule that it does not know");
        report_findings(report, v);
    }
}

static void report_success(struct report *report, const struct encode_verdict *v) {
    if (!v->driver_map) {
        report_line(report, "  tensorMap points to memory that is not there");
    }
    if (v->accepted && v->driver_map) {
        report_differences(report, v->driver_map, v->map->bytes);
    } else if (!v->accepted) {
        report_taken(report);
        report_findings(report, v);
    }
}

/* Any other error. */
static void report_error(struct report *report, const struct encode_verdict *v,
                         const struct driver_error *error) {
    if (v->accepted) {
        report_line(report, "  the arguments are fine");
    } else {
        report_line(report, "  the arguments break rules, too:");
        report_findings(report, v);
    }
    if (error->older) {
        report_line(report,
                    "  error %u happened earlier in this context, which answers it from "
                    "then on: %s",
                    v->rc, error->meaning);
    } else if (*error->meaning) {
        report_line(report, "  error %u: %s", v->rc, error->meaning);
    } else {
        report_line(report, "  error %u is not about the arguments: those are refused with 1",
                    v->rc);
    }
}

void report_map_address(const void *map) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    tma_finding found;
    if (!tma_check_map_address(&found, (uint64_t)(uintptr_t)map, NULL) &&
        !atomic_flag_test_and_set(&said)) {
        report_message("tensorMap = %p is no multiple of %" PRIu64 " B, as the documents ask: the "
                       "driver writes it, and a copy that takes it from there ends in a misaligned "
                       "address; said once, of the first such map [%s]",
                       map, found.limit, tma_rule_of(found.rule)->name);
    }
}

/* What tells one report from the next. */
static uint64_t key_of(const struct encode_verdict *v) {
    const uint64_t rest[] = {v->rc, v->call->nulls, v->call->unreadable, !v->call->map,
                             !v->driver_map};
    return tma_hash(&v->call->spec, sizeof(v->call->spec)) ^
           tma_scramble(tma_hash(rest, sizeof(rest)));
}

static void report_body(struct report *report, const struct encode_verdict *v,
                        const struct driver_error *error) {
    if (!target_is_known(v->target)) {
        report_line(report, "  not judged: libtma does not know this architecture%s%s",
                    *error->meaning ? "; " : "", error->meaning);
    } else if (v->rc == SHIM_SUCCESS) {
        report_success(report, v);
    } else if (v->rc == SHIM_ERROR_INVALID_VALUE) {
        report_refusal(report, v);
    } else {
        report_error(report, v, error);
    }
}

/* The call as a case line; empty for what no case line can say. */
static void request_of(char *line, const struct encode_verdict *v) {
    const struct encode_call *call = v->call;
    line[0] = 0;
    if (call->map && !call->nulls && !call->unreadable) {
        tma_out out = tma_out_into(line, REQUEST_LINE_BYTES);
        request_map(&out, "enc", &call->spec, v->target->target.sm);
        request_answer(&out, v->rc, v->driver_map);
    }
}

static void say(struct report *report, const struct encode_verdict *v, const char *line,
                const char *where) {
    const struct driver_error error = driver_error_of(v->rc);
    report_answered(report, symbol_name(v->call->symbol), v->rc, v->target,
                    target_is_known(v->target));
    if (*where) {
        report_line(report, "  called at %s", where);
    }
    report_body(report, v, &error);
    if (*line) {
        report_line(report, "  %s", line);
    }
}

/* Who hears of each refused call tells apart which were said before. */
void report_encode(const struct encode_verdict *v) {
    libtma_cuda_told *told = v->rc ? caller_told() : NULL;
    struct report *report = told || report_is_new(key_of(v)) ? report_begin() : NULL;
    if (report) {
        char *line = report_room(report, REQUEST_LINE_BYTES + 1);
        char *where = report_room(report, WHERE_BYTES);
        *where = 0;
        request_of(line, v);
        if (!told || told(symbol_name(v->call->symbol), v->rc, line, where, WHERE_BYTES)) {
            report_log(settings()->log, line);
            if (!settings()->quiet) {
                say(report, v, line, where);
            }
        }
        report_end(report);
    }
}
