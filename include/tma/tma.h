/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma: NVIDIA's Tensor Memory Accelerator in portable C, without a GPU and without a driver.
 *
 * Include this, or the part that you need:
 *
 *   spec.h     what a caller asks for: one tensor map, in the driver's words and numbers
 *   check.h    every rule that a spec breaks, with who says so
 *   map.h      spec <-> 128 bytes; tensormap.replace; cuTensorMapReplaceAddress
 *   measure.h  bytes for expect_tx, pitch, footprint, alignments, copies to cover the tensor
 *
 * From the simplest use to the most special: tma_encode(); tma_check() when it answers
 * TMA_REFUSED; tma_decode() for 128 bytes that came from elsewhere; tma_replace().
 *
 * Nothing here allocates, keeps state, or does input or output; every function may be called from
 * any thread. A call that fails leaves what it would have written as it was.
 */
#ifndef TMA_TMA_H
#define TMA_TMA_H

#include "check.h"
#include "export.h"
#include "map.h"
#include "measure.h"
#include "spec.h"
#include "status.h"

#endif
