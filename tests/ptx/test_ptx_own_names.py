# SPDX-License-Identifier: Apache-2.0
"""Names that checks bring are free of the file's, whatever it declares; __assertfail is used as the file
declares it, in any order of the file. The real ptxas takes each file with its checks."""
import re
import subprocess

import pytest

from test_ptx_checked import CASES, CLEAN, FAULTS, PTXAS, TMA, fake, kernel, ptxas  # noqa: F401 (fake is a fixture)

FIVE = (".param .b64 p0, .param .b64 p1, .param .b32 p2, .param .b64 p3, .param .b64 p4")
DECLARED = {  # the ways in which compilers write it
    "nvcc": f".extern .func __assertfail\n(\n{FIVE}\n)\n;\n",
    "triton": f".extern .func __assertfail\n(\n{FIVE}\n)\n.noreturn;\n",
    "other types": f".extern .func __assertfail ({FIVE.replace('.b64 p0', '.u64 p0').replace('.b32', '.s32')}) .noreturn ;\n",
    "defined": f".visible .func __assertfail({FIVE})\n{{\nret;\n}}\n",
    "defined here": f".func __assertfail({FIVE})\n{{\ntrap;\n}}\n",
    "weak": f".weak .func __assertfail({FIVE})\n{{\nret;\n}}\n",
    "with comments": f"/* , */ .extern .func /* ( */ __assertfail /* . */ ({FIVE}) // )\n .noreturn;\n",
}
OTHERS = {
    "six": f".extern .func __assertfail({FIVE}, .param .b64 p5);\n",
    "four": f".extern .func __assertfail({FIVE.rsplit(', .param', 1)[0]});\n",
    "returns": f".extern .func (.param .b32 r) __assertfail({FIVE});\n",
    "sizes": f".extern .func __assertfail({FIVE.replace('.b32', '.b64')});\n",
    "arrays": f".extern .func __assertfail({FIVE.replace('.b64 p0', '.align 8 .b8 p0[8]')});\n",
    "registers": ".func __assertfail(.reg .b64 a)\n{\nret;\n}\n",
    "a variable": ".global .b32 __assertfail;\n",
}
NAMES = {
    "a variable": (".global .b32 libtma_checker_tma_check_copy;\n", ""),
    "a table": (".const .b8 libtma_checker_site_0[8];\n", ""),
    "a function": (".func libtma_checker_tma_fault()\n{\nret;\n}\n", ""),
    "a local": ("", ".local .b8 libtma_at[4]; .local .b8 libtma1_copy[4];"),
    "registers": ("", ".reg .b32 %libtma_pass<4>, %libtma_go; .reg .b64 %libtma1_map; mov.u64 %libtma1_map, 0; mov.b32 %libtma_go, 7;"),
    "labels": ("", "$libtma_0: bra $libtma1_0; $libtma1_0: bra libtma2_; libtma2_:"),
    "a comment": ("// libtma_checker_\n", ""),
    "beginnings": (".global .b32 xlibtma_y, libtma, libtma01_y;\n", ""),
}


def in_order(declaration, order, statement=CASES["a register"]):
    text = kernel(statement, declaration if order == "before" else "")
    return text if order == "before" else text + declaration


def takes(fake, source, tmp_path, fault):
    """The notes, where the stand-in and the real ptxas take the file with its checks."""
    done, out, notes = ptxas(fake, source, tmp_path, f"--on-fault={fault}")
    assert done.returncode == 0 and "total 1 found 1 checked" in notes
    if PTXAS:
        with_checks = tmp_path / "checked.ptx"
        with_checks.write_text(out)
        for path in (source, with_checks):
            done = subprocess.run([PTXAS, "-arch=sm_90a", str(path), "-o", str(tmp_path / "x.cubin")],
                                  capture_output=True, text=True, env=CLEAN)
            assert done.returncode == 0, done.stderr
    return out, notes


@pytest.mark.parametrize("order", ["before", "behind"])
@pytest.mark.parametrize("name", DECLARED)
def test_assertfail_is_used_as_the_file_declares_it(name, order, fake, tmp_path):
    source = tmp_path / "k.ptx"
    source.write_text(in_order(DECLARED[name], order))
    out, notes = takes(fake, source, tmp_path, "assert")
    assert "on a fault: assert\n" in notes
    assert len(re.findall(r"^__assertfail|^ ?__assertfail,", out, re.M)) == 1  # the call
    assert "libtma_3, .param .b64 libtma_4" not in out  # not declared once more


@pytest.mark.parametrize("order", ["before", "behind"])
@pytest.mark.parametrize("name", OTHERS)
def test_another_assertfail_is_not_called(name, order, fake, tmp_path):
    source = tmp_path / "k.ptx"
    source.write_text(in_order(OTHERS[name], order))
    out, notes = takes(fake, source, tmp_path, "assert")
    assert "on a fault: record, not assert: the file's own __assertfail is called in another way\n" in notes
    assert out.count("__assertfail") == source.read_text().count("__assertfail")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", NAMES)
def test_names_of_the_file_stay_its_own(name, fault, fake, tmp_path):
    declaration, body = NAMES[name]
    source = tmp_path / "k.ptx"
    source.write_text(kernel(CASES["a register"], declaration, body=body))
    takes(fake, source, tmp_path, fault)


def test_operands_named_as_ours_are_kept(fake, tmp_path):
    source = tmp_path / "k.ptx"
    text = kernel(CASES["multicast"]).replace("%r2", "%libtma_c0").replace(".reg .b16", ".reg .b32 %libtma_c0; .reg .b16")
    source.write_text(text)
    out, _ = takes(fake, source, tmp_path, "skip")
    assert "mov.b32 %libtma1_c0, %libtma_c0;" in out


def test_the_record_s_name_is_the_hosts(fake, tmp_path):
    source = tmp_path / "k.ptx"
    source.write_text(kernel(CASES["a register"], ".global .u64 libtma_checker_record;"))
    for fault in ("record", "skip"):
        (tmp_path / "notes").unlink(missing_ok=True)
        _, out, notes = ptxas(fake, source, tmp_path, f"--on-fault={fault}")
        assert out == source.read_text() and "left: the file itself has the name libtma_checker_record" in notes
    (tmp_path / "notes").unlink()
    takes(fake, source, tmp_path, "trap")
