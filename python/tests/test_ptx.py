# SPDX-License-Identifier: Apache-2.0
"""libtma.ptx: text read and written, what is lacking and wrong, and captured copies run from text:
those of maps that no driver makes, of instructions that do not fit their map, to several CTAs."""
import sys
import threading

import numpy as np
import pytest
from conftest import BASE, ROOT, lines
from test_vectors_copy import WINDOW, memory
from test_vectors_encode import encode

import libtma
from libtma import Target, TensorMapDescriptor, _core, ptx

LOAD = "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], " \
       "[%rd1, {%r2, 8}], [%r3];"


def tiled():
    a = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    return a, TensorMapDescriptor.tiled(a, (8, 64))


def test_a_statement_is_read():
    s = ptx.parse(f"@!%p1 {LOAD[:-1]}")
    assert str(s) == f"@!%p1 {LOAD}"
    assert (s.kind, s.op, s.mode, s.rank) == ("cp.async.bulk.tensor", "load", "tile", 2)
    assert (s.guard, s.negated, s.map, s.coords) == ("%p1", True, "%rd1", ("%r2", 8))
    assert (s.shared, s.barrier, s.cta_mask) == ("%r1", "%r3", None)
    s = ptx.parse("tensormap.replace.tile.box_dim.global.b1024.b32 [a+64], 1, 7;")
    assert (s.kind, s.field, s.ordinal, s.value, s.map) == ("tensormap.replace", "box_dim", 1, 7,
                                                            "a+64")


@pytest.mark.parametrize("text,why", [
    ("mov.b32 %r1, %r2;", "no tensor instruction"), ("", "no tensor instruction"),
    ("cp.async.bulk.tensor.2d [%r1];", "column 25: .* was expected"),
    (LOAD.replace("8}", "8, 9}"), "column")])
def test_what_is_none_says_so(text, why):
    with pytest.raises(ValueError, match=why):
        ptx.parse(text)


def test_a_file():
    text = f".version 8.6\n.target sm_90a\n.visible .entry kernel()\n{{\n  {LOAD} ret;\n}}\n"
    found, = ptx.statements(text)
    assert (found.line, found.function, found.text) == (5, "kernel", LOAD)
    with pytest.raises(ValueError, match="line 5: column"):
        ptx.statements(text.replace("[%r3]", "%r3"))
    some = sorted((ROOT / "tests/ptx").glob("**/*.ptx"))
    assert sum(len(ptx.statements(path.read_text())) for path in some) > 0


def test_what_a_target_lacks():
    s = ptx.parse(LOAD)
    assert [(x.name, x.version, x.by_version) for x in s.lacks(Target("sm_90"), 80)] == [
        ("a .shared::cta destination", 86, True)]
    assert s.lacks(Target("sm_90"), 86) == ()
    gather = ptx.parse(LOAD.replace(".global.mbar", ".global.tile::gather4.mbar").replace(
        "8}", "1, 2, 3, 4}"))
    assert gather.lacks(Target("sm_90"))[0].by_version is False
    assert gather.lacks(Target("sm_100a")) == ()


def test_what_no_map_takes():
    assert ptx.parse(LOAD).finding() is None
    finding = ptx.parse(LOAD.replace("[%r1]", "[64]")).finding()
    assert finding.rule == "shared-align" and finding.value == 64


def test_it_runs_with_the_registers_values():
    a, desc = tiled()
    shared = bytearray(2048)
    ptx.run(LOAD, desc, shared, window_address=1024, registers={"%r1": 2048, "%r2": 0})
    assert shared == bytes(1024) + a[8:16].tobytes()
    assert ptx.plan(LOAD, desc, registers={"%r1": 0, "%r2": 0})["tx_B"] == 1024
    for registers, why in (({}, "no value for '%r2', a coordinate"),
                           ({"%r2": 2**31, "%r1": 0}, "%r2 = 2147483648, a coordinate: an operand"),
                           ({"%r2": 0, "%r1": -128}, "%r1 = -128, the address in shared memory")):
        with pytest.raises(ValueError, match=why):
            ptx.run(LOAD, desc, shared, registers=registers)
    with pytest.raises(libtma.TensorMapTrap) as caught:
        ptx.run(LOAD, desc, shared, registers={"%r1": 0, "%r2": 4})
    assert caught.value.position == (4, 8)
    with pytest.raises(libtma.TensorMapMemoryError):
        ptx.run(LOAD, desc, bytearray(1023), registers={"%r1": 0, "%r2": 0})
    with pytest.raises(ValueError, match="shared: none given"):
        ptx.run(LOAD, desc, registers={"%r1": 0, "%r2": 0})


def test_several_ctas():
    a, desc = tiled()
    text = LOAD.replace("shared::cta", "shared::cluster").replace(
        "::bytes", "::bytes.multicast::cluster").replace("[%r3]", "[%r3], %rs1")
    windows = [bytearray(1024) for _ in range(4)]
    ptx.run(text, desc, windows, registers={"%r1": 0, "%r2": 0, "%rs1": 0b1010})
    tile = a[8:16].tobytes()
    assert windows == [bytes(1024), tile, bytes(1024), tile]
    with pytest.raises(libtma.TensorMapTrap):
        ptx.run(text, desc, windows, registers={"%r1": 0, "%r2": 0, "%rs1": 0b10000})


OVERRIDE = "cp.async.bulk.tensor.2d.shared::{}.global.tile.mbarrier::complete_tx::bytes{}" \
           ".override::global_address.override::global_dim_stride [0], " \
           "[map, %rd1, {{%r1, 5}}, {{%r2}}, %r3, {{0, 0}}], [bar]{};"


def test_override_reads_what_its_operands_say():
    a = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    desc = TensorMapDescriptor.tiled(a, (8, 64), target=Target("sm_107a", driver="13.2"))
    text = OVERRIDE.format("cta", "", "")
    shared = bytearray(b"\xff" * 1024)
    # from row 16 on, 5 rows, each the second one behind the one before
    registers = {"%rd1": a.ctypes.data + 16 * 128, "%r1": 64, "%r2": 16, "%r3": 0}
    ptx.run(text, desc, shared, registers=registers)
    assert shared == a[16:26:2].tobytes() + bytes(3 * 128)
    assert ptx.plan(text, desc, registers=registers)["fill_B"] == 3 * 128
    assert ptx.plan(text.replace("%r1, 5", "%r1, 6"), desc, registers=registers)["fill_B"] == 2 * 128
    with pytest.raises(ValueError, match="no value for '%rd1', gAddrToOverride"):
        ptx.run(text, desc, shared, registers={"%r1": 64, "%r2": 16, "%r3": 0})
    with pytest.raises(ValueError, match="%r1 = 256, tensorSizeToOverride: an operand of 8 bits"):
        ptx.run(text, desc, shared, registers={**registers, "%r1": 256})
    with pytest.raises(ValueError, match="an operand of .override that is an expression"):
        ptx.run(text.replace("%r1, 5", "4*16, 5"), desc, shared, registers=registers)
    with pytest.raises(libtma.TensorMapTrap, match="map-address-align"):
        ptx.run(text, desc, shared, registers={**registers, "%rd1": a.ctypes.data + 8})


def test_what_a_barrier_reports():
    a = np.zeros((64, 64), dtype=np.float16)
    desc = TensorMapDescriptor.tiled(a, (8, 64), target=Target("sm_107a", driver="13.2"))
    text = LOAD.replace("::bytes", "::bytes.mbarrier::report::validity::per_16bytes::8000")
    where = {"%r1": 0, "%r2": 0}
    assert ptx.reports(text, desc, registers=where) == "no"
    a[9, 8] = -0.0
    assert ptx.reports(text, desc, registers=where) == "perhaps"
    a[9, 8:16] = -0.0
    assert ptx.reports(text, desc, registers=where) == "yes"
    assert ptx.reports(LOAD, desc, registers=where) == "no"  # no mechanism


def test_a_mask_of_32_bits():
    a = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    desc = TensorMapDescriptor.tiled(a, (8, 64), target=Target("sm_107a", driver="13.2"))
    text = LOAD.replace("shared::cta", "shared::cluster").replace(
        "::bytes", "::bytes.multicast::cluster::32b").replace("[%r3]", "[%r3], %r4")
    windows = [bytearray(1024) for _ in range(32)]
    ptx.run(text, desc, windows, registers={"%r1": 0, "%r2": 0, "%r4": 1 << 31 | 1})
    tile = a[8:16].tobytes()
    assert [bytes(w) == tile for w in windows] == [i in (0, 31) for i in range(32)]


def instruction(case):
    """A captured copy as PTX."""
    rank = case.get("irank", case["rank"])
    loads = case["op"] in ("load", "prefetch")
    mode = {"tile": "tile", "im2col": "im2col" if loads else "im2col_no_offs",
            "gather4": "tile::gather4", "scatter4": "tile::scatter4", "im2col_w": "im2col::w",
            "im2col_w128": "im2col::w::128"}[case["mode"]]
    coords = case["coord"] if "gather4" in mode or "scatter4" in mode else (
        case["coord"] + [0] * rank)[:rank]
    wanted = rank - 2 if mode == "im2col" else 2
    offsets = [*case.get("off", []), 0, 0][:wanted] if loads and "im2col" in mode else []
    address = f"[map, {{{', '.join(map(str, coords))}}}]"
    info = f", {{{', '.join(map(str, offsets))}}}" if offsets else ""
    if case["op"] == "load":
        masked = "mask" in case
        return (f"cp.async.bulk.tensor.{rank}d.shared::{'cluster' if masked else 'cta'}.global.{mode}"
                f".mbarrier::complete_tx::bytes{'.multicast::cluster' * masked} "
                f"[{WINDOW + case['smem']}], {address}, [bar]{info}{', %mask' * masked};")
    if case["op"] == "prefetch":
        return f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global.{mode} {address}{info};"
    name, op = ("", "") if case["op"] == "store" else (".reduce", "." + case["op"])
    return (f"cp{name}.async.bulk.tensor.{rank}d.global.shared::cta{op}.{mode}.bulk_group "
            f"{address}, [{WINDOW + case['smem']}];")


def the_map(case):
    """With the words changed that no driver would make so."""
    rc, tensor_map = encode({**case, "addr": case["addr"] + BASE})
    assert rc == 0
    data = bytearray(bytes(tensor_map))
    for patch in case.get("patch", "").split(",") if "patch" in case else ():
        word, mask, value = (int(n, 0) for n in patch.split(":"))
        old = int.from_bytes(data[4 * word:4 * word + 4], "little")
        data[4 * word:4 * word + 4] = (old & ~mask | value).to_bytes(4, "little")
    if "zero" in case:
        data[:] = bytes(len(data))
    target = Target(case["arch"]) if "arch" in case else None
    return TensorMapDescriptor.from_bytes(data, target=target)


def over_and_over(data, hexadecimal):
    part = bytes.fromhex(hexadecimal)
    data[:] = (part * (len(data) // len(part) + 1))[:len(data)]


def agrees(case):
    desc, text = the_map(case), instruction(case)
    whole, window = memory({**case, "op": "load" if case["op"] == "prefetch" else case["op"]})
    for data, key in ((whole, "g"), (window, "s")):
        if key in case:
            over_and_over(data, case[key])
    windows = [bytearray(window) for _ in range(case.get("cluster", 1))]
    before = [bytes(whole), bytes(window)]
    how = {"registers": {"%mask": case.get("mask", 0)}}
    try:
        plan = ptx.plan(text, desc, **how)
        ptx.run(text, desc, windows, memory=libtma.Memory({BASE: whole}), window_address=WINDOW,
                **how)
    except libtma.TensorMapTrap as trap:
        unmoved = [bytes(whole)] + [bytes(w) for w in windows] == before[:1] + before[1:] * len(
            windows)
        return unmoved and case["st"] == f"trap:{_core.trap_name(trap.finding)}"
    if case["st"] != "1":
        return False
    if case["op"] == "prefetch":
        return bytes(whole) == before[0]
    if case["op"] != "load":
        return _core.pattern_hash(whole) == int(case["hash"], 16)
    hashes = [case["hash"], *case.get("others", "").split(",")][:len(windows)]
    return ([_core.pattern_hash(w) for w in windows] == [int(text, 16) for text in hashes]
            and case.get("expect", plan["tx_B"]) == plan["tx_B"])


@pytest.mark.parametrize("name,count", [
    ("probes", 205), ("copy_edge", 257), ("copy_gather_scatter", 269), ("copy_blackwell", 17)])
def test_captured_copies_from_text(name, count):
    cases = [case for case in lines(name) if case["rc"] == 0]
    wrong = [case for case in cases if not agrees(case)]
    assert not wrong[:3]
    assert len(cases) == count


KERNEL = """.version 8.6
.target sm_90a
.address_size 64
.extern .shared .align 128 .b8 smem[];
.visible .entry kernel(.param .align 64 .b8 map[128])
{
  .reg .b32 %r<9>; .reg .b64 %rd<9>;
  mov.u32 %r1, 3; shl.b32 %r2, %r1, 1; mov.u32 %r3, smem; mov.b64 %rd1, map; cvta.param.u64 %rd2, %rd1;
  cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%rd2, {%r2, 0}], [%r3];
  ret;
}
"""


def rules(said):
    return {finding["rule"] for finding in said["instructions"][0]["findings"]}


def test_a_whole_file_is_judged():
    _, desc = tiled()
    said = ptx.check(KERNEL)
    site, = said["instructions"]
    assert (site["line"], site["function"]) == (9, "kernel")
    assert (site["coord"], site["shared_address"]) == ([6, 0], "smem")
    assert said["modules"][0]["target"] == "sm_90a" and said["notes"] == []
    assert "coord-align" not in rules(said) and "coord-align" in rules(ptx.check(KERNEL, maps={"map": desc}))
    assert "coord-align" in rules(ptx.check(KERNEL, maps={"": bytes(memoryview(desc).cast("B"))}))
    assert "ptx-target" not in rules(said)


def test_why_a_value_is_known():
    said = ptx.why(KERNEL, 9)
    assert "%r2 = 6" in said and "line 8: shl.b32 %r2, %r1, 1" in said
    with pytest.raises(ValueError, match="no kernel runs an instruction of line 1"):
        ptx.why(KERNEL, 1)


def test_what_is_no_file_says_so():
    with pytest.raises(ValueError, match="no PTX"):
        ptx.check("hello")
    with pytest.raises(ValueError, match="maps: map: 5 B, a map has 128"):
        ptx.check(KERNEL, maps={"map": b"12345"})


def test_check_lets_other_threads_run():
    """A thread that holds Python's lock is not asked to give it up here: who runs first then got it from
    the check."""
    copy = ("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%p], 16, [bar];\n"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 16;\n")
    text = (".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 from)\n{\n"
            ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b8 bar[8];\n.reg .b64 %p;\n"
            "ld.param.u64 %p, [from];\n"
            + copy * 20000 + "ret;\n}\n")
    order, began = [], threading.Event()

    def work():
        began.set()
        ptx.check(text)
        order.append("check")

    before = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        began.wait()
        order.append("other")
        thread.join()
    finally:
        sys.setswitchinterval(before)
    assert order == ["other", "check"]
