/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases in processes of their own.
 */
#include "aside.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/testing.h"
#include "write_out.h"

#define MOST_SAID 20000

struct driver_aside driver = {.is_there = 1};

shim_function real_function(enum shim_symbol which) {
    return driver.call[which];
}

void *real_driver(void) {
    return driver.is_there ? &driver : NULL;
}

int real_driver_is_loading(void) {
    return driver.is_loading;
}

static int said_to; /* a pipe */

void say(const char *format, ...) {
    char text[MOST_SAID];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    (void)!write(said_to, text, (size_t)length);
}

int write_stderr(const char *text, size_t length) {
    if (!length) {
        say("nothing");
    }
    (void)!write(said_to, text, length);
    return 0;
}

/* "/": of a disk; "-": a pipe that nobody reads. */
int append_file(const char *path, const char *text, size_t length) {
    say("%s: %.*s", path, (int)length, text);
    return *path == '/' ? 0 : *path == '-' ? ENXIO : EIO;
}

void is_said(const char *what, void (*run)(const void *context), const void *context,
             const char *expected) {
    char text[MOST_SAID] = "";
    size_t length = 0;
    int status = -1;
    int ends[2];
    ssize_t got = 0;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        said_to = ends[1];
        run(context);
        _exit(0);
    }
    close(ends[1]);
    while (length < sizeof(text) - 1 &&
           (got = read(ends[0], text + length, sizeof(text) - 1 - length)) > 0) {
        length += (size_t)got;
    }
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status != 0 || strcmp(text, expected) != 0) {
        fail_msg("%s: status %d, said\n%s\ninstead of\n%s", what, status, text, expected);
    }
}
