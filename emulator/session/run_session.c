/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch in words: the kernel, its parameters and their memory.
 */
#include "run_session.h"

#include <string.h>

#include "launch.h"
#include "ptx_demangle.h"
#include "tma/detail/chars.h"

#define FIRST_ADDRESS UINT64_C(0x200000000)

const char *session_from_name(uint32_t from) {
    static const char *const names[] = {"given", "directive", "invented"};
    return from <= SESSION_INVENTED ? names[from] : "";
}

/* ---- the kernel ---- */

static int list_kernels(const session *s, const char *what, tma_error *error) {
    size_t length = 0;
    const char *name = NULL;
    tma_fail(error, "%s; the PTX has", what);
    for (size_t i = 0; (name = tma_emulator_kernel_at(s->emulator, i, &length)); i++) {
        tma_fail_more(error, "%s %.*s", i ? "," : "", (int)length, name);
    }
    return -1;
}

static int take_kernel(session *s, const char *kernel, tma_error *error) {
    const char *found = NULL, *name = NULL;
    size_t length = 0, found_length = 0;
    uint32_t count = 0;
    for (size_t i = 0; (name = tma_emulator_kernel_at(s->emulator, i, &length)); i++) {
        if (kernel && text_is(name, length, kernel)) {
            found = name;
            found_length = length;
            count = 1;
            break;
        }
        if (!kernel || ptx_is_named((tma_ptx_span){name, length}, kernel)) {
            found = name;
            found_length = length;
            count++;
        }
    }
    if (count != 1) {
        return list_kernels(s,
                            !kernel ? "--kernel: name one"
                            : count ? "--kernel: several have that name"
                                    : "--kernel: none has that name",
                            error);
    }
    s->kernel = ptx_memory_text(s->memory, found, found_length);
    return s->memory->failed ? tma_fail(error, "no memory") : 0;
}

int session_begin(session *s, ptx_memory *memory, tma_emulator *emulator, const char *kernel,
                  tma_error *error) {
    *s = (session){.memory = memory, .emulator = emulator, .next_address = FIRST_ADDRESS};
    if (take_kernel(s, kernel, error)) {
        return -1;
    }
    tma_emulate_parameter p;
    while (tma_emulator_parameter_at(emulator, s->kernel, s->parameters, &p)) {
        if (s->parameters == SESSION_MOST_PARAMS) {
            return tma_fail(error, "%s: more than %d parameters", s->kernel, SESSION_MOST_PARAMS);
        }
        s->parameter[s->parameters++] = p;
        s->launch.params_B = p.offset_B + p.size_B;
    }
    s->params = ptx_memory_take(memory, s->launch.params_B + 1, 1);
    s->launch.kernel = s->kernel;
    s->launch.params = s->params;
    return s->params ? 0 : tma_fail(error, "no memory");
}

const char *session_schedule_name(uint32_t schedule) {
    static const char *const NAME[] = {"late", "early", "seeded"};
    return schedule <= TMA_EMULATE_SEEDED ? NAME[schedule] : "";
}

int session_reading(session_how *how, const char *text, tma_error *error) {
    const size_t length = text_until(text, text_length(text), '=');
    for (uint32_t i = 0; i < TMA_EMULATE_READINGS; i++) {
        if (text_is(text, length, tma_emulate_reading_name(i)) && text[length] &&
            text_same(text + length + 1, tma_emulate_reading_value(i))) {
            how->launch.readings |= UINT32_C(1) << i;
            return 0;
        }
    }
    tma_fail(error, "--reading %.80s: there is", text);
    for (uint32_t i = 0; i < TMA_EMULATE_READINGS; i++) {
        tma_fail_more(error, "%s %s=%s", i ? "," : "", tma_emulate_reading_name(i),
                      tma_emulate_reading_value(i));
    }
    return -1;
}

void session_take_how(session *s, const session_how *how) {
    const tma_emulate_launch own = s->launch;
    s->how = *how;
    s->launch = how->launch;
    emu_name_raw(s->emulator, how->raw_names);
    s->launch.kernel = own.kernel;
    s->launch.params = own.params;
    s->launch.params_B = own.params_B;
}

int session_settle(session *s, tma_error *error) {
    if (session_invent(s, error)) {
        return -1;
    }
    s->given = ptx_memory_take(s->memory, s->buffers + 1u, sizeof(*s->given));
    if (!s->given) {
        return tma_fail(error, "no memory");
    }
    for (uint32_t i = 0; i < s->buffers; i++) {
        const session_buffer *b = &s->buffer[i];
        s->given[i] = (tma_emulate_memory){.address = b->address,
                                           .size_B = b->size_B,
                                           .bytes = b->bytes,
                                           .name = b->name,
                                           .uninitialised = b->is_uninitialised};
    }
    s->launch.memory = s->given;
    s->launch.memories = s->buffers;
    return 0;
}

const session_value *session_fitted_map(const session *s, uint32_t i) {
    for (uint32_t k = 0; k < s->values; k++) {
        const session_value *v = &s->value[k];
        if (v->from == SESSION_INVENTED && v->is_map && !i--) {
            return v;
        }
    }
    return NULL;
}

int session_invented(const session *s, const session_finding *f, uint32_t index,
                     char text[SESSION_VALUE + 96]) {
    tma_out out = tma_out_into(text, SESSION_VALUE + 96);
    if (s->block_from == SESSION_INVENTED && !index--) {
        tma_putf(&out, "block = %u", s->launch.block[0]);
        return 1;
    }
    if (s->cluster_from == SESSION_INVENTED && !index--) {
        tma_putf(&out, "cluster = %u", s->launch.cluster[0]);
        return 1;
    }
    if (s->shared_from == SESSION_INVENTED && !index--) {
        tma_putf(&out, "shared = %u", s->launch.dynamic_shared_B);
        return 1;
    }
    for (uint32_t i = 0; i < s->values; i++) {
        const session_value *v = &s->value[i];
        if (v->from == SESSION_INVENTED && !index--) {
            const tma_emulate_parameter *p = &s->parameter[v->parameter];
            tma_putf(&out, "%.*s", (int)p->name_length, p->name);
            if (v->offset_B) {
                tma_putf(&out, "+%u", v->offset_B);
            }
            if (f && v->is_number && v->size_B > 1) {
                tma_putf(&out, " = %u", f->number);
            } else {
                tma_putf(&out, " = %s", v->text);
            }
            return 1;
        }
    }
    for (uint32_t i = 0; i < s->buffers; i++) {
        if (s->buffer[i].is_left_out && !index--) {
            tma_putf(&out, "%s = zeros (not captured)", s->buffer[i].name);
            return 1;
        }
    }
    return 0;
}
