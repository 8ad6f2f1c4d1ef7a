/* SPDX-License-Identifier: Apache-2.0
 *
 * What a statement needs of a target and a PTX version.
 */
#include "ptx_internal.h"

typedef enum form_id {
#define FORM(id, ...) FORM_##id,
#include "ptx_forms.def"
    FORMS
} form_id;

static const tma_ptx_form forms[] = {
#define FORM(id, name, version, features, targets, example, evidence)                              \
    {name, version, features, targets, example, evidence},
#include "ptx_forms.def"
};

const tma_ptx_form *tma_ptx_form_at(size_t index) {
    return index < FORMS ? &forms[index] : NULL;
}

static int has(const tma_ptx_statement *s, uint32_t qualifiers) {
    return (s->qualifiers & qualifiers) != 0;
}

/* Loads to .shared::cta came to more targets than their cluster and prefetch forms. */
static int needs_mode(const tma_ptx_statement *s, form_id id) {
    const int to_cta = s->in.op == TMA_OP_LOAD && !s->in.cluster;
    const int loads = s->in.op == TMA_OP_LOAD || s->in.op == TMA_OP_PREFETCH;
    switch (s->in.mode) {
    case TMA_MODE_GATHER4:
        return id == (to_cta ? FORM_GATHER4_CTA : FORM_GATHER4);
    case TMA_MODE_SCATTER4:
        return id == FORM_SCATTER4;
    case TMA_MODE_IM2COL_W:
        return id == (!loads ? FORM_NO_OFFS_WIDE : to_cta ? FORM_WIDE_CTA : FORM_WIDE);
    case TMA_MODE_IM2COL_W128:
        return id == FORM_W128;
    default:
        return 0;
    }
}

static int copy_needs(const tma_ptx_statement *s, form_id id) {
    switch (id) {
    case FORM_TENSOR:
        return 1;
    case FORM_SHARED_CTA:
        return s->in.op == TMA_OP_LOAD && !s->in.cluster;
    case FORM_CTA_GROUP:
        return s->in.cta_group != 0;
    case FORM_MULTICAST_16:
        return has(s, TMA_PTX_MULTICAST_16);
    case FORM_MULTICAST_32:
        return has(s, TMA_PTX_MULTICAST_32);
    case FORM_EVICT_LAST:
        return has(s, TMA_PTX_EVICT_LAST);
    case FORM_OVERRIDE:
        return has(s, TMA_PTX_OVERRIDES);
    case FORM_REPORT:
        return s->in.inspection != TMA_INSPECTION_NONE;
    default:
        return needs_mode(s, id);
    }
}

/* The first of PTX's elemtypes that needs more than the others, the first such swizzle mode:
 * tma_enum_at() has the packed types last. */
static int is_packed(int64_t elemtype) {
    const size_t count = tma_enum_count(TMA_ENUM_DTYPE);
    for (size_t i = 0; i < count; i++) {
        if (tma_enum_at(TMA_ENUM_DTYPE, i)->ptx == elemtype) {
            return tma_dtype_bits((uint32_t)tma_enum_at(TMA_ENUM_DTYPE, i)->driver) % 8 != 0;
        }
    }
    return 0;
}

static int replace_needs(const tma_ptx_statement *s, form_id id) {
    const int number = s->value.kind == TMA_PTX_NUMBER;
    switch (id) {
    case FORM_REPLACE:
        return 1;
    case FORM_ALLOC:
        return has(s, TMA_PTX_ALLOCS);
    case FORM_ATOMICITY:
        return s->field == TMA_REPLACE_SWIZZLE_ATOMICITY;
    case FORM_PACKED:
        return s->field == TMA_REPLACE_ELEMTYPE && number && is_packed(s->value.value);
    case FORM_SWIZZLE_96B:
        return s->field == TMA_REPLACE_SWIZZLE_MODE && number &&
               s->value.value == tma_enum_row_of(TMA_ENUM_SWIZZLE, TMA_SWIZZLE_96B)->ptx;
    default:
        return 0;
    }
}

static int needs(const tma_ptx_statement *s, form_id id) {
    switch (s->kind) {
    case TMA_PTX_COPY:
    case TMA_PTX_REDUCE:
    case TMA_PTX_PREFETCH:
        return copy_needs(s, id);
    case TMA_PTX_REPLACE:
        return replace_needs(s, id);
    case TMA_PTX_CP_FENCEPROXY:
        return id == FORM_CP_FENCEPROXY;
    case TMA_PTX_QUERY:
        return id == FORM_QUERY;
    case TMA_PTX_FENCE:
        return id == FORM_FENCE;
    case TMA_PTX_PREFETCH_MAP:
        return id == FORM_PREFETCH_MAP;
    case TMA_PTX_PRIORITY:
        return id == FORM_PRIORITY || (id != FORM_TENSOR && copy_needs(s, id));
    case TMA_PTX_FABRIC_GET:
    case TMA_PTX_FABRIC_PUT:
    case TMA_PTX_FABRIC_RED:
        return id == FORM_FABRIC;
    default:
        return 0;
    }
}

const tma_ptx_form *tma_ptx_lacks(const tma_ptx_statement *s, const tma_target *target,
                                  uint32_t version, size_t i, int *by_version) {
    const tma_arch_row *arch = target ? tma_arch_of(target) : NULL;
    if (!version && target) {
        version = target->ptx;
    }
    for (form_id id = 0; s && id < FORMS; id++) {
        if (!needs(s, id)) {
            continue;
        }
        const int old = version && version < forms[id].version;
        const int without = arch && ((arch->features & forms[id].features) != forms[id].features);
        if ((old || without) && i-- == 0) {
            if (by_version) {
                *by_version = old && !without;
            }
            return &forms[id];
        }
    }
    return NULL;
}
