# SPDX-License-Identifier: Apache-2.0
"""libtma.emulate: kernels on arrays, in place; findings as objects, as an exception."""
import pathlib
import runpy
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
