/* SPDX-License-Identifier: Apache-2.0
 *
 * Fatbinaries, as far as CUDA's fatbinary_section.h and the files that nvcc 13.0 makes (-fatbin,
 * with
 * --compress-mode=none and without) show them: a head of 16 bytes, and for each file one of its own
 * with what it holds behind it. Little endian, as everything here.
 */
#include "fat_image.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "careful_read.h"
#include "libc_lookups.h"

#define WRAPPER_MAGIC 0x466243B1u /* FATBINC_MAGIC */
#define FAT_MAGIC     0xBA55ED50u
#define KIND_PTX      1u
#define PACKED        0xF000u /* flags: 0x8000 in a file that is compressed */
#define MOST_FAT_B    (UINT64_C(1) << 30)

struct wrapper {
    uint32_t magic;
    uint32_t version;
    const void *data;
};

struct fat_head {
    uint32_t magic;
    uint16_t version;
    uint16_t head_B;
    uint64_t files_B; /* all that follows */
};

struct file_head {
    uint16_t kind; /* 2: machine code */
    uint16_t version;
    uint32_t head_B;
    uint64_t file_B;
    uint32_t packed_B; /* 0: not compressed */
    uint32_t unknown[5];
    uint64_t flags;
    uint64_t unknown_too;
    uint64_t unpacked_B;
};
_Static_assert(sizeof(struct fat_head) == 16 && offsetof(struct file_head, flags) == 40 &&
                   sizeof(struct file_head) == 64,
               "as seen");

/* `size_B` bytes from `at` on, where they are before `most_B`. */
static int read_part(void *to, const char *image, size_t most_B, size_t at, size_t size_B) {
    return at + size_B > most_B || read_carefully(to, image + at, size_B);
}

/* A file's numbers are little-endian. */
static uint64_t little(const void *field, size_t size_B) {
    const unsigned char *bytes = field;
    uint64_t number = 0;
    for (size_t i = size_B; i-- > 0;) {
        number = number << 8 | bytes[i];
    }
    return number;
}

static int read_head(struct fat_head *head, const char *image, size_t most_B) {
    if (read_part(head, image, most_B, 0, sizeof(*head))) {
        return -1;
    }
    head->magic = (uint32_t)little(&head->magic, sizeof(head->magic));
    head->head_B = (uint16_t)little(&head->head_B, sizeof(head->head_B));
    head->files_B = little(&head->files_B, sizeof(head->files_B));
    return 0;
}

static int read_file(struct file_head *file, const char *image, size_t most_B, uint64_t at) {
    if (read_part(file, image, most_B, (size_t)at, sizeof(*file))) {
        return -1;
    }
    file->kind = (uint16_t)little(&file->kind, sizeof(file->kind));
    file->head_B = (uint32_t)little(&file->head_B, sizeof(file->head_B));
    file->file_B = little(&file->file_B, sizeof(file->file_B));
    file->packed_B = (uint32_t)little(&file->packed_B, sizeof(file->packed_B));
    file->flags = little(&file->flags, sizeof(file->flags));
    file->unpacked_B = little(&file->unpacked_B, sizeof(file->unpacked_B));
    return 0;
}

int fat_image_file(struct fat_file *to, const void *given, size_t most_B, unsigned which) {
    const char *image = given;
    struct wrapper wrapper;
    struct fat_head head;
    struct file_head file;
    if (most_B == SIZE_MAX && !read_part(&wrapper, image, most_B, 0, sizeof(wrapper)) &&
        wrapper.magic == WRAPPER_MAGIC) {
        image = wrapper.data; /* a pointer: nothing that a file has */
    }
    if (!image || read_head(&head, image, most_B) || head.magic != FAT_MAGIC ||
        head.head_B < sizeof(head)) {
        return 0;
    }
    uint64_t at = 0; /* behind the head */
    for (unsigned i = 0;; i++) {
        if (head.files_B - at < sizeof(file) || head.files_B > MOST_FAT_B ||
            read_file(&file, image, most_B, head.head_B + at) || file.head_B < sizeof(file) ||
            file.head_B > head.files_B - at || file.file_B > head.files_B - at - file.head_B) {
            return 0;
        }
        if (i == which) {
            break;
        }
        at += file.head_B + file.file_B;
    }
    const uint64_t text_at = head.head_B + at + file.head_B;
    const int is_packed = file.packed_B || file.flags & PACKED;
    const uint64_t size_B = is_packed && file.packed_B < file.file_B ? file.packed_B : file.file_B;
    if (text_at > most_B || size_B > most_B - text_at) {
        return 0;
    }
    *to = (struct fat_file){.at = image + text_at,
                            .size_B = (size_t)size_B,
                            .unpacked_B = is_packed ? (size_t)file.unpacked_B : 0,
                            .is_ptx = file.kind == KIND_PTX,
                            .is_alone = file.head_B + file.file_B == head.files_B};
    return !is_packed || (file.unpacked_B && file.unpacked_B < MOST_FAT_B);
}

/* zstd.h. */
typedef size_t unpack_call(void *dst, size_t dstCapacity, const void *src, size_t compressedSize);

/* Looked for once, with the loader's lock. */
static unpack_call *unpacker(void) {
    static _Atomic(void *) known;
    union {
        void *address;
        unpack_call *call;
    } found = {atomic_load_explicit(&known, memory_order_acquire)};
    void *library = found.address ? NULL : libc_dlopen()("libzstd.so.1", RTLD_LAZY | RTLD_LOCAL);
    if (library) {
        found.address = libc_dlsym()(library, "ZSTD_decompress");
        atomic_store_explicit(&known, found.address, memory_order_release);
    }
    return found.call;
}

int fat_image_has_unpacker(void) {
    return unpacker() != NULL;
}

char *fat_image_unpacked(const struct fat_file *file) {
    unpack_call *unpack = unpacker();
    char *packed = unpack ? malloc(file->size_B) : NULL;
    char *text = packed ? malloc(file->unpacked_B + 1) : NULL;
    if (text && (read_carefully(packed, file->at, file->size_B) ||
                 unpack(text, file->unpacked_B, packed, file->size_B) != file->unpacked_B)) {
        free(text);
        text = NULL;
    }
    free(packed);
    if (text) {
        text[file->unpacked_B] = 0;
    }
    return text;
}
