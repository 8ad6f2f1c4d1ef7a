/* SPDX-License-Identifier: Apache-2.0
 *
 * The source lines of a PTX file's rows.
 */
#include "ptx_rows.h"

#define MOST_INLINED 256

/* The last .loc up to `loc` that says where this place was inlined at. */
static const tma_ptx_loc *around(const ptx_rows *r, uint32_t loc, const tma_ptx_loc *inner) {
    const uint32_t least = loc > 4096 ? loc - 4096 : 0;
    for (uint32_t i = loc; i-- > least;) {
        const tma_ptx_loc *l = &r->loc[i];
        if (l->file == inner->at_file && l->line == inner->at_line &&
            l->column == inner->at_column) {
            return l;
        }
    }
    return NULL;
}

static ptx_source source_of(const ptx_rows *r, uint32_t row, const tma_ptx_loc *loc) {
    const uint32_t function = r->row[row].function;
    const uint32_t module = function == PTX_NONE ? 0 : r->function[function].module;
    ptx_source source = {{"", 0}, loc->file, loc->line, loc->column};
    for (uint32_t i = 0; i < r->files; i++) {
        if (r->file[i].number == loc->file && r->file[i].module == module + 1) {
            source.file = r->file[i].name;
        }
    }
    return source;
}

uint32_t ptx_rows_chain(const ptx_rows *r, uint32_t row, ptx_source *source, uint32_t most) {
    const uint32_t at = r->row[row].loc;
    uint32_t count = 0;
    if (at == PTX_NONE || !most) {
        return 0;
    }
    tma_ptx_loc loc = r->loc[at];
    source[count++] = source_of(r, row, &loc);
    for (int depth = 0; loc.inlined && depth < MOST_INLINED; depth++) {
        const tma_ptx_loc *around_it = around(r, at, &loc);
        loc =
            around_it
                ? *around_it
                : (tma_ptx_loc){.file = loc.at_file, .line = loc.at_line, .column = loc.at_column};
        count += count < most;
        source[count - 1] = source_of(r, row, &loc);
    }
    return count;
}

int ptx_rows_source(const ptx_rows *r, uint32_t row, ptx_source *outer, ptx_source *inner,
                    int *inlined) {
    ptx_source source[2];
    const uint32_t count = ptx_rows_chain(r, row, source, 2);
    if (!count) {
        return 0;
    }
    *inner = source[0];
    *outer = source[count - 1];
    *inlined = count > 1;
    return 1;
}
