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

const char *fat_image_ptx(const void *image, size_t *size_B) {
    struct wrapper wrapper;
    struct fat_head head;
    struct file_head file;
    if (!read_carefully(&wrapper, image, sizeof(wrapper)) && wrapper.magic == WRAPPER_MAGIC) {
        image = wrapper.data;
    }
    if (!image || read_carefully(&head, image, sizeof(head)) || head.magic != FAT_MAGIC ||
        head.head_B < sizeof(head)) {
        return NULL;
    }
    const char *at = (const char *)image + head.head_B;
    if (read_carefully(&file, at, sizeof(file)) || file.kind != KIND_PTX || file.packed_B ||
        file.flags & PACKED || file.head_B < sizeof(file) || file.head_B > head.files_B ||
        file.file_B != head.files_B - file.head_B) {
        return NULL;
    }
    *size_B = (size_t)file.file_B;
    return at + file.head_B;
}
