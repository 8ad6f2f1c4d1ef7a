/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts and kernels as they come, the newest first.
 */
#include "captured_kernels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "careful_read.h"
#include "compiled_code.h"
#include "fat_image.h"
#include "image_bytes.h"
#include "kernel_head.h"
#include "machine_code.h"
#include "report_out.h"
#include "settings.h"
#include "tma/pattern.h"
#include "tma/text.h"

#define MOST_KEPT_B (UINT64_C(512) << 20)
#define MOST_PATH_B 4400
#define MOST_NAME_B 4096

static _Atomic(const struct captured_text *) texts;
static _Atomic(struct captured_kernel *) kernels;
static _Atomic(uint64_t) kept_B;

/* ---- texts ---- */

static void put_first(struct captured_text *text) {
    text->next = atomic_load_explicit(&texts, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&texts, &text->next, text, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

static int keep_text(const char *text, size_t text_B, const void *owner) {
    const int has_room = atomic_fetch_add(&kept_B, text_B) + text_B <= MOST_KEPT_B;
    struct captured_text *kept = has_room ? malloc(sizeof(*kept) + text_B + 1) : NULL;
    if (!kept) {
        atomic_fetch_sub(&kept_B, text_B);
        report_message("the PTX of a module (%zu B) is not kept: its launches are not captured",
                       text_B);
        return 0;
    }
    kept->owner = owner;
    kept->is_mark = 0;
    kept->text_B = text_B;
    memcpy(kept->text, text, text_B);
    kept->text[text_B] = 0;
    put_first(kept);
    return 1;
}

/* Whatever the image has. */
static void begin_load(const void *owner) {
    struct captured_text *mark = calloc(1, sizeof(*mark));
    if (mark) {
        mark->owner = owner;
        mark->is_mark = 1;
        put_first(mark);
    }
}

/* tma ptxas leaves there what it made each cubin of. */
static int keep_of_ptxas(const char *cubin, size_t most_B, const void *owner) {
    char path[MOST_PATH_B];
    size_t text_B = 0;
    const size_t size_B = settings()->capture_ptx ? machine_code_size(cubin, most_B) : 0;
    char *copy = size_B ? malloc(size_B) : NULL;
    char *text = NULL;
    if (copy && !read_carefully(copy, cubin, size_B)) {
        tma_out out = tma_out_into(path, sizeof(path));
        tma_putf(&out, "%s/%016llx.ptx", settings()->capture_ptx,
                 (unsigned long long)tma_hash(copy, size_B));
        text = image_file_text(path, &text_B);
    }
    const int kept = text && keep_text(text, text_B - 1, owner);
    free(text);
    free(copy);
    return kept;
}

/* Whether its PTX is kept; `*unknown` counts kernels with copies that have none. */
static int keep_cubin(const char *cubin, size_t most_B, const void *owner, uint32_t *unknown) {
    const char *text = compiled_code_text(cubin, most_B);
    const int kept =
        text ? keep_text(text, strlen(text), owner) : keep_of_ptxas(cubin, most_B, owner);
    const uint32_t kernels_there = kept ? 0 : machine_code_unchecked(cubin, most_B);
    *unknown = kernels_there > *unknown ? kernels_there : *unknown;
    return kept;
}

static int keep_packed(const struct fat_file *file, const void *owner, uint32_t *unknown) {
    char *unpacked = file->unpacked_B ? fat_image_unpacked(file) : NULL;
    const char *at = unpacked ? unpacked : file->at;
    const size_t most_B = unpacked ? file->unpacked_B : file->size_B;
    int kept = 0;
    if (file->unpacked_B && !unpacked) {
        report_message("a compressed fatbinary cannot be read: there is no libzstd.so.1, and its "
                       "launches are not captured");
    } else if (file->is_ptx) {
        kept = keep_text(at, image_text_size(at, most_B), owner);
    } else {
        kept = keep_cubin(at, most_B, owner, unknown);
    }
    free(unpacked);
    return kept;
}

static void keep_image(const void *image, size_t most_B, const void *owner) {
    const enum image_kind kind = image_kind_of(image, most_B);
    uint32_t unknown = 0;
    int kept = 0;
    begin_load(owner);
    if (kind == IMAGE_PTX) {
        const size_t size = image_text_size(image, most_B < MOST_IMAGE_B ? most_B : MOST_IMAGE_B);
        kept = size < MOST_IMAGE_B && keep_text(image, size, owner);
    } else if (kind == IMAGE_CUBIN) {
        kept = keep_cubin(image, most_B, owner, &unknown);
    } else if (kind == IMAGE_FATBINARY) {
        struct fat_file file;
        for (unsigned i = 0; fat_image_file(&file, image, most_B, i); i++) {
            kept |= keep_packed(&file, owner, &unknown);
        }
    }
    if (!kept && unknown) {
        report_message("%" PRIu32 " kernel%s with tensor copies come%s as machine code: %s "
                       "launches are not captured",
                       unknown, unknown == 1 ? "" : "s", unknown == 1 ? "s" : "",
                       unknown == 1 ? "its" : "their");
    }
}

void captured_kernels_loaded(const void *image, const void *owner) {
    if (image && owner) {
        keep_image(image, SIZE_MAX, owner);
    }
}

void captured_kernels_loaded_file(const char *path, const void *owner) {
    size_t size_B = 0;
    char *text = path && owner ? image_file_text(path, &size_B) : NULL;
    if (text) {
        keep_image(text, size_B, owner);
        free(text);
    }
}

/* ---- kernels ---- */

struct captured_kernel *captured_kernels_at(const void *handle) {
    struct captured_kernel *k = atomic_load_explicit(&kernels, memory_order_acquire);
    while (k && k->handle != handle) {
        k = k->next;
    }
    return k;
}

static struct captured_kernel *keep_kernel(const void *handle, const char *name,
                                           const struct captured_text *text) {
    struct captured_kernel *same = captured_kernels_at(handle);
    if (same && same->text == text && !strcmp(same->name, name)) {
        return same;
    }
    const size_t length = strlen(name);
    struct captured_kernel *k = malloc(sizeof(*k) + length + 1);
    if (!k) {
        return NULL;
    }
    k->handle = handle;
    k->text = text;
    atomic_init(&k->launches, 0);
    atomic_init(&k->use, CAPTURED_UNKNOWN);
    memcpy(k->name, name, length + 1);
    k->next = atomic_load_explicit(&kernels, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&kernels, &k->next, k, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    return k;
}

/* The newest text that has the kernel: of an owner's newest load; null: of anybody's. */
static const struct captured_text *text_with(const void *owner, const char *name) {
    struct kernel_head head;
    const struct captured_text *t = atomic_load_explicit(&texts, memory_order_acquire);
    for (; t; t = t->next) {
        if (owner && t->owner == owner && t->is_mark) {
            return NULL;
        }
        if ((!owner || t->owner == owner) && !t->is_mark &&
            kernel_head_of(&head, t->text, t->text_B, name)) {
            return t;
        }
    }
    return NULL;
}

void captured_kernels_found(const void *owner, const void *handle, const char *name) {
    char own[MOST_NAME_B];
    const size_t length = name ? image_text_size(name, sizeof(own)) : sizeof(own);
    if (!handle || length == sizeof(own) || read_carefully(own, name, length + 1)) {
        return;
    }
    (void)keep_kernel(handle, own, text_with(owner, own));
}

void captured_kernels_same(const void *handle, const void *other) {
    const struct captured_kernel *k = captured_kernels_at(other);
    if (k && handle) {
        (void)keep_kernel(handle, k->name, k->text);
    }
}

struct captured_kernel *captured_kernels_named(const void *handle, const char *name) {
    const struct captured_text *text = text_with(NULL, name);
    return text ? keep_kernel(handle, name, text) : NULL;
}
