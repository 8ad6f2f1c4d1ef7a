# SPDX-License-Identifier: Apache-2.0
"""hangs.py NAME: kernels of Gluon, Triton and CuPy that hang, each by one statement; without NAME it lists them.
Those whose name begins with right end."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "kernels/real"))

# Two stages filled by bulk copies without a tensor map; WHAT: 1 the copy of round 5 is 16 bytes short, 2 the
# barriers take two arrivals, and one comes in round 3, 3 its copy of round 3 goes to the barrier of the other stage.
CUPY = r"""
extern "C" __global__ void rounds(const char *from, int *out, int what) {
    __shared__ __align__(128) char tile[2][4096];
    __shared__ __align__(8) unsigned long long full[2];
    const unsigned bar = (unsigned)__cvta_generic_to_shared(full), to = (unsigned)__cvta_generic_to_shared(tile);
    int sum = 0;
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2; s++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" :: "r"(bar + 8 * s) : "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    for (int i = 0; i < 8; i++) {
        const int s = i & 1;
        const unsigned at = bar + 8 * s;
        if (threadIdx.x == 0) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4096;" :: "r"(at) : "memory");
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                         :: "r"(to + 4096 * s), "l"(from + 4096 * i), "r"(what == 1 && i == 5 ? 4080 : 4096),
                            "r"(what == 3 && i == 3 ? bar : at) : "memory");
        }
        if (threadIdx.x == 32 && !(what == 2 && i == 3))
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" :: "r"(at) : "memory");
        asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                     "@!p bra again;\n}" :: "r"(at), "r"(i >> 1 & 1) : "memory");
        sum += tile[s][threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
"""


def cupy_rounds(what):
    import cupy
    import numpy
    source = cupy.zeros(8 * 4096, dtype=cupy.int8)
    out = cupy.zeros(64, dtype=cupy.int32)
    cupy.RawKernel(CUPY, "rounds", options=("-lineinfo",))((1,), (64,), (source, out, numpy.int32(what)))
    print("launch", flush=True)
    cupy.cuda.runtime.deviceSynchronize()


def gluon_rounds(what):
    import torch
    from hangs_gluon import rounds, descriptor
    x = torch.zeros(64, 1024, device="cuda", dtype=torch.float16)
    out = torch.zeros(64, 64, device="cuda", dtype=torch.float16)
    rounds[(2,)](descriptor(x), out, what, num_warps=4)
    print("launch", flush=True)
    torch.cuda.synchronize()


def triton_matmul(more):
    """Triton's own code, one number in it changed: the bytes that each expectation names."""
    import torch
    from triton.backends.nvidia.compiler import CUDABackend
    make = CUDABackend.make_ptx

    def changed(self, *args, **kwargs):
        text = make(self, *args, **kwargs)
        bigger, count = re.subn(r"(mbarrier\.arrive\.expect_tx[^;]*, )(\d+);",
                                lambda m: f"{m[1]}{int(m[2]) + more};", text)
        assert count
        return bigger
    CUDABackend.make_ptx = changed
    import triton_kernels
    print("launch", flush=True)
    triton_kernels.persistent(lambda once, out: torch.cuda.synchronize(), 1024)


ALL = {
    "cupy_bulk_short": (cupy_rounds, 1),
    "cupy_arrival_missing": (cupy_rounds, 2),
    "cupy_wrong_barrier": (cupy_rounds, 3),
    "gluon_expects_more": (gluon_rounds, 1),
    "gluon_copy_missing": (gluon_rounds, 2),
    "gluon_wrong_parity": (gluon_rounds, 3),
    "triton_expects_more": (triton_matmul, 2048),
    "right_cupy": (cupy_rounds, 0),
    "right_gluon": (gluon_rounds, 0),
    "right_triton": (triton_matmul, 0),
}

if __name__ == "__main__":
    if len(sys.argv) < 2:
        print("\n".join(ALL))
    else:
        run, what = ALL[sys.argv[1]]
        run(what)
        print("end")
