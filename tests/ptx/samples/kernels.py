# SPDX-License-Identifier: Apache-2.0
"""Makes the triton_*.ptx beside it: python3 kernels.py FOLDER, with Triton 3.9.0, no GPU needed."""
import sys
import triton, triton.language as tl
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget
@triton.jit
def copy_host(src, dst, B0: tl.constexpr, B1: tl.constexpr):
    x = src.load([tl.program_id(0)*B0, tl.program_id(1)*B1])
    dst.store([tl.program_id(0)*B0, tl.program_id(1)*B1], x)
    dst.atomic_add([0, 3], x)
@triton.jit
def matmul(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, NS: tl.constexpr):
    pm = tl.program_id(0); pn = tl.program_id(1)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=NS, warp_specialize=False):
        x = a.load([pm*BM, k]); y = b.load([k, pn*BN])
        acc = tl.dot(x, y, acc)
    c.store([pm*BM, pn*BN], acc.to(tl.float16))
@triton.jit
def matmul_ws(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pm = tl.program_id(0); pn = tl.program_id(1)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=3, warp_specialize=True):
        x = a.load([pm*BM, k]); y = b.load([k, pn*BN])
        acc = tl.dot(x, y, acc)
    c.store([pm*BM, pn*BN], acc.to(tl.float16))
@triton.jit
def dev_desc(p, q, M, N, B0: tl.constexpr, B1: tl.constexpr):
    d = tl.make_tensor_descriptor(p, shape=[M, N], strides=[N, 1], block_shape=[B0, B1])
    e = tl.make_tensor_descriptor(q, shape=[M, N], strides=[N, 1], block_shape=[B0, B1])
    for i in range(0, M, B0):
        e.store([i, 0], d.load([i, 0]))
@triton.jit
def gather(src, dst, idx, B: tl.constexpr):
    r = tl.load(idx + tl.arange(0, 32))
    x = src.gather(r, 0)
    dst.scatter(x, r, 0)
def go(name, fn, sig, const, arch, warps=4):
    try:
        s = ASTSource(fn=fn, signature=sig, constexprs=const)
        k = triton.compile(s, target=GPUTarget('cuda', arch, 32), options={'num_warps':warps})
        open(f'{sys.argv[1]}/triton_{name}_{arch}.ptx','w').write(k.asm['ptx']); print('ok',name,arch)
    except Exception as e:
        print('no',name,arch,repr(e)[:300])
for arch in (90,100,120):
    D='tensordesc<fp16[64,64]>'
    go('copy',copy_host,{'src':D,'dst':D,'B0':'constexpr','B1':'constexpr'},{'B0':64,'B1':64},arch)
    go('matmul',matmul,{'a':'tensordesc<fp16[128,64]>','b':'tensordesc<fp16[64,128]>','c':'tensordesc<fp16[128,128]>','K':'i32','BM':'constexpr','BN':'constexpr','BK':'constexpr','NS':'constexpr'},{'BM':128,'BN':128,'BK':64,'NS':3},arch)
    go('matmulws',matmul_ws,{'a':'tensordesc<fp16[128,64]>','b':'tensordesc<fp16[64,128]>','c':'tensordesc<fp16[128,128]>','K':'i32','BM':'constexpr','BN':'constexpr','BK':'constexpr'},{'BM':128,'BN':128,'BK':64},arch)
    go('devdesc',dev_desc,{'p':'*fp16','q':'*fp16','M':'i32','N':'i32','B0':'constexpr','B1':'constexpr'},{'B0':64,'B1':64},arch)
    go('gather',gather,{'src':'tensordesc<fp16[1,64]>','dst':'tensordesc<fp16[1,64]>','idx':'*i32','B':'constexpr'},{'B':64},arch)
