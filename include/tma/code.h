/* SPDX-License-Identifier: Apache-2.0
 *
 * A spec as source text: the call that makes its map, in the words of those who make maps.
 */
#ifndef TMA_CODE_H
#define TMA_CODE_H

#include "grammar.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_code_form {
    TMA_CODE_CUDA,          /* C or C++, cuda.h's encode call; arrays innermost first */
    TMA_CODE_C,             /* C, tma_encode() of this library */
    TMA_CODE_CUDA_BINDINGS, /* Python, cuda.bindings.driver; lists innermost first */
    TMA_CODE_CUDA_CORE,     /* Python, cuda.core 1.2; tuples outermost first */
    TMA_CODE_FORMS
} tma_code_form;

/* The name of a form: "cuda", "c", "cuda-bindings" or "cuda-core"; null from TMA_CODE_FORMS on. */
TMA_EXPORT const char *tma_code_form_name(size_t form);

/* Why the form has no words for this spec ("cuda.core makes tiled maps alone ..."), or null if it
 * has. A spec that the driver refuses has words too. */
TMA_EXPORT const char *tma_code_unfit(const tma_spec *spec, tma_code_form form);

/* The lines, each with its newline; nothing where the form has no words for the spec. */
TMA_EXPORT void tma_put_code(tma_out *out, const tma_spec *spec, const tma_target *target,
                             tma_code_form form);

#ifdef __cplusplus
}
#endif

#endif
