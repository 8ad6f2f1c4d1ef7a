/* SPDX-License-Identifier: Apache-2.0
 *
 * What the words of opcodes mean (qualifiers.def), and which operations there are (operations.def).
 */
#ifndef EMULATOR_WORDS_H
#define EMULATOR_WORDS_H

typedef enum emu_op {
    EMU_OP_UNKNOWN, /* stops the run where it is reached */
#define EMU_OPERATION(id, ...) EMU_OP_##id,
#include "operations.def"
    EMU_OPS
} emu_op;

typedef enum emu_order {
    EMU_NO_ORDER,
#define EMU_ORDER(id, word) EMU_##id,
#include "qualifiers.def"
    EMU_ORDERS
} emu_order;

typedef enum emu_rounding {
    EMU_NO_ROUNDING,
#define EMU_ROUNDING(id, word) EMU_##id,
#include "qualifiers.def"
    EMU_ROUNDINGS
} emu_rounding;

typedef enum emu_compare {
    EMU_NO_COMPARE,
#define EMU_COMPARE(id, word) EMU_COMPARE_##id,
#include "qualifiers.def"
    EMU_COMPARES
} emu_compare;

typedef enum emu_boolean {
    EMU_NO_BOOLEAN,
#define EMU_BOOLEAN(id, word) EMU_BOOLEAN_##id,
#include "qualifiers.def"
    EMU_BOOLEANS
} emu_boolean;

typedef enum emu_operation {
    EMU_NO_OPERATION,
#define EMU_OPERATION_WORD(id, word) EMU_OPERATION_##id,
#include "qualifiers.def"
    EMU_OPERATIONS
} emu_operation;

typedef enum emu_flag_bit {
#define EMU_FLAG(id, word) EMU_FLAG_##id,
#include "qualifiers.def"
    EMU_FLAGS
} emu_flag_bit;

/* Special registers: specials.def. */
typedef enum emu_special {
    EMU_NO_SPECIAL,
#define EMU_SPECIAL(id, name, bits) EMU_SPECIAL_##id,
#include "specials.def"
    EMU_SPECIALS
} emu_special;

/* Functions that a kernel may call without their text: builtins.def. */
typedef enum emu_builtin {
    EMU_NO_BUILTIN,
#define EMU_BUILTIN(id, name) EMU_BUILTIN_##id,
#include "builtins.def"
    EMU_BUILTINS
} emu_builtin;

#endif
