/* SPDX-License-Identifier: Apache-2.0
 *
 * Core dumps from disk; gzip's by zlib.
 */
#include "core_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"
#include "output_file.h"

#ifdef TMA_HAS_ZLIB
#include <zlib.h>

#define PIECE_B (1 << 18)

/* A file without a name that nobody else can open: dumps hold the user's data. */
static int nameless(tma_error *error) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    const char *in = folder && *folder && strlen(folder) < 4000 ? folder : "/tmp";
    snprintf(path, sizeof(path), "%s/tma-core-XXXXXX", in);
    const int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        tma_fail(error, "cannot make a file in %s to unpack the dump into: %s", in,
                 strerror(errno));
        return -1;
    }
    unlink(path);
    return fd;
}

static int unpack(int from, const char *path, tma_error *error) {
    static char data[PIECE_B];
    const int to = nameless(error);
    gzFile packed = to >= 0 ? gzdopen(from, "rb") : NULL;
    int n = packed ? 0 : -1;
    int why = 0;
    int is_elf = 1; /* else the first piece is enough to say so: what comes may have no end */
    for (int first = 1; packed && is_elf && (n = gzread(packed, data, sizeof(data))) > 0;
         first = 0) {
        is_elf = !first || (n >= 4 && !memcmp(data, "\177ELF", 4));
        if (output_put(to, data, (size_t)n)) {
            tma_fail(error, "%s: no room to unpack it in $TMPDIR or /tmp: %s", path,
                     strerror(errno));
            gzclose(packed);
            close(to);
            return -1;
        }
    }
    if (packed) {
        gzerror(packed, &why);
        why = why == Z_ERRNO ? errno : 0;
        n = gzclose(packed) != Z_OK && n >= 0 && is_elf ? -1
                                                        : n; /* the end is not there: said here */
    }
    if (n < 0 && to >= 0) {
        tma_fail(error, "%s: %s", path, why ? strerror(why) : "its gzip is damaged or cut off");
    }
    if (!packed) {
        close(from);
    }
    if (n < 0 && to >= 0) {
        close(to);
    }
    return n < 0 ? -1 : to;
}
#else
static int unpack(int from, const char *path, tma_error *error) {
    struct stat file;
    const bool is_file = !fstat(from, &file) && S_ISREG(file.st_mode);
    close(from);
    tma_fail(error, "%s is %s, and this tma was built without zlib: %s it into a file first", path,
             is_file ? "packed by gzip" : "no file", is_file ? "gunzip" : "write");
    return -1;
}
#endif

/* A pipe, what is packed, and a file of which a part has been read already are copied. */
static int is_to_be_copied(int fd, const struct stat *file) {
    unsigned char head[2] = {0, 0};
    return !S_ISREG(file->st_mode) || lseek(fd, 0, SEEK_CUR) > 0 ||
           (host_read_at(fd, head, 2, 0) == 2 && head[0] == 0x1F && head[1] == 0x8B);
}

static int open_from(core_input *input, int fd, const char *path, tma_error *error) {
    struct stat file;
    input->error = 0;
    input->fd = fd;
    if (input->fd < 0 || fstat(input->fd, &file)) {
        return tma_fail(error, "cannot open '%.200s': %s", path, strerror(errno));
    }
    if (S_ISDIR(file.st_mode)) {
        close(input->fd);
        return tma_fail(error, "'%.200s' is a folder", path);
    }
    if (is_to_be_copied(input->fd, &file)) {
        input->fd = unpack(input->fd, path, error);
        if (input->fd < 0) {
            return -1;
        }
        if (fstat(input->fd, &file)) {
            core_input_close(input);
            return tma_fail(error, "%.200s: cannot be unpacked: %s", path, strerror(errno));
        }
    }
    input->size = (uint64_t)file.st_size;
    return 0;
}

int core_input_open(core_input *input, const char *path, tma_error *error) {
    return open_from(input, host_open(path), path, error);
}

int core_input_of_stdin(core_input *input, tma_error *error) {
    return open_from(input, host_open(NULL), "-", error);
}

void core_input_close(core_input *input) {
    close(input->fd);
}

bool core_input_read(void *context, uint64_t at, void *to, size_t size) {
    core_input *input = context;
    if (at > input->size || size > input->size - at) {
        return false;
    }
    for (size_t done = 0; done < size;) {
        const ptrdiff_t n = host_read_at(input->fd, (char *)to + done, size - done, at + done);
        if (n <= 0) {
            if (n < 0 && !input->error) {
                input->error = errno;
                input->error_at = at + done;
            }
            return false;
        }
        done += (size_t)n;
    }
    return true;
}
