/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of records. It lies in memory where the system has a place for that: a driver may not
 * pin pages of a disk's. All of it is written once, so that no page is lacking when a kernel's
 * record comes; and it is read, not mapped, since the program may make it shorter.
 */
#include "fault_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_error.h"
#include "hang_record.h"
#include "host.h"
#include "output_file.h"
#include "printable.h"
#include "tma/judge_record.h"

#define TEXT_BYTES 4096

static struct {
    char *path; /* null: there is none */
    int fd;
    int is_cut;
    uint8_t told[TMA_JUDGE_RECORD_SLOTS];
} shared;

static int write_zeros(int fd) {
    static const tma_judge_record_slot nothing;
    int failed = 0;
    for (uint32_t i = 0; i < TMA_JUDGE_RECORD_SLOTS && !failed; i++) {
        failed = output_put(fd, &nothing, sizeof(nothing));
    }
    return failed;
}

static int make_in(const char *folder) {
    if (!folder || !*folder || asprintf(&shared.path, "%s/tma-faults-XXXXXX", folder) < 0) {
        return -1;
    }
    shared.fd = mkostemp(shared.path, O_CLOEXEC);
    if (shared.fd >= 0 && !write_zeros(shared.fd)) {
        return 0;
    }
    const int error = errno;
    if (shared.fd >= 0) {
        unlink(shared.path);
        close(shared.fd);
    }
    free(shared.path);
    shared.path = NULL;
    errno = error;
    return -1;
}

int fault_file_make(void) {
    if (make_in("/dev/shm") && make_in(getenv("TMPDIR")) && make_in("/tmp")) {
        cli_say("cannot make a file for kernels' records in /dev/shm, $TMPDIR or /tmp: %s",
                strerror(errno));
        return -1;
    }
    setenv(TMA_JUDGE_RECORD_SETTING, shared.path, 1);
    return 0;
}

/* The names in it come from files that somebody compiled. */
static void print_record(const tma_judge_record *record) {
    char text[TEXT_BYTES];
    const size_t place = tma_judge_record_place(text, sizeof(text) - 1, record);
    text[place] = ' ';
    tma_judge_record_text(text + place + 1, sizeof(text) - place - 1, record);
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        printable_part(stderr, line, length);
        fputc('\n', stderr);
        line += length + (line[length] == '\n');
    }
}

/* A slot as it is now, or one member of it; zeros where the file is shorter than that. */
static void read_slot(uint32_t number, size_t at, void *to, size_t size) {
    const uint64_t from = (uint64_t)number * sizeof(tma_judge_record_slot) + at;
    if (host_read_at(shared.fd, to, size, from) != (ptrdiff_t)size) {
        memset(to, 0, size);
        shared.is_cut = 1;
    }
}

/* The names in it come from files that somebody compiled, or from whoever has the file. */
static void print_slot(tma_judge_record_slot *slot) {
    slot->record.function[TMA_JUDGE_FUNCTION_BYTES - 1] = 0;
    if (slot->record.rule == TMA_JUDGE_RECORD_HANG) {
        hang_record_print(slot);
    } else {
        print_record(&slot->record);
    }
}

void fault_file_look(void) {
    static tma_judge_record_slot slot;
    static const uint32_t yes = 1;
    for (uint32_t i = 0; shared.path && i < TMA_JUDGE_RECORD_SLOTS; i++) {
        uint32_t state = 0;
        read_slot(i, offsetof(tma_judge_record_slot, record.state), &state, sizeof(state));
        if (state != TMA_JUDGE_RECORD_DONE || shared.told[i]) {
            continue;
        }
        read_slot(i, 0, &slot, sizeof(slot)); /* after its state: the kernel wrote that last */
        if (slot.record.state == state && !slot.told) {
            const uint64_t at = (uint64_t)i * sizeof(slot) + offsetof(tma_judge_record_slot, told);
            (void)!pwrite(shared.fd, &yes, sizeof(yes), (off_t)at);
            shared.told[i] = 1;
            print_slot(&slot);
        }
    }
}

fault_file_sum fault_file_end(void) {
    static tma_judge_record_slot slot;
    fault_file_sum sum = {0};
    fault_file_look();
    for (uint32_t i = 0; shared.path && i < TMA_JUDGE_RECORD_SLOTS; i++) {
        read_slot(i, 0, &slot, sizeof(slot));
        sum.modules += slot.modules;
        sum.records += slot.record.state == TMA_JUDGE_RECORD_DONE;
        sum.cut += slot.record.state == TMA_JUDGE_RECORD_BEGUN;
        sum.skipped += slot.record.skipped;
        sum.error = slot.error ? slot.error : sum.error;
    }
    if (shared.path) {
        if (shared.is_cut) {
            cli_say("%s became shorter: records of kernels are lost", shared.path);
        }
        close(shared.fd);
        unlink(shared.path);
        free(shared.path);
        shared.path = NULL; /* where there is none, nothing more is told */
    }
    return sum;
}
