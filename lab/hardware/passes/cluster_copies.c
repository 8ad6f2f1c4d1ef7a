/* SPDX-License-Identifier: Apache-2.0
 *
 * Who takes part in a load of a cluster.
 */
#include "cluster_copies.h"

#include <string.h>

#define MOST_CLUSTER_WINDOW_B (40u << 10)

static const struct {
    const char *name;
    uint64_t needs;
    int multicast;
    uint32_t cta_group;
} kinds[CLUSTER_KINDS] = {
    [CLUSTER_MULTICAST] = {"multicast loads", 0, 1, 0},
    [CLUSTER_GROUP] = {"loads with .cta_group::2", TMA_FEATURE_CTA_GROUP, 0, 2},
    [CLUSTER_MULTICAST_GROUP] = {"multicast loads with .cta_group::2", TMA_FEATURE_CTA_GROUP, 1, 2},
};

const char *cluster_kind_name(unsigned kind) {
    return kinds[kind].name;
}

int cluster_kind_is_on(unsigned kind, const tma_target *target) {
    return (tma_arch_of(target)->features & kinds[kind].needs) == kinds[kind].needs;
}

int cluster_can_load(const struct copy_case *c) {
    return !c->traps && c->in.op == TMA_OP_LOAD && c->in.cluster &&
           c->window_B <= MOST_CLUSTER_WINDOW_B && c->expect_B;
}

tma_instruction cluster_instruction(const struct copy_case *c, unsigned kind) {
    tma_instruction in = c->in;
    in.cta_group = kinds[kind].cta_group;
    in.cta_mask = kinds[kind].multicast ? 1 + c->seed % ((1u << DEVICE_CLUSTER_CTAS) - 1) : 0;
    return in;
}

struct device_cluster_copy cluster_on_device(const struct copy_case *c, unsigned kind) {
    struct device_cluster_copy k;
    const tma_instruction in = cluster_instruction(c, kind);
    memset(&k, 0, sizeof(k));
    k.copy = case_on_device(c);
    k.cta_mask = (uint32_t)in.cta_mask;
    k.cta_group = in.cta_group;
    k.issuer = (uint32_t)(c->seed >> 8) % DEVICE_CLUSTER_CTAS;
    k.barrier_cta = k.cta_group == 2 ? k.issuer ^ (uint32_t)(c->seed >> 12 & 1) : k.issuer;
    return k;
}

/* Whether CTA `cta` receives the bytes. */
static int receives(const struct device_cluster_copy *k, uint32_t cta) {
    return k->cta_mask ? (int)(k->cta_mask >> cta & 1) : cta == k->issuer;
}

void cluster_expect(struct device_cluster_copy *k, const tma_plan *plan, uint32_t tx_B) {
    memset(k->expect_B, 0, sizeof(k->expect_B));
    for (uint32_t cta = 0; cta < DEVICE_CLUSTER_CTAS; cta++) {
        const uint32_t barrier = tma_plan_barrier_cta(plan, cta, k->barrier_cta);
        if (receives(k, cta) && barrier < DEVICE_CLUSTER_CTAS) {
            k->expect_B[barrier] += tx_B;
        }
    }
}
