/* SPDX-License-Identifier: Apache-2.0
 *
 * A call and its answer as a case line, the form that the captured answers have and that
 * `tma replay` reads.
 */
#ifndef SHIM_REQUEST_LINE_H
#define SHIM_REQUEST_LINE_H

#include "driver_abi.h"
#include "tma/spec.h"

#define REQUEST_LINE_BYTES 1400

/* enc ... rc=R, and the map's bytes where there is one. */
void request_line_encode(char text[REQUEST_LINE_BYTES], const tma_spec *spec, uint16_t sm,
                         shim_result rc, const uint8_t *map);

/* rep ... naddr=A rc=R desc=... */
void request_line_replace(char text[REQUEST_LINE_BYTES], const tma_spec *spec, uint16_t sm,
                          uint64_t address, shim_result rc, const uint8_t *map);

#endif
