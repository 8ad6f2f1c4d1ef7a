/* SPDX-License-Identifier: Apache-2.0
 *
 * A finding in words.
 */
#include "put.h"
#include "tma/check.h"
#include "tma/instruction.h"

static void put_enumerator(tma_text *text, tma_enum_kind kind, uint64_t number) {
    const tma_enum_row *row = number <= UINT32_MAX ? tma_enum_row_of(kind, (uint32_t)number) : NULL;
    tma_put_u64(text, number);
    if (row) {
        tma_put_word(text, " (");
        tma_put_word(text, row->name);
        tma_put_char(text, ')');
    }
}

static void put_word(tma_text *text, uint64_t number, const char *word) {
    if (word) {
        tma_put_word(text, word);
    } else {
        tma_put_u64(text, number);
    }
}

/* The enumeration whose number the argument is, TMA_ENUM_KINDS if it is none. */
static tma_enum_kind enumeration_of(uint32_t argument) {
    switch (argument) {
    case TMA_ARG_API:
        return TMA_ENUM_API;
    case TMA_ARG_DTYPE:
        return TMA_ENUM_DTYPE;
    case TMA_ARG_INTERLEAVE:
        return TMA_ENUM_INTERLEAVE;
    case TMA_ARG_SWIZZLE:
        return TMA_ENUM_SWIZZLE;
    case TMA_ARG_L2:
        return TMA_ENUM_L2;
    case TMA_ARG_FILL:
        return TMA_ENUM_FILL;
    case TMA_ARG_WIDE_MODE:
        return TMA_ENUM_WIDE_MODE;
    default:
        return TMA_ENUM_KINDS;
    }
}

static void put_version(tma_text *text, uint64_t major, uint64_t minor) {
    tma_put_u64(text, major);
    tma_put_char(text, '.');
    tma_put_u64(text, minor);
}

/* A number in the words of an argument. */
static void put_argument(tma_text *text, uint32_t argument, uint64_t number) {
    if (enumeration_of(argument) < TMA_ENUM_KINDS) {
        put_enumerator(text, enumeration_of(argument), number);
        return;
    }
    switch (argument) {
    case TMA_ARG_ADDRESS:
    case TMA_ARG_SHARED:
    case TMA_ARG_MEMORY:
    case TMA_ARG_CTA_MASK:
    case TMA_ARG_BARRIER:
    case TMA_ARG_FAR:
        tma_put_hex(text, number);
        break;
    case TMA_ARG_LOWER:
    case TMA_ARG_UPPER:
    case TMA_ARG_COORD:
        tma_put_i64(text, (int64_t)number);
        break;
    case TMA_ARG_ARCH:
        tma_put_word(text, "sm_");
        tma_put_u64(text, number);
        break;
    case TMA_ARG_OPERATION:
        put_word(text, number, number < TMA_OPS ? tma_op_name((uint32_t)number) : NULL);
        break;
    case TMA_ARG_MODE:
        put_word(text, number, number < TMA_MODES ? tma_mode_name((uint32_t)number) : NULL);
        break;
    case TMA_ARG_SPEC:
    case TMA_ARG_PLAN:
    case TMA_ARG_POSITION:
    case TMA_ARG_INSTRUCTION:
    case TMA_ARG_WINDOW:
    case TMA_ARG_OUT:
    case TMA_ARG_GLOBAL:
    case TMA_ARG_EDIT:
        tma_put_word(text, "null"); /* nothing else is found about these */
        break;
    case TMA_ARG_PTX:
        put_version(text, number / 10, number % 10);
        break;
    case TMA_ARG_DRIVER:
        put_version(text, number / 1000, number % 1000 / 10);
        break;
    default:
        tma_put_u64(text, number);
    }
}

static int is_enumerated(uint32_t argument) {
    return argument == TMA_ARG_API || argument == TMA_ARG_DTYPE || argument == TMA_ARG_PTX ||
           argument == TMA_ARG_OPERATION || argument == TMA_ARG_MODE ||
           (argument >= TMA_ARG_INTERLEAVE && argument <= TMA_ARG_DRIVER);
}

/* A value or limit in its unit. Pixels and coordinates are signed. Addresses are in hex; but a
 * small limit of an address is an alignment, and that is a number of bytes. */
static void put_measured(tma_text *text, const tma_finding *f, uint64_t number, int is_limit) {
    if (f->unit == TMA_UNIT_PX || f->argument == TMA_ARG_COORD) {
        tma_put_i64(text, (int64_t)number);
    } else if (f->unit == TMA_UNIT_ADDRESS && !(is_limit && number <= 1024)) {
        tma_put_hex(text, number);
    } else if (f->unit == TMA_UNIT_NONE && is_enumerated(f->argument)) {
        put_argument(text, f->argument, number);
    } else {
        tma_put_u64(text, number);
    }
    const char *unit =
        f->unit == TMA_UNIT_ADDRESS && is_limit && number <= 1024 ? "B" : tma_unit_name(f->unit);
    if (*unit) {
        tma_put_char(text, ' ');
        tma_put_word(text, unit);
    }
}

/* What a number that no memory has is most likely. */
static void put_suspicion(tma_text *text, const tma_finding *f) {
    if ((f->argument != TMA_ARG_DIM && f->argument != TMA_ARG_STRIDE) ||
        f->given < TMA_VALUE(ADDRESS)) {
        return;
    }
    if (f->given >> 63) {
        tma_put_word(text, " (negative: ");
        tma_put_i64(text, (int64_t)f->given);
        tma_put_char(text, ')');
    } else {
        tma_put_word(text, " (an overflow on its way?)");
    }
}

static void put_given(tma_text *text, const tma_finding *f) {
    if (f->argument == TMA_ARG_MAP && f->unit == TMA_UNIT_ADDRESS) {
        tma_put_hex(text, f->given);
    } else {
        put_argument(text, f->argument, f->given);
    }
}

size_t tma_finding_given(char *buffer, size_t size, const tma_finding *f) {
    tma_text text = tma_text_in(buffer, size);
    if (f) {
        put_given(&text, f);
    }
    return text.length;
}

size_t tma_finding_text(char *buffer, size_t size, const tma_finding *f) {
    tma_text text = tma_text_in(buffer, size);
    const tma_rule *rule = f ? tma_rule_of(f->rule) : NULL;
    if (!rule) {
        return 0;
    }
    if (f->rule == TMA_RULE_MEMORY_SHARED) {
        tma_put_word(&text, "a byte's "); /* the copy's first or last, not where it begins */
    }
    tma_put_word(&text, tma_argument_name(f->argument));
    if (f->index >= 0) {
        tma_put_char(&text, '[');
        tma_put_u64(&text, (uint64_t)f->index);
        tma_put_char(&text, ']');
    }
    tma_put_word(&text, " = ");
    put_given(&text, f);
    put_suspicion(&text, f);
    if (f->value != f->given) {
        tma_put_word(&text, ": ");
        put_measured(&text, f, f->value, 0);
    }
    if (f->relation != TMA_MUST_NOT_BE) {
        tma_put_word(&text, f->rule == TMA_RULE_CORNER_STORE         ? ", for a store "
                            : f->severity == TMA_SEVERITY_SURPRISING ? ", usually "
                                                                     : ", must be ");
        tma_put_word(&text, tma_relation_name(f->relation));
        tma_put_char(&text, ' ');
        put_measured(&text, f, f->limit, 1);
    }
    if (f->has_legal) {
        tma_put_word(&text, " (e.g. ");
        put_argument(&text, f->argument, f->legal);
        tma_put_char(&text, ')');
    }
    tma_put_word(&text, ": ");
    tma_put_word(&text, rule->statement);
    return text.length;
}
