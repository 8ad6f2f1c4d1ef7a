# SPDX-License-Identifier: Apache-2.0
"""What a compiled kernel of Triton's or Gluon's writes into a descriptor of its own: the
tensormap.replace of its PTX, with the constants that its registers hold. No GPU is asked."""
import re

import triton
import triton.language as tl
from triton.compiler.compiler import ASTSource
from triton.experimental import gluon
from triton.experimental.gluon import language as ttgl
from triton.experimental.gluon._runtime import GluonASTSource
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton_stages import compiled

load_of = getattr(tma, "async_load", None) or tma.async_copy_global_to_shared  # 3.8's names, and before
store_of = getattr(tma, "async_store", None) or tma.async_copy_shared_to_global


@triton.jit
def makes(out, ADDRESS: tl.constexpr, SHAPE, STRIDES, BLOCK, PADDING: tl.constexpr, SIZE: tl.constexpr):
    base = tl.full([], ADDRESS, tl.int64).to(out.dtype)
    desc = tl.make_tensor_descriptor(base, SHAPE, STRIDES, BLOCK, PADDING)
    tl.store(out + tl.arange(0, SIZE), desc.load([0] * len(BLOCK)).reshape(SIZE))


@gluon.jit
def makes_and_stores(out, ADDRESS: ttgl.constexpr, SHAPE, STRIDES, BLOCK, PADDING: ttgl.constexpr,
                     LAYOUT: ttgl.constexpr):
    base = ttgl.full([], ADDRESS, ttgl.int64).to(out.dtype)
    desc = tma.make_tensor_descriptor(base, SHAPE, STRIDES, BLOCK, LAYOUT, PADDING)
    block = ttgl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    store_of(desc, [0] * len(BLOCK), block)


@gluon.jit
def makes_and_loads(out, ADDRESS: ttgl.constexpr, SHAPE, STRIDES, BLOCK, PADDING: ttgl.constexpr,
                    LAYOUT: ttgl.constexpr):
    base = ttgl.full([], ADDRESS, ttgl.int64).to(out.dtype)
    desc = tma.make_tensor_descriptor(base, SHAPE, STRIDES, BLOCK, LAYOUT, PADDING)
    block = ttgl.allocate_shared_memory(desc.dtype, desc.block_shape, desc.layout)
    bar = ttgl.allocate_shared_memory(ttgl.int64, [1], mbarrier.MBarrierLayout())
    load_of(desc, [0] * len(BLOCK), bar, block, pred=True)


def ptx_of(desc, kind, sm):
    """The kernel's PTX; kind: Triton's word for the element."""
    layout = getattr(desc, "layout", None)
    values = {"ADDRESS": desc.base.data_ptr(), "SHAPE": tuple(desc.shape), "STRIDES": tuple(desc.strides),
              "BLOCK": tuple(desc.block_shape), "PADDING": desc.padding}
    values |= {"LAYOUT": layout} if layout else {"SIZE": count(desc.block_shape)}
    signature, constants = {"out": f"*{kind}"}, {}
    for at, (name, value) in enumerate(values.items(), 1):
        if isinstance(value, tuple):
            signature[name] = ("constexpr",) * len(value)
            constants |= {(at, part): number for part, number in enumerate(value)}
        else:
            signature[name], constants[at,] = "constexpr", value
    kernel = makes if not layout else makes_and_loads if layout.fp4_padded else makes_and_stores
    source = (GluonASTSource if layout else ASTSource)(kernel, signature, constants)
    return compiled(source, sm, "cubin", ptx_version=87)[0]


def count(extents):
    size = 1
    for extent in extents:
        size *= extent
    return size


_WRITES = re.compile(r"tensormap\.replace\.tile\.(\w+)\.shared::cta\.b1024\.b\d+ \[[^]]*\], (?:(\w+), )?"
                     r"([%\w-]+);")
_CONSTANT = re.compile(r"mov\.[bus]\d+\s+(%\w+), (-?\w+);")


def edits_of(text):
    """[(field, operand, ordinal)], in the text's order."""
    constants = dict(_CONSTANT.findall(text))
    found = []
    for field, ordinal, operand in _WRITES.findall(text):
        word = operand
        while word.startswith("%"):
            word = constants[word]
        found.append((field, int(word, 0), int(ordinal or "0", 0)))
    return found
