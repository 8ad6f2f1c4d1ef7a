/* SPDX-License-Identifier: Apache-2.0
 *
 * Which PTX tma capture takes for a kernel, of all that were loaded.
 */
#include <fcntl.h>

#include "aside.h"
#include "captured_kernels.h"
#include "support/testing.h"
#include "write_out.h"

#define PTX(target, body)                                                                          \
    ".version 8.0\n.target " target "\n.address_size 64\n.visible .entry k() {\n" body "\n}\n"

int open_beyond(const char *path, int flags) {
    return open(path, flags);
}

static const char cubin[64] = "\x7f"
                              "ELF"; /* whose PTX nobody knows */
static const int owner, other, handle;

static void say_text_of(const void *of) {
    captured_kernels_found(of, &handle, "k");
    const struct captured_kernel *k = captured_kernels_at(&handle);
    say("%s\n", k && k->text ? strstr(k->text->text, "// ") : "none");
}

/* ---- handles that come again ---- */

static void load_again(const void *context) {
    (void)context;
    captured_kernels_loaded(PTX("sm_90", "// first"), &owner);
    captured_kernels_loaded(PTX("sm_90", "// another's"), &other);
    say_text_of(&owner);
    captured_kernels_loaded(cubin, &owner);
    say_text_of(&owner);
    captured_kernels_loaded(PTX("sm_90", "// second"), &owner);
    say_text_of(&owner);
    say_text_of(&other);
}

static void test_a_handle_that_comes_again(void **state) {
    (void)state;
    is_said("again", load_again, NULL, "// first\n}\n\nnone\n// second\n}\n\n// another's\n}\n\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_handle_that_comes_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
