// SPDX-License-Identifier: Apache-2.0
//
// cutlass_gemm [TURNS]: a GEMM of CUTLASS's collective builders for sm_90, as its example 48 has
// it: multicast in clusters of 2, an epilogue by TMA. Prints a hash of the result, and the
// milliseconds of one launch. real.sh builds it, as nvcc has it and through tma run-checked.
#include "cutlass_run.h"

#include <cutlass/epilogue/collective/collective_builder.hpp>
#include <cutlass/gemm/collective/collective_builder.hpp>
#include <cutlass/gemm/device/gemm_universal_adapter.h>
#include <cutlass/gemm/kernel/gemm_universal.hpp>
#include <cutlass/util/packed_stride.hpp>

using namespace cute;

using GemmTile = Shape<_128, _128, _64>;
using GemmCluster = Shape<_2, _1, _1>;

int main(int argc, char **argv) {
    using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, GemmTile, GemmCluster,
        cutlass::epilogue::collective::EpilogueTileAuto, float, float, fp16,
        cutlass::layout::RowMajor, ALIGNMENT, fp16, cutlass::layout::RowMajor, ALIGNMENT,
        cutlass::epilogue::TmaWarpSpecializedCooperative>::CollectiveOp;
    using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, fp16, cutlass::layout::RowMajor,
        ALIGNMENT, fp16, cutlass::layout::ColumnMajor, ALIGNMENT, float, GemmTile, GemmCluster,
        cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
            sizeof(typename Epilogue::SharedStorage))>,
        cutlass::gemm::KernelTmaWarpSpecializedCooperative>::CollectiveOp;
    using Kernel =
        cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop, Epilogue>;
    using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

    constexpr int M = 4096, N = 4096, K = 4096;
    const fp16 *a = filled(size_t(M) * K, 1);
    const fp16 *b = filled(size_t(K) * N, 2);
    const fp16 *c = filled(size_t(M) * N, 3);
    fp16 *d = filled(size_t(M) * N, 4);
    const auto stride_a = cutlass::make_cute_packed_stride(typename Kernel::StrideA{}, {M, K, 1});
    const auto stride_b = cutlass::make_cute_packed_stride(typename Kernel::StrideB{}, {N, K, 1});
    const auto stride_c = cutlass::make_cute_packed_stride(typename Kernel::StrideC{}, {M, N, 1});
    return run<Gemm>({cutlass::gemm::GemmUniversalMode::kGemm,
                      {M, N, K, 1},
                      {a, stride_a, b, stride_b},
                      {{0.25f, 1.0f}, c, stride_c, d, stride_c}},
                     d, size_t(M) * N, argc > 1 ? atoi(argv[1]) : 50);
}
