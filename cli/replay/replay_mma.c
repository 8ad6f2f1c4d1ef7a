/* SPDX-License-Identifier: Apache-2.0
 *
 * Case lines of MMAs: where each element of an operand is read through a matrix descriptor.
 */
#include <string.h>

#include "replay_kinds.h"
#include "tma/mma_text.h"

/* desc, operand, major, shape and type: the words of tma mma's options. */
static int take(tma_mma_question *question, tma_target_words *target, const tma_case_field *field,
                tma_error *error) {
    if (!strcmp(field->key, tma_target_option_name(TMA_TARGET_ARCH))) {
        return tma_target_words_set(target, field->key, field->value, error);
    }
    for (size_t i = 0; tma_mma_option_name(i); i++) {
        if (!strcmp(field->key, tma_mma_option_name(i))) {
            return tma_mma_words_set(question, (tma_mma_option)i, field->value, error);
        }
    }
    return tma_fail(error, "unknown field '%.80s'", field->key);
}

int replay_wgmma(const replay_request *request, tma_out *out, tma_error *error) {
    const tma_case *line = request->line;
    tma_target_words target = {.target = request->target};
    tma_mma_question question = {0};
    tma_mma_descriptor d;
    for (size_t i = 0; i < line->request; i++) {
        if (take(&question, &target, &line->fields[i], error)) {
            return -1;
        }
    }
    if (!(question.given >> TMA_MMA_OPTION_DESC & 1)) {
        return tma_fail(error, "desc= is missing");
    }
    if (tma_mma_words_finish(&question, NULL, &target.target, error)) {
        return -1;
    }
    if (tma_mma_decode(&d, question.family, question.desc) != TMA_OK) {
        return tma_fail(error, "desc: its swizzle code is none of tcgen05's");
    }
    const tma_mma_operand *o = &question.operand;
    for (uint32_t i = 0; i < o->mn_el * o->k_el; i++) {
        const tma_mma_place at = tma_mma_read(&d, o, i / o->k_el, i % o->k_el);
        tma_putf(out, i ? ",%u" : " read=%u", (unsigned)at.address_B);
    }
    return 0;
}
