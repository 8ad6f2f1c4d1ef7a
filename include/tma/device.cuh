/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor copies that say what is wrong with them, for one's own CUDA C++: as cp.async.bulk.tensor,
 * but first judged as the library judges them (judge.h). A copy that would kill the kernel prints
 * rule, operand, map and place, and traps (cudaErrorLaunchFailure).
 *
 *   __global__ void k(const __grid_constant__ CUtensorMap map, ...) {
 *       tma::checked::tensor a(&map);          // one for each map, in the thread that copies
 *       a.load(smem, &barrier, x, y);          // coordinates innermost first
 *       a.store(smem, x, y);
 *   }
 *
 * Compile with -DTMA_CHECKED=0 and the same calls are the copies alone. Header only; sm_90 and later,
 * C++17, nvcc.
 *
 * Cost: the first copy of a thread reads the map and judges it in a function that is called; later
 * copies of the same tensor compare coordinate and shared address with what that one left, a
 * handful of instructions and a branch that is not taken. judge_only(), and a tensor made with
 * changes = true, judge in full each time. nvcc 13.0 takes 68 registers and 168 bytes of stack for a
 * kernel with a load, a multicast, a store and a sum (tests/checks/device_kernel.cu, -Xptxas -v),
 * and says C7510 of kernels with wgmma: printf is a call. `tma ptxas` does the same without a change
 * of source, and prints the whole finding.
 *
 * The map: a __grid_constant__ parameter, __constant__ or global memory, 64-byte aligned; it is read
 * by 32-bit loads. Pass changes = true for one that is edited while the kernel runs.
 */
#ifndef TMA_DEVICE_CUH
#define TMA_DEVICE_CUH

#ifndef __CUDACC__
#error "tma/device.cuh is CUDA C++: compile it with nvcc"
#endif

#include <cstdint>
#include <cstdio>

#include "judge.h"

#ifndef TMA_CHECKED
#define TMA_CHECKED 1
#endif

namespace tma {
namespace checked {

/* What the target that this is compiled for has: spec_archs.def. */
__device__ constexpr uint64_t features_of(unsigned sm, char suffix) {
#define SHARED
#define SHARED_120
#define TMA_ARCH(number, letter, name, features, shared, evidence)                                 \
    if (sm == (number) && suffix == (letter)) {                                                    \
        return (features);                                                                         \
    }
#include "spec_archs.def"
    return 0;
}

__device__ inline uint64_t features() {
#if defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL)
    return features_of(__CUDA_ARCH__ / 10, 'a');
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
    return features_of(__CUDA_ARCH__ / 10, 'f');
#elif defined(__CUDA_ARCH__)
    return features_of(__CUDA_ARCH__ / 10, 0);
#else
    return 0;
#endif
}

__device__ inline const char *rule_name(uint32_t rule) {
    switch (rule) {
#define TMA_RULE(number, id, name, ...)                                                            \
    case number:                                                                                   \
        return name;
#include "rules.def"
#include "traps.def"
#undef TMA_RULE
    default:
        return "?";
    }
}

/* A rule's sentence, of those that stop a kernel. */
__device__ inline const char *rule_sentence(uint32_t rule) {
    switch (rule) {
#define TMA_DEVICE_KILLS(number, statement)                                                        \
    case number:                                                                                   \
        return statement;
#define TMA_DEVICE_MISALIGNS TMA_DEVICE_KILLS
#define TMA_DEVICE_LAUNCH    TMA_DEVICE_KILLS
#define TMA_DEVICE_LEAVES    TMA_DEVICE_KILLS
#define TMA_DEVICE_CUTS      TMA_DEVICE_KILLS
#define TMA_DEVICE_PTXAS(number, statement)
#define TMA_DEVICE_INVALID TMA_DEVICE_PTXAS
#define TMA_DEVICE_UNKNOWN TMA_DEVICE_PTXAS
#define TMA_DEVICE_NOTHING TMA_DEVICE_PTXAS
#define TMA_RULE(number, id, name, severity, hardware, standing, targets, argument, statement,     \
                 source, evidence)                                                                 \
    TMA_DEVICE_##hardware(number, statement)
#include "rules.def"
#include "traps.def"
#undef TMA_RULE
    default:
        return "";
    }
}

__device__ __noinline__ void report(const tma_judge_fault *fault, const void *map,
                                    const tma_judge_at *at) {
    const int32_t *c = at->coord;
    printf("libtma: %s: %lld, limit %lld: %s\n  map %p, coordinates {%d, %d, %d, %d, %d}, shared "
           "0x%x; block (%u,%u,%u), thread (%u,%u,%u)\n",
           rule_name(fault->rule), (long long)fault->value, (long long)fault->limit,
           rule_sentence(fault->rule), map, c[0], c[1], c[2], c[3], c[4], at->shared_address,
           blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
    __trap();
}

/* Judges in full; what later copies are compared with (TMA_PASSES). */
__device__ __noinline__ uint32_t judge(const void *map, const tma_judge_site *site,
                                       const tma_judge_at *at) {
    tma_judge_fault fault;
    const uint32_t status = tma_judge_copy(&fault, map, site, at);
    if (status == TMA_TRAP || status == TMA_MEMORY) {
        report(&fault, map, at);
    }
    return fault.pass;
}

/* The same for a map that somebody may write: its bytes as they are now, past this SM's cache. */
__device__ __noinline__ uint32_t judge_changing(const void *map, const tma_judge_site *site,
                                                const tma_judge_at *at) {
    uint32_t words[TMA_MAP_WORDS];
    for (int i = 0; i < TMA_MAP_WORDS; i++) {
        asm volatile("ld.relaxed.gpu.u32 %0, [%1];"
                     : "=r"(words[i])
                     : "l"(static_cast<const uint32_t *>(map) + i)
                     : "memory");
    }
    return judge(words, site, at);
}

__device__ inline uint32_t shared_address(const void *at) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(at));
}

/* One past the CTA's shared memory, in the units that it is given out in. */
__device__ inline uint32_t window_end() {
    uint32_t size = 0;
    asm("mov.u32 %0, %%aggr_smem_size;" : "=r"(size));
    return (size + 127u) & ~127u;
}

__device__ inline uint32_t cluster_ctas() {
    uint32_t ctas = 0;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(ctas));
    return ctas;
}

/* A tensor map, and what is known of it in this thread. */
class tensor {
  public:
    __device__ explicit tensor(const void *map, bool changes = false)
        : map_(map), changes_(changes) {
    }

    /* Tile loads to .shared::cluster; `barrier` counts the bytes. */
    template <typename... Coords>
    __device__ void load(void *shared, uint64_t *barrier, Coords... coords) {
        const tma_judge_at at = {{static_cast<int32_t>(coords)...}, {0, 0}, shared_address(shared)};
        check<sizeof...(Coords)>(at, TMA_OP_LOAD, TMA_MODE_TILE, load_pass_);
        issue<sizeof...(Coords), LOAD>(at, shared_address(barrier));
    }

    /* The same to each CTA of the mask. */
    template <typename... Coords>
    __device__ void load_multicast(void *shared, uint64_t *barrier, uint16_t cta_mask,
                                   Coords... coords) {
        const tma_judge_at at = {
            {static_cast<int32_t>(coords)...}, {0, 0}, shared_address(shared), 0, cta_mask};
        check<sizeof...(Coords)>(at, TMA_OP_LOAD, TMA_MODE_TILE, load_pass_);
        issue<sizeof...(Coords), MULTICAST>(at, shared_address(barrier), cta_mask);
    }

    /* Tile stores; as a bulk group. */
    template <typename... Coords> __device__ void store(const void *shared, Coords... coords) {
        const tma_judge_at at = {{static_cast<int32_t>(coords)...}, {0, 0}, shared_address(shared)};
        check<sizeof...(Coords)>(at, TMA_OP_STORE, TMA_MODE_TILE, store_pass_);
        issue<sizeof...(Coords), STORE>(at);
    }

    /* Sums into the tensor; as a bulk group. */
    template <typename... Coords> __device__ void add(const void *shared, Coords... coords) {
        const tma_judge_at at = {{static_cast<int32_t>(coords)...}, {0, 0}, shared_address(shared)};
        check<sizeof...(Coords)>(at, TMA_OP_ADD, TMA_MODE_TILE, add_pass_);
        issue<sizeof...(Coords), ADD>(at);
    }

    /* For copies of one's own writing (im2col, gather4, other reductions): the judgement alone, in
     * full. `rank` is the N of .Nd; at.window_end, .cta_mask and .ctas are filled in. */
    __device__ void judge_only(tma_judge_at at, uint32_t op, uint32_t mode, uint32_t rank,
                               bool cluster) {
#if TMA_CHECKED
        const tma_judge_site site = {features(), op, mode, rank, cluster, 0, at.cta_mask != 0};
        at.window_end = window_end();
        at.ctas = cluster_ctas();
        full(&site, &at);
#endif
    }

  private:
    const void *map_;
    bool changes_;
    uint32_t load_pass_ = 0;
    uint32_t store_pass_ = 0;
    uint32_t add_pass_ = 0;

    template <size_t rank>
    __device__ void check(const tma_judge_at &at, uint32_t op, uint32_t mode, uint32_t &pass) {
        static_assert(rank >= 1 && rank <= TMA_MAX_RANK, "1 to 5 coordinates");
#if TMA_CHECKED
        int32_t least = 0;
        for (size_t i = 0; i < rank; i++) {
            least |= at.coord[i];
        }
        const bool signs = op == TMA_OP_LOAD || op == TMA_OP_PREFETCH || least >= 0;
        const bool mask = !at.cta_mask || !tma_mask_beyond(at.cta_mask, cluster_ctas());
        if (!TMA_PASSES(pass, at.coord[0], at.shared_address) || !signs || !mask) {
            const tma_judge_site site = {features(),        op, mode, static_cast<uint32_t>(rank),
                                         op == TMA_OP_LOAD, 0,  at.cta_mask != 0};
            tma_judge_at all = at;
            all.window_end = window_end();
            all.ctas = cluster_ctas();
            const uint32_t next = full(&site, &all);
            pass = changes_ ? 0 : next;
        }
#endif
    }

    __device__ uint32_t full(const tma_judge_site *site, const tma_judge_at *at) {
        return changes_ ? judge_changing(map_, site, at) : judge(map_, site, at);
    }

    /* The instruction itself. %0 is the shared address, %1 the map, %2 and on the coordinates. */
#define TMA_DEVICE_RANK(rank, braces, barrier_at, mask_at, ...)                                    \
    if constexpr (size == rank && form == LOAD) {                                                  \
        asm volatile("cp.async.bulk.tensor." #rank                                                 \
                     "d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, " braces    \
                     "], [%" barrier_at "];" ::"r"(at.shared_address),                             \
                     "l"(map_), __VA_ARGS__, "r"(barrier)                                          \
                     : "memory");                                                                  \
    } else if constexpr (size == rank && form == MULTICAST) {                                      \
        asm volatile("cp.async.bulk.tensor." #rank                                                 \
                     "d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "   \
                     "[%0], [%1, " braces "], [%" barrier_at "], %" mask_at                        \
                     ";" ::"r"(at.shared_address),                                                 \
                     "l"(map_), __VA_ARGS__, "r"(barrier), "h"(cta_mask)                           \
                     : "memory");                                                                  \
    } else if constexpr (size == rank && form == STORE) {                                          \
        asm volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.bulk_group [%1, " braces  \
                     "], [%0];" ::"r"(at.shared_address),                                          \
                     "l"(map_), __VA_ARGS__                                                        \
                     : "memory");                                                                  \
    } else if constexpr (size == rank && form == ADD) {                                            \
        asm volatile("cp.reduce.async.bulk.tensor." #rank                                          \
                     "d.global.shared::cta.add.bulk_group [%1, " braces                            \
                     "], [%0];" ::"r"(at.shared_address),                                          \
                     "l"(map_), __VA_ARGS__                                                        \
                     : "memory");                                                                  \
    }
#define TMA_DEVICE_C(i) "r"(at.coord[i])
    enum form_kind { LOAD, MULTICAST, STORE, ADD };

    template <size_t size, form_kind form>
    __device__ void issue(const tma_judge_at &at, uint32_t barrier = 0, uint16_t cta_mask = 0) {
        TMA_DEVICE_RANK(1, "{%2}", "3", "4", TMA_DEVICE_C(0))
        TMA_DEVICE_RANK(2, "{%2, %3}", "4", "5", TMA_DEVICE_C(0), TMA_DEVICE_C(1))
        TMA_DEVICE_RANK(3, "{%2, %3, %4}", "5", "6", TMA_DEVICE_C(0), TMA_DEVICE_C(1),
                        TMA_DEVICE_C(2))
        TMA_DEVICE_RANK(4, "{%2, %3, %4, %5}", "6", "7", TMA_DEVICE_C(0), TMA_DEVICE_C(1),
                        TMA_DEVICE_C(2), TMA_DEVICE_C(3))
        TMA_DEVICE_RANK(5, "{%2, %3, %4, %5, %6}", "7", "8", TMA_DEVICE_C(0), TMA_DEVICE_C(1),
                        TMA_DEVICE_C(2), TMA_DEVICE_C(3), TMA_DEVICE_C(4))
    }
#undef TMA_DEVICE_RANK
#undef TMA_DEVICE_C
};

} // namespace checked
} // namespace tma

#endif
