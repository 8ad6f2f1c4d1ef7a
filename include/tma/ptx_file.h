/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX files, cut into statements. Part of libtma-text.
 *
 * A reader goes through the text once and hands out its pieces in order: comments, blanks, debug
 * sections, vector braces and strings do not confuse it, nor do several statements on a line or one
 * on many. Text around PTX (cuobjdump -ptx prints some) comes out as pieces of unknown kind.
 *
 * Pure functions, as in ptx.h. Pieces point into the text.
 */
#ifndef TMA_PTX_FILE_H
#define TMA_PTX_FILE_H

#include "ptx.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_ptx_piece_kind {
    TMA_PTX_PIECE_INSTRUCTION, /* with its guard and semicolon */
    TMA_PTX_PIECE_DIRECTIVE,   /* .version 8.0; .reg .b32 %r<4>; .visible .entry k(...) */
    TMA_PTX_PIECE_LABEL,       /* the name, without its colon */
    TMA_PTX_PIECE_OPEN,        /* { that opens a block */
    TMA_PTX_PIECE_CLOSE,       /* } */
    TMA_PTX_PIECE_UNKNOWN      /* preprocessor lines, text that ends in no semicolon */
} tma_ptx_piece_kind;

typedef struct tma_ptx_piece {
    const char *at;
    size_t size;
    size_t line; /* from 1, of its first byte */
    tma_ptx_piece_kind kind;
} tma_ptx_piece;

typedef struct tma_ptx_reader {
    const char *text;
    size_t size;
    size_t at;
    size_t line;
    size_t depth; /* of blocks */
} tma_ptx_reader;

/* A reader at the start of a text, which must stay as long as what is read. */
TMA_EXPORT tma_ptx_reader tma_ptx_reader_of(const char *text, size_t size);

/* Reads the next piece; false at the end. */
TMA_EXPORT bool tma_ptx_next(tma_ptx_reader *reader, tma_ptx_piece *piece);

/* A part of a piece, not terminated. */
typedef struct tma_ptx_span {
    const char *at;
    size_t length;
} tma_ptx_span;

/* Any instruction or directive in its parts. */
#define TMA_PTX_PARTS 8
typedef struct tma_ptx_parts {
    tma_ptx_span guard;  /* the predicate's name, or length 0 */
    tma_ptx_span opcode; /* with its qualifiers: "mbarrier.arrive.expect_tx.shared::cta.b64" */
    int negated;
    uint32_t count; /* of operands; those beyond TMA_PTX_PARTS are counted only */
    tma_ptx_span operand[TMA_PTX_PARTS];
} tma_ptx_parts;

/* Cuts an instruction at its commas outside of brackets. 0, or -1 if it has no opcode. */
TMA_EXPORT int tma_ptx_split(tma_ptx_parts *parts, const tma_ptx_piece *piece);

/* Whether the opcode begins with a word and has a qualifier ("mbarrier", "expect_tx"); a null
 * qualifier is always there. */
TMA_EXPORT bool tma_ptx_is(const tma_ptx_parts *parts, const char *first, const char *qualifier);

/* One operand: a register, a symbol, a number, or either in brackets (*bracketed, may be null, says
 * so). Anything else is an expression. */
TMA_EXPORT tma_ptx_operand tma_ptx_operand_of(tma_ptx_span span, int *bracketed);

/* Takes the next name out of a span: letters, digits, _, $, %; what stands before it is skipped.
 * Length 0: there is none. */
TMA_EXPORT tma_ptx_span tma_ptx_next_name(tma_ptx_span *span);

/* .loc: where the next instructions come from. */
typedef struct tma_ptx_loc {
    uint32_t file, line, column;
    int inlined; /* whether the members below say where it was inlined at */
    uint32_t at_file, at_line, at_column;
} tma_ptx_loc;

/* Whether the directive is a .loc, a .file, a .version, a .target or a function's head, and what
 * it says if it is. The name of .file keeps its escapes. `version` is 86 for 8.6. */
TMA_EXPORT bool tma_ptx_loc_of(tma_ptx_loc *loc, const tma_ptx_piece *piece);
TMA_EXPORT bool tma_ptx_file_of(uint32_t *number, tma_ptx_span *name, const tma_ptx_piece *piece);
TMA_EXPORT bool tma_ptx_version_of(uint32_t *version, const tma_ptx_piece *piece);
TMA_EXPORT bool tma_ptx_target_of(tma_ptx_span *name, const tma_ptx_piece *piece);
TMA_EXPORT bool tma_ptx_function_of(tma_ptx_span *name, int *is_entry, const tma_ptx_piece *piece);

/* A declaration of memory, in a directive or a function's head: .shared, .global, .const, .param,
 * .local. Called again with *from (0 at first) and with what it gave, it gives the next one of the
 * piece. */
typedef struct tma_ptx_variable {
    tma_ptx_span name;
    tma_ptx_span space;  /* "shared" */
    uint32_t align_B;    /* as .align says; 1 if it does not */
    uint32_t element_B;  /* of .b8, .u64 ...; 0 where it is not understood */
    uint64_t size_B;     /* of all elements; 0 where a size is left open, or is no number */
    tma_ptx_span values; /* of an initialiser, without its outer braces; length 0: none */
} tma_ptx_variable;

/* The next variable that a piece declares, from *from on; 0 after the last. */
TMA_EXPORT bool tma_ptx_variable_of(tma_ptx_variable *variable, size_t *from,
                                    const tma_ptx_piece *piece);

#ifdef __cplusplus
}
#endif
#endif
