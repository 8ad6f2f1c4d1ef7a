# SPDX-License-Identifier: Apache-2.0
"""Descriptors as Python objects: making, reading, errors, tensors of many kinds, pictures."""
import concurrent.futures
import copy
import os
import pickle
import subprocess
import sys

import ml_dtypes
import numpy as np
import pytest

import libtma
from libtma import Target, TensorMapDescriptor, TensorSpec

PLACE = 0x7F0000000000


def plain(**how):
    return TensorMapDescriptor.tiled(TensorSpec((256, 512), "float16", address=PLACE), (128, 64),
                                     **how)


def test_outermost_first():
    desc = plain(swizzle="128B", l2_promotion=libtma.TensorMapL2Promotion.L2_128B)
    assert desc.shape == (256, 512) and desc.box_dim == (128, 64)
    assert desc.decode()["dim"] == [512, 256] and desc.decode()["box_dim"] == [64, 128]
    assert desc.decode()["swizzle"] is libtma.TensorMapSwizzle.SWIZZLE_128B
    assert desc.decode()["data_type"] is libtma.TensorMapDataType.FLOAT16 and desc.decode()["rank"] == 2
    assert desc.stride_bytes == (1024,) and desc.rank == 2 and desc.address == PLACE
    assert desc.data_type is libtma.TensorMapDataType.FLOAT16
    assert desc.swizzle is libtma.TensorMapSwizzle.SWIZZLE_128B
    assert desc.global_tx_bytes == desc.shared_storage_bytes == 128 * 64 * 2


def test_options_stand_for_the_arguments():
    options = libtma.TensorMapDescriptorOptions((128, 64), swizzle="64B", element_strides=(2, 1))
    tensor = TensorSpec((256, 512), "float16", address=PLACE)
    with pytest.raises(libtma.TensorMapError, match="inner-span"):
        TensorMapDescriptor.tiled(tensor, options=options)
    options = libtma.TensorMapDescriptorOptions((128, 32), swizzle="64B", element_strides=(2, 1))
    made = TensorMapDescriptor.tiled(tensor, options=options)
    assert made == TensorMapDescriptor.tiled(tensor, (128, 32), swizzle="64B",
                                             element_strides=(2, 1))
    with pytest.raises(TypeError, match="options"):
        TensorMapDescriptor.tiled(tensor, (1, 1), options=options)


def test_every_finding_is_shown():
    with pytest.raises(libtma.TensorMapError) as caught:
        TensorMapDescriptor.tiled(TensorSpec((8, 100), "float16", (3, 1), 8), (300, 128),
                                  swizzle="128B")
    rules = [f.rule for f in caught.value.findings if f.severity == "refused"]
    assert isinstance(caught.value, ValueError) and len(rules) >= 4
    assert all(f"{rule}: " in str(caught.value) for rule in rules)
    assert caught.value.spec["box_dim"] == [128, 300]
    box = next(f for f in caught.value.findings if f.argument == "boxDim" and f.index == 1)
    assert (box.value, box.limit, box.unit, box.legal) == (300, 256, "el", 256)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)


def test_forced():
    tensor = TensorSpec((8, 64), "float16", address=PLACE)
    forced = TensorMapDescriptor.tiled(tensor, (8, 128), swizzle="128B", check=False)
    assert [f.rule for f in forced.check() if f.severity == "refused"] == ["inner-span"]


def test_from_bytes_reads_dumps():
    desc = plain(swizzle="128B")
    data = bytes(desc)
    words = " ".join(f"0x{int.from_bytes(data[i:i + 8], 'little'):016x}" for i in range(0, 128, 8))
    for dump in (data, bytearray(data), data.hex(), words, desc.to_c(), desc.as_numpy().tobytes()):
        assert TensorMapDescriptor.from_bytes(dump) == desc
    for wrong in (data[:-1], "no map", b""):
        with pytest.raises(ValueError):
            TensorMapDescriptor.from_bytes(wrong)


def test_python_s_own():
    desc = plain()
    assert desc == plain() and desc != plain(swizzle="128B") and desc != 3
    with pytest.raises(TypeError):
        hash(desc)
    assert bytes(memoryview(desc)) == bytes(desc) and len(bytes(desc)) == 128
    with pytest.raises(TypeError):
        memoryview(desc)[0] = 1
    assert desc.ptr % 128 == 0 and desc.ptr == desc.getPtr() == desc.tma_desc_cpu_ptr()
    for same in (pickle.loads(pickle.dumps(desc)), copy.copy(desc), copy.deepcopy(desc)):
        assert same == desc and same.ptr != desc.ptr and same.target == desc.target
    assert repr(desc).startswith("<TensorMapDescriptor --api tiled --dtype float16")
    older = Target("sm_100a", ptx_version="8.5")
    assert pickle.loads(pickle.dumps(older)) == older != Target("sm_100a")
    assert (older.ptx_version, Target().ptx_version) == ("8.5", None) and "8.5" in repr(older)
    newer = Target("sm_100a", toolchain="13.5.37")
    assert (newer.toolchain, Target().toolchain) == ("13.5", None) and "toolchain='13.5'" in repr(newer)
    assert newer != Target("sm_100a") and pickle.loads(pickle.dumps(newer)) == newer
    with pytest.raises(ValueError, match="toolchain: 'new' is no CUDA release"):
        Target(toolchain="new")
    with pytest.raises(ValueError, match="ptx_version: '85' is not a PTX version such as 8.6"):
        Target(ptx_version="85")
    assert pickle.loads(pickle.dumps(Target("sm_100a"))) == Target("sm_100a") != Target("sm_90")


def test_a_map_is_made_by_a_reading():
    """--reading of tma encode: the words of a map that sources dispute, and what a map says of them."""
    tensor = TensorSpec((16, 16), "float16", address=PLACE)
    plain, span = (TensorMapDescriptor.tiled(tensor, (8, 16), swizzle="128B_ATOM_32B", target=Target(
        "sm_120a", readings=readings)) for readings in ({}, {"atom-repeat": "span"}))
    assert (plain.readings, span.readings) == ({}, {"atom-repeat": "span"})
    words = [np.frombuffer(desc, np.uint32) for desc in (plain, span)]
    assert np.flatnonzero(words[0] != words[1]).tolist() == [18]
    assert (words[0][18], words[1][18]) == (0x200, 0x400)


def test_a_target_reads_what_is_disputed():
    """As --reading: by name, remembered, compared; a copy that hangs on it follows."""
    default, behind = Target("sm_100a"), Target("sm_100a", readings={"w128-halo": "behind"})
    assert default.readings["w128-halo"] == "chunks" and behind.readings["w128-halo"] == "behind"
    assert {k: v for k, v in behind.readings.items() if k != "w128-halo"} == {
        k: v for k, v in default.readings.items() if k != "w128-halo"}
    assert behind != default and behind == Target("sm_100a", readings={"w128-halo": "behind"})
    assert pickle.loads(pickle.dumps(behind)) == behind
    assert repr(behind).endswith("readings={'w128-halo': 'behind'})") and "readings" not in repr(default)
    tensor = TensorSpec((64, 1024), "16u4_align8b", address=PLACE)
    memory = libtma.Memory({PLACE: bytes(range(256)) * 128})
    for target in (default, Target("sm_100a", readings={"b4-column": "2el"})):
        desc = TensorMapDescriptor.tiled(tensor, (8, 32), data_type="16u4_align8b", target=target)
        if target == default:
            with pytest.raises(libtma.TensorMapTrap, match="coord-align"):
                desc.load([0, 2], memory=memory)
        else:  # two elements are one byte
            assert bytes(desc.load([0, 2], memory=memory))[:16] == bytes(range(1, 17))
    with pytest.raises(ValueError, match="readings w128-halo='x': one of chunks, behind, behind-chunks"):
        Target(readings={"w128-halo": "x"})
    with pytest.raises(ValueError, match="unknown readings 'halo'"):
        Target(readings={"halo": "x"})


def test_edits():
    desc = plain()
    desc.replace_address(PLACE + 4096)
    assert desc.address == PLACE + 4096
    before = bytes(desc)
    with pytest.raises(libtma.TensorMapError, match="address"):
        desc.replace_address(PLACE + 8)
    assert bytes(desc) == before
    for toolchain, kept in ((None, 0x20), ("13.4", 0x20), ("13.5", 0)):
        large = TensorMapDescriptor.tiled(TensorSpec((4096, 4096), "float32"), (32, 32),
                                          target=Target("sm_100a", toolchain=toolchain))
        assert bytes(large)[10] & 0x20  # bit 21 of word 2: large
        large.replace("global_address", 0x7F0000001000)
        assert bytes(large)[10] & 0x20 == kept
    desc.replace("global_dim", 100, ordinal=0)
    assert desc.shape == (256, 100)
    for wrong in (("global_dim", 1, 5), ("box", 1, 0), ("swizzle_mode", 9, 0)):
        with pytest.raises(ValueError):
            desc.replace(wrong[0], wrong[1], ordinal=wrong[2])
    assert list(plain().diff(desc)) == ["address", "dim"]


@pytest.mark.parametrize("dtype,expected", [
    (np.uint8, "UINT8"), (np.int8, "UINT8"), (np.uint16, "UINT16"), (np.int32, "INT32"),
    (np.float16, "FLOAT16"), (np.float32, "FLOAT32"), (np.float64, "FLOAT64"),
    (np.int64, "INT64"), (np.uint64, "UINT64"), (ml_dtypes.bfloat16, "BFLOAT16"),
    (ml_dtypes.float8_e4m3fn, "UINT8"), (ml_dtypes.float8_e5m2, "UINT8")])
def test_dtypes_of_numpy(dtype, expected):
    tensor = np.zeros((64, 64), dtype)
    desc = TensorMapDescriptor.tiled(tensor, (8, 16))
    assert desc.data_type.name == expected
    tile = desc.load([0, 0])
    assert tile.dtype == tensor.dtype and tile.shape == (8, 16)


class Strided:
    """A tensor that has one protocol and nothing else."""

    def __init__(self, array, **attributes):
        self.array = array
        self.__dict__.update(attributes)


class Torch(Strided):
    def data_ptr(self):
        return self.array.ctypes.data

    def stride(self):
        return tuple(s // self.array.itemsize for s in self.array.strides)

    def element_size(self):
        return self.array.itemsize


class DLPack(Strided):
    def __dlpack__(self, **how):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return (1, 0)


def test_tensors_of_all_protocols():
    array = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)[:, :48]
    expected = TensorMapDescriptor.tiled(array, (8, 16))
    class Device:
        def __str__(self):
            return "cpu"
        type = "cpu"
    kinds = [
        Torch(array, shape=array.shape, dtype="torch.float32", device=Device()),
        Strided(array, __array_interface__=array.__array_interface__, dtype=array.dtype),
        Strided(array, __cuda_array_interface__=array.__array_interface__),
        DLPack(array, dtype=array.dtype), DLPack(array),
        memoryview(array),
        TensorSpec(array.shape, "float32", (64, 1), array.ctypes.data)]
    for kind in kinds:
        assert TensorMapDescriptor.tiled(kind, (8, 16)) == expected, kind
    for kind in (kinds[1], kinds[3], kinds[5]):
        tile = TensorMapDescriptor.tiled(kind, (8, 16)).load([8, 32])
        assert (tile == array[8:16, 32:48]).all()
    for nothing in (3, "tensor", None, [1, 2]):
        with pytest.raises(TypeError):
            TensorMapDescriptor.tiled(nothing, (8, 16))


def test_types_by_the_documents_words():
    """PTX's words, with their dot and without, and cuda.h's: of a tensor and as data_type."""
    names = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8,
             "bf16": 9, "tf32": 11, "b32": 2, "b64": 4, "b4x16": 13, "b4x16_p64": 14, "b6x16_p32": 15,
             "b6p2x16": 15, "int32": 3, "TFLOAT32_FTZ": 12, "16U4_ALIGN16B": 14,
             "CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B": 15}
    for name, number in names.items():
        for word in (name, "." + name):
            desc = TensorMapDescriptor.tiled(TensorSpec((8, 256), word), (1, 128), target="sm_100a")
            assert desc.data_type == number, word
        tensor = TensorSpec((8, 256), "u8")
        desc = TensorMapDescriptor.tiled(tensor, (1, 128), data_type="." + name, target="sm_100a") \
            if number in (0, 13, 14, 15) else desc
        assert desc.data_type == number, name


def test_wrong_arguments_are_named():
    array = np.zeros((64, 64), np.float16)
    for wrong, said in (({"box_dim": (8,)}, "box_dim has 1"), ({"box_dim": (8, -1)}, "box_dim"),
                        ({"box_dim": "88"}, "box_dim"), ({"box_dim": None}, "box_dim"),
                        ({"box_dim": (8, 8), "swizzle": "129B"}, "swizzle"),
                        ({"box_dim": (8, 8), "data_type": "float32"}, "data_type"),
                        ({"box_dim": (8, 8), "element_strides": (1,)}, "element_strides"),
                        ({"box_dim": (8, 8), "stride_order": (0, 0)}, "stride_order")):
        with pytest.raises((ValueError, TypeError), match=said):
            TensorMapDescriptor.tiled(array, **wrong)
    with pytest.raises(ValueError, match="contiguous"):
        TensorMapDescriptor.tiled(array[:, ::2], (8, 8))
    with pytest.raises(ValueError, match="negative"):
        TensorMapDescriptor.tiled(array[::-1], (8, 8))
    with pytest.raises(ValueError, match="16u4_align8b, 16u4_align16b"):
        TensorMapDescriptor.tiled(TensorSpec((64, 128), "fp4"), (8, 128))
    with pytest.raises(ValueError, match="16u4_align8b, 16u4_align16b"):
        TensorMapDescriptor.tiled(np.zeros((64, 64), np.uint8), (8, 128), data_type="fp4")
    desc = TensorMapDescriptor.tiled(array, (8, 8))
    with pytest.raises(ValueError, match=r"out: its shape is \(63,\), the box's \(8, 8\)"):
        desc.load([0, 0], out=np.zeros(63, np.float16))
    with pytest.raises(TypeError, match="out: its elements are float32, the map's float16"):
        desc.load([0, 0], out=np.zeros((8, 8), np.float32))
    with pytest.raises(TypeError, match="C-contiguous"):
        desc.load([0, 0], out=np.zeros((8, 8), np.float16, order="F"))
    with pytest.raises(TypeError, match="writable"):
        desc.load([0, 0], out=bytes(128))
    with pytest.raises(ValueError, match="2147483648"):
        desc.load([0, 2**31])
    with pytest.raises(ValueError, match="op"):
        desc.reduce([0, 0], np.zeros((8, 8), np.float16), "load")


def test_no_copy_is_a_trap_or_an_instruction_that_is_not_there():
    array = np.zeros((64, 64), np.float16)
    desc = TensorMapDescriptor.tiled(array, (8, 8))
    with pytest.raises(libtma.TensorMapTrap, match="coord-align") as caught:
        desc.load([0, 3])
    assert caught.value.finding.rule == "coord-align" and caught.value.position == (3, 0)
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is libtma.TensorMapTrap and str(again).split("\n")[0] in str(caught.value)
    with pytest.raises(libtma.TensorMapInstructionError):
        desc.gather4([0, 1, 2, 3], 0)  # sm_90 has none
    with pytest.raises(libtma.TensorMapMemoryError):
        desc.load([0, 0], memory=libtma.Memory({PLACE: bytearray(64)}))


def test_memory_ranges():
    desc = plain()
    low, high = bytearray(64 * 1024), bytearray(64 * 1024 * 4)
    memory = libtma.Memory({PLACE: low})
    memory.map(PLACE + len(low), high)
    assert len(memory) == 2
    desc.store([0, 0], np.ones((128, 64), np.float16), memory=memory)
    assert (desc.load([0, 0], memory=memory) == 1).all()
    with pytest.raises(ValueError, match="overlaps"):
        memory.map(PLACE + 100, bytearray(8))
    with pytest.raises(ValueError, match="read-only"):
        desc.store([0, 0], np.ones((128, 64), np.float16),
                   memory=libtma.Memory({PLACE: bytes(256 * 1024)}))


def test_plan_and_walk():
    desc = plain(swizzle="128B")
    plan = desc.plan([200, 480])
    assert plan["tx_B"] == 16384 and plan["rows"] == 128
    assert plan["inside_B"] == 56 * 32 * 2 and plan["fill_B"] == 16384 - 56 * 64
    walk = desc.walk([200, 480])
    assert len({len(column) for column in walk.values()}) == 1
    assert walk["length_bytes"].sum() == 16384 and walk["address"].dtype == np.uint64
    assert set(walk["coord"][0]) == {200, 480}
    assert desc.prefetch([0, 0])["global_B"] == 16384


def test_im2col():
    tensor = np.random.default_rng(0).standard_normal((2, 6, 8, 16)).astype(np.float32)
    desc = TensorMapDescriptor.im2col(tensor, (-1, -1), (-1, -1), 16, 48)
    assert desc.box_dim == (48, 16)
    padded = np.pad(tensor, ((0, 0), (1, 1), (1, 1), (0, 0)))
    for h in range(3):
        for w in range(3):
            tile = desc.load([0, -1, -1, 0], im2col_offsets=(h, w))
            expected = padded[0, h:h + 6, w:w + 8].reshape(48, 16)
            assert (tile.reshape(48, 16) == expected).all()


def test_pictures_and_html(tmp_path):
    desc = plain(swizzle="128B")
    picture = desc.draw("copy", [0, 0])
    assert picture.svg.startswith("<svg") or "<svg" in picture.svg[:200]
    assert picture._repr_svg_() == picture._repr_mimebundle_()["image/svg+xml"]
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == picture.svg
    with pytest.raises(ValueError, match=".svg"):
        picture.save(tmp_path / "a.gif")
    assert [p.name for p in tmp_path.iterdir()] == ["a.svg"]
    picture.save(tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == picture.png and picture.png[1:4] == b"PNG"
    with pytest.raises(ValueError, match="none of"):
        desc.draw("nothing")
    assert "No rule is broken" in desc._repr_html_() and ">FLOAT16<" in desc._repr_html_()
    forced = TensorMapDescriptor.tiled(TensorSpec((8, 64), "float16", address=PLACE), (8, 128),
                                       swizzle="128B", check=False)
    assert "inner-span" in forced._repr_html_()


def test_a_picture_is_written_by_nobody_else_s_link_nor_name(tmp_path):
    """In a folder that others write to: the new file's name cannot be foreseen, and is each call's own."""
    picture = plain().draw("copy", [0, 0])
    (tmp_path / "kept").write_text("kept")
    (tmp_path / f".a.svg.{os.getpid()}").symlink_to(tmp_path / "kept")  # what it once was
    picture.save(tmp_path / "a.svg")
    assert (tmp_path / "kept").read_text() == "kept" and not (tmp_path / "a.svg").is_symlink()
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: picture.save(tmp_path / "a.svg"), range(200)))
    assert (tmp_path / "a.svg").read_text() == picture.svg
    picture.save(tmp_path / ("a" * 250 + ".svg"))
    with pytest.raises(OSError):
        picture.save(tmp_path / "none" / "a.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(OSError):
        picture.save(tmp_path / "folder.svg")
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".libtma")]


def test_from_triton():
    class Descriptor:
        base = np.zeros((64, 64), np.float16)
        shape, strides, block_shape, padding = [64, 64], [64, 1], [8, 16], "nan"
    Descriptor.base = Torch(Descriptor.base, dtype="torch.float16", shape=(64, 64))
    desc = TensorMapDescriptor.from_triton(Descriptor, swizzle="32B")
    assert desc.box_dim == (8, 16) and desc.decode()["oob_fill"] == 1
    assert desc.swizzle.name == "SWIZZLE_32B"


def test_imports_nothing():
    code = ("import sys, libtma, libtma.driver; "
            "print([m for m in ('numpy', 'cuda', 'torch', 'triton') if m in sys.modules])")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("dtype,tile_B", [("16u4_align8b", 512), ("16u4_align16b", 1024),
                                          ("16u6_align16b", 1024)])
def test_packed_types_have_no_dtype_in_numpy(dtype, tile_B):
    tensor = TensorSpec((64, 1024), dtype, address=PLACE)
    desc = TensorMapDescriptor.tiled(tensor, (8, 128), data_type=dtype, target=Target("sm_100a"))
    tile = desc.load([0, 0], memory=libtma.Memory({PLACE: bytearray(64 * 1024)}))
    assert tile.dtype == np.uint8 and tile.nbytes == tile_B


def test_offsets_are_as_many_as_the_instruction_has():
    a = np.zeros((64, 64), np.float16)
    desc = TensorMapDescriptor.tiled(a, (8, 64))
    for offsets in ([], [8], [0, 0, 0]):
        for ask in (desc.load, desc.plan, desc.walk, desc.prefetch,
                    lambda at: desc.store(at, np.zeros((8, 64), np.float16)),
                    lambda at: desc.draw("copy", at)):
            with pytest.raises(ValueError, match=f"offsets has {len(offsets)} entr.* in mode tile takes 2"):
                ask(offsets)
    rows = TensorMapDescriptor.tiled(a, (1, 64), target=libtma.Target("sm_100a"))
    with pytest.raises(ValueError, match="rows has 3 entries; gather4 and scatter4 take 4"):
        rows.gather4([1, 2, 3], 0)
    assert rows.gather4([1, 2, 3, 4], 0).shape == (4, 64)
    assert rows.draw("gather", mode="gather4").svg.startswith("<svg")
    wide = TensorMapDescriptor.im2col(np.zeros((2, 8, 8, 64), np.float16), (0, 0), (0, 0), 64, 32)
    with pytest.raises(ValueError, match="im2col_offsets has 1 entry; .* in mode im2col takes 2"):
        wide.load([0, 0, 0, 0], im2col_offsets=[1])


@pytest.mark.parametrize("lacks", ["data", "shape", "typestr"])
def test_an_array_interface_that_lacks_a_member(lacks):
    whole = {"data": (1 << 20, False), "shape": (64, 64), "typestr": "<f2", "version": 3}
    rest = {k: v for k, v in whole.items() if k != lacks}
    object_ = type("Array", (), {"__cuda_array_interface__": rest})()
    with pytest.raises(ValueError, match=f"tensor: its array interface has no '{lacks}'"):
        libtma.TensorMapDescriptor.tiled(object_, (8, 64))
