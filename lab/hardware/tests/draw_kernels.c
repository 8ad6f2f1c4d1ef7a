/* SPDX-License-Identifier: Apache-2.0
 *
 * draw_kernels SM FORM [FILE]: the kernel of one form of the part tcgen05, as a driver of that chip
 * gets it, and into FILE what the kernel is given.
 */
#include <stdlib.h>

#include "tensor_forms.h"

int main(int argc, char **argv) {
    static tensor_case c;
    static char text[TENSOR_TEXT_B];
    tensor_form form;
    if (argc != 3 && argc != 4) {
        return 2;
    }
    const tma_target target = {.sm = (uint16_t)strtoul(argv[1], NULL, 10), .suffix = 'a'};
    const size_t number = strtoul(argv[2], NULL, 10);
    if (!tensor_form_at(&form, &target, number)) {
        return 2;
    }
    tensor_case_draw(&c, &form, &target, number);
    tensor_kernel(text, &c, &target);
    FILE *input = argc == 4 ? fopen(argv[3], "wb") : NULL;
    const int is_lost = argc == 4 && (!input || fwrite(&c.input, sizeof(c.input), 1, input) != 1);
    return (input && fclose(input)) || is_lost || fputs(text, stdout) < 0;
}
