/* SPDX-License-Identifier: Apache-2.0
 *
 * The loader that a program names lists what it loads for it; it says "not found" of what it lacks.
 */
#include "loader_said.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli_error.h"

#define MOST_PATH    4096
#define MOST_SECONDS 5 /* of the loader */

static int read_at(int file, void *to, size_t size_B, uint64_t at) {
    return pread(file, to, size_B, (off_t)at) == (ssize_t)size_B;
}

/* The loader's path, from the program's headers; 0: it has none. */
static int find_loader(const char *program, char path[MOST_PATH]) {
    const int file = open(program, O_RDONLY | O_CLOEXEC);
    Elf64_Ehdr head;
    int found = 0;
    if (file < 0) {
        return 0;
    }
    memset(path, 0, MOST_PATH);
    if (read_at(file, &head, sizeof(head), 0) && head.e_ident[EI_CLASS] == ELFCLASS64) {
        for (uint32_t i = 0; i < head.e_phnum && !found; i++) {
            Elf64_Phdr part;
            found =
                read_at(file, &part, sizeof(part), head.e_phoff + i * (uint64_t)head.e_phentsize) &&
                part.p_type == PT_INTERP && part.p_filesz < MOST_PATH &&
                read_at(file, path, part.p_filesz, part.p_offset);
        }
    }
    close(file);
    return found;
}

static void list(char *loader, char *program, const int end[2]) {
    char word[] = "--list";
    char *argv[] = {loader, word, program, NULL};
    dup2(end[1], STDOUT_FILENO);
    dup2(end[1], STDERR_FILENO);
    close(end[0]);
    close(end[1]);
    alarm(MOST_SECONDS); /* what a program calls its loader may be anything */
    execv(loader, argv);
    _exit(EXIT_FAILURE);
}

/* How glibc and musl say that something is not there. */
static int is_refusal(const char *line) {
    static const char *const words[] = {"=> not found", "' not found (required",
                                        ": cannot open shared object",
                                        "Error loading shared library"};
    int is = 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        is |= strstr(line, words[i]) != NULL;
    }
    return is;
}

/* The first line of what the loader says that refuses. */
static char *first_refusal(FILE *says) {
    char line[1024];
    char *found = NULL;
    while (fgets(line, sizeof(line), says)) {
        if (!found && is_refusal(line)) {
            line[strcspn(line, "\n")] = 0;
            found = cli_printed("%s", line + strspn(line, " \t"));
        }
    }
    return found;
}

char *loader_said(const char *program) {
    char loader[MOST_PATH];
    int end[2];
    if (!find_loader(program, loader) || pipe(end)) {
        return NULL;
    }
    char *path = cli_printed("%s", program);
    const pid_t child = fork();
    if (!child) {
        list(loader, path, end);
    }
    close(end[1]);
    FILE *says = fdopen(end[0], "r");
    char *found = says ? first_refusal(says) : NULL;
    if (says) {
        fclose(says);
    } else {
        close(end[0]);
    }
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    free(path);
    return found;
}
