# SPDX-License-Identifier: Apache-2.0
"""Maps made by the Python package, taken by a GPU: gpu_copies.py CUBIN launches copy_tile.cu's
kernel through CuPy's RawModule and through cuda.bindings' cuLaunchKernel and compares all bytes of
shared memory with what the package's load() leaves there. One line an item; ends with 1 if one
disagrees. Needs CuPy, cuda-bindings and a GPU with TMA."""
import ctypes
import random
import sys

import cupy
import numpy as np
from cuda.bindings import driver

import libtma

SWIZZLES = {"none": 256, "32B": 32, "64B": 64, "128B": 128}  # the widest row here, in bytes
COUNT = 200


def cases(seed):
    """(host array, its copy on the GPU, descriptor, offsets) of random loads."""
    r = random.Random(seed)
    for _ in range(COUNT):
        dtype = np.dtype(r.choice(["uint8", "uint16", "int32", "float16", "float32", "float64"]))
        swizzle = r.choice(list(SWIZZLES))
        unit = 16 // dtype.itemsize
        shape = (r.randint(1, 90), unit * r.randint(1, 12))
        box = (r.randint(1, 64), unit * r.randint(1, SWIZZLES[swizzle] // 16))
        host = np.random.default_rng(r.randrange(2**32)).integers(0, 200, shape).astype(dtype)
        device = cupy.asarray(host)
        desc = libtma.TensorMapDescriptor.tiled(device, box, swizzle=swizzle)
        offsets = (r.randint(-5, shape[0] + 1), unit * r.randint(-3, 13))
        yield host, device, desc, offsets


def expected(host, desc, offsets):
    out = np.full(desc.shared_storage_bytes, 0xA5, np.uint8)
    desc.load(offsets, memory=libtma.Memory({desc.address: host}), out=out, raw=True)
    return out


def by_cupy(cubin):
    kernel = cupy.RawModule(path=cubin).get_function("copy_tile")

    def launch(desc, out, y, x):
        kernel((1,), (128,), (desc.as_numpy(), out, np.int32(x), np.int32(y),
                              np.int32(desc.global_tx_bytes), np.int32(out.size)),
               shared_mem=out.size)
    return launch


def checked(result):
    if int(result[0]):
        raise RuntimeError(str(result[0]))
    return result[1] if len(result) > 1 else None


def by_cuda_bindings(cubin):
    module = checked(driver.cuModuleLoad(cubin.encode()))
    kernel = checked(driver.cuModuleGetFunction(module, b"copy_tile"))

    def launch(desc, out, y, x):
        numbers = [ctypes.c_void_p(out.data.ptr), ctypes.c_int(x), ctypes.c_int(y),
                   ctypes.c_int(desc.global_tx_bytes), ctypes.c_int(out.size)]
        places = (ctypes.c_void_p * 6)(desc.getPtr(), *map(ctypes.addressof, numbers))
        checked(driver.cuLaunchKernel(kernel, 1, 1, 1, 128, 1, 1, out.size, 0,
                                      ctypes.addressof(places), 0))
        checked(driver.cuCtxSynchronize())
    return launch


def main():
    failed = 0
    cupy.zeros(1)  # makes the context that both use
    for name, make in (("cupy", by_cupy), ("cuda.bindings", by_cuda_bindings)):
        launch = make(sys.argv[1])
        wrong = 0
        for host, _device, desc, offsets in cases(7):
            out = cupy.zeros(desc.shared_storage_bytes, cupy.uint8)
            launch(desc, out, *offsets)
            same = (out.get() == expected(host, desc, offsets)).all()
            wrong += not same
            if not same and wrong <= 3:
                print(f"  {desc!r} at {offsets}", file=sys.stderr)
        print(f"copies through {name}: {COUNT - wrong} of {COUNT} the same bytes", flush=True)
        failed += wrong
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
