/* SPDX-License-Identifier: Apache-2.0
 *
 * What is said about one encode call.
 */
#ifndef SHIM_REPORT_ENCODE_H
#define SHIM_REPORT_ENCODE_H

#include "encode_arguments.h"
#include "judged_target.h"

struct encode_verdict {
    const struct encode_call *call;
    const struct judged_target *target;
    shim_result rc;            /* what the program gets */
    int accepted;              /* by libtma */
    const tma_map *map;        /* libtma's, if accepted */
    const uint8_t *driver_map; /* what is at tensorMap after success, if that can be read */
};

/* Says once of a process that a map which an encode call wrote lies where no copy can take it: the
 * documents ask for 64 bytes, the driver does not, and a program may still move the map. */
void report_map_address(const void *map);

/* Says it on standard error and in the log, once for each distinct spec and answer. */
void report_encode(const struct encode_verdict *verdict);

#endif
