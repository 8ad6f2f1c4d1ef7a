/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules: of each fatbinary the PTX that is nearest to the device is executed; a text is PTX
 * itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated_program.h"
#include "fat_image.h"

#define MOST_FILES 64
#define SPECIFIC   1000 /* better than what is for all later GPUs */

struct program_module {
    const void *image; /* as it was registered or loaded */
    size_t size_B;
    char *ptx;
    tma_emulator *emulator;
    tma_emulate_memory *variable; /* null: not made yet */
    size_t variables;
    cuda_error error; /* of reading it */
    int is_read;
    struct program_module *next;
};

static program_module *modules; /* under the lock, as all of a module */

/* ---- which PTX ---- */

/* How well a PTX fits the device: 0 not at all. sm_90a alone has the instructions of sm_90a, what
 * is for a family is for its later members too. */
static unsigned fitness(const char *ptx) {
    const char *target = strstr(ptx, ".target");
    const char *number = target ? strstr(target, "sm_") : NULL;
    const unsigned long arch = number ? strtoul(number + 3, NULL, 10) : 0;
    const unsigned long own = tma_program_device()->sm;
    if (!arch || arch > own) {
        return 0;
    }
    const char suffix = number[3 + strspn(number + 3, "0123456789")];
    const int is_own = suffix == 'a' ? arch == own : arch / 10 == own / 10;
    return suffix != 'a' && suffix != 'f' ? (unsigned)arch : is_own ? SPECIFIC + (unsigned)arch : 0;
}

static char *copy_of(const char *at, size_t size_B) {
    char *text = malloc(size_B + 1);
    if (text) {
        memcpy(text, at, size_B);
        text[size_B] = 0;
    }
    return text;
}

static void read_fatbinary(program_module *m) {
    struct fat_file file;
    unsigned best = 0;
    for (unsigned i = 0; i < MOST_FILES && fat_image_file(&file, m->image, m->size_B, i); i++) {
        char *text = !file.is_ptx      ? NULL
                     : file.unpacked_B ? fat_image_unpacked(&file)
                                       : copy_of(file.at, file.size_B);
        const unsigned fits = text ? fitness(text) : 0;
        if (fits > best) {
            free(m->ptx);
            m->ptx = text;
            best = fits;
        } else {
            free(text);
        }
    }
}

/* A text with a .version is PTX; what is neither that nor a fatbinary is nothing that is known. */
static cuda_error find_ptx(program_module *m) {
    static const uint8_t elf[4] = {0x7f, 'E', 'L', 'F'}, fat[4] = {0x50, 0xed, 0x55, 0xba},
                         wrapper[4] = {0xb1, 0x43, 0x62, 0x46};
    const uint8_t *at = m->image;
    for (size_t i = 0; i < sizeof(elf); i++) { /* a text may end before */
        if (!at[i] && i < 3 && at[0] != elf[0]) {
            return CUDA_INVALID_IMAGE;
        }
    }
    if (!memcmp(at, elf, sizeof(elf))) {
        return CUDA_NO_KERNEL_IMAGE;
    }
    if (!memcmp(at, fat, sizeof(fat)) || !memcmp(at, wrapper, sizeof(wrapper))) {
        read_fatbinary(m);
        return m->ptx ? CUDA_SUCCESS : CUDA_NO_KERNEL_IMAGE;
    }
    const char *text = m->image;
    m->ptx = copy_of(text, m->size_B == SIZE_MAX ? strlen(text) : m->size_B);
    if (!m->ptx) {
        return CUDA_MEMORY_ALLOCATION;
    }
    return fitness(m->ptx)              ? CUDA_SUCCESS
           : strstr(m->ptx, ".version") ? CUDA_INVALID_PTX
                                        : CUDA_INVALID_IMAGE;
}

/* ---- decoded ---- */

static void *take(void *context, size_t size_B) {
    (void)context;
    return malloc(size_B);
}

static void give(void *context, void *memory) {
    (void)context;
    free(memory);
}

static const uint32_t *schedule; /* of the pass that is run; under the lock */

void tma_program_listen(const uint32_t *of_the_pass) {
    schedule = of_the_pass;
}

/* A program hears its kernel once: in the pass whose memory it goes on with. */
static void print(void *context, const char *text, size_t length) {
    (void)context;
    if (schedule && *schedule == TMA_EMULATE_EARLY) {
        fwrite(text, 1, length, stdout);
    }
}

cuda_error tma_program_module_read(program_module *m, tma_error *error) {
    static const tma_emulate_host host = {.allocate = take, .release = give, .print = print};
    if (m->is_read) {
        return m->error;
    }
    m->is_read = 1;
    m->error = find_ptx(m);
    if (m->error == CUDA_NO_KERNEL_IMAGE) {
        tma_fail(error,
                 "the program has no PTX that an %s takes: compile it with -gencode "
                 "arch=compute_%ua,code=compute_%ua; of another device: --arch",
                 tma_program_device()->name, tma_program_device()->sm, tma_program_device()->sm);
    } else if (m->error == CUDA_INVALID_PTX) {
        tma_fail(error,
                 "a text that the program loads has no .target that an %s takes: sm_%ua, or "
                 "sm_%u and before without a suffix",
                 tma_program_device()->name, tma_program_device()->sm, tma_program_device()->sm);
    } else if (m->error != CUDA_SUCCESS) {
        tma_fail(error, "what the program loads is neither PTX nor a fatbinary");
    } else {
        m->emulator = tma_emulator_new(&host, m->ptx, strlen(m->ptx), error);
        m->error = m->emulator ? CUDA_SUCCESS : CUDA_INVALID_PTX;
    }
    return m->error;
}

tma_emulator *tma_program_emulator(program_module *m, cuda_error *error) {
    const int was_read = m->is_read;
    tma_error why;
    *error = tma_program_module_read(m, &why);
    if (*error != CUDA_SUCCESS && !was_read) {
        fprintf(stderr, "tma emulate: %s\n", why.text);
    }
    return m->emulator;
}

program_module *tma_program_module_new(const void *image, size_t size_B) {
    program_module *m = calloc(1, sizeof(*m));
    if (m) {
        tma_program_lock();
        *m = (program_module){.image = image, .size_B = size_B, .next = modules};
        modules = m;
        tma_program_unlock();
    }
    return m;
}

int tma_program_is_module(const program_module *m) {
    const program_module *is = modules;
    while (is && is != m) {
        is = is->next;
    }
    return is != NULL;
}

/* ---- variables ---- */

static void free_variables(program_module *m) {
    for (size_t i = 0; m->variable && i < m->variables; i++) {
        tma_program_variable_free(m->variable[i].bytes);
    }
    free(m->variable);
    m->variable = NULL;
}

static cuda_error make_variables(program_module *m, const tma_emulator *emulator) {
    tma_emulate_variable v;
    size_t count = 0;
    while (tma_emulator_variable_at(emulator, count, &v)) {
        count++;
    }
    m->variable = calloc(count + 1, sizeof(*m->variable));
    m->variables = count;
    for (size_t i = 0; m->variable && tma_emulator_variable_at(emulator, i, &v); i++) {
        void *at = tma_program_variable_new((size_t)v.size_B);
        if (!at && v.size_B) {
            free_variables(m);
            break;
        }
        m->variable[i] = (tma_emulate_memory){
            .address = (uint64_t)(uintptr_t)at, .size_B = v.size_B, .bytes = at};
    }
    return m->variable && tma_emulator_initialise(emulator, m->variable, m->variables)
               ? CUDA_SUCCESS
               : CUDA_MEMORY_ALLOCATION;
}

cuda_error tma_program_module_variables(program_module *m, const tma_emulate_memory **variable,
                                        size_t *count) {
    cuda_error error = CUDA_SUCCESS;
    const tma_emulator *emulator = tma_program_emulator(m, &error);
    if (error == CUDA_SUCCESS && !m->variable) {
        error = make_variables(m, emulator);
    }
    *variable = m->variable;
    *count = m->variable ? m->variables : 0;
    return error;
}

void tma_program_module_drop(program_module *m) {
    tma_program_lock();
    program_module **where = &modules;
    while (*where && *where != m) {
        where = &(*where)->next;
    }
    if (*where) {
        *where = m->next;
    }
    free_variables(m);
    tma_program_unlock();
    tma_emulator_free(m->emulator);
    free(m->ptx);
    free(m);
}

const char *tma_program_kernel_at(program_module *m, size_t index, size_t *length) {
    return m->emulator ? tma_emulator_kernel_at(m->emulator, index, length) : NULL;
}
