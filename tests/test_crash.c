/* SPDX-License-Identifier: Apache-2.0
 *
 * Words of crashes: each row in three spellings, what must not be taken for one, and what somebody
 * asks for.
 */
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

#include "tma/crash.h"
#include "tma/paste.h"

#define MOST_ROWS 256

struct rows_found {
    size_t times[MOST_ROWS];
    size_t line[MOST_ROWS];
};

static void note(void *context, const tma_crash *found) {
    struct rows_found *all = context;
    all->times[found->row]++;
    all->line[found->row] = found->line;
}

static size_t row_named(const char *name) {
    tma_crash_row row;
    for (size_t i = 0; !tma_crash_at(&row, i); i++) {
        if (!strcmp(row.name, name)) {
            return i;
        }
    }
    fail_msg("no row is named %s", name);
    return 0;
}

/* As programs print them: the first three of each row in other forms of each other. */
static const struct spelling {
    const char *row;
    const char *lines[3];
} spellings[] = {
    {"invalid-value",
     {"RuntimeError: CUDA error: invalid argument",
      "cutlass.base_dsl.common.DSLCudaRuntimeError: cudaErrorInvalidValue (error code: 1)",
      "cuTensorMapEncodeTiled failed: CUDA_ERROR_INVALID_VALUE"}},
    {"encode-failed",
     {"CUtensorMap create_tensor_map_4D(T*, int) [with T = char]: Assertion `result == "
      "CUDA_SUCCESS' failed.",
      "make_tma: Assertion 'res == CUDA_SUCCESS' failed",
      "tma_map: Assertion \"err == "
      "CUDA_SUCCESS\" failed"}},
    {"invalid-value-elsewhere",
     {"Cuda Driver error detected: Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuCtxSetLimit",
      "cudaFuncSetAttribute(k, 8, bytes) failed: invalid argument",
      "CUDA Error: invalid argument (1) a.cuh: line 3 at function cudaMemcpyAsync(d, s, 0)"}},
    {"out-of-memory",
     {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
      "CUDA_ERROR_OUT_OF_MEMORY: failed to allocate 14.2G", "cudaErrorMemoryAllocation"}},
    {"no-kernel-image",
     {"RuntimeError: CUDA error: no kernel image is available for execution on the device",
      "Triton Error [CUDA]: CUDA error 209",
      "CUDA error at a.cu:12 code=209(cudaErrorNoKernelImageForDevice) \"cudaGetLastError()\""}},
    {"invalid-kernel-image",
     {"RuntimeError: Triton Error [CUDA]: device kernel image is invalid",
      "CUDA driver error (csrc/jit/handle.hpp:141): 200", "cudaErrorInvalidKernelImage"}},
    {"jit-ptx",
     {"CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
      "RuntimeError: the provided PTX was compiled with an unsupported toolchain.",
      "cuModuleLoadData returned 218"}},
    {"illegal-address",
     {"torch.AcceleratorError: CUDA error: an illegal memory access was encountered",
      "INTERNAL: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access",
      "\033[31m[rank3]: Cuda failure 700 'an illegal memory access was encountered'\033[0m"}},
    {"too-many-resources",
     {"CUDA error: too many resources requested for launch",
      "Warp CUDA error 701: (in function wp_cuda_launch_kernel)",
      "RuntimeError: Triton Error [CUDA]: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"}},
    {"launch-timeout",
     {"RuntimeError: CUDA error: the launch timed out and was terminated", "cudaErrorLaunchTimeout",
      "cuCtxSynchronize: CUDA error 702"}},
    {"device-assert",
     {"RuntimeError: CUDA error: device-side assert triggered", "cudaErrorAssert",
      "CUDA driver error: 710"}},
    {"stack",
     {"CUDA_EXCEPTION_2, Lane User Stack Overflow", "CUDA error: hardware stack error",
      "cudaErrorHardwareStackError"}},
    {"illegal-instruction",
     {"RuntimeError: CUDA driver error (csrc/apis/../impl.hpp:65): 715 ",
      "RuntimeError: CUDA Error: cudaErrorIllegalInstruction",
      "Program received signal CUDA_EXCEPTION_4, Warp Illegal Instruction."}},
    {"misaligned-address",
     {"RuntimeError: Triton Error [CUDA]: misaligned address",
      "CUDA get error, code:716, msg:misaligned", "CUDA Exception: Warp Misaligned Address"}},
    {"address-space",
     {"CUDA error: operation not supported on global/shared address space",
      "cudaErrorInvalidAddressSpace", "CUDA Exception: Warp Invalid Address Space"}},
    {"invalid-pc",
     {"CUDA error: invalid program counter", "CUDA_EXCEPTION_8", "CUDA_ERROR_INVALID_PC"}},
    {"launch-failed",
     {"CUDA error: unspecified launch failure", "CUDA_ERROR_LAUNCH_FAILED (error 719)",
      "cudaDeviceSynchronize returned 719"}},
    {"not-supported",
     {"CUDA error: operation not supported", "cudaErrorNotSupported",
      "cuTensorMapEncodeTiled failed with error 801"}},
    {"cluster-size",
     {"cudaErrorInvalidClusterSize", "CUDA error: cluster misconfiguration",
      "cuLaunchKernelEx: error 912"}},
    {"unknown-error",
     {"CUDA error: unknown error", "cudaErrorUnknown", "CUDA_ERROR_UNKNOWN (999)"}},
    {"cutlass-internal",
     {"Got cutlass error: Error Internal at: 512", "CUTLASS kErrorInternal",
      "RuntimeError: CUTLASS failed: Error Internal"}},
    {"illegal-parameter",
     {"CUDA_EXCEPTION_27 Warp Illegal Instruction Parameter",
      "NVRM: Xid (PCI:0000:cb:00): 13, pid='<unknown>', name=<unknown>, Graphics SM Warp Exception "
      "on (GPC 7, TPC 7, SM 0): Illegal Instruction Parameter",
      "CUDA Exception: Warp Illegal Instruction Parameter"}},
    {"illegal-encoding",
     {"CUDA_EXCEPTION_26", "CUDA Exception: Warp Illegal Instruction Encoding",
      "Graphics SM Warp Exception on (GPC 1, TPC 0, SM 0): Illegal Instruction Encoding"}},
    {"out-of-range-address",
     {"CUDA Exception: Warp Out-of-range Address", "CUDA_EXCEPTION_5, Warp Out-of-range Address.",
      "Graphics SM Warp Exception on (GPC 0, TPC 1, SM 0): Out Of Range Address"}},
    {"cluster",
     {"CUDA Exception: Cluster target block not present", "CUDA_EXCEPTION_17",
      "========= Cluster target block not present"}},
    {"tensor-memory",
     {"CUDA_EXCEPTION_20", "CUDA Exception: Warp Tensor Memory Leak",
      "CUDA_EXCEPTION_21, Warp Tensor Memory Leak"}},
    {"newer-driver",
     {"CUDA_EXCEPTION_22", "CUDA Exception: Warp Call Requires Newer Driver",
      "cuda-gdb: Warp Call Requires Newer Driver"}},
    {"barrier-arrival",
     {"CUDA_EXCEPTION_31", "cuda-gdb: Warp Barrier Arrival Mismatch",
      "CUDA Exception: Warp Barrier Arrival Mismatch"}},
    {"tma-call", {"CUDA_EXCEPTION_36", "CUDA Exception: TMA Syscall", "cuda-gdb: TMA Syscall"}},
    {"kernel-exception",
     {"CUDA_EXCEPTION_13", "CUDA Exception: Lane Syscall Error", "CUDA_EXCEPTION_29"}},
    {"xid-13",
     {"[123.4] NVRM: Xid (PCI:0000:70:00): 13, Graphics Exception: ESR 0x5167b0=0x80f0017",
      "kernel: NVRM: Xid (0000:03:00): 13, 0001", "GPU reported Xid 13"}},
    {"xid-31",
     {"NVRM: Xid (PCI:0000:01:00): 31, pid=4821, name=python, Ch 00000008, intr 00000000. MMU "
      "Fault: ENGINE GRAPHICS",
      "NVIDIA Xid: 31", "XID errors found on GPU 0: Xid 31"}},
    {"xid-43",
     {"NVRM: Xid (PCI:0000:01:00): 43, pid=4821, name=python", "NVRM: Xid (0000:03:00): 43, Ch 1",
      "Xid 43 on GPU 3"}},
    {"xid-45",
     {"NVRM: Xid (PCI:0000:01:00): 45, pid=4821, name=python", "NVRM: Xid (0000:03:00): 45, Ch 1",
      "xid=45 (GPU 3)"}},
    {"xid-8",
     {"NVRM: Xid (PCI:0000:01:00): 8, pid=1234, name=llama-server, Channel 00000007",
      "15:05:41  Xid 8  llama-server  channel 0x00000007", "GPU 0: Xid 8"}},
    {"xid-109",
     {"NVRM: Xid (PCI:0000:cb:00): 109, pid=1797828, name=pt_main_thread, errorString CTX SWITCH",
      "NVRM: Xid (0000:03:00): 109, Ch 1", "Xid 109 on GPU 3"}},
    {"xid-hardware",
     {"NVRM: Xid (PCI:0000:cb:00): 79, pid=1, GPU has fallen off the bus.",
      "NVRM: Xid (0000:03:00): 94, Contained", "Xid 119 on GPU 3"}},
    {"xid-other",
     {"NVRM: Xid (PCI:0000:dc:00): 69, pid=1818990, name=python3, Class Error",
      "NVRM: Xid (0000:03:00): 156, Resource Retirement Event",
      "kernel: NVRM: Xid (PCI:0018:01:00): 171, Additional to Xid 48"}},
    {"consan",
     {"Assertion `Buffer being accessed has outstanding writes.` failed.",
      "k.py:88: Accessing buffer with pending access. Pending access type: "
      "async_copy_global_to_shared",
      "Async shared-memory access is missing fence_async_shared"}},
    {"consan-barrier",
     {"Assertion `Barrier used before initialization or after invalidation` failed",
      "Barrier re-initialized without prior invalidation",
      "Barrier arrive underflow: current count or tx-count would become negative"}},
    {"sanitizer-global",
     {"========= Invalid __global__ read of size 4 bytes",
      "========= Invalid __global__ write of size 256 bytes",
      "=========  Invalid __global__ atomic"}},
    {"sanitizer-shared",
     {"========= Invalid __shared__ read of size 16 bytes",
      "========= Invalid __shared__ ? of size 2048 bytes", "========= Invalid __shared__ write"}},
    {"race",
     {"========= Error: Race reported between Write access at k+0x1a0",
      "========= Error: Potential RAW hazard detected at __shared__ 0x0",
      "========= Warning: missing fence.proxy.async.shared before cp.async.bulk"}},
    {"barrier-arguments",
     {"========= Barrier error detected. Invalid arguments",
      "=========     Barrier error detected. Invalid arguments.",
      "========= COMPUTE-SANITIZER Barrier error detected. Invalid arguments"}},
    {"uninitialized",
     {"========= Uninitialized __global__ memory read of size 4 bytes",
      "========= Uninitialized  __global__ memory read",
      "========= Error: Uninitialized __global__ memory read of size 16 bytes"}},
    {"divergent-barrier",
     {"========= Barrier error detected. Divergent thread(s) in block",
      "========= Divergent thread(s) in warp", "=========     Barrier error detected."}},
    {"hang",
     {"[rank2]: ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress",
      "[rank0]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12)",
      "25-minute GPU-pegged mbarrier deadlock, hit by two kernels"}},
    {"wrong-values",
     {"test_tma_load: Tensor-likes are not close!", "TMA store: wrong values in 12 of 64 tiles",
      "cp.async.bulk.tensor gives wrong results"}},
    {"map-stride",
     {"AssertionError: strides must be 16-byte aligned",
      "InterpreterError: AssertionError('stride must be 16-byte aligned')",
      "ValueError: TMA strides must be a multiple of 16 bytes"}},
    {"map-address",
     {"AssertionError: base must be 16-byte aligned",
      "ValueError: base pointer must be 16-byte aligned",
      "  [0] globalAddress (0x7f2a40000004) must be 16-byte aligned for the TMA descriptor"}},
    {"box-row",
     {"Descriptor block shape must have at least 16 bytes in the last dimension, but got 1 * 4 = 4 "
      "bytes",
      "error: TMA box needs at least 16 bytes",
      "ValueError: Descriptor block shape must have at least "
      "16 bytes in the last dimension"}},
    {"box-span",
     {"T.tma_copy() cannot do: swizzled shared box exceeds swizzle byte width, src=",
      "  [1] boxDim[0] * elementSize must be <= swizzle span (32 bytes) when swizzle is enabled",
      "TMA inner box exceeds swizzle width"}},
    {"map-contiguous",
     {"AssertionError: Last dimension must be contiguous",
      "TensorDescriptor last dim must be 1 but got 4",
      "TMA: innermost dimension must be contiguous"}},
    {"map-rank",
     {"ValueError: Expected 1 <= ndim <= 5 but got 6 dimensions, TensorDescriptor",
      "TMA rank must be at most 5", "tensor map rank must be 1..5"}},
    {"copy-offset",
     {"AssertionError: block offset start must be 16-byte aligned",
      "TMA store offset must be 16-byte aligned",
      "triton: block offset start must be 16-byte aligned"}},
    {"gather-shape",
     {"AssertionError: descriptor gather must have at least 8 rows, but got [4, 64]",
      "descriptor block must have 1 row", "descriptor scatter must have at least 8 rows"}},
    {"map-refused",
     {"InternalError: Invalid TMA descriptor arguments for __tvm_tensormap_create_tiled:",
      "  TMA: boxDim[1] must be <= 256", "cuTensorMap: globalDim[0] must be > 0"}},
    {"copy-lowering",
     {"tvm.error.InternalError: T.tma_copy() cannot fall back to normal copy in LowerBulk",
      "static assertion failed with \"Could not find a common tile-gmem vectorization. Does the "
      "Tile "
      "select out major GMEM modes?\"",
      "error: failed to legalize operation 'ttng.async_tma_copy_global_to_local'; mbarrier"}},
    {"no-allocator",
     {"RuntimeError: Kernel requires a runtime memory allocation, but no allocator was set. Use "
      "triton.set_allocator",
      "kernel requires a runtime memory allocation, but no allocator was set",
      "[rank0]: Kernel requires a runtime memory allocation, but no allocator was set."}},
    {"shared-memory-size",
     {"triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 266240, "
      "Hardware limit: 232448.",
      "ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)",
      "out of resource: shared memory"}},
    {"tma-not-compiled",
     {"Trying to use tma without CUTE_ARCH_TMA_SM90_ENABLED.",
      "Attempting to use wgmma without CUTE_ARCH_MMA_SM90A_ENABLED; without "
      "CUTE_ARCH_MMA_SM90A_ENABLED",
      "ERROR : Arch conditional MMA instruction used without targeting appropriate compute "
      "capability. "
      "Aborting."}},
    {"ptxas-state-space",
     {"ptxas /tmp/x.ptx, line 9; error   : State space incorrect for instruction 'cp.async.bulk'",
      "ptxas error: State space incorrect for instruction 'cp.async.bulk.tensor'",
      "State space incorrect for instruction 'mapa', expected '::cluster'"}},
    {"ptxas-target",
     {"error   : Feature '%clusterid' requires .target sm_90 or higher",
      "nvcc fatal   : Unsupported gpu architecture 'compute_120a'",
      "Instruction 'wgmma.fence' cannot be compiled for architecture 'sm_90'"}},
    {"ptxas-version",
     {"error   : Feature 'x' requires PTX ISA .version 8.0 or later",
      "Not a name of any known instruction: 'cp.async.bulk.tensor'",
      "ptxas fatal   : Unsupported .version 9.0; current version is '8.8'"}},
    {"ptxas-setmaxnreg",
     {"ptxas info : (C7506) Potential Performance Loss: 'setmaxnreg' ignored to maintain "
      "compatibility",
      "C7506: `setmaxnreg` ignored", "\"setmaxnreg\" ignored"}},
    {"ptxas-multicast",
     {"Advisory: '.multicast::cluster' modifier on instruction 'cp.async.bulk{.tensor}' should be "
      "used",
      "`.multicast::cluster` modifier on instruction",
      "\".multicast::cluster\" modifier on instruction"}},
    {"ptxas-wgmma",
     {"Potential Performance Loss: wgmma.mma_async instructions are serialized due to",
      "(C7510) wgmma.mma_async instructions are serialized",
      "ptxas info    : wgmma.mma_async instructions are serialized"}},
    {"map-alignas",
     {"error: requested alignment is less than minimum alignment of 128 for type CUtensorMap",
      "a.h:3:9: error: requested alignment is less than minimum alignment of 128 for type "
      "'CUtensorMap'",
      "minimum alignment of 128 for type 'CUtensorMap_st'"}},
    {"map-type-missing",
     {"error: \xE2\x80\x98"
      "CUtensorMap\xE2\x80\x99 has not been declared",
      "error: unknown type name 'CUtensorMapDataType'",
      "error: identifier \"CUtensorMap\" is undefined"}},
    {"grid-constant",
     {"error: __grid_constant__ annotation is only allowed on a parameter of a __global__ function",
      "a __grid_constant__ parameter must be const", "__grid_constant__ parameter"}},
    {"link-encode",
     {"a.o: undefined reference to `cuTensorMapEncodeTiled'",
      "OSError: libx.so: undefined symbol: cuTensorMapEncodeIm2col",
      "a.obj : error LNK2019: unresolved external symbol cuTensorMapEncodeTiled"}},
    {"no-device",
     {"RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version",
      "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA "
      "GPU",
      "cudaErrorNoDevice"}},
    {"launch-configuration",
     {"CUDA error: invalid configuration argument", "cudaErrorInvalidConfiguration",
      "cuLaunchKernelEx failed: invalid configuration argument"}},
    {"symbol-missing",
     {"Triton Error [CUDA]: named symbol not found", "CUDA_ERROR_NOT_FOUND",
      "cuModuleGetFunction: named symbol not found"}},
    {"invalid-handle",
     {"RuntimeError: CUDA error: invalid resource handle", "CUDA_ERROR_INVALID_CONTEXT",
      "Triton Error [CUDA]: invalid device context"}},
    {"stream-capture",
     {"CUDA error: operation not permitted when stream is capturing",
      "cudaErrorStreamCaptureInvalidated",
      "CUDA error: operation failed due to a previous error during capture"}},
    {"library-status",
     {"RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx( handle",
      "cudnn_frontend error: CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER",
      "ncclUnhandledCudaError: Call to CUDA function failed."}},
    {"host-crash",
     {"test_tma_load PASSED\nFatal Python error: Segmentation fault",
      "cp.async.bulk.tensor\n\n\nSegmentation fault (core dumped)",
      "Thread 1 \"tma_gemm\" received signal SIGSEGV, Segmentation fault.\ntma_gemm"}},
    {"problem-alignment",
     {"  CAN IMPLEMENT: Problem Size doesn't meet the minimum alignment requirements for TMA.",
      "Got cutlass error: CUTLASS Error Misaligned Operand at: 412", "kErrorInvalidProblem"}},
    {"host-check",
     {"RuntimeError: Failed: Assertion error csrc/jit_kernels/impls/smxx_layout.hpp:89 'dim == 2'",
      "RuntimeError: Assertion error (csrc/apis/gemm.hpp:176): m == m_ and n == n_",
      "[TensorRT-LLM][ERROR] Assertion failed: hidden size must be divisible by 64"}},
    {"compile-tool",
     {"RuntimeError: Assertion error (csrc/jit/../kernel_runtime.hpp:45): exit_code == 0",
      "No PTX compilation provider is available. Neither ptxas/nvlink nor nvjtlink is available.",
      "ptxas_path: Couldn't find a suitable version of ptxas."}},
    {"nvshmem-setup",
     {"nvshmem/src/host/init/init.cu:327: non-zero status: 7 bootstrap_init failed",
      "aborting due to error in nvshmemi_init_thread", "nvshmem setup connections failed"}},
    {"name-missing",
     {"AttributeError: module 'triton.language' has no attribute 'make_tensor_descriptor'",
      "ModuleNotFoundError: No module named 'triton.tools.tensor_descriptor'",
      "ImportError: cannot import name 'TensorDescriptor' from 'triton.tools'"}},
    {"compile-error",
     {"triton.compiler.errors.CompilationError: at 4:11:", "RuntimeError: PassManager::run failed",
      "cutlass._mlir._mlir_libs.MLIRError: Unable to parse attribute:"}},
    {"compiler-check",
     {"tvm.error.InternalError: Check failed: (replaced.defined()) is false: no loop to replace",
      "false INTERNAL ASSERT FAILED at \"/opt/x/nvfuser/csrc/executor_utils.cpp\":829",
      "ProducerConsumerWS: failed to replace pipeline loop"}},
    {"map-type-newer",
     {"a.hpp(223): error: identifier \"CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B\" is undefined",
      "error: use of undeclared identifier 'CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B'",
      "error: 'CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B' was not declared in this scope"}},
    {"os-call",
     {"CUDA error: OS call failed or operation not supported on this OS",
      "cudaErrorOperatingSystem",
      "CUDA_ERROR_OPERATING_SYSTEM: OS call failed or operation not supported on this OS"}},
    {"unknown-failure",
     {"triton: tma_store of block 3: Error: nobody knows", "tensormap.replace on sm_90a: Aborted",
      "H100, cp.async.bulk.tensor: the test FAILED"}},
    {"link-syscall",
     {"nvlink error   : Undefined reference to "
      "'__cuda_syscall_cp_async_bulk_tensor_2d_tile_unicast'",
      "__cuda_syscall_cp_async_bulk_tensor_4d_tile_multicast",
      "ld: undefined: __cuda_syscall_cp_async_bulk_tensor"}},
};

static void each_row_in_three_spellings(void **state) {
    (void)state;
    size_t wrong = 0;
    tma_crash_row row;
    for (size_t i = 0; !tma_crash_at(&row, i); i++) {
        size_t k = 0;
        while (k < COUNT_OF(spellings) && strcmp(spellings[k].row, row.name) != 0) {
            k++;
        }
        if (k == COUNT_OF(spellings)) {
            print_error("%s: no spelling\n", row.name);
            wrong++;
        }
    }
    for (size_t i = 0; i < COUNT_OF(spellings); i++) {
        const size_t wanted = row_named(spellings[i].row);
        for (size_t k = 0; k < 3; k++) {
            struct rows_found all = {{0}, {0}};
            const char *line = spellings[i].lines[k];
            tma_crash_read(line, strlen(line), note, &all);
            if (all.times[wanted] != 1) {
                print_error("%s: not found in: %s\n", spellings[i].row, line);
                wrong++;
            }
        }
    }
    assert_int_equal(wrong, 0);
}

static size_t found_in(const char *text) {
    struct rows_found all = {{0}, {0}};
    const size_t count = tma_crash_read(text, strlen(text), note, &all);
    if (count) {
        print_error("taken for a crash: %s\n", text);
    }
    return count;
}

/* Each number that is an error somewhere, in lines that are about something else. */
static void numbers_of_something_else(void **state) {
    static const char *const lines[] = {
        "step %d of 9000: loss 0.%d, %d tokens",
        "src/cuda/kernel.cu:%d:9: warning: unused variable",
        "[%d/1200] Building CUDA object kernels/a.cu.o",
        "CUDA kernel %d took %d ms",
        "GET /issues/%d HTTP/1.1 \"%d\"",
        "wrote %d bytes, error rate %d.5",
        "error %d: connection refused",
        "process exited with code %d",
        "make: *** [cuda/Makefile:12: all] Error %d",
        "CUDA 13.0 at 10.0.0.%d port %d",
        "version %d.%d.0 of cuda-python",
        "transaction xid %d is still in progress",
        "exception %d in thread main",
        "DHCPREQUEST xid=%d",
        "RPC: xid (10.0.0.1:2049): %d, retrying",
        "line %d: error: CUDA is not found",
        "a note: see issue %d of the CUDA samples, comment %d",
    };
    size_t wrong = 0;
    (void)state;
    for (int number = 1; number < 1000; number++) {
        for (size_t i = 0; i < COUNT_OF(lines); i++) {
            char line[256];
            sprintf(line, lines[i], number, number, number);
            wrong += found_in(line) > 0;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Each exception as the debugger API names it; no other enumerator. */
static void enumerators_of_the_debugger(void **state) {
    static const struct {
        const char *line;
        const char *row;
    } lines[] = {
        {"CUDBG_EXCEPTION_WARP_ILLEGAL_ADDRESS in cutlass_moe_mm", "illegal-address"},
        {"exception: CUDBG_EXCEPTION_WARP_OUT_OF_RANGE_ADDRESS", "out-of-range-address"},
        {"CUDBG_EXCEPTION_LANE_MISALIGNED_ADDRESS (11)", "misaligned-address"},
        {"got CUDBG_EXCEPTION_WARP_ASSERT", "device-assert"},
        {"CUDBG_EXCEPTION_WARP_ILLEGAL_INSTR_PARAM (27)", "illegal-parameter"},
        {"CUDBG_EXCEPTION_WARP_ILLEGAL_INSTR_ENCODING", "illegal-encoding"},
        {"CUDBG_EXCEPTION_WARP_MISALIGNED_REG", "illegal-encoding"},
        {"died with CUDBG_EXCEPTION_CLUSTER_BLOCK_NOT_PRESENT", "cluster"},
        {"CUDBG_EXCEPTION_CLUSTER_POISON", "cluster"},
        {"CUDBG_EXCEPTION_WARP_TMEM_ACCESS_CHECK", "tensor-memory"},
        {"CUDBG_EXCEPTION_WARP_TMEM_LEAK", "tensor-memory"},
        {"CUDBG_EXCEPTION_WARP_INVALID_CONST_ADDR_LDC", "kernel-exception"},
        {"CUDBG_EXCEPTION_LANE_NONMIGRATABLE_ATOMSYS", "kernel-exception"},
        {"CUDBG_EXCEPTION_LANE_INVALID_ATOMSYS", "kernel-exception"},
        {"CUDBG_EXCEPTION_WARP_ARRIVE", "barrier-arrival"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct rows_found all = {{0}, {0}};
        assert_int_equal(tma_crash_read(lines[i].line, strlen(lines[i].line), note, &all), 1);
        assert_int_equal(all.times[row_named(lines[i].row)], 1);
    }
    assert_int_equal(tma_crash_read("CUDBG_EXCEPTION_WARP", 20, NULL, NULL), 0);
    assert_int_equal(tma_crash_read("CUDBG_EXCEPTION_", 16, NULL, NULL), 0);
    assert_int_equal(tma_crash_read("CUDBG_EXCEPTION_WARP_ASSERTED", 29, NULL, NULL), 0);
}

/* Words that say little alone count where the text is about tensor copies, wherever it says so. */
static void words_that_need_a_subject(void **state) {
    static const char *const alone[] = {
        "the job is stuck\n", "AssertionError: Tensor-likes are not close!\n",
        "Mismatched elements: 3 / 8\n", "Fatal Python error: Segmentation fault\n"};
    char text[256];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(alone); i++) {
        assert_int_equal(tma_crash_read(alone[i], strlen(alone[i]), NULL, NULL), 0);
        snprintf(text, sizeof(text), "%sa line\na line\nFAILED test_tma_store\n", alone[i]);
        assert_int_equal(tma_crash_read(text, strlen(text), NULL, NULL), 1);
    }
}

/* A failure that nobody knows is told where copies were spoken of before it, and not far from it.
 */
static void a_failure_far_from_copies(void **state) {
    char text[4096] = "H100: tma_load of stage 3\n";
    (void)state;
    for (int lines = 1; lines <= 40; lines++) {
        strcat(text, "a line\n");
        const size_t length = strlen(text);
        strcat(text, "FAILED somewhere\n");
        assert_int_equal(tma_crash_read(text, strlen(text), NULL, NULL), lines < 30);
        text[length] = 0;
    }
    assert_int_equal(tma_crash_read("FAILED\nH100: tma_load\n", 23, NULL, NULL), 0);
}

/* The longest words count, a row once a line, and what a line needs may stand in the one before. */
static void lines_of_a_log(void **state) {
    static const char text[] = "CUDA error, at the end:\n"
                               "  misaligned address\n"
                               "a blank line\n"
                               "far from it: misaligned address\n"
                               "CUDA_ERROR_ILLEGAL_INSTRUCTION, an illegal instruction was "
                               "encountered (715) CUDA error 715\n"
                               "CUDA Exception: Warp Illegal Instruction Parameter\n";
    struct rows_found all = {{0}, {0}};
    (void)state;
    assert_int_equal(tma_crash_read(text, sizeof(text) - 1, note, &all), 3);
    assert_int_equal(all.times[row_named("misaligned-address")], 1);
    assert_int_equal(all.line[row_named("misaligned-address")], 2);
    assert_int_equal(all.times[row_named("illegal-instruction")], 1);
    assert_int_equal(all.line[row_named("illegal-parameter")], 6);
    assert_int_equal(tma_crash_read(NULL, 0, note, &all), 0);
    assert_int_equal(tma_crash_read(text, sizeof(text) - 1, NULL, NULL), 3);
}

static void what_somebody_asks_for(void **state) {
    static const struct {
        const char *words;
        const char *row;
        size_t count;
    } asked[] = {
        {"715", "illegal-instruction", 1},
        {"13", "xid-13", 2},
        {"27", "illegal-parameter", 1},
        {"misaligned address", "misaligned-address", 1},
        {"Misaligned  Address", "misaligned-address", 1},
        {"CUDA_EXCEPTION_27", "illegal-parameter", 1},
        {"cudaErrorIllegalAddress", "illegal-address", 1},
        {"CUDA_ERROR_LAUNCH_FAILED", "launch-failed", 1},
        {"xid 31", "xid-31", 1},
        {"hang", "hang", 1},
        {"illegal-address", "illegal-address", 1},
        {"HIP error: misaligned address", "misaligned-address", 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(asked); i++) {
        struct rows_found all = {{0}, {0}};
        const size_t count = tma_crash_about(asked[i].words, strlen(asked[i].words), note, &all);
        if (count != asked[i].count || !all.times[row_named(asked[i].row)]) {
            fail_msg("%s: %zu rows", asked[i].words, count);
        }
    }
    assert_int_equal(tma_crash_about("", 0, NULL, NULL), 0);
    assert_int_equal(tma_crash_about("12345", 5, NULL, NULL), 0);
    assert_int_equal(tma_crash_about("nonsense", 8, NULL, NULL), 0);
}

/* No row says that a copy is the cause, each says what to do, and a code's number is the driver's.
 */
static void rows_are_whole(void **state) {
    tma_crash_row row;
    (void)state;
    for (size_t i = 0; !tma_crash_at(&row, i); i++) {
        if (!*row.meaning || !*row.next || !*row.source ||
            (row.copy == TMA_CRASH_COPY_CAN && (!*row.as_copy || !*row.others)) ||
            (row.code >= 0 && !tma_code_of(row.code))) {
            fail_msg("%s: something is missing", row.name);
        }
        for (size_t k = 0; k < i; k++) {
            tma_crash_row other;
            assert_int_equal(tma_crash_at(&other, k), 0);
            assert_string_not_equal(other.name, row.name);
        }
    }
    assert_int_equal(tma_crash_at(&row, 100000), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_in_three_spellings), cmocka_unit_test(numbers_of_something_else),
        cmocka_unit_test(a_failure_far_from_copies),   cmocka_unit_test(lines_of_a_log),
        cmocka_unit_test(enumerators_of_the_debugger), cmocka_unit_test(words_that_need_a_subject),
        cmocka_unit_test(what_somebody_asks_for),      cmocka_unit_test(rows_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
