/* SPDX-License-Identifier: Apache-2.0
 *
 * tma emulate PROGRAM: the program with program/runtime's libraries in the place of CUDA's, and
 * what its launches came to.
 */
#include "emulate_program.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "cli_error.h"
#include "loader_said.h"
#include "preload.h"
#include "printable.h"
#include "tma/detail/chars.h"
#include "tma/spec.h"
#include "tma/text.h"

#define LIBRARY "emulated/libcudart.so.13" /* one of them */

typedef struct launch_sum {
    int begun, asked_tables;
    uint64_t launches, findings, certain, open;
} launch_sum;

int emulate_is_program(const char *path) {
    char start[4] = "";
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const int is_elf = file >= 0 && read(file, start, sizeof(start)) == sizeof(start) &&
                       !memcmp(start, "\177ELF", sizeof(start));
    if (file >= 0) {
        close(file);
    }
    return is_elf;
}

/* The libraries' folder, free() it; null: there is none. */
static char *find_folder(void) {
    char *library = preload_find(LIBRARY);
    char *slash = library ? strrchr(library, '/') : NULL;
    if (slash) {
        *slash = 0;
    }
    char *folder = library ? realpath(library, NULL) : NULL;
    free(library);
    return folder;
}

/* The next number of a line; 0 where there is none. */
static unsigned next_number(char **rest) {
    const char *word = strtok_r(NULL, " \n", rest);
    uint64_t number = 0;
    return word && tma_number_of(&number, word, strlen(word)) == TMA_NUMBER_OK ? (unsigned)number
                                                                               : 0;
}

/* program_report.c's lines. */
static launch_sum read_report(const char *path) {
    launch_sum sum = {0};
    FILE *file = fopen(path, "r");
    char line[96];
    while (file && fgets(line, sizeof(line), file)) {
        char *rest = NULL;
        const char *what = strtok_r(line, " \n", &rest);
        sum.begun |= what && !strcmp(what, "begun");
        sum.asked_tables |= what && !strcmp(what, "tables");
        sum.launches += what && !strcmp(what, "launch");
        sum.findings += next_number(&rest);
        sum.certain += next_number(&rest);
        sum.open += next_number(&rest) != 0;
    }
    if (file) {
        fclose(file);
    }
    return sum;
}

/* `status`: of child_run(). */
static int say_sum(const launch_sum *sum, const char *program, int status) {
    if (!sum->begun) {
        cli_say(
            "%s loads neither CUDA's shared runtime nor its driver: compile it with nvcc -cudart "
            "shared (nvcc links the static one unless it is told)",
            program);
        return CLI_NOT_JUDGED;
    }
    if (sum->asked_tables && !sum->launches) {
        cli_say(
            "%s launched nothing, and asks the driver for tables that no document describes, as "
            "CUDA's static runtime does, nvcc's default: compile it with nvcc -cudart shared",
            program);
        return CLI_NOT_JUDGED;
    }
    char *died = status > 128 && status <= 128 + SIGRTMAX
                     ? cli_printed("; the program was ended by signal %d (%s)", status - 128,
                                   strsignal(status - 128))
                     : NULL;
    cli_say("%" PRIu64 " launch%s executed, %" PRIu64 " finding%s%s%s%s", sum->launches,
            sum->launches == 1 ? "" : "es", sum->findings, text_plural(sum->findings),
            sum->launches ? "" : ": nothing was judged",
            sum->open ? "; not all launches came to their end" : "", died ? died : "");
    free(died);
    return sum->open || !sum->launches ? CLI_NOT_JUDGED : 0;
}

/* A program that was not even loaded: what its loader lacks is said. */
static int is_refused(const launch_sum *sum, const char *program, int status) {
    const int may_be = !sum->begun && (status == EXIT_FAILURE || status == CHILD_EXIT_NOT_RUN);
    char *refusal = may_be ? loader_said(program) : NULL;
    const int has_one = refusal != NULL;
    if (refusal) {
        cli_say("the dynamic loader does not load %s: %s", program, printable_text(refusal).text);
    }
    free(refusal);
    return has_one;
}

static int run(char **argv, const char *report, int certain_only) {
    const child_way way = {.stderr_fd = STDERR_FILENO, .answers_signals = 1};
    child_signals_begin();
    const int status = child_run(argv, &way);
    child_signals_end();
    if (status == CHILD_NOT_RUN) {
        return child_exit(status);
    }
    const launch_sum sum = read_report(report);
    if (is_refused(&sum, argv[0], status)) {
        return CLI_NOT_JUDGED; /* the status is the loader's: 1 would say that there are findings */
    }
    const int open = say_sum(&sum, argv[0], status);
    if (sum.asked_tables && !sum.launches) {
        return CLI_NOT_JUDGED; /* its own status is of what it lacks here */
    }
    if (certain_only ? sum.certain : sum.findings) {
        return CLI_FINDINGS;
    }
    return status ? child_exit(status) : open;
}

const char *emulate_device(const char *arch) {
    const tma_arch_row *row = tma_arch_find(arch);
#define CUDA_DEVICE(number, letter, name, memory_B)                                                \
    if (row && row->sm == (number) && row->suffix == (letter)) {                                   \
        return name;                                                                               \
    }
#include "cuda_devices.def"
    return NULL;
}

int emulate_program(char **argv, const char *arch, int certain_only) {
    const char *tmp = getenv("TMPDIR");
    char *report = cli_printed("%s/tma-emulate-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    char *folder = find_folder();
    int status = CLI_MISUSE;
    const int file = folder ? mkstemp(report) : -1;
    if (!folder) {
        cli_say("no " LIBRARY " that belongs to this program: a package for musl, or the "
                "command alone, has none; make install, a build folder or pip on glibc has");
    } else if (file < 0) {
        cli_say("cannot make a file %s: %s", report, strerror(errno));
    } else {
        close(file);
        preload_first("LD_LIBRARY_PATH", folder);
        setenv("LIBTMA_EMULATE_REPORT", report, 1);
        if (arch) {
            setenv("LIBTMA_ARCH", arch, 1);
        }
        status = run(argv, report, certain_only);
        unlink(report);
    }
    free(folder);
    free(report);
    return status;
}
