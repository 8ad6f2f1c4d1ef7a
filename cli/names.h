/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of enumerators, fields and rules: found, or the right ones listed.
 */
#ifndef CLI_NAMES_H
#define CLI_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "cli_error.h"
#include "tma/spec.h"

/* A name of this library, of cuda.h or of PTX, or a driver's number, right or wrong. */
int name_enum(tma_enum_kind kind, const char *text, const char *what, uint32_t *out,
              cli_error *error);

/* "sm_100a" or "100a". */
int name_arch(const char *text, const char *what, tma_target *out, cli_error *error);

/* The i-th of some names, null behind the last. */
typedef const char *(*name_at)(size_t i);

/* Says that `text` is none of the names, which it lists, the nearest one first. Returns -1. */
int name_unknown(const char *text, const char *what, name_at names, cli_error *error);

/* The row's name for a driver number, or the number itself, in the caller's buffer. */
const char *name_of(tma_enum_kind kind, uint32_t number, char buffer[16]);

#endif
