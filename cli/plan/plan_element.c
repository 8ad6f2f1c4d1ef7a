/* SPDX-License-Identifier: Apache-2.0
 *
 * One element of a box in shared memory.
 */
#include "plan_element.h"

#include <inttypes.h>
#include <string.h>

#include "plan_view.h"
#include "tma/walk.h"

enum { LINE_B = 128, CHUNK_B = 16, BANK_B = 4 };

/* The entries of an index, innermost first, and how many of each the box has. */
static uint32_t box_sizes(uint32_t sizes[TMA_MAX_RANK], const copy_args *args) {
    const tma_plan_facts *const facts = tma_plan_info(&args->plan);
    sizes[0] = facts->row_el;
    sizes[1] = args->report.rows;
    if (tma_mode_is_im2col(facts->mode) || tma_mode_is_rows4(facts->mode)) {
        return 2;
    }
    for (uint32_t i = 0; i < facts->rank; i++) {
        sizes[i] = args->report.count[i];
    }
    return facts->rank;
}

/* What has no element with an address of its own. */
static int refuse_kind(const copy_args *args, tma_error *error) {
    const tma_plan_facts *const facts = tma_plan_info(&args->plan);
    if (facts->op == TMA_OP_PREFETCH) {
        return tma_fail(error, "--element: a prefetch has no shared memory");
    }
    if (!ask_is_countable(&args->plan)) {
        return tma_fail(error, "--element: no SM has room for this box");
    }
    if (facts->unit_B || facts->bits % 8 || facts->group_el != 1) {
        return tma_fail(error,
                        "--element: elements of whole bytes without interleave; --walk prints "
                        "where every run of bytes of this copy lies");
    }
    return 0;
}

static int read_index(plan_element *out, const copy_args *args, const char *text,
                      tma_error *error) {
    uint32_t sizes[TMA_MAX_RANK] = {0};
    const uint32_t entries = box_sizes(sizes, args);
    if (tma_read_coords(out->index, &out->entries, text, "--element", error)) {
        return -1;
    }
    if (out->entries != entries) {
        return tma_fail(error,
                        "--element: %" PRIu32 " given, %" PRIu32
                        " of this box: innermost first, so the column before the row",
                        out->entries, entries);
    }
    for (uint32_t i = 0; i < entries; i++) {
        if (out->index[i] < 0 || (uint32_t)out->index[i] >= sizes[i]) {
            return tma_fail(error,
                            "--element: entry %" PRIu32 " is %" PRId32 ", the box has 0 to %" PRIu32
                            " there; innermost first, so the column "
                            "before the row",
                            i, out->index[i], sizes[i] - 1);
        }
    }
    return 0;
}

typedef struct search {
    plan_element *element;
    uint32_t row, offset_B, element_B;
} search;

static int look(void *context, const tma_run *run) {
    const search *const s = context;
    plan_element *const found = s->element;
    const uint32_t into_B = s->offset_B - run->offset_B;
    if (run->row != s->row || s->offset_B < run->offset_B || into_B >= run->length_B) {
        return 0;
    }
    found->kind = run->kind;
    found->rank = run->rank;
    memcpy(found->coord, run->coord, sizeof(found->coord));
    found->coord[0] += (int64_t)(into_B / s->element_B);
    found->address = run->address + into_B;
    found->shared_address = run->shared_address + into_B;
    return 1;
}

int plan_element_find(plan_element *out, const copy_args *args, const char *text,
                      tma_error *error) {
    const tma_plan_facts *const facts = tma_plan_info(&args->plan);
    uint32_t sizes[TMA_MAX_RANK] = {0};
    search s = {out, 0, 0, facts->bits / 8U};
    memset(out, 0, sizeof(*out));
    if (refuse_kind(args, error) || read_index(out, args, text, error)) {
        return -1;
    }
    for (uint32_t i = box_sizes(sizes, args); i-- > 1;) {
        s.row = s.row * sizes[i] + (uint32_t)out->index[i];
    }
    s.offset_B = (uint32_t)out->index[0] * s.element_B;
    out->plain_address = args->asked.copy.at.shared_address + s.row * facts->pitch_B + s.offset_B;
    tma_walk(&args->plan, &args->asked.copy.at, look, &s);
    return 0;
}

static void print_place(FILE *out, const char *label, uint32_t address, uint32_t first) {
    fprintf(out,
            "    %-24s 0x%05" PRIx32 ": byte %" PRIu32 " of the box, chunk %" PRIu32
            " of its line, bank %" PRIu32 "\n",
            label, address, address - first, address % LINE_B / CHUNK_B, address % LINE_B / BANK_B);
}

void plan_element_print(FILE *out, const plan_element *element, const copy_args *args) {
    const uint32_t first = args->asked.copy.at.shared_address;
    const int is_swizzled = tma_plan_info(&args->plan)->swizzle != TMA_SWIZZLE_NONE;
    char index[64];
    size_t used = 0;
    for (uint32_t i = 0; i < element->entries; i++) {
        used += (size_t)snprintf(index + used, sizeof(index) - used, "%s%" PRId32,
                                 i ? "," : "element ", element->index[i]);
    }
    fprintf(out, "    %-24s coordinates ", index);
    for (uint32_t i = 0; i < element->rank; i++) {
        fprintf(out, "%s%" PRId64, i ? "," : "", element->coord[i]);
    }
    fprintf(out, ", %s", plan_run_kind(&args->plan, element->kind));
    if (element->kind == TMA_RUN_INSIDE) {
        fprintf(out, ", global 0x%" PRIx64, element->address);
    }
    fputc('\n', out);
    print_place(out, is_swizzled ? "before the swizzle" : "its shared address",
                element->plain_address, first);
    if (is_swizzled) {
        print_place(out, "after the swizzle", element->shared_address, first);
    }
}

static void place_json(tma_json *json, const char *key, uint32_t address, uint32_t first) {
    tma_json_object(json, key);
    tma_json_hex(json, "shared_address", address);
    tma_json_u64(json, "offset_B", address - first);
    tma_json_u64(json, "chunk", address % LINE_B / CHUNK_B);
    tma_json_u64(json, "bank", address % LINE_B / BANK_B);
    tma_json_end(json);
}

void plan_element_json(tma_json *json, const plan_element *element, const copy_args *args) {
    const uint32_t first = args->asked.copy.at.shared_address;
    tma_json_object(json, "element");
    tma_json_list(json, "in_box");
    for (uint32_t i = 0; i < element->entries; i++) {
        tma_json_i64(json, NULL, element->index[i]);
    }
    tma_json_end(json);
    tma_json_list(json, "coord");
    for (uint32_t i = 0; i < element->rank; i++) {
        tma_json_i64(json, NULL, element->coord[i]);
    }
    tma_json_end(json);
    tma_json_text(json, "kind", plan_run_kind(&args->plan, element->kind));
    if (element->kind == TMA_RUN_INSIDE) {
        tma_json_hex(json, "address", element->address);
    } else {
        tma_json_null(json, "address");
    }
    place_json(json, "unswizzled", element->plain_address, first);
    place_json(json, "swizzled", element->shared_address, first);
    tma_json_end(json);
}
