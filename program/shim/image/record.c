/* SPDX-License-Identifier: Apache-2.0
 *
 * The record: a page of the host's memory that the devices can write to, so that it can be read
 * when the context is lost. It is a slot of the file that LIBTMA_RECORD names, if that is one (tma
 * run-checked makes it, and reads it); else this library reports what is in it, at the next error
 * that it sees, or when the program ends.
 */
#include "record.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "real_driver.h"
#include "report_out.h"
#include "settings.h"
#include "tma/judge_record.h"
#include "write_out.h"

#define FILE_BYTES (TMA_JUDGE_RECORD_SLOTS * sizeof(tma_judge_record_slot))
#define TEXT_BYTES 4096
#define MAKERS     16 /* at the same time; another thread is told at its next call */

/* Where kernels' records are. */
struct place {
    tma_judge_record_slot *shared; /* of the file, or null */
    tma_judge_record_slot *slot;   /* what devices write to: that one, or memory of our own */
    uint64_t address;              /* for devices */
    pid_t process;                 /* a child after fork() has none */
};

/* Threads that load at the same time make one each, and wait for nobody; the first one counts. */
static struct place places[MAKERS];
static atomic_uint makers;
static _Atomic(const struct place *) first;

/* --- making it --- */

/* A slot that nobody has. */
static tma_judge_record_slot *take_slot(tma_judge_record_slot *slots) {
    const uint32_t self = (uint32_t)getpid();
    for (unsigned i = 0; i < TMA_JUDGE_RECORD_SLOTS; i++) {
        uint32_t nobody = 0;
        if (__atomic_compare_exchange_n(&slots[i].process, &nobody, self, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return &slots[i];
        }
    }
    return NULL;
}

static tma_judge_record_slot *slot_of_file(const char *path) {
    struct stat about;
    const int fd = open_beyond(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return NULL;
    }
    const int is_ours =
        !fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_size == (off_t)FILE_BYTES;
    void *at =
        is_ours ? mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    close(fd);
    return at == MAP_FAILED ? NULL : take_slot((tma_judge_record_slot *)at);
}

static tma_judge_record_slot *slot_of_memory(void) {
    void *at = mmap(NULL, sizeof(tma_judge_record_slot), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : (tma_judge_record_slot *)at;
}

/* The driver's answer. */
static shim_result give_to_devices(struct place *place, tma_judge_record_slot *slot) {
    shim_register_call *take = (shim_register_call *)real_function(AT_cuMemHostRegister_v2);
    shim_device_pointer_call *find =
        (shim_device_pointer_call *)real_function(AT_cuMemHostGetDevicePointer_v2);
    if (!slot || !take || !find) {
        return SHIM_ERROR_NOT_SUPPORTED;
    }
    shim_result rc = take(slot, sizeof(*slot), SHIM_REGISTER_FOR_DEVICES);
    rc = rc ? rc : find(&place->address, slot, 0);
    if (!rc) {
        slot->record.format = TMA_JUDGE_RECORD_FORMAT;
        place->slot = slot;
    }
    return rc;
}

static shim_result make_place(struct place *place) {
    place->process = getpid();
    place->shared = slot_of_file(settings()->record);
    const shim_result rc =
        place->shared ? give_to_devices(place, place->shared) : SHIM_ERROR_NOT_SUPPORTED;
    return rc ? give_to_devices(place, slot_of_memory()) : rc;
}

/* Another thread's counts. The mapping stays: so few are made. */
static void leave_place(const struct place *place) {
    shim_unregister_call *end = (shim_unregister_call *)real_function(AT_cuMemHostUnregister);
    if (end && place->slot) {
        (void)end(place->slot);
    }
    if (place->shared) {
        place->shared->record.format = 0;
        __atomic_store_n(&place->shared->process, 0, __ATOMIC_RELEASE);
    }
}

static void say_refused(const struct place *place, shim_result rc) {
    if (rc && place->shared) {
        place->shared->error = rc;
    } else if (rc) {
        report_message("the driver takes no memory for kernels' records (cuMemHostRegister "
                       "answered %u): a kernel that breaks a rule ends without a word",
                       rc);
    }
}

/* The one of this process, or null. */
static const struct place *place_here(void) {
    const struct place *place = atomic_load(&first);
    return place && place->slot && place->process == getpid() ? place : NULL;
}

/* Once in a process; it has a context now. */
static const struct place *place_made(void) {
    const struct place *before = NULL;
    const unsigned maker = atomic_load(&first) ? MAKERS : atomic_fetch_add(&makers, 1);
    if (maker < MAKERS) {
        struct place *place = &places[maker];
        const shim_result rc = make_place(place);
        if (atomic_compare_exchange_strong(&first, &before, place)) {
            say_refused(place, rc);
        } else {
            leave_place(place);
        }
    }
    return place_here();
}

/* --- telling kernels --- */

/* On a stream of its own, which waits for no other. */
static shim_result write_address(uint64_t to, const uint64_t *address) {
    shim_stream_create_call *create = (shim_stream_create_call *)real_function(AT_cuStreamCreate);
    shim_stream_call *end = (shim_stream_call *)real_function(AT_cuStreamDestroy_v2);
    shim_stream_call *wait = (shim_stream_call *)real_function(AT_cuStreamSynchronize);
    shim_write_call *write_to = (shim_write_call *)real_function(AT_cuMemcpyHtoDAsync_v2);
    struct CUstream_st *stream = NULL;
    if (!create || !end || !wait || !write_to) {
        return SHIM_ERROR_NOT_SUPPORTED;
    }
    shim_result rc = create(&stream, SHIM_STREAM_NON_BLOCKING);
    if (!rc) {
        rc = write_to(to, address, sizeof(*address), stream);
        rc = rc ? rc : wait(stream);
        (void)end(stream);
    }
    return rc;
}

void record_loaded(const struct loaded_kernels *kernels) {
    uint64_t variable = 0;
    size_t size_B = 0;
    if (!settings()->record) {
        return;
    }
    const uint32_t before = exchange_capture_mode(SHIM_CAPTURE_RELAXED);
    const struct place *place =
        !kernels_global(kernels, TMA_JUDGE_RECORD_VARIABLE, &variable, &size_B) &&
                size_B == sizeof(place->address)
            ? place_made()
            : NULL;
    if (place && !write_address(variable, &place->address)) {
        tma_judge_record_slot *counts = place->shared ? place->shared : place->slot;
        __atomic_add_fetch(&counts->modules, 1, __ATOMIC_RELAXED);
    }
    (void)exchange_capture_mode(before);
}

/* --- reading it --- */

static void report_record(const tma_judge_record *record) {
    static const char head[] = "libtma: "; /* which every line of a report has */
    struct report *report = report_begin();
    if (!report) {
        return;
    }
    char *place = report_room(report, TEXT_BYTES);
    char *text = report_room(report, TEXT_BYTES);
    tma_judge_record_place(place, TEXT_BYTES, record);
    tma_judge_record_text(text, TEXT_BYTES, record);
    char *line = text + (strncmp(text, head, sizeof(head) - 1) ? 0 : sizeof(head) - 1);
    report_line(report, "a kernel broke a rule at %s:", place);
    while (*line) {
        const size_t length = strcspn(line, "\n");
        const int last = !line[length];
        line[length] = 0;
        report_line(report, "%s%s", *line == ' ' ? "" : "  ", line);
        line += length + !last;
    }
    report_end(report);
}

/* A record that a kernel has written to its end, or null. */
static const tma_judge_record_slot *written_at(const struct place *place) {
    return place && __atomic_load_n(&place->slot->record.state, __ATOMIC_ACQUIRE) ==
                        TMA_JUDGE_RECORD_DONE
               ? place->slot
               : NULL;
}

int record_explains(void) {
    const tma_judge_record_slot *slot = written_at(place_here());
    return slot && !slot->record.skipped;
}

void record_look(void) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const struct place *place = place_here();
    const tma_judge_record_slot *slot = written_at(place);
    if (!slot || slot == place->shared || atomic_flag_test_and_set(&said)) {
        return;
    }
    const int hangs = slot->record.rule == TMA_JUDGE_RECORD_HANG;
    if (place->shared) { /* who reads the file reports it */
        place->shared->record = slot->record;
        place->shared->hang = slot->hang;
        place->shared->record.state = TMA_JUDGE_RECORD_BEGUN;
        __atomic_store_n(&place->shared->record.state, TMA_JUDGE_RECORD_DONE, __ATOMIC_RELEASE);
    } else if (hangs && !settings()->quiet) {
        report_message("a kernel waited longer than %u ms at the mbarrier at 0x%x, and was ended: "
                       "tma run-checked --hang says more",
                       (unsigned)slot->hang.limit_ms, (unsigned)slot->record.shared_address);
    } else if (!settings()->quiet) {
        report_record(&slot->record);
    }
}

__attribute__((destructor)) static void look_at_the_end(void) {
    record_look();
}
