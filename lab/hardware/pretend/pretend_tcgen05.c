/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05 without a GPU: the kernel by the emulator, as the part itself has it executed. It tests
 * the counting and the words, not the products.
 */
#include <stdlib.h>
#include <string.h>

#include "tensor_forms.h"

static int lies(const char *about) {
    const char *said = getenv("PRETEND");
    return said && strcmp(said, about) == 0;
}

const char *device_run_text(const struct device_text *text) {
    tensor_case *c = malloc(sizeof(*c));
    const char *why = "no memory";
    if (lies("tcgen05-die")) {
        free(c);
        return "cudaErrorIllegalInstruction";
    }
    if (c) {
        c->form.ctas = (uint8_t)(text->grid / TENSOR_JOBS);
        memcpy(&c->input, text->in, sizeof(c->input));
        why = tensor_emulate(c, text->text, text->out);
    }
    if (c && lies("tcgen05")) { /* one word of product 5 */
        (*(tensor_output *)text->out)[(size_t)5 * TENSOR_CTAS][37][2] ^= 1;
    }
    free(c);
    return why;
}
