/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits.
 */
#include "tma/detail/chars.h"
#include "tma/grammar.h"
#include "tma/map.h"

static const char *field_name(size_t i) {
    const tma_replace_row *row = tma_replace_row_of((uint32_t)i);
    return row ? row->name : NULL;
}

int tma_read_edit_field(uint32_t *out, const char *text, const char *what, tma_error *error) {
    size_t found = 0;
    if (tma_read_name(&found, text, what, field_name, error)) {
        return -1;
    }
    *out = (uint32_t)found;
    return 0;
}

/* The enumeration behind an immediate. */
static int names_of(uint32_t field, tma_enum_kind *kind) {
    switch (field) {
    case TMA_REPLACE_ELEMTYPE:
        *kind = TMA_ENUM_DTYPE;
        return 1;
    case TMA_REPLACE_INTERLEAVE:
        *kind = TMA_ENUM_INTERLEAVE;
        return 1;
    case TMA_REPLACE_SWIZZLE_MODE:
        *kind = TMA_ENUM_SWIZZLE;
        return 1;
    case TMA_REPLACE_SWIZZLE_ATOMICITY:
        *kind = TMA_ENUM_ATOMICITY;
        return 1;
    case TMA_REPLACE_FILL_MODE:
        *kind = TMA_ENUM_FILL;
        return 1;
    case TMA_REPLACE_ALLOC_CLASS:
        *kind = TMA_ENUM_CLASS;
        return 1;
    default:
        return 0;
    }
}

/* A word for an immediate, as PTX numbers it. The 128-byte swizzle with atoms is two fields. */
static int named_immediate(const tma_edit_words *edit, tma_enum_kind kind, uint64_t *out,
                           tma_error *error) {
    const tma_replace_row *row = tma_replace_row_of(edit->field);
    const tma_enum_row *found = tma_enum_find(kind, edit->value);
    if (!found || found->ptx < 0) {
        const size_t count = tma_enum_count(kind);
        tma_fail(error, "--value '%.80s': %s takes %d to %d, or one of", edit->value, row->name,
                 row->immediate_min, row->immediate_max);
        for (size_t i = 0; i < count; i++) {
            if (tma_enum_at(kind, i)->ptx >= 0) {
                tma_fail_more(error, "%s %s", i ? "," : "", tma_enum_at(kind, i)->name);
            }
        }
        return -1;
    }
    if (edit->field == TMA_REPLACE_SWIZZLE_MODE && found->driver > TMA_SWIZZLE_128B &&
        found->driver != TMA_SWIZZLE_96B) {
        return tma_fail(error,
                        "--value %s: to tensormap.replace that is swizzle_mode 128B and a "
                        "swizzle_atomicity, two edits",
                        found->name);
    }
    *out = (uint64_t)found->ptx;
    return 0;
}

static int read_ordinal(uint32_t *out, const tma_edit_words *edit, const tma_replace_row *row,
                        tma_error *error) {
    uint64_t ordinal = 0;
    if (!row->ordinals) {
        return edit->ordinal ? tma_fail(error, "--field %s takes no --ord", row->name) : 0;
    }
    if (!edit->ordinal) {
        return tma_fail(error, "--field %s needs --ord, 0 to %d", row->name, row->ordinals - 1);
    }
    if (tma_read_u64(&ordinal, edit->ordinal, text_length(edit->ordinal), "--ord", error)) {
        return -1;
    }
    if (ordinal >= (uint64_t)row->ordinals) {
        return tma_fail(error, "--ord %" TMA_U64 ": --field %s takes 0 to %d", ordinal, row->name,
                        row->ordinals - 1);
    }
    *out = (uint32_t)ordinal;
    return 0;
}

static int is_64_bit(uint32_t field) {
    return field == TMA_REPLACE_GLOBAL_ADDRESS || field == TMA_REPLACE_GLOBAL_STRIDE;
}

static int read_value(uint64_t *out, const tma_edit_words *edit, const tma_replace_row *row,
                      tma_error *error) {
    tma_enum_kind kind;
    uint64_t number = 0;
    const size_t length = text_length(edit->value);
    const int is_number = text_is_digit(edit->value[0]) &&
                          tma_number_of(&number, edit->value, length) != TMA_NUMBER_MALFORMED;
    if (!is_number && names_of(edit->field, &kind)) {
        return named_immediate(edit, kind, out, error);
    }
    if (tma_read_u64(&number, edit->value, length, "--value", error)) {
        return -1;
    }
    if (row->immediate_max >= 0 &&
        (number > (uint64_t)row->immediate_max || number < (uint64_t)row->immediate_min)) {
        return tma_fail(error, "--value %" TMA_U64 ": %s takes %d to %d", number, row->name,
                        row->immediate_min, row->immediate_max);
    }
    if (!is_64_bit(edit->field) && number > UINT32_MAX) {
        return tma_fail(error, "--value %s: the operand of %s has 32 bits%s", edit->value,
                        row->name, edit->field == TMA_REPLACE_GLOBAL_DIM ? "; 0 means 2^32" : "");
    }
    *out = number;
    return 0;
}

/* PTX 9.5's modifiers of global_address. */
static int read_alloc(tma_edit_words *edit, tma_error *error) {
    static const char *const words[] = {"small", "large", "same"};
    static const uint32_t flags[] = {TMA_REPLACE_ALLOC_SMALL, TMA_REPLACE_ALLOC_LARGE,
                                     TMA_REPLACE_ALLOC_SAME};
    if (edit->field != TMA_REPLACE_GLOBAL_ADDRESS) {
        return tma_fail(error, "--alloc belongs to --field global_address, not %s",
                        field_name(edit->field));
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (text_same(edit->alloc, words[i])) {
            edit->flags |= flags[i];
            return 0;
        }
    }
    return tma_fail(error, "--alloc '%.80s': small, large or same", edit->alloc);
}

int tma_read_edit(tma_edit_words *edit, tma_error *error) {
    const tma_replace_row *row = tma_replace_row_of(edit->field);
    if ((edit->is_address || edit->is_class) && !edit->value) {
        return tma_fail(error, "--%s needs a value",
                        edit->is_address ? "address" : "allocation-class");
    }
    if (edit->is_address) {
        return tma_read_u64(&edit->number, edit->value, text_length(edit->value), "--address",
                            error);
    }
    if (edit->is_class) {
        uint32_t allocation_class = 0;
        if (tma_read_enum(&allocation_class, TMA_ENUM_CLASS, edit->value, "--allocation-class",
                          error)) {
            return -1;
        }
        edit->number = allocation_class;
        return 0;
    }
    if (!row) {
        return tma_fail(error, "field %u is none of tensormap.replace", (unsigned)edit->field);
    }
    if (!edit->value) {
        return tma_fail(error, "--field %s needs --value: %s", row->name, row->value);
    }
    if (edit->flags & TMA_REPLACE_STRIDE_PRE_12_5 && edit->field != TMA_REPLACE_GLOBAL_STRIDE) {
        return tma_fail(error, "--pre-12.5 belongs to --field global_stride, not %s", row->name);
    }
    uint32_t ordinal = edit->ordinal_number;
    uint64_t number = 0;
    if (edit->alloc && read_alloc(edit, error)) {
        return -1;
    }
    if (read_ordinal(&ordinal, edit, row, error) || read_value(&number, edit, row, error)) {
        return -1;
    }
    edit->ordinal_number = ordinal;
    edit->number = number;
    return 0;
}

const char *tma_edit_refused(const tma_edit_words *edit, const tma_target *target) {
    const tma_arch_row *arch = tma_arch_of(target);
    const uint64_t features = arch ? arch->features : 0;
    if (edit->is_address || edit->is_class) {
        return NULL;
    }
    if (!(features & TMA_FEATURE_REPLACE)) {
        return "tensormap.replace needs a suffix: sm_90a, sm_100a, sm_100f ...";
    }
    if (!(features & TMA_FEATURE_ATOMICITY) &&
        (edit->field == TMA_REPLACE_SWIZZLE_ATOMICITY ||
         (edit->field == TMA_REPLACE_ELEMTYPE && edit->number >= TMA_DTYPE_16U4_ALIGN8B))) {
        return "swizzle atomicities and the 4- and 6-bit types need sm_100a or newer";
    }
    if (!(features & TMA_FEATURE_SWIZZLE_96B) && edit->field == TMA_REPLACE_SWIZZLE_MODE &&
        edit->number == 4) {
        return "the 96-byte swizzle needs sm_103a or sm_107a";
    }
    return NULL;
}

/* What the map says where an edit wrote; 0 for the fields of immediates, which are never cut. */
static int stored_value(const tma_edit_words *edit, const tma_spec *s, uint64_t *stored,
                        const char **unit) {
    const uint32_t i = edit->ordinal_number;
    const int is_tiled = s->api == TMA_API_TILED;
    const int is_there = i < TMA_MAX_RANK && i < s->rank; /* forged maps say up to 8 */
    const int has_stride = i < TMA_MAX_RANK - 1 && i + 1 < s->rank;
    *unit = "";
    switch (edit->field) {
    case TMA_REPLACE_GLOBAL_ADDRESS:
        *stored = s->address;
        return 1;
    case TMA_REPLACE_RANK:
        *stored = s->rank - 1;
        return 1;
    case TMA_REPLACE_BOX_DIM:
        *stored = is_tiled && is_there ? s->box_el[i] : s->channels_per_pixel;
        *unit = " el";
        return is_tiled ? is_there : i == 0;
    case TMA_REPLACE_GLOBAL_DIM:
        *stored = is_there ? s->dim_el[i] & UINT32_MAX : 0;
        *unit = " el";
        return is_there;
    case TMA_REPLACE_GLOBAL_STRIDE:
        *stored = has_stride ? s->stride_B[i] : 0;
        *unit = " B";
        return has_stride;
    case TMA_REPLACE_ELEMENT_STRIDE:
        *stored = is_there ? s->element_stride[i] : 0;
        return is_there;
    default:
        return 0;
    }
}

bool tma_put_edit_loss(tma_out *out, const tma_edit_words *edit, const uint8_t *after) {
    static const char *const why[TMA_REPLACE_FIELDS] = {
        [TMA_REPLACE_RANK] = "the rank less one has 3 bits",
        [TMA_REPLACE_BOX_DIM] = "the size less one has 8 bits",
        [TMA_REPLACE_GLOBAL_DIM] = "the size less one has 32 bits",
        [TMA_REPLACE_GLOBAL_STRIDE] = "the stride is stored in units of 16 B, in 36 bits",
        [TMA_REPLACE_ELEMENT_STRIDE] = "the stride less one has 3 bits",
    };
    tma_decoded decoded;
    uint64_t stored = 0;
    const char *unit = "";
    if (edit->is_address || edit->is_class || edit->field >= TMA_REPLACE_FIELDS ||
        tma_decode(&decoded, after) != TMA_OK ||
        !stored_value(edit, &decoded.spec, &stored, &unit)) {
        return false;
    }
    const int in_units = edit->flags & TMA_REPLACE_STRIDE_PRE_12_5 ||
                         (edit->field == TMA_REPLACE_GLOBAL_STRIDE &&
                          !tma_toolchain_has(edit->toolchain, TMA_TOOLCHAIN_STRIDE_IN_BYTES));
    const uint64_t asked = in_units ? edit->number << 4
                           : edit->field == TMA_REPLACE_GLOBAL_DIM && edit->number >> 32 == 0
                               ? edit->number & UINT32_MAX
                               : edit->number;
    if (stored == asked || !why[edit->field]) {
        return false;
    }
    const tma_replace_row *row = tma_replace_row_of(edit->field);
    tma_put(out, row->name);
    if (row->ordinals) {
        tma_putf(out, "[%u]", (unsigned)edit->ordinal_number);
    }
    tma_putf(out, " = %" TMA_U64 "%s is stored as %" TMA_U64 "%s: %s", asked, unit, stored, unit,
             why[edit->field]);
    return true;
}
