# SPDX-License-Identifier: Apache-2.0
"""libtma.emulate: kernels on arrays, in place; findings as objects, as an exception."""
import array
import ctypes
import pathlib
import runpy
import struct
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from fake_tensors import aligned

import libtma
import libtma.emulate as emulate
from libtma import _triton_driver

INPUTS = pathlib.Path(__file__).resolve().parents[2] / "tests/golden/inputs"
ADD = (INPUTS / "emulate_add.ptx").read_text()
TILE = (INPUTS / "emulate_tile.ptx").read_text()
NAME = "_Z3addPKfPfi"
GRID_SYNC = (INPUTS.parents[2] / "program/runtime/tests/grid_sync.ptx").read_text()


def test_arrays_are_memory_in_place():
    module = emulate.Module(ADD)
    a, b = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    result = module.launch(NAME, 2, 64, [a, b, 127])
    assert module.kernels == [NAME]
    assert result.end == "completed" and not result.findings and result.instructions > 1000
    assert b[:127].tolist() == (a[:127] + 1).tolist() and b[127] == 0


def test_what_is_no_argument_is_named():
    module = emulate.Module(ADD)
    with pytest.raises(TypeError, match="2 arguments, .* takes 3"):
        module.launch(NAME, 1, 32, [None, None])
    with pytest.raises(ValueError, match="no entry 'add'"):
        module.launch("add", 1, 32)
    with pytest.raises(TypeError, match="'object' is no number, tensor"):
        module.launch(NAME, 1, 32, [object(), None, 1])
    with pytest.raises(ValueError, match="block"):
        module.launch(NAME, 1, 2048, [None, None, 1])


def test_out_of_bounds_is_raised_with_its_access():
    a, b = np.zeros(64, np.float32), np.zeros(64, np.float32)
    with pytest.raises(emulate.EmulationError, match="out-of-bounds") as caught:
        emulate.Module(ADD).launch(NAME, 2, 64, [a, b, 128])
    finding = caught.value.result.findings[0]
    assert finding.rule == "out-of-bounds" and finding.certain and finding.accesses[0].bytes == 4


@pytest.mark.parametrize("schedule", ["late", "early", "seeded"])
def test_a_race_has_its_two_accesses(schedule):
    out = np.zeros(128, np.float32)
    tile = np.ones((32, 64), np.float16)
    tensor_map = libtma.as_tensor_map(tile, box_dim=(32, 64))
    module = emulate.Module(TILE)
    words = {"memory": [tile], "schedule": schedule, "check": False}
    assert not module.launch("waits", 1, 128, [tensor_map, out], **words).findings
    broken = module.launch("waits_not", 1, 128, [tensor_map, out], **words)
    assert [f.rule for f in broken.findings] == ["wait-missing"]
    assert {a.proxy for a in broken.findings[0].accesses} == {"generic", "async"}
    assert broken.coverage == (5, 5) and "mbarrier" in str(broken.findings[0])


def test_who_waits_because_of_a_cause():
    held = emulate.Module((INPUTS / "emulate_held_more.ptx").read_text())
    finding, = held.launch("held", 1, 192, check=False).findings
    assert finding.leads_to == "deadlock" and (len(finding.waits), finding.waits_more) == (4, 2)
    assert str(finding).endswith("at line 37: barrier 3\n    with it: 2 more")


def test_an_access_has_its_source_line():
    """By the .loc of the PTX, which nobody sees where a compiler made it; without one the PTX's own line."""
    marked = TILE.replace("ld.shared.u32", ".loc 1 12 9\n    ld.shared.u32") + '\n.file 1 "tile.py"\n'
    tile = np.ones((32, 64), np.float16)
    said = []
    for text in (TILE, marked):
        with pytest.raises(emulate.EmulationError) as caught:
            emulate.Module(text).launch("waits_not", 1, 128, [libtma.as_tensor_map(tile, box_dim=(32, 64)),
                                                              np.zeros(128, np.float32)], memory=[tile])
        said.append((caught.value.result.findings[0].accesses[0], str(caught.value)))
    (plain, plain_text), (with_loc, loc_text) = said
    assert plain.source is None and f"CTA 0, line {plain.line}:" in plain_text
    assert with_loc.source == "tile.py:12"
    assert f"CTA 0, tile.py:12 (line {with_loc.line} of the PTX):" in loc_text


def test_rules_have_meanings():
    assert emulate.rules()["data-race"].startswith("two unordered accesses")


def test_a_trace_is_a_picture(tmp_path):
    trace = b"".join(line.encode() + b"\n" for line in (
        '{"schema": 1, "verb": "trace", "kernel": "k", "pass": {"schedule": "late", "seed": 0, "number": 0}}',
        '{"step": 1, "cta": 0, "warp": 0, "lanes": "0x1", "line": 7}',
        '{"step": 2, "cta": 0, "warp": 1, "lanes": "0x1", "line": 9, "access": {"op": "read"}}',
        '{"rule": "data-race", "certain": true, "text": "unordered", "accesses": '
        '[{"cta": 0, "thread": 32, "line": 9, "iteration": 1, "op": "read", "step": 2}]}',
        '{"end": "completed", "why": null, "line": 0, "step_count": 2}'))
    picture = emulate.timeline(trace)
    assert "data-race: unordered" in picture.svg and picture.svg.startswith("<svg")
    (tmp_path / "run.trace").write_bytes(trace)
    assert emulate.timeline(tmp_path / "run.trace").svg == picture.svg
    assert "step 1: CTA 0" not in emulate.timeline(trace, first=2, columns=4).svg
    with pytest.raises(ValueError, match="this is no trace"):
        emulate.timeline(b"{}")


def test_the_example_prints_what_it_is_for(capsys):
    runpy.run_path(str(INPUTS.parents[2] / "examples/emulate_arrays.py"))
    said = capsys.readouterr().out
    assert "right: [32 33 34 35] [28 29 30 31]" in said and "wrong: data-race" in said


@pytest.mark.parametrize("arch", ["sm_90a", "sm_100a"])
def test_triton_launches_encode_for_their_architecture(arch):
    """Elements of 4 bits are Blackwell's: Triton's mixed block-scaled product has a map of them."""
    packed = aligned(64 * 64).reshape(64, 64)
    desc = SimpleNamespace(base=_triton_driver.as_array(packed), shape=[64, 64], strides=[64, 1],
                           block_shape=[64, 64], padding="zero")
    meta = {"swizzle": int(libtma.TensorMapSwizzle.SWIZZLE_128B), "elem_size": 1, "block_size": [64, 128],
            "data_type": int(libtma.TensorMapDataType.PACKED_16U4_ALIGN16B), "fp4_padded": True}
    launcher = _triton_driver._Launcher(SimpleNamespace(signature={"a": "tensordesc<u8[64, 64]>"}),
                                        SimpleNamespace(tensordesc_meta=[meta]))
    launcher.driver = SimpleNamespace(arch=arch)
    values = launcher._values("tensordesc<u8[64, 64]>", desc, iter([meta]), [])
    if arch == "sm_90a":
        with pytest.raises(libtma.TensorMapError, match="dtype-target"):
            next(values)
    else:
        assert next(values) == bytes(libtma.TensorMapDescriptor.from_triton(desc, meta=meta, target=arch))


def test_a_cooperative_launch():
    module = emulate.Module(GRID_SYNC)
    numbers, out = np.zeros(6, np.uint32), np.zeros(6, np.uint32)
    module.launch("rounds", 6, 64, [numbers, out], cooperative=True)
    assert out.tolist() == [6, 5, 4, 3, 2, 1]
    with pytest.raises(emulate.EmulationError, match="out-of-bounds"):
        module.launch("rounds", 6, 64, [numbers, out])
    with pytest.raises(ValueError, match="265 CTAs; a cooperative launch"):
        module.launch("rounds", 265, 1024, [numbers, out], cooperative=True)


# ---- what is global memory in place ----

class Exporter:
    """DLPack by hand: a capsule over a NumPy array's memory, with shape, strides and flags of its own."""

    NEW = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
        ("PyCapsule_New", ctypes.pythonapi))

    def __init__(self, array, shape=None, strides=(), *, offset=0, bits=32, device=1, flags=None, major=1):
        self.array, self.device, self.flags = array, device, flags
        shape = array.shape if shape is None else shape
        strides = strides or (None if strides is None else [s // array.itemsize for s in array.strides])
        self.shape = (ctypes.c_int64 * max(len(shape), 1))(*shape)
        self.strides = strides and (ctypes.c_int64 * len(strides))(*strides)
        tensor = struct.pack("@PiiiBBHPPQ", array.ctypes.data, device, 0, len(shape), 2, bits, 1,
                             ctypes.addressof(self.shape),
                             ctypes.addressof(self.strides) if self.strides else 0, offset)
        versioned = struct.pack("@IIPPQ", major, 0, 0, 0, flags or 0)
        self.bytes = ctypes.create_string_buffer(tensor + bytes(16) if flags is None else versioned + tensor)
        self.asked = []

    def __dlpack_device__(self):
        return (self.device, 0)

    def __dlpack__(self, **how):
        if self.flags is None and "max_version" in how:
            raise TypeError("__dlpack__() got an unexpected keyword argument 'max_version'")
        self.asked.append(how)
        name = b"dltensor" if self.flags is None else b"dltensor_versioned"
        return self.NEW(ctypes.addressof(self.bytes), name, None)


class Numpys:
    """NumPy's own __dlpack__ and nothing else of it."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **how):
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def add(a, b, n=64, **words):
    return emulate.Module(ADD).launch(NAME, 1, 64, [a, b, n], **words)


@pytest.mark.parametrize("kind", [
    Numpys, Exporter, lambda a: Exporter(a, flags=0), lambda a: Exporter(a, strides=None), memoryview,
    lambda a: array.array("f", a.tolist()), lambda a: a,
], ids=["NumPy's", "old", "new", "packed", "memoryview", "array.array", "ndarray"])
def test_what_is_memory_in_place(kind):
    a, b = kind(np.arange(64, dtype=np.float32)), kind(np.zeros(64, np.float32))
    assert not add(a, b).findings
    came = b if isinstance(b, (np.ndarray, memoryview, array.array)) else b.array
    assert list(came) == [i + 1 for i in range(64)]


def test_an_offset_and_strides_of_any_sign_are_followed():
    """A parameter is the address of the first element; memory is that of all elements."""
    host = np.arange(128, dtype=np.float32)
    b = np.zeros(64, np.float32)
    assert not add(Exporter(host, (8,), (8,), offset=256), b, 8).findings
    assert b[:8].tolist() == list(range(65, 73))
    with pytest.raises(emulate.EmulationError, match="out-of-bounds"):
        # 57 from the first to the last, and room to a unit of 16 B
        add(Exporter(host, (8,), (8,), offset=256), b, 61)
    assert not add(Exporter(host, (8, 2), (8, 1), offset=0), b, 58).findings
    with pytest.raises(emulate.EmulationError, match="out-of-bounds"):
        add(Exporter(host, (8,), (-1,), offset=28), b, 2)  # the first element is the highest
    assert not add(Exporter(host, (8,), (0,)), b, 1).findings


def test_a_slice_reaches_all_of_its_array():
    whole = np.arange(256, dtype=np.float32).reshape(16, 16)
    b = np.zeros(64, np.float32)
    assert not add(whole[2, 4:6], b).findings and b[:64].tolist() == list(range(37, 101))
    down = np.zeros(16, np.float32)[::-1]
    with pytest.raises(emulate.EmulationError, match="out-of-bounds"):
        add(whole, down, 2)


@pytest.mark.parametrize("kind", [lambda a: a, Numpys, lambda a: Exporter(a, flags=1), memoryview],
                         ids=["array", "dlpack", "flag", "buffer"])
@pytest.mark.parametrize("count", [64, 62])
def test_what_is_read_only_is_not_written(kind, count):
    b = np.zeros(count, np.float32)
    b.flags.writeable = False
    a = np.arange(64, dtype=np.float32)
    a.flags.writeable = False
    done = np.zeros(64, np.float32)
    if kind is Numpys and not takes_versions(b):
        pytest.skip("this NumPy gives no read-only array by DLPack")
    assert not add(kind(a), done, count).findings and done[count - 1] == count
    with pytest.raises(emulate.EmulationError, match="out-of-bounds.*read-only: "):
        add(a, kind(b), count)
    assert not b.any()


def takes_versions(value):
    try:
        value.__dlpack__(max_version=(1, 0))
    except (TypeError, BufferError):
        return False
    return True


def test_a_read_only_view_of_what_another_argument_writes():
    a = np.arange(64, dtype=np.float32)
    view = a[:]
    view.flags.writeable = False
    assert not add(view, a).findings and a[5] == 6


HOST = np.zeros(64, np.float32)


@pytest.mark.parametrize("value, said", [
    (lambda: Exporter(HOST, device=2), "memory of 'Exporter' is not this machine's: copy it first"),
    (lambda: Exporter(HOST, flags=2), "'Exporter' gives a copy by DLPack"),
    (lambda: Exporter(HOST, flags=0, major=2), "DLPack 2, and version 1 was asked for"),
    (lambda: Exporter(HOST, bits=4), "elements of 4 bits, must be whole bytes"),
    (lambda: Exporter(HOST, bits=0), "elements of 0 bits"),
    (lambda: Exporter(HOST, (2,), (1 << 62,)), "are no addresses of 64 bits"),
    (lambda: Exporter(HOST, (2,), (-(1 << 61),)), "are no addresses of 64 bits"),
    (lambda: SimpleNamespace(__cuda_array_interface__={"shape": (4,), "typestr": "<f4",
                                                       "data": (4096, False)}), "not this machine's"),
    (lambda: libtma.TensorSpec((4,), "float32", address=4096), "of 'TensorSpec' is not this machine's"),
], ids=["device", "copy", "version", "bits", "none", "far", "below", "interface", "spec"])
def test_memory_that_no_kernel_here_reaches(value, said):
    with pytest.raises(ValueError, match=f"^a: .*{said}"):
        add(value(), np.zeros(64, np.float32), 1)
    with pytest.raises(ValueError, match=f"^memory: .*{said}"):
        add(None, None, 0, memory=[value()])


def test_what_came_by_dlpack_lives_as_long_as_the_launch():
    """An exporter whose memory is its capsule's alone, and is used for something else after it."""
    store = np.arange(64, dtype=np.float32)

    class Owned:
        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **how):
            fresh = store[:]
            weakref.finalize(fresh, store.fill, 99)
            return fresh.__dlpack__(**how)

    b = np.zeros(64, np.float32)
    assert not add(Owned(), b).findings and b[63] == 64 and store[0] == 99
