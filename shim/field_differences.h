/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the driver's 128 bytes and libtma's differ, field by field.
 */
#ifndef SHIM_FIELD_DIFFERENCES_H
#define SHIM_FIELD_DIFFERENCES_H

#include "report_out.h"
#include "tma/map.h"

/* Adds a line for each field that differs, and for each word that differs outside all fields. */
void report_differences(struct report *report, const uint8_t *drivers, const uint8_t *libtmas);

#endif
