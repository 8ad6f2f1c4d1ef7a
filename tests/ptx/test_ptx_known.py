# SPDX-License-Identifier: Apache-2.0
"""What tma ptx knows of registers, names and maps in kernels written by hand: a comment `!rule` stands on each
line that a finding is true of, and no other line has one. ptxas takes each file, where there is one."""
import json
import re
import subprocess

import pytest

from test_ptx_checked import PTXAS, TMA

HEAD = ".version 8.8\n.target sm_90a\n.address_size 64\n"
BEGIN = """.visible .entry k(.param .align 64 .b8 p[256], .param .u64 q, .param .u32 n)
{
.reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<33>; .reg .b64 %rd<33>;
.shared .align 1024 .b8 smem[4096]; .shared .align 8 .b8 bar[8];
mov.b64 %rd1, p; cvta.param.u64 %rd1, %rd1; ld.param.u64 %rd2, [q]; ld.param.u32 %r20, [n];
mov.u32 %r21, %tid.x; setp.eq.u32 %p8, %r21, 0;
"""
EDIT = "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd2], 1, 8;"
RELEASE = "fence.proxy.tensormap::generic.release.gpu;"
ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu [%rd2], 128;"
MAP = "--dtype float32 --dim 256,256 --box 32,64 --format=raw"  # 8192 B


def load(x, tile="smem", at="%rd1"):
    return f"cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [{tile}], [{at}, {{{x}, 0}}], [bar];"


def armed(count_B, at="%rd5", rule=""):
    return (f"mbarrier.init.shared::cta.b64 [bar], 1; fence.mbarrier_init.release.cluster;\n"
            f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], {count_B}; {rule}\n{load(0, at=at)}\n"
            "W: mbarrier.try_wait.parity.shared::cta.b64 %p7, [bar], 0; @!%p7 bra W;\n")


def encoded(path, words=MAP):
    path.write_bytes(subprocess.run([TMA, "encode", *words.split()], capture_output=True, check=True).stdout)
    return path


def said(text, tmp_path, *options):
    path = tmp_path / "k.ptx"
    path.write_bytes(text.encode())
    if PTXAS and text.count(".version") == 1:  # of one module
        taken = subprocess.run([PTXAS, "-c", "-arch=sm_90a", str(path), "-o", str(tmp_path / "cubin")],
                               capture_output=True, text=True)
        assert taken.returncode == 0, taken.stderr + text
    answer = json.loads(subprocess.run([TMA, "ptx", "--json", *options, str(path)], capture_output=True, text=True).stdout)
    return sorted((f.get("line", at.get("line")), f["rule"]) for at in [*answer["instructions"], answer] for f in at["findings"]
                  if f["rule"] not in {"wait-missing", "expect-missing", "barrier-init", "store-reuse", "parity-constant"})


def meant(text):
    lines = enumerate(re.split(r"\r?\n", text), 1)
    return sorted((n, rule) for n, line in lines for rule in re.findall(r"!([a-z][a-z-]+)", line))


def kernel(body, before=""):
    return HEAD + before + BEGIN + body + "\nret;\n}\n"


REGISTERS = {
    "relu": f"min.relu.s32 %r1, -3, 5; {load('%r1')}\nmax.relu.s32 %r2, -16, -32; {load('%r2')}\n"
            f"min.s32 %r3, -3, 5; {load('%r3')} // !coord-align",
    "never": f"setp.eq.u32 %p1, 0, 1; @%p1 bra L; bra M; L:\n{load(1)}\nM: @%p1 {load(3)}\n@!%p1 {load(3)} // !coord-align",
    "always": f"mov.u32 %r1, 7; setp.ne.s32 %p1, %r1, -7; @%p1 bra M; {load('%r1')}\nM: {load('%r1')} // !coord-align",
    "loop never entered": f"mov.u32 %r1, 4; setp.ge.u32 %p1, %r1, 4; @%p1 bra E;\nL: {load('%r1')}\nadd.u32 %r1, %r1, 1;\n"
                          f"setp.lt.u32 %p2, %r1, %r20; @%p2 bra L; E: {load('%r1')}\n{load(5)} // !coord-align",
    "carry": f"add.cc.u32 %r1, -1, 2; addc.u32 %r2, 3, 0; {load('%r2')}\n{load('%r1')} // !coord-align",
    "parts": f"mov.u32 %r1, 5; mov.b64 %rd4, 77; mov.b64 {{_, %r1}}, %rd4; {load('%r1')}\n"
             f"mov.b64 %rd5, {{%r20, 5}}; shr.u64 %rd6, %rd5, 32; cvt.u32.u64 %r2, %rd6; {load('%r2')} // !coord-align",
    "narrow": f"cvt.sat.u8.s32 %r3, 1000; {load('%r3')} // !coord-align\ncvt.s8.s32 %r5, 0x7f8; {load('%r5')}\n"
              f"cvt.s32.s8 %r6, 0x7f9; {load('%r6')} // !coord-align",
    "scopes": f"mov.u32 %r1, 8; {{ mov.u32 %r1, 9; .reg .b32 %r1; mov.u32 %r1, 4; {load('%r1')} }}\n{load('%r1')} // !coord-align",
    "labels": "{ @%p8 bra L; mov.u32 %r1, 8; bra M; L: mov.u32 %r1, 4; M: }\n"
              f"{{ @%p8 bra L; mov.u32 %r2, 9; bra M; L: mov.u32 %r2, 9; M: }} {load('%r1')}\n{load('%r2')} // !coord-align",
    "shorter range": f".reg .b32 u; mov.u32 u, 5; {{ .reg .b32 %r<2>; mov.u32 %r1, 8; mov.u32 u, %r1; mov.u32 %r2, 9; }}\n"
                     f"{load('u')}\n{load('%r2')} // !coord-align",
    "comments": "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [smem], "
                "[%rd1, {1/* ; } */+/**/0 /* , */, 0 }], [bar]; // !coord-align",
    "two predicates": f"setp.eq.u32 %p1|%p2, 3, 3; @%p2 {load(3)}\n@%p1 {load(3)} // !coord-align\n"
                      f"setp.lt.and.s32 %p3|%p4, -1, 1, !%p2; selp.b32 %r1, 5, 8, %p4; {load('%r1')}\n"
                      f"selp.b32 %r2, 5, 8, %p3; {load('%r2')} // !coord-align",
    "logic of predicates": "setp.eq.u32 %p1, 3, 3; not.pred %p2, %p1; and.pred %p3, %p8, %p2; or.pred %p4, %p1, %p8;\n"
                           f"xor.pred %p5, %p8, %p8; @%p2 {load(3)} @%p3 {load(3)} @%p5 {load(5)} @!%p4 {load(7)}\n"
                           f"mov.pred %p6, %p4; @%p6 {load(9)} // !coord-align",
    "absorbed": f"and.b32 %r1, %r20, 0; or.b32 %r1, %r1, 8; {load('%r1')}\nor.b32 %r2, -1, %r20;\n"
                f"and.b32 %r3, %r2, 9; {load('%r3')} // !coord-align",
    "the warp's size": f"mov.u32 %r1, WARP_SZ; {load('%r1')}\nadd.u32 %r1, %r1, 1; {load('%r1')} // !coord-align",
    "one of two registers": f"mov.u32 %r1, 9; @%p8 mov.u32 %r1, 8; @%p8 {load('%r1')}\nadd.u32 %r2, %r30, 5; {load('%r2')}",
    "list of variables": f"{{ .shared .align 16 .b8 a[64], b[2048]; {load(8, 'b+64')} }}\n{load(8, 'b+64')} // !shared-align",
    "list with values": f"{{ .local .align 8 .b8 a[8], b[8]; st.local.b32 [b], 5; ld.local.b32 %r1, [b]; }}\n"
                        f"{load('%r1')} // !coord-align",
}
BEFORE = {"list of variables": ".shared .align 1024 .b8 b[4096];\n"}


@pytest.mark.parametrize("name", REGISTERS)
def test_registers_and_names(name, tmp_path):
    text = kernel(REGISTERS[name], BEFORE.get(name, ""))
    assert said(text, tmp_path) == meant(text)
    if name != "comments":
        text = text.replace("\n", "\r\n")
        assert said(text, tmp_path) == meant(text)


def test_functions(tmp_path):
    """Two names of one function, one that calls itself, one whose parameter is hidden by a block's name."""
    before = (".visible .func (.reg .b32 r) g () { mov.u32 r, 5; ret; }\n.visible .func (.reg .b32 r) h ();\n.alias h, g;\n"
              ".shared .align 128 .b8 own[512]; .shared .align 8 .b64 bar;\n"
              ".func f (.reg .b32 x, .reg .b64 m)\n{\n{ .reg .b32 x; mov.u32 x, 8; " + load("x", "own", "m") + " }\n" +
              load("x", "own", "m") + " // !coord-align\nret;\n}\n"
              ".func (.param .b32 r) again (.param .b32 a)\n{\n.reg .b32 t; .reg .pred p; ld.param.b32 t, [a];\n"
              "setp.eq.u32 p, t, 0; @p bra E; sub.u32 t, t, 1;\n"
              "{ .param .b32 b; .param .b32 c; st.param.b32 [b], t; call (c), again, (b); ld.param.b32 t, [c]; }\n"
              "E: st.param.b32 [r], t; ret;\n}\n")
    body = (f"call (%r1), h, (); {load('%r1')} // !coord-align\ncall f, (5, %rd1);\n"
            "{ .param .b32 b; .param .b32 c; st.param.b32 [b], 5; call (c), again, (b); ld.param.b32 %r2, [c]; }\n"
            f"{load('%r2')}")
    text = kernel(body, before)
    assert said(text, tmp_path) == meant(text)


def test_an_alias_is_of_its_module(tmp_path):
    """Modules behind each other: a name stands for one function in the first, for another one, or itself, in the next."""
    def module(h):
        return kernel(f"call (%r1), h, (); {load('%r1')}", "".join(
            f".visible .func (.reg .b32 r) {name} () {{ mov.u32 r, {x}; ret; }}\n" for name, x in (("f", 5), ("g", 8))) + h)
    names = {at: f".visible .func (.reg .b32 r) h ();\n.alias h, {at};\n" for at in "fg"}
    own = ".visible .func (.reg .b32 r) h () { mov.u32 r, 5; ret; }\n"
    bad, right = (module(names["f"]), "coord-align"), (module(names["g"]), None)
    for order in [[bad, right], [right, bad], [right, (module(own), "coord-align")]]:
        text = "".join(one.replace(load("%r1"), load("%r1") + (f" // !{rule}" if rule else "")) for one, rule in order)
        assert said(text, tmp_path) == meant(text)


# How a struct of an int, another one and a map goes to a function; what is stored and loaded in one way is known.
STRUCTS = {
    "parts": ("st.param.b32 [a], 5; st.param.b32 [a+4], 8;", "ld.param.b32 x, [s]; ld.param.b32 y, [s+4];", True),
    "vector": ("st.param.v2.b32 [a], {5, 8};", "ld.param.b32 x, [s]; ld.param.b32 y, [s+4];", True),
    "together": ("st.param.b64 [a], 0x800000005;", "ld.param.b32 x, [s]; ld.param.b32 y, [s+4];", False),
    "apart": ("st.param.b32 [a], 5; st.param.b32 [a+4], 8;", "ld.param.b64 z, [s]; mov.b64 {x, y}, z;", False),
    "half": ("st.param.b32 [a], 5; st.param.b16 [a+4], 8; st.param.b16 [a+6], 0;",
             "ld.param.b32 x, [s]; ld.param.b32 y, [s+4];", True),
}


@pytest.mark.parametrize("name", STRUCTS)
def test_a_struct_by_value(name, tmp_path):
    given, taken, is_known = STRUCTS[name]
    before = (".shared .align 128 .b8 own[512]; .shared .align 8 .b64 bar;\n"
              ".func f (.param .align 8 .b8 s[16])\n{\n.reg .b32 x, y; .reg .b64 m, z;\n"
              f"{taken} ld.param.b64 m, [s+8];\n{load('x', 'own', 'm')} // {'!coord-align' * is_known}\n"
              f"{load('y', 'own', 'm')}\nret;\n}}\n")
    text = kernel(f"{{ .param .align 8 .b8 a[16]; {given} st.param.b64 [a+8], %rd1; call f, (a); }}", before)
    assert said(text, tmp_path) == meant(text)


def with_guard(text):
    return "\n".join("@%p8 " + line for line in text)


FENCES = {
    "guarded": with_guard([EDIT, RELEASE, ACQUIRE, load(0, at="%rd2")]),
    "another thread's": f"{with_guard([EDIT, RELEASE])}\nbar.sync 0;\n{load(0, at='%rd2')} // !ptx-fence",
    "branches on one predicate": f"@!%p8 bra A; {EDIT} {RELEASE} A: @!%p8 bra B; {ACQUIRE} B: @!%p8 bra D; {load(0, at='%rd2')} D:",
    "never taken": f"setp.ne.u32 %p1, 4, 4; {EDIT} {RELEASE} @%p1 bra U; {ACQUIRE} U:\n{load(0, at='%rd2')}",
    "always past it": f"setp.eq.u32 %p1, 4, 4; {EDIT} {RELEASE} @%p1 bra U; {ACQUIRE} U:\n{load(0, at='%rd2')} // !ptx-fence",
    "two buffers": f"mov.u32 %r5, 0; mov.b64 %rd6, %rd2; add.s64 %rd7, %rd2, 128;\nL: {EDIT} {RELEASE}\n{load(0, at='%rd7')}\n{ACQUIRE}\n"
                   "mov.b64 %rd8, %rd6; mov.b64 %rd6, %rd7; mov.b64 %rd7, %rd8;\n"
                   "add.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, %r20; @%p3 bra L;".replace("%rd2]", "%rd6]"),
    "edited in the first turn": "mov.u32 %r5, 0;\nL: setp.ne.u32 %p2, %r5, 0; @%p2 bra S;\n" f"{EDIT} {RELEASE} {ACQUIRE}\n"
                                f"S: {load(0, at='%rd2')}\nadd.u32 %r5, %r5, 1; setp.lt.u32 %p3, %r5, %r20; @%p3 bra L;",
    "by way of memory": f"{EDIT} {RELEASE} st.global.b64 [tab], %rd2; ld.global.b64 %rd4, [tab];\n"
                        f"{ACQUIRE.replace('%rd2', '%rd4')}\n{load(0, at='%rd2')}",
}


@pytest.mark.parametrize("name", FENCES)
def test_fences(name, tmp_path):
    text = kernel(FENCES[name], ".global .align 8 .b64 tab;\n")
    assert said(text, tmp_path) == meant(text)


GIVEN = {  # what is done to what q points to, the map's bytes are given: then they need not be the copy's
    "nothing": ("", True),
    "an edit": (EDIT + RELEASE + ACQUIRE, False),
    "an edit of another": (f"ld.global.b64 %rd7, [tab]; {EDIT}".replace("%rd2", "%rd7"), False),
    "an edit of a copy in shared memory": ("tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [smem], 1, 8;", True),
    "a store": (f"st.global.b64 [%rd2+32], %rd1; {RELEASE} {ACQUIRE}", False),
    "a load": ("ld.global.b64 %rd7, [%rd2+32];", True),
    "a store of the pointer": ("st.global.b64 [tab], %rd2;", False),
    "a call": ("call out, (%rd2);", False),
    "a comparison": ("setp.ne.s64 %p1, %rd2, 0; @%p1 bra X; ret; X:", True),
}


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("given", ["q=", ""])
def test_a_given_map_that_the_kernel_changes(name, given, tmp_path):
    done, is_known = GIVEN[name]
    text = kernel(done + "\n" + armed(512, "%rd2", "// !ptx-expect-tx" * is_known),
                  ".global .align 8 .b64 tab;\n.extern .func out (.reg .b64 a);\n")
    found = [f for f in said(text, tmp_path, "--map", f"{given}{encoded(tmp_path / 'map')}") if f[1] != "ptx-publish"]
    assert found == meant(text)


HELD = {  # how the file itself has the map, and whether its bytes are known
    "numbers": (".global .align 64 .b8 m[128] = {%s};\n", True),
    "comments": (".global .align 64 .b8 m[128] = /* { */ {/* } */ %s // }\n};\n", True),
    "behind another": (".global .align 64 .b8 z[128], m[128] = {%s};\n", True),
    "its address in a variable": (".global .align 64 .b8 m[128] = {%s};\n.global .align 8 .u64 pp = generic(m);\n", False),
    "its address in an array": (".global .align 64 .b8 m[128] = {%s};\n.global .align 8 .u64 pp[2] = {0, m+8};\n", False),
}


@pytest.mark.parametrize("name", HELD)
def test_a_map_that_the_file_holds(name, tmp_path):
    form, is_known = HELD[name]
    bytes_ = ", ".join(map(str, encoded(tmp_path / "map").read_bytes()))
    text = kernel("mov.b64 %rd5, m; cvta.global.u64 %rd5, %rd5;\n" + armed(512, rule="// !ptx-expect-tx" * is_known),
                  form % bytes_)
    assert said(text, tmp_path) == meant(text)


def test_operations_of_operations(tmp_path):
    """Each names twelve others, eight deep: said in a moment, not in hours."""
    lines = [f"ld.global.u32 %s{i}, [%rd2+{4 * i}];" for i in range(12)]
    names, count = [f"%s{i}" for i in range(12)], 12
    for _ in range(8):
        made = []
        for j in range(12):
            for s in range(3):
                a, b, c = (names[(j + 4 * s + k) % 12] for k in range(3))
                lines.append(f"add.u32 %s{count}, {a}, {b}; add.u32 %s{count}, %s{count}, {c};")
                count += 1
            lines.append(f"prmt.b32 %s{count}, %s{count - 3}, %s{count - 2}, %s{count - 1};")
            made.append(f"%s{count}")
            count += 1
        names = made
    lines += [f"st.shared.u32 [{names[i % 12]}+{16 * i}], 5; {load(names[i % 12], f'{names[i % 12]}+{1024 * i}')}" for i in range(40)]
    text = kernel(f".reg .b32 %s<{count}>;\n" + "\n".join(lines))
    assert said(text, tmp_path) == []
    line = str(text[:text.index("st.shared")].count("\n") + 1)
    done = subprocess.run([TMA, "ptx", "--why", line, str(tmp_path / "k.ptx")], capture_output=True, text=True, timeout=60)
    assert "prmt.b32(" in done.stdout and "..." in done.stdout
