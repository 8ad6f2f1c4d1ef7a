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
#include "ptx_rewrite.h"
#include "ptx_where.h"
#include "ptxas_caps.h"
#include "ptxas_find.h"
#include "tma/ptx_check.h"
#include "tma/tma.h"
#include "verbs.h"

#define MOST_FILE_B (UINT64_C(1) << 30)
#define MOST_FILES  64 /* with checks, of one run */

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

/* A file that is read: it ends in .ptx, and no option before it takes it. */
static int is_input(char **rest, int i) {
    const size_t length = strlen(rest[i]);
    if (rest[i][0] == '-' || length < 4 || strcmp(rest[i] + length - 4, ".ptx") != 0) {
        return 0;
    }
    return !i || (strcmp(rest[i - 1], "-o") != 0 && strcmp(rest[i - 1], "--output-file") != 0);
}

/* What it says on standard error goes to `fd`. */
static int run_saying(char **argv, int fd) {
    const child_way way = {.stderr_fd = fd};
    return child_run(argv, &way);
}

static int run(char **argv) {
    return run_saying(argv, STDERR_FILENO);
}

/* The files in folders of their own: gone at the end, however it comes. */
static char *places[MOST_FILES + 1]; /* one that is ptxas's output */

static void remove_place(char *file) {
    for (size_t i = 0; file && i < sizeof(places) / sizeof(places[0]); i++) {
        if (places[i] == file) {
            places[i] = NULL;
            unlink(file);
            *strrchr(file, '/') = 0;
            rmdir(file);
            free(file);
            return;
        }
    }
}

static void remove_places(void) {
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        remove_place(places[i]);
    }
}

/* A file of this name in a folder of its own, so that ptxas says the name that the user knows. */
static char *place_for(const char *path) {
    const char *folder = environment("TMPDIR");
    const char *slash = strrchr(path, '/');
    char *file = NULL;
    size_t i = 0;
    while (places[i]) { /* there are as many files at most */
        i++;
    }
    if (asprintf(&file, "%s/tma-ptxas-XXXXXX/%s", folder ? folder : "/tmp",
                 slash ? slash + 1 : path) < 0) {
        cli_out_of_memory();
    }
    char *end = strrchr(file, '/');
    *end = 0;
    const int made = mkdtemp(file) != NULL;
    *end = '/';
    if (!made) {
        free(file);
        return NULL;
    }
    places[i] = file;
    return file;
}

/* In a folder of its own, where nothing can be lost. */
static int write_whole(const char *path, const char *text, size_t size) {
    FILE *file = fopen(path, "wb");
    if (!file) {
        return -1;
    }
    const int wrong = fwrite(text, 1, size, file) != size;
    return fclose(file) || wrong ? -1 : 0;
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

/* The rewritten file, or null where it stays as it is; `unread`: why it could not be read. */
static char *rewritten(const ptxas_args *args, const char *path, FILE *notes,
                       ptx_rewrite_count *count, tma_error *unread) {
    file_bytes bytes;
    char *text = NULL;
    size_t size = 0;
    ptx_hang_count waits = {0, 0};
    if (file_read(path, MOST_FILE_B, &bytes, unread)) {
        tma_out why = notes_out(notes);
        tma_put(&why, "  left: ");
        tma_put_printable(&why, unread->text, strlen(unread->text));
        tma_put(&why, "\n");
        return NULL;
    }
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        cli_out_of_memory();
    }
    if (ptx_rewrite(out, notes, (const char *)bytes.at, bytes.size, fault_of(args), count)) {
        cli_out_of_memory();
    }
    if (fclose(out) || !text) {
        cli_out_of_memory();
    }
    if (args->notes && ptx_note_findings(notes, (const char *)bytes.at, bytes.size)) {
        cli_out_of_memory();
    }
    free(bytes.at);
    if (args->hang) {
        bound_waits(args, &text, &size, notes, &waits);
    }
    const int changed = count->checked || waits.bounded;
    char *file = changed ? place_for(path) : NULL;
    if (changed && (!file || write_whole(file, text, size))) {
        const char *why = strerror(errno);
        notes_put(notes, "  left: cannot write the rewritten file: %s\n", why);
        cli_say("%.200s is not checked: cannot write the rewritten file: %s",
                printable_text(path).text, why);
        remove_place(file);
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

/* Warnings of ptxas, which come out where it took the file. */
static void pass_on(FILE *said) {
    char text[4096];
    size_t size = 0;
    rewind(said);
    while ((size = fread(text, 1, sizeof(text), said)) > 0) {
        fwrite(text, 1, size, stderr);
    }
}

/* The files among the arguments that have checks now. */
typedef struct checked_files {
    char *made[MOST_FILES];
    char *given[MOST_FILES];
    int at[MOST_FILES]; /* of ptxas's arguments */
    ptxas_capped capped[MOST_FILES];
    int count;
    uint32_t caps; /* kernels without a block size */
} checked_files;

/* What stands behind a word, or null. */
static const char *after(const char *text, const char *word) {
    const char *at = strstr(text, word);
    return at ? at + strlen(word) : NULL;
}

/* "ptxas FILE, line N; error   : TEXT": the kernel and the source line of line N of that file. */
static void note_where(FILE *notes, const checked_files *files, const char *line) {
    const char *digits = after(line, ", line ");
    uint32_t number = 0;
    if (!digits ||
        tma_read_u32(&number, digits, strspn(digits, "0123456789"), UINT32_MAX, "line", NULL)) {
        return;
    }
    for (int i = 0; i < files->count; i++) {
        file_bytes bytes = {NULL, 0};
        tma_error error;
        char where[512] = "";
        if (strstr(line, files->made[i]) &&
            !file_read(files->made[i], MOST_FILE_B, &bytes, &error)) {
            (void)ptx_where(where, sizeof(where), (const char *)bytes.at, bytes.size, number);
            notes_put(notes, " (line %u%s%s)", (unsigned)number, *where ? ", " : "",
                      printable_text(where).text);
            free(bytes.at);
            return;
        }
    }
}

/* The first error that ptxas said, for the notes. */
static void note_error(FILE *notes, const checked_files *files, FILE *said) {
    char line[1024];
    rewind(said);
    while (fgets(line, sizeof(line), said)) {
        if (strstr(line, "error") || strstr(line, "fatal")) {
            line[strcspn(line, "\n")] = 0;
            const char *text = after(line, "; error");
            text = text ? after(text, ": ") : NULL;
            notes_put(notes, ": with them it says: %.300s",
                      printable_text(text ? text : line).text);
            note_where(notes, files, line);
            return;
        }
    }
}

static void put_files(const checked_files *files, char *const *path, char **real_argv) {
    for (int i = 0; i < files->count; i++) {
        real_argv[files->at[i]] = path[i];
    }
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
static int cap(const ptxas_args *args, checked_files *files, char **real_argv) {
    char *output = place_for("plain.cubin");
    FILE *said = output ? tmpfile() : NULL;
    int binds = 0;
    put_files(files, files->given, real_argv);
    char **plain = ptxas_caps_argv(real_argv, output);
    put_files(files, files->made, real_argv);
    files->caps = !said || run_saying(plain, fileno(said)) ? 0 : files->caps;
    for (int i = 0; i < files->count && files->caps; i++) {
        binds |= ptxas_caps_bind(&files->capped[i], output);
    }
    if (said) {
        fclose(said);
    }
    free(plain);
    remove_place(output);
    if (binds) {
        write_caps(args, files);
    }
    return binds && files->caps;
}

/* Whether ptxas takes the files of the user where it does not take those with checks. */
static int assemble_plain(const checked_files *files, char **real_argv, FILE *said, FILE *notes) {
    put_files(files, files->given, real_argv);
    const int status = run(real_argv);
    if (!status) {
        notes_put(notes, "  left: ptxas took the file without checks alone");
        if (said) {
            note_error(notes, files, said);
        }
        notes_put(notes, "\n");
    }
    return status;
}

/* The real ptxas on the files with checks, with caps where they need them. With calls in them
 * kernels mostly do, and take ptxas long: those are assembled once, with the caps. */
static int assemble_checked(const ptxas_args *args, checked_files *files, char **real_argv,
                            FILE *said) {
    const int fd = said ? fileno(said) : STDERR_FILENO;
    const int calls = tma_ptx_check_fault_for(fault_of(args)) != TMA_PTX_CHECK_RECORD;
    files->caps = said && calls ? read_caps(files, real_argv) : 0;
    if (files->caps) {
        (void)cap(args, files, real_argv);
    }
    int status = child_signal_came() ? CHILD_NOT_RUN : run_saying(real_argv, fd);
    if (status || calls || !said || child_signal_came() || ptxas_caps_all_fit(real_argv)) {
        return status;
    }
    files->caps = read_caps(files, real_argv);
    if (!files->caps) {
        return status;
    }
    if (fit_any_block(files, real_argv)) {
        files->caps = 0;
    } else if (cap(args, files, real_argv) && !child_signal_came()) {
        rewind(said);
        status = ftruncate(fd, 0) ? CHILD_NOT_RUN : run_saying(real_argv, fd);
    }
    return status;
}

/* The real ptxas on the rewritten files; on the user's own where it does not take those. */
static int assemble(const ptxas_args *args, char **real_argv, FILE *notes) {
    checked_files files;
    ptx_rewrite_count all = {0, 0};
    tma_error unread;
    unread.text[0] = '\0';
    memset(&files, 0, sizeof(files));
    for (int i = 0; i < args->count && files.count < MOST_FILES; i++) {
        if (!is_input(args->rest, i)) {
            continue;
        }
        ptx_rewrite_count count = {0, 0};
        tma_out name = notes_out(notes);
        tma_put(&name, "file ");
        tma_put_printable(&name, args->rest[i], strlen(args->rest[i]));
        tma_put(&name, "\n");
        char *made = rewritten(args, args->rest[i], notes, &count, &unread);
        all.found += count.found;
        all.checked += made ? count.checked : 0;
        if (made) {
            files.made[files.count] = made;
            files.given[files.count] = real_argv[i + 1];
            files.at[files.count++] = i + 1;
        }
    }
    put_files(&files, files.made, real_argv);
    FILE *said = files.count ? tmpfile() : NULL;
    int status = assemble_checked(args, &files, real_argv, said);
    if (said && !status) {
        pass_on(said);
    }
    if (!status && unread.text[0]) { /* else ptxas has said the same */
        cli_say("not checked: %s", printable_text(unread.text).text);
    }
    if (status && status != CHILD_NOT_RUN && files.count && !child_signal_came()) {
        status = assemble_plain(&files, real_argv, said, notes);
        all.checked = 0;
        files.caps = 0;
    }
    if (said) {
        fclose(said);
    }
    for (int i = 0; i < files.count; i++) {
        if (!status && files.caps) {
            ptxas_caps_note(&files.capped[i], real_argv, notes);
        }
        ptxas_caps_free(&files.capped[i]);
        remove_place(files.made[i]);
    }
    notes_put(notes, "total %u found %u checked\n", (unsigned)all.found, (unsigned)all.checked);
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
    child_signals_begin();
    (void)atexit(remove_places);
    const int status = versioned ? version(real_argv, fault_of(&args), args.hang)
                                 : assemble(&args, real_argv, notes);
    child_signals_end();
    if (fclose(notes) || !text) {
        cli_say("no notes are written: out of memory");
    } else if (!versioned) {
        append_notes(args.notes, text, size);
    }
    free(text);
    free(real_argv);
    free(real);
    return child_exit(status);
}
