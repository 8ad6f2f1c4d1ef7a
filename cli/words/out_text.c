/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings and measures in words.
 */
#include "out_text.h"

#include <inttypes.h>
#include <string.h>

#include "host.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

#define LEAST_COLUMNS 40
#define MOST_COLUMNS  160

/* The terminal's width, as far as lines of that length can be read; OUT_COLUMNS elsewhere. */
static int columns_of(FILE *out) {
    const int columns = host_columns(out);
    if (columns <= 0) {
        return OUT_COLUMNS;
    }
    return columns < LEAST_COLUMNS  ? LEAST_COLUMNS
           : columns > MOST_COLUMNS ? MOST_COLUMNS
                                    : columns;
}

void out_wrapped(FILE *out, const char *text, int indent) {
    const int columns = columns_of(out);
    int column = indent;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > columns) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", length, text);
        column += length;
        text += length + (text[length] == ' ');
    }
    fputc('\n', out);
}

void out_labelled(const char *label, const char *text) {
    if (*text) {
        printf("    %-10s", label);
        out_wrapped(stdout, text, 14);
    }
}

static void labelled(FILE *out, const color_set *colors, const char *label, const char *text) {
    fprintf(out, "    %s%-9s%s ", colors->dim, label, colors->end);
    out_wrapped(out, text, 14);
}

void out_finding(FILE *out, const tma_finding *finding, const color_set *colors) {
    char text[1024];
    const tma_rule *rule = tma_rule_of(finding->rule);
    const size_t length = tma_finding_text(text, sizeof(text), finding);
    const size_t statement = strlen(rule->statement) + 2;
    if (length < sizeof(text) && statement < length) {
        text[length - statement] = 0; /* it gets a line of its own */
    }
    fprintf(out, "%s%s%s: %s%s%s\n    ", colors->severity[finding->severity],
            tma_severity_name(finding->severity), colors->end, colors->bold, text, colors->end);
    out_wrapped(out, rule->statement, 4);
    labelled(out, colors, "standing:", tma_standing_name(finding->standing));
    if (*rule->source) {
        labelled(out, colors, "source:", rule->source);
    }
    if (*rule->evidence) {
        labelled(out, colors, "evidence:", rule->evidence);
    }
    fprintf(out, "    %s%-9s%s tma explain %s\n", colors->dim, "see:", colors->end, rule->name);
}

static void measure_line(FILE *out, const char *what, uint64_t number, const char *unit) {
    fprintf(out, "    %-24s %" PRIu64 " %s\n", what, number, unit);
}

static void measure_counts(FILE *out, const tma_spec *spec, const tma_measure_result *m) {
    const uint32_t count = spec->api == TMA_API_TILED ? tma_spec_entries(spec, TMA_OPTION_DIM) : 2;
    fprintf(out, "    %-24s ", "copies to cover it");
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%" PRIu64, i ? " x " : "", m->count[i]);
    }
    if (m->copies == UINT64_MAX) {
        fputs(" (more than 64 bits hold)\n", out);
    } else {
        fprintf(out, " = %" PRIu64 "%s\n", m->copies,
                spec->api == TMA_API_TILED ? "" : " (over channels, over pixels)");
    }
}

/* "1x1": a number for each dimension of pixels. */
static void measure_sizes(FILE *out, const char *before, const int64_t *size, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%" PRId64, i ? "x" : before, size[i]);
    }
}

/* What --conv would say for im2col's corners, with a dilation of 1. A filter of one tap amid
 * padding is mostly the upper corner's sign: then what a filter that keeps the size has. */
static void measure_convolution(FILE *out, const tma_spec *spec) {
    const uint32_t count =
        spec->api == TMA_API_IM2COL ? tma_spec_entries(spec, TMA_OPTION_LOWER) : 0;
    int64_t pad[TMA_MAX_SPATIAL], filter[TMA_MAX_SPATIAL], same[TMA_MAX_SPATIAL];
    int is_one_tap = count > 0;
    for (uint32_t i = 0; i < count; i++) {
        pad[i] = -(int64_t)spec->lower_px[i];
        filter[i] = pad[i] - spec->upper_px[i] + 1;
        same[i] = 2 * pad[i] + 1;
        if (pad[i] < 0 || filter[i] < 1) {
            return; /* no convolution's */
        }
        is_one_tap &= pad[i] > 0 && filter[i] == 1;
    }
    if (!count) {
        return;
    }
    fprintf(out, "    %-24s ", "as a convolution");
    measure_sizes(out, "--conv pad=", pad, count);
    measure_sizes(out, ",filter=", filter, count);
    if (is_one_tap) {
        measure_sizes(out, " (with filter=", same, count);
        for (uint32_t i = 0; i < count; i++) {
            fprintf(out, "%s%" PRId64, i ? "," : ": --upper=", -pad[i]);
        }
        fputs(")", out);
    }
    fputs("\n", out);
}

void out_measure(FILE *out, const tma_spec *spec, const tma_measure_result *m) {
    measure_line(out, "one copy (expect_tx)", m->copy_B, "B");
    fprintf(out, "    %-24s %" PRIu64 " row%s of %" PRIu32 " B, one every %" PRIu32 " B\n",
            "in shared memory", m->rows, text_plural(m->rows), m->row_B, m->pitch_B);
    measure_line(out, "shared footprint", m->footprint_B, "B");
    measure_line(out, "shared alignment", m->align_B, "B");
    if (m->pattern_B > m->align_B) {
        fprintf(out, "    %-24s %" PRIu32 " B: the swizzle's pattern starts there\n",
                "pattern alignment", m->pattern_B);
    }
    fprintf(out, "    %-24s multiples of %" PRIu32 "\n", "coordinate 0", m->coord0_el);
    measure_convolution(out, spec);
    measure_counts(out, spec, m);
}

void out_odd(FILE *out, const tma_judged *judged, const char *before, const color_set *colors) {
    for (size_t i = 0; i < judged->count; i++) {
        char text[640];
        snprintf(text, sizeof(text), "%s: %s", judged->odd[i].name, judged->odd[i].text);
        fprintf(out, "%sodd%s: %s", colors->severity[1], colors->end, before);
        out_wrapped(out, text, 5);
    }
}

void out_odd_json(tma_json *json, const char *key, const tma_judged *judged) {
    tma_json_list(json, key);
    for (size_t i = 0; i < judged->count; i++) {
        tma_json_object(json, NULL);
        tma_json_text(json, "name", judged->odd[i].name);
        tma_json_text(json, "text", judged->odd[i].text);
        tma_json_end(json);
    }
    tma_json_end(json);
}
