# SPDX-License-Identifier: Apache-2.0
"""real.py gluon|persistent|persistent-device|cupy|nvrtc [bad]: kernels as users write them, each by another compiler:
Gluon (copies and barriers by hand), a persistent Triton matmul with descriptors of the host or, for the result, of
the device, CuPy's RawKernel, and NVRTC by cuda-bindings, both with copies in inline PTX (bad: from a coordinate that
no load takes). Prints a hash of the result and the milliseconds of one launch (median of five times 20). real.sh
runs it as it is and through tma run-checked.
"""
import ctypes
import hashlib
import sys

SIZE = 4096
TURNS = 20


def report(data, ms):
    some = data[::4097]
    print("result", hashlib.sha256(data).hexdigest()[:16], f"{len(data)} B, {sum(map(bool, some))} of {len(some)} not 0")
    print(f"ms {sorted(ms)[len(ms) // 2]:.4f}")


def torch_report(once, out):
    import torch
    once()
    torch.cuda.synchronize()
    data = out.cpu().contiguous().view(torch.uint8).numpy().tobytes()
    ms = []
    for _ in range(5):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        torch.cuda._sleep(20_000_000) # cycles, 10 ms: all launches are queued before the first begins
        start.record()
        for _ in range(TURNS):
            once()
        end.record()
        torch.cuda.synchronize()
        ms.append(start.elapsed_time(end) / TURNS)
    report(data, ms)


# Copies by NVRTC: one map, a kernel's parameter; tiles of 64 x 64 halves, in and out again.

SOURCE = r"""
struct __align__(64) Map { char bytes[128]; };

extern "C" __global__ void copy(const __grid_constant__ Map from, const __grid_constant__ Map to, int more) {
    __shared__ __align__(1024) char tile[64 * 128];
    __shared__ __align__(8) unsigned long long barrier;
    const unsigned smem = (unsigned)__cvta_generic_to_shared(tile);
    const unsigned mbar = (unsigned)__cvta_generic_to_shared(&barrier);
    const int x = 64 * blockIdx.x, y = 64 * blockIdx.y;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(mbar) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8192;" :: "r"(mbar) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                     :: "r"(smem), "l"(&from), "r"(x + more), "r"(y), "r"(mbar) : "memory");
        asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra again;\n}"
                     :: "r"(mbar) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {%2, %3}], [%0];"
                     :: "r"(smem), "l"(&to), "r"(x), "r"(y) : "memory");
        asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
    }
}
"""


def encoded(address):
    """The 128 bytes of a map of halves, SIZE x SIZE, boxes of 64 x 64, by the driver."""
    room = ctypes.create_string_buffer(256)
    at = -ctypes.addressof(room) % 128 + ctypes.addressof(room)
    rc = ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeTiled(
        ctypes.c_void_p(at), 6, 2, ctypes.c_void_p(address), (ctypes.c_uint64 * 2)(SIZE, SIZE),
        (ctypes.c_uint64 * 1)(2 * SIZE), (ctypes.c_uint32 * 2)(64, 64), (ctypes.c_uint32 * 2)(1, 1), 0, 3, 0, 0)
    if rc:
        sys.exit(f"cuTensorMapEncodeTiled: {rc}")
    return ctypes.string_at(at, 128)


def cupy(bad):
    import cupy
    import numpy
    kernel = cupy.RawKernel(SOURCE, "copy", options=("-std=c++17",))
    x = cupy.random.RandomState(7).random_sample(SIZE * SIZE, dtype=cupy.float32).astype(cupy.float16)
    out = cupy.zeros_like(x)
    as_map = numpy.dtype([("bytes", numpy.uint8, 128)])
    arrays = [numpy.frombuffer(encoded(array.data.ptr), as_map).copy() for array in (x, out)]

    def once():
        kernel((SIZE // 64, SIZE // 64), (32,), (*maps, numpy.int32(bad)))
    maps = [array[0] for array in arrays]  # a structure by value is a numpy.void, or an array of one
    try:
        once()
    except TypeError:
        maps = arrays
        once()
    cupy.cuda.Device().synchronize()
    assert (x == out).all()
    ms = []
    for _ in range(5):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        for _ in range(TURNS):
            once()
        end.record()
        end.synchronize()
        ms.append(cupy.cuda.get_elapsed_time(start, end) / TURNS)
    report(out.get().tobytes(), ms)


def nvrtc(bad):
    """NVRTC to PTX, PTX to cuModuleLoadData, by hand: what PyTorch's _compile_kernel does."""
    import torch
    from cuda.bindings import driver
    from cuda.bindings import nvrtc as compiler

    def must(answer):
        if int(answer[0]):
            sys.exit(f"error {answer[0]!r}")
        return answer[1] if len(answer) == 2 else answer[1:]
    torch.manual_seed(7)
    x = torch.randn(SIZE, SIZE, device="cuda", dtype=torch.float16)
    out = torch.zeros_like(x)
    program = must(compiler.nvrtcCreateProgram(SOURCE.encode(), b"copy.cu", 0, None, None))
    options = [b"-arch=compute_90a", b"-std=c++17", b"-lineinfo"]
    must(compiler.nvrtcCompileProgram(program, len(options), options))
    ptx = bytes(must(compiler.nvrtcGetPTXSize(program)))
    must(compiler.nvrtcGetPTX(program, ptx))
    module = must(driver.cuModuleLoadData(ptx))
    kernel = must(driver.cuModuleGetFunction(module, b"copy"))
    maps = [ctypes.create_string_buffer(encoded(t.data_ptr()), 128) for t in (x, out)]
    more = ctypes.c_int(bad)
    values = (ctypes.c_void_p * 3)(*[ctypes.addressof(v) for v in (*maps, more)])

    def once():
        must(driver.cuLaunchKernel(kernel, SIZE // 64, SIZE // 64, 1, 32, 1, 1, 0,
                                   torch.cuda.current_stream().cuda_stream, ctypes.addressof(values), 0))
    once()
    torch.cuda.synchronize()
    assert torch.equal(x, out)
    torch_report(once, out)


# Triton.

def gluon(bad):
    import triton_kernels
    triton_kernels.gluon_copy(torch_report, SIZE)


def persistent(bad, on_device=False):
    import triton_kernels
    triton_kernels.persistent(torch_report, SIZE, on_device)


PROGRAMS = {"gluon": gluon, "persistent": persistent, "persistent-device": lambda bad: persistent(bad, True),
            "cupy": cupy, "nvrtc": nvrtc}

if __name__ == "__main__":
    try:
        PROGRAMS[sys.argv[1]](int("bad" in sys.argv[2:]))
    except Exception as error:  # the driver's answer, in anybody's exception
        print("error", type(error).__name__, str(error).splitlines()[0] if str(error) else "")
        sys.exit(1)
