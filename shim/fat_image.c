/* SPDX-License-Identifier: Apache-2.0
 *
 * Fatbinaries, as far as CUDA's fatbinary_section.h and the files that nvcc 13.0 makes (-fatbin,
 * with
 * --compress-mode=none and without) show them: a head of 16 bytes, and for each file one of its own
 * with what it holds behind it. Little endian, as everything here.
 */
#include "fat_image.h"

#include <stdint.h>
#include <string.h>

#include "careful_read.h"

#define WRAPPER_MAGIC 0x466243B1u /* FATBINC_MAGIC */
#define FAT_MAGIC     0xBA55ED50u
#define KIND_PTX      1u
#define PACKED        0xF000u /* flags: 0x8000 in a file that is compressed */

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
};
_Static_assert(sizeof(struct fat_head) == 16 && offsetof(struct file_head, flags) == 40, "as seen");

/* `size_B` bytes from `at` on, where they are before `most_B`. */
static int read_part(void *to, const char *image, size_t most_B, size_t at, size_t size_B) {
    return at > most_B || size_B > most_B - at || read_carefully(to, image + at, size_B);
}

const char *fat_image_ptx(const void *given, size_t most_B, size_t *size_B) {
    const char *image = given;
    struct wrapper wrapper;
    struct fat_head head;
    struct file_head file;
    if (most_B == SIZE_MAX && !read_part(&wrapper, image, most_B, 0, sizeof(wrapper)) &&
        wrapper.magic == WRAPPER_MAGIC) {
        image = wrapper.data; /* a pointer: nothing that a file has */
    }
    if (!image || read_part(&head, image, most_B, 0, sizeof(head)) || head.magic != FAT_MAGIC ||
        head.head_B < sizeof(head) || read_part(&file, image, most_B, head.head_B, sizeof(file))) {
        return NULL;
    }
    const uint64_t text_at = (uint64_t)head.head_B + file.head_B;
    if (file.kind != KIND_PTX || file.packed_B || file.flags & PACKED ||
        file.head_B < sizeof(file) || file.head_B > head.files_B ||
        file.file_B != head.files_B - file.head_B || text_at > most_B ||
        file.file_B > most_B - text_at) {
        return NULL;
    }
    *size_B = (size_t)file.file_B;
    return image + text_at;
}
