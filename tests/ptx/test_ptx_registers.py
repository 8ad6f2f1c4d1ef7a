# SPDX-License-Identifier: Apache-2.0
"""Registers of kernels with checks whose file has no block size: every block that launches without checks
launches with them. The real ptxas says how many registers there are."""
import re
import subprocess

import pytest

from test_ptx_checked import CLEAN, HEAD, LOAD, PTXAS, TMA, fake, ptxas  # noqa: F401 (fake is a fixture)

needs_ptxas = pytest.mark.skipif(not PTXAS, reason="no ptxas")


def kernel(live, bound="", more="", name="k"):
    """`live` values are kept over a copy."""
    values = range(live)
    return (f".visible .entry {name}(.param .align 64 .b8 map_{name}[128], .param .u64 p_{name}){bound}\n{{\n"
            f".reg .b32 %r<9>; .reg .b32 %v<{live + 1}>; .reg .b64 %rd<9>; .shared .align 128 .b8 s_{name}[20000];\n"
            f"mov.u32 %r1, s_{name}; ld.param.u64 %rd5, [p_{name}]; cvta.to.global.u64 %rd2, %rd5;\n"
            f"mov.b64 %rd4, map_{name}; cvta.param.u64 %rd1, %rd4; ld.volatile.global.u32 %r2, [%rd2];\n"
            + "".join(f"ld.volatile.global.u32 %v{i}, [%rd2+{4 * i}];\n" for i in values) + more +
            f"{LOAD} [%r1], [%rd1, {{%r2, %r2}}], [%r1+16384];\n"
            + "".join(f"st.volatile.global.u32 [%rd2+{4 * i}], %v{i};\n" for i in values) + "ret;\n}\n")


def assembled(text, tmp_path, *options):
    """By kernel: registers, and bytes of spills."""
    path = tmp_path / "seen.ptx"
    path.write_text(text)
    said = subprocess.run([PTXAS, "-v", "-arch=sm_90a", *options, str(path), "-o", str(tmp_path / "seen.cubin")],
                          capture_output=True, text=True, env=CLEAN, check=True).stderr
    return {m[1]: int(m[2]) for m in re.finditer(r"entry function '(\w+)'.*?Used (\d+) registers", said, re.S)}


def most(registers):
    """The table, by hand: 65,536 registers, in fours of warps, 8 registers apart."""
    warps = max(w for w in range(4, 33, 4) if w * 32 * -(-registers // 8) * 8 <= 65536)
    return min(255, max(r for r in range(8, 257, 8) if w_fits(r, warps)))


def w_fits(registers, warps):
    return registers * 32 * warps <= 65536


def checked(text, tmp_path, *options, fault="record"):
    source, kept, notes = tmp_path / "k.ptx", tmp_path / "kept.ptx", tmp_path / "notes"
    source.write_text(text)
    notes.unlink(missing_ok=True)
    done = subprocess.run([TMA, "ptxas", f"--real={PTXAS}", f"--notes={notes}", f"--keep={kept}", f"--on-fault={fault}",
                           "-arch=sm_90a", str(source), *(options or ["-o", str(tmp_path / "x.cubin")])],
                          capture_output=True, text=True, env=CLEAN, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return kept.read_text(), notes.read_text()


@needs_ptxas
@pytest.mark.parametrize("fault", ["record", "assert"])
@pytest.mark.parametrize("live", [4, 40, 58, 90, 118, 150, 200])
def test_a_block_that_launches_without_checks_launches_with_them(live, fault, tmp_path):
    text = HEAD + kernel(live)
    plain = assembled(text, tmp_path)["k"]
    kept, notes = checked(text, tmp_path, fault=fault)
    assert "total 1 found 1 checked" in notes
    registers = assembled(kept, tmp_path)["k"]
    assert registers <= most(plain)
    if fault == "record" and assembled(re.sub(r"\n\.maxnreg \d+\n", "", kept), tmp_path)["k"] <= 64:  # 1,024 threads launch with 64
        assert "no block size" not in notes and ".maxnreg" not in kept
        return
    said = re.search(r"^k: no block size in the file: (\d+) registers without checks, (\d+) with them, at most (\d+), "
                     r"with which (\d+) threads launch; stack \d+ B without checks, \d+ B with them$", notes, re.M)
    assert [int(n) for n in said.groups()[:3]] == [plain, registers, most(plain)]
    assert int(said[4]) * -(-plain // 8) * 8 <= 65536 < (int(said[4]) + 128) * -(-plain // 8) * 8 or int(said[4]) == 1024


@needs_ptxas
def test_the_cap_is_what_keeps_them_down(tmp_path):
    """Without it the same file has more: else the test above would say nothing."""
    kept, _ = checked(HEAD + kernel(118), tmp_path, fault="assert")
    capped = assembled(kept, tmp_path)["k"]
    assert assembled(re.sub(r"\n\.maxnreg \d+\n", "", kept), tmp_path)["k"] > capped


@needs_ptxas
def test_setmaxnreg_stays_ignored(tmp_path):
    """ptxas ignores it where it knows no number of registers; .maxnreg would wake it."""
    text = HEAD + kernel(118, more="setmaxnreg.inc.sync.aligned.u32 240;\n")
    kept, notes = checked(text, tmp_path, fault="assert")
    assert "\n.maxnreg " in kept and "setmaxnreg" not in kept and "total 1 found 1 checked" in notes
    kept, notes = checked(text, tmp_path)
    assert ("\n.maxnreg " in kept) != ("setmaxnreg" in kept) and "total 1 found 1 checked" in notes
    bounded = HEAD + kernel(118, " .maxntid 128", more="setmaxnreg.inc.sync.aligned.u32 240;\n")
    kept, notes = checked(bounded, tmp_path)
    assert "setmaxnreg" in kept and "no block size" not in notes


@needs_ptxas
def test_each_kernel_has_its_own_and_those_with_a_block_size_none(tmp_path):
    text = HEAD + kernel(118, name="a") + kernel(40, " .maxntid 1024", name="b") + kernel(150, name="c")
    kept, notes = checked(text, tmp_path, fault="assert")
    plain = assembled(text, tmp_path)
    assert re.findall(r"\n\.maxnreg (\d+)\n", kept) == [str(most(plain[n])) for n in "ac"]
    assert re.findall(r"^(\w+): no block size", notes, re.M) == ["a", "c"]


@needs_ptxas
@pytest.mark.parametrize("output", [["-o", "y"], ["--output-file", "y"], ["--output-file=y"], ["-o=y"], ["-v", "-o", "y", "-O3"]])
def test_the_users_output_is_the_one_with_checks(output, tmp_path):
    checked(HEAD + kernel(150), tmp_path, *output)
    assert b"libtma_checker_" in (tmp_path / "y").read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.ptx", "kept.ptx", "notes", "y"]


@needs_ptxas
def test_an_option_that_bounds_them_is_the_users(tmp_path):
    kept, notes = checked(HEAD + kernel(118), tmp_path, "--maxrregcount=96", "-o", "y")
    assert ".maxnreg" not in kept and "no block size" not in notes


@pytest.mark.parametrize("bound, runs", [("", 2), (" .maxntid 128", 1), (" .reqntid 128, 1, 1", 1), (" .maxnreg 64", 1),
                                         (" // .maxntid 128\n", 2), (" /* .maxnreg 8 */ ", 2), (" .minnctapersm 2", 2),
                                         ("\n.maxntid 128,1,1\n.minnctapersm 2", 1)])
def test_who_is_assembled_twice(bound, runs, fake, tmp_path):
    fake.write_text(fake.read_text().replace("for a in", f"echo >> {tmp_path}/runs; for a in", 1))
    source = tmp_path / "k.ptx"
    source.write_text(HEAD + kernel(4, bound))
    done, out, notes = ptxas(fake, source, tmp_path)
    assert done.returncode == 0 and "total 1 found 1 checked" in notes and ".maxnreg 255" not in out
    assert len((tmp_path / "runs").read_text().splitlines()) == runs
