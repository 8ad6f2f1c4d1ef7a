/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma mma and tma check --desc print.
 */
#include <stdio.h>

#include "cli_error.h"
#include "cli_out.h"
#include "mma_view.h"
#include "out_text.h"
#include "tma/check.h"

/* Beyond what a double holds: in text, all 16 digits. */
static void json_word(tma_json *json, uint64_t bits) {
    tma_out word = tma_json_text_out(json, "word");
    tma_putf(&word, "0x%016" TMA_X64, bits);
    tma_json_text_end(json);
}

static void json_descriptor(tma_json *json, const char *key, uint64_t bits,
                            const tma_mma_descriptor *d) {
    tma_json_object(json, key);
    json_word(json, bits);
    tma_json_hex(json, "start", d->start_B);
    tma_json_u64(json, "leading_B", d->leading_B);
    tma_json_u64(json, "stride_B", d->stride_B);
    tma_json_u64(json, "base_offset", d->base_offset);
    tma_json_bool(json, "leading_absolute", (int)d->leading_absolute);
    tma_json_enum(json, "swizzle", TMA_ENUM_SWIZZLE, d->swizzle);
    tma_json_end(json);
}

/* {"m": 64, "k": 16} */
static void json_element(tma_json *json, const char *key, const tma_mma_question *q, uint32_t mn,
                         uint32_t k) {
    tma_json_object(json, key);
    tma_json_u64(json, q->operand.matrix == TMA_MMA_B ? "n" : "m", mn);
    tma_json_u64(json, "k", k);
    tma_json_end(json);
}

static void json_why(tma_json *json, const char *key, const tma_mma_why *why) {
    tma_json_object(json, key);
    tma_json_text(json, "reason", tma_mma_reason_name(why->reason));
    tma_out text = tma_json_text_out(json, "text");
    tma_put_mma_why(&text, why);
    tma_json_text_end(json);
    tma_json_end(json);
}

typedef struct steps_json {
    tma_json *json;
    const tma_mma_question *q;
    tma_mma_step last;
} steps_json;

static int json_step(void *context, const tma_mma_step *step) {
    steps_json *v = context;
    v->last = *step;
    if (step->exists) {
        tma_json_object(v->json, NULL);
        json_element(v->json, "element", v->q, step->mn, step->k);
        json_descriptor(v->json, "descriptor", step->bits, &step->descriptor);
        tma_json_end(v->json);
    }
    return 0;
}

static int json_steps(tma_json *json, const tma_mma_question *q, const tma_spec *spec) {
    steps_json v = {.json = json, .q = q};
    tma_json_list(json, "steps");
    const int ended = tma_mma_each_step(q, spec, json_step, &v);
    tma_json_end(json);
    if (!ended) {
        tma_json_null(json, "no_descriptor");
        return 0;
    }
    tma_json_object(json, "no_descriptor");
    json_element(json, "element", q, v.last.mn, v.last.k);
    json_why(json, "why", &v.last.why);
    tma_json_end(json);
    return 1;
}

static void json_address(tma_json *json, const char *key, int is, uint32_t address_B) {
    if (is) {
        tma_json_hex(json, key, address_B);
    } else {
        tma_json_null(json, key);
    }
}

static void json_index(tma_json *json, const char *key, int is, uint32_t index) {
    if (is) {
        tma_json_u64(json, key, index);
    } else {
        tma_json_null(json, key);
    }
}

static void json_first(tma_json *json, const tma_mma_question *q, const tma_mma_difference *d) {
    tma_json_object(json, "first_difference");
    json_element(json, "element", q, q->mn0 + d->mn, q->k0 + d->k);
    json_address(json, "read", 1, d->read_B);
    json_address(json, "written", (int)d->has_written, d->written_B);
    json_index(json, "written_copy", (int)d->has_written, d->written_copy);
    if (d->has_element) {
        json_element(json, "instead", q, d->other_mn, d->other_k);
    } else {
        tma_json_null(json, "instead");
    }
    json_index(json, "instead_copy", (int)d->has_element, d->other_copy);
    tma_json_end(json);
}

static int json_compared(tma_json *json, const tma_mma_question *q, const tma_mma_descriptor *d,
                         const tma_spec *spec) {
    tma_mma_difference said;
    tma_mma_why why;
    if (tma_mma_compare(&said, d, &q->operand, spec, &q->tile, q->mn0, q->k0) != TMA_OK) {
        (void)tma_mma_unfit(&why, spec, &q->tile, &q->operand);
        json_why(json, "not_compared", &why);
        return 1;
    }
    const int agree = said.equal_el == said.all_el;
    tma_json_bool(json, "agree", agree);
    tma_json_u64(json, "equal_el", said.equal_el);
    tma_json_u64(json, "all_el", said.all_el);
    if (agree) {
        tma_json_null(json, "first_difference");
    } else {
        json_first(json, q, &said);
    }
    return !agree;
}

/* The rules as findings of the other verbs. */
static void json_findings(tma_json *json, uint32_t said) {
    tma_json_list(json, "findings");
    for (uint32_t i = 0; i < TMA_MMA_RULES; i++) {
        const tma_mma_rule *rule = tma_mma_rule_at(i);
        if (said >> i & 1) {
            tma_json_object(json, NULL);
            tma_json_text(json, "rule", rule->name);
            tma_json_text(
                json, "severity",
                tma_severity_name(rule->wrong ? TMA_SEVERITY_FAULTS : TMA_SEVERITY_SURPRISING));
            tma_json_text(json, "text", rule->statement);
            tma_json_text(json, "source", rule->evidence);
            tma_json_end(json);
        }
    }
    tma_json_end(json);
}

/* The copies of --copy. */
static void json_placed(tma_json *json, const tma_mma_question *q) {
    tma_json_list(json, "placed");
    for (uint32_t i = 0; i < q->tile.placed_count; i++) {
        const tma_mma_placed *p = &q->placed[i];
        tma_json_object(json, NULL);
        tma_json_hex(json, "shared_address", p->shared_address);
        json_element(json, "element", q, p->mn, p->k);
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void json_asked(tma_json *json, const tma_mma_question *q, const tma_spec *spec,
                       const tma_target *target) {
    const tma_mma_type *type = tma_mma_type_at(q->operand.type);
    tma_json_target(json, "target", target);
    if (spec) {
        tma_json_spec(json, "spec", spec);
    }
    tma_json_text(json, "family", q->family == TMA_MMA_WGMMA ? "wgmma" : "tcgen05");
    if (!spec && q->given == 1u << TMA_MMA_OPTION_DESC) {
        return; /* no operand was asked about */
    }
    tma_json_object(json, "operand");
    tma_json_text(json, "matrix", q->operand.matrix == TMA_MMA_B ? "B" : "A");
    tma_json_text(json, "major", q->operand.major == TMA_MMA_K_MAJOR ? "K" : "MN");
    tma_json_text(json, "type", type->name);
    tma_json_u64(json, "mn_el", q->operand.mn_el);
    tma_json_u64(json, "k_el", q->operand.k_el);
    tma_json_end(json);
    if (spec) {
        const tma_mma_extent size = tma_mma_extent_of(spec, &q->tile, &q->operand);
        tma_json_object(json, "tile");
        tma_json_hex(json, "address", q->tile.shared_address);
        tma_json_u64(json, "mn_el", size.mn_el);
        tma_json_u64(json, "k_el", size.k_el);
        json_placed(json, q);
        tma_json_end(json);
    }
}

static void json_numbers(tma_json *json, const char *key, const uint32_t number[4]) {
    tma_json_list(json, key);
    for (int i = 0; i < 4; i++) {
        tma_json_u64(json, NULL, number[i]);
    }
    tma_json_end(json);
}

/* The column of B that each column of the product is made of; null: zeros. */
static void json_columns(tma_json *json, const tma_mma_question *q, const tma_mma_zero_mask *mask) {
    tma_json_list(json, "columns");
    for (uint32_t n = 0; n < q->n_el; n++) {
        const uint32_t column =
            tma_mma_zero_mask_column(mask, q->operand.readings, q->m_el, q->n_el, n);
        if (column == TMA_MMA_ZEROS) {
            tma_json_null(json, NULL);
        } else {
            tma_json_u64(json, NULL, column);
        }
    }
    tma_json_end(json);
}

static int zero_mask_json(const tma_mma_question *q) {
    const uint32_t said = tma_mma_words_judge(q, NULL);
    tma_mma_zero_mask mask;
    out_json line;
    tma_json *json = out_json_begin(&line, "mma");
    (void)!tma_mma_zero_mask_decode(&mask, q->desc);
    tma_json_text(json, "family", "tcgen05");
    tma_json_object(json, "zero_mask");
    json_word(json, q->desc);
    json_numbers(json, "start_el", mask.start_el);
    json_numbers(json, "first_is_zeros", mask.first_is_zeros);
    tma_json_bool(json, "has_zeros", (int)mask.has_zeros);
    tma_json_u64(json, "skip_span_el", mask.skip_span_el);
    tma_json_u64(json, "use_span_el", mask.use_span_el);
    tma_json_u64(json, "shift_el", mask.shift_el);
    tma_json_u64(json, "m_el", q->m_el);
    tma_json_u64(json, "n_el", q->n_el);
    json_columns(json, q, &mask);
    tma_json_end(json);
    json_findings(json, said);
    out_json_end(&line);
    return said != 0;
}

static int answer_json(const tma_mma_question *q, const tma_spec *spec, const tma_target *target) {
    const int has_desc = (int)(q->given >> TMA_MMA_OPTION_DESC & 1);
    const uint32_t said = tma_mma_words_judge(q, spec);
    tma_mma_descriptor d;
    out_json line;
    tma_json *json = out_json_begin(&line, "mma");
    json_asked(json, q, spec, target);
    const int is_one = has_desc && tma_mma_decode(&d, q->family, q->desc) == TMA_OK;
    if (is_one) {
        json_descriptor(json, "descriptor", q->desc, &d);
    } else if (has_desc) {
        tma_json_null(json, "descriptor");
        json_word(json, q->desc);
    }
    const int differs = spec && !has_desc ? json_steps(json, q, spec)
                        : spec && is_one  ? json_compared(json, q, &d, spec)
                                          : said != 0;
    json_findings(json, said);
    out_json_end(&line);
    return differs || tma_mma_is_wrong(said);
}

int mma_view(const tma_mma_question *q, const tma_spec *spec, const tma_target *target, int json) {
    tma_out out = out_to(stdout);
    if (json && q->given >> TMA_MMA_OPTION_ZERO_MASK & 1) {
        return zero_mask_json(q);
    }
    return json ? answer_json(q, spec, target) : tma_put_mma_answer(&out, q, spec);
}
