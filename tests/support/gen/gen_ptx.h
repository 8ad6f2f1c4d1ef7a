/* SPDX-License-Identifier: Apache-2.0
 *
 * Random statements of PTX as text, made from words of their own: the plain text, as documents
 * order it, and the same with its qualifiers shuffled and blanks and comments between the pieces.
 */
#ifndef TESTS_GEN_PTX_H
#define TESTS_GEN_PTX_H

#include "support/gen/random.h"

struct ptx_sample {
    char plain[768];
    char messy[4096];
    const char *opcode;
    const char *mode; /* "" where none is written */
    int rank;         /* 0 where there is none */
    int stores;
};

void gen_ptx(struct random_source *random, struct ptx_sample *out);

#endif
