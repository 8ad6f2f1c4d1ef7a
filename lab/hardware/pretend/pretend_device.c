/* SPDX-License-Identifier: Apache-2.0
 *
 * A GPU that is none: it answers with the library itself, so that the program around it can be
 * tested where no GPU is. PRETEND makes it lie: "byte", "count", "more" and "edit" spoil one answer
 * in a hundred; "kill" says that a kernel was killed by one copy in a thousand, "kills" by one in a
 * hundred, "together" by two at once, "live" that none is, "name" by what; "atom64" and "gather4"
 * kill every load of that feature, "flip" and "halves" run what libtma refuses, "edit96" leaves
 * edits to 96B out, "multicast" kills every multicast, "own-barrier" has .cta_group::2 signal no
 * peer, "neighbour" spoils a byte of each cluster's last CTA, "column" spoils a byte of one that
 * starts beside 32 elements, "halo" spoils a byte of im2col::w::128's with one; PRETEND_READINGS is
 * how it reads what is disputed (a number, as in tma_target.readings), "reading" ends a process
 * that was told another reading than the document's; "die" ends the process or the kernel, "rate"
 * fails where tile loads are timed; "older" has a driver of CUDA 12.8; with "memory" the program
 * has none left after a launch of copies, with "cluster-memory" after one of clusters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tma/copy.h>
#include <unistd.h>

#include "device.h"
#include <tma/pattern.h>

#define GLOBAL_ADDRESS UINT64_C(0x7f0000000000)
#define WINDOW_ADDRESS 0x400

static struct {
    tma_target target; /* as it is; the program is told of no reading */
    uint8_t *global;
    uint8_t *windows;
    struct device_copied *copied;
    int no_memory; /* from now on */
} pretend;

static int lies(const char *how) {
    const char *lie = getenv("PRETEND");
    const char *found = lie ? strstr(lie, how) : NULL; /* one of several, with commas between */
    const size_t length = strlen(how);
    return found && (found[length] == '\0' || found[length] == ',') &&
           (found == lie || found[-1] == ',');
}

void *__wrap_calloc(size_t count, size_t size);
void *__real_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size) {
    return pretend.no_memory ? NULL : __real_calloc(count, size);
}

const char *device_open(int ordinal, struct device_info *info) {
    memset(info, 0, sizeof(*info));
    strcpy(info->name, "no GPU");
    const char *arch = getenv("PRETEND_ARCH");
    const tma_arch_row *row = tma_arch_find(arch ? arch : "sm_90a");
    if (ordinal || !row) {
        return "there is only sm_90 and what PRETEND_ARCH says";
    }
    info->target =
        (tma_target){.sm = row->sm, .suffix = row->suffix, .driver = lies("older") ? 12080 : 13000};
    info->multiprocessors = 1;
    info->shared_B = 227 << 10;
    pretend.target = info->target;
    const char *readings = getenv("PRETEND_READINGS");
    pretend.target.readings = readings ? (uint32_t)strtoul(readings, NULL, 0) : 0;
    return NULL;
}

void device_use(void) {}

const char *device_reserve(uint64_t global_B, uint64_t windows_B, size_t copies,
                           struct device_room *room) {
    free(pretend.global);
    free(pretend.windows);
    free(pretend.copied);
    pretend.global = calloc(1, global_B);
    pretend.windows = calloc(1, windows_B);
    pretend.copied = calloc(copies, sizeof(*pretend.copied));
    if (!pretend.global || !pretend.windows || !pretend.copied) {
        return "no memory";
    }
    room->global_address = GLOBAL_ADDRESS;
    room->global = pretend.global;
    room->windows = pretend.windows;
    room->copied = pretend.copied;
    return NULL;
}

/* Whether a load's barrier gets as many bytes as it was told, fewer or more. */
static struct device_copied barrier(const struct device_copy *d, const tma_plan *plan,
                                    const tma_position *at) {
    tma_report_result report = {0};
    const int counted = d->op == TMA_OP_LOAD && tma_plan_report(&report, plan, at, NULL) == TMA_OK;
    const struct device_copied copied = {WINDOW_ADDRESS, !counted || report.tx_B >= d->expect_B,
                                         !counted || report.tx_B == d->expect_B};
    return copied;
}

/* What libtma refuses, as a GPU has it that runs it all the same: stores with the flip as without,
 * rows of 48 bytes as sm_103a. */
static tma_status plan_refused(tma_plan *plan, const tma_map *map, const tma_instruction *in,
                               tma_finding *why) {
    tma_target other = pretend.target;
    tma_decoded decoded;
    tma_map edited = *map;
    if (lies("halves")) {
        other.sm = 103;
        other.suffix = 'a';
    } else if (lies("flip") && tma_decode(&decoded, map->bytes) == TMA_OK &&
               decoded.spec.swizzle == TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B) {
        decoded.spec.swizzle = TMA_SWIZZLE_128B_ATOM_32B;
        (void)!tma_encode_forced(edited.bytes, &decoded.spec, &other, NULL);
    }
    return tma_plan_make(plan, edited.bytes, in, &other, why);
}

/* Whether the copy has the feature that this GPU is said not to have. */
static int is_unknown(const tma_instruction *in, const tma_map *map) {
    tma_decoded decoded;
    return in->op == TMA_OP_LOAD &&
           ((lies("gather4") && in->mode == TMA_MODE_GATHER4) ||
            (lies("atom64") && tma_decode(&decoded, map->bytes) == TMA_OK &&
             decoded.spec.swizzle == TMA_SWIZZLE_128B_ATOM_64B));
}

static const char *run_copy(const struct device_copy *d, const tma_map *map,
                            struct device_copied *copied) {
    const tma_instruction in = {
        .op = d->op, .mode = d->mode, .rank = d->rank, .cluster = d->cluster};
    const tma_range range = {.address = GLOBAL_ADDRESS + d->global_at,
                             .size_B = d->global_B,
                             .host = pretend.global + d->global_at};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {
        .address = WINDOW_ADDRESS, .size_B = d->window_B, .host = pretend.windows + d->window_at};
    tma_position at = {.shared_address = WINDOW_ADDRESS + d->shared_at};
    tma_plan plan;
    tma_finding why;
    memcpy(at.coord, d->coord, sizeof(at.coord));
    memcpy(at.offset, d->offset, sizeof(at.offset));
    const tma_pattern pattern = (tma_pattern)d->fill;
    tma_pattern_fill(pretend.global + d->global_at, d->global_B, pattern, d->seed);
    if (d->op == TMA_OP_LOAD || d->op == TMA_OP_PREFETCH) {
        memset(window.host, TMA_WINDOW_UNTOUCHED, d->window_B);
    } else {
        tma_pattern_fill(window.host, d->window_B, pattern, tma_window_seed(d->fill, d->seed));
    }
    if (is_unknown(&in, map)) {
        return "cudaErrorIllegalInstruction";
    }
    tma_status status = tma_plan_make(&plan, map->bytes, &in, &pretend.target, &why);
    if (status == TMA_UNKNOWN) {
        status = plan_refused(&plan, map, &in, &why);
    }
    if (status == TMA_OK) {
        status = tma_copy_reference(&plan, &at, &global, &window, &why);
    }
    *copied = (struct device_copied){WINDOW_ADDRESS, 1, 1};
    if (status == TMA_OK) {
        *copied = barrier(d, &plan, &at);
    }
    if (status == TMA_OK || lies("live")) {
        return NULL;
    }
    if (status == TMA_UNKNOWN) {
        return "cudaErrorIllegalInstruction";
    }
    return status == TMA_TRAP && !lies("name") ? tma_trap_name(&why) : "cudaErrorUnknown";
}

/* Whether this process was started with another reading than the document's. */
static int is_asked_otherwise(void) {
    char arguments[4096] = "";
    FILE *file = fopen("/proc/self/cmdline", "r");
    const size_t size = file ? fread(arguments, 1, sizeof(arguments) - 1, file) : 0;
    unsigned readings = 0;
    for (size_t i = 0; i < size; i += strlen(arguments + i) + 1) {
        sscanf(arguments + i, "--readings=%u", &readings);
    }
    if (file) {
        fclose(file);
    }
    return readings != 0;
}

const char *device_run_copies(const struct device_copy *copies, const tma_map *maps, size_t count) {
    const int kills = lies("kills") ? 100 : lies("kill") ? 1000 : 0;
    if (lies("die") || (lies("reading") && is_asked_otherwise())) {
        _exit(5);
    }
    pretend.no_memory = lies("memory");
    if (count > 1 && lies("together")) {
        return "cudaErrorIllegalAddress";
    }
    for (size_t k = 0; k < count; k++) {
        const struct device_copy *d = &copies[k];
        const int odd = d->seed % 100 == 7 && d->op != TMA_OP_PREFETCH;
        if (k > 0 && d->window_B < copies[k - 1].window_B) {
            return "copies that are not sorted by window_B";
        }
        const char *error = run_copy(d, &maps[k], &pretend.copied[k]);
        if (error || (odd && kills && d->seed % (uint64_t)kills == 7)) {
            return error ? error : "cudaErrorIllegalInstruction";
        }
        if (odd) {
            pretend.windows[d->window_at + d->window_B / 2] ^= (uint8_t)lies("byte");
            pretend.copied[k].completed ^= (uint32_t)lies("count");
            pretend.copied[k].exact ^= (uint32_t)lies("more");
        }
        if (d->op == TMA_OP_LOAD && d->mode == TMA_MODE_TILE && d->coord[0] % 32 && count == 1 &&
            lies("column")) {
            pretend.windows[d->window_at + d->shared_at] ^= 1;
        }
        if (d->mode == TMA_MODE_IM2COL_W128 && d->offset[0] && lies("halo")) {
            pretend.windows[d->window_at + d->shared_at] ^= 1;
        }
    }
    return NULL;
}

/* The count of each CTA's barrier, by libtma's word for who signals whom. */
static void cluster_barriers(const struct device_cluster_copy *k, const tma_plan *plan,
                             uint64_t tx_B, struct device_copied *copied) {
    for (uint32_t cta = 0; cta < DEVICE_CLUSTER_CTAS; cta++) {
        uint64_t came_B = 0;
        for (uint32_t to = 0; to < DEVICE_CLUSTER_CTAS; to++) {
            const int receives = k->cta_mask ? (int)(k->cta_mask >> to & 1) : to == k->issuer;
            const uint32_t at =
                lies("own-barrier") ? to : tma_plan_barrier_cta(plan, to, k->barrier_cta);
            came_B += receives && at == cta ? tx_B : 0;
        }
        copied[cta] = (struct device_copied){WINDOW_ADDRESS, came_B >= k->expect_B[cta],
                                             came_B == k->expect_B[cta]};
    }
}

static const char *run_cluster(const struct device_cluster_copy *k, const tma_map *map,
                               struct device_copied *copied) {
    const struct device_copy *d = &k->copy;
    const tma_instruction in = {.op = d->op,
                                .mode = d->mode,
                                .rank = d->rank,
                                .cluster = 1,
                                .cta_group = k->cta_group,
                                .cta_mask = k->cta_mask};
    const tma_range range = {.address = GLOBAL_ADDRESS + d->global_at,
                             .size_B = d->global_B,
                             .host = pretend.global + d->global_at};
    const tma_global global = {.ranges = &range, .count = 1};
    tma_window windows[DEVICE_CLUSTER_CTAS] = {{0}};
    tma_position at = {.shared_address = WINDOW_ADDRESS + d->shared_at};
    tma_report_result report = {0};
    tma_plan plan;
    memcpy(at.coord, d->coord, sizeof(at.coord));
    memcpy(at.offset, d->offset, sizeof(at.offset));
    tma_pattern_fill(range.host, d->global_B, (tma_pattern)d->fill, d->seed);
    for (uint32_t i = 0; i < DEVICE_CLUSTER_CTAS; i++) {
        windows[i].address = WINDOW_ADDRESS;
        windows[i].size_B = d->window_B;
        windows[i].host = pretend.windows + d->window_at + (size_t)i * d->window_B;
        memset(windows[i].host, TMA_WINDOW_UNTOUCHED, d->window_B);
    }
    if ((lies("multicast") && k->cta_mask) ||
        tma_plan_make(&plan, map->bytes, &in, &pretend.target, NULL) != TMA_OK ||
        tma_plan_report(&report, &plan, &at, NULL) != TMA_OK) {
        return "cudaErrorIllegalInstruction";
    }
    cluster_barriers(k, &plan, report.tx_B, copied);
    const tma_status status =
        k->cta_mask ? tma_copy_multicast(&plan, &at, &global, windows, DEVICE_CLUSTER_CTAS, NULL)
                    : tma_copy_reference(&plan, &at, &global, &windows[k->issuer], NULL);
    if (lies("neighbour")) { /* the last CTA's window changes, whether it is in the mask or not */
        ((uint8_t *)windows[DEVICE_CLUSTER_CTAS - 1].host)[d->window_B - 1] ^= 1;
    }
    return status == TMA_OK ? NULL : "cudaErrorLaunchFailure";
}

const char *device_run_clusters(const struct device_cluster_copy *copies,
                                const struct device_copy *plain, const tma_map *maps,
                                size_t count) {
    const char *error = NULL;
    (void)plain;
    pretend.no_memory = lies("cluster-memory");
    for (size_t k = 0; k < count && !error; k++) {
        error = run_cluster(&copies[k], &maps[k], &pretend.copied[k * DEVICE_CLUSTER_CTAS]);
    }
    return error;
}

const char *device_replace(tma_map *maps, const struct device_edit *edits, size_t count) {
    if (lies("die")) {
        return "cudaErrorUnknown";
    }
    for (size_t i = 0; i < count; i++) {
        if (tma_replace(maps[i].bytes,
                        &(tma_edit){.field = (tma_replace_field)edits[i].field,
                                    .ordinal = edits[i].ordinal,
                                    .value = edits[i].value},
                        NULL) != TMA_OK) {
            return "an edit that ptxas refuses";
        }
        if (lies("edit96") && edits[i].field == TMA_REPLACE_SWIZZLE_MODE && edits[i].value == 4) {
            maps[i].bytes[10] ^= 0x40; /* bit 22 of word 2 */
        }
        if (lies("edit") && i % 100 == 7) {
            maps[i].bytes[127] ^= 1;
        }
    }
    return NULL;
}

const char *device_bandwidth(const struct device_tiles *tiles, double *rate_B) {
    *rate_B = (10 * tiles->row_B * tiles->columns + (unsigned)tiles->swizzle) * 1e8;
    return lies("rate") ? "cudaErrorUnknown" : NULL;
}
