/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX run from a text: a launch of parameters and memory, its bytes, findings and end. Any mistake
 * of the test's own (PTX that is none, a launch that no driver takes) fails it with the message.
 */
#ifndef TESTS_EMULATOR_HARNESS_H
#define TESTS_EMULATOR_HARNESS_H

#include "support/testing.h"
#include "tma/emulate.h"

#define HARNESS_HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"
/* Memory i of a harness lies here. */
#define HARNESS_ADDRESS(i) (UINT64_C(0x7f0000000) + ((uint64_t)(i) << 24))
#define HARNESS_MEMORIES   4

typedef struct harness {
    tma_emulate_host host;
    tma_emulator *emulator;
    tma_emulate_launch launch;
    tma_emulate_memory memory[HARNESS_MEMORIES];
    uint8_t params[256];
    char printed[4096];
    size_t printed_B;
    size_t blocks; /* that allocate() gave and nobody gave back */
    char *text;
    size_t text_B;
} harness;

/* The emulator of a text, behind HARNESS_HEAD. */
void harness_begin(harness *h, const char *ptx);
/* Memory number launch.memories at its address, zeroed, and its address as a parameter of 8 bytes
 * behind those before. */
void *harness_memory(harness *h, size_t size_B);
/* A parameter of so many bytes, aligned to them, behind those before. */
void harness_param(harness *h, const void *bytes, size_t size_B);
void harness_block(harness *h, uint32_t grid, uint32_t block);

/* Runs it: tma_emulate_end. A second time: memory as it is, everything else anew. */
uint32_t harness_run(harness *h);
/* Why it ended: the emulator's words. */
const char *harness_why(const harness *h);
/* How many findings of a rule, or of all (TMA_EMULATE_RULES), there are. */
size_t harness_findings(const harness *h, uint32_t rule);
/* Fails with the first finding, if there is one. */
void harness_none(const harness *h);
/* The first of a rule; null: there is none. */
const tma_emulate_finding *harness_finding(const harness *h, uint32_t rule);
/* Gives all back; fails where something was not. */
void harness_end(harness *h);

/* Runs under all schedules (late, early, some seeds) on copies of the memory: the same end, the
 * same bytes; the last run's are there then. */
uint32_t harness_run_all(harness *h);
/* The same, to a right end without a finding. */
void harness_completes(harness *h);

/* Text put together: of kernels that are drawn. */
typedef struct harness_text {
    char at[8192];
    size_t size;
} harness_text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void harness_put(harness_text *t, const char *format, ...);

#endif
