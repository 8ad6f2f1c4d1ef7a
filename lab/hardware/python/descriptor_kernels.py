# SPDX-License-Identifier: Apache-2.0
"""Random kernels on Triton's tensor descriptors, run on the GPU or in the interpreter, and what they
did written down.

descriptor_kernels.py gpu|interpreter|torch|plain FIRST COUNT FILE [traps]: the kernels FIRST to
FIRST + COUNT, a line each: number, what it is, and the SHA-256 of all memory that it could have
written; in its place what stopped it. `interpreter` has libtma behind it and NumPy's memory,
`torch` likewise and PyTorch's, `plain` is the interpreter as it comes. With `traps` each kernel has
a coordinate that kills it.
"""
import hashlib
import math
import os
import pathlib
import random
import sys

RUN = sys.argv[1]
if RUN != "gpu":
    os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "python/tests"))

import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

TYPES = {"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8,
         "uint64": 8, "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "float8_e5m2": 1,
         "float8_e4m3fn": 1}
ADD = ("uint32", "int32", "uint64", "float32", "float16", "bfloat16")
MIN_MAX = ("uint32", "int32", "uint64", "int64", "float16", "bfloat16")
BITS = ("uint32", "int32", "uint64", "int64")
REDUCTIONS = {"add": ADD, "min": MIN_MAX, "max": MIN_MAX, "and": BITS, "or": BITS, "xor": BITS}
UNIT_B = 16
BLOCK_B = 8192


@triton.jit
def load_block(desc, data, offsets, OP: tl.constexpr, SIZE: tl.constexpr):
    tl.store(data + tl.arange(0, SIZE), desc.load(offsets).reshape(SIZE))


@triton.jit
def change(desc, data, offsets, OP: tl.constexpr, SIZE: tl.constexpr):
    block = tl.load(data + tl.arange(0, SIZE)).reshape(desc.block_shape)
    if OP == "store":
        desc.store(offsets, block)
    elif OP == "add":
        desc.atomic_add(offsets, block)
    elif OP == "min":
        desc.atomic_min(offsets, block)
    elif OP == "max":
        desc.atomic_max(offsets, block)
    elif OP == "and":
        desc.atomic_and(offsets, block)
    elif OP == "or":
        desc.atomic_or(offsets, block)
    elif OP == "xor":
        desc.atomic_xor(offsets, block)


@triton.jit
def on_device(base, rows, columns, stride, data, row, column, OP: tl.constexpr, PAD: tl.constexpr,
              HIGH: tl.constexpr, WIDE: tl.constexpr):
    desc = tl.make_tensor_descriptor(base, shape=[rows, columns], strides=[stride, 1],
                                     block_shape=[HIGH, WIDE], padding_option=PAD)
    at = data + tl.arange(0, HIGH)[:, None] * WIDE + tl.arange(0, WIDE)[None, :]
    if OP == "load":
        tl.store(at, desc.load([row, column]))
    else:
        desc.store([row, column], tl.load(at))


def random_block(rng, rank, item_B):
    """Powers of two, the innermost at least a unit."""
    block, left = [], BLOCK_B // item_B
    for axis in range(rank):
        least = UNIT_B // item_B if axis == 0 else 1
        most = max(least, min(left, 512 if rank < 3 else 64))
        block.insert(0, 1 << rng.randint(least.bit_length() - 1, most.bit_length() - 1))
        left = max(1, left // block[0])
    return block


def random_tensor(rng, block, unit):
    """A shape of any width about the block's, and strides of whole units with gaps or none."""
    rank = len(block)
    shape = [rng.randint(1, 2 * n + 1 if rank < 4 else n + 2) for n in block]
    strides, step = [1], -(-shape[-1] // unit) * unit + rng.choice((0, 0, unit, 3 * unit))
    for extent in reversed(shape[:-1]):
        strides.insert(0, step)
        step = step * extent + rng.choice((0, 0, unit))
    return shape, strides, step


def random_offsets(rng, op, block, shape, unit):
    low = -1 if op == "load" else 0
    offsets = [rng.randint(low * n, extent) for n, extent in zip(block, shape, strict=True)]
    if rng.random() < 0.8:  # most touch the tensor
        offsets = [min(at, max(0, extent - n // 2))
                   for at, n, extent in zip(offsets, block, shape, strict=True)]
    offsets[-1] = offsets[-1] // unit * unit
    return offsets


def random_kernel(number, traps):
    """One kernel, from its number alone."""
    rng = random.Random(f"libtma {number}")
    op = rng.choice(("load", "load", "store", "store", "store", "reduce"))
    if op == "reduce":
        op = rng.choice(tuple(REDUCTIONS))
    name = rng.choice(tuple(REDUCTIONS.get(op, TYPES)))
    item_B = TYPES[name]
    unit = UNIT_B // item_B
    rank = rng.choice((1, 2, 2, 2, 3, 4, 5))
    block = random_block(rng, rank, item_B)
    shape, strides, size = random_tensor(rng, block, unit)
    offsets = random_offsets(rng, op, block, shape, unit)
    if traps:
        spoil(rng, op, offsets, unit)
    floating = name in ("float16", "bfloat16", "float32", "float64")
    return {"op": op, "type": name, "block": block, "shape": shape, "strides": strides,
            "at": offsets, "device": rank == 2 and op in ("load", "store") and rng.random() < 0.3,
            "pad": "nan" if op == "load" and floating and rng.random() < 0.4 else "zero",
            "tf32": ROUNDS and name == "float32" and op == "load" and rng.random() < 0.4,
            "base": rng.randrange(4) * unit, "seed": rng.getrandbits(30),
            "size": size + rng.choice((0, 5 * unit))}


def spoil(rng, op, offsets, unit):
    """A coordinate between the units; or, where that kills too, a negative one."""
    axis = rng.randrange(len(offsets))
    if op != "load" and (rng.random() < 0.5 or unit == 1):
        offsets[axis] = -unit if axis == len(offsets) - 1 else -1
    else:
        offsets[-1] += unit // 2


class Memory:
    """Random bytes, the same on every machine, as the run's kind of tensor."""

    def __init__(self, k, seed, count):
        name, raw = k["type"], np.random.default_rng(seed).bytes(count * TYPES[k["type"]])
        if RUN in ("gpu", "torch"):
            whole = torch.frombuffer(bytearray(raw), dtype=torch.uint8)
            self.whole = whole.to("cuda" if RUN == "gpu" else "cpu").view(getattr(torch, name))
        else:
            self.array = fake_tensors.aligned(len(raw))
            self.array[:] = np.frombuffer(raw, np.uint8)
            self.whole = fake_tensors.Tensor(fake_tensors.Storage(self.array), name, (count,), (1,))

    def view(self, shape, strides, offset):
        if RUN in ("gpu", "torch"):
            return self.whole.as_strided(shape, strides, offset)
        return fake_tensors.Tensor(self.whole.storage, self.whole.dtype.name, shape, strides, offset)

    def bytes(self):
        if RUN in ("gpu", "torch"):
            return self.whole.cpu().view(torch.uint8).numpy().tobytes()
        return self.array.tobytes()


def run(k):
    size = math.prod(k["block"])
    memory = Memory(k, k["seed"], k["base"] + k["size"])
    data = Memory(k, k["seed"] + 1, size)
    tensor = memory.view(k["shape"], k["strides"], k["base"])
    if k["device"]:
        on_device[(1,)](tensor, *k["shape"], k["strides"][0], data.whole, *k["at"], OP=k["op"],
                        PAD=k["pad"], HIGH=k["block"][0], WIDE=k["block"][1])
    else:
        rounded = {"round_f32_to_tf32": True} if k["tf32"] else {}
        desc = TensorDescriptor(tensor, k["shape"], k["strides"], k["block"], k["pad"], **rounded)
        kernel = load_block if k["op"] == "load" else change
        kernel[(1,)](desc, data.whole, tuple(k["at"]), OP=k["op"], SIZE=size)
    if RUN == "gpu":
        torch.cuda.synchronize()
    return hashlib.sha256(memory.bytes() + data.bytes()).hexdigest()


def described(k):
    words = [k["op"], k["type"], "device" if k["device"] else "host"]
    words += [f"{name}={k[name]}".replace(" ", "") for name in
              ("shape", "strides", "block", "at", "base", "size", "pad", "tf32")]
    return " ".join(words)


def stopped(error):
    """What stopped a kernel, in a line; what the compiler would not take told from the rest."""
    text = " ".join(str(error).split())[:200]
    lost = RUN != "gpu" or "CUDA" in text or "illegal" in text
    return f"{'stopped' if lost else 'compiler'}: {type(error).__name__}: {text}"


def main():
    first, count, path, traps = int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], len(sys.argv) > 5
    with open(path, "w", encoding="utf-8") as file:
        for number in range(first, first + count):
            k = random_kernel(number, traps)
            try:
                said = run(k)
            except Exception as error:  # the report's subject
                said = stopped(error)
            print(number, described(k), said, sep="\t", file=file, flush=True)
            if RUN == "gpu" and said.startswith("stopped"):
                break  # the context is lost


ROUNDS = "round_f32_to_tf32" in TensorDescriptor.__dataclass_fields__
if RUN in ("gpu", "torch"):
    import torch
else:
    import fake_tensors
if RUN == "gpu":
    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8,
                                                                     device="cuda"))
elif RUN != "plain":
    import libtma.triton
    libtma.triton.install()
main()
