/* SPDX-License-Identifier: Apache-2.0
 *
 * tma ptxas: stands in ptxas's place. The PTX files among its arguments are rewritten with a check
 * before each tensor copy, and the real ptxas gets the rewritten ones. Whatever goes wrong on the
 * way, ptxas gets what it would have got, and the notes say so.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "cli_error.h"
#include "file_bytes.h"
#include "hang_seconds.h"
#include "notes_out.h"
#include "output_file.h"
#include "printable.h"
#include "ptx_found.h"
#include "ptx_hang.h"
#include "ptx_heap.h"
#include "ptx_rewrite.h"
#include "ptxas_caps.h"
#include "ptxas_capture.h"
#include "ptxas_find.h"
#include "ptxas_places.h"
#include "ptxas_said.h"
#include "ptxas_threads.h"
#include "tma/ptx_check.h"
#include "tma/tma.h"
#include "verbs.h"

#define MOST_FILE_B (UINT64_C(1) << 30)

static const char usage[] =
    "Usage: tma ptxas [--real=PTXAS] [--notes=FILE] [--keep=FILE] [PTXAS] ARGUMENT...\n"
    "Takes the place of ptxas: puts a check before each tensor copy (cp.async.bulk.tensor,\n"
    "cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor) and each bulk copy without a map\n"
    "(cp.async.bulk) of the PTX files among the arguments, and calls the real ptxas. A copy that\n"
    "would kill the kernel then ends it with an assertion that names the rule, the operand, the\n"
    "map and the source line (error 710).\n\n"
    "      --real=PTXAS   the real ptxas. Default: the first argument if it is a ptxas (nvcc's\n"
    "                     --ptxas-prefix), else $TMA_PTXAS, else Triton's own, else the first in\n"
    "                     $PATH\n"
    "      --notes=FILE   appends to FILE which copies of each kernel were found, checked and\n"
    "                     left without a check, and what tma ptx finds. Default:\n"
    "                     $TMA_PTXAS_NOTES\n"
    "      --on-fault=WORD  what happens instead of a copy that would kill the kernel. Default:\n"
    "                     $TMA_PTXAS_ON_FAULT, else assert\n"
    "        assert       an assertion prints the message, error 710. ptxas serialises wgmma\n"
    "                     (C7510)\n"
    "        trap         the kernel traps without a message, error 719\n"
    "        record       the kernel leaves a record, from which tma run-checked prints the\n"
    "                     message, and ends with error 700\n"
    "        skip         the kernel leaves a record, skips the copy, counts its bytes, and goes\n"
    "                     on\n"
    "        auto         assert in nvcc's files, else record\n"
    "      --hang=SECONDS ends a kernel whose thread waits longer in a loop of mbarrier.try_wait "
    "or\n"
    "                     test_wait, where tma run-checked is there to say what the barrier "
    "lacks.\n"
    "                     Default: $TMA_PTXAS_HANG, else no end\n"
    "      --keep=FILE    writes the last rewritten PTX to FILE. Default: $TMA_PTXAS_KEEP\n\n"
    "For a whole program use tma run-checked. Exit status: that of the real ptxas; 127 if there "
    "is\n"
    "none.\n";

typedef struct ptxas_args {
    const char *real;
    const char *notes;
    const char *keep;
    const char *on_fault;
    const char *hang; /* seconds, or null */
    char **rest;      /* for ptxas */
    int count;
    int prefixed; /* nvcc's --ptxas-prefix called this program */
} ptxas_args;

static const char *value_of(const char *text, const char *option) {
    const size_t length = strlen(option);
    return strncmp(text, option, length) == 0 ? text + length : NULL;
}

static const char *environment(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Own options stand before all others. */
static ptxas_args parse(int argc, char **argv) {
    ptxas_args args = {NULL,
                       environment("TMA_PTXAS_NOTES"),
                       environment("TMA_PTXAS_KEEP"),
                       environment("TMA_PTXAS_ON_FAULT"),
                       environment("TMA_PTXAS_HANG"),
                       NULL,
                       0,
                       0};
    int i = 1;
    for (; i < argc; i++) {
        const char *value = NULL;
        if ((value = value_of(argv[i], "--real="))) {
            args.real = value;
        } else if ((value = value_of(argv[i], "--notes="))) {
            args.notes = value;
        } else if ((value = value_of(argv[i], "--keep="))) {
            args.keep = value;
        } else if ((value = value_of(argv[i], "--on-fault="))) {
            args.on_fault = value;
        } else if ((value = value_of(argv[i], "--hang="))) {
            args.hang = value;
        } else {
            break;
        }
    }
    if (i < argc && ptxas_is_named(argv[i])) {
        args.real = args.real ? args.real : argv[i];
        args.prefixed = 1;
        i++;
    }
    args.rest = argv + i;
    args.count = argc - i;
    return args;
}

static int run(char **argv) {
    const child_way way = {.stderr_fd = STDERR_FILENO};
    return child_run(argv, &way);
}

static void keep(const char *path, char *text, size_t size) {
    const file_bytes all = {(uint8_t *)text, size};
    const file_bytes nothing = {NULL, 0};
    tma_error error;
    if (file_write(path, &all, &nothing, &error)) {
        cli_say("--keep: %s", error.text);
    }
}

/* A program that nvcc builds may run anywhere: it says itself what is wrong. */
static uint32_t fault_of(const ptxas_args *args) {
    const uint32_t asked =
        args->on_fault ? tma_ptx_check_fault_find(args->on_fault) : TMA_PTX_CHECK_ASSERT;
    return asked == TMA_PTX_CHECK_AUTO && args->prefixed ? TMA_PTX_CHECK_ASSERT : asked;
}

/* With bounds for its waits; or as it was. */
static void bound_waits(const ptxas_args *args, char **text, size_t *size, FILE *notes,
                        ptx_hang_count *waits) {
    char *bounded = NULL;
    size_t bounded_B = 0;
    FILE *out = open_memstream(&bounded, &bounded_B);
    if (!out ||
        ptx_hang_rewrite(out, notes, *text, *size, 1000 * hang_seconds(args->hang), waits) ||
        fclose(out) || !bounded) {
        cli_out_of_memory();
    }
    free(*text);
    *text = bounded;
    *size = bounded_B;
}

/* A PTX file among the arguments. What the notes say of it comes in two parts: tma ptx's findings
 * while ptxas runs. */
typedef struct ptxas_input {
    file_bytes bytes; /* until they are noted; or null */
    ptx_heap heap;
    ptx_memory memory;
    ptx_reading reading; /* of the bytes, once for both */
    FILE *notes;
    char *noted;
    size_t noted_B;
} ptxas_input;

/* The rewritten file, or null where it stays as it is; `unread`: why it could not be read. */
static char *rewritten(const ptxas_args *args, const char *path, ptxas_input *input,
                       ptx_rewrite_count *count, tma_error *unread) {
    FILE *notes = input->notes;
    char *text = NULL;
    size_t size = 0;
    ptx_hang_count waits = {0, 0};
    if (file_read(path, MOST_FILE_B, &input->bytes, unread)) {
        input->bytes.at = NULL;
        tma_out why = notes_out(notes);
        tma_put(&why, "  left: ");
        tma_put_printable(&why, unread->text, strlen(unread->text));
        tma_put(&why, "\n");
        return NULL;
    }
    FILE *out = cli_got(open_memstream(&text, &size));
    input->memory = ptx_heap_memory(&input->heap);
    if (ptx_reading_make(&input->reading, &input->memory, (const char *)input->bytes.at,
                         input->bytes.size) ||
        ptx_rewrite_of(out, notes, &input->reading, fault_of(args), count)) {
        cli_out_of_memory();
    }
    if (fclose(out) || !text) {
        cli_out_of_memory();
    }
    if (args->hang) {
        bound_waits(args, &text, &size, notes, &waits);
    }
    const int changed = count->checked || waits.bounded;
    char *file = changed ? ptxas_place_for(path) : NULL;
    if (changed && (!file || ptxas_place_write(file, text, size))) {
        const char *why = strerror(errno);
        notes_put(notes, "  left: cannot write the rewritten file: %s\n", why);
        cli_say("%.200s is not checked: cannot write the rewritten file: %s",
                printable_text(path).text, why);
        ptxas_place_remove(file);
        file = NULL;
    }
    if (file && args->keep) {
        keep(args->keep, text, size);
    }
    free(text);
    return file;
}

/* One write for all of it, where the disk has room: several ptxas run at once. */
static void append_notes(const char *path, const char *text, size_t size) {
    const int fd = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (path && (fd < 0 || output_put(fd, text, size))) {
        cli_say("cannot write notes to %s: %s", path, strerror(errno));
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* The files among the arguments that have checks now. */
typedef struct checked_files {
    char *made[PTXAS_MOST_FILES];
    char *given[PTXAS_MOST_FILES];
    int at[PTXAS_MOST_FILES]; /* of ptxas's arguments */
    ptxas_capped capped[PTXAS_MOST_FILES];
    int count;
    uint32_t caps; /* kernels without a block size */
} checked_files;

/* All of one run. */
typedef struct assembly {
    const ptxas_args *args;
    char **argv; /* of the real ptxas */
    checked_files files;
    ptxas_input *input;
    int inputs;
    ptx_rewrite_count all;
    struct {
        child_process ptxas;
        char *output; /* null: it was not begun */
    } plain;          /* the files without checks, for their registers */
} assembly;

static void put_files(const checked_files *files, char *const *path, char **real_argv) {
    for (int i = 0; i < files->count; i++) {
        real_argv[files->at[i]] = path[i];
    }
}

/* Once. */
static void note_findings(assembly *a) {
    for (int i = 0; i < a->inputs; i++) {
        ptxas_input *one = &a->input[i];
        if (one->bytes.at && a->args->notes && ptx_note_findings_of(one->notes, &one->reading)) {
            cli_out_of_memory();
        }
        ptx_heap_free(&one->heap);
        free(one->bytes.at);
        one->bytes.at = NULL;
    }
}

/* --- registers --- */

static void begin_plain(assembly *a) {
    FILE *unheard = tmpfile();
    a->plain.output = unheard ? ptxas_place_for("plain.cubin") : NULL;
    put_files(&a->files, a->files.given, a->argv);
    char **argv = ptxas_caps_argv(a->argv, a->plain.output);
    put_files(&a->files, a->files.made, a->argv);
    if (a->plain.output) {
        (void)child_begin(&a->plain.ptxas, argv, fileno(unheard));
    }
    if (unheard) {
        fclose(unheard);
    }
    free(argv);
}

static void end_plain(assembly *a) {
    child_stop(&a->plain.ptxas);
    ptxas_place_remove(a->plain.output);
    a->plain.output = NULL;
}

/* Kernels without a block size: how many. */
static uint32_t read_caps(checked_files *files, char **real_argv) {
    uint32_t caps = 0;
    for (int i = 0; i < files->count && !ptxas_caps_bounded(real_argv); i++) {
        ptxas_caps_read(&files->capped[i], files->made[i]);
        caps += files->capped[i].caps;
    }
    return caps;
}

/* Whether all fit as the files with checks were assembled. */
static int fit_any_block(checked_files *files, char **real_argv) {
    int i = 0;
    while (i < files->count && ptxas_caps_fit(&files->capped[i], real_argv)) {
        i++;
    }
    return i == files->count;
}

static void write_caps(const ptxas_args *args, checked_files *files) {
    for (int i = 0; i < files->count && files->caps; i++) {
        const ptxas_capped *one = &files->capped[i];
        file_bytes kept = {NULL, 0};
        tma_error error;
        if (one->caps && ptxas_caps_write(one, files->made[i], &error)) {
            cli_say("registers are not capped: %s", error.text);
            files->caps = 0;
        } else if (one->caps && args->keep &&
                   !file_read(files->made[i], MOST_FILE_B, &kept, &error)) {
            keep(args->keep, (char *)kept.at, kept.size);
            free(kept.at);
        }
    }
}

/* The files without checks, for their registers: whether those with checks, which were assembled,
 * have to be once more. */
static int cap(assembly *a) {
    checked_files *files = &a->files;
    int binds = 0;
    if (!a->plain.output) {
        begin_plain(a);
    }
    note_findings(a);
    files->caps = child_wait(&a->plain.ptxas) ? 0 : files->caps;
    for (int i = 0; i < files->count && files->caps; i++) {
        binds |= ptxas_caps_bind(&files->capped[i], a->plain.output);
    }
    end_plain(a);
    if (binds) {
        write_caps(a->args, files);
    }
    return binds && files->caps;
}

/* --- the runs --- */

static int calls_checks(const ptxas_args *args) {
    return tma_ptx_check_fault_for(fault_of(args)) != TMA_PTX_CHECK_RECORD;
}

/* ptxas on the files as they are in argv. While it runs, what else takes time: the files without
 * checks too, where it seems that their registers will be asked for. */
static int run_begun(assembly *a, char **argv, FILE *said) {
    child_process ptxas;
    if (child_begin(&ptxas, argv, said ? fileno(said) : STDERR_FILENO)) {
        return CHILD_NOT_RUN;
    }
    if (a->all.large && !a->plain.output && said && ptxas_has_cores() && !calls_checks(a->args) &&
        !ptxas_caps_bounded(a->argv)) {
        begin_plain(a);
    }
    a->all.large = 0; /* once */
    note_findings(a);
    return child_wait(&ptxas);
}

/* With two threads, where there is work for them. */
static int run_checked(assembly *a, FILE *said) {
    const int threads = a->all.kernels > 1 && !a->all.large && said && ptxas_has_cores() &&
                        !ptxas_threads_asked(a->argv);
    char **argv = threads ? ptxas_threads_argv(a->argv) : a->argv;
    int status = run_begun(a, argv, said);
    if (threads && status && !child_signal_came() && ptxas_threads_unknown(said)) {
        rewind(said);
        a->all.kernels = 0;
        status = ftruncate(fileno(said), 0) ? CHILD_NOT_RUN : run_begun(a, a->argv, said);
    }
    if (threads) {
        free(argv);
    }
    return status;
}

/* Whether ptxas takes the files of the user where it does not take those with checks. */
static int assemble_plain(const checked_files *files, char **real_argv, FILE *said, FILE *notes) {
    put_files(files, files->given, real_argv);
    const int status = run(real_argv);
    if (!status) {
        notes_put(notes, "  left: ptxas took the file without checks alone");
        if (said) {
            ptxas_note_error(notes, files->made, files->count, said);
        }
        notes_put(notes, "\n");
    }
    return status;
}

/* The real ptxas on the files with checks, with caps where they need them. With calls in them
 * kernels mostly do, and take ptxas long: those are assembled once, with the caps. */
static int assemble_checked(assembly *a, FILE *said) {
    checked_files *files = &a->files;
    const int calls = calls_checks(a->args);
    files->caps = said && calls ? read_caps(files, a->argv) : 0;
    if (files->caps) {
        (void)cap(a);
    }
    int status = child_signal_came() ? CHILD_NOT_RUN : run_checked(a, said);
    if (status || calls || !said || child_signal_came() || ptxas_caps_all_fit(a->argv)) {
        return status;
    }
    files->caps = read_caps(files, a->argv);
    if (!files->caps) {
        return status;
    }
    if (fit_any_block(files, a->argv)) {
        files->caps = 0;
    } else if (cap(a) && !child_signal_came()) {
        rewind(said);
        status = ftruncate(fileno(said), 0) ? CHILD_NOT_RUN : run_checked(a, said);
    }
    return status;
}

/* Rewrites argument `i`, if it is a PTX file. */
static void take_input(assembly *a, int i, tma_error *unread) {
    const char *path = a->args->rest[i];
    ptxas_input *input = &a->input[a->inputs];
    ptx_rewrite_count count = {0};
    if (!ptxas_is_input(a->args->rest, i) || a->files.count == PTXAS_MOST_FILES) {
        return;
    }
    input->notes = cli_got(open_memstream(&input->noted, &input->noted_B));
    a->inputs++;
    tma_out name = notes_out(input->notes);
    tma_put(&name, "file ");
    tma_put_printable(&name, path, strlen(path));
    tma_put(&name, "\n");
    char *made = rewritten(a->args, path, input, &count, unread);
    a->all.found += count.found;
    a->all.checked += made ? count.checked : 0;
    a->all.large += made ? count.large : 0;
    if (made && count.kernels > a->all.kernels) { /* of one file */
        a->all.kernels = count.kernels;
    }
    if (made) {
        a->files.made[a->files.count] = made;
        a->files.given[a->files.count] = a->argv[i + 1];
        a->files.at[a->files.count++] = i + 1;
    }
}

static void put_notes(assembly *a, FILE *notes) {
    note_findings(a); /* where nothing ran */
    for (int i = 0; i < a->inputs; i++) {
        ptxas_input *one = &a->input[i];
        if (fclose(one->notes) || !one->noted ||
            fwrite(one->noted, 1, one->noted_B, notes) != one->noted_B) {
            cli_out_of_memory();
        }
        free(one->noted);
    }
    free(a->input);
}

/* The real ptxas on the rewritten files; on the user's own where it does not take those. */
static int assemble(const ptxas_args *args, char **real_argv, FILE *notes) {
    assembly a = {.args = args, .argv = real_argv};
    tma_error unread;
    unread.text[0] = '\0';
    a.input = cli_got(calloc((size_t)args->count + 1, sizeof(*a.input)));
    for (int i = 0; i < args->count; i++) {
        take_input(&a, i, &unread);
    }
    checked_files *files = &a.files;
    put_files(files, files->made, real_argv);
    FILE *said = files->count ? tmpfile() : NULL;
    int status = assemble_checked(&a, said);
    end_plain(&a);
    put_notes(&a, notes);
    if (said && !status) {
        ptxas_pass_on(said);
    }
    if (!status && unread.text[0]) { /* else ptxas has said the same */
        cli_say("not checked: %s", printable_text(unread.text).text);
    }
    if (status && status != CHILD_NOT_RUN && files->count && !child_signal_came()) {
        status = assemble_plain(files, real_argv, said, notes);
        a.all.checked = 0;
        files->caps = 0;
    }
    if (said) {
        fclose(said);
    }
    for (int i = 0; i < files->count; i++) {
        if (!status && files->caps) {
            ptxas_caps_note(&files->capped[i], real_argv, notes);
        }
        ptxas_caps_free(&files->capped[i]);
        ptxas_place_remove(files->made[i]);
    }
    notes_put(notes, "total %u found %u checked\n", (unsigned)a.all.found, (unsigned)a.all.checked);
    return status;
}

/* What ptxas prints, and a line of ours: compilers make it the key of their caches. */
static int version(char **real_argv, uint32_t on_fault, const char *hang) {
    const int status = run(real_argv);
    if (!status) {
        printf("libtma " TMA_VERSION " checks tensor copies: %s\n",
               tma_ptx_check_fault_name(on_fault));
        if (hang) {
            printf("libtma " TMA_VERSION " ends waits of more than %s s\n", hang);
        }
    }
    return status;
}

static int asks_for_version(const ptxas_args *args) {
    for (int i = 0; i < args->count; i++) {
        if (strcmp(args->rest[i], "--version") == 0 || strcmp(args->rest[i], "-V") == 0) {
            return 1;
        }
    }
    return 0;
}

int cmd_ptxas(int argc, char **argv) {
    const ptxas_args args = parse(argc, argv);
    if (!args.real && args.count == 1 && strcmp(args.rest[0], "--help") == 0) {
        fputs(usage, stdout);
        return CLI_CLEAN;
    }
    if (args.hang && !hang_seconds(args.hang)) {
        return CLI_MISUSE;
    }
    if (fault_of(&args) >= TMA_PTX_CHECK_FAULTS) {
        cli_say("--on-fault=%s is none of " TMA_PTX_CHECK_FAULT_WORDS, args.on_fault);
        return CLI_MISUSE;
    }
    char *real = ptxas_find(args.real, argv[0]);
    if (!real) {
        cli_say("no ptxas: neither --real, $TMA_PTXAS nor $PATH has one");
        return CHILD_EXIT_NOT_RUN;
    }
    char **real_argv = calloc((size_t)args.count + 2, sizeof(*real_argv));
    char *text = NULL;
    size_t size = 0;
    FILE *notes = open_memstream(&text, &size);
    if (!real_argv || !notes) {
        cli_out_of_memory();
    }
    real_argv[0] = real;
    for (int i = 0; i < args.count; i++) {
        real_argv[i + 1] = args.rest[i];
    }
    const int versioned = asks_for_version(&args);
    const char *capture = environment("TMA_PTXAS_CAPTURE"); /* tma capture: no checks */
    child_signals_begin();
    (void)atexit(ptxas_places_remove);
    (void)atexit(child_wait_all); /* before */
    const int status = versioned ? version(real_argv, fault_of(&args), args.hang)
                       : capture ? ptxas_capture(real_argv, capture)
                                 : assemble(&args, real_argv, notes);
    child_signals_end();
    if (fclose(notes) || !text) {
        cli_say("no notes are written: out of memory");
    } else if (!versioned && !capture) {
        append_notes(args.notes, text, size);
    }
    free(text);
    free(real_argv);
    free(real);
    return child_exit(status);
}
