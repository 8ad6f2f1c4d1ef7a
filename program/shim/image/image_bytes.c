/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program gives the driver to load: which kind, how much of it there is.
 */
#include "image_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "careful_read.h"
#include "write_out.h"

#define PAGE_B ((uintptr_t)4096) /* or a part of one */

/* The first bytes of machine code: ELF's, a fatbinary's and its wrapper's (fatbinary_section.h). */
enum image_kind image_kind_of(const uint8_t *image, size_t most_B) {
    static const struct {
        uint8_t first[4];
        enum image_kind kind;
    } rows[] = {{{0x7F, 'E', 'L', 'F'}, IMAGE_CUBIN},
                {{0x50, 0xED, 0x55, 0xBA}, IMAGE_FATBINARY},
                {{0xB1, 0x43, 0x62, 0x46}, IMAGE_FATBINARY}};
    uint8_t first = 0;
    if (!most_B || read_carefully(&first, image, 1)) {
        return IMAGE_UNKNOWN;
    }
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        size_t at = 0; /* a text may be shorter than this: no byte is read before the last is one */
        while (at < sizeof(rows[i].first) && at < most_B &&
               !read_carefully(&first, image + at, 1) && first == rows[i].first[at]) {
            at++;
        }
        if (at == sizeof(rows[i].first)) {
            return rows[i].kind;
        }
    }
    return IMAGE_PTX;
}

size_t image_text_size(const char *text, size_t most) {
    size_t size = 0;
    while (size < most) {
        char piece[1];
        const uintptr_t at = (uintptr_t)text + size;
        const size_t page = PAGE_B - at % PAGE_B;
        const size_t here = page < most - size ? page : most - size;
        if (read_carefully(piece, text + size, sizeof(piece))) {
            return most;
        }
        const char *end = memchr(text + size, 0, here);
        if (end) {
            return (size_t)(end - text);
        }
        size += here;
    }
    return most;
}

char *image_file_text(const char *path, size_t *size_B) {
    struct stat about;
    char *text = NULL;
    size_t size = 0;
    errno = 0;
    /* looked at first: the opening of a pipe or a device is an event to others */
    const int fd = !stat(path, &about) && S_ISREG(about.st_mode)
                       ? open_beyond(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                       : -1;
    if (fd >= 0 && !fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size >= 0 &&
        (uint64_t)about.st_size < MOST_IMAGE_B) {
        text = malloc((size_t)about.st_size + 1);
        while (text && size < (size_t)about.st_size) {
            const ssize_t got = read(fd, text + size, (size_t)about.st_size - size);
            if (got <= 0) { /* became shorter: the driver would read what we did not */
                const int error = got ? errno : EIO;
                free(text);
                text = NULL;
                errno = error;
            } else {
                size += (size_t)got;
            }
        }
    }
    if (text) {
        text[size] = 0;
        *size_B = size + 1;
    }
    if (fd >= 0) {
        const int error = errno;
        close(fd);
        errno = error;
    }
    return text;
}
