/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel's head and what is in its body, out of its PTX.
 */
#include "kernel_head.h"

#include <string.h>

#include "ptx_constant.h"
#include "ptx_place.h"
#include "tma/detail/chars.h"

/* Elements by the sizes in brackets behind a parameter's name; 1 where there are none, 0: a size
 * is not understood, or there are more than fit. */
static uint64_t elements_of(const tma_ptx_span *name, const char *end) {
    const char *const behind = name->at + name->length;
    tma_ptx_span rest = {behind, (size_t)(end - behind)};
    uint64_t count = 1;
    for (ptx_skip_blanks(&rest); rest.length && *rest.at == '['; ptx_skip_blanks(&rest)) {
        int64_t size = 0;
        rest.at++;
        rest.length--;
        ptx_skip_blanks(&rest);
        if (!ptx_constant_take(&rest, &size) || size < 1 || size > MOST_PARAMETERS_B) {
            return 0;
        }
        ptx_skip_blanks(&rest);
        count *= (uint64_t)size;
        if (!rest.length || *rest.at != ']' || count > MOST_PARAMETERS_B) {
            return 0;
        }
        rest.at++;
        rest.length--;
    }
    return count;
}

/* Where it lies behind those before it; -1: its size is not understood, or it ends too far off. */
static int lay_out(struct kernel_parameter *p, const tma_ptx_variable *v, uint64_t before_B,
                   const char *end) {
    const uint64_t align_B = v->align_B > v->element_B ? v->align_B : v->element_B;
    const uint64_t size_B = v->element_B * elements_of(&v->name, end);
    const uint64_t at = ptx_round_up(before_B, align_B);
    if (!size_B || at + size_B > MOST_PARAMETERS_B) {
        return -1;
    }
    *p = (struct kernel_parameter){v->name, (uint32_t)at, (uint32_t)size_B, (uint32_t)align_B};
    return 0;
}

static void take_parameters(struct kernel_head *to, const tma_ptx_piece *piece) {
    tma_ptx_variable v;
    size_t from = 0;
    while (!to->not_laid_out.length && tma_ptx_variable_of(&v, &from, piece)) {
        struct kernel_parameter p;
        if (to->parameters == MOST_PARAMETERS ||
            lay_out(&p, &v, to->size_B, piece->at + piece->size)) {
            to->not_laid_out = v.name;
        } else {
            to->parameter[to->parameters++] = p;
            to->size_B = p.offset_B + p.size_B;
        }
    }
}

int kernel_head_of(struct kernel_head *to, const char *text, size_t text_B, const char *name) {
    tma_ptx_reader reader = tma_ptx_reader_of(text, text_B);
    tma_ptx_piece piece;
    tma_ptx_parts parts;
    tma_ptx_span function;
    int is_entry = 0, found = 0, inside = 0, calls = 0, others_copy = 0;
    memset(to, 0, sizeof(*to));
    while (tma_ptx_next(&reader, &piece)) {
        if (piece.kind == TMA_PTX_PIECE_DIRECTIVE &&
            tma_ptx_function_of(&function, &is_entry, &piece)) {
            inside = is_entry && !found && text_is(function.at, function.length, name);
            if (inside) {
                to->name = function;
                take_parameters(to, &piece);
                found = 1;
            }
        } else if (piece.kind == TMA_PTX_PIECE_INSTRUCTION && (inside || !is_entry) &&
                   !tma_ptx_split(&parts, &piece)) {
            const int copies = tma_ptx_is(&parts, "cp", "bulk");
            to->has_copies |= inside && copies;
            others_copy |= !inside && copies;
            calls |= inside && tma_ptx_is(&parts, "call", NULL);
        }
    }
    to->has_copies |= calls && others_copy;
    return found;
}
