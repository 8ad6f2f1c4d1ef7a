/* SPDX-License-Identifier: Apache-2.0
 *
 * What another project does with libtma-text: options to a spec, and the spec as a case line.
 */
#include <stdio.h>

#include <tma/case.h>
#include <tma/tma.h>

int main(void) {
    static const char *const options[][2] = {
        {"dtype", "bf16"}, {"dim", "4096,8192"}, {"box", "64,128"}, {"swizzle", "128B"}};
    tma_spec_words words;
    tma_error error;
    char line[512];
    tma_out out = tma_out_into(line, sizeof line);
    tma_spec_words_begin(&words);
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (tma_spec_words_set_named(&words, options[i][0], options[i][1], &error)) {
            printf("%s\n", error.text);
            return 1;
        }
    }
    if (tma_spec_words_finish(&words, &error)) {
        printf("%s\n", error.text);
        return 1;
    }
    tma_put_case(&out, "enc", &words.spec, NULL);
    printf("%s\nlibtma " TMA_VERSION " linked\n", line);
    return 0;
}
