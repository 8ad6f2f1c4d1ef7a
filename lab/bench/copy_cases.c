/* SPDX-License-Identifier: Apache-2.0
 *
 * The timed copies, copy_cases.def, as code.
 */
#include "copy_cases.h"

#include "support/cases/spec_words.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static copy_bench cases[] = {
#define COPY(name_, yard_name_, target_, words_, yard_, ...)                                       \
    {.name = name_,                                                                                \
     .yard_name = yard_name_,                                                                      \
     .target = target_,                                                                            \
     .words = words_,                                                                              \
     .yard = yard_,                                                                                \
     __VA_ARGS__},
#include "copy_cases.def"
};

copy_bench *copy_cases(size_t *count) {
    *count = COUNT(cases);
    for (size_t i = 0; i < COUNT(cases); i++) {
        cases[i].spec = spec_of_words(cases[i].words, NULL);
        cases[i].spec.address = 0;
    }
    return cases;
}
