/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables of modules, by their names and by what nvcc registers of them.
 */
#include <stdlib.h>
#include <string.h>

#include "emulated_program.h"

typedef struct program_symbol {
    const void *host;
    char *name;
    program_module *module;
    struct program_symbol *next;
} program_symbol;

static program_symbol *symbols; /* under the lock */

/* Under the lock. */
static cuda_error find(program_module *m, const char *name, tma_emulate_memory *to) {
    const tma_emulate_memory *variable = NULL;
    size_t count = 0;
    const cuda_error error = tma_program_module_variables(m, &variable, &count);
    cuda_error ignored;
    const tma_emulator *emulator = tma_program_emulator(m, &ignored);
    tma_emulate_variable v;
    for (size_t i = 0; i < count && tma_emulator_variable_at(emulator, i, &v); i++) {
        if (v.name_length == strlen(name) && !memcmp(v.name, name, v.name_length)) {
            *to = variable[i];
            return CUDA_SUCCESS;
        }
    }
    return error != CUDA_SUCCESS ? error : CUDA_SYMBOL_NOT_FOUND;
}

cuda_error tma_program_variable_named(program_module *m, const char *name, tma_emulate_memory *to) {
    tma_program_lock();
    const cuda_error error = find(m, name, to);
    tma_program_unlock();
    return error;
}

int tma_program_symbol_new(program_module *m, const void *host, const char *name) {
    program_symbol *s = calloc(1, sizeof(*s));
    char *own = s ? strdup(name) : NULL;
    if (!own) {
        free(s);
        return 0;
    }
    tma_program_lock();
    *s = (program_symbol){.host = host, .name = own, .module = m, .next = symbols};
    symbols = s;
    tma_program_unlock();
    return 1;
}

void tma_program_symbols_free(const program_module *m) {
    tma_program_lock();
    for (program_symbol **where = &symbols; *where;) {
        program_symbol *const s = *where;
        if (s->module == m) {
            *where = s->next;
            free(s->name);
            free(s);
        } else {
            where = &s->next;
        }
    }
    tma_program_unlock();
}

cuda_error tma_program_symbol(const void *host, tma_emulate_memory *to) {
    cuda_error error = CUDA_INVALID_SYMBOL;
    tma_program_lock();
    for (const program_symbol *s = symbols; s && error == CUDA_INVALID_SYMBOL; s = s->next) {
        if (host && s->host == host) {
            error = find(s->module, s->name, to);
        }
    }
    tma_program_unlock();
    return error == CUDA_SYMBOL_NOT_FOUND ? CUDA_INVALID_SYMBOL : error;
}
