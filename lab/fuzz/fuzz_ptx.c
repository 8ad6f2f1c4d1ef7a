/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a PTX file: every statement is read or named as wrong; what was read is printed as
 * plain ASCII, and reading that gives the same text again. Pieces do not overlap and leave out only
 * what may stand between them.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include "support/gen/ptx_pieces.h"
#include "tma/ptx.h"

#define LONGEST 65536

static void demand_plain(const char *text) {
    for (; *text; text++) {
        DEMAND(*text >= ' ' && *text <= '~');
    }
}

static size_t print(const tma_ptx_statement *s, char *text, size_t size) {
    tma_out out = tma_out_into(text, size);
    tma_ptx_print(&out, s);
    return out.length;
}

static void judge(const tma_ptx_statement *s) {
    static const tma_target targets[] = {{.sm = 90, .suffix = 'a', .driver = 13000},
                                         {.sm = 120, .driver = 13000}};
    for (size_t i = 0; i < 2; i++) {
        tma_position at = {.coord = {0}};
        tma_finding why;
        const char *but = NULL;
        const uint32_t unknown = tma_ptx_position(&at, s);
        const tma_status status = tma_ptx_judge(s, &at, unknown, &targets[i], &why, &but);
        DEMAND(status == TMA_OK || status == TMA_TRAP);
        fuzz_said_text(status == TMA_OK ? "" : tma_trap_name(&why));
        fuzz_said_text(but);
        for (size_t n = 0; tma_ptx_lacks(s, &targets[i], 80, n, NULL); n++) {
            DEMAND(n < 32);
        }
    }
}

static void take_statement(const tma_ptx_piece *piece) {
    static char text[2 * LONGEST];
    static char again[2 * LONGEST];
    tma_ptx_statement s;
    tma_error error = {0, ""};
    if (tma_ptx_parse(&s, piece->at, piece->size, &error)) {
        DEMAND(error.text[0]);
        demand_plain(error.text);
        fuzz_said_text(error.text);
        return;
    }
    if (s.kind == TMA_PTX_OTHER) {
        return;
    }
    const size_t length = print(&s, text, sizeof(text));
    DEMAND(length < sizeof(text));
    demand_plain(text);
    fuzz_said_text(text);
    judge(&s);
    tma_ptx_statement read;
    DEMAND(tma_ptx_parse(&read, text, length, &error) == TMA_OK);
    DEMAND(print(&read, again, sizeof(again)) == length && !memcmp(text, again, length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    const char *end = text;
    size = size < LONGEST ? size : LONGEST;
    tma_ptx_reader reader = tma_ptx_reader_of(text, size);
    tma_ptx_piece piece;
    while (tma_ptx_next(&reader, &piece)) {
        DEMAND(piece.at >= end && piece.size && piece.at + piece.size <= text + size);
        end = piece.at + piece.size;
        take_statement(&piece);
        if (piece.kind == TMA_PTX_PIECE_DIRECTIVE) {
            DEMAND(ptx_piece_as_directive(&piece));
        } else if (piece.kind == TMA_PTX_PIECE_INSTRUCTION) {
            DEMAND(ptx_piece_as_instruction(&piece));
        }
    }
    return 0;
}
