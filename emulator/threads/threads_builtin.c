/* SPDX-License-Identifier: Apache-2.0
 *
 * What CUDA gives kernels to call: printing, memory, assertions.
 */
#include <string.h>

#include "order.h"
#include "places.h"
#include "print.h"
#include "run_report.h"
#include "threads.h"

#define ARGUMENTS_B                                                                                \
    4096u /* vprintf's arguments lie in local memory, no more than so many bytes                   \
           */

/* What an address holds, at most `most` bytes of it; 0: nothing that can be read. */
static const char *bytes_at(emu_warp *w, uint32_t lane, uint64_t address, size_t most,
                            size_t *length) {
    emu_place place;
    *length = 0;
    if (!address || !emu_find_place(w, lane, address, &place)) {
        return NULL;
    }
    *length = place.follows_B < most ? (size_t)place.follows_B : most;
    return (const char *)place.host;
}

static const char *text_at(emu_warp *w, uint32_t lane, uint64_t address, size_t *length) {
    const char *text = bytes_at(w, lane, address, EMU_PRINT_TEXT_B, length);
    const char *end = text ? memchr(text, 0, *length) : NULL;
    *length = end ? (size_t)(end - text) : *length;
    return text;
}

typedef struct printed {
    emu_warp *warp;
    uint32_t lane;
} printed;

static const char *printed_text(void *context, uint64_t address, size_t *length) {
    const printed *p = context;
    return text_at(p->warp, p->lane, address, length);
}

static void put_host(void *context, const char *text, size_t length) {
    const tma_emulate_host *host = context;
    if (host->print) {
        host->print(host->context, text, length);
    }
}

static emu_step run_VPRINTF(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    EMU_FOR_LANES(lane, mask) {
        size_t length, all_B;
        const char *format = text_at(w, lane, emu_argument(w, in, 0, lane), &length);
        const char *all = bytes_at(w, lane, emu_argument(w, in, 1, lane), ARGUMENTS_B, &all_B);
        printed p = {w, lane};
        int32_t result = -1;
        if (format) {
            result = emu_print(put_host, (void *)(uintptr_t)w->machine->host, format, length, all,
                               all_B, printed_text, &p);
        }
        emu_return(w, in, 0, lane, &result, sizeof(result));
    }
    return EMU_NEXT;
}

static emu_step run_MALLOC(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    order_unproved(w->machine, in, "addresses of malloc hang on who comes first");
    EMU_FOR_LANES(lane, mask) {
        const uint64_t address = emu_malloc(w->machine, emu_argument(w, in, 0, lane));
        emu_return(w, in, 0, lane, &address, sizeof(address));
    }
    return w->machine->stopped ? EMU_STOPPED : EMU_NEXT;
}

static emu_step run_FREE(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    EMU_FOR_LANES(lane, mask) {
        emu_free(w, in, lane, emu_argument(w, in, 0, lane));
    }
    return w->machine->stopped ? EMU_STOPPED : EMU_NEXT;
}

/* file:line: function: block: [x,y,z], thread: [x,y,z] Assertion `…` failed. */
static emu_step run_ASSERTFAIL(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_machine *m = w->machine;
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    const uint32_t thread = w->index * EMU_LANES + lane;
    size_t length[3];
    const char *text[3]; /* message, file, function */
    for (uint32_t i = 0; i < 3; i++) {
        text[i] = text_at(w, lane, emu_argument(w, in, i < 2 ? i : 3, lane), &length[i]);
    }
    char buffer[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(buffer, sizeof(buffer));
    tma_put_printable(&out, text[1] ? text[1] : "?", text[1] ? length[1] : 1);
    tma_putf(&out, ":%u: ", (uint32_t)emu_argument(w, in, 2, lane));
    tma_put_printable(&out, text[2] ? text[2] : "?", text[2] ? length[2] : 1);
    tma_putf(&out, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", w->cta->ctaid[0],
             w->cta->ctaid[1], w->cta->ctaid[2], thread % m->block[0],
             thread / m->block[0] % m->block[1], thread / m->block[0] / m->block[1]);
    tma_put_printable(&out, text[0] ? text[0] : "?", text[0] ? length[0] : 1);
    tma_put(&out, "` failed.");
    return emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, buffer);
}

emu_step emu_builtin_run(emu_warp *w, const emu_instruction *in, uint32_t mask, uint32_t builtin) {
    static emu_step (*const RUN[EMU_BUILTINS])(emu_warp *, const emu_instruction *, uint32_t) = {
#define EMU_BUILTIN(id, name) [EMU_BUILTIN_##id] = run_##id,
#include "builtins.def"
    };
    return RUN[builtin](w, in, mask);
}
