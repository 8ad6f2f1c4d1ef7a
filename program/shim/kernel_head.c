/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel's head and what is in its body, out of its PTX.
 */
#include "kernel_head.h"

#include <string.h>

#include "tma/detail/chars.h"

static uint32_t round_up(uint32_t number, uint32_t step) {
    return step ? (number + step - 1) / step * step : number;
}

/* What stands in the brackets behind a parameter's name; 1 where there are none. */
static uint32_t elements_of(const tma_ptx_span *name, const char *end) {
    const char *at = name->at + name->length;
    uint32_t count = 0;
    while (at < end && text_is_space(*at)) {
        at++;
    }
    if (at == end || *at != '[') {
        return 1;
    }
    for (at++; at < end && *at != ']'; at++) {
        count = text_is_digit(*at) ? 10 * count + (uint32_t)(*at - '0') : count;
    }
    return count;
}

static void take_parameters(struct kernel_head *to, const tma_ptx_piece *piece) {
    tma_ptx_variable v;
    size_t from = 0;
    while (tma_ptx_variable_of(&v, &from, piece)) {
        const uint32_t align_B = v.align_B > v.element_B ? v.align_B : v.element_B;
        const struct kernel_parameter p = {.name = v.name,
                                           .offset_B = round_up(to->size_B, align_B),
                                           .size_B = v.element_B *
                                                     elements_of(&v.name, piece->at + piece->size),
                                           .align_B = align_B};
        if (to->parameters < MOST_PARAMETERS) {
            to->parameter[to->parameters] = p;
        }
        to->parameters++;
        to->size_B = p.offset_B + p.size_B;
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
