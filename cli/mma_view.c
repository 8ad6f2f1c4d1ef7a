/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma mma and tma check --desc print.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli_error.h"
#include "cli_out.h"
#include "mma_view.h"
#include "out_text.h"

static int json_desc(const tma_mma_question *q) {
    const uint32_t about =
        1u << TMA_MMA_OPTION_OPERAND | 1u << TMA_MMA_OPTION_SHAPE | 1u << TMA_MMA_OPTION_TYPE;
    const uint32_t said = tma_mma_judge(q->family, q->desc, q->given & about ? &q->operand : NULL);
    tma_mma_descriptor d;
    out_json line;
    tma_json *json = out_json_begin(&line, "mma");
    if (tma_mma_decode(&d, q->family, q->desc) == TMA_OK) {
        tma_json_u64(json, "start_B", d.start_B);
        tma_json_u64(json, "leading_B", d.leading_B);
        tma_json_u64(json, "stride_B", d.stride_B);
        tma_json_u64(json, "base_offset", d.base_offset);
        tma_json_text(json, "swizzle", tma_enum_row_of(TMA_ENUM_SWIZZLE, d.swizzle)->name);
    }
    tma_json_list(json, "said");
    for (uint32_t i = 0; i < TMA_MMA_RULES; i++) {
        if (said >> i & 1) {
            tma_json_text(json, NULL, tma_mma_rule_at(i)->name);
        }
    }
    tma_json_end(json);
    out_json_end(&line);
    return said != 0;
}

static int json_difference(const tma_mma_question *q, const tma_mma_difference *d) {
    out_json line;
    tma_json *json = out_json_begin(&line, "mma");
    tma_json_bool(json, "agree", d->equal_el == d->all_el);
    tma_json_u64(json, "equal_el", d->equal_el);
    tma_json_u64(json, "all_el", d->all_el);
    if (d->equal_el != d->all_el) {
        tma_json_u64(json, "mn", q->mn0 + d->mn);
        tma_json_u64(json, "k", q->k0 + d->k);
        tma_json_u64(json, "read", d->read_B);
        if (d->has_written) {
            tma_json_u64(json, "written", d->written_B);
        }
        if (d->has_element) {
            tma_json_u64(json, "other_mn", d->other_mn);
            tma_json_u64(json, "other_k", d->other_k);
        }
    }
    out_json_end(&line);
    return d->equal_el != d->all_el;
}

static int json_step(void *context, const tma_mma_step *step) {
    const uint32_t matrix = *(const uint32_t *)context;
    out_json line;
    tma_json *json = out_json_begin(&line, "mma");
    tma_json_u64(json, matrix == TMA_MMA_B ? "n" : "m", step->mn);
    tma_json_u64(json, "k", step->k);
    if (step->exists) {
        char hex[24];
        snprintf(hex, sizeof(hex), "0x%016" PRIx64, step->bits); /* beyond what a double holds */
        tma_json_text(json, "descriptor", hex);
    } else {
        tma_json_null(json, "descriptor");
        tma_json_text(json, "reason", tma_mma_reason_name(step->why.reason));
    }
    out_json_end(&line);
    return 0;
}

static int answer_json(const tma_mma_question *q, const tma_spec *spec) {
    tma_mma_descriptor d;
    tma_mma_difference difference;
    if (spec && !(q->given >> TMA_MMA_OPTION_DESC & 1)) {
        uint32_t matrix = q->operand.matrix;
        return tma_mma_each_step(q, spec, json_step, &matrix) != 0;
    }
    if (!spec || tma_mma_decode(&d, q->family, q->desc) != TMA_OK) {
        return json_desc(q);
    }
    if (tma_mma_compare(&difference, &d, &q->operand, spec, &q->tile, q->mn0, q->k0) != TMA_OK) {
        cli_say("%s", tma_mma_reason_text(TMA_MMA_REASON_NO_TILE));
        return 1;
    }
    return json_difference(q, &difference);
}

int mma_view(const tma_mma_question *q, const tma_spec *spec, int json) {
    tma_out out = out_to(stdout);
    return json ? answer_json(q, spec) : tma_put_mma_answer(&out, q, spec);
}
