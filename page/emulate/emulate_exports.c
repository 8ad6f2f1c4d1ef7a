/* SPDX-License-Identifier: Apache-2.0
 *
 * What JavaScript calls, once for one run: it writes texts to emulate_room(), and finds what is
 * answered at emulate_out(), so many bytes as the call returned.
 */
#include "emulate_answer.h"

#define EXPORT(type) __attribute__((visibility("default"))) type
#define MOST_OUT_B   (256u << 20)

static memory_text answer = {.most_B = MOST_OUT_B};

EXPORT(void *) emulate_room(size_t size_B) {
    return memory_take(size_B);
}

EXPORT(const char *) emulate_out(void) {
    return answer.at;
}

static tma_out anew(void) {
    answer.length = 0;
    return tma_out_to(memory_text_write, &answer);
}

/* 0: there is no memory for what is said. */
static size_t done(void) {
    return answer.is_cut ? 0 : answer.length;
}

EXPORT(size_t)
emulate_launch(const char *ptx, size_t ptx_B, const char *options, size_t options_B) {
    tma_out out = anew();
    emulate_run(&out, ptx, ptx_B, options, options_B);
    return done();
}

EXPORT(size_t) emulate_picture(void) {
    tma_out out = anew();
    emulate_timeline(&out);
    return done();
}
