/* SPDX-License-Identifier: Apache-2.0
 *
 * Choosers of operations_sync.def and operations_copy.def: what runs a form, null if it is not
 * executed.
 */
#ifndef EMULATOR_SYNC_H
#define EMULATOR_SYNC_H

#include "program.h"

emu_run emu_choose_mbarrier(const emu_instruction *in);    /* mbarriers.c */
emu_run emu_choose_barrier(const emu_instruction *in);     /* barriers.c */
emu_run emu_choose_cluster(const emu_instruction *in);     /* barriers_cluster.c */
emu_run emu_choose_fence(const emu_instruction *in);       /* fences.c */
emu_run emu_choose_cp_async(const emu_instruction *in);    /* copy_cp_async.c */
emu_run emu_choose_bulk(const emu_instruction *in);        /* copy_bulk.c */
emu_run emu_choose_bulk_group(const emu_instruction *in);  /* copy_bulk.c */
emu_run emu_choose_tensor(const emu_instruction *in);      /* copy_tensor.c */
emu_run emu_choose_tensormap(const emu_instruction *in);   /* copy_tensormap.c */
emu_run emu_choose_store_async(const emu_instruction *in); /* copy_store_async.c */

#endif
