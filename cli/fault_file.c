/* SPDX-License-Identifier: Apache-2.0
 *
 * The file of records. It lies in memory where the system has a place for that: a driver may not
 * pin pages of a disk's.
 */
#include "fault_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli_error.h"
#include "printable.h"
#include "tma/judge_record.h"

#define FILE_BYTES (TMA_JUDGE_RECORD_SLOTS * sizeof(tma_judge_record_slot))
#define TEXT_BYTES 4096

static struct {
    char *path;
    tma_judge_record_slot *slot;
} shared;

static int make_in(const char *folder) {
    if (!folder || !*folder || asprintf(&shared.path, "%s/tma-faults-XXXXXX", folder) < 0) {
        return -1;
    }
    const int fd = mkostemp(shared.path, O_CLOEXEC);
    void *at = fd >= 0 && !ftruncate(fd, FILE_BYTES)
                   ? mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                   : MAP_FAILED;
    if (fd >= 0) {
        close(fd);
    }
    if (at == MAP_FAILED) {
        if (fd >= 0) {
            unlink(shared.path);
        }
        free(shared.path);
        shared.path = NULL;
        return -1;
    }
    shared.slot = (tma_judge_record_slot *)at;
    return 0;
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

static int is_whole(const tma_judge_record *record) {
    return __atomic_load_n(&record->state, __ATOMIC_ACQUIRE) == TMA_JUDGE_RECORD_DONE;
}

void fault_file_look(void) {
    for (uint32_t i = 0; shared.slot && i < TMA_JUDGE_RECORD_SLOTS; i++) {
        tma_judge_record_slot *slot = &shared.slot[i];
        if (is_whole(&slot->record) && !__atomic_exchange_n(&slot->told, 1, __ATOMIC_ACQ_REL)) {
            print_record(&slot->record);
        }
    }
}

fault_file_sum fault_file_end(void) {
    fault_file_sum sum = {0};
    fault_file_look();
    for (uint32_t i = 0; shared.slot && i < TMA_JUDGE_RECORD_SLOTS; i++) {
        const tma_judge_record_slot *slot = &shared.slot[i];
        sum.modules += slot->modules;
        sum.records += slot->record.state == TMA_JUDGE_RECORD_DONE;
        sum.cut += slot->record.state == TMA_JUDGE_RECORD_BEGUN;
        sum.skipped += slot->record.skipped;
        sum.error = slot->error ? slot->error : sum.error;
    }
    if (shared.slot) {
        munmap(shared.slot, FILE_BYTES);
        unlink(shared.path);
        free(shared.path);
        shared.slot = NULL;
        shared.path = NULL;
    }
    return sum;
}
