#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# changed_kernels.sh FROM OUT [NAME...]: CUTLASS's and ThunderKittens's own kernels, each with one statement
# changed so that it hangs in a stage and a phase other than the first. FROM has their checkouts as
# cutlass and tk (git clone https://github.com/NVIDIA/cutlass, .../HazyResearch/ThunderKittens).
# OUT/NAME is built as it is; where TMA=build/tma is set, OUT/NAME.hang with checks and bounded waits
# (HANG=2 seconds) besides. NAME_right is the kernel unchanged; NAME_right.checked has no bounds.
set -e
here=$(dirname "$(realpath "$0")")
from=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
shift 2
only=$*
export PATH=/usr/local/cuda/bin:$PATH

ring=cutlass/include/cutlass/pipeline/sm90_pipeline.hpp
loop=cutlass/include/cutlass/gemm/collective/sm90_mma_tma_gmma_ss_warpspecialized.hpp
lcf=tk/kernels/gemm/bf16_h100/bf16_h100_gemm
two=tk/kernels/gemm/educational_h100/level_08

# NAME FILE STATEMENT (of sed)
rows() {
    cat <<END
tk_missing_copy|$lcf|/void load(/,/struct consumer/ s/i < N_BLOCK/i < N_BLOCK - (args.iter == 6)/
tk_expects_more|$lcf|s/tma::expect(args.inputs_arrived, args.input);/tma::expect_bytes(args.inputs_arrived, sizeof(args.input) + (args.iter == 5 ? 1024 : 0));/
tk_release_forgotten|$lcf|s/if (warp::laneid() == 0) arrive(args.inputs_finished);/if (warp::laneid() == 0 \&\& (args.iter != 7 || warpgroup::groupid() == 0)) arrive(args.inputs_finished);/
tk_wrong_barrier|$lcf|/void load(/,/args.iter, args.common/ s/{args.common.coord.x+i, args.iter}, args.inputs_arrived/{args.common.coord.x+i, args.iter}, (\&args.inputs_arrived)[args.iter == 9]/
tk_wrong_parity|$two|s/wait(bar, tic);/wait(bar, tile == 3 ? toc : tic);/
tk_two_missing_copy|$two|s/^\( *\)\(tma::load_async(Bs\[toc\]\)/\1if (tile != 4) \2/
tk_right|$lcf|
cutlass_missing_copy|$loop|/for ( ; k_tile_count > 0/,/++smem_pipe_write/ s/^\( *\)\(copy(mainloop_params.tma_load_b\)/\1if (write_stage != 2 || smem_pipe_write.phase() != 0) \2/
cutlass_expects_more|$ring|s/full_barrier_ptr_\[stage\].arrive_and_expect_tx(params_.transaction_bytes);/full_barrier_ptr_[stage].arrive_and_expect_tx(params_.transaction_bytes + (stage == 1 \&\& phase == 0 ? 128 : 0));/
cutlass_release_forgotten|$ring|s/^    consumer_release(state.index());/    if (state.index() != 3 || state.phase() != 1) consumer_release(state.index());/
cutlass_wrong_barrier|$loop|/for ( ; k_tile_count > 0/,/++smem_pipe_write/ s/tma_load_a.with(\*tma_barrier,/tma_load_a.with(tma_barrier[write_stage == 1 \&\& smem_pipe_write.phase() == 0],/
cutlass_right|$loop|
END
}

flags="-std=c++20 -O3 -DNDEBUG -lineinfo -diag-suppress 550,177 --expt-relaxed-constexpr --expt-extended-lambda
 -gencode arch=compute_90a,code=sm_90a"

# Once more from ptxas on.
again() { # name suffix options of tma ptxas
    first=$(grep -n '^"*[^ ]*ptxas' steps | head -1 | cut -d: -f1)
    { grep "^_\|^[A-Z_]*='" steps; tail -n +"$first" steps; } |
        sed "s#^\"*[^ ]*ptxas\"* #$TMA ptxas --real=/usr/local/cuda/bin/ptxas --on-fault=record --notes=$out/$1.$2.notes $3 #
             s#-o \"*$out/$1\"* #-o $out/$1.$2 #" >"steps.$2"
    rm -f "$out/$1.$2.notes"
    nice -n 10 bash -e "steps.$2" >"log.$2" 2>&1
}

# nvcc's steps, so that ptxas can run again on what was compiled once.
build() { # name source flags...
    name=$1 source=$2
    shift 2
    work=$out/$name.steps
    rm -rf "$work"
    mkdir -p "$work"
    (
        cd "$work"
        nvcc --dryrun --keep --keep-dir . $flags "$@" -o "$out/$name" "$source" -lcuda 2>raw
        sed -n 's/^#\$ //p' raw | grep -v '^rm ' | sed "s/^\([A-Z_]*\)= *\(.*\)$/\1='\2'/" >steps
        nice -n 10 bash -e steps >log 2>&1 || exit 1
        if [ -n "$TMA" ]; then
            again "$name" hang "--hang=${HANG:-2}" || exit 1
        fi
        case $name in
        *_right) [ -z "$TMA" ] || again "$name" checked "" || exit 1 ;;
        esac
    ) && echo "$name built" && rm -rf "$work"
}

rows | while IFS='|' read -r name file statement; do
    case " $only " in *" $name "* | "  ") ;; *) continue ;; esac
    case $file in
    cutlass/*)
        rm -rf "$out/$name.include"
        cp -rs "$from/cutlass/include" "$out/$name.include" # files include their neighbours
        changed=$out/$name.include/${file#cutlass/include/}
        rm "$changed"
        sed "$statement" "$from/$file" >"$changed"
        source=$here/../kernels/real/cutlass_gemm.cu
        set -- -I"$out/$name.include" -I"$from/cutlass/tools/util/include"
        ;;
    *)
        file=$file.cu
        changed=$(dirname "$from/$file")/$name.cu
        sed "$statement" "$from/$file" >"$changed"
        source=$changed
        set -- -I"$from/tk/include" -I"$from/tk/prototype" -DKITTENS_HOPPER --use_fast_math
        ;;
    esac
    if [ -n "$statement" ] && cmp -s "$changed" "$from/$file"; then
        echo "$name: nothing was changed in $file" >&2
        continue
    fi
    build "$name" "$source" "$@" || echo "$name: not built, see $out/$name.steps" >&2
    set --
done
