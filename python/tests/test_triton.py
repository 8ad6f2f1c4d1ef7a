# SPDX-License-Identifier: Apache-2.0
"""libtma behind Triton's interpreter. Needs Triton, a large download: in `make test` where it is
there already, always in `make test-all`. Expected bytes are counted here by loops over elements."""
import itertools
import os
import re
import subprocess
import sys

os.environ["TRITON_INTERPRET"] = "1"

import numpy as np
import pytest

triton = pytest.importorskip("triton")

import fake_tensors
import triton.language as tl
from conftest import ROOT
from hypothesis import given, settings, strategies
from triton.runtime import interpreter
from triton.tools.tensor_descriptor import TensorDescriptor

import libtma
import libtma.triton

UNIT_B = 16
NEW = "round_f32_to_tf32" in TensorDescriptor.__dataclass_fields__
SM_100A = libtma.Target("sm_100a")


@triton.jit
def load_block(desc, data, offsets, SIZE: tl.constexpr):
    tl.store(data + tl.arange(0, SIZE), desc.load(offsets).reshape(SIZE))


@triton.jit
def store_block(desc, data, offsets, SIZE: tl.constexpr):
    desc.store(offsets, tl.load(data + tl.arange(0, SIZE)).reshape(desc.block_shape))


@triton.jit
def reduce_block(desc, data, offsets, OP: tl.constexpr, SIZE: tl.constexpr):
    block = tl.load(data + tl.arange(0, SIZE)).reshape(desc.block_shape)
    if OP == "add":
        desc.atomic_add(offsets, block)
    elif OP == "min":
        desc.atomic_min(offsets, block)
    elif OP == "max":
        desc.atomic_max(offsets, block)
    elif OP == "and":
        desc.atomic_and(offsets, block)
    elif OP == "or":
        desc.atomic_or(offsets, block)
    else:
        desc.atomic_xor(offsets, block)


@triton.jit
def gather_rows(desc, data, rows, column, N: tl.constexpr, WIDE: tl.constexpr):
    block = desc.gather(tl.load(rows + tl.arange(0, N)), column)
    tl.store(data + tl.arange(0, N)[:, None] * WIDE + tl.arange(0, WIDE)[None, :], block)


@triton.jit
def scatter_rows(desc, data, rows, column, N: tl.constexpr, WIDE: tl.constexpr):
    block = tl.load(data + tl.arange(0, N)[:, None] * WIDE + tl.arange(0, WIDE)[None, :])
    desc.scatter(block, tl.load(rows + tl.arange(0, N)), column)


@triton.jit
def on_device(base, rows, columns, stride, row, column):
    desc = tl.make_tensor_descriptor(base, shape=[rows, columns], strides=[stride, 1],
                                     block_shape=[4, 16])
    desc.store([row, column], desc.load([0, 0]))


@triton.jit
def helper(desc, row):
    desc.store([row, 0], desc.load([0, 0]))


@triton.jit
def calls_a_helper(desc, row):
    helper(desc, row)


@triton.jit
def through_a_pointer(table, rows, columns):
    base = tl.load(table).to(tl.pointer_type(tl.float16))
    desc = tl.make_tensor_descriptor(base, shape=[rows, columns], strides=[columns, 1],
                                     block_shape=[2, 8])
    desc.store([0, 0], desc.load([2, 0]))


@pytest.fixture(autouse=True)
def installed():
    with libtma.triton.install() as installation:
        yield installation


def random_bytes(count, seed=0):
    memory = fake_tensors.aligned(count)
    memory[:] = np.frombuffer(np.random.default_rng(seed).bytes(count), np.uint8)
    return memory


def data_of(array, name):
    return fake_tensors.Tensor(fake_tensors.Storage(array), name, (array.nbytes,), (1,))


def expected_block(memory, item_B, shape, strides, block, offsets, fill):
    """A load's bytes, element by element."""
    out = bytearray()
    for index in itertools.product(*map(range, block)):
        at = [a + i for a, i in zip(offsets, index, strict=True)]
        inside = all(0 <= a < n for a, n in zip(at, shape, strict=True))
        start = sum(a * s for a, s in zip(at, strides, strict=True)) * item_B
        out += memory[start:start + item_B].tobytes() if inside else fill
    return bytes(out)


def written(shape, strides, block, offsets, unit):
    """(element of the memory, element of the block) for all that a store writes: a row that has an
    element inside is written up to the next whole unit."""
    end = -(-shape[-1] // unit) * unit
    for number, index in enumerate(itertools.product(*map(range, block))):
        at = [a + i for a, i in zip(offsets, index, strict=True)]
        inside = all(0 <= a < n for a, n in zip(at[:-1], shape[:-1], strict=True))
        if inside and at[-1] < end and offsets[-1] < shape[-1]:
            yield sum(a * s for a, s in zip(at, strides, strict=True)), number


@strategies.composite
def cases(draw, least):
    name = draw(strategies.sampled_from(("uint8", "float16", "bfloat16", "float32", "int64")))
    item_B = fake_tensors.TYPES[name].itemsize
    unit = UNIT_B // item_B
    rank = draw(strategies.integers(1, 5))
    powers = strategies.integers(0, 2 if rank > 2 else 3)
    block = [1 << draw(powers) for _ in range(rank - 1)] + [unit << draw(powers)]
    shape = [draw(strategies.integers(1, 2 * n)) for n in block]
    strides, step = [1], -(-shape[-1] // unit) * unit + draw(strategies.sampled_from((0, unit)))
    for extent in reversed(shape[:-1]):
        strides.insert(0, step)
        step *= extent
    offsets = [draw(strategies.integers(least * n, extent))
               for n, extent in zip(block, shape, strict=True)]
    offsets[-1] = offsets[-1] // unit * unit
    return name, item_B, shape, strides, block, offsets, step


@given(cases(-1), strategies.booleans())
@settings(max_examples=150)
def test_loads(case, nan):
    name, item_B, shape, strides, block, offsets, size = case
    pad = "nan" if nan and "float" in name else "zero"
    memory = random_bytes(size * item_B)
    out = fake_tensors.aligned(int(np.prod(block)) * item_B)
    desc = TensorDescriptor(data_of(memory, name).as_strided(shape, strides), shape, strides, block,
                            pad)
    load_block[(1,)](desc, data_of(out, name), tuple(offsets), SIZE=int(np.prod(block)))
    fill = b"\xf7\x7f" * (item_B // 2) if pad == "nan" else bytes(item_B)
    assert out.tobytes() == expected_block(memory, item_B, shape, strides, block, offsets, fill)


@given(cases(0))
@settings(max_examples=150)
def test_stores_write_whole_units(case):
    name, item_B, shape, strides, block, offsets, size = case
    memory = random_bytes(size * item_B)
    data = random_bytes(int(np.prod(block)) * item_B, 1)
    expected = memory.copy().reshape(-1, item_B)
    for to, number in written(shape, strides, block, offsets, UNIT_B // item_B):
        expected[to] = data.reshape(-1, item_B)[number]
    desc = TensorDescriptor(data_of(memory, name).as_strided(shape, strides), shape, strides, block)
    store_block[(1,)](desc, data_of(data, name), tuple(offsets), SIZE=int(np.prod(block)))
    assert memory.tobytes() == expected.tobytes()


@pytest.mark.parametrize("op", ["add", "min", "max", "and", "or", "xor"])
@pytest.mark.parametrize("name", ["int32", "uint64"])
def test_reductions(op, name):
    """Whole units too: 13 columns are changed as 16, or as 14 of 64 bits."""
    item_B = fake_tensors.TYPES[name].itemsize
    memory, data = random_bytes(4 * 20 * item_B), random_bytes(4 * 16 * item_B, 1)
    shape, strides, block = [4, 13], [20, 1], [4, 16]
    run = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
           "or": np.bitwise_or, "xor": np.bitwise_xor}[op]
    expected, given_ = memory.copy().view(name), data.view(name)
    for to, number in written(shape, strides, block, [0, 0], UNIT_B // item_B):
        expected[to] = run(expected[to], given_[number])
    desc = TensorDescriptor(data_of(memory, name).as_strided(shape, strides), shape, strides, block)
    reduce_block[(1,)](desc, data_of(data, name), (0, 0), OP=op, SIZE=64)
    assert memory.tobytes() == expected.tobytes()


def test_half_minimum_takes_the_number():
    memory, data = fake_tensors.aligned(16).view(np.float16), fake_tensors.aligned(16)
    memory[:], data.view(np.float16)[:] = np.nan, 3
    desc = TensorDescriptor(fake_tensors.flat(memory), [8], [1], [8])
    reduce_block[(1,)](desc, data_of(data, "float16"), (0,), OP="min", SIZE=8)
    assert (memory == 3).all()


@pytest.mark.skipif(not NEW, reason="this Triton has no round_f32_to_tf32")
def test_tf32_is_rounded():
    memory, out = fake_tensors.aligned(32), fake_tensors.aligned(32)
    memory.view(np.uint32)[:] = [0x3F801000, 0x3F803000, 0x3F800FFF, 0x7F800000, 0xFFC00001,
                                 0x00001001, 0x80000000, 0x3F801001]
    desc = TensorDescriptor(fake_tensors.flat(memory.view(np.float32)), [8], [1], [8],
                            round_f32_to_tf32=True)
    load_block[(1,)](desc, data_of(out, "float32"), (0,), SIZE=8)
    assert out.view(np.uint32).tolist() == [0x3F800000, 0x3F804000, 0x3F800000, 0x7F800000,
                                            0x7FFFE000, 0x00002000, 0x80000000, 0x3F802000]


def test_blocks_wider_than_a_box():
    memory, data = random_bytes(3 * 1024 * 2), random_bytes(2 * 1024 * 2, 1)
    shape, strides, block = [3, 700], [1024, 1], [2, 1024]
    expected = memory.copy().reshape(-1, 2)
    for to, number in written(shape, strides, block, [1, 8], 8):
        expected[to] = data.reshape(-1, 2)[number]
    desc = TensorDescriptor(data_of(memory, "float16").as_strided(shape, strides), shape, strides,
                            block)
    store_block[(1,)](desc, data_of(data, "float16"), (1, 8), SIZE=2048)
    assert memory.tobytes() == expected.tobytes()
    load_block[(1,)](desc, data_of(data, "float16"), (1, 8), SIZE=2048)
    assert data.tobytes() == expected_block(memory, 2, shape, strides, block, [1, 8], b"\0\0")


ROWS = [3, 0, -1, 5, 9, 2, 2, 1]


def gathered():
    memory = random_bytes(7 * 528 * 2)
    desc = TensorDescriptor(data_of(memory, "float16").as_strided([7, 520], [528, 1]), [7, 520],
                            [528, 1], [1, 512])
    rows = fake_tensors.flat(np.array(ROWS, np.int32))
    return memory, desc, rows, random_bytes(8 * 512 * 2, 1)


def test_gather_is_blackwells():
    memory, desc, rows, out = gathered()
    with pytest.raises(libtma.TensorMapInstructionError, match="in gather_rows: block = desc.gather"):
        gather_rows[(1,)](desc, data_of(out, "float16"), rows, 16, N=8, WIDE=512)
    libtma.triton.install(target=SM_100A)
    gather_rows[(1,)](desc, data_of(out, "float16"), rows, 16, N=8, WIDE=512)
    expected = b"".join(expected_block(memory, 2, [7, 520], [528, 1], [1, 512], [row, 16], b"\0\0")
                        for row in ROWS)
    assert out.tobytes() == expected


def test_scatter():
    memory, desc, rows, data = gathered()
    libtma.triton.install(target=SM_100A)
    kept = [row for row in ROWS if row >= 0]
    rows.storage.array[:] = [*kept, 6]
    expected = memory.copy().reshape(-1, 2)
    for number, row in enumerate([*kept, 6]):
        for to, element in written([7, 520], [528, 1], [1, 512], [row, 16], 8):
            expected[to] = data.reshape(8, 512, 2)[number, element]
    scatter_rows[(1,)](desc, data_of(data, "float16"), rows, 16, N=8, WIDE=512)
    assert memory.tobytes() == expected.tobytes()


def half(rows=8, columns=64, size_bytes=None, offset=0):
    memory = random_bytes(2 * (rows * columns + offset) + 64)
    storage = fake_tensors.Storage(memory, size_bytes)
    return memory, fake_tensors.Tensor(storage, "float16", (rows, columns), (columns, 1), offset)


def test_descriptors_made_in_the_kernel():
    memory, tensor = half(rows=8, columns=64)
    before = memory.copy()
    on_device[(1,)](tensor, 8, 61, 64, 6, 48)
    for to, number in written([8, 61], [64, 1], [4, 16], [6, 48], 8):
        start = (number // 16 * 64 + number % 16) * 2
        before[2 * to:2 * to + 2] = before[start:start + 2]
    assert memory.tobytes() == before.tobytes()


def test_a_trap_names_rule_map_coordinates_and_line():
    memory, tensor = half()
    before = memory.tobytes()
    desc = TensorDescriptor(tensor, [8, 64], [64, 1], [4, 16])
    with pytest.raises(libtma.TensorMapTrap) as caught:
        calls_a_helper[(1,)](desc, -1)
    assert caught.value.finding.rule == "coord-negative" and caught.value.position == (0, -1)
    text = str(caught.value)
    assert re.search(r"--dim 64,8 .*at offsets \(-1, 0\) \[\(0, -1\)\]\n"
                     r"  at .*/test_triton.py:\d+ in helper: "
                     r"desc.store\(\[row, 0\], desc.load\(\[0, 0\]\)\)$", text)
    line = int(re.search(r"test_triton.py:(\d+)", text)[1])
    source = (ROOT / "python/tests/test_triton.py").read_text().splitlines()
    assert source[line - 1].strip().startswith("desc.store([row, 0]")
    assert memory.tobytes() == before


def test_a_coordinate_between_the_units_is_a_trap():
    _memory, tensor = half()
    desc = TensorDescriptor(tensor, [8, 64], [64, 1], [4, 16])
    with pytest.raises(libtma.TensorMapTrap, match="coord-align"):
        load_block[(1,)](desc, data_of(fake_tensors.aligned(128), "float16"), (0, 4), SIZE=64)


def test_a_refused_map_has_every_rule_and_the_line():
    _memory, tensor = half(offset=4)
    with pytest.raises(libtma.TensorMapError) as caught:
        on_device[(1,)](tensor, 8, 61, 62, 0, 0)
    assert {f.rule for f in caught.value.findings} >= {"address-align", "stride-align"}
    assert "in on_device: desc = tl.make_tensor_descriptor(base" in caught.value.where


def test_a_descriptor_larger_than_its_memory():
    _memory, tensor = half(rows=8, columns=64, size_bytes=7 * 128)
    desc = TensorDescriptor(tensor, [8, 64], [64, 1], [8, 64])
    with pytest.raises(libtma.TensorMapMemoryError, match="in load_block: tl.store"):
        load_block[(1,)](desc, data_of(fake_tensors.aligned(1024), "float16"), (0, 0), SIZE=512)


def test_what_lies_behind_a_storage_is_kept():
    """The last row's store runs over the end of the storage, into room that CUDA would have."""
    memory, tensor = half(rows=2, columns=64, size_bytes=2 * (64 + 61))
    tensor.shape = (2, 61)
    before, data = memory.copy(), random_bytes(2 * 64 * 2, 1)
    desc = TensorDescriptor(tensor, [2, 61], [64, 1], [2, 64])
    store_block[(1,)](desc, data_of(data, "float16"), (0, 0), SIZE=128)
    before[:2 * 125] = data[:2 * 125]
    assert memory.tobytes() == before.tobytes()


def test_an_address_that_the_kernel_made():
    memory = random_bytes(4 * 8 * 2)
    expected = memory.tobytes()[32:] * 2
    table = np.array([memory.ctypes.data], np.uint64)
    through_a_pointer[(1,)](fake_tensors.flat(table), 4, 8)
    assert memory.tobytes() == expected


def test_it_is_taken_back():
    libtma.triton.uninstall()
    holders = (interpreter.InterpreterBuilder, interpreter.GridExecutor, interpreter.TritonSemantic)
    before = [dict(vars(holder)) for holder in holders]
    with libtma.triton.install():
        again = libtma.triton.install(target=SM_100A)
        assert interpreter.InterpreterBuilder.create_descriptor_load is not before[0][
            "create_descriptor_load"]
    again.remove()
    assert [dict(vars(holder)) for holder in holders] == before
    out, (_memory, tensor) = fake_tensors.aligned(128), half()
    desc = TensorDescriptor(tensor, [8, 64], [64, 1], [4, 16], "nan")
    load_block[(1,)](desc, data_of(out, "float16"), (8, 0), SIZE=64)
    assert set(out.view(np.uint16).tolist()) == {0x7E00}  # the interpreter's own NaN


KEEPS_ALL = f"""
import sys
sys.path.insert(0, {str(ROOT / 'python/tests')!r})
import fake_tensors, libtma, libtma._core, libtma.triton, triton
from triton.tools.tensor_descriptor import TensorDescriptor
libtma._core.set_leak_warnings(True)
kept = libtma.triton.install(target=libtma.Target("sm_100a"))
libtma.triton.install(target="sm_100a")
@triton.jit
def kernel(desc, row):
    desc.store([row, 0], desc.load([0, 0]))
tensor = fake_tensors.Tensor(fake_tensors.Storage(fake_tensors.aligned(4096)), "float16", (8, 64), (64, 1))
kernel[(1,)](TensorDescriptor(tensor, [8, 64], [64, 1], [4, 16]), 4)
"""


def test_nothing_of_ours_is_left_when_python_ends(tmp_path):
    """What the program keeps of install(target=...) holds nothing of the extension module."""
    (tmp_path / "keeps.py").write_text(KEEPS_ALL)
    done = subprocess.run([sys.executable, "keeps.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "leaked" not in done.stderr, done.stderr


def test_other_errors_stay_the_interpreters():
    _memory, tensor = half()
    desc = TensorDescriptor(tensor, [8, 64], [64, 1], [4, 16])
    with pytest.raises(interpreter.InterpreterError):
        load_block[(1,)](desc, data_of(fake_tensors.aligned(128), "float16"), (0,), SIZE=64)


EXAMPLES = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", (ROOT / "docs/triton.md").read_text(),
                      re.S | re.M)


@pytest.mark.parametrize(("code", "printed"), EXAMPLES, ids=["emulate", "install"])
def test_the_document(tmp_path, code, printed):
    (tmp_path / "kernel.py").write_text(code)
    (tmp_path / "torch.py").write_text(
        "import sys\n"
        f"sys.path.insert(0, {str(ROOT / 'python/tests')!r})\n"
        "import fake_tensors\nsys.modules['torch'] = fake_tensors.Torch\n")
    own = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    done = subprocess.run([sys.executable, "kernel.py"], cwd=tmp_path, capture_output=True, text=True,
                          env=own)
    assert done.stdout == printed, done.stderr
