/* SPDX-License-Identifier: Apache-2.0
 *
 * What a printed call leaves out: what that means for its judgement, and for the command that asks
 * again.
 */
#include "tma/detail/chars.h"
#include "tma/grammar.h"
#include "tma/paste.h"

/* Arguments of the calls, those that a text may leave out. */
#define CAN_BE_MISSING                                                                             \
    (TMA_PASTE_BIT(TMA_ARG_DTYPE) | TMA_PASTE_BIT(TMA_ARG_ADDRESS) | TMA_PASTE_BIT(TMA_ARG_DIM) |  \
     TMA_PASTE_BIT(TMA_ARG_STRIDE) | TMA_PASTE_BIT(TMA_ARG_BOX) | TMA_PASTE_BIT(TMA_ARG_LOWER) |   \
     TMA_PASTE_BIT(TMA_ARG_UPPER) | TMA_PASTE_BIT(TMA_ARG_CHANNELS) |                              \
     TMA_PASTE_BIT(TMA_ARG_PIXELS) | TMA_PASTE_BIT(TMA_ARG_INTERLEAVE) |                           \
     TMA_PASTE_BIT(TMA_ARG_SWIZZLE) | TMA_PASTE_BIT(TMA_ARG_L2) | TMA_PASTE_BIT(TMA_ARG_FILL))

bool tma_paste_has(const tma_paste *paste, uint32_t argument) {
    const tma_spec *spec = paste ? &paste->spec : NULL;
    if (!spec) {
        return 0;
    }
    const int im2col = argument >= TMA_ARG_LOWER && argument <= TMA_ARG_PIXELS;
    return argument == TMA_ARG_BOX      ? spec->api == TMA_API_TILED
           : im2col                     ? spec->api != TMA_API_TILED
           : argument == TMA_ARG_STRIDE ? spec->rank > 1
                                        : 1;
}

static int is_missing(const tma_paste *p, uint32_t argument) {
    return tma_paste_has(p, argument) && argument < 32 &&
           !((p->shown | p->fixed | p->unread) & TMA_PASTE_BIT(argument));
}

uint32_t tma_paste_missing(const tma_paste *paste) {
    uint32_t missing = 0;
    for (uint32_t i = 0; paste && i < TMA_ARGUMENTS && i < 32; i++) {
        missing |= is_missing(paste, i) ? TMA_PASTE_BIT(i) & CAN_BE_MISSING : 0;
    }
    return missing;
}

uint32_t tma_paste_unknown(const tma_paste *paste) {
    const uint32_t dtype = paste && !paste->element_bits ? TMA_PASTE_BIT(TMA_ARG_DTYPE) : 0;
    return tma_paste_missing(paste) & (dtype | TMA_PASTE_BIT(TMA_ARG_STRIDE));
}

/* Whether the finding would be another one with another type. */
static int needs_type(const tma_finding *f) {
    const int is_bytes = f->argument == TMA_ARG_BOX || f->argument == TMA_ARG_STRIDE ||
                         f->argument == TMA_ARG_CHANNELS || f->argument == TMA_ARG_DIM;
    return is_bytes && f->unit == TMA_UNIT_B && f->rule != TMA_RULE_STRIDE_ALIGN &&
           f->rule != TMA_RULE_STRIDE_ALIGN_32 && f->rule != TMA_RULE_STRIDE_LIMIT;
}

/* What a rule looks at beside the entry that its finding names (paste_needs.def). */
static const struct needs_row {
    uint16_t rule;
    uint32_t entries; /* arguments of which it needs the entries that the finding names */
    uint32_t whole;   /* arguments that it needs whole */
} needs[] = {
#define A(argument)                 TMA_PASTE_BIT(TMA_ARG_##argument)
#define NEEDS(rule, entries, whole) {TMA_RULE_##rule, entries, whole},
#include "paste_needs.def"
#undef A
};

/* Whether a value that was not read could make the finding another one, or none. */
static int needs_unread(const tma_paste *p, const tma_finding *f) {
    uint32_t whole = UINT32_MAX;
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        if (needs[i].rule == f->rule) {
            const uint32_t entries = needs[i].entries & p->unread;
            whole = needs[i].whole;
            for (uint32_t argument = 0; argument <= TMA_ARG_WIDE_MODE; argument++) {
                const int is_entry = entries >> argument & 1;
                const uint32_t index = f->index > 0 ? (uint32_t)f->index : 0;
                if (is_entry && !(p->known[argument] >> index & 1)) {
                    return 1;
                }
            }
        }
    }
    return (p->unread & whole) != 0;
}

bool tma_paste_judges(const tma_paste *p, const tma_finding *f) {
    if (!p || !f) {
        return 0;
    }
    const int is_guess = tma_paste_unknown(p) & TMA_PASTE_BIT(TMA_ARG_DTYPE) && needs_type(f);
    return !is_missing(p, f->argument) && !is_guess && !(p->unread && needs_unread(p, f));
}

/* The options of what is not known: a word in place of the value, or of an entry. */
static const struct unknown_option {
    uint32_t argument;
    const char *option;
    const char *word;
    const char *entry; /* of a list; else null */
} unknown_options[] = {
    {TMA_ARG_DTYPE, "--dtype", "TYPE", NULL},
    {TMA_ARG_STRIDE, "--stride", "BYTES,...", "BYTES"},
    {TMA_ARG_DIM, "--dim", "N,...", "N"},
    {TMA_ARG_BOX, "--box", "N,...", "N"},
    {TMA_ARG_LOWER, "--lower", "PX,...", "PX"},
    {TMA_ARG_UPPER, "--upper", "PX,...", "PX"},
    {TMA_ARG_CHANNELS, "--channels", "N", NULL},
    {TMA_ARG_PIXELS, "--pixels", "N", NULL},
    {TMA_ARG_ELEMENT_STRIDE, "--element-stride", "N,...", "N"},
    {TMA_ARG_INTERLEAVE, "--interleave", "NAME", NULL},
    {TMA_ARG_SWIZZLE, "--swizzle", "NAME", NULL},
    {TMA_ARG_L2, "--l2", "NAME", NULL},
    {TMA_ARG_FILL, "--fill", "NAME", NULL},
    {TMA_ARG_WIDE_MODE, "--wide-mode", "NAME", NULL},
};

#define UNKNOWN_OPTIONS (sizeof(unknown_options) / sizeof(unknown_options[0]))

void tma_put_paste_lacks(tma_out *out, uint32_t unknown, const char *between) {
    const char *before = "";
    for (size_t i = 0; i < UNKNOWN_OPTIONS; i++) {
        if (unknown & TMA_PASTE_BIT(unknown_options[i].argument)) {
            tma_putf(out, "%s%s %s", before, unknown_options[i].option, unknown_options[i].word);
            before = between ? between : " ";
        }
    }
}

static size_t word_length(const char *text) {
    size_t length = 0;
    while (text[length] && text[length] != ' ') {
        length++;
    }
    return length;
}

/* The value with a word in place of what is not known: all of it, or entries. */
static void put_known(tma_out *out, const tma_paste *p, const struct unknown_option *row,
                      const char *value, size_t length) {
    const uint32_t known = p->unread & TMA_PASTE_BIT(row->argument) ? p->known[row->argument] : 0;
    if (!row->entry || !known) {
        tma_put(out, row->word);
        return;
    }
    for (size_t i = 0, at = 0; at < length; i++) {
        const size_t size = text_until(value + at, length - at, ',');
        tma_put(out, i ? "," : "");
        if (known >> i & 1) {
            tma_put_bytes(out, value + at, size);
        } else {
            tma_put(out, row->entry);
        }
        at += size + 1;
    }
}

void tma_put_paste_command(tma_out *out, const tma_paste *paste) {
    char text[2048];
    tma_out words = tma_out_into(text, sizeof(text));
    const uint32_t unknown = tma_paste_unknown(paste) | (paste ? paste->unread : 0);
    const struct unknown_option *next = NULL; /* whose value the next word is */
    if (!paste) {
        return;
    }
    tma_put_spec(&words, &paste->spec);
    tma_put(out, "tma check");
    for (const char *at = text; *at;) {
        const size_t length = word_length(++at);
        tma_put(out, " ");
        if (next) {
            put_known(out, paste, next, at, length);
        } else {
            tma_put_bytes(out, at, length);
        }
        next = NULL;
        for (size_t i = 0; i < UNKNOWN_OPTIONS; i++) {
            const struct unknown_option *row = &unknown_options[i];
            if (unknown & TMA_PASTE_BIT(row->argument) && text_is(at, length, row->option)) {
                next = row;
            }
        }
        at += length;
    }
}
