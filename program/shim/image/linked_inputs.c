/* SPDX-License-Identifier: Apache-2.0
 *
 * A row for each link's first input, taken and given back by one exchange each. What is in doubt (a
 * second input, two threads at one link) makes a link an unknown one.
 */
#include "linked_inputs.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_B (UINT64_C(1) << 30)
#define LINKS  64 /* that a program makes at the same time */

static struct input {
    _Atomic(struct nvJitLink *) handle; /* null: nobody's */
    _Atomic(char *) text;               /* published last */
    size_t text_B;
    atomic_int has_more;
} inputs[LINKS];
static atomic_int lost; /* a first input had no row: what looks like one may be a second */

/* The rows that a link has: one, but where two threads began it. */
static int mark_all(const struct nvJitLink *handle) {
    int count = 0;
    for (unsigned i = 0; i < LINKS; i++) {
        if (atomic_load(&inputs[i].handle) == handle) {
            atomic_store(&inputs[i].has_more, 1);
            count++;
        }
    }
    return count;
}

static struct input *take_row(struct nvJitLink *handle) {
    for (unsigned i = 0; i < LINKS; i++) {
        struct nvJitLink *nobody = NULL;
        if (atomic_compare_exchange_strong(&inputs[i].handle, &nobody, handle)) {
            return &inputs[i];
        }
    }
    return NULL;
}

static int others_have(const struct input *mine, const struct nvJitLink *handle) {
    int count = 0;
    for (unsigned i = 0; i < LINKS; i++) {
        count += &inputs[i] != mine && atomic_load(&inputs[i].handle) == handle;
    }
    return count;
}

void linked_input_add(struct nvJitLink *handle, const char *text, size_t text_B) {
    if (!handle || mark_all(handle)) {
        return;
    }
    struct input *in = take_row(handle);
    if (!in) {
        atomic_store(&lost, 1);
        return;
    }
    if (others_have(in, handle)) { /* whoever took a row later sees the other's */
        (void)mark_all(handle);
    }
    char *copy = text && text_B <= MOST_B ? malloc(text_B + 1) : NULL;
    if (copy) {
        memcpy(copy, text, text_B);
        in->text_B = text_B;
        atomic_store(&in->text, copy);
    }
}

const char *linked_input_only(struct nvJitLink *handle, size_t *text_B) {
    struct input *only = NULL;
    for (unsigned i = 0; handle && i < LINKS; i++) {
        if (atomic_load(&inputs[i].handle) == handle) {
            if (only) {
                return NULL;
            }
            only = &inputs[i];
        }
    }
    const char *text = only && !atomic_load(&only->has_more) && !atomic_load(&lost)
                           ? atomic_load(&only->text)
                           : NULL;
    *text_B = text ? only->text_B : 0;
    return text;
}

void linked_inputs_forget(struct nvJitLink *handle) {
    for (unsigned i = 0; handle && i < LINKS; i++) {
        struct input *in = &inputs[i];
        if (atomic_load(&in->handle) == handle) {
            free(atomic_exchange(&in->text, NULL));
            atomic_store(&in->has_more, 0);
            atomic_store(&in->handle, NULL);
        }
    }
}
