/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch judged: kernel, sizes, parameters.
 */
#include "launch.h"

#include <string.h>

#include "tma/limits.def"

#define BLOCK_THREADS 1024u
#define BLOCK_Z       64u
#define GRID_X        0x7fffffffu
#define GRID_YZ       65535u
#define CLUSTER_CTAS  16u /* 8, where the kernel does not allow non-portable sizes */

static const char AXIS[3] = {'x', 'y', 'z'};

const emu_function *emu_kernel_of(const emu_program *program, const char *name, size_t length,
                                  tma_error *error) {
    for (uint32_t i = 0; name && i < program->entries; i++) {
        const emu_function *f = &program->function[program->entry[i]];
        if (f->name.length == length && !memcmp(f->name.at, name, length)) {
            return f;
        }
    }
    if (!name && program->entries == 1) {
        return &program->function[program->entry[0]];
    }
    if (name) {
        tma_fail(error, "kernel: the PTX has no entry '%.*s'", (int)length, name);
    } else {
        tma_fail(error, "kernel: the PTX has %u entries; name one", program->entries);
    }
    return NULL;
}

/* What was given, or what stands for it; a given x alone has y and z of 1. */
static void choose_size(uint32_t out[3], const uint32_t given[3], const uint32_t otherwise[3]) {
    const uint32_t *from = given[0] || given[1] || given[2] ? given : otherwise;
    for (int i = 0; i < 3; i++) {
        out[i] = from[i] ? from[i] : 1;
    }
}

static uint64_t product(const uint32_t size[3]) {
    return (uint64_t)size[0] * size[1] * size[2]; /* each is below 2^16 or the first alone */
}

static int judge_axes(const char *what, const uint32_t size[3], const uint32_t most[3],
                      tma_error *error) {
    for (int i = 0; i < 3; i++) {
        if (size[i] > most[i]) {
            return tma_fail(error, "%s.%c: %u; at most %u", what, AXIS[i], size[i], most[i]);
        }
    }
    return 0;
}

static int judge_block(emu_machine *m, tma_error *error) {
    static const uint32_t MOST[3] = {BLOCK_THREADS, BLOCK_THREADS, BLOCK_Z};
    const emu_function *k = m->kernel;
    const uint32_t *given = m->launch->block;
    if (!given[0] && !given[1] && !given[2] && !k->required[0] && !k->most[0]) {
        return tma_fail(error,
                        "block: not given, and the kernel has neither .reqntid nor .maxntid");
    }
    choose_size(m->block, given, k->required[0] ? k->required : k->most);
    if (judge_axes("block", m->block, MOST, error)) {
        return -1;
    }
    const uint64_t threads = product(m->block);
    if (threads > BLOCK_THREADS) {
        return tma_fail(error, "block: %u threads; at most %u", (uint32_t)threads, BLOCK_THREADS);
    }
    for (int i = 0; k->required[0] && i < 3; i++) {
        const uint32_t required = k->required[i] ? k->required[i] : 1;
        if (m->block[i] != required) {
            return tma_fail(error, "block.%c: %u; the kernel's .reqntid asks for %u", AXIS[i],
                            m->block[i], required);
        }
    }
    if (k->most[0]) {
        uint32_t most[3];
        choose_size(most, k->most, k->most);
        if (threads > product(most)) {
            return tma_fail(error, "block: %u threads; the kernel's .maxntid allows %llu",
                            (uint32_t)threads, (unsigned long long)product(most));
        }
    }
    return 0;
}

static int judge_cluster(emu_machine *m, tma_error *error) {
    static const uint32_t MOST[3] = {CLUSTER_CTAS, CLUSTER_CTAS, CLUSTER_CTAS};
    const emu_function *k = m->kernel;
    choose_size(m->cluster, m->launch->cluster, k->cluster);
    if (judge_axes("cluster", m->cluster, MOST, error)) {
        return -1;
    }
    if (product(m->cluster) > CLUSTER_CTAS) {
        return tma_fail(error, "cluster: %u CTAs; at most %u", (uint32_t)product(m->cluster),
                        CLUSTER_CTAS);
    }
    for (int i = 0; k->cluster[0] && i < 3; i++) {
        const uint32_t required = k->cluster[i] ? k->cluster[i] : 1;
        if (m->cluster[i] != required) {
            return tma_fail(error, "cluster.%c: %u; the kernel's .reqnctapercluster asks for %u",
                            AXIS[i], m->cluster[i], required);
        }
    }
    return 0;
}

static int judge_grid(emu_machine *m, tma_error *error) {
    static const uint32_t MOST[3] = {GRID_X, GRID_YZ, GRID_YZ};
    choose_size(m->grid, m->launch->grid, m->cluster);
    if (judge_axes("grid", m->grid, MOST, error)) {
        return -1;
    }
    for (int i = 0; i < 3; i++) {
        if (m->grid[i] % m->cluster[i]) {
            return tma_fail(error, "grid.%c: %u CTA%s; clusters have %u of them there", AXIS[i],
                            m->grid[i], text_plural(m->grid[i]), m->cluster[i]);
        }
    }
    m->ctas = product(m->grid);
    return 0;
}

/* What a CTA can have: of the target; of one that libtma does not know what sm_90 has. */
static uint32_t cta_shared_B(const emu_machine *m) {
    const tma_arch_row *arch = tma_arch_of(&m->target);
    return arch ? arch->shared_B : TMA_VALUE(SHARED);
}

/* Parameters and shared memory, which lie in the launch's memory. */
static int judge_memory(const emu_machine *m, tma_error *error) {
    const tma_emulate_launch *launch = m->launch;
    const size_t given_B = launch->params ? launch->params_B : 0;
    if (launch->params_B != m->kernel->parameter_B || (launch->params_B && !launch->params)) {
        return tma_fail(error, "params: %zu byte%s; the kernel's parameters have %llu", given_B,
                        text_plural(given_B), (unsigned long long)m->kernel->parameter_B);
    }
    if (launch->memories && !launch->memory) {
        return tma_fail(error, "memory: null, and there are %zu of them", launch->memories);
    }
    if (launch->schedule > TMA_EMULATE_SEEDED) {
        return tma_fail(error, "schedule: %u; there are 0 to %u", launch->schedule,
                        (uint32_t)TMA_EMULATE_SEEDED);
    }
    if (launch->dynamic_shared_B > cta_shared_B(m)) {
        return tma_fail(error, "dynamic shared memory: %u bytes; at most %u",
                        launch->dynamic_shared_B, cta_shared_B(m));
    }
    return 0;
}

int emu_launch_shared(const emu_machine *m, tma_error *error) {
    const uint64_t shared_B = (uint64_t)m->static_shared_B + m->dynamic_shared_B;
    if (shared_B > cta_shared_B(m)) {
        return tma_fail(error, "shared memory: %u byte%s static and %u dynamic; a CTA has %u",
                        m->static_shared_B, text_plural(m->static_shared_B), m->dynamic_shared_B,
                        cta_shared_B(m));
    }
    return 0;
}

/* Who makes machine code of the module: the launch's, or one that takes its .version. */
static uint32_t toolchain_of(const emu_machine *m) {
    const ptx_rows *rows = &m->program->rows;
    const tma_target made = {.ptx = rows->modules ? rows->module[0].version : 0,
                             .toolchain = m->launch->target.toolchain};
    return tma_target_toolchain(&made);
}

int emu_launch_judge(emu_machine *m, tma_error *error) {
    const char *name = m->launch->kernel;
    m->kernel = emu_kernel_of(m->program, name, name ? strlen(name) : 0, error);
    if (!m->kernel) {
        return -1;
    }
    m->target = m->launch->target;
    if (!m->target.sm && m->program->rows.modules) {
        m->target = m->program->rows.module[0].target;
    }
    m->target.toolchain = toolchain_of(m);
    return judge_block(m, error) || judge_cluster(m, error) || judge_grid(m, error) ||
                   judge_memory(m, error)
               ? -1
               : 0;
}
