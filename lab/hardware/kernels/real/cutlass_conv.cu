// SPDX-License-Identifier: Apache-2.0
//
// cutlass_conv [TURNS]: a convolution of CUTLASS's collective builders for sm_90, whose activations
// are loaded by im2col. Prints a hash of the result, and the milliseconds of one launch. real.sh
// builds it, as nvcc has it and through tma run-checked.
#include "cutlass_run.h"

#include <cutlass/conv/collective/collective_builder.hpp>
#include <cutlass/conv/convnd_problem_shape.hpp>
#include <cutlass/conv/device/conv_universal_adapter.hpp>
#include <cutlass/conv/kernel/conv_universal.hpp>
#include <cutlass/epilogue/collective/collective_builder.hpp>

using namespace cute;

int main(int argc, char **argv) {
    using ConvTile = Shape<_128, _128, Shape<_64>>;
    using One = Shape<_1, _1, _1>;
    using Layout = cutlass::layout::TensorNHWC;
    using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, ConvTile, One,
        cutlass::epilogue::collective::EpilogueTileAuto, float, float, fp16, Layout, ALIGNMENT,
        fp16, Layout, ALIGNMENT, cutlass::epilogue::TmaWarpSpecialized>::CollectiveOp;
    using Mainloop = typename cutlass::conv::collective::CollectiveBuilder<
        cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, cutlass::conv::Operator::kFprop, fp16,
        Layout, ALIGNMENT, fp16, Layout, ALIGNMENT, float, ConvTile, One,
        cutlass::conv::collective::StageCountAutoCarveout<static_cast<int>(
            sizeof(typename Epilogue::SharedStorage))>,
        cutlass::conv::KernelImplicitTmaWarpSpecializedSm90>::CollectiveOp;
    using Problem = cutlass::conv::ConvProblemShape<Mainloop::DispatchPolicy::ConvOp,
                                                    Mainloop::DispatchPolicy::NumSpatialDimensions>;
    using Kernel = cutlass::conv::kernel::ConvUniversal<Problem, Mainloop, Epilogue>;
    using Conv = cutlass::conv::device::ConvUniversalAdapter<Kernel>;

    constexpr int N = 16, H = 56, W = 56, C = 128, K = 256, R = 3;
    const Problem problem(cutlass::conv::Mode::kCrossCorrelation, {N, H, W, C}, {K, R, R, C},
                          {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1);
    const size_t count = size_t(N) * H * W * K;
    const fp16 *act = filled(size_t(N) * H * W * C, 1);
    const fp16 *flt = filled(size_t(K) * R * R * C, 2);
    const fp16 *c = filled(count, 3);
    fp16 *d = filled(count, 4);
    typename Kernel::StrideC stride{};
    for_each(make_seq<rank<0>(typename Kernel::StrideC{})>{},
             [&](auto i) { get<0, i>(stride) = problem.stride_C[Problem::RankT - 2 - i]; });
    return run<Conv>({problem, {act, flt}, {{0.25f, 1.0f}, c, stride, d, stride}}, d, count,
                     argc > 1 ? atoi(argv[1]) : 50);
}
