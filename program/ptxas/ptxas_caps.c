/* SPDX-License-Identifier: Apache-2.0
 *
 * The cap of a kernel's registers, between two runs of ptxas.
 */
#include "ptxas_caps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "notes_out.h"
#include "printable.h"

#define MOST_FILE_B (UINT64_C(1) << 30)
#define MOST_NOTED  160

void ptxas_caps_free(ptxas_capped *file) {
    free(file->text.at);
    free(file->cap);
    free(file->name);
    free(file->plain);
    free(file->checked);
    *file = (ptxas_capped){0};
}

void ptxas_caps_read(ptxas_capped *file, const char *path) {
    tma_error error;
    *file = (ptxas_capped){0};
    if (file_read(path, MOST_FILE_B, &file->text, &error)) {
        file->text.at = NULL;
        return;
    }
    const int caps = ptx_cap_kernels(&file->cap, (const char *)file->text.at, file->text.size);
    if (caps < 0) {
        cli_out_of_memory();
    }
    if (!caps) {
        ptxas_caps_free(file);
        return;
    }
    file->caps = (uint32_t)caps;
    file->name = cli_got(calloc(file->caps, sizeof(*file->name)));
    file->plain = cli_got(calloc(file->caps, sizeof(*file->plain)));
    file->checked = cli_got(calloc(file->caps, sizeof(*file->checked)));
    for (uint32_t i = 0; i < file->caps; i++) {
        file->name[i] = file->cap[i].name;
    }
}

/* "--word", "-word", "--word=VALUE": what is behind the word, or null. */
static const char *behind(const char *argument, const char *word) {
    const size_t length = strlen(word);
    argument += strspn(argument, "-");
    return strncmp(argument, word, length) == 0 ? argument + length : NULL;
}

int ptxas_caps_bounded(char *const *argv) {
    for (; *argv; argv++) {
        if (**argv == '-' && behind(*argv, "maxrregcount")) {
            return 1;
        }
    }
    return 0;
}

/* The argument that names the output, and where the name begins in it; null: none does. */
static char *const *output_of(char *const *argv, const char **name) {
    static const char *const words[] = {"-o", "--output-file", "-output-file"};
    for (; *argv; argv++) {
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            const size_t length = strlen(words[i]);
            if (strcmp(*argv, words[i]) == 0 && argv[1]) {
                *name = argv[1];
                return argv + 1;
            }
            if (strncmp(*argv, words[i], length) == 0 && (*argv)[length] == '=') {
                *name = *argv + length + 1;
                return argv;
            }
        }
    }
    return NULL;
}

/* Where ptxas puts it. */
static const char *output_path(char *const *argv) {
    const char *output = "elf.o"; /* its own choice */
    (void)output_of(argv, &output);
    return output;
}

int ptxas_caps_all_fit(char *const *argv) {
    const uint32_t most = cubin_most_registers(output_path(argv));
    uint32_t threads = 0;
    (void)ptx_cap_of(most, &threads);
    return most && threads == PTX_CAP_MOST_THREADS;
}

int ptxas_caps_fit(ptxas_capped *file, char *const *argv) {
    int fits = 1;
    cubin_use_read(file->checked, file->name, file->caps, output_path(argv));
    for (uint32_t i = 0; i < file->caps; i++) {
        uint32_t threads = 0;
        (void)ptx_cap_of(file->checked[i].registers, &threads);
        fits &= file->checked[i].is_known && threads == PTX_CAP_MOST_THREADS;
    }
    return fits;
}

int ptxas_caps_bind(ptxas_capped *file, const char *output) {
    int binds = 0;
    cubin_use_read(file->plain, file->name, file->caps, output);
    for (uint32_t i = 0; i < file->caps; i++) {
        uint32_t threads = 0;
        file->cap[i].registers =
            file->plain[i].is_known ? ptx_cap_of(file->plain[i].registers, &threads) : PTX_CAP_NONE;
        binds |=
            file->cap[i].registers < PTX_CAP_NONE &&
            (!file->checked[i].is_known || file->checked[i].registers > file->cap[i].registers);
    }
    return binds;
}

char **ptxas_caps_argv(char *const *argv, const char *output) {
    const char *name = NULL;
    char *const *at = output_of(argv, &name);
    size_t count = 0;
    while (argv[count]) {
        count++;
    }
    char **out = cli_got(calloc(count + 3, sizeof(*out)));
    size_t to = 0;
    for (size_t i = 0; i < count; i++) {
        if (at != argv + i) {
            out[to++] = argv[i];
        } else if (name == argv[i]) {
            to--; /* -o goes too */
        }
    }
    static char option[] = "-o";
    out[to++] = option;
    out[to] = (char *)(uintptr_t)output; /* argv is not written to */
    return out;
}

int ptxas_caps_write(const ptxas_capped *file, const char *path, tma_error *error) {
    char *text = NULL;
    file_bytes all = {NULL, 0};
    const file_bytes none = {NULL, 0};
    FILE *out = open_memstream(&text, &all.size);
    if (!out ||
        ptx_cap_write(out, (const char *)file->text.at, file->text.size, file->cap, file->caps) ||
        fclose(out) || !text) {
        cli_out_of_memory();
    }
    all.at = (uint8_t *)text;
    const int failed = file_write(path, &all, &none, error);
    free(text);
    return failed;
}

static void note_kernel(const ptxas_capped *file, uint32_t i, const cubin_use *use, FILE *notes) {
    uint32_t threads = 0;
    const uint32_t most = ptx_cap_of(file->plain[i].registers, &threads);
    const tma_ptx_span name = file->name[i];
    char text[MOST_NOTED + 1];
    snprintf(text, sizeof(text), "%.*s", (int)name.length, name.at);
    notes_put(
        notes,
        "%s: no block size in the file: %u registers without checks, %u with them, at most %u, "
        "with which %u threads launch; stack %u B without checks, %u B with them\n",
        printable_text(text).text, (unsigned)file->plain[i].registers, (unsigned)use->registers,
        (unsigned)most, (unsigned)threads, (unsigned)file->plain[i].stack_B,
        (unsigned)use->stack_B);
    if (use->registers > most) {
        notes_put(notes, "  blocks of %u threads do not launch with so many registers\n",
                  (unsigned)threads);
    }
}

void ptxas_caps_note(const ptxas_capped *file, char *const *argv, FILE *notes) {
    cubin_use *use = cli_got(calloc((size_t)file->caps + 1, sizeof(*use)));
    cubin_use_read(use, file->name, file->caps, output_path(argv));
    for (uint32_t i = 0; i < file->caps; i++) {
        if (use[i].is_known && file->plain[i].is_known) {
            note_kernel(file, i, &use[i], notes);
        }
    }
    free(use);
}
