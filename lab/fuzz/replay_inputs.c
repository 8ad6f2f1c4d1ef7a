/* SPDX-License-Identifier: Apache-2.0
 *
 * A fuzzer's regression test without libFuzzer: runs it on every file of the folders given, whole
 * and cut, with a page behind it that nobody may read. What it answers must be what is kept, a line
 * with each input's name and the sum of its answers.
 *
 *     fuzz_NAME ANSWERS FOLDER...     REBASE=1: the answers of now are kept; ANSWERS -: none are
 *     fuzz_NAME --say FILE            one input's answer, to be compared with another version's
 */
#define _DEFAULT_SOURCE /* scandir() */
#include "fuzz_said.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define INPUT_BYTES (1 << 20)
#define PAGE_BYTES  (1 << 16) /* of any machine's, at least */
#define CUTS        3
#define MOST_KEPT   4096
#define NAME_BYTES  192

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct answer {
    char name[NAME_BYTES]; /* the last folder but one, and the file */
    uint64_t sum;
    int was_seen;
} answer;

static answer kept[MOST_KEPT];
static size_t kept_count;
static FILE *now; /* where the answers of now go; null: they are compared */
static int is_unsaid;
static int is_said;
static uint64_t sum;

void fuzz_said(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) { /* FNV-1a */
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    if (is_said) {
        fwrite(text, 1, length, stdout);
    }
}

void fuzz_said_text(const char *text) {
    fuzz_said(text ? text : "", text ? strlen(text) : 0);
    fuzz_said("\n", 1);
}

void fuzz_said_number(const char *name, uint64_t number) {
    char text[96];
    const int length = snprintf(text, sizeof(text), "%.64s %" PRIu64 "\n", name, number);
    fuzz_said(text, (size_t)length);
}

/* So many bytes at the end of the room. */
static uint8_t *placed(const uint8_t *data, size_t size) {
    static uint8_t *room;
    if (!room) {
        room = mmap(NULL, INPUT_BYTES + PAGE_BYTES, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED || mprotect(room + INPUT_BYTES, PAGE_BYTES, PROT_NONE)) {
            perror("mmap");
            exit(1);
        }
    }
    return memcpy(room + INPUT_BYTES - size, data, size);
}

static int answer_to(const char *path) {
    static uint8_t data[INPUT_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot open %s\n", path);
        return -1;
    }
    const size_t size = fread(data, 1, sizeof(data), file);
    fclose(file);
    sum = UINT64_C(0xcbf29ce484222325);
    LLVMFuzzerTestOneInput(placed(data, size), size);
    for (uint64_t i = 0, at = size; i < CUTS && size; i++) {
        at = at * UINT64_C(6364136223846793005) + 1442695040888963407;
        const size_t cut = (at >> 33) % size;
        LLVMFuzzerTestOneInput(placed(data, cut), cut);
    }
    return 0;
}

static answer *kept_of(const char *name) {
    for (size_t i = 0; i < kept_count; i++) {
        if (!strcmp(kept[i].name, name)) {
            return &kept[i];
        }
    }
    return NULL;
}

static int compare(const char *program, const char *path, const char *name) {
    answer *before = kept_of(name);
    if (before && before->sum == sum) {
        before->was_seen = 1;
        return 0;
    }
    if (before) {
        before->was_seen = 1;
    }
    fprintf(stderr, "%s: %s. `%s --say %s` says it; if that is right, REBASE=1 keeps it\n", name,
            before ? "another answer than the one kept" : "no answer is kept", program, path);
    return 1;
}

static int replay(const char *program, const char *path, const char *name) {
    if (answer_to(path)) {
        return 1;
    }
    if (now) {
        return fprintf(now, "%s %016" PRIx64 "\n", name, sum) < 0;
    }
    return is_unsaid ? 0 : compare(program, path, name);
}

/* FOLDER/KIND/FUZZER: each of its files is KIND/FILE. */
static int replay_folder(const char *program, const char *folder, unsigned *count) {
    char path[4096];
    char name[NAME_BYTES];
    struct dirent **all = NULL;
    int failed = 0;
    const char *kind_end = strrchr(folder, '/');
    const char *kind = kind_end;
    while (kind && kind > folder && kind[-1] != '/') {
        kind--;
    }
    const int files = kind ? scandir(folder, &all, NULL, alphasort) : -1;
    if (files < 0) {
        fprintf(stderr, "cannot open %s\n", folder);
        return 1;
    }
    for (int i = 0; i < files; i++) {
        if (all[i]->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", folder, all[i]->d_name);
            snprintf(name, sizeof(name), "%.*s/%.150s", (int)(kind_end - kind), kind,
                     all[i]->d_name);
            failed |= replay(program, path, name);
            ++*count;
        }
        free(all[i]);
    }
    free(all);
    return failed;
}

static int read_kept(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "cannot open %s\n", path);
        return 1;
    }
    answer *a = kept;
    while (kept_count < MOST_KEPT && fscanf(file, "%191s %" SCNx64, a->name, &a->sum) == 2) {
        kept_count++;
        a++;
    }
    fclose(file);
    return 0;
}

static int left_over(void) {
    int failed = 0;
    for (size_t i = 0; i < kept_count; i++) {
        if (!kept[i].was_seen) {
            fprintf(stderr, "%s: an answer is kept, and there is no input\n", kept[i].name);
            failed = 1;
        }
    }
    return failed;
}

/* Opens what is kept, or begins it anew. */
static int begin(const char *answers) {
    const char *rebase = getenv("REBASE");
    is_unsaid = !strcmp(answers, "-");
    if (is_unsaid) {
        return 0;
    }
    if (!rebase || strcmp(rebase, "1") != 0) {
        return read_kept(answers);
    }
    now = fopen(answers, "w");
    return !now;
}

int main(int count, char **words) {
    unsigned inputs = 0;
    if (count == 3 && !strcmp(words[1], "--say")) {
        is_said = 1;
        return answer_to(words[2]) != 0;
    }
    if (count < 3) {
        fprintf(stderr, "usage: %s ANSWERS FOLDER... | --say FILE\n", words[0]);
        return 2;
    }
    int failed = begin(words[1]);
    for (int i = 2; i < count && !failed; i++) {
        failed = replay_folder(words[0], words[i], &inputs);
    }
    if (!failed) {
        failed = now ? fclose(now) != 0 : left_over();
    }
    printf("%u inputs\n", inputs);
    return failed || inputs == 0;
}
