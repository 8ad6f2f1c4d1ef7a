/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of kernels that the driver compiles.
 */
#include "capped_image.h"

#include <stdlib.h>
#include <string.h>

#include "own_work.h"
#include "ptx_cap.h"

#define ANY_BLOCK  64u /* registers with which a block of 1,024 threads launches */
#define MOST_NOTED 160

struct use {
    int is_known;
    int registers, local_B;
};

/* The kernels' of one load. */
static void ask(struct use *use, const ptx_cap *cap, uint32_t caps,
                const struct loaded_kernels *loaded) {
    for (uint32_t i = 0; i < caps; i++) {
        char *name = strndup(cap[i].name.at, cap[i].name.length);
        use[i].is_known =
            name && kernels_use(loaded, name, &use[i].registers, &use[i].local_B) == SHIM_SUCCESS;
        free(name);
    }
}

static int any_above(const struct use *use, uint32_t caps) {
    int above = 0;
    for (uint32_t i = 0; i < caps; i++) {
        above |= use[i].is_known && (uint32_t)use[i].registers > ANY_BLOCK;
    }
    return above;
}

/* A bound for each kernel that has more registers than it may; whether one has. */
static int bound(ptx_cap *cap, uint32_t caps, const struct use *plain, const struct use *checked) {
    int any = 0;
    for (uint32_t i = 0; i < caps; i++) {
        uint32_t threads = 0;
        const int both = plain[i].is_known && checked[i].is_known;
        const uint32_t most =
            both ? ptx_cap_of((uint32_t)plain[i].registers, &threads) : PTX_CAP_NONE;
        if (both && (uint32_t)checked[i].registers > most) {
            cap[i].registers = most;
            any = 1;
        }
    }
    return any;
}

/* The text with bounds, in the place of the one without; 0: there is no memory. */
static int write_bounds(struct checked_image *image, const ptx_cap *cap, uint32_t caps) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    int failed = !out || ptx_cap_write(out, image->text, strlen(image->text), cap, caps);
    failed |= out ? fclose(out) : 1;
    if (failed || !text) {
        free(text);
        return 0;
    }
    image->capped = text; /* the names point into the other */
    return 1;
}

/* As the notes of tma ptxas. */
static void note(struct checked_image *image, const ptx_cap *cap, const struct use *plain,
                 const struct use *checked) {
    uint32_t threads = 0;
    char *longer = NULL;
    (void)ptx_cap_of((uint32_t)plain->registers, &threads);
    const size_t length = cap->name.length < MOST_NOTED ? cap->name.length : MOST_NOTED;
    if (asprintf(&longer,
                 "%s%.*s: no block size in the file: %d registers without checks, %d with them, at "
                 "most %u, with which %u threads launch; stack %d B without checks, %d B with "
                 "them\n",
                 image->notes, (int)length, cap->name.at, plain->registers, checked->registers,
                 (unsigned)cap->registers, (unsigned)threads, plain->local_B,
                 checked->local_B) >= 0) {
        free(image->notes);
        image->notes = longer;
        image->notes_B = strlen(longer);
    }
}

/* The room of one call. */
struct work {
    ptx_cap *cap;
    struct use *checked, *plain;
    uint32_t caps;
};

static void free_work(struct work *w) {
    free(w->cap);
    free(w->checked);
    free(w->plain);
}

/* Whether there are kernels that have to be compared with what they are without checks. */
static int begin(struct work *w, const struct checked_image *image,
                 const struct loaded_kernels *loaded) {
    const int caps = ptx_cap_kernels(&w->cap, image->text, strlen(image->text));
    w->caps = caps > 0 ? (uint32_t)caps : 0;
    w->checked = calloc((size_t)w->caps + 1, sizeof(*w->checked));
    w->plain = calloc((size_t)w->caps + 1, sizeof(*w->plain));
    if (!w->caps || !w->checked || !w->plain) {
        return 0;
    }
    ask(w->checked, w->cap, w->caps, loaded);
    return any_above(w->checked, w->caps);
}

shim_result capped_image(struct checked_image *image, const struct image_load *load,
                         struct loaded_kernels *loaded) {
    struct work w = {NULL, NULL, NULL, 0};
    struct loaded_kernels own = {NULL, NULL};
    shim_result rc = SHIM_SUCCESS;
    const struct own_work work = own_work_begin();
    if (begin(&w, image, loaded) && load->load(load->call, NULL, &own) == SHIM_SUCCESS) {
        ask(w.plain, w.cap, w.caps, &own);
        kernels_unload(&own);
        if (bound(w.cap, w.caps, w.plain, w.checked) && write_bounds(image, w.cap, w.caps)) {
            kernels_unload(loaded);
            *loaded = (struct loaded_kernels){NULL, NULL};
            rc = load->load(load->call, image->capped, loaded);
            if (rc == SHIM_SUCCESS) {
                ask(w.checked, w.cap, w.caps, loaded);
            }
        }
        for (uint32_t i = 0; rc == SHIM_SUCCESS && i < w.caps; i++) {
            if (w.cap[i].registers < PTX_CAP_NONE) {
                note(image, &w.cap[i], &w.plain[i], &w.checked[i]);
            }
        }
    }
    free_work(&w);
    own_work_end(&work);
    return rc;
}
