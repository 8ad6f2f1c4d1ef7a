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
 *   mma.h      the descriptors of wgmma and tcgen05, and whether they read what a copy left
 *   instruction.h, plan.h   one copy, judged and measured before a byte moves
 *   copy.h     the copy itself: load, store, reduce, multicast
 *   walk.h     every run of bytes that a copy moves, for pictures, traces and counts
 *   cost.h     sectors and lines of global memory, bank conflicts of shared memory
 *   element.h, swizzle.h    one element's arithmetic, one address's swizzle
 *   layout.h        positions of fields, readers and swizzles for CUDA kernels; not in here
 *   cuda_driver.h   from and to NVIDIA's types; not in here
 *
 * From the simplest use to the most special: tma_encode(); tma_check() when it answers
 * TMA_REFUSED; tma_decode() for 128 bytes that came from elsewhere; tma_replace();
 * tma_plan_make() and tma_copy() to move bytes.
 *
 * Nothing here allocates, keeps state, or does input or output; every function may be called from
 * any thread. A call that fails leaves what it would have written as it was.
 */
#ifndef TMA_TMA_H
#define TMA_TMA_H

#include "barrier.h"
#include "check.h"
#include "copy.h"
#include "cost.h"
#include "element.h"
#include "export.h"
#include "find.h"
#include "instruction.h"
#include "map.h"
#include "measure.h"
#include "mma.h"
#include "plan.h"
#include "spec.h"
#include "status.h"
#include "swizzle.h"
#include "walk.h"

#endif
