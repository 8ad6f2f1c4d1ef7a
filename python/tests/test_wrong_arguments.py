# SPDX-License-Identifier: Apache-2.0
"""Arguments that mean nothing: each is named in an error of Python's own kinds, and nothing crashes."""
import contextlib
import ctypes
import gc
import mmap
import threading

import numpy as np
import pytest

import libtma.driver
import libtma.layouts
import libtma.mma
import libtma.ptx
from libtma import Memory, Target, TensorMapDescriptor, TensorSpec, _core

NEGATIVE, HUGE = -1, 2**70
FLOATS = np.zeros((8, 64), np.float32)


def made():
    return TensorMapDescriptor.tiled(FLOATS, (8, 16))


@pytest.mark.parametrize("kind", [TensorMapDescriptor, _core.Descriptor])
def test_a_map_that_was_never_made(kind):
    """__new__ without tiled() or its like."""
    empty = kind.__new__(kind)
    for known, unmade in ((made(), empty), (empty, made()), (empty, kind.__new__(kind)),
                          (Target("sm_90"), Target.__new__(Target))):
        with contextlib.suppress(TypeError):  # of which one, Python decides: it asks a subclass first
            assert (known == unmade) is False
    with pytest.raises(BufferError):
        memoryview(empty)
    assert np.asarray(empty).dtype == object  # NumPy's answer to what has no buffer
    for use in (bytes, hash, *((repr, str) if kind is TensorMapDescriptor else ())):
        with pytest.raises(TypeError):
            use(empty)
    for name in ("_load", "_store", "_reduce", "_replace_address", "_replace", "_findings"):
        with pytest.raises(TypeError):
            getattr(empty, name)([0, 0], [0, 0])
    for question in (_core.report, _core.walk):
        with pytest.raises(TypeError):
            question(empty, "load", None, [0, 0], True, None, 0)
    gc.collect()
    del empty
    gc.collect()


@pytest.mark.parametrize("dtype", [">f4", ">f2", ">i8", ">u2"])
def test_big_endian_elements_are_refused(dtype):
    array = np.zeros((8, 64), dtype)
    for tensor in (array, type("Only", (), {"__array_interface__": array.__array_interface__})(),
                   TensorSpec((8, 64), array.dtype)):
        with pytest.raises(ValueError, match="big-endian"):
            TensorMapDescriptor.tiled(tensor, (8, 16))
    with pytest.raises(ValueError, match="big-endian"):
        TensorMapDescriptor.tiled(FLOATS, (8, 16), data_type=np.dtype(">f4"))
    assert TensorMapDescriptor.tiled(np.zeros((8, 64), ">u1"), (8, 16)).rank == 2


WORDS = [
    lambda w: TensorMapDescriptor.tiled(FLOATS, (8, 16), swizzle=w("128B")),
    lambda w: TensorMapDescriptor.tiled(FLOATS, (8, 16), l2_promotion=w("L2_128B")),
    lambda w: TensorMapDescriptor.tiled(FLOATS, (8, 16), data_type=w("float32")),
    lambda w: TensorMapDescriptor.tiled(TensorSpec((8, 64), w("float32")), (8, 16)),
    lambda w: Target(w("sm_90")), lambda w: Target("sm_90", driver=w("13.0")),
    lambda w: Target("sm_90", ptx_version=w("8.6")),
    lambda w: Target("sm_90", readings={w("w128-halo"): "behind"}),
    lambda w: made().plan([0, 0], op=w("load")), lambda w: made().plan([0, 0], mode=w("tile")),
    lambda w: made().draw(w("box")), lambda w: made().draw("copy", label=w("number")),
    lambda w: made().replace(w("rank"), 1), lambda w: made().link(w("box"), page="p"),
]


@pytest.mark.parametrize("use", WORDS)
def test_words_end_where_python_says(use):
    """A word with a null character behind it is another word; half of a surrogate pair is none."""
    use(lambda word: word)
    for behind in ("\0", "\0x", "\ud800"):
        with pytest.raises((ValueError, TypeError)) as error:
            use(lambda word, behind=behind: word + behind)
        assert "bad_cast" not in str(error.value)


@pytest.mark.parametrize("array, dtype, shape, strides_B", [
    ((ctypes.c_int * 16 * 8)(), "int32", (8, 16), (64,)), ((ctypes.c_double * 16)(), "float64", (16,), ())])
def test_buffers_that_say_no_strides(array, dtype, shape, strides_B):
    """ctypes' arrays leave them out, whatever is asked for; they are packed."""
    desc = TensorMapDescriptor.tiled(array, shape)
    assert (str(desc._dtype), desc.shape, desc.stride_bytes) == (dtype, shape, strides_B)


class Interface:
    def __init__(self, **changes):
        self.__array_interface__ = {"shape": (8, 64), "typestr": "<f4", "data": (0x1000, False),
                                    "version": 3} | changes


class Torch:
    def __init__(self, **answers):
        self.shape, self.dtype, self.answers = (8, 64), "float32", answers
        self.shape = answers.pop("shape", (8, 64))
        self.is_cuda = True

    def data_ptr(self):
        return self.answers.get("data_ptr", 0x1000)

    def stride(self):
        return self.answers.get("stride", (64, 1))

    def element_size(self):
        return self.answers.get("element_size", 4)


WRONG = [
    (lambda: Interface(typestr="<fx"), "typestr"), (lambda: Interface(typestr=""), "typestr"),
    (lambda: Interface(typestr="<f99999999999999999999"), "typestr"),
    (lambda: Interface(typestr=4), "typestr"),
    (lambda: Interface(data=(NEGATIVE, False)), "data"), (lambda: Interface(data=(HUGE, False)), "data"),
    (lambda: Interface(data=()), "data"), (lambda: Interface(data=7), "data"),
    (lambda: Interface(shape=(NEGATIVE, 64)), "shape"), (lambda: Interface(shape=("8", 64)), "shape"),
    (lambda: Interface(shape=(HUGE, 64)), "shape"), (lambda: Interface(shape=(2**62, 2**62, 2**62)), "shape"),
    (lambda: Interface(strides=(4,)), "strides"), (lambda: Interface(strides=("a", 4)), "strides"),
    (lambda: Torch(data_ptr=NEGATIVE), "data_ptr"), (lambda: Torch(element_size=NEGATIVE), "element_size"),
    (lambda: Torch(stride=(64,)), "strides"), (lambda: Torch(shape=(NEGATIVE, 8)), "shape"),
    (lambda: TensorSpec((8, 64), "float32", address=NEGATIVE), "address"),
    (lambda: TensorSpec((8, 64), "float32", address="here"), "address"),
    (lambda: TensorSpec((2**40, 2**40, 2**40, 64), "float32"), "shape"),
]


@pytest.mark.parametrize("tensor, named", WRONG)
def test_tensors_that_are_none(tensor, named):
    with pytest.raises((ValueError, TypeError)) as error:
        TensorMapDescriptor.tiled(tensor(), (8, 16))
    text = str(error.value)
    assert named in text and "bad_cast" not in text and "stoul" not in text


NUMBERS = [
    lambda n: made().replace_address(n), lambda n: made().replace("rank", n),
    lambda n: made().replace("rank", 1, ordinal=n),
    lambda n: Memory({n: bytearray(16)}), lambda n: Memory().map(n, bytearray(16)),
    lambda n: TensorMapDescriptor.tiled(FLOATS, (8, n)),
    lambda n: TensorMapDescriptor.tiled(FLOATS, (8, 16), swizzle=n),
    lambda n: TensorMapDescriptor.tiled(FLOATS, (8, 16), data_type=n),
    lambda n: TensorMapDescriptor.tiled(FLOATS, (8, 16), element_strides=(1, n)),
    lambda n: TensorMapDescriptor.tiled(FLOATS, (8, 16), stride_order=(0, n)),
    lambda n: made().plan([0, 0], shared_address=n), lambda n: made().load([0, 0], shared_address=n),
    lambda n: TensorMapDescriptor.im2col(np.zeros((2, 8, 8, 16), np.float16), (0, 0), (0, 0), 16, n),
    lambda n: made().draw(lines=n),
]


@pytest.mark.parametrize("use", NUMBERS)
@pytest.mark.parametrize("number", [NEGATIVE, HUGE, -HUGE])
def test_numbers_that_are_none(use, number):
    with pytest.raises((ValueError, TypeError, OverflowError, libtma.TensorMapError)) as error:
        use(number)
    assert "bad_cast" not in str(error.value)


@pytest.mark.parametrize("use", [
    lambda: TensorMapDescriptor.tiled(FLOATS, (8, 16), target=90),
    lambda: made().load([0, 0], memory=b"bytes"),
    lambda: made().plan([0, 0], mode=7), lambda: Memory([1]), lambda: Target("sm_90", readings=7),
    lambda: _core.report(7, "load", None, [0, 0], True, None, 0)])
def test_objects_of_other_types(use):
    with pytest.raises(TypeError) as error:
        use()
    assert "bad_cast" not in str(error.value)


def test_memory_may_grow_while_a_copy_reads_it():
    """The copy runs without the interpreter's lock; the ranges that it was given stay where they are."""
    base, row_B = 1 << 40, 1024
    row = bytes(row_B)
    desc = TensorMapDescriptor.tiled(TensorSpec((4096, 256), "float32", address=base), (224, 256))
    for _ in range(3):
        memory = Memory({base + i * row_B: row for i in range(256)})  # a copy looks for each row
        for i in range(1, 8000):  # the list is so long that the allocator maps it by itself
            memory.map(base - 64 * i, b"x")
        stop = threading.Event()

        def grow(memory=memory, stop=stop):
            at = 1 << 50
            while not stop.is_set():
                memory.map(at, row)
                at += row_B

        thread = threading.Thread(target=grow)
        thread.start()
        try:
            for _ in range(100):
                assert not desc.load([0, 0], memory=memory).any()
        finally:
            stop.set()
            thread.join()


def test_a_tensor_is_held_while_a_copy_reads_it():
    """replace_address() in another thread lets go of the old tensor; the copy under way does not."""
    size_B = 4 * 256 * 256
    tensors = [np.frombuffer(mmap.mmap(-1, size_B), np.float32).reshape(256, 256) for _ in range(1000)]
    desc = TensorMapDescriptor.tiled(tensors.pop(), (224, 256))

    def turn():
        while tensors:  # the one before is unmapped at once
            desc.replace_address(tensors.pop())

    thread = threading.Thread(target=turn)
    thread.start()
    out = np.empty((224, 256), np.float32)
    while thread.is_alive():
        desc.load([0, 0], out=out)
        assert not out.any()
    thread.join()


PTX = "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [map, {0, 0}];"
OPERAND = libtma.mma.Operand()


@pytest.mark.parametrize("use, said", [
    (lambda: libtma.ptx.parse(PTX.encode()), "text is of bytes"),
    (lambda: libtma.ptx.statements(["a"]), "text is ['a'], of list"),
    (lambda: libtma.ptx.check(7), "text is 7, of int"),
    (lambda: libtma.ptx.check("", maps={None: bytes(128)}), "maps: Mapping[str"),
    (lambda: libtma.ptx.why("", HUGE), "line has 71 bits"),
    (lambda: libtma.ptx.parse(PTX).lacks(version=HUGE), "version has 71 bits"),
    (lambda: libtma.ptx.run(PTX, made(), bytearray(8), window_address=NEGATIVE), "window_address = -1"),
    (lambda: libtma.mma.MatrixDescriptor(0).read(OPERAND, 0, None), "k is None"),
    (lambda: libtma.mma.ZeroMask(8, 8).columns("32", 64), "m is '32', of str"),
    (lambda: libtma.mma.ZeroMask(8, 8).columns(32, 64, 0), "readings: a dictionary"),
    (lambda: libtma.mma.MatrixDescriptor(0).read(7, 0, 0), "operand: an Operand is wanted, not 7"),
    (lambda: libtma.mma.remarks(0, operand="A"), "operand: an Operand is wanted, not 'A'"),
    (lambda: libtma.mma.descriptor_of(made(), OPERAND, 0), "tile: a Tile is wanted, or None, not 0"),
    (lambda: libtma.mma.descriptor_of(made(), OPERAND, libtma.mma.Tile), "tile: a Tile is wanted"),
    (lambda: libtma.mma.descriptor_of(made(), OPERAND, libtma.mma.Tile(copies=0)), "copies is 0, must be"),
    (lambda: libtma.swizzled(0, None), "swizzled() takes"),
    (lambda: libtma.swizzled(FLOATS.astype(int), None), "swizzle: Swi"),
    (lambda: libtma.driver.lenient("yes"), "lenient(): on is 'yes', of str"),
    (lambda: libtma.layouts.of_pallas((8, 64), None, ()), "data_type: 'None'"),
    (lambda: libtma.layouts.of_pallas((0, 64), "float16", ()), "does not divide"),
    (lambda: libtma.layouts.of_pallas((NEGATIVE, 64), "float16", ()), "does not divide"),
    (lambda: libtma.layouts.of_tilelang("linear", (NEGATIVE, 64), "float16"), "(-1, 64) elements: each"),
    (lambda: libtma.layouts.of_cute(f"({HUGE},64):(64,1)", "float16"), "a CTA's shared memory has"),
    (lambda: libtma.mma.descriptor_of(made(), OPERAND, k=NEGATIVE), "k = -1: it is 0 or more")])
def test_types_are_said_in_the_functions_own_words(use, said):
    with pytest.raises((TypeError, ValueError)) as error:
        use()
    assert said in str(error.value) and "incompatible" not in str(error.value)


def test_a_map_is_made_of_a_class_of_maps_alone():
    for kind in (7, int, "TensorMapDescriptor", Target):
        with pytest.raises(TypeError, match="a class of tensor maps"):
            _core.Descriptor._tiled.__func__(kind, FLOATS, (8, 16))
        with pytest.raises(TypeError, match="a class of tensor maps"):
            _core.Descriptor._from_buffer.__func__(kind, bytes(128))
