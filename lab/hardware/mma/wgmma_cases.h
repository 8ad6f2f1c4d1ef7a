/* SPDX-License-Identifier: Apache-2.0
 *
 * What the part wgmma asks: operands, and random descriptors of them whose reads stay inside shared
 * memory.
 */
#ifndef HARDWARE_WGMMA_CASES_H
#define HARDWARE_WGMMA_CASES_H

#include "session.h"
#include "support/gen/random.h"

struct wgmma_kind {
    tma_mma_operand operand;
    uint32_t n; /* the instruction's */
    int sparse; /* of wgmma.sp */
};

/* False from the last on. */
int wgmma_kind_at(struct wgmma_kind *kind, size_t index);

/* "f16 A K-major n8 sparse" */
void wgmma_kind_name(char *out, size_t size, const struct wgmma_kind *kind);

/* A descriptor with this swizzle, and with a base offset or none. */
tma_mma_descriptor wgmma_descriptor(struct random_source *r, const struct wgmma_kind *kind,
                                    uint32_t swizzle, int with_base);

/* Whether a document has such offsets: groups of rows that follow each other, or lie a whole number
 * of groups apart, from the start of a pattern on, without a base offset. */
int wgmma_canonical(const tma_mma_descriptor *d, const struct wgmma_kind *kind);

/* Copies and reads together, `each` of every dense kind whose elements a map has; edges of the
 * window, in processes of their own. */
struct tally wgmma_tiles(const struct session *session, uint32_t each);
void wgmma_edges(const struct session *session);

#endif
