/* SPDX-License-Identifier: Apache-2.0
 *
 * See source_line.h.
 */
#include "source_line.h"

#include "launch.h"
#include "places.h"

int source_line_of(ptx_source *out, const tma_emulator *emulator, uint32_t instruction) {
    const emu_program *p = emu_program_of(emulator);
    ptx_source inner;
    int inlined = 0;
    return instruction < p->instructions &&
           ptx_rows_source(&p->rows, p->code[instruction].row, out, &inner, &inlined);
}

int source_shared_name(tma_out *out, const tma_emulator *e, uint32_t shared) {
    return emu_put_shared_name(out, emu_machine_of(e), shared);
}
