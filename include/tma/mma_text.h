/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix descriptors in words: what is asked, what 64 bits say, why there are none, what differs.
 */
#ifndef TMA_MMA_TEXT_H
#define TMA_MMA_TEXT_H

#include "mma.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_mma_option {
#define MMA_OPTION(id, ...) TMA_MMA_OPTION_##id,
#include "mma_options.def"
    TMA_MMA_OPTIONS
} tma_mma_option;

/* "desc"; null from TMA_MMA_OPTIONS on. */
TMA_EXPORT const char *tma_mma_option_name(size_t option);

/* What is asked of a map and an MMA. Zero it, set what is said, finish it; finished, it points into
 * itself. */
typedef struct tma_mma_question {
    uint64_t desc TMA_ZERO;  /* or the zero-column mask */
    uint32_t given TMA_ZERO; /* bit n: option n was set */
    uint32_t m_el TMA_ZERO;  /* the instruction's shape */
    uint32_t n_el TMA_ZERO;
    uint32_t k_el TMA_ZERO;
    uint32_t family TMA_ZERO; /* tma_mma_family */
    uint32_t sm TMA_ZERO;     /* of the target, 0: none was named */
    uint32_t mn0 TMA_ZERO;    /* the first element of the tile that `desc` is to read */
    uint32_t k0 TMA_ZERO;
    tma_mma_operand operand;
    tma_mma_tile tile;
    tma_mma_placed placed[TMA_MMA_PLACED]; /* tile.placed_count of them */
} tma_mma_question;

/* Takes one option and its value. */
TMA_EXPORT TMA_MUST_USE int tma_mma_words_set(tma_mma_question *question, tma_mma_option option,
                                              const char *value, tma_error *error);

/* Settles what was not said: the family by the target (null: wgmma), the element type by the map
 * (null: none), shape m64n128k16 with the type's k, the tile at 0x400. */
TMA_EXPORT TMA_MUST_USE int tma_mma_words_finish(tma_mma_question *question, const tma_spec *spec,
                                                 const tma_target *target, tma_error *error);

/* Takes "NAME=VALUE" of mma_readings.def into tma_mma_operand.readings; `what` is what an error
 * calls it. */
TMA_EXPORT TMA_MUST_USE int tma_read_mma_reading(uint32_t *readings, const char *text,
                                                 const char *what, tma_error *error);

/* Writes the options that were given: " --desc 0x... --operand B". */
TMA_EXPORT void tma_put_mma_options(tma_out *out, const tma_mma_question *question);

/* True if the question asks of no map: of a descriptor's bits, or a zero-column mask's. */
TMA_EXPORT bool tma_mma_is_alone(const tma_mma_question *question);

/* A descriptor for one step of the instruction through a tile, or why there is none. */
typedef struct tma_mma_step {
    uint32_t mn; /* of the tile, where the instruction begins */
    uint32_t k;
    uint32_t exists;
    uint64_t bits; /* if it exists */
    tma_mma_descriptor descriptor;
    tma_mma_why why;
} tma_mma_step;

/* Returns 0 to go on. */
typedef int (*tma_mma_visitor)(void *context, const tma_mma_step *step);

/* Visits all steps of the tile, k first, and ends at the first step that has no descriptor.
 * Returns 0, what the visitor returned, or -1 where a step has no descriptor. */
TMA_EXPORT TMA_MUST_USE int tma_mma_each_step(const tma_mma_question *question,
                                              const tma_spec *spec, tma_mma_visitor visit,
                                              void *context);

/* What is odd or wrong about the descriptor of a finished question, or about those of all steps
 * through the map's tile: bit n for rule n of mma_rules.def, as tma_mma_judge() has it. */
TMA_EXPORT uint32_t tma_mma_words_judge(const tma_mma_question *question, const tma_spec *spec);

/* True if one of these rules says that no instruction reads such an operand. */
TMA_EXPORT bool tma_mma_is_wrong(uint32_t said);

/* What `tma mma` says of a finished question: with a map (null: none) the descriptors of all steps,
 * or whether the given one reads what the copy left; without, what the given one says. Returns 1
 * for a difference, no descriptor and what is wrong; without a map for what is odd, too. */
TMA_EXPORT int tma_put_mma_answer(tma_out *out, const tma_mma_question *question,
                                  const tma_spec *spec);

/* A line for each field: its bits, name, number, meaning. */
TMA_EXPORT void tma_put_mma_fields(tma_out *out, uint32_t family, uint64_t bits);
/* A zero-column mask's fields and columns, for the question's m, n and readings. Returns 1 if there
 * is something wrong or odd. */
TMA_EXPORT int tma_put_mma_zero_mask(tma_out *out, uint64_t bits, const tma_mma_question *question);
/* "start 0x400, leading 16 B, stride 1024 B, base offset 0, swizzle 128B" */
TMA_EXPORT void tma_put_mma_descriptor(tma_out *out, const tma_mma_descriptor *descriptor);
/* A line for each rule of tma_mma_judge(): "odd  mma-base-offset: ...". */
TMA_EXPORT void tma_put_mma_said(tma_out *out, uint32_t said);
/* Writes two sentences: why there is no descriptor, and what would help. */
TMA_EXPORT void tma_put_mma_why(tma_out *out, const tma_mma_why *why);
/* One sentence: that all agree, or which is the first element that does not, what is read instead,
 * and, of several copies, which of them brought it. (mn0, k0) is the operand's first element of the
 * tile. */
TMA_EXPORT void tma_put_mma_difference(tma_out *out, const tma_mma_difference *difference,
                                       const tma_mma_operand *operand, uint32_t mn0, uint32_t k0);

#ifdef __cplusplus
}
#endif
#endif
