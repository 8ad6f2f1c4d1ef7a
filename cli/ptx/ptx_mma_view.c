/* SPDX-License-Identifier: Apache-2.0
 *
 * tma ptx --mma: the operands that MMAs read from shared memory, and what is known of each.
 */
#include <inttypes.h>
#include <string.h>

#include "cli_out.h"
#include "printable.h"
#include "ptx_view.h"
#include "tma/detail/chars.h"
#include "tma/mma_text.h"

static void put_start(FILE *out, const ptx_report *r, const ptx_mma *m, uint32_t start_B) {
    if (m->variable == PTX_NONE) {
        fprintf(out, "0x%" PRIx32, start_B);
        return;
    }
    const tma_ptx_span name = r->rows.variable[m->variable].v.name;
    const int32_t added = (int32_t)(start_B - m->place);
    fputs(printable_text_part(name.at, name.length).text, out);
    if (added) {
        fprintf(out, "%+" PRId32, added);
    }
}

static size_t copy_line(const ptx_report *r, const ptx_mma *m) {
    return r->rows.row[m->copy_row].piece.line;
}

/* "in line 20 (turn 2 of its loop), from m 0, k 16 of its tile on" */
static void put_copy(FILE *out, const ptx_report *r, const ptx_mma *m, const char *verb) {
    fprintf(out, " in line %zu%s", copy_line(r, m), verb);
    if (m->turn) {
        fprintf(out, " in iteration %" PRIu32 " of its loop", m->turn + 1);
    }
    if (m->cta) {
        fprintf(out, ", run by CTA %" PRIu32 " of the cluster", m->cta);
    }
    fprintf(out, ", from %c %" PRIu32 ", k %" PRIu32 " of its tile on",
            m->operand.matrix ? 'n' : 'm', m->begin_mn_el, m->begin_k_el);
}

static void put_equal(FILE *out, const ptx_report *r, const ptx_mma *m) {
    if (m->copies > 1) {
        fprintf(out, "    reads each element where %" PRIu32 " copies put it, the first",
                m->copies);
    } else {
        fputs("    reads each element where the copy", out);
    }
    put_copy(out, r, m, m->copies > 1 ? "" : " put it");
    fputs(m->assumed ? ", if the cluster's CTAs load slices of one tile" : "", out);
}

static void put_verdict(FILE *out, const ptx_report *r, const ptx_mma *m) {
    const char mn = m->operand.matrix ? 'n' : 'm';
    switch (m->verdict) {
    case PTX_MMA_EQUAL:
        put_equal(out, r, m);
        break;
    case PTX_MMA_PART:
        fprintf(out,
                "    reads the %" PRIu32 " of %" PRIu32 " elements that the copy in line %zu fills "
                "where it put them, from %c %" PRIu32 ", k %" PRIu32 " of its tile on",
                m->part_el, m->operand.mn_el * tma_mma_type_at(m->operand.type)->k_el,
                copy_line(r, m), mn, m->begin_mn_el, m->begin_k_el);
        break;
    case PTX_MMA_DIFFERS:
        fprintf(out, "    differs from the copy in line %zu%s", copy_line(r, m),
                m->by_thread ? "" : ": see mma-layout");
        break;
    default:
        fputs("    not checked against a copy: none with a known map is known to fill all of it",
              out);
        break;
    }
    fprintf(out, "%s\n",
            m->by_thread && m->by_way ? " (for the first thread, on one of the paths there)"
            : m->by_thread            ? " (for the first thread)"
            : m->by_way               ? " (on one of the paths there)"
                                      : "");
}

static void put_mma(FILE *out, const ptx_report *r, const ptx_mma *m) {
    const char *major = m->operand.major == TMA_MMA_K_MAJOR ? "K" : m->operand.matrix ? "N" : "M";
    tma_mma_descriptor d;
    fprintf(out, "  line %zu, operand %c, %s-major %s, %c %" PRIu32 ": ",
            r->rows.row[m->row].piece.line, m->operand.matrix ? 'B' : 'A', major,
            tma_mma_type_at(m->operand.type)->name, m->operand.matrix ? 'n' : 'm',
            m->operand.mn_el);
    if (!m->has_bits) {
        fprintf(out, "not known (--why %zu)\n", r->rows.row[m->row].piece.line);
        return;
    }
    fprintf(out, "0x%016" PRIx64, m->bits);
    if (m->variable != PTX_NONE) {
        const tma_ptx_span name = r->rows.variable[m->variable].v.name;
        fprintf(out, " with %s at 0x%" PRIx32, printable_text_part(name.at, name.length).text,
                m->place);
    }
    fputc('\n', out);
    if (tma_mma_decode(&d, m->family, m->bits) != TMA_OK) {
        fputs("    its swizzle code is none of tcgen05's\n", out);
        return;
    }
    fputs("    start ", out);
    put_start(out, r, m, d.start_B);
    fprintf(out, ", leading %" PRIu32 ", stride %" PRIu32 ", base offset %" PRIu32 ", swizzle %s\n",
            d.leading_B, d.stride_B, d.base_offset,
            tma_enum_row_of(TMA_ENUM_SWIZZLE, d.swizzle)->name);
    put_verdict(out, r, m);
}

void ptx_print_mma(FILE *out, const char *path, const ptx_report *r) {
    uint32_t function = PTX_NONE;
    uint32_t many[PTX_MMA_DIFFERS + 1] = {0};
    uint32_t known = 0;
    for (uint32_t i = 0; i < r->mmas; i++) {
        many[r->mma[i].verdict]++;
        known += r->mma[i].has_bits;
    }
    fprintf(out,
            "%s: %" PRIu32 " operand%s of MMAs in shared memory, %" PRIu32 " descriptor%s known, "
            "%" PRIu32 " equal to copies, %" PRIu32 " to a part, %" PRIu32 " not\n",
            printable_text(path).text, r->mmas, text_plural(r->mmas), known, text_plural(known),
            many[PTX_MMA_EQUAL], many[PTX_MMA_PART], many[PTX_MMA_DIFFERS]);
    for (uint32_t i = 0; i < r->mmas; i++) {
        const uint32_t in = r->rows.row[r->mma[i].row].function;
        if (in != function) {
            const tma_ptx_span name = r->rows.function[in].name;
            function = in;
            fprintf(out, "\nkernel %s\n", printable_text_part(name.at, name.length).text);
        }
        put_mma(out, r, &r->mma[i]);
    }
}
