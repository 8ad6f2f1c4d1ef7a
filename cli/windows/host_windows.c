/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows. It was run under wine alone (make platforms P=mingw-w64).
 */
#include <windows.h>

#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "host.h"

void host_begin(void) {
    _fmode = _O_BINARY;
    for (int fd = 0; fd <= 2; fd++) {
        (void)_setmode(fd, _O_BINARY);
    }
}

int host_columns(FILE *file) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    const HANDLE handle = (HANDLE)_get_osfhandle(_fileno(file)); // NOLINT: a number that is one
    return GetConsoleScreenBufferInfo(handle, &info) ? info.srWindow.Right - info.srWindow.Left + 1
                                                     : 0;
}

double host_seconds(void) {
    LARGE_INTEGER now;
    LARGE_INTEGER each;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&each);
    return (double)now.QuadPart / (double)each.QuadPart;
}

static int visit_view(HANDLE file, size_t size, host_visit visit, void *context) {
    const HANDLE mapping = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL);
    void *bytes = mapping ? MapViewOfFile(mapping, FILE_MAP_READ, 0, 0, size) : NULL;
    if (bytes) {
        visit(context, bytes, size);
        UnmapViewOfFile(bytes);
    }
    if (mapping) {
        CloseHandle(mapping);
    }
    return bytes ? 0 : -1;
}

int host_map(const char *path, host_visit visit, void *context, tma_error *error) {
    LARGE_INTEGER size = {{0}};
    const HANDLE file =
        CreateFileA(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        return tma_fail(error, "cannot open '%.200s': Windows' error %lu", path, GetLastError());
    }
    const int is_file = GetFileType(file) == FILE_TYPE_DISK && GetFileSizeEx(file, &size);
    int failed = 0;
    if (!is_file || size.QuadPart == 0) {
        failed = tma_fail(error, "'%.200s' is %s", path, is_file ? "empty" : "no regular file");
    } else if (visit_view(file, (size_t)size.QuadPart, visit, context)) {
        failed =
            tma_fail(error, "'%.200s' cannot be mapped: Windows' error %lu", path, GetLastError());
    }
    CloseHandle(file);
    return failed;
}

int host_open(const char *path) {
    return _open(path, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

ptrdiff_t host_read_at(int fd, void *to, size_t size, uint64_t at) {
    const unsigned piece = size > 1U << 30 ? 1U << 30 : (unsigned)size;
    return _lseeki64(fd, (int64_t)at, SEEK_SET) < 0 ? -1 : _read(fd, to, piece);
}
