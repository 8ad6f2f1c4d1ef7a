/* SPDX-License-Identifier: Apache-2.0
 *
 * What a load left in a shared window, as a kernel sees it: the tile without swizzle, gaps and
 * padding.
 */
#ifndef CLI_TILE_H
#define CLI_TILE_H

#include "copy_args.h"
#include "tensor.h"
#include "tma/copy.h"

/* Its array: elements per dimension, outermost first; pixels and channels in im2col modes, four
 * rows of gather4; a slice's channels behind them if interleaved, bytes of packed types. */
npy_header tile_array(const copy_args *args);

/* Its elements, out of the window. */
file_bytes tile_packed(const copy_args *args, const tma_window *window);

#endif
