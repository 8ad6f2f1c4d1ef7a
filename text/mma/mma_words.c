/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix descriptors in words.
 */
#include "tma/mma_text.h"

void tma_put_mma_fields(tma_out *out, uint32_t family, uint64_t bits) {
    for (size_t i = 0; tma_mma_field_at(family, i).name; i++) {
        const tma_mma_field f = tma_mma_field_at(family, i);
        const uint64_t number = (bits >> f.bit & (((uint64_t)1 << f.width_bit) - 1)) << f.shift;
        tma_putf(out, "%2u", (unsigned)(f.bit + f.width_bit - 1));
        tma_putf(out, "-%-2u  %-16s ", (unsigned)f.bit, f.name);
        tma_putf(out, f.shift ? "0x%-6llx B  " : "%-8llu    ", (unsigned long long)number);
        tma_putf(out, "%s\n", f.meaning);
    }
}

void tma_put_mma_descriptor(tma_out *out, const tma_mma_descriptor *d) {
    const tma_enum_row *swizzle = d ? tma_enum_row_of(TMA_ENUM_SWIZZLE, d->swizzle) : NULL;
    if (!swizzle) {
        return;
    }
    tma_putf(out, "start 0x%x, leading %u B, stride %u B, base offset %u, swizzle %s",
             (unsigned)d->start_B, (unsigned)d->leading_B, (unsigned)d->stride_B,
             (unsigned)d->base_offset, swizzle->name);
    tma_put(out, d->leading_absolute ? ", leading is an address" : "");
}

void tma_put_mma_said(tma_out *out, uint32_t said) {
    for (uint32_t i = 0; i < TMA_MMA_RULES; i++) {
        const tma_mma_rule *rule = tma_mma_rule_at(i);
        if (said >> i & 1) {
            tma_putf(out, "%s %s: %s. Source: %s\n", rule->wrong ? "wrong" : "odd  ", rule->name,
                     rule->statement, rule->evidence);
        }
    }
}

void tma_put_mma_why(tma_out *out, const tma_mma_why *why) {
    const char *text = tma_mma_reason_text(why->reason);
    for (; *text; text++) {
        if (*text == '%' && text[1] == 'd') {
            tma_put(out, why->along == 1 ? "m or n" : "k");
            text++;
        } else if (*text == '%' && (text[1] == 'v' || text[1] == 'l' || text[1] == 'a')) {
            tma_putf(out, text[1] == 'a' ? "0x%x" : "%u",
                     (unsigned)(text[1] == 'l' ? why->limit : why->value));
            text++;
        } else {
            tma_put_bytes(out, text, 1);
        }
    }
    const tma_enum_row *swizzle = tma_enum_row_of(TMA_ENUM_SWIZZLE, why->would_swizzle);
    if (why->would_box0_el && swizzle) {
        tma_putf(out, ". A box whose row has %u elements, with swizzle %s, would do",
                 (unsigned)why->would_box0_el, swizzle->name);
    }
}

/* "m 3, k 16" */
static void put_element(tma_out *out, const tma_mma_operand *o, uint32_t mn, uint32_t k) {
    tma_putf(out, "%s %u, k %u", o->matrix == TMA_MMA_B ? "n" : "m", (unsigned)mn, (unsigned)k);
}

/* "the copy", "copy 2 of 4" */
static void put_copy(tma_out *out, const tma_mma_difference *d, uint32_t index) {
    if (d->copies > 1) {
        tma_putf(out, "copy %u of %u", (unsigned)index + 1, (unsigned)d->copies);
    } else {
        tma_put(out, "the copy");
    }
}

void tma_put_mma_difference(tma_out *out, const tma_mma_difference *d, const tma_mma_operand *o,
                            uint32_t mn0, uint32_t k0) {
    const char *const copies = d->copies > 1 ? "copies" : "copy";
    if (d->equal_el == d->all_el) {
        tma_putf(out, "all %llu elements are read where the %s put them",
                 (unsigned long long)d->all_el, copies);
        return;
    }
    tma_putf(out, "%llu of %llu elements are read elsewhere; the first is ",
             (unsigned long long)(d->all_el - d->equal_el), (unsigned long long)d->all_el);
    put_element(out, o, mn0 + d->mn, k0 + d->k);
    tma_putf(out, ": the MMA reads shared address 0x%x, where ", (unsigned)d->read_B);
    if (d->has_element) {
        put_copy(out, d, d->other_copy);
        tma_put(out, " put ");
        put_element(out, o, d->other_mn, d->other_k);
    } else {
        tma_put(out, d->copies > 1 ? "no copy put anything" : "this copy put nothing");
    }
    if (!d->has_written) {
        tma_put(out,
                d->copies > 1 ? "; no copy brings the element" : "; the tile has no such element");
    } else if (d->copies > 1) {
        tma_put(out, "; ");
        put_copy(out, d, d->written_copy);
        tma_putf(out, " put the element at 0x%x", (unsigned)d->written_B);
    } else {
        tma_putf(out, "; the element lies at 0x%x", (unsigned)d->written_B);
    }
}
