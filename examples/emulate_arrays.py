# SPDX-License-Identifier: Apache-2.0
"""A kernel executed on NumPy arrays: its values, then the race that is in it. Needs libtma and NumPy."""
import libtma.emulate
import numpy as np

PTX = """.version 8.6
.target sm_90a
.address_size 64

// Each thread writes its number to shared memory, reads its neighbour's in the other warp and stores
// that; between the two lies a barrier in the first kernel, and nothing in the second.
""" + "\n".join(f""".visible .entry {name}(.param .u64 out)
.reqntid 64
{{
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 {name}_tile[256];
    mov.u32 %r1, %tid.x;
    mov.u32 %r2, {name}_tile;
    mad.lo.u32 %r3, %r1, 4, %r2;
    st.shared.u32 [%r3], %r1;
    {barrier}
    xor.b32 %r4, %r1, 32;
    mad.lo.u32 %r4, %r4, 4, %r2;
    ld.shared.u32 %r5, [%r4];
    ld.param.u64 %rd1, [out];
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r5;
    ret;
}}""" for name, barrier in (("right", "bar.sync 0;"), ("wrong", "")))

module = libtma.emulate.Module(PTX)
out = np.zeros(64, dtype=np.uint32)

module.launch("right", grid=1, block=64, args=[out])
print("right:", out[:4], out[-4:])

try:
    module.launch("wrong", grid=1, block=64, args=[out])
except libtma.emulate.EmulationError as error:
    print("wrong:", error.result.findings[0].rule, [access.line for access in error.result.findings[0].accesses])
