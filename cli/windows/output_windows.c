/* SPDX-License-Identifier: Apache-2.0
 *
 * output_file.h on Windows: a file beside the target takes its place at the end.
 */
#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output_file.h"

/* The volume and the number of an open file; 0 where it has none. */
static int identity(HANDLE file, BY_HANDLE_FILE_INFORMATION *is) {
    return GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, is);
}

static int same(const BY_HANDLE_FILE_INFORMATION *a, const BY_HANDLE_FILE_INFORMATION *b) {
    return a->dwVolumeSerialNumber == b->dwVolumeSerialNumber &&
           a->nFileIndexHigh == b->nFileIndexHigh && a->nFileIndexLow == b->nFileIndexLow;
}

static int identity_named(const char *name, BY_HANDLE_FILE_INFORMATION *is) {
    const HANDLE file = CreateFileA(name, 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                                    NULL, OPEN_EXISTING, 0, NULL);
    const int known = file != INVALID_HANDLE_VALUE && identity(file, is);
    if (file != INVALID_HANDLE_VALUE) {
        CloseHandle(file);
    }
    return known;
}

static char *joined(const char *a, const char *b) {
    const size_t length = strlen(a);
    char *made = cli_got(malloc(length + strlen(b) + 1));
    memcpy(made, a, length);
    memcpy(made + length, b, strlen(b) + 1);
    return made;
}

int output_begin(output_file *output, const char *name, tma_error *error) {
    BY_HANDLE_FILE_INFORMATION there;
    BY_HANDLE_FILE_INFORMATION out;
    *output = (output_file){.name = name, .fd = -1};
    if (identity_named(name, &there) && identity(GetStdHandle(STD_OUTPUT_HANDLE), &out) &&
        same(&there, &out)) {
        return tma_fail(error,
                        "cannot write '%.200s': this program's standard output goes there, too; "
                        "give another file (or -, where the option takes it)",
                        name);
    }
    output->part = joined(name, ".tma-XXXXXX");
    if (!_mktemp(output->part) ||
        (output->fd = _open(output->part, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                            _S_IREAD | _S_IWRITE)) < 0) {
        free(output->part);
        return tma_fail(error, "cannot write beside '%.200s': %s", name, strerror(errno));
    }
    output->target = joined(name, "");
    output_enlist(output);
    return 0;
}

int output_put(int fd, const void *bytes, size_t size) {
    const char *at = bytes;
    while (size) {
        const int done = _write(fd, at, size > 1U << 30 ? 1U << 30 : (unsigned)size);
        if (done <= 0) {
            return -1;
        }
        at += done;
        size -= (size_t)done;
    }
    return 0;
}

int output_end(output_file *output, const char *wrong, tma_error *error) {
    if (!wrong && _commit(output->fd)) {
        wrong = strerror(errno);
    }
    if (_close(output->fd) && !wrong) {
        wrong = strerror(errno);
    }
    output_strike_off(output);
    if (!wrong && !MoveFileExA(output->part, output->target, MOVEFILE_REPLACE_EXISTING)) {
        wrong = "it cannot be replaced: in use, or not to be written";
    }
    if (wrong) {
        _unlink(output->part);
        tma_fail(error, "cannot write '%.200s': %s", output->name, wrong);
    }
    free(output->part);
    free(output->target);
    return wrong ? -1 : 0;
}

int output_same(const char *name, const char *other) {
    BY_HANDLE_FILE_INFORMATION a;
    BY_HANDLE_FILE_INFORMATION b;
    char one[MAX_PATH];
    char two[MAX_PATH];
    if (identity_named(name, &a) && identity_named(other, &b)) {
        return same(&a, &b);
    }
    return _fullpath(one, name, sizeof(one)) && _fullpath(two, other, sizeof(two)) &&
           !_stricmp(one, two);
}
