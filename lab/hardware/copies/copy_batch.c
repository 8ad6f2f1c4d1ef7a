/* SPDX-License-Identifier: Apache-2.0
 *
 * A batch of copies. Each has a slice of one global buffer; what hardware leaves there and in the
 * shared window is compared with tma_copy() and with tma_copy_reference(), every byte.
 */
#include "copy_batch.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "answers_file.h"
#include "case_lines.h"
#include "case_on_device.h"
#include "parallel.h"
#include <tma/pattern.h>

#define SLICE_ALIGN_B 256

struct batch {
    const struct session *session;
    uint64_t first;
    size_t made;  /* cases */
    size_t count; /* of them run */
    struct copy_case *cases;
    struct device_copy *copies; /* sorted by window_B, as the device wants them */
    size_t *case_of;            /* of a copy */
    uint8_t *differs;           /* of a copy */
    size_t left_out;
    tma_map *maps;
    struct device_room room;
    pthread_mutex_t printing;
    _Atomic uint64_t failed;
    _Atomic uint64_t bytes;
};

static unsigned reported; /* differences printed by this process; under the batch's mutex */

typedef tma_status (*copier)(const tma_plan *, const tma_position *, const tma_global *,
                             const tma_window *, tma_finding *);

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fprintf(stderr, "tma-conformance: no memory for %zu times %zu bytes\n", count, size);
        exit(3);
    }
    return memory;
}

static tma_map *allocate_maps(size_t count) {
    tma_map *maps = aligned_alloc(sizeof(tma_map), (count + 1) * sizeof(tma_map));
    if (!maps) {
        fprintf(stderr, "tma-conformance: no memory for %zu maps\n", count);
        exit(3);
    }
    return maps;
}

static uint64_t number_of(const struct batch *b, size_t index) {
    return b->session->number_count ? b->session->numbers[index] : b->first + index;
}

static void make_cases(void *context, uint64_t first, uint64_t count) {
    struct batch *b = context;
    for (uint64_t i = first; i < first + count; i++) {
        copy_case_make(&b->cases[i], b->session->seed, number_of(b, i), &b->session->device.target);
    }
}

static int by_window(const void *a, const void *b) {
    const struct device_copy *x = a;
    const struct device_copy *y = b;
    if (x->window_B != y->window_B) {
        return x->window_B < y->window_B ? -1 : 1;
    }
    return x->seed < y->seed ? -1 : x->seed > y->seed;
}

static uint64_t round_up(uint64_t size_B) {
    return (size_B + SLICE_ALIGN_B - 1) / SLICE_ALIGN_B * SLICE_ALIGN_B;
}

/* Chooses the cases that run and gives each its place. Returns the bytes of both buffers. */
static void place_copies(struct batch *b, int trapping, uint64_t *global_B, uint64_t *windows_B) {
    b->count = 0;
    for (size_t i = 0; i < b->made; i++) {
        if (features_of(&b->cases[i]) & b->session->without) {
            b->left_out++;
        } else if (!b->cases[i].traps == !trapping) {
            struct device_copy *d = &b->copies[b->count++];
            *d = case_on_device(&b->cases[i]);
            d->global_at = i; /* until they are sorted */
        }
    }
    qsort(b->copies, b->count, sizeof(*b->copies), by_window);
    *global_B = *windows_B = 0;
    for (size_t k = 0; k < b->count; k++) {
        struct device_copy *d = &b->copies[k];
        b->case_of[k] = (size_t)d->global_at;
        d->global_at = *global_B;
        d->window_at = *windows_B;
        *global_B += round_up(d->global_B);
        *windows_B += round_up(d->window_B);
    }
}

static int is_edited(const struct batch *b, size_t k) {
    return b->cases[b->case_of[k]].spec.swizzle == TMA_SWIZZLE_96B;
}

/* No driver makes a map with swizzle 96B: the device does, from one without a swizzle. The batch
 * keeps libtma's edits, `theirs` are the device's. */
static const char *edit_maps(struct batch *b, tma_map *theirs) {
    static const tma_edit to_96B = {.field = TMA_REPLACE_SWIZZLE_MODE, .value = 4};
    struct device_edit *edits = allocate(b->count, sizeof(*edits));
    tma_map *edited = allocate_maps(b->count);
    size_t count = 0;
    for (size_t k = 0; k < b->count; k++) {
        theirs[k] = b->maps[k];
        if (is_edited(b, k)) {
            edits[count] = (struct device_edit){to_96B.field, 0, to_96B.value};
            edited[count++] = b->maps[k];
            (void)!tma_replace(b->maps[k].bytes, &to_96B, NULL); /* else the copies differ */
        }
    }
    const char *error = count ? device_replace(edited, edits, count) : NULL;
    for (size_t k = b->count; !error && k-- > 0;) {
        if (is_edited(b, k)) {
            theirs[k] = edited[--count];
        }
    }
    free(edits);
    free(edited);
    return error;
}

static void encode_maps(void *context, uint64_t first, uint64_t count) {
    struct batch *b = context;
    for (uint64_t k = first; k < first + count; k++) {
        tma_spec spec = b->cases[b->case_of[k]].spec;
        spec.address += b->room.global_address + b->copies[k].global_at;
        spec.swizzle = spec.swizzle == TMA_SWIZZLE_96B ? TMA_SWIZZLE_NONE : spec.swizzle;
        if (tma_encode(b->maps[k].bytes, &spec, &b->session->device.target) != TMA_OK) {
            memset(&b->maps[k], 0, sizeof(b->maps[k])); /* was accepted when drawn */
        }
    }
}

/* The library's copy of one case, at the addresses that the hardware's had. */
static tma_status run_ours(const struct batch *b, size_t k, const struct memory *m, copier copy,
                           tma_finding *why) {
    const struct copy_case *c = &b->cases[b->case_of[k]];
    const uint64_t slice = b->room.global_address + b->copies[k].global_at;
    const uint32_t base = b->room.copied[k].window_address;
    const tma_range range = {.address = slice, .size_B = c->global_B, .host = m->global};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = base, .size_B = c->window_B, .host = m->window};
    tma_plan plan;
    tma_position at = c->at;
    at.shared_address += base;
    case_fill_memory(c, m);
    const tma_status status =
        tma_plan_make(&plan, b->maps[k].bytes, &c->in, &b->session->device.target, why);
    return status == TMA_OK ? copy(&plan, &at, &global, &window, why) : status;
}

static struct memory theirs_of(const struct batch *b, size_t k) {
    const struct memory m = {(uint8_t *)(uintptr_t)(b->room.global + b->copies[k].global_at),
                             (uint8_t *)(uintptr_t)(b->room.windows + b->copies[k].window_at)};
    return m;
}

static void report(struct batch *b, size_t k, const char *what, tma_status status,
                   const tma_finding *why, const struct memory *ours) {
    const struct copy_case *c = &b->cases[b->case_of[k]];
    const struct device_copied *copied = &b->room.copied[k];
    const struct memory theirs = theirs_of(b, k);
    pthread_mutex_lock(&b->printing);
    if (!b->session->quiet && reported++ < MOST_REPORTS) {
        printf("case %" PRIu64 ", %s%s: ", number_of(b, b->case_of[k]), what,
               c->in.cluster ? ", to .shared::cluster" : "");
        if (status != TMA_OK) {
            char text[512];
            tma_finding_text(text, sizeof(text), why);
            printf("libtma answers %s: %s\n", tma_status_name(status), text);
        } else {
            printf("the barrier %s\n", !copied->completed ? "did not complete"
                                       : !copied->exact   ? "got more bytes than expected"
                                                          : "is as it should be");
            print_byte_differences(stdout, "shared window", theirs.window, ours->window,
                                   c->window_B);
            print_byte_differences(stdout, "global buffer", theirs.global, ours->global,
                                   c->global_B);
        }
        print_case(stdout, "hw", &c->spec, &b->session->device.target);
        print_copy_request(stdout, c, &b->session->device.target);
        printf("\n  again: tma-conformance --part copies --seed %" PRIu64 " --first %" PRIu64
               " --count 1 --traps 0\n",
               b->session->seed, number_of(b, b->case_of[k]));
    }
    pthread_mutex_unlock(&b->printing);
}

static int same_memory(const struct copy_case *c, const struct memory *a, const struct memory *b) {
    return memcmp(a->global, b->global, c->global_B) == 0 &&
           memcmp(a->window, b->window, c->window_B) == 0;
}

static int compare_copy(struct batch *b, size_t k, const struct memory *ours) {
    static const struct {
        const char *name;
        copier copy;
    } copiers[] = {{"tma_copy", tma_copy}, {"tma_copy_reference", tma_copy_reference}};
    const struct copy_case *c = &b->cases[b->case_of[k]];
    const struct device_copied *copied = &b->room.copied[k];
    const struct memory theirs = theirs_of(b, k);
    for (int i = 0; i < 2; i++) {
        tma_finding why = {0};
        const tma_status status = run_ours(b, k, ours, copiers[i].copy, &why);
        if (status != TMA_OK || !copied->completed || !copied->exact ||
            !same_memory(c, &theirs, ours)) {
            report(b, k, copiers[i].name, status, &why, ours);
            return 0;
        }
    }
    return 1;
}

static void compare_copies(void *context, uint64_t first, uint64_t count) {
    struct batch *b = context;
    const struct memory ours = {allocate(MOST_GLOBAL_B, 1), allocate(MOST_WINDOW_B, 1)};
    for (uint64_t k = first; k < first + count; k++) {
        const struct copy_case *c = &b->cases[b->case_of[k]];
        b->differs[k] = !compare_copy(b, (size_t)k, &ours);
        atomic_fetch_add(&b->failed, b->differs[k]);
        atomic_fetch_add(&b->bytes, (uint64_t)c->global_B + c->window_B);
    }
    free(ours.global);
    free(ours.window);
}

static uint64_t fnv1a(const uint8_t *bytes, uint64_t count) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint64_t i = 0; i < count; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

/* The hardware's answers, in the order of the cases' sizes. */
static void write_vectors(const struct batch *b) {
    FILE *out = b->session->vectors;
    for (size_t k = 0; out && k < b->count; k++) {
        const struct copy_case *c = &b->cases[b->case_of[k]];
        const struct memory theirs = theirs_of(b, k);
        const int load = c->in.op == TMA_OP_LOAD;
        if (c->in.op == TMA_OP_PREFETCH || /* leaves nothing to answer with */
            !vector_is_wanted(b->session, number_of(b, b->case_of[k]), b->differs[k])) {
            continue;
        }
        print_case(out, "hw", &c->spec, &b->session->device.target);
        print_copy_request(out, c, &b->session->device.target);
        fprintf(out, " rc=0 st=%" PRIu32, b->room.copied[k].completed);
        if (load && b->room.copied[k].exact && b->session->device.target.sm != 90) {
            fprintf(out, " tx=%" PRIu32, c->expect_B); /* so many completed it, and no more came */
        }
        fprintf(out, " n=%" PRIu32 " hash=%016" PRIx64 "\n", load ? c->window_B : c->global_B,
                load ? fnv1a(theirs.window, c->window_B) : fnv1a(theirs.global, c->global_B));
    }
}

static const char *run_and_compare(struct batch *b, int trapping) {
    uint64_t global_B = 0;
    uint64_t windows_B = 0;
    const unsigned threads = b->session->threads;
    parallel_for(threads, 0, b->made, 16, make_cases, b);
    place_copies(b, trapping, &global_B, &windows_B);
    if (b->count == 0) {
        return NULL;
    }
    const char *error = device_reserve(global_B, windows_B, b->count, &b->room);
    if (error) {
        fprintf(stderr, "tma-conformance: no room on the GPU: %s\n", error);
        exit(3);
    }
    parallel_for(threads, 0, b->count, 64, encode_maps, b);
    tma_map *theirs = allocate_maps(b->count);
    error = edit_maps(b, theirs);
    error = error ? error : device_run_copies(b->copies, theirs, b->count);
    free(theirs);
    if (!error) {
        parallel_for(threads, 0, b->count, 16, compare_copies, b);
        write_vectors(b);
    }
    return error;
}

static void count_features(const struct batch *b, struct copy_batch_result *result) {
    for (size_t k = 0; k < b->count; k++) {
        const uint32_t set = features_of(&b->cases[b->case_of[k]]);
        for (unsigned f = 0; f < FEATURES; f++) {
            result->ran[f] += set >> f & 1;
            result->differed[f] += set >> f & b->differs[k];
        }
    }
}

const char *copy_batch_run(const struct session *session, uint64_t first, uint64_t count,
                           int trapping, struct copy_batch_result *result) {
    struct batch b = {.session = session, .first = first, .made = (size_t)count};
    b.made = session->number_count ? session->number_count : b.made;
    b.differs = allocate(b.made, sizeof(*b.differs));
    b.cases = allocate(b.made, sizeof(*b.cases));
    b.copies = allocate(b.made, sizeof(*b.copies));
    b.case_of = allocate(b.made, sizeof(*b.case_of));
    b.maps = allocate_maps(b.made);
    pthread_mutex_init(&b.printing, NULL);
    const char *error = run_and_compare(&b, trapping);
    pthread_mutex_destroy(&b.printing);
    if (!error) {
        result->passed += b.count - b.failed;
        result->failed += b.failed;
        result->trapping += b.made - b.count - b.left_out;
        result->left_out += b.left_out;
        result->bytes += b.bytes;
        count_features(&b, result);
    }
    free(b.differs);
    free(b.cases);
    free(b.copies);
    free(b.case_of);
    free(b.maps);
    return error;
}
