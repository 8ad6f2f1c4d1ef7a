/* SPDX-License-Identifier: Apache-2.0
 *
 * What an mbarrier does at its limits, one kernel a probe; README.md says how it was used.
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define A asm volatile
__device__ uint32_t sa(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ void init(uint32_t b, uint32_t n) {
    A("mbarrier.init.shared::cta.b64 [%0],%1;" ::"r"(b), "r"(n) : "memory");
}
__device__ void inval(uint32_t b) {
    A("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(b) : "memory");
}
__device__ uint64_t arr(uint32_t b, uint32_t n) {
    uint64_t s = 0;
    A("mbarrier.arrive.shared::cta.b64 %0,[%1],%2;" : "=l"(s) : "r"(b), "r"(n) : "memory");
    return s;
}
__device__ uint64_t arrnc(uint32_t b, uint32_t n) {
    uint64_t s = 0;
    A("mbarrier.arrive.noComplete.shared::cta.b64 %0,[%1],%2;"
      : "=l"(s)
      : "r"(b), "r"(n)
      : "memory");
    return s;
}
__device__ uint64_t drop(uint32_t b, uint32_t n) {
    uint64_t s = 0;
    A("mbarrier.arrive_drop.shared::cta.b64 %0,[%1],%2;" : "=l"(s) : "r"(b), "r"(n) : "memory");
    return s;
}
__device__ uint64_t dropnc(uint32_t b, uint32_t n) {
    uint64_t s = 0;
    A("mbarrier.arrive_drop.noComplete.shared::cta.b64 %0,[%1],%2;"
      : "=l"(s)
      : "r"(b), "r"(n)
      : "memory");
    return s;
}
__device__ uint64_t arrtx(uint32_t b, uint32_t n) {
    uint64_t s = 0;
    A("mbarrier.arrive.expect_tx.shared::cta.b64 %0,[%1],%2;"
      : "=l"(s)
      : "r"(b), "r"(n)
      : "memory");
    return s;
}
__device__ uint64_t droptx(uint32_t b, uint32_t n) {
    uint64_t s = 0;
    A("mbarrier.arrive_drop.expect_tx.shared::cta.b64 %0,[%1],%2;"
      : "=l"(s)
      : "r"(b), "r"(n)
      : "memory");
    return s;
}
__device__ void expect(uint32_t b, uint32_t n) {
    A("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0],%1;" ::"r"(b), "r"(n) : "memory");
}
__device__ void complete(uint32_t b, uint32_t n) {
    A("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0],%1;" ::"r"(b), "r"(n) : "memory");
}
__device__ uint32_t test(uint32_t b, uint32_t par) {
    uint32_t p;
    A("{.reg .pred q; mbarrier.test_wait.parity.shared::cta.b64 q,[%1],%2; selp.u32 %0,1,0,q;}"
      : "=r"(p)
      : "r"(b), "r"(par)
      : "memory");
    return p;
}
#define LOG(x)                                                                                     \
    o[n++] = (x);                                                                                  \
    __threadfence_system();
__global__ void one(int k, volatile uint64_t *o, int spin, volatile int *go) {
    __shared__ __align__(8) uint64_t bar[64];
    uint32_t b = sa(bar) + 8 * (k & 31);
    int n = 1;
    if (k == 21 || k == 22 || k == 23)
        ((volatile uint64_t *)bar)[k & 31] = k == 21 ? 0 : k == 22 ? 0x1122334455667788ull : 0;
    __syncthreads();
    switch (k) {
    case 0:
        init(b, 3);
        LOG(arr(b, 1));
        LOG(arrtx(b, 0x8000));
        complete(b, 0x3000);
        LOG(test(b, 0));
        LOG(test(b, 1));
        LOG(arr(b, 1));
        LOG(test(b, 0));
        complete(b, 0x5000);
        LOG(test(b, 0));
        LOG(test(b, 1));
        LOG(arr(b, 1));
        break;
    case 1:
        init(b, 1);
        LOG(arr(b, 2));
        LOG(test(b, 0));
        break;
    case 2:
        init(b, 2);
        LOG(drop(b, 2));
        LOG(test(b, 0));
        LOG(test(b, 1));
        LOG(test(b, 0));
        break;
    case 3:
        init(b, 2);
        LOG(drop(b, 2));
        LOG(arr(b, 1));
        break;
    case 4:
        init(b, 2);
        expect(b, 0xFFFFF);
        LOG(arr(b, 1));
        expect(b, 1);
        LOG(test(b, 0));
        break;
    case 5:
        init(b, 4);
        expect(b, 0xFFFFF);
        expect(b, 0xFFFFF);
        LOG(arr(b, 1));
        expect(b, 0xFFFFF);
        LOG(arr(b, 1));
        break;
    case 6:
        init(b, 3);
        complete(b, 0xFFFFF);
        LOG(arr(b, 1));
        complete(b, 1);
        LOG(arr(b, 1));
        complete(b, 0xFFFFF);
        LOG(test(b, 0));
        break;
    case 7:
        init(b, 1);
        LOG(arrnc(b, 1));
        LOG(test(b, 0));
        break;
    case 8:
        init(b, 0);
        LOG(test(b, 0));
        break;
    case 9:
        init(b, 0xFFFFF);
        LOG(arr(b, 0xFFFFE));
        LOG(arr(b, 1));
        LOG(test(b, 0));
        LOG(arr(b, 1));
        break;
    case 10:
        init(b, 0x100000);
        LOG(test(b, 0));
        LOG(arr(b, 1));
        break;
    case 11:
        init(b, 1);
        LOG(arrtx(b, 0x4000));
        LOG(arrtx(b, 0x4000));
        break;
    case 12:
        init(b, 1);
        inval(b);
        LOG(test(b, 0));
        LOG(test(b, 1));
        break;
    case 13:
        init(b, 1);
        inval(b);
        LOG(arr(b, 1));
        LOG(arr(b, 1));
        break;
    case 14:
        init(b, 2);
        LOG(droptx(b, 0x800));
        LOG(test(b, 0));
        complete(b, 0x800);
        LOG(arr(b, 1));
        LOG(test(b, 0));
        LOG(arr(b, 1));
        LOG(test(b, 1));
        break;
    case 15:
        init(b, 4);
        LOG(dropnc(b, 2));
        LOG(arr(b, 2));
        LOG(test(b, 0));
        LOG(arr(b, 1));
        LOG(arr(b, 1));
        LOG(test(b, 1));
        break;
    case 16:
        init(b, 2);
        A("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(b) : "memory");
        LOG(arr(b, 1));
        for (int i = 0; i < 10000; i++)
            __nanosleep(100);
        LOG(test(b, 0));
        LOG(arr(b, 1));
        LOG(test(b, 0));
        break;
    case 17:
        init(b, 1);
        LOG(arr(b, 0));
        LOG(test(b, 0));
        LOG(arr(b, 1));
        break;
    case 18:
        init(b, 1);
        expect(b, 0);
        LOG(arrtx(b, 0));
        LOG(test(b, 0));
        break;
    case 19:
        init(b, 2);
        LOG(arrtx(b, 0x100000));
        LOG(arr(b, 1));
        break;
    case 20:
        init(b, 2);
        complete(b, 0x4000);
        LOG(arr(b, 1));
        LOG(arrtx(b, 0x4000));
        LOG(test(b, 0));
        LOG(arr(b, 1));
        break;
    case 21:
    case 22:
        LOG(test(b, 0));
        LOG(test(b, 1));
        LOG(arr(b, 1));
        LOG(arr(b, 1));
        break;
    case 23:
        LOG(arrtx(b, 0x4000));
        complete(b, 0x4000);
        LOG(test(b, 0));
        LOG(test(b, 1));
        break;
    case 24:
        init(b, 1);
        LOG(arr(b, 1));
        complete(b, 0x1000);
        expect(b, 0x1000);
        LOG(test(b, 0));
        LOG(test(b, 1));
        LOG(arr(b, 1));
        break;
    case 25:
        init(b, 1);
        complete(b, 0x1000);
        LOG(arr(b, 1));
        LOG(test(b, 0));
        expect(b, 0x1000);
        LOG(test(b, 0));
        LOG(arr(b, 1));
        break;
    case 26:
        init(b, 5);
        LOG(drop(b, 2));
        LOG(arr(b, 3));
        LOG(arr(b, 4));
        break; /* beyond the dropped count */
    case 27:
        init(b, 1);
        LOG(arrtx(b, 0x4000));
        expect(b, 0x1000);
        complete(b, 0x5000);
        LOG(test(b, 0));
        LOG(arr(b, 1));
        break;
    }
    o[0] = n;
    __threadfence_system();
    while (spin && !*go)
        ;
}
__global__ void
many(volatile int *go) { /* thread t: random ops on barrier t, by a generator that others repeat */
    extern __shared__ __align__(8) uint64_t bar[];
    for (uint32_t t = threadIdx.x; t < 1024; t += blockDim.x) {
        uint32_t b = sa(bar) + 8 * t;
        uint64_t x = blockIdx.x * 1024 + t + 1;
#define R() (x = x * 6364136223846793005ull + 1442695040888963407ull, (uint32_t)(x >> 33))
        uint32_t count = 1 + R() % ((t & 1) ? 5 : 0xFFFFE);
        int64_t pend = count, tx = 0;
        init(b, count);
        uint32_t ops = R() % 40;
        for (uint32_t i = 0; i < ops; i++) {
            uint32_t op = R() % 7, arg = R();
            if (op == 0 && pend > 0) {
                uint32_t n = 1 + arg % pend;
                if (n < 0x100000) {
                    arr(b, n);
                    pend -= n;
                }
            } else if (op == 1 && pend > 1) {
                uint32_t n = 1 + arg % (pend - 1);
                arrnc(b, n);
                pend -= n;
            } else if (op == 2 && pend > 0 && count > 1) {
                uint32_t n = 1 + arg % (pend < count - 1 ? pend : count - 1);
                drop(b, n);
                pend -= n;
                count -= n;
            } else if (op == 3) {
                uint32_t n = arg % 0x8000;
                if (tx + n < 0xFFFFF) {
                    expect(b, n);
                    tx += n;
                }
            } else if (op == 4) {
                uint32_t n = arg % 0x8000;
                if (tx - (int64_t)n > -0xFFFFF) {
                    complete(b, n);
                    tx -= n;
                }
            } else if (op == 5 && pend > 0) {
                uint32_t n = arg % 0x8000;
                if (tx + n < 0xFFFFF) {
                    arrtx(b, n);
                    tx += n;
                    pend--;
                }
            } else if (op == 6 && tx > 0) {
                complete(b, (uint32_t)tx);
                tx = 0;
            }
            if (pend == 0 && tx == 0)
                pend = count;
        }
    }
    while (!*go)
        ;
}
int main(int c, char **v) {
    int k = atoi(v[1]), spin = c > 2;
    volatile uint64_t *o;
    volatile int *go;
    cudaHostAlloc((void **)&o, 4096, cudaHostAllocMapped);
    cudaHostAlloc((void **)&go, 64, cudaHostAllocMapped);
    for (int i = 0; i < 64; i++)
        o[i] = 0;
    *go = 0;
    if (k == 99) {
        cudaFuncSetAttribute(many, cudaFuncAttributeMaxDynamicSharedMemorySize, 8192);
        many<<<16, 128, 8192>>>(go);
    } else
        one<<<1, 1>>>(k, o, spin, go);
    if (spin)
        printf("launch\n"), fflush(stdout);
    cudaError_t e = cudaDeviceSynchronize();
    printf("probe %d: %s n=%d", k, cudaGetErrorString(e), (int)o[0]);
    for (int i = 1; i < 20 && (o[i] || i < (int)o[0]); i++)
        printf(" %016llx", (unsigned long long)o[i]);
    printf("\n");
}
