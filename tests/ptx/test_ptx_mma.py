# SPDX-License-Identifier: Apache-2.0
"""Matrix descriptors beside the maps of the copies that filled their tiles (rule mma-layout): right
kernels are silent, each break is named with both lines, what is not known is silent."""

import json
import os
import subprocess

import pytest

TMA = os.environ["TMA"]

HEAD = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 128 .b8 maps[256], .param .u32 n)
{
.reg .pred %p<9>;
.reg .b32 %r<40>;
.reg .f32 %f<9>;
.reg .b64 %q<20>;
"""
BEGIN = """.shared .align 1024 .b8 tile[32768];
.shared .align 8 .b64 bar;
mov.u64 %q2, maps;
cvta.param.u64 %q3, %q2;
add.s64 %q4, %q3, 128;
ld.param.u32 %r20, [n];
mov.u32 %r2, tile;
mov.u32 %r5, bar;
mov.u32 %r1, %tid.x;
mov.b32 %r12, 0;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r5], 1;
fence.mbarrier_init.release.cluster;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 16384;
"""
LOAD = (
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r2], [%q3, {0, 0}], [%r5];\n"
)
WAIT = """BEGUN:
bar.sync 0;
W:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;
@!%p2 bra W;
"""
ADDRESS = "and.b32 %r6, %r2, 262143;\nshr.u32 %r7, %r6, 4;\ncvt.u64.u32 %q5, %r7;\n"
BFE = "bfe.u32 %r7, %r2, 4, 14;\ncvt.u64.u32 %q5, %r7;\n"
OR = "or.b64 %q6, %q5, {high};\nadd.s64 %q6, %q6, {step};\n"
PAIR = "mov.b32 %r9, 1073741888;\nadd.s32 %r8, %r7, {step};\nmov.b64 %q6, {{%r8, %r9}};\n"
UNPACKED = (
    "or.b64 %q7, %q5, {high};\nmov.b64 {{%r10, %r11}}, %q7;\nadd.s32 %r10, %r10, {step};\n"
    "mov.b64 %q6, {{%r10, %r11}};\n"
)
MMA = """wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.{shape}.f32.{types} {{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}}, %q6, %q6, 0, 1, 1{majors};
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
"""
END = "ret;\n}\n"

RIGHT = 0x4000004000010000  # 128B, stride 1024
K_STEP = 2  # 16 columns of f16 are 32 bytes


def encoded(*words):
    done = subprocess.run(
        [TMA, "encode", "--address", "0x10000", *words], capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.fixture(scope="module", name="maps")
def made_maps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("maps")

    def make(name, *words):
        (folder / name).write_text(encoded(*words))
        return str(folder / name)

    return {
        "128B": make("m128", "--dtype=f16", "--dim=64,128", "--box=64,128", "--swizzle=128B"),
        "64 rows": make("m64", "--dtype=f16", "--dim=64,128", "--box=64,64", "--swizzle=128B"),
        "none": make("m0", "--dtype=f16", "--dim=64,128", "--box=64,128"),
        "64B": make("m64B", "--dtype=f16", "--dim=32,128", "--box=32,128", "--swizzle=64B"),
        "bytes": make("mu8", "--dtype=u8", "--dim=128,128", "--box=128,128", "--swizzle=128B"),
    }


def kernel(address=ADDRESS, made=OR, high=RIGHT, step=0, before="", load=LOAD, mma=MMA, **mma_words):
    words = {"shape": "m64n16k16", "types": "f16.f16", "majors": ", 0, 0", **mma_words}
    body = address + made.format(high=high, step=step) + mma.format(**words)
    return HEAD + BEGIN + load + WAIT + before + body + END


def said(text, *maps, words=()):
    options = [word for m in maps for word in ("--map", m)]
    run = subprocess.run(
        [TMA, "ptx", "--json", *options, *words, "-"], input=text, capture_output=True, text=True, check=False
    )
    assert run.returncode in (0, 1), run.stderr
    answer = json.loads(run.stdout)
    found = answer["findings"] + [f for i in answer["instructions"] for f in i["findings"]]
    return [f for f in found if f["rule"] == "mma-layout"]


def listed(text, *maps):
    options = [word for m in maps for word in ("--map", m)]
    run = subprocess.run([TMA, "ptx", "--mma", *options, "-"], input=text, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout


@pytest.mark.parametrize("address", [ADDRESS, BFE], ids=["and", "bfe"])
@pytest.mark.parametrize("made", [OR, PAIR, UNPACKED], ids=["or", "pair", "unpacked"])
@pytest.mark.parametrize("step", [0, K_STEP, 3 * K_STEP, 512])
def test_right_is_silent_and_listed(maps, address, made, step):
    text = kernel(address, made, step=step)
    assert said(text, maps["128B"]) == []
    lines = listed(text, maps["128B"])
    assert "2 descriptors known, 2 equal to copies, 0 to a part, 0 not" in lines
    k, m = 8 * step % 64, step // 512 * 64
    assert f"from m {m}, k {k} of its tile on" in lines


BREAKS = {
    "half the stride": RIGHT - (32 << 32),
    "twice the stride": RIGHT + (64 << 32),
    "another swizzle": RIGHT + (1 << 62),
    "no swizzle": RIGHT - (1 << 62),
    "a base offset": RIGHT + (1 << 49),
}


@pytest.mark.parametrize("name", BREAKS)
@pytest.mark.parametrize("made", [OR, UNPACKED], ids=["or", "unpacked"])
def test_each_break_is_named(maps, name, made):
    text = kernel(made=made, high=BREAKS[name])
    found = said(text, maps["128B"])
    assert [f["certain"] for f in found] == [True, True]
    line = 1 + text[: text.index("cp.async.bulk.tensor")].count("\n")
    mma = 1 + text[: text.index("wgmma.mma_async")].count("\n")
    for f in found:
        assert f["line"] == mma and f["other_line"] == line, f
    assert "reads" in found[0]["text"] or "begins" in found[0]["text"]
    assert "0 equal to copies, 0 to a part, 2 not" in listed(text, maps["128B"])


def test_the_first_element_is_the_one_that_mma_names(maps):
    text = kernel(high=BREAKS["half the stride"])
    found = said(text, maps["128B"])
    assert "reads m 8, k 0 from tile+576, but the copy into tile put it at tile+1024" in " ".join(
        f["text"] for f in found
    )


def test_the_map_decides(maps):
    text = kernel()
    assert said(text, maps["none"]) and said(text, maps["64B"])
    assert said(text) == []  # no map is known
    right = kernel(high=0x8000002000010000)
    assert said(right, maps["64B"]) == [] and said(right, maps["128B"])


def test_bytes_as_another_type(maps):
    fp8 = kernel(shape="m64n16k32", types="e4m3.e4m3", majors="")
    assert said(fp8, maps["bytes"]) == []
    assert said(kernel(high=RIGHT - (32 << 32), shape="m64n16k32", types="e4m3.e4m3", majors=""), maps["bytes"])


@pytest.mark.parametrize("shape, types, is_read", [
    ("m64n8k16", "f16.f16", True), ("m64n128k16", "bf16.bf16", True), ("m64n16k8", "tf32.tf32", True),
    ("m32n16k16", "f16.f16", False), ("m65n16k16", "f16.f16", False), ("m128n16k16", "f16.f16", False),
    ("m64n0k16", "f16.f16", False), ("m64n264k16", "f16.f16", False), ("m64n257k16", "f16.f16", False),
    ("n64m16k16", "f16.f16", False), ("m64k16n16", "f16.f16", False), ("m64n16", "f16.f16", False), ("mn16k16", "f16.f16", False),
    ("m64n16k16", "f16.f99", False), ("m64n16k16", "f99.f16", False), ("m64n16k16", "", False)])
def test_shapes_and_types(maps, shape, types, is_read):
    """What is no MMA of wgmma's is not read as one: its descriptors are not counted."""
    text = kernel(shape=shape, types=types, majors=", 0, 0" if types != "tf32.tf32" else "")
    assert ("2 descriptors known" in listed(text, maps["128B"])) == is_read
    assert is_read or said(text, maps["128B"]) == []


def test_majors(maps):
    turned = kernel(high=0x4000004002000000, majors=", 1, 1")
    assert said(turned, maps["64 rows"]) == []
    wrong = kernel(high=0x4000002002000000, majors=", 1, 1")
    assert [f["certain"] for f in said(wrong, maps["64 rows"])] == [True, True]


def test_a_tile_of_two_copies_is_told_as_a_part(maps):
    m32 = LOAD + "add.s32 %r13, %r2, 8192;\n" + LOAD.replace("[%r2]", "[%r13]")
    text = kernel(load=m32, shape="m64n128k16")
    text = text.replace("{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}", "{" + ",".join(["%f0"] * 64) + "}")
    assert said(text, maps["64 rows"]) == []
    lines = listed(text, maps["64 rows"])
    assert "1 equal to copies, 1 to a part, 0 not" in lines
    assert "reads the 1024 of 2048 elements" in lines
    assert said(text.replace(str(RIGHT), str(RIGHT - (32 << 32))), maps["64 rows"])


SILENT = {
    "an address that is not known": kernel(address=ADDRESS.replace("%r2,", "%r20,"), high=RIGHT - (32 << 32)),
    "an offset that is not known": kernel(high=RIGHT - (32 << 32)).replace(
        "mov.u32 %r2, tile;", "mov.u32 %r2, tile;\nadd.s32 %r2, %r2, %r20;"
    ),
    "each thread its own": kernel(
        address="shl.b32 %r21, %r1, 4;\nadd.s32 %r22, %r2, %r21;\n" + ADDRESS.replace("%r2,", "%r22,"),
        high=RIGHT - (32 << 32),
    ),
    "written again by threads": kernel(before="st.shared.b32 [%r2], %r1;\n", high=RIGHT - (32 << 32)),
    "operand A in registers": kernel(
        high=RIGHT - (32 << 32), mma=MMA.replace("%q6, %q6, 0, 1, 1", "{{%r1,%r1,%r1,%r1}}, %q9, 0, 1, 1")
    ).replace(", 0, 0;", ", 0;"),
    "sparse": kernel(high=RIGHT - (32 << 32)).replace("mma_async.sync", "mma_async.sp.sync"),
    "behind the tile": kernel(step=1024, high=RIGHT - (32 << 32)),
    "another variable": kernel(address=ADDRESS.replace("%r2,", "%r5,"), high=RIGHT - (32 << 32)),
}


@pytest.mark.parametrize("why", SILENT)
def test_silent_where_it_is_not_known(maps, why):
    assert said(SILENT[why], maps["128B"]) == []


def test_a_write_somewhere_in_the_variable_makes_it_may(maps):
    write = "shl.b32 %r21, %r20, 4;\nadd.s32 %r22, %r2, %r21;\nst.shared.b32 [%r22], %r1;\n"
    found = said(kernel(before=write, high=RIGHT - (32 << 32)), maps["128B"])
    assert [f["certain"] for f in found] == [False, False]


@pytest.mark.parametrize("align", [16, 128, 1024])
def test_all_places_that_the_alignment_allows(maps, align):
    def placed(high):
        return kernel(high=high).replace(".align 1024 .b8 tile", f".align {align} .b8 tile")

    assert said(placed(RIGHT), maps["128B"]) == []
    assert said(placed(RIGHT - (32 << 32)), maps["128B"])


def test_a_stage_of_a_loop_in_its_first_turn(maps):
    loop = """mov.b32 %r30, 0;
HEAD:
shl.b32 %r31, %r30, 14;
add.s32 %r32, %r2, %r31;
{mma}add.s32 %r33, %r30, 1;
setp.gt.s32 %p5, %r33, 1;
selp.b32 %r30, 0, %r33, %p5;
setp.lt.u32 %p6, %r30, %r20;
@%p6 bra HEAD;
"""

    def staged(high):
        body = ADDRESS.replace("%r2,", "%r32,") + OR.format(high=high, step=K_STEP)
        mma = MMA.format(shape="m64n16k16", types="f16.f16", majors=", 0, 0")
        return HEAD + BEGIN + LOAD + WAIT + loop.format(mma=body + mma) + END

    assert said(staged(RIGHT), maps["128B"]) == []
    assert "2 equal to copies" in listed(staged(RIGHT), maps["128B"])
    assert said(staged(RIGHT - (32 << 32)), maps["128B"])


TCGEN05 = """mov.b32 %r14, {idesc};
setp.ne.b32 %p7, %r12, 0;
tcgen05.mma.cta_group::{group}.kind::f16 [%r12], %q6, %q6, %r14, %p7;
"""


@pytest.mark.parametrize("group", [1, 2])
def test_tcgen05_takes_its_operands_from_idesc(maps, group):
    m, n = 64 * group, 16 * group
    idesc = 1 << 4 | n // 8 << 17 | m // 16 << 24  # f16, f32 sums, K-major
    base = 0x4000404000010000  # version 1, 128B, stride 1024

    def text(high, number=idesc):
        return kernel(high=high, mma=TCGEN05.format(idesc=number, group=group)).replace("sm_90a", "sm_100a")

    assert said(text(base), maps["128B"]) == []
    lines = listed(text(base), maps["128B"])
    assert "2 equal to copies" in lines and f"K-major f16, m {m // group}:" in lines
    found = said(text(base - (32 << 32)), maps["128B"])
    assert [f["certain"] for f in found] == [True, True]
    assert "M-major f16" in listed(text(base, idesc | 3 << 15), maps["128B"])
    assert said(text(base - (32 << 32), idesc | 7 << 7 | 7 << 10), maps["128B"]) == []  # types that there are not


def test_a_map_behind_a_name(maps):
    second = LOAD.replace("%q3", "%q4")
    broken = kernel(load=second, high=RIGHT - (32 << 32))
    assert said(broken, f"maps+128={maps['128B']}")
    assert said(broken, f"maps={maps['128B']}") == []
    assert said(kernel(load=second), f"maps+0x80={maps['128B']}", f"maps={maps['none']}") == []
    for bad in ("maps+x=", "maps+99999999999="):
        run = subprocess.run([TMA, "ptx", "--map", f"{bad}{maps['128B']}", "-"], input=broken, capture_output=True, text=True, check=False)
        assert run.returncode == 2 and "NAME+OFFSET" in run.stderr
