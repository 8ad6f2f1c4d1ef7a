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

int host_open(const char *path) {
    return !path ? _dup(0) : _open(path, _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

ptrdiff_t host_read_at(int fd, void *to, size_t size, uint64_t at) {
    const unsigned piece = size > 1U << 30 ? 1U << 30 : (unsigned)size;
    return _lseeki64(fd, (int64_t)at, SEEK_SET) < 0 ? -1 : _read(fd, to, piece);
}

ptrdiff_t host_read(void *to, size_t size) {
    return _read(0, to, (unsigned)size);
}

void host_interrupts(int end_it) {
    static void (*before)(int) = SIG_DFL;
    if (end_it) {
        signal(SIGINT, before);
    } else {
        before = signal(SIGINT, SIG_IGN);
    }
}

void host_answer_on_error(void) {
    fflush(stdout);
    _dup2(2, 1);
}
