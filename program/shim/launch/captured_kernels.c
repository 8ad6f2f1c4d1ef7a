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
#include "judged_target.h"
#include "kernel_head.h"
#include "machine_code.h"
#include "report_out.h"
#include "settings.h"
#include "tma/detail/chars.h"
#include "tma/pattern.h"
#include "tma/text.h"

#define MOST_KEPT_B  (UINT64_C(512) << 20)
#define MOST_PATH_B  4400
#define MOST_NAME_B  4096
#define KERNEL_LISTS 1024u /* a program of machine learning has some thousands */

static _Atomic(struct captured_text *) texts;
static _Atomic(struct captured_kernel *) kernels[KERNEL_LISTS]; /* by their handles */
static _Atomic(uint64_t) kept_B;

/* ---- texts ---- */

/* What one image brings. Of several texts those stay that the driver takes for its device. */
struct load {
    const void *owner;
    struct captured_text *first; /* the last that came */
    unsigned sm;                 /* of the device; 0: it cannot be asked */
    unsigned best;               /* how well those that are kept fit it */
    uint32_t unknown;            /* kernels with copies that have no PTX */
    int is_undecided;            /* several fit, and nobody says for which device */
    int is_for_others, lacks_library, is_packed_otherwise;
};

static int target_of(tma_ptx_span *target, const char *text, size_t text_B) {
    tma_ptx_reader reader = tma_ptx_reader_of(text, text_B);
    tma_ptx_piece piece;
    while (tma_ptx_next(&reader, &piece)) {
        if (tma_ptx_target_of(target, &piece)) {
            return 1;
        }
    }
    return 0;
}

/* 0: not for this device. Instructions of sm_90a are sm_90's alone, those of sm_100f of sm_100 and
 * later ones of its family; without a suffix the nearest is the best. */
static unsigned fitness(unsigned sm, const char *text, size_t text_B) {
    tma_ptx_span target = {NULL, 0};
    unsigned arch = 0;
    if (!sm || !target_of(&target, text, text_B)) {
        return 1;
    }
    size_t at = 0;
    while (at < target.length && !text_is_digit(target.at[at])) {
        at++;
    }
    for (; at < target.length && text_is_digit(target.at[at]) && arch < 10000; at++) {
        arch = 10 * arch + (unsigned)(target.at[at] - '0');
    }
    const char suffix = at < target.length ? target.at[at] : 0;
    return arch > sm || (suffix == 'a' && arch != sm) || (suffix == 'f' && arch / 10 != sm / 10) ? 0
           : suffix == 'a' ? 100000
           : suffix == 'f' ? 10000 + arch
                           : arch;
}

static void drop_all(struct load *load) {
    while (load->first) {
        struct captured_text *one = load->first;
        load->first = one->next;
        atomic_fetch_sub(&kept_B, one->text_B);
        free(one);
    }
}

static void add_text(struct load *load, const char *text, size_t text_B) {
    const int has_room = atomic_fetch_add(&kept_B, text_B) + text_B <= MOST_KEPT_B;
    struct captured_text *kept = has_room ? malloc(sizeof(*kept) + text_B + 1) : NULL;
    if (!kept) {
        atomic_fetch_sub(&kept_B, text_B);
        report_message("the PTX of a module (%zu B) is not kept: its launches are not captured",
                       text_B);
        return;
    }
    kept->owner = load->owner;
    kept->is_mark = 0;
    kept->hash = tma_hash(text, text_B);
    kept->text_B = text_B;
    memcpy(kept->text, text, text_B);
    kept->text[text_B] = 0;
    kept->next = load->first;
    load->first = kept;
}

/* Whether it is what the driver may take. */
static int keep_text(struct load *load, const char *text, size_t text_B) {
    const unsigned fits = fitness(load->sm, text, text_B);
    tma_ptx_span target, before;
    if (fits < load->best || !fits) {
        load->is_for_others |= !fits;
        return 0;
    }
    if (fits > load->best) {
        drop_all(load);
    } else if (!load->sm && load->first) {
        const int known = target_of(&target, text, text_B) &&
                          target_of(&before, load->first->text, load->first->text_B);
        load->is_undecided |= !known || target.length != before.length ||
                              memcmp(target.at, before.at, before.length) != 0;
    }
    load->best = fits;
    add_text(load, text, text_B);
    return 1;
}

/* tma ptxas leaves there what it made each cubin of. */
static int keep_of_ptxas(struct load *load, const char *cubin, size_t most_B) {
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
    if (text) {
        (void)keep_text(load, text, text_B - 1);
    }
    const int is_known = text != NULL;
    free(text);
    free(copy);
    return is_known;
}

static void keep_cubin(struct load *load, const char *cubin, size_t most_B) {
    const char *text = compiled_code_text(cubin, most_B);
    if (text) {
        (void)keep_text(load, text, strlen(text));
    } else if (!keep_of_ptxas(load, cubin, most_B)) {
        const uint32_t kernels_there = machine_code_unchecked(cubin, most_B);
        load->unknown = kernels_there > load->unknown ? kernels_there : load->unknown;
    }
}

static void keep_packed(struct load *load, const struct fat_file *file) {
    char *unpacked = file->unpacked_B ? fat_image_unpacked(file) : NULL;
    const char *at = unpacked ? unpacked : file->at;
    const size_t most_B = unpacked ? file->unpacked_B : file->size_B;
    if (file->unpacked_B && !unpacked) {
        load->lacks_library |= !fat_image_has_unpacker();
        load->is_packed_otherwise |= fat_image_has_unpacker();
    } else if (file->is_ptx) {
        (void)keep_text(load, at, image_text_size(at, most_B));
    } else {
        keep_cubin(load, at, most_B);
    }
    free(unpacked);
}

static void keep_image(struct load *load, const void *image, size_t most_B) {
    const enum image_kind kind = image_kind_of(image, most_B);
    if (kind == IMAGE_PTX) {
        const size_t size = image_text_size(image, most_B < MOST_IMAGE_B ? most_B : MOST_IMAGE_B);
        if (size < MOST_IMAGE_B) {
            add_text(load, image, size);
        }
    } else if (kind == IMAGE_CUBIN) {
        keep_cubin(load, image, most_B);
    } else if (kind == IMAGE_FATBINARY) {
        struct fat_file file;
        load->sm = device_architecture();
        for (unsigned i = 0; fat_image_file(&file, image, most_B, i); i++) {
            keep_packed(load, &file);
        }
    }
}

/* Why a load brought nothing, where something was to be had. */
static void say_nothing_kept(const struct load *load) {
    static atomic_flag said_library = ATOMIC_FLAG_INIT, said_packed = ATOMIC_FLAG_INIT;
    if (load->is_undecided) {
        report_message("a fatbinary has PTX for several devices, and the driver does not say which "
                       "this one is: its launches are not captured");
    }
    if (load->lacks_library && !atomic_flag_test_and_set(&said_library)) {
        report_message("a compressed fatbinary cannot be read: there is no libzstd.so.1, and its "
                       "launches are not captured");
    }
    if (load->is_packed_otherwise && !atomic_flag_test_and_set(&said_packed)) {
        report_message("a compressed fatbinary cannot be read: it is not Zstandard's, or memory "
                       "lacks, and its launches are not captured");
    }
    if (load->unknown) {
        report_message("%" PRIu32 " kernel%s with tensor copies come%s as machine code: %s "
                       "launches are not captured",
                       load->unknown, text_plural(load->unknown), load->unknown == 1 ? "s" : "",
                       load->unknown == 1 ? "its" : "their");
    } else if (load->is_for_others) {
        report_message("a fatbinary has PTX for other devices than sm_%u alone: its launches are "
                       "not captured",
                       load->sm);
    }
}

static void put_first(struct captured_text *text) {
    text->next = atomic_load_explicit(&texts, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&texts, &text->next, text, memory_order_release,
                                                  memory_order_relaxed)) {
    }
}

static void load_image(const void *image, size_t most_B, const void *owner) {
    struct load load = {.owner = owner};
    struct captured_text *mark = calloc(1, sizeof(*mark));
    if (mark) {
        mark->owner = owner;
        mark->is_mark = 1;
        put_first(mark);
    }
    keep_image(&load, image, most_B);
    if (load.is_undecided) {
        drop_all(&load);
    }
    if (!load.first) {
        say_nothing_kept(&load);
    }
    while (load.first) {
        struct captured_text *one = load.first;
        load.first = one->next;
        put_first(one);
    }
}

void captured_kernels_loaded(const void *image, const void *owner) {
    if (image && owner) {
        load_image(image, SIZE_MAX, owner);
    }
}

void captured_kernels_loaded_file(const char *path, const void *owner) {
    size_t size_B = 0;
    char *text = path && owner ? image_file_text(path, &size_B) : NULL;
    if (text) {
        load_image(text, size_B, owner);
        free(text);
    }
}

/* ---- kernels ---- */

/* Handles are addresses: their lowest bits say little. */
static _Atomic(struct captured_kernel *) *list_of(const void *handle) {
    const uint64_t at = (uint64_t)(uintptr_t)handle;
    return &kernels[(at >> 4 ^ at >> 14) % KERNEL_LISTS];
}

struct captured_kernel *captured_kernels_at(const void *handle) {
    struct captured_kernel *k = atomic_load_explicit(list_of(handle), memory_order_acquire);
    while (k && k->handle != handle) {
        k = k->next;
    }
    return k;
}

/* Those of the same kernel, of the same text by whichever handle; or null. */
static atomic_uint *launches_of(const struct captured_text *text, const char *name) {
    for (unsigned i = 0; text && i < KERNEL_LISTS; i++) {
        struct captured_kernel *k = atomic_load_explicit(&kernels[i], memory_order_acquire);
        while (k && !(k->text && k->text->hash == text->hash && !strcmp(k->name, name))) {
            k = k->next;
        }
        if (k) {
            return k->launches;
        }
    }
    return NULL;
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
    atomic_init(&k->own_launches, 0);
    k->launches = launches_of(text, name);
    k->launches = k->launches ? k->launches : &k->own_launches;
    atomic_init(&k->use, CAPTURED_UNKNOWN);
    memcpy(k->name, name, length + 1);
    _Atomic(struct captured_kernel *) *const list = list_of(handle);
    k->next = atomic_load_explicit(list, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(list, &k->next, k, memory_order_release,
                                                  memory_order_relaxed)) {
    }
    return k;
}

/* The newest text that has the kernel, of an owner's newest load. */
static const struct captured_text *text_with(const void *owner, const char *name) {
    struct kernel_head head;
    const struct captured_text *t = atomic_load_explicit(&texts, memory_order_acquire);
    for (; t; t = t->next) {
        if (t->owner == owner && (t->is_mark || kernel_head_of(&head, t->text, t->text_B, name))) {
            return t->is_mark ? NULL : t;
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
    struct kernel_head head;
    const struct captured_text *found = NULL;
    int is_one = 1;
    for (const struct captured_text *t = atomic_load_explicit(&texts, memory_order_acquire); t;
         t = t->next) {
        if (!t->is_mark && (!found || t->hash != found->hash) &&
            kernel_head_of(&head, t->text, t->text_B, name)) {
            is_one &= !found;
            found = t;
        }
    }
    if (!is_one) {
        report_message("several modules have a kernel %.*s: its launches are not captured",
                       VALUE_MOST, name);
    }
    return keep_kernel(handle, name, is_one ? found : NULL);
}
