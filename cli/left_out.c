/* SPDX-License-Identifier: Apache-2.0
 *
 * Where no Linux is: the verbs that start other programs, without them.
 */
#include "emulate_program.h"
#include "ptxas_find.h"
#include "verbs.h"

static int left_out(void) {
    cli_say("left out on this system: it starts other programs as Linux does");
    return CLI_MISUSE;
}

int cmd_capture(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return left_out();
}

int cmd_doctor(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return left_out();
}

int cmd_ptxas(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return left_out();
}

int cmd_run_checked(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return left_out();
}

int cmd_run_hang(int argc, char **argv) {
    (void)argc;
    (void)argv;
    return left_out();
}

int emulate_is_program(const char *path) {
    (void)path;
    return 0;
}

const char *emulate_device(const char *arch) {
    (void)arch;
    return NULL;
}

int emulate_program(char **argv, const char *arch, int certain_only) {
    (void)argv;
    (void)arch;
    (void)certain_only;
    return left_out();
}

int ptxas_is_named(const char *path) {
    (void)path;
    return 0;
}
