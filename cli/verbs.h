/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbs: a new one is a line here and a file cmd_<verb>.c. Each gets its own arguments with
 * argv[0] = "tma <verb>" and returns a cli_exit. A _ here is a - on the command line.
 */
#ifndef CLI_VERBS_H
#define CLI_VERBS_H

#include "cli_error.h"

#define CLI_VERBS(VERB)                                                                            \
    VERB(doctor, "runs a program; says what is wrong with it, and what to do next")                \
    VERB(check, "every rule that a map breaks, its source, and a legal value")                     \
    VERB(encode, "the 128 bytes of a map")                                                         \
    VERB(decode, "what 128 bytes mean, and which bits hold which field")                           \
    VERB(find, "all tensor maps in a core dump, a memory image, a cubin")                          \
    VERB(hang, "at which barrier a hanging kernel waits, from its core dump")                      \
    VERB(run_hang, "runs a program; has its hanging kernel dumped and explained")                  \
    VERB(diff, "the fields in which two maps differ")                                              \
    VERB(replace, "edits a map as tensormap.replace does; names words gone stale")                 \
    VERB(explain, "what a rule, field, word or GPU error means, and its source")                   \
    VERB(list, "types, swizzles, architectures, rules, fields ...")                                \
    VERB(plan, "whether one copy traps, what it moves, what it costs")                             \
    VERB(mma, "matrix descriptors of wgmma and tcgen05, compared with a map")                      \
    VERB(ptx, "tensor instructions of PTX files, and what is wrong in them")                       \
    VERB(emulate, "executes a kernel without a GPU: races, deadlocks, traps, values")              \
    VERB(capture, "runs a program; writes its kernels' launches for tma emulate")                  \
    VERB(ptxas, "takes ptxas's place and puts a check before each tensor copy")                    \
    VERB(run_checked, "runs a program with a check before each tensor copy")                       \
    VERB(load, "what a load leaves in shared memory, byte for byte")                               \
    VERB(store, "what a store or reduction leaves in the tensor, byte for byte")                   \
    VERB(draw, "pictures: a copy cell by cell, swizzle, banks, the 128 bytes ...")                 \
    VERB(replay, "answers case lines, or compares its answers with those on them")                 \
    VERB(completion, "has bash, zsh or fish complete the command line")

#define CLI_VERB_DECLARED(name, summary) int cmd_##name(int argc, char **argv);
CLI_VERBS(CLI_VERB_DECLARED)
#undef CLI_VERB_DECLARED

#endif
