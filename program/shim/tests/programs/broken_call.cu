/* SPDX-License-Identifier: Apache-2.0
 *
 * A small CUDA program with a mistake in it: the box's rows are 256 bytes, the swizzle's span is
 * 128. To be run on a machine with a GPU, with libtma-cuda.so in LD_PRELOAD (../README.md).
 *   broken_call        asks CUDA's runtime for the encoder, as CUTLASS does
 *   broken_call fault  then runs a kernel that writes where no memory is, and encodes once more
 */
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

typedef CUresult encode_tiled(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *,
                              const cuuint64_t *, const cuuint64_t *, const cuuint32_t *,
                              const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle,
                              CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static CUresult encode_matrix(encode_tiled *encode, void *matrix, cuuint32_t box_width) {
    CUtensorMap map;
    const cuuint64_t dim[2] = {4096, 8192};
    const cuuint64_t stride[1] = {8192};
    const cuuint32_t box[2] = {box_width, 128};
    const cuuint32_t step[2] = {1, 1};
    return encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, matrix, dim, stride, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

__global__ void write_nowhere(int *nowhere) {
    *nowhere = 1;
}

int main(int argc, char **argv) {
    void *matrix = nullptr;
    void *found = nullptr;
    cudaDriverEntryPointQueryResult status;
    if (cudaMalloc(&matrix, size_t{8192} * 8192) != cudaSuccess ||
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                         &status) != cudaSuccess ||
        !found) {
        printf("no GPU, or no driver with tensor maps\n");
        return 1;
    }
    encode_tiled *encode = reinterpret_cast<encode_tiled *>(found);
    printf("box of 128 elements, looked up:      %d\n", encode_matrix(encode, matrix, 128));
    printf("box of 128 elements, called by name: %d\n",
           encode_matrix(cuTensorMapEncodeTiled, matrix, 128));
    printf("box of 64 elements:                  %d\n", encode_matrix(encode, matrix, 64));
    if (argc > 1 && !strcmp(argv[1], "fault")) {
        write_nowhere<<<1, 1>>>(reinterpret_cast<int *>(16));
        printf("after the kernel:                    %d\n", (int)cudaDeviceSynchronize());
        printf("box of 64 elements:                  %d\n", encode_matrix(encode, matrix, 64));
        printf("box of 128 elements:                 %d\n", encode_matrix(encode, matrix, 128));
    }
    return 0;
}
