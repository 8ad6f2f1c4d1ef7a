# SPDX-License-Identifier: Apache-2.0
"""tma ptxas --hang and tma run-checked --hang: which waits are bounded, what stays as it is, what the host says of a
record that a program left."""
import re
import struct
import subprocess
import sys

import pytest
from test_ptx_checked import CLEAN, HERE, PTXAS, TMA, fake, ptxas  # noqa: F401

HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
REGISTERS = ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n"
LOOP = "again:\n{} %p1, [%r1], %r2{};\n@!%p1 bra again;\n"


def kernel(body, params=""):
    return f"{HEAD}.visible .entry k({params})\n{{\n{REGISTERS}{body}ret;\n}}\n"


TRY = "mbarrier.try_wait.parity.shared::cta.b64"
BOUNDED = [
    LOOP.format(TRY, ""),
    LOOP.format(TRY, ", 10000000"),
    LOOP.format("mbarrier.test_wait.parity.shared::cta.b64", ""),
    LOOP.format("@%p2 " + TRY, ""),
    LOOP.format("mbarrier.try_wait.parity.b64", "").replace("[%r1]", "[%d1+16]"),
    LOOP.format("mbarrier.try_wait.shared.b64", "").replace("%r2", "%d2"),
    LOOP.format(TRY, "").replace("%r2", "1").replace("[%r1]", "[%r1+8]"),
    ".shared .align 8 .b64 bar;\n" + LOOP.format(TRY, "").replace("[%r1]", "[bar]"),
    "{\n.reg .pred P1;\nLAB_WAIT:\n" + TRY + " P1, [%r1], %r2;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}\n",
    "again:\n" + TRY + " %p1, [%r1], %r2;\nselp.b32 %r3, 1, 0, %p1;\nsetp.ne.b32 %p2, %r3, 0;\n@%p2 bra on;\n"
    "nanosleep.u32 20;\nbra again;\non:\n",
]


@pytest.mark.parametrize("body", BOUNDED)
def test_a_loop_that_only_waits_is_bounded(body, fake, tmp_path):  # noqa: F811
    path = tmp_path / "k.ptx"
    path.write_text(kernel(body))
    done, out, notes = ptxas(fake, path, tmp_path, "--hang=2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "waits at mbarriers: 1 found, 1 bounded" in notes
    assert "not bounded" not in notes
    assert out.count("call libtma_checker_tma_hang") == 1
    back = re.sub(r"\n\.weak .*?(?=\.visible)", "", out, flags=re.S)
    back = re.sub(r"\n\.reg \.b32 %libtma_hang_fails.*?\n\.local[^\n]*\n", "", back, flags=re.S)
    back = re.sub(r"(?:mov\.u32 %libtma_hang_\w+, 0;\n){3}(?=again:|\{\n\.reg \.pred P1)", "", back)
    back = re.sub(r"\n\{\n\.reg \.pred %libtma_hang_p.*?\$libtma_hang_on_0:\n\}\n", "", back, flags=re.S)
    assert back.replace("\n", "") == kernel(body).replace("\n", "")


@pytest.mark.parametrize("body,why", [
    (TRY + " %p1, [%r1], %r2;\n", "it is in no loop"),
    ("again:\n" + TRY + " %p1, [%r1], %r2;\nst.shared.b32 [%r4], %r3;\n@!%p1 bra again;\n",
     "its loop does more than wait"),
    ("again:\n" + TRY + " %p1, [nowhere], %r2;\n@!%p1 bra again;\n", "nothing says where its mbarrier is"),
    ("again:\n" + TRY + " %p1, [%r1], %d2;\n@!%p1 bra again;\n", "its phase is in no register"),
])
def test_what_is_not_bounded_is_said(body, why, fake, tmp_path):  # noqa: F811
    path = tmp_path / "k.ptx"
    path.write_text(kernel(body))
    done, out, notes = ptxas(fake, path, tmp_path, "--hang=2")
    assert (done.returncode, done.stderr, out) == (0, "", kernel(body))
    assert "waits at mbarriers: 1 found, 0 bounded" in notes
    assert re.search(rf"not bounded: PTX line \d+: {why}: mbarrier", notes)


COPIES = "".join(f"cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [{m}, {{%r1}}], [%r2];\n"
                 "mov.u32 %r3, %r3;\n" for m in ("m", "n", "n", "m", "n+64", "n"))
MAPS = ".param .align 64 .b8 m[128], .param .align 64 .b8 n[256]"


@pytest.mark.parametrize("seconds,unit_ns", [(2, 1 << 8), (600, 1 << 8), (601, 1 << 20), (86400, 1 << 20)])
def test_what_is_the_same_stands_once(seconds, unit_ns, fake, tmp_path):  # noqa: F811
    """A map in the record of a hang, and its judgement before the copies; a site says the unit of its times."""
    path = tmp_path / "k.ptx"
    path.write_text(kernel(COPIES + BOUNDED[0], MAPS))
    done, out, _ = ptxas(fake, path, tmp_path, f"--hang={seconds}", "--on-fault=record")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(re.findall(r"^\.global .*libtma_hang_map_\d+\[", out, re.M)) == 3
    assert re.findall(r"^mov\.b32 %libtma_pass(\d+), %libtma_out0;", out, re.M) == ["0", "1", "2"]
    assert f",{seconds * 1000 << 32},{unit_ns}}};" in out


RECORD = ".weak .global .align 8 .u64 libtma_checker_record = 0;\n"


def test_a_declaration_behind_the_wait_is_none(fake, tmp_path):  # noqa: F811
    """Of the record's address, which the bound reads: what stands between would come before it."""
    path = tmp_path / "k.ptx"
    late = kernel(BOUNDED[0]) + RECORD + ".visible .entry l()\n{\nret;\n}\n"
    path.write_text(late)
    done, out, notes = ptxas(fake, path, tmp_path, "--hang=2")
    assert (done.returncode, done.stderr, out) == (0, "", late)
    assert "not bounded: PTX line 8: the file declares libtma_checker_record after it: mbarrier" in notes
    path.write_text(HEAD + RECORD + kernel(BOUNDED[0]).removeprefix(HEAD))
    done, out, notes = ptxas(fake, path, tmp_path, "--hang=2")
    assert done.returncode == 0 and "1 found, 1 bounded" in notes and out.count(RECORD.split(" = ")[0]) == 1


@pytest.mark.parametrize("on_fault", ["assert", "record", "skip"])
def test_a_file_that_is_cut_off(on_fault, fake, tmp_path):  # noqa: F811
    """Behind any of its lines; ptxas says what is wrong."""
    lines = (HERE / "samples/triton_copy_90.ptx").read_text().splitlines(keepends=True)
    path = tmp_path / "k.ptx"
    for end in range(5, len(lines) - 1, 7):
        path.write_text("".join(lines[:end]))
        done, _, _ = ptxas(fake, path, tmp_path, "--hang=2", f"--on-fault={on_fault}")
        assert done.returncode == 0, (end, done)


@pytest.mark.parametrize("seconds", ["0", "x", "", "86401", "-1", "1.5"])
def test_a_wrong_number_of_seconds(seconds, tmp_path):
    for verb in ("ptxas", "run-checked"):
        done = subprocess.run([TMA, verb, f"--hang={seconds}", "/bin/true"], capture_output=True, text=True, env=CLEAN)
        assert done.returncode == 2 and "--hang" in done.stderr, done


@pytest.mark.skipif(not PTXAS, reason="no ptxas")
@pytest.mark.parametrize("body", BOUNDED)
def test_ptxas_takes_it(body, tmp_path):
    path = tmp_path / "k.ptx"
    path.write_text(kernel(body))
    done = subprocess.run([TMA, "ptxas", f"--real={PTXAS}", "--hang=2", f"--notes={tmp_path / 'notes'}", "-arch=sm_90a",
                           path, "-o", tmp_path / "x.cubin"], capture_output=True, text=True, env=CLEAN)
    assert done.returncode == 0, done.stderr
    assert "takes the file without" not in (tmp_path / "notes").read_text()


RECORD_B, SLOT_B, FORMAT = 2048, 8192, 0x50000 + 2048


def wait(barrier, parity, open_parity, arrivals, missing, line, beside=0, beside_missing=0, site=0, since=5000):
    head = struct.pack("<5IiIi3I6I", 1, barrier, parity, open_parity, arrivals, missing, beside, beside_missing, site, 1,
                       since, 1, 0, 0, 32, 0, 0)
    return head + line.encode().ljust(188, b"\0")


def hang_record(waits, maps=b"", count=0):
    hang = struct.pack("<4I", 2000, len(waits), count, 256).ljust(240, b"\0") + b"".join(waits).ljust(10 * 256, b"\0") + maps
    record = bytearray(RECORD_B)
    struct.pack_into("<2I", record, 0, 2, FORMAT)
    struct.pack_into("<I", record, 240, 0xFFFFFFFF)
    record[-988:-982] = b"kernel"
    return bytes(record).ljust(4096, b"\0") + hang.ljust(4096, b"\0")


def said(tmp_path, slot):
    """What run-checked says of a program that leaves these bytes."""
    (tmp_path / "slot").write_bytes(slot)
    code = ("import os; f = open(os.environ['LIBTMA_RECORD'], 'r+b'); f.write(open(%r, 'rb').read()); f.close()"
            % str(tmp_path / "slot"))
    done = subprocess.run([TMA, "run-checked", "--hang=2", sys.executable, "-c", code], capture_output=True, text=True,
                          env=CLEAN)
    if "no libtma-cuda.so" in done.stderr:
        pytest.skip("no libtma-cuda.so")
    return done.stderr


def test_the_barrier_is_named(tmp_path):
    err = said(tmp_path, hang_record([
        wait(0x428, 1, 1, 2, 0, "kernel.cu:93"),
        wait(0x410, 0, 0, 0, 8192, "kernel.cu:118, inlined from barriers.cuh:40", 0x418, -8192, 1)]))
    assert "a kernel waited longer than 2 s and was ended: kernel" in err
    assert ("Waits at the mbarrier at 0x410 (kernel.cu:118, inlined from barriers.cuh:40): 8192 B missing and no arrival; "
            "8192 B came to the barrier at 0x418, where nobody expected them") in err
    assert "kernel.cu:93: 1 warp waits, first CTA 1,0,0 thread 32,0,0, at 0x428 for parity 1: 2 arrivals missing, no bytes" in err


@pytest.mark.parametrize("first", [0, 1])
def test_who_waited_first_is_named_first(first, tmp_path):
    """Two sides that wait for each other leave the same words; the time tells them apart, over its wrap."""
    since = [0xFFFFFFF0, 400] if first == 0 else [400, 0xFFFFFFF0]
    err = said(tmp_path, hang_record([wait(0x410, 0, 0, 1, 0, "k.cu:9", site=0, since=since[0]),
                                      wait(0x438, 1, 1, 2, 0, "k.cu:5", site=1, since=since[1])]))
    named, other = [("0x410 (k.cu:9)", "0x438 (k.cu:5)"), ("0x438 (k.cu:5)", "0x410 (k.cu:9)")][first]
    assert f"Waits at the mbarrier at {named}: " in err
    assert f"At {other} others wait, too, since 106 us later." in err
    assert "2 arrivals missing" in err


@pytest.mark.parametrize("other", [{}, {"barrier": 0x418}, {"parity": 1}, {"arrivals": 2}, {"site": 4}])
def test_the_same_wait_stands_once(other, tmp_path):
    """Where two threads left it at one time."""
    one = {"barrier": 0x410, "parity": 0, "open_parity": 0, "arrivals": 1, "missing": 0, "line": "k.cu:9", "site": 3}
    err = said(tmp_path, hang_record([wait(**one), wait(**{**one, **other})]))
    lines = [line for line in err.splitlines() if line.startswith("  k.cu:9: ")]
    assert [": 2 warps wait, " in line for line in lines] == ([False, False] if other else [True]), err


def test_a_word_that_is_no_barrier(tmp_path):
    assert "was never initialised, or was written over" in said(tmp_path, hang_record([wait(0x410, 0, 0, 0, 0, "k.cu:1")]))


def test_a_phase_that_ended_meanwhile(tmp_path):
    err = said(tmp_path, hang_record([wait(0x410, 0, 1, 3, 0, "k.cu:1")]))
    assert "No warp is kept by an mbarrier" in err


@pytest.mark.parametrize("seed", range(20))
def test_no_record_crashes(seed, tmp_path):
    import random
    r = random.Random(seed)
    good = bytearray(hang_record([wait(0x410, 0, 0, 1, 16, "k.cu:1")] * 10))
    for i in range(4096 + 12, 8192):
        if r.random() < 0.3:
            good[i] = r.randrange(256)
    assert "a kernel waited longer than" in said(tmp_path, bytes(good))
