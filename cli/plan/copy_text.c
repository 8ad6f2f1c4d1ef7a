/* SPDX-License-Identifier: Apache-2.0
 *
 * The instruction of tma plan as PTX text.
 */
#include <string.h>

#include "copy_args.h"
#include "tma/ptx.h"

/* What --coord and --offset give, and what the text has: a number of the text counts. */
static int fill(const tma_ptx_operand *list, uint32_t count, uint32_t given, const char *what,
                const char *option, tma_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].kind != TMA_PTX_NUMBER && i >= given) {
            return tma_fail(error,
                            "%s %u is %.*s in the text: give %s with its value in place %u (what "
                            "the text says itself counts)",
                            what, i, (int)list[i].length, list[i].name, option, i);
        }
    }
    return given > count
               ? tma_fail(error, "%s has %u entries; the text takes %u", option, given, count)
               : 0;
}

int copy_args_text(copy_args *args, const char *text, tma_error *error) {
    const uint32_t operands = 1u << TMA_COPY_COORD | 1u << TMA_COPY_OFFSET | 1u << TMA_COPY_HALO |
                              1u << TMA_COPY_W_OFFSET | 1u << TMA_COPY_SHARED;
    tma_ptx_statement s;
    tma_error why;
    if (args->asked.copy_given & ~operands) {
        return tma_fail(error,
                        "the text says what the instruction is: of a copy's options --coord, "
                        "--offset, --w-halo, --w-offset and --shared alone go with it");
    }
    if (tma_ptx_parse(&s, text, strlen(text), &why)) {
        return tma_fail(error, "%s", why.text);
    }
    if (s.kind == TMA_PTX_OTHER || s.kind > TMA_PTX_PREFETCH) {
        return tma_fail(error, "'%.80s' is no copy in PTX: %s, %s or %s (a map goes after --map)",
                        text, tma_ptx_kind_name(TMA_PTX_COPY), tma_ptx_kind_name(TMA_PTX_REDUCE),
                        tma_ptx_kind_name(TMA_PTX_PREFETCH));
    }
    const uint32_t wide = args->asked.copy.has_offset ? 2 : args->asked.copy.has_halo ? 1 : 0;
    const uint32_t offsets = args->asked.copy.offsets ? args->asked.copy.offsets : wide;
    if (fill(s.coord, s.coords, args->asked.copy.coords, "coordinate", "--coord", error) ||
        fill(s.offset, s.offsets, offsets, "im2col offset", "--offset", error)) {
        return -1;
    }
    if (s.mask.kind && s.mask.kind != TMA_PTX_NUMBER) {
        return tma_fail(error, "the ctaMask is %.*s: write its value there, e.g. 0x3",
                        (int)s.mask.length, s.mask.name);
    }
    if (!tma_ptx_override(&args->asked.copy.override, &s)) {
        return tma_fail(error, "an operand of .override is a register: write its value there");
    }
    args->asked.copy.in = s.in;
    args->asked.copy.has_mode = 1;
    args->text = text;
    tma_ptx_position(&args->asked.copy.at, &s);
    return 0;
}
