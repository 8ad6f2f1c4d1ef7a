/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel does with its parameters, as far as its instructions say it without running.
 */
#ifndef EMULATOR_SESSION_USES_H
#define EMULATOR_SESSION_USES_H

#include "program.h"
#include "run_session.h"

#define SESSION_FIELDS 64

/* A part of a parameter that the kernel loads, or of which it takes the address. */
typedef struct session_field {
    uint32_t parameter, offset_B;
    uint32_t size_B; /* of loads; 0: there is none */
    uint8_t is_float;
    uint8_t is_pointer; /* what it holds is used as an address */
    uint8_t is_map;     /* a map that copies read; */
    uint8_t is_held;    /* or what it holds is a map's address */
    uint8_t rank, is_im2col, is_rows4;
} session_field;

typedef struct session_uses {
    session_field field[SESSION_FIELDS];
    uint32_t fields;
    uint8_t has_dynamic; /* the kernel names .extern .shared memory */
    uint32_t static_B;   /* of its other shared variables, with their alignment */
} session_uses;

/* 0; or -1: there is no memory. */
int session_uses_of(session_uses *out, const session *s);

#endif
