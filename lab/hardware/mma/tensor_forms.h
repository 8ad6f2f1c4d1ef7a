/* SPDX-License-Identifier: Apache-2.0
 *
 * What the part tcgen05 asks: forms of tcgen05.mma, random products of them, and the kernel that a
 * GPU and the emulator execute.
 */
#ifndef HARDWARE_TENSOR_FORMS_H
#define HARDWARE_TENSOR_FORMS_H

#include "session.h"
#include "support/gen/random.h"

#define TENSOR_JOBS   16 /* products of one launch, each in a CTA or a pair */
#define TENSOR_CTAS   2
#define TENSOR_CELLS  8 /* columns of each of D's 128 lanes that are kept */
#define TENSOR_TEXT_B 16384

/* Shared memory, which is filled from the image: A, then B. The second CTA of a pair begins so much
 * further on in the image. */
#define TENSOR_A_B     16384u
#define TENSOR_SHIFT_B 2048u
#define TENSOR_B_FROM  (TENSOR_A_B + TENSOR_SHIFT_B)
#define TENSOR_SHARED  (TENSOR_B_FROM + 24576u)
#define TENSOR_IMAGE_B (TENSOR_SHARED + TENSOR_SHIFT_B)

typedef struct tensor_form {
    uint8_t kind; /* tma_idesc_kind */
    uint8_t is_nvf4, ctas, is_ws, from_tensor, scales, is_sparse;
} tensor_form;

/* A lane of tensor memory before the product: what all of D's columns hold, A, scale factors (of A
 * 4 words, of B 8), metadata. */
typedef struct tensor_lane_words {
    uint32_t d, unused[3], a[8], scale_a[4], scale_b[8], metadata[4], more[4];
} tensor_lane_words;

/* A product: descriptors but for the shared memory's address. */
typedef struct tensor_job {
    uint64_t a, b;
    uint32_t idesc;
    uint32_t column; /* of D, from which on TENSOR_CELLS are kept */
    uint32_t adds, lane;
    uint32_t disabled[4 * TENSOR_CTAS];
    uint32_t metadata, unused[3];
} tensor_job;

/* What the kernel is given. */
typedef struct tensor_input {
    uint8_t image[TENSOR_IMAGE_B];
    tensor_job job[TENSOR_JOBS];
    tensor_lane_words lane[128 * TENSOR_CTAS];
} tensor_input;

/* What it leaves: of each job, CTA and lane. */
typedef uint32_t tensor_output[TENSOR_JOBS * TENSOR_CTAS][128][TENSOR_CELLS];

typedef struct tensor_case {
    tensor_form form;
    uint32_t a_type, b_type, d_type; /* tma_mma_type_id; as the descriptor stores it */
    uint32_t issuer, scale_d;
    tensor_input input;
} tensor_case;

/* Those that a chip has; false from the last on. */
int tensor_form_at(tensor_form *form, const tma_target *target, size_t index);

/* "sp.cta_group::1.kind::f16", as it stands behind tcgen05.mma */
void tensor_form_words(char *out, size_t size, const tensor_form *form);

void tensor_case_draw(tensor_case *c, const tensor_form *form, const tma_target *target,
                      uint64_t seed);

/* The kernel for a chip. */
void tensor_kernel(char out[TENSOR_TEXT_B], const tensor_case *c, const tma_target *target);

/* Executes it by the emulator; null, or why it does not run. */
const char *tensor_emulate(const tensor_case *c, const char *text, tensor_output out);

#endif
