/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans in words.
 */
#include "plan_view.h"

#include <inttypes.h>
#include <string.h>

#include "cli_error.h"
#include "tma/detail/chars.h"
#include "tma/walk.h"

void plan_view_of(plan_view *view, const copy_args *args) {
    const tma_plan *plan = &args->plan;
    memset(view, 0, sizeof(*view));
    view->args = args;
    view->is_counted = ask_is_countable(plan);
    view->report = args->report;
    if (!view->is_counted) {
        return;
    }
    cli_sure(tma_cost_global(&view->global, plan, &args->asked.copy.at));
    for (uint32_t i = 0; i < TMA_READERS && tma_plan_info(plan)->op != TMA_OP_PREFETCH; i++) {
        view->has_banks[i] =
            tma_cost_banks(&view->banks[i], plan, &args->asked.copy.at, (tma_reader)i) == TMA_OK;
    }
    view->has_measure = tma_measure(&view->measure, &args->asked.map.spec,
                                    &args->asked.map.target.target) == TMA_OK;
}

uint32_t plan_pattern_B(const plan_view *view) {
    const uint32_t swizzle = tma_plan_info(&view->args->plan)->swizzle;
    return swizzle == TMA_SWIZZLE_NONE ? 0 : tma_swizzle_repeat_B(swizzle);
}

const char *plan_run_kind(const tma_plan *plan, uint32_t kind) {
    const tma_plan_facts *const facts = tma_plan_info(plan);
    const int stores = facts->op != TMA_OP_LOAD && facts->op != TMA_OP_PREFETCH;
    switch (kind) {
    case TMA_RUN_INSIDE:
        return "inside";
    case TMA_RUN_OUTSIDE:
        return stores ? "dropped" : "filled";
    case TMA_RUN_PAST_EDGE:
        return "past edge";
    default:
        return "padding";
    }
}

static void label(FILE *out, const char *text) {
    fprintf(out, "    %-24s ", text);
}

/* gather4 and scatter4: a column, and the four rows that it is cut out of. */
static void print_rows4(FILE *out, const plan_view *v) {
    const int32_t *coord = v->args->asked.copy.at.coord;
    fprintf(out,
            "%" PRIu32 " from column %" PRId32 " on, of each of the rows %" PRId32 ", %" PRId32
            ", %" PRId32 ", %" PRId32 "\n",
            v->report.count[0], coord[0], coord[1], coord[2], coord[3], coord[4]);
}

static void print_counts(FILE *out, const plan_view *v) {
    const tma_plan *plan = &v->args->plan;
    const tma_plan_facts *const facts = tma_plan_info(plan);
    label(out, "elements");
    if (tma_mode_is_im2col(facts->mode)) {
        fprintf(out, "%" PRIu32 " channels x %" PRIu32 " pixels\n", v->report.count[0],
                v->report.count[1]);
        return;
    }
    if (tma_mode_is_rows4(facts->mode)) {
        print_rows4(out, v);
        return;
    }
    for (uint32_t i = 0; i < facts->rank; i++) {
        fprintf(out, "%s%" PRIu32, i ? " x " : "", v->report.count[i]);
    }
    fputs(facts->unit_B ? " slices\n" : "\n", out);
}

static void print_bytes(FILE *out, const plan_view *v) {
    const tma_plan *plan = &v->args->plan;
    const tma_plan_facts *const facts = tma_plan_info(plan);
    const int load = facts->op == TMA_OP_LOAD;
    if (load) {
        label(out, "bytes on the barrier");
        fprintf(out, "%" PRIu64 " B (expect_tx)\n", v->report.tx_B);
    }
    label(out, "inside the tensor");
    fprintf(out, "%" PRIu64 " B\n", v->report.inside_B);
    label(out, "outside of it");
    if (load || facts->op == TMA_OP_PREFETCH) {
        fprintf(out, "%" PRIu64 " B%s\n", v->report.fill_B,
                !load                         ? ""
                : facts->fill == TMA_FILL_NAN ? ", filled with NaN"
                                              : ", filled with zeros");
    } else {
        fprintf(out, "%" PRIu64 " B, not stored\n", v->report.dropped_B);
    }
    if (v->report.past_edge_B) {
        label(out, "behind ends of rows");
        fprintf(out, "%" PRIu64 " B, written all the same\n", v->report.past_edge_B);
    }
}

static void print_pattern(FILE *out, const plan_view *v) {
    const uint32_t pattern_B = plan_pattern_B(v);
    const uint32_t into_B = pattern_B ? v->args->asked.copy.at.shared_address % pattern_B : 0;
    if (!pattern_B) {
        return;
    }
    label(out, "swizzle's pattern");
    fprintf(out, "%" PRIu32 " B; the box begins %" PRIu32 " B into it\n", pattern_B, into_B);
    if (into_B) {
        fprintf(out,
                "surprising: shared address = 0x%" PRIx32 ", usually a multiple of %" PRIu32
                " B: the pattern follows the absolute address,\n            so a reader that "
                "counts from the box's beginning finds other 16-byte chunks\n",
                v->args->asked.copy.at.shared_address, pattern_B);
    }
}

static void print_shared(FILE *out, const plan_view *v) {
    const tma_plan *plan = &v->args->plan;
    const tma_plan_facts *const facts = tma_plan_info(plan);
    const uint64_t from = v->args->asked.copy.at.shared_address;
    label(out, "in shared memory");
    fprintf(out, "%" PRIu32 " row%s of %" PRIu32 " B, one every %" PRIu32 " B\n", v->report.rows,
            text_plural(v->report.rows), facts->row_shared_B, facts->pitch_B);
    label(out, "shared footprint");
    fprintf(out, "%" PRIu64 " B, 0x%" PRIx64 " to 0x%" PRIx64 "%s\n", v->report.footprint_B, from,
            from + v->report.footprint_B,
            v->report.footprint_B > COPY_MOST_SHARED_B ? ": no SM has that much" : "");
    if (v->has_measure) {
        label(out, "shared alignment");
        fprintf(out, "%" PRIu32 " B\n", v->measure.align_B);
    }
    print_pattern(out, v);
}

static void print_global(FILE *out, const plan_view *v) {
    const tma_report_result *r = &v->report;
    label(out, "global memory");
    fprintf(out, "%" PRIu64 " B", r->global_B);
    if (r->global_end > r->global_first) {
        fprintf(out, " in 0x%" PRIx64 " to 0x%" PRIx64, r->global_first, r->global_end);
    }
    fputc('\n', out);
    label(out, "sectors, lines");
    if (!v->is_counted) {
        fprintf(out, "not counted: %" PRIu32 " row%s\n", v->report.rows,
                text_plural(v->report.rows));
        return;
    }
    fprintf(out, "%" PRIu64 " of 32 B, %" PRIu64 " of 128 B\n", v->global.sectors, v->global.lines);
}

static void print_banks(FILE *out, const plan_view *v, const color_set *colors) {
    int any = 0;
    for (uint32_t i = 0; i < TMA_READERS; i++) {
        const tma_bank_cost *b = &v->banks[i];
        if (!v->has_banks[i]) {
            continue;
        }
        label(out, any++ ? "" : "bank conflicts of");
        fprintf(out, "%-12s %6" PRIu32 " phases, %6" PRIu32 " wavefronts", tma_reader_name(i),
                b->phases, b->wavefronts);
        if (b->worst > 1) {
            fprintf(out, ", %s%" PRIu32 "-way%s at worst", colors->severity[1], b->worst,
                    colors->end);
        }
        fputc('\n', out);
    }
}

static void print_ctas(FILE *out, const plan_view *v) {
    const tma_plan *plan = &v->args->plan;
    const tma_plan_facts *const facts = tma_plan_info(plan);
    const uint32_t mask = facts->cta_mask | (uint32_t)facts->cta_mask_high << 16;
    if (!mask && facts->cta_group != 2) {
        return;
    }
    label(out, "barrier of CTA");
    fputs(facts->cta_group == 2 ? "mbar in an even CTA, an odd one:" : "each its own:", out);
    for (uint32_t cta = 0; cta < 32; cta++) {
        if (mask >> cta & 1) {
            fprintf(out, " %" PRIu32 ":%" PRIu32, cta, tma_plan_barrier_cta(plan, cta, 0));
            if (facts->cta_group == 2) {
                fprintf(out, ",%" PRIu32, tma_plan_barrier_cta(plan, cta, 1));
            }
        }
    }
    fputc('\n', out);
}

/* What the copy reads instead of the map's own. */
static void print_override(FILE *out, const plan_view *v) {
    const tma_plan_facts *const facts = tma_plan_info(&v->args->plan);
    if (!facts->overrides) {
        return;
    }
    label(out, "overridden");
    fprintf(out, "address 0x%" PRIx64, facts->address);
    for (uint32_t i = 0; i < facts->rank && facts->overrides & ~TMA_OVERRIDE_ADDRESS; i++) {
        fprintf(out, "%s%" PRIu64, i ? "," : ", sizes ", facts->dim_el[i]);
    }
    for (uint32_t i = 1; i < facts->rank && facts->overrides & TMA_OVERRIDE_DIM_STRIDE; i++) {
        fprintf(out, "%s%" PRIu64, i > 1 ? "," : ", strides ", facts->step_B[i]);
    }
    fputc('\n', out);
}

void plan_print(FILE *out, const plan_view *v, const color_set *colors) {
    const copy_args *args = v->args;
    const tma_target *target = &args->asked.map.target.target;
    fprintf(out, "%sruns%s: %s %s on %s, %s\n", colors->good, colors->end,
            tma_op_name(tma_plan_info(&args->plan)->op),
            tma_mode_name(tma_plan_info(&args->plan)->mode), tma_arch_text(target),
            tma_standing_name(tma_plan_info(&args->plan)->standing));
    if (!v->is_counted && ask_is_reported(&args->plan)) {
        print_override(out, v);
        print_counts(out, v);
        print_bytes(out, v);
        print_global(out, v);
        return;
    }
    if (!v->is_counted) {
        label(out, "in shared memory");
        fprintf(out,
                "%" PRIu32 " rows, one every %" PRIu32 " B: no SM has that much, and nothing "
                "is counted\n",
                tma_plan_info(&args->plan)->rows, tma_plan_info(&args->plan)->pitch_B);
        return;
    }
    print_override(out, v);
    print_counts(out, v);
    print_bytes(out, v);
    if (tma_plan_info(&args->plan)->op != TMA_OP_PREFETCH) {
        print_shared(out, v);
    }
    if (v->has_measure) {
        label(out, "coordinate 0");
        fprintf(out, "multiples of %" PRIu32 "\n", v->measure.coord0_el);
    }
    print_global(out, v);
    print_banks(out, v, colors);
    print_ctas(out, v);
}

typedef struct walk_printer {
    FILE *out;
    const tma_plan *plan;
    const color_set *colors;
} walk_printer;

static int print_run(void *context, const tma_run *run) {
    const walk_printer *w = context;
    char coords[96];
    size_t used = 0;
    const int has_address = run->kind == TMA_RUN_INSIDE || run->kind == TMA_RUN_PAST_EDGE;
    for (uint32_t i = 0; i < run->rank; i++) {
        used += (size_t)snprintf(coords + used, sizeof(coords) - used, "%s%" PRId64, i ? ", " : "{",
                                 run->coord[i]);
    }
    fprintf(w->out, "row %4" PRIu32 " +%-4" PRIu32 " %s%-9s%s %s}%*s", run->row, run->offset_B,
            run->kind == TMA_RUN_INSIDE ? "" : w->colors->dim, plan_run_kind(w->plan, run->kind),
            w->colors->end, coords, used < 23 ? (int)(23 - used) : 0, "");
    if (has_address) {
        fprintf(w->out, " 0x%012" PRIx64, run->address);
    } else {
        fprintf(w->out, " %14s", "-");
    }
    fprintf(w->out, "  0x%05" PRIx32 " %4" PRIu32 " B\n", run->shared_address, run->length_B);
    return 0;
}

void plan_walk_print(FILE *out, const copy_args *args, const color_set *colors) {
    walk_printer printer = {out, &args->plan, colors};
    fprintf(out,
            "%sin the hardware's order: row and byte of it, coordinates, global and shared "
            "address, length%s\n",
            colors->dim, colors->end);
    tma_walk(&args->plan, &args->asked.copy.at, print_run, &printer);
}
