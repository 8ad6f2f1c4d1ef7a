/* SPDX-License-Identifier: Apache-2.0 */
#include "output_stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int output_stream_begin(output_stream *stream, const char *path, tma_error *error) {
    *stream = (output_stream){.is_stdout = !strcmp(path, "-"), .file = stdout};
    if (stream->is_stdout) {
        return 0; /* main() looks at what became of it */
    }
    if (output_begin(&stream->output, path, error)) {
        return -1;
    }
    const int fd = dup(stream->output.fd);
    stream->file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!stream->file) {
        const char *wrong = strerror(errno);
        (void)(fd < 0 || close(fd));
        return output_end(&stream->output, wrong, error);
    }
    errno = 0; /* from now on it says what failed */
    return 0;
}

int output_stream_end(output_stream *stream, int failed, tma_error *error) {
    if (stream->is_stdout) {
        return failed ? -1 : 0;
    }
    tma_error unused;
    const int is_bad = ferror(stream->file);
    const int is_lost = fclose(stream->file) || is_bad;
    const char *wrong = failed ? "" : is_lost ? strerror(errno ? errno : EIO) : NULL;
    return output_end(&stream->output, wrong, failed ? &unused : error) ? -1 : 0;
}
