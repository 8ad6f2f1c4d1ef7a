/* SPDX-License-Identifier: Apache-2.0
 *
 * draw_lines PART ARCH COUNT [FIRST]: what tma-conformance draws for a target, seed 1, as case
 * lines. PART: copies, each with whether it goes to .shared::cluster and the rule that it breaks,
 * if it should trap; encode, each with an address that replaces the map's; replace; barrier, the
 * steps of one that lives and of one that dies; wgmma, descriptors of each operand.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tma/check.h>

#include "barrier_cases.h"
#include "case_lines.h"
#include "random_copies.h"
#include "random_edits.h"
#include "random_specs.h"
#include "wgmma_cases.h"

#define SEED 1

static void print_copy(uint64_t number, const tma_target *target) {
    struct copy_case copy;
    copy_case_make(&copy, SEED, number, target);
    print_case(stdout, "hw", &copy.spec, target);
    print_copy_request(stdout, &copy, target);
    printf(" cluster=%u trap=%s\n", (unsigned)copy.in.cluster,
           copy.traps ? tma_rule_of(copy.why.rule)->name : "no");
}

static void print_encode(uint64_t number, const tma_target *target) {
    struct random_source r = case_source(SEED, number);
    const tma_spec spec = encode_case(&r, target);
    print_case(stdout, "enc", &spec, target);
    printf(" naddr=0x%" PRIx64 "\n", replaced_address(&r));
}

static void print_edit(uint64_t number, const tma_target *target) {
    struct replace_case edit;
    replace_case_make(&edit, SEED, number, target);
    if (edit.encoded) {
        print_case(stdout, "dev", &edit.spec, target);
    }
    printf(" field=%" PRIu32 " ord=%" PRIu32 " val=0x%" PRIx64, edit.edit.field, edit.edit.ordinal,
           edit.edit.value);
    print_bytes(stdout, "before", &edit.before, sizeof(edit.before));
    printf("\n");
}

static void print_steps(const struct device_barrier_step *steps, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        printf(" %s/%" PRIu32 "/%" PRIu32, barrier_step_name(steps[i].operation), steps[i].count,
               steps[i].bytes_B);
    }
    printf("\n");
}

/* Every other barrier without what few machines can do. */
static void print_barrier(uint64_t number, const tma_target *target) {
    const uint32_t without = 1u << DEVICE_BARRIER_OPERATIONS | 1u << DEVICE_BARRIER_COPY;
    struct device_barrier_step steps[BARRIER_MOST_STEPS];
    tma_barrier_death death;
    (void)target;
    barrier_steps(SEED, number, number % 2 ? without : 0, steps);
    printf("lives:");
    print_steps(steps, barrier_step_count(number));
    const uint32_t count = barrier_deadly_steps(SEED, number, steps, &death);
    printf("dies, %s:", tma_barrier_death_text(death));
    print_steps(steps, count);
}

static void print_descriptors(uint64_t number, const tma_target *target) {
    struct wgmma_kind kind;
    (void)target;
    for (size_t i = 0; wgmma_kind_at(&kind, i); i++) {
        char name[64];
        struct random_source r = case_source(SEED, number);
        const tma_mma_descriptor d =
            wgmma_descriptor(&r, &kind, (uint32_t)number % (TMA_SWIZZLE_128B + 1), number % 8 > 3);
        wgmma_kind_name(name, sizeof(name), &kind);
        printf("%s, %" PRIu32 " x %" PRIu32 ": swizzle %" PRIu32 " start 0x%" PRIx32
               " leading %" PRIu32 " stride %" PRIu32 " base %" PRIu32 "%s\n",
               name, kind.operand.mn_el, kind.operand.k_el, d.swizzle, d.start_B, d.leading_B,
               d.stride_B, d.base_offset, wgmma_canonical(&d, &kind) ? " canonical" : "");
    }
}

int main(int count, char **arguments) {
    static const struct {
        const char *name;
        void (*print)(uint64_t number, const tma_target *target);
    } parts[] = {{"copies", print_copy},
                 {"encode", print_encode},
                 {"replace", print_edit},
                 {"barrier", print_barrier},
                 {"wgmma", print_descriptors}};
    const tma_arch_row *row = count == 4 || count == 5 ? tma_arch_find(arguments[2]) : NULL;
    if (!row) {
        fprintf(stderr, "draw_lines PART ARCH COUNT [FIRST]\n");
        return 2;
    }
    const tma_target target = {.sm = row->sm, .suffix = row->suffix, .driver = 13000};
    const uint64_t first = count == 5 ? strtoull(arguments[4], NULL, 10) : 0;
    const uint64_t end = first + strtoull(arguments[3], NULL, 10);
    for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++) {
        for (uint64_t i = first; i < end && !strcmp(arguments[1], parts[part].name); i++) {
            parts[part].print(i, &target);
        }
    }
    return 0;
}
