/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels of all modules, and what can be said of one.
 */
#include <stdlib.h>
#include <string.h>

#include "emulated_program.h"
#include "launch.h"
#include "ptx_place.h"
#include "schedule.h"

static program_kernel *kernels; /* under the lock */

program_kernel *tma_program_kernel_new(program_module *m, const char *name, size_t length,
                                       const void *host) {
    program_kernel *k = calloc(1, sizeof(*k));
    char *own = malloc(length + 1);
    if (!k || !own) {
        free(k);
        free(own);
        return NULL;
    }
    memcpy(own, name, length);
    own[length] = 0;
    tma_program_lock();
    *k = (program_kernel){.host = host, .name = own, .module = m, .next = kernels};
    kernels = k;
    tma_program_unlock();
    return k;
}

void tma_program_kernels_free(const program_module *m) {
    tma_program_lock();
    for (program_kernel **where = &kernels; *where;) {
        program_kernel *const k = *where;
        if (k->module == m) {
            *where = k->next;
            free(k->name);
            free(k);
        } else {
            where = &k->next;
        }
    }
    tma_program_unlock();
}

program_kernel *tma_program_kernel_of(const void *host) {
    tma_program_lock();
    program_kernel *k = kernels;
    while (k && (!host || k->host != host)) {
        k = k->next;
    }
    tma_program_unlock();
    return k;
}

int tma_program_is_kernel(const program_kernel *kernel) {
    tma_program_lock();
    const program_kernel *k = kernels;
    while (k && k != kernel) {
        k = k->next;
    }
    tma_program_unlock();
    return k != NULL;
}

/* A handle for each entry, made when it is asked for first. */
program_kernel *tma_program_kernel_named(program_module *m, const char *name) {
    size_t length = 0;
    const char *entry = NULL;
    tma_program_lock();
    program_kernel *k = kernels;
    while (k && (k->module != m || strcmp(k->name, name) != 0)) {
        k = k->next;
    }
    tma_program_unlock();
    for (size_t i = 0; !k && (entry = tma_program_kernel_at(m, i, &length)); i++) {
        if (length == strlen(name) && !memcmp(entry, name, length)) {
            k = tma_program_kernel_new(m, entry, length, NULL);
        }
    }
    return k;
}

/* ---- attributes ---- */

static const emu_function *function_of(const emu_program *p, const char *name) {
    const emu_function *f = p->function;
    for (uint32_t i = 0; i < p->functions; i++, f++) {
        if (f->name.length == strlen(name) && !memcmp(f->name.at, name, f->name.length)) {
            return f;
        }
    }
    return NULL;
}

/* Static shared memory, variable by variable as a launch lays it out. */
static uint64_t shared_of(const emu_program *p, const emu_function *f) {
    uint64_t end = 0;
    for (uint32_t i = 0; i < f->used; i++) {
        const emu_variable *v = &p->variable[p->used[f->first_used + i]];
        if (v->space == EMU_SHARED_CTA && !v->is_extern) {
            end = ptx_round_up(end, v->align_B) + v->size_B;
        }
    }
    return end;
}

static uint32_t product(const uint32_t size[3]) {
    return size[0] * size[1] * size[2];
}

static uint32_t threads_of(const emu_function *f) {
    const uint32_t required = product(f->required), most = product(f->most);
    return required ? required : most ? most : (uint32_t)PROGRAM_ATTRIBUTE(BLOCK_THREADS);
}

cuda_error tma_program_kernel_get(int *value, uint32_t attribute, program_kernel *k) {
    cuda_error error = CUDA_SUCCESS;
    if (!value || attribute >= KERNEL_ATTRIBUTES) {
        return CUDA_INVALID_VALUE;
    }
    tma_program_lock();
    const tma_emulator *emulator = tma_program_emulator(k->module, &error);
    tma_program_unlock();
    const emu_program *p = emulator ? emu_program_of(emulator) : NULL;
    const emu_function *f = p ? function_of(p, k->name) : NULL;
    if (!f) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_DEVICE_FUNCTION;
    }
    const int own[KERNEL_ATTRIBUTES] = {
        [KERNEL_THREADS] = (int)threads_of(f),
        [KERNEL_SHARED_B] = (int)shared_of(p, f),
        [KERNEL_LOCAL_B] = (int)f->local_B,
        [KERNEL_PTX_VERSION] = (int)tma_program_device()->sm,
        [KERNEL_BINARY_VERSION] = (int)tma_program_device()->sm,
        [KERNEL_DYNAMIC_SHARED_B] =
            k->dynamic_shared_most_B ? k->dynamic_shared_most_B : PROGRAM_ATTRIBUTE(BLOCK_SHARED_B),
        [KERNEL_CLUSTER_MUST_BE_SET] = f->explicit_cluster && !product(f->cluster),
        [KERNEL_CLUSTER_X] = (int)f->cluster[0],
        [KERNEL_CLUSTER_Y] = (int)f->cluster[1],
        [KERNEL_CLUSTER_Z] = (int)f->cluster[2],
        [KERNEL_NON_PORTABLE_CLUSTER] = k->may_be_large_cluster,
    };
    *value = own[attribute];
    return CUDA_SUCCESS;
}

cuda_error tma_program_kernel_set(program_kernel *k, uint32_t attribute, int value) {
    const cuda_error died = tma_program_died();
    if (died != CUDA_SUCCESS || attribute >= KERNEL_ATTRIBUTES) {
        return died != CUDA_SUCCESS ? died : CUDA_INVALID_VALUE;
    }
    if (attribute == KERNEL_DYNAMIC_SHARED_B) {
        if (value < 0 || value > PROGRAM_ATTRIBUTE(BLOCK_SHARED_OPTIN_B)) {
            return CUDA_INVALID_VALUE;
        }
        k->dynamic_shared_most_B = value;
    }
    if (attribute == KERNEL_NON_PORTABLE_CLUSTER) {
        k->may_be_large_cluster = value != 0;
    }
    return CUDA_SUCCESS;
}

/* ---- occupancy ---- */

cuda_error tma_program_occupancy(int *blocks, program_kernel *k, int threads, size_t shared_B) {
    int most = 0;
    const cuda_error error = tma_program_kernel_get(&most, KERNEL_THREADS, k);
    if (error != CUDA_SUCCESS || !blocks || threads <= 0) {
        return error != CUDA_SUCCESS ? error : CUDA_INVALID_VALUE;
    }
    *blocks = threads <= most && shared_B <= (size_t)PROGRAM_ATTRIBUTE(BLOCK_SHARED_OPTIN_B);
    return CUDA_SUCCESS;
}

cuda_error tma_program_fits(program_kernel *k, const program_launch *how) {
    int static_B = 0;
    const cuda_error error = tma_program_kernel_get(&static_B, KERNEL_SHARED_B, k);
    if (error != CUDA_SUCCESS) {
        return error;
    }
    const uint32_t cluster = product(how->cluster) ? product(how->cluster) : 1;
    const uint64_t ctas = (uint64_t)how->grid[0] * how->grid[1] * how->grid[2];
    const uint64_t most = emu_chip_holds(emu_chip_of(tma_program_device()->sm), product(how->block),
                                         (uint32_t)(how->dynamic_shared_B + (size_t)static_B));
    return ctas > most / cluster * cluster ? CUDA_COOPERATIVE_TOO_LARGE : CUDA_SUCCESS;
}

cuda_error tma_program_clusters(int *clusters, const uint32_t cluster[3]) {
    const uint32_t ctas = product(cluster);
    if (!clusters) {
        return CUDA_INVALID_VALUE;
    }
    *clusters = PROGRAM_ATTRIBUTE(PROCESSORS) / (int)(ctas ? ctas : 1);
    return CUDA_SUCCESS;
}
