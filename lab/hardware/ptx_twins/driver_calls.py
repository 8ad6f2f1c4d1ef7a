# SPDX-License-Identifier: Apache-2.0
"""The few calls of the CUDA driver that twins need, by ctypes: no package, and none of the library under test."""
import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p

STACK_B = 4096  # of a thread: functions that call themselves need more than the driver's 1024
KINDS = {32: c_uint32, 64: c_uint64}


class DriverError(Exception):
    pass


class Gpu:
    """A context of this process on the first GPU, and one buffer."""

    def __init__(self, size_B):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", c_uint(0))
        device, context, self.buffer = c_int(), c_void_p(), c_uint64()
        self.call("cuDeviceGet", byref(device), c_int(0))
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuCtxSetLimit", c_int(0), c_size_t(STACK_B))
        self.size_B = size_B
        self.call("cuMemAlloc_v2", byref(self.buffer), c_size_t(size_B))
        name, version = ctypes.create_string_buffer(100), c_int()
        self.call("cuDeviceGetName", name, c_int(100), device)
        self.call("cuDriverGetVersion", byref(version))
        self.name = f"{name.value.decode()}, driver {version.value // 1000}.{version.value % 1000 // 10}"

    def call(self, name, *arguments):
        code = getattr(self.cuda, name)(*arguments)
        if code:
            text = c_char_p()
            self.cuda.cuGetErrorName(c_int(code), byref(text))
            raise DriverError(f"{name}: {code} {(text.value or b'').decode()}")

    def run(self, cubin, launches):
        """Runs kernels of a module: (name, blocks, threads, [(bits, value) ...] behind which the map and the address
        of the kernel's part come, first byte of that part). Gives the buffer's bytes."""
        module = c_void_p()
        self.call("cuModuleLoadData", byref(module), c_char_p(cubin))
        self.call("cuMemsetD8_v2", self.buffer, ctypes.c_ubyte(0), c_size_t(self.size_B))
        for name, blocks, threads, parameters, first in launches:
            kernel = c_void_p()
            self.call("cuModuleGetFunction", byref(kernel), module, c_char_p(name.encode()))
            values = [KINDS[bits](value) for bits, value in parameters]
            values += [(ctypes.c_ubyte * 128)(), c_uint64(self.buffer.value + first)]
            pointers = (c_void_p * len(values))(*[ctypes.cast(byref(v), c_void_p) for v in values])
            self.call("cuLaunchKernel", kernel, *map(c_uint, (blocks, 1, 1, threads, 1, 1, 0)), c_void_p(), pointers, c_void_p())
        self.call("cuCtxSynchronize")
        out = ctypes.create_string_buffer(self.size_B)
        self.call("cuMemcpyDtoH_v2", out, self.buffer, c_size_t(self.size_B))
        self.call("cuModuleUnload", module)
        return out.raw
