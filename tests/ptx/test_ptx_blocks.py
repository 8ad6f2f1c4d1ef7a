# SPDX-License-Identifier: Apache-2.0
"""Where things stand in a PTX file: registers of like names, blocks that are no functions, functions
without lines, copies outside of functions; and what the notes of tma ptxas say, to the letter."""
import json
import subprocess

import pytest
from test_ptx_checked import HEAD, LOAD, TMA, fake, kernel, ptxas, taken_out # noqa: F401 (fake is a fixture)

COPY = f"{LOAD} [%r1], [%rd1, {{%a1, %a2}}], [%r1];"
SET = "mov.b32 %a1, 0; mov.b32 %a2, 0;"


def written(tmp_path, text):
    path = tmp_path / "kernel.ptx"
    path.write_text(text)
    return path


@pytest.mark.parametrize("registers", [
    ".reg .b32 %a<4>; .reg .b16 %b<4>;", ".reg .b16 %b<4>; .reg .b32 %a<4>;",
    ".reg .b64 %b<4>; .reg .b32 %a<4>; .reg .pred %c<4>;", ".reg .b32 %a<3>; .reg .b16 %a1x; .reg .b16 %a10;",
    ".reg .b32 %a1, %a2; .reg .b16 %a<1>;"])
def test_registers_of_like_names(registers, fake, tmp_path): # noqa: F811
    text = kernel(COPY, body=f"{registers} {SET}")
    _, out, notes = ptxas(fake, written(tmp_path, text), tmp_path)
    assert "total 1 found 1 checked" in notes and taken_out(out) == (text, 1)


def test_notes_to_the_letter(fake, tmp_path): # noqa: F811
    text = kernel(f"{LOAD} [%r1], [%rd1, {{%rs1, %r2}}], [%r1];\n{LOAD} [%r1], [%rd1, {{%r2, %r3}}], [%r1];\n"
                  f"{LOAD} [%r1], [%rd1, {{%nowhere, %r2}}], [%r1];\n@%q {LOAD} [%r1], [%rd1, {{%r2, %r3}}], [%r1];")
    _, out, notes = ptxas(fake, written(tmp_path, text), tmp_path)
    first = text[:text.index(LOAD)].count("\n") + 1
    left = [(0, "a coordinate is in no 32-bit register", f"{LOAD} [%r1], [%rd1, {{%rs1, %r2}}], [%r1];"),
            (2, "a coordinate is in no 32-bit register", f"{LOAD} [%r1], [%rd1, {{%nowhere, %r2}}], [%r1];"),
            (3, "nothing declares the predicate", f"@%q {LOAD} [%r1], [%rd1, {{%r2, %r3}}], [%r1];")]
    lines = [f"  line {first + n}: left: {why}: {what}" for n, why, what in left]
    assert "\n".join(["k: 4 found, 1 checked, 3 left", *lines, ""]) in notes
    assert notes.endswith("\ntotal 4 found 1 checked\n")
    assert taken_out(out) == (text, 1)


SECTION = ".section .debug_str\n{\n.b8 97,0\n}\n"


@pytest.mark.parametrize("layout", ["behind", "between", "both"])
def test_blocks_that_are_no_functions(layout, fake, tmp_path): # noqa: F811
    """nvcc -lineinfo puts .section { } behind the kernels."""
    one = kernel(f"{{\n{LOAD} [%r1], [%rd1, {{%r2, %r3}}], [%r1];\n}}")
    two = one[len(HEAD):].replace(" k(", " l(").replace("gmap", "gmap2").replace(".extern .shared .align 128 .b8 smem[];\n", "")
    text = one + (SECTION if layout != "behind" else "") + two + (SECTION if layout != "between" else "")
    _, out, notes = ptxas(fake, written(tmp_path, text), tmp_path)
    assert "k: 1 found, 1 checked, 0 left\n" in notes and "l: 1 found, 1 checked, 0 left\n" in notes
    assert taken_out(out) == (text, 2)
    assert out[len(HEAD):].lstrip("\n").startswith(".func libtma_checker")


def sites(tmp_path, text):
    done = subprocess.run([TMA, "ptx", "--json", written(tmp_path, text)], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["instructions"]


def test_a_function_without_lines_has_none(tmp_path):
    one = kernel(f".loc 1 7 3\n{LOAD} [%r1], [%rd1, {{%r2, %r3}}], [%r1];").replace(HEAD, HEAD + '.file 1 "one.cu"\n')
    two = kernel(f"{LOAD} [%r1], [%rd1, {{%r2, %r3}}], [%r1];")[len(HEAD):].replace(" k(", " l(")
    first, second = sites(tmp_path, one + two)
    assert (first["function"], first["source"]["line"]) == ("k", 7)
    assert second["function"] == "l" and second["source"] is None


def test_a_file_after_another_has_its_own_version(tmp_path):
    """cuobjdump -ptx prints several: a line of the first is none of the second."""
    one = kernel(f".loc 1 7 3\n{LOAD} [%r1], [%rd1, {{%r2, %r3}}], [%r1];").replace(HEAD, HEAD + '.file 1 "one.cu"\n')
    done = subprocess.run([TMA, "ptx", "--json", written(tmp_path, one + kernel("ret;").replace("9.0", "8.6"))],
                          capture_output=True, text=True, check=False)
    assert json.loads(done.stdout)["modules"] == [
        {"version": "9.0", "target": "sm_90a", "known_target": True},
        {"version": "8.6", "target": "sm_90a", "known_target": True}]


def test_a_copy_outside_of_functions(fake, tmp_path): # noqa: F811
    text = HEAD + f"{LOAD} [%r1], [%rd1, {{%r2, %r3}}], [%r1];\n"
    _, out, notes = ptxas(fake, written(tmp_path, text), tmp_path)
    assert notes.splitlines()[-3:-1][0].endswith("?: 1 found, 0 checked, 1 left") and taken_out(out)[1] == 0
