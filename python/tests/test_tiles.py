# SPDX-License-Identifier: Apache-2.0
"""Tiles are what they say: shape and elements, of any package's tensors; and what else an argument of
the second kind may be."""
import copy
import inspect
import os
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import libtma
from libtma import TensorMapDescriptor, TensorSpec, driver

HALVES = np.zeros((256, 128), np.float16)


def halves():
    return TensorMapDescriptor.tiled(HALVES.copy(), (128, 64))


class Torch:
    """A CPU tensor with no buffer protocol, as PyTorch's are."""

    def __init__(self, array, dtype, is_meta=False, is_cuda=False):
        self.array, self.dtype, self.shape = array, dtype, array.shape
        self.is_meta, self.is_cuda = is_meta, is_cuda

    def data_ptr(self):
        return 0 if self.is_meta else self.array.ctypes.data

    def element_size(self):
        return self.array.itemsize

    def stride(self):
        return [step // self.array.itemsize for step in self.array.strides]


class Dlpack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("tile, said", [
    (np.zeros((64, 128), np.float16), r"tile: its shape is \(64, 128\), the box's \(128, 64\)"),
    (np.zeros(128 * 64, np.float16), r"\(8192,\), the box's \(128, 64\)"),
    (np.zeros((128, 64), np.int16), "tile: its elements are int16, the map's float16"),
    (np.zeros((128, 64), ml_dtypes.bfloat16), "elements are bfloat16, the map's float16"),
    (bytes(16384), "elements are uint8, the map's float16; raw=True takes bytes"),
    (np.zeros((128, 64), ">f2"), "big-endian"),
    (Torch(np.zeros((64, 128), np.float16), "torch.float16"), r"shape is \(64, 128\)"),
    (Dlpack(np.zeros((64, 128), np.float16)), r"shape is \(64, 128\)"),
    (Torch(np.zeros((128, 64), np.float16), "torch.float16", is_cuda=True), "not in host memory")])
def test_another_shape_or_type_is_refused(tile, said):
    for use in (lambda d: d.store([0, 0], tile), lambda d: d.reduce([0, 0], tile, "add")):
        desc = halves()
        with pytest.raises((ValueError, TypeError), match=said):
            use(desc)
        assert not desc.owner.any()


def test_tiles_of_any_package():
    values = np.arange(128 * 64, dtype=np.float16).reshape(128, 64)
    for tile in (values, Torch(values, "torch.float16"), Dlpack(values), values.reshape(1, 128, 1, 64)):
        desc = halves()
        desc.store([128, 64], tile)
        assert (desc.owner[128:, 64:] == values).all() and not desc.owner[:128].any()
    out = np.zeros((128, 64), np.float16)
    desc.load([128, 64], out=Torch(out, "torch.float16"))
    assert (out == values).all()


def test_elements_that_stand_for_others():
    spec = TensorSpec((256, 128), "bfloat16", address=4096)
    room = bytearray(256 * 128 * 2)
    desc = TensorMapDescriptor.tiled(spec, (128, 64))
    for dtype in (ml_dtypes.bfloat16, np.uint16):  # bits, where there is no ml_dtypes
        desc.store([0, 0], np.ones((128, 64), dtype), memory={4096: room})
    signed = TensorMapDescriptor.tiled(np.zeros((64, 64), np.int32), (8, 8))
    signed.store([0, 0], np.ones((8, 8), np.uint32))
    fp8 = TensorMapDescriptor.tiled(np.zeros((64, 64), ml_dtypes.float8_e4m3fn), (16, 16))
    fp8.store([0, 0], np.ones((16, 16), np.uint8))
    with pytest.raises(TypeError, match="float8_e5m2"):
        fp8.store([0, 0], np.ones((16, 16), ml_dtypes.float8_e5m2))


def test_memory_of_a_dictionary_and_of_tensors():
    desc = TensorMapDescriptor.tiled(TensorSpec((256, 128), "float16", address=4096), (128, 64))
    ones = np.ones((256, 128), np.float16)
    for memory in ({4096: ones}, libtma.Memory({4096: Torch(ones, "torch.float16")}),
                   {4096: ones.tobytes()}, {4096: Dlpack(ones)}):
        assert (desc.load([0, 0], memory=memory) == 1).all()
    with pytest.raises(ValueError, match="read-only"):
        desc.store([0, 0], np.zeros((128, 64), np.float16), memory={4096: ones.tobytes()})


def test_meta_tensors_have_no_map():
    with pytest.raises(ValueError, match="meta device .*TensorSpec"):
        TensorMapDescriptor.tiled(Torch(HALVES, "torch.float16", is_meta=True), (128, 64))


def test_targets_by_word_and_dictionary():
    for target in ("sm_100a", {"arch": "sm_100a"}, libtma.Target("sm_100a")):
        assert TensorMapDescriptor.tiled(HALVES, (8, 8), target=target).target.arch == "sm_100a"
    with pytest.raises(ValueError, match="sm_9"):
        TensorMapDescriptor.tiled(HALVES, (8, 8), target="sm_9")


def test_the_default_target():
    libtma.set_target("sm_100a")
    try:
        assert halves().target.arch == "sm_100a"
    finally:
        libtma.set_target(None)
    assert halves().target.arch == "sm_90"
    code = "import libtma; print(libtma.TensorMapDescriptor.from_bytes(bytes(128)).target.arch)"
    for arch, status, said in (("sm_103a", 0, "sm_103a"), ("sm_9", 1, "LIBTMA_ARCH")):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "LIBTMA_ARCH": arch})
        assert done.returncode == status and said in done.stdout + done.stderr


def test_a_copy_keeps_the_tensor():
    desc = halves()
    for again in (copy.copy(desc), copy.deepcopy(desc)):
        assert again == desc and again.owner is desc.owner and again is not desc
        assert again.load([0, 0]).shape == (128, 64)


def test_wide_maps_are_swizzled_as_cuda_cores():
    spec = TensorSpec((2, 8, 64, 64), "float16", address=4096)
    assert TensorMapDescriptor.im2col_wide(spec, 0, 0, 64, 8, target="sm_100a").swizzle.name == "SWIZZLE_128B"
    none = TensorMapDescriptor.im2col_wide(spec, 0, 0, 64, 8, swizzle="none", target="sm_100a", check=False)
    assert none.swizzle.name == "NONE"


def test_errors_count_as_the_caller_does():
    spec = TensorSpec((64, 128), "float16", address=4096)
    with pytest.raises(libtma.TensorMapError, match=r"box_dim\[0\] \[boxDim\[1\]\] = 300"):
        TensorMapDescriptor.tiled(spec, (300, 64))
    turned = TensorSpec((128, 64), "float16", (1, 128), address=4096)
    with pytest.raises(libtma.TensorMapError, match=r"box_dim\[1\] \[boxDim\[1\]\] = 300"):
        TensorMapDescriptor.tiled(turned, (64, 300), stride_order=(0, 1))
    four = TensorSpec((2, 8, 8, 64), "float16", address=4096)
    with pytest.raises(libtma.TensorMapError, match=r"corner\[1\] \[pixelBoxLowerCorner\[0\]\] = 200"):
        TensorMapDescriptor.im2col(four, (0, 200), (0, 0), 64, 8)
    both = r"offsets\[1\] \[tensorCoords\[0\]\] = 3.*\n.*8 float16.*\n.*at offsets \(0, 3\)"
    with pytest.raises(libtma.TensorMapTrap, match=both):
        halves().load([0, 3])


def test_a_misspelt_argument_is_named():
    with pytest.raises(TypeError, match="tiled.*: no argument is called 'swizle': 'swizzle'"):
        TensorMapDescriptor.tiled(HALVES, (8, 8), swizle="128B")
    signature = inspect.signature(TensorMapDescriptor.tiled)
    assert list(signature.parameters)[:2] == ["tensor", "box_dim"]
    assert signature.parameters["check"].default is True


@pytest.fixture
def plain_integers():
    with driver.lenient():
        yield


def test_the_allocation_class(plain_integers):
    kind = driver.CUtensorMapAllocClass
    driver.set_target({"arch": "sm_100a", "driver": "13.5"})
    try:
        error, desc = driver.cuTensorMapEncodeTiled(0, 2, 4096, [4096, 4096], [4096], [64, 64],
                                                    [1, 1], 0, 0, 0, 0)
        before = bytes(desc)
        for asked, there in (("LARGE", "LARGE"), ("SMALL", "SMALL"), ("AUTO", "LARGE")):
            error, now = driver.cuTensorMapSetAllocationClass(
                desc, kind[f"CU_TENSOR_MAP_ALLOC_CLASS_{asked}"])
            assert error.name == "CUDA_SUCCESS" and now.name.endswith(there)
        assert bytes(desc) == before
        assert driver.cuTensorMapSetAllocationClass(desc, 7)[0].name == "CUDA_ERROR_INVALID_VALUE"
    finally:
        driver.set_target(None)


def test_last_findings_are_the_last_calls(plain_integers):
    driver.cuTensorMapEncodeTiled(0, 2, 8, [64, 64], [64], [16, 16], [1, 1], 0, 0, 0, 0)
    assert driver.last_findings()
    with pytest.raises(ValueError, match=r"globalDim: 1 entry, this tensorRank reads 2"):
        driver.cuTensorMapEncodeTiled(0, 2, 4096, [64], [64], [16, 16], [1, 1], 0, 0, 0, 0)
    assert driver.last_findings() == ()


def test_the_swizzles_index():
    assert [libtma.swizzled(128 * row, "128B") for row in range(4)] == [0, 128 + 16, 256 + 32, 384 + 48]
    assert all(libtma.swizzled(libtma.swizzled(n, "64B"), "64B") == n for n in range(2048))


def test_python_m_libtma():
    done = subprocess.run([sys.executable, "-m", "libtma", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and libtma.__version__ in done.stdout


def test_the_command_of_pip_install_target(monkeypatch, tmp_path):
    from libtma import __main__ as command
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/tma").touch()
    monkeypatch.setattr(command, "__file__", str(tmp_path / "libtma/__main__.py"))
    monkeypatch.setattr(command.sysconfig, "get_path", lambda name: str(tmp_path / name))
    monkeypatch.setattr(command.sys, "executable", str(tmp_path / "none/python"))
    assert command._command() == (tmp_path / "bin/tma").resolve()


WITHOUT_ML_DTYPES = """
import sys
if sys.argv[3] == "without":
    sys.modules["ml_dtypes"] = None
import numpy as np
from libtma import TensorMapDescriptor, TensorSpec
memory = {0x1000: np.arange(8192, dtype=np.uint8)}
desc = TensorMapDescriptor.tiled(TensorSpec((8, 64), sys.argv[1], address=0x1000), (8, 16))
tile = desc.load([0, 0], memory=memory)
assert (str(tile.dtype), tile.shape) == (sys.argv[2], (8, 16)), tile.dtype
desc.store([0, 0], tile, memory=memory)
"""


@pytest.mark.parametrize("word, dtype, ml_dtypes_is", [
    ("tfloat32", "float32", "with"), ("float32_ftz", "float32", "with"),
    ("tfloat32_ftz", "float32", "without"),
    ("bfloat16", "bfloat16", "with"), ("bfloat16", "uint16", "without"),
    ("float8_e4m3fn", "uint8", "without")])
def test_a_load_without_out_makes_a_tile_that_a_store_takes(word, dtype, ml_dtypes_is):
    """Also where NumPy has no such type."""
    subprocess.run([sys.executable, "-c", WITHOUT_ML_DTYPES, word, dtype, ml_dtypes_is], check=True)
