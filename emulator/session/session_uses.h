/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel does with its parameters, as far as its instructions say it without running.
 */
#ifndef EMULATOR_SESSION_USES_H
#define EMULATOR_SESSION_USES_H

#include "program.h"
#include "session.h"

typedef struct session_uses {
    uint64_t pointer;        /* bit n: parameter n's value is an address of global memory */
    uint64_t map;            /* its own bytes are a map that copies read */
    uint64_t pointer_to_map; /* it points to one */
    uint8_t rank[SESSION_MOST_PARAMS];
    uint8_t is_im2col[SESSION_MOST_PARAMS];
    uint8_t has_dynamic; /* the kernel names .extern .shared memory */
    uint32_t static_B;   /* of its other shared variables, with their alignment */
} session_uses;

/* 0; or -1: there is no memory. */
int session_uses_of(session_uses *out, const session *s);

#endif
