# SPDX-License-Identifier: Apache-2.0
"""Warps that give registers away (setmaxnreg.dec): ptxas does not keep code that is put into a kernel within what they
have left, so its machine code is asked. In kernels with checks that are called, setmaxnreg is taken out."""
import os
import re
import subprocess

import pytest
from machine_code import NVDISASM, PTXAS, functions

TMA = os.environ["TMA"]
LEFT = 24  # the fewest that PTX allows
LOAD = "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
pytestmark = pytest.mark.skipif(not PTXAS or not NVDISASM, reason="no ptxas or no nvdisasm")


def pipeline(maps, elected=""):
    """A warpgroup that loads with LEFT registers, and two that keep 100 values and store."""
    loads = "".join(
        f"{elected and '@%p4 '}{LOAD} [%r{10 + m}], [%rd{m + 1}, {{%r2, %r3, %r4}}], [%r5];\nadd.s32 %r{10 + m}, %r{10 + m}, %r6;\n" for m in range(maps))
    values = range(100)
    return (".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k("
            + ", ".join(f".param .align 64 .b8 map{m}[128]" for m in range(maps)) + ", .param .u64 p) .maxntid 384 .minnctapersm 1\n{\n"
            ".reg .b32 %r<99>; .reg .b32 %v<101>; .reg .b64 %rd<40>; .reg .pred %p<9>; .shared .align 1024 .b8 s[99328];\n"
            + "".join(f"mov.b64 %rd{m + 20}, map{m}; cvta.param.u64 %rd{m + 1}, %rd{m + 20};\n" for m in range(maps))
            + "ld.param.u64 %rd18, [p]; cvta.to.global.u64 %rd19, %rd18; mov.u32 %r1, %tid.x; setp.gt.u32 %p1, %r1, 127;\n"
            "mov.u32 %r5, s; add.s32 %r5, %r5, 98304; mov.u32 %r6, 1024; @%p1 bra CONSUMER;\n"
            f"setmaxnreg.dec.sync.aligned.u32 {LEFT};\n{'' if elected else 'setp.ne.u32 %p2, %r1, 0; @%p2 bra DONE;'}\n"
            + "".join(f"mov.u32 %r{10 + m}, s;\n" for m in range(maps)) +
            "ld.global.u32 %r2, [%rd19]; ld.global.u32 %r3, [%rd19+4]; ld.global.u32 %r4, [%rd19+8]; ld.global.u32 %r7, [%rd19+12];\n"
            f"TURN:\n{elected}{loads}add.s32 %r2, %r2, 64; add.s32 %r3, %r3, 1;\n"
            "setp.lt.s32 %p3, %r3, %r7; @%p3 bra TURN;\nbra DONE;\n"
            "CONSUMER:\nsetmaxnreg.inc.sync.aligned.u32 240;\n"
            + "".join(f"ld.volatile.global.u32 %v{i}, [%rd19+{4 * i}];\n" for i in values)
            + "mov.u32 %r8, s; cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%rd1, {%v0, %v1, %v2}], [%r8];\n"
            + "".join(f"st.volatile.global.u32 [%rd19+{4 * i}], %v{i};\n" for i in values) + "DONE:\nret;\n}\n")


def assembled(text, folder, *options):
    source, cubin, notes = folder / "k.ptx", folder / "k.cubin", folder / "notes"
    source.write_text(text)
    command = [TMA, "ptxas", f"--real={PTXAS}", f"--notes={notes}", *options] if options else [PTXAS]
    subprocess.run([*command, "-arch=sm_90a", source, "-o", cubin], check=True, stderr=subprocess.DEVNULL)
    code = subprocess.run([NVDISASM, "-c", cubin], capture_output=True, text=True, check=True).stdout
    return code, notes.read_text() if options else ""


def most_behind_a_gift(code):
    """(registers left, the highest register that an instruction reachable behind the gift names) of each gift."""
    found = []
    for items in functions(code).values():
        labels = {x: i for i, x in enumerate(items) if isinstance(x, str)}
        for start, x in enumerate(items):
            if isinstance(x, str) or not x[1].startswith("USETMAXREG.DEALLOC"):
                continue
            seen, work, most = set(), [start + 1], 0
            while work:
                i = work.pop()
                if i in seen or i >= len(items):
                    continue
                seen.add(i)
                if not isinstance(items[i], str):
                    guard, op, operands, _, text = items[i]
                    most = max([most, *(int(r) for r in re.findall(r"\bR(\d+)\b", text))])
                    work += [labels[to] for to in re.findall(r"`\((\.L_x_\d+)\)", text) if to in labels]
                    if not guard and (op == "EXIT" or (op in ("BRA", "BRA.U") and len(operands) == 1)):
                        continue
                work.append(i + 1)
            found.append((int(x[2][-1], 16), most, len(seen)))
    return found


@pytest.mark.parametrize("elected", ["", "elect.sync %r9|%p4, -1;\n"])
@pytest.mark.parametrize("maps", [1, 2, 3, 4])
def test_inline_checks_stay_within_what_is_left(maps, elected, tmp_path):
    plain = most_behind_a_gift(assembled(pipeline(maps, elected), tmp_path)[0])
    code, notes = assembled(pipeline(maps, elected), tmp_path, "--on-fault=record")
    assert f"total {maps + 1} found {maps + 1} checked" in notes
    checked = most_behind_a_gift(code)
    assert [left for left, _, _ in plain] == [left for left, _, _ in checked] == [LEFT]
    assert plain[0][1] < LEFT and checked[0][1] < LEFT and checked[0][2] > plain[0][2] + 100


@pytest.mark.parametrize("fault", ["assert", "skip"])
def test_called_checks_take_setmaxnreg_out(fault, tmp_path):
    code, notes = assembled(pipeline(2), tmp_path, f"--on-fault={fault}")
    assert "total 3 found 3 checked" in notes and "2 setmaxnreg taken out: " in notes
    assert "USETMAXREG" not in code
