/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy of the PTX beside the program, where libtma-cuda.so looks it up by the cubin that is
 * loaded.
 */
#include "ptxas_capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "cli_error.h"
#include "file_bytes.h"
#include "ptxas_places.h"
#include "tma/pattern.h"

#define MOST_FILE_B (UINT64_C(1) << 30)

static const char *value_behind(char *const *words, const char *option) {
    const size_t length = strlen(option);
    for (int i = 1; words[i]; i++) {
        if (!strcmp(words[i], option) && words[i + 1]) {
            return words[i + 1];
        }
        if (!strncmp(words[i], option, length) && words[i][length] == '=') {
            return words[i] + length + 1;
        }
    }
    return NULL;
}

static const char *output_of(char *const *words) {
    const char *named = value_behind(words, "-o");
    named = named ? named : value_behind(words, "--output-file");
    return named ? named : "elf.o";
}

static const char *input_of(char *const *words) {
    int i = 1;
    while (words[i] && !ptxas_is_input(words, i)) {
        i++;
    }
    return words[i];
}

static void keep(const char *ptx, const char *cubin, const char *folder) {
    const file_bytes nothing = {NULL, 0};
    file_bytes text = {NULL, 0}, code = {NULL, 0};
    tma_error error;
    char *path = NULL;
    if (!file_read(ptx, MOST_FILE_B, &text, &error) &&
        !file_read(cubin, MOST_FILE_B, &code, &error)) {
        path = cli_printed("%s/%016" PRIx64 ".ptx", folder, tma_hash(code.at, code.size));
    }
    if (!path || file_write(path, &text, &nothing, &error)) {
        cli_say("the PTX of a kernel is not kept: %s", error.text);
    }
    free(path);
    free(text.at);
    free(code.at);
}

int ptxas_capture(char **real_argv, const char *folder) {
    const child_way way = {.stderr_fd = STDERR_FILENO};
    const int status = child_run(real_argv, &way);
    const char *ptx = status ? NULL : input_of(real_argv);
    if (ptx) {
        keep(ptx, output_of(real_argv), folder);
    }
    return status;
}
