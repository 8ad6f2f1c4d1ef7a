/* SPDX-License-Identifier: Apache-2.0
 *
 * Answers about maps: encode (enc), cuTensorMapReplaceAddress (rep), tensormap.replace (dev), the
 * CuTe DSL's maps (cute, bit21). rc is the driver's CUresult: 0, or 1 for CUDA_ERROR_INVALID_VALUE.
 */
#include <inttypes.h>

#include "cli_error.h"
#include "replay_kinds.h"
#include "tma/map.h"

/* The first answer of every kind. Returns whether there is a map. */
static int encoded(const replay_request *request, tma_map *map, uint64_t *rc) {
    *rc = tma_encode(map->bytes, &request->spec, &request->target) == TMA_OK ? 0 : 1;
    return *rc == 0;
}

static void answer_map(tma_out *out, const char *key, const tma_map *map) {
    tma_putf(out, " %s=", key);
    tma_put_hex_bytes(out, map->bytes, sizeof(map->bytes));
}

int replay_enc(const replay_request *request, tma_out *out, tma_error *error) {
    tma_map map;
    uint64_t rc = 0;
    (void)error;
    const int is_map = encoded(request, &map, &rc);
    tma_putf(out, " rc=%" PRIu64, rc);
    if (is_map) {
        answer_map(out, "desc", &map);
    }
    return 0;
}

int replay_rep(const replay_request *request, tma_out *out, tma_error *error) {
    tma_map map;
    uint64_t rc = 0;
    uint64_t address = 0;
    if (tma_case_u64(&address, request->line, "naddr", error)) {
        return -1;
    }
    const int is_map = encoded(request, &map, &rc);
    if (is_map) {
        rc = tma_replace_address(map.bytes, address, NULL) == TMA_OK ? 0 : 1;
    }
    tma_putf(out, " rc=%" PRIu64, rc);
    if (is_map) {
        answer_map(out, "desc", &map);
    }
    return 0;
}

/* What ptxas refuses has no answer. */
static int refused_by_ptxas(uint64_t field, uint64_t ordinal, uint64_t value, tma_error *error) {
    const tma_replace_row *row =
        field < TMA_REPLACE_FIELDS ? tma_replace_row_of((uint32_t)field) : NULL;
    if (!row) {
        return tma_fail(error, "field=%" PRIu64 ": tensormap.replace has the fields 0 to %d", field,
                        TMA_REPLACE_FIELDS - 1);
    }
    if (row->ordinals && ordinal >= (uint64_t)row->ordinals) {
        return tma_fail(error, "ord=%" PRIu64 ": %s takes 0 to %d", ordinal, row->name,
                        row->ordinals - 1);
    }
    if (row->immediate_max >= 0 &&
        (value > (uint64_t)row->immediate_max || value < (uint64_t)row->immediate_min)) {
        return tma_fail(error, "val=%" PRIu64 ": %s takes %d to %d", value, row->name,
                        row->immediate_min, row->immediate_max);
    }
    return 0;
}

int replay_dev(const replay_request *request, tma_out *out, tma_error *error) {
    tma_map map;
    uint64_t rc = 0;
    uint64_t field = 0;
    uint64_t ordinal = 0;
    uint64_t value = 0;
    if (tma_case_u64(&field, request->line, "field", error) ||
        tma_case_u64(&ordinal, request->line, "ord", error) ||
        tma_case_u64(&value, request->line, "val", error) ||
        refused_by_ptxas(field, ordinal, value, error)) {
        return -1;
    }
    const int is_map = encoded(request, &map, &rc);
    tma_putf(out, " rc=%" PRIu64, rc);
    if (is_map) {
        answer_map(out, "before", &map);
        cli_sure(tma_replace(map.bytes,
                             &(tma_edit){.field = field,
                                         .ordinal = (uint32_t)ordinal,
                                         .value = value,
                                         .toolchain = tma_target_toolchain(&request->target)},
                             NULL));
        answer_map(out, "desc", &map);
    }
    return 0;
}

/* The first 64 bytes of a map as the CuTe DSL's compiler builds it, whatever the target. */
int replay_cute(const replay_request *request, tma_out *out, tma_error *error) {
    uint8_t head[TMA_CUTE_DSL_BYTES];
    (void)error;
    cli_sure(tma_encode_cute_dsl(head, &request->spec));
    tma_put(out, " desc64=");
    tma_put_hex_bytes(out, head, sizeof(head));
    return 0;
}

/* Whether that compiler marks the tensor large. */
int replay_bit21(const replay_request *request, tma_out *out, tma_error *error) {
    tma_map map = {{0}};
    (void)error;
    cli_sure(tma_encode_cute_dsl(map.bytes, &request->spec));
    tma_putf(out, " bit=%d", tma_allocation_class(map.bytes) == TMA_CLASS_LARGE);
    return 0;
}
