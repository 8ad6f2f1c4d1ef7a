# SPDX-License-Identifier: Apache-2.0
"""cute_maps.py ARCH < lines: the maps that nvidia-cutlass-dsl builds for case lines (kinds cute and bit21), their 64
bytes in hex, a line each. Its compiler makes an object file, which runs on the host against a launch that
prints the kernel's argument: no GPU, no driver."""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["CUTE_DSL_ARCH"] = sys.argv[1]

import cutlass  # noqa: E402
import cutlass.cute as cute  # noqa: E402
from cutlass.cute.nvgpu import cpasync  # noqa: E402
from cutlass.cute.runtime import make_ptr  # noqa: E402

# By the driver's number of the element type: the tensor's type, its bits, the type of the copy.
TYPES = {0: (cutlass.Uint8, 8, None), 2: (cutlass.Int32, 32, None), 6: (cutlass.Float16, 16, None),
         7: (cutlass.Float32, 32, None), 8: (cutlass.Float64, 64, None), 9: (cutlass.BFloat16, 16, None),
         11: (cutlass.TFloat32, 32, None), 13: (cutlass.Float4E2M1FN, 4, None),
         14: (cutlass.Float4E2M1FN, 4, cutlass.Uint8), 15: (cutlass.Float6E3M2FN, 6, None)}
# By the driver's number of the swizzle: bits, base, shift, of bytes.
SWIZZLES = {0: (0, 4, 3), 1: (1, 4, 3), 2: (2, 4, 3), 3: (3, 4, 3), 4: (2, 5, 2), 6: (2, 6, 2)}
HOST = "_mlir_maps__mlir_ciface_cutlass_host_Ptrgmem"
STUB = """#include <stdint.h>
#include <stdio.h>
int _cuKernelGetAttribute(void) { return 0; }
int _cudaDeviceGetAttribute(int *value) { return *value = 0; }
int _cudaFuncSetAttribute(void) { return 0; }
int _cudaGetDevice(int *device) { return *device = 0; }
int _cudaKernelSetAttributeForDevice(void) { return 0; }
int _cudaLibraryGetKernel(void **kernel) { *kernel = kernel; return 0; }
int _cudaLibraryLoadData(void **library) { *library = library; return 0; }
int _cudaLaunchKernelEx(void *config, void *kernel, void **arguments) {
    const uint8_t *map = arguments[0];
    (void)config;
    (void)kernel;
    for (int i = 0; i < 64; i++) printf("%02x", map[i]);
    return puts("") < 0;
}
void ENTRY(void **arguments, int32_t count);
int main(void) {
    void *base = (void *)ADDRESS;
    int32_t status = 0;
    void *arguments[2] = {&base, &status};
    ENTRY(arguments, 2);
    return status;
}
"""


def fields(line):
    row = dict(field.split("=", 1) for field in line.split() if "=" in field)
    return {k: [int(x) for x in v.split(",")] if k in ("dim", "stride", "box", "lo", "up", "es") else v
            for k, v in row.items()}


@cute.kernel
def kernel(copy: cute.CopyAtom, tensor: cute.Tensor):
    cpasync.prefetch_descriptor(copy)


def tiled(row, base):
    kind, bits, internal = TYPES[int(row["dtype"])]
    dim = tuple(row["dim"])
    stride = (1, *(8 * s // bits for s in row["stride"]))
    box = tuple(row.get("box") or [128 * 8 // bits if bits >= 8 else 128, 8] + [1] * (len(dim) - 2))
    steps, inner = [], 1
    for size in box:
        steps.append(inner)
        inner *= size
    tensor = cute.make_tensor(cute.recast_ptr(base, dtype=kind), cute.make_layout(dim, stride=stride))
    swizzle = SWIZZLES[int(row.get("sw", 3))]
    if "161" in row.get("id", ""):
        swizzle = (1, 6, 1)
    shared = cute.make_composed_layout(cute.make_swizzle(*swizzle), 0, cute.make_layout(box, stride=tuple(steps)))
    op = cpasync.CopyBulkTensorTileS2GOp() if "store" in row.get("id", "") else cpasync.CopyBulkTensorTileG2SOp()
    return cpasync.make_tiled_tma_atom(op, tensor, shared, box, internal_type=internal)


def im2col(row, base):
    kind, bits, _ = TYPES[int(row["dtype"])]
    dim, stride = row["dim"], [8 * s // bits for s in row["stride"]]
    n = len(dim) - 2
    tensor = cute.make_tensor(cute.recast_ptr(base, dtype=kind), cute.make_layout(
        (tuple(dim[1:]), dim[0]), stride=(tuple(stride), 1)))
    box = (int(row["ppc"]), int(row["cpp"]))
    shared = cute.make_composed_layout(cute.make_swizzle(*SWIZZLES[int(row["sw"])]), 0,
                                       cute.make_layout(box, stride=(box[1], 1)))
    low, up = tuple(row["lo"]), tuple(row["up"])
    pad = tuple(-x for x in low)
    ones = (1,) * n
    return cpasync.make_im2col_tma_atom(
        cpasync.CopyBulkTensorIm2ColG2SOp(), tensor, shared, box, low, up, pad, pad, ones, (0,) * n, ones)


ROWS = [fields(line) for line in sys.stdin if line.startswith(("cute ", "bit21 "))]


@cute.jit
def host(base: cute.Pointer):
    for row in cutlass.range_constexpr(len(ROWS)):
        make = im2col if ROWS[row].get("api") == "im2col" else tiled
        copy, tensor = make(ROWS[row], base)
        kernel(copy, tensor).launch(grid=(1, 1, 1), block=(32, 1, 1))


def main():
    address = int(ROWS[0].get("addr", 0x7f0000000000))
    made = cute.compile(host, make_ptr(cutlass.Uint8, address, cute.AddressSpace.gmem, assumed_align=128))
    with tempfile.TemporaryDirectory() as folder:
        made.export_to_c(folder, "maps", "maps")
        Path(folder, "stub.c").write_text(STUB)
        subprocess.run(["cc", "-no-pie", f"-DENTRY={HOST}", f"-DADDRESS={address:#x}", "-o", f"{folder}/maps",
                        f"{folder}/stub.c", f"{folder}/maps.o"], check=True)
        print(subprocess.run([f"{folder}/maps"], capture_output=True, text=True, check=True).stdout, end="")


main()
