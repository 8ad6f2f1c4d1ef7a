# SPDX-License-Identifier: Apache-2.0
"""What libtma-cuda.so says of a driver's answers, word for word: case lines, differing fields, targets,
drivers that lack a call, texts without an end."""
import os
import re
import stat

import pytest

from shim_programs import PROGRAMS, has_driver, natural, reports, run, watched

# The refused calls of call_cases.c.
MATRIX = "dtype=9 rank=2 addr=0x7f0000001000 dim=4096,8192 stride=8192 box=64,128 es=1,1 il=0 sw=3 l2=0 oob=0"
IMAGE = "dtype=6 rank=4 addr=0x7f0000000000 dim=64,56,56,32 stride=128,7168,401408"
CASE_LINES = [
    "enc api=tiled dtype=9 rank=2 addr=0x7f0000000000 dim=4096,8192 stride=8192 box=128,128 es=1,1 il=0 "
    "sw=3 l2=0 oob=0 rc=1",
    "enc api=tiled dtype=6 rank=2 addr=0x7f0000000000 dim=4096,0 stride=8200 box=64,128 es=1,1 il=0 sw=0 "
    "l2=0 oob=0 rc=1",
    "enc api=tiled dtype=6 rank=6 addr=0x7f0000000000 dim=0,0,0,0,0 stride=0,0,0,0 box=0,0,0,0,0 "
    "es=0,0,0,0,0 il=0 sw=0 l2=0 oob=0 rc=1",
    f"enc api=im2col {IMAGE} lo=-1,-1 up=-1,-1 cpp=64 ppc=1025 es=1,1,1,1 il=0 sw=3 l2=0 oob=0 rc=1",
    f"enc api=wide {IMAGE} lo=-1 up=-120 cpp=64 ppc=128 es=1,1,1,1 il=0 sw=3 l2=0 oob=0 mode_w=0 rc=1",
    f"rep api=tiled {MATRIX} naddr=0x7f0000000008 rc=1",
    f"rep api=tiled {MATRIX} naddr=0x0 rc=1"]
# That matrix's map, by fields.def.
REPLACED = {0: 0x00001000, 1: 0x7f00, 2: 0x6510, 3: 8192 >> 4, 8: 4095, 9: 8191, 13: 0x3f000000, 14: 0x7f,
            16: 0x4000, 18: 0x400}


def test_case_lines_to_the_letter(tmp_path):
    log = tmp_path / "log.txt"
    watched(LIBTMA_LOG=log, LIBTMA_QUIET=1)
    lines = [line.split(" desc=") for line in log.read_text().splitlines()]
    assert [line[0] for line in lines] == CASE_LINES
    assert [len(line) for line in lines] == [1] * 5 + [2] * 2
    for line in lines[5:]:
        words = [int.from_bytes(bytes.fromhex(line[1][i:i + 8]), "little") for i in range(0, 256, 8)]
        assert len(line[1]) == 256 and {i: w for i, w in enumerate(words) if w} == REPLACED


@pytest.mark.parametrize("bit, call, said", [
    (14 * 32 + 7, "Im2col", "lower[W] (word 14, bits 0 to 7): the driver's 127, libtma's -1"),
    (14 * 32 + 6, "Im2col", "lower[W] (word 14, bits 0 to 7): the driver's -65, libtma's -1"),
    (14 * 32 + 31, "Im2col", "upper[H] (word 14, bits 24 to 31): the driver's 127, libtma's -1"),
    (8 * 32 + 31, "Tiled", "dim[0] (word 8, bits 0 to 31): the driver's 2147487744, libtma's 4096"),
    (13 * 32 + 31, "Tiled", "box_dim[0] (word 13, bits 24 to 31): the driver's 192, libtma's 64"),
    (1 * 32 + 31, "Tiled", "global_address (word 0, bits 0 to 63): the driver's 0x80007f0000000000, "
                           "libtma's 0x7f0000000000"),
    (18 * 32 + 31, "Tiled", "swizzle_repeat (word 18, bits 0 to 31): the driver's 2147484672, libtma's 1024"),
    (31 * 32 + 31, "Tiled", "word 31, no field: the driver's 0x80000000, libtma's 0x00000000")])
def test_each_kind_of_field_is_told(bit, call, said):
    found = [r for r in reports(watched(PRETEND_FAULT="flip", PRETEND_BIT=bit).stderr)
             if r[0].startswith(f"cuTensorMapEncode{call} answered 0")]
    assert found and found[0][1] == "  the driver's 128 bytes are not libtma's:"
    assert found[0][2] == "  " + said and found[0][3].startswith("  enc ")


# Whose rules are asked.

def targets(**settings):
    return re.findall(r"judged for ([^:]+):", watched(**settings).stderr)


def test_the_environment_goes_before_the_driver():
    assert set(targets(PRETEND_VERSION=13010)) == {"sm_90, driver 13.1"}
    assert set(targets(PRETEND_VERSION=13010, LIBTMA_DRIVER="12.3")) == {"sm_90, driver 12.3"}
    assert set(targets(LIBTMA_DRIVER="13.0", PRETEND_VERSION=12090)) == {"sm_90, driver 13.0"}
    assert set(targets(LIBTMA_DRIVER="12.9")) == {"sm_90, driver 12.9"}
    assert set(targets(PRETEND_CC=100, LIBTMA_ARCH="sm_90a")) == {"sm_90, driver 13.0"}


@pytest.mark.parametrize("device", [-1, 1, 62, 63, 64, 65, 70, 2**31 - 1])
def test_any_device_is_asked(device):
    assert set(targets(PRETEND_DEVICE=device, PRETEND_CC=103)) == {"sm_103, driver 13.0"}


@pytest.mark.parametrize("other", [1, 63, 64, 100])
def test_devices_are_told_apart(other):
    seen = targets(PRETEND_OTHER=other)
    assert set(seen) == {"sm_90, driver 13.0", "sm_100, driver 13.0"}
    assert seen[:3] == ["sm_100, driver 13.0", "sm_100, driver 13.0", "sm_90, driver 13.0"]


def test_auto_is_what_is_done_unasked():
    before = watched()
    asked = watched(LIBTMA_MODE="auto")
    assert (asked.stdout, asked.stderr) == (before.stdout, before.stderr)
    if not has_driver():
        assert "libtma, standing in for sm_90" in run("found_calls", "handle", LIBTMA_MODE="auto").stderr


def test_a_driver_without_the_call():
    """One before 12.8: the call is neither invented nor taken for an argument's fault."""
    old = PROGRAMS / "pretend_old"
    done = run("direct_calls", libraries=[old])
    rows = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert rows["wide"].split()[0] == rows["wide.empty"].split()[0] == "801"
    assert rows["im2col"] == dict(line.split(" ", 1) for line in natural().splitlines())["im2col"]
    assert done.stderr.count("the driver has no cuTensorMapEncodeIm2colWide to pass the call on to") == 1
    for way in ("handle", "lookup2"):
        alone = run("found_calls", way, preload=None, libraries=[old])
        beside = run("found_calls", way, libraries=[old])
        assert "cuTensorMapEncodeIm2colWide was not found" in alone.stdout
        assert (beside.returncode, beside.stdout, beside.stderr) == (1, alone.stdout, "")


def test_a_text_without_an_end_is_cut_off():
    done = watched(PRETEND_FAULT=990)
    assert done.stdout == natural(PRETEND_FAULT=990)
    for report in reports(done.stderr):
        if report[0].startswith("cuTensorMapEncode"):
            assert re.fullmatch(r"cuTensorMapEncode\w+ answered 990 \(E{1400,}\.\.\.", report[0])
    assert max(map(len, done.stderr.splitlines())) == 1534


def test_a_long_report_is_whole():
    """Longer than a report's buffer, than a piece of a write and, with that error, than both."""
    alone = watched("faults", program="found_calls")
    findings = [line for line in alone.stderr.splitlines() if line.startswith("libtma:   refused: ")]
    assert len(findings) > 20 and len(set(findings)) == len(findings)
    longer = watched("faults", program="found_calls", PRETEND_FAULT=990)
    assert (longer.returncode, longer.stdout) == (0, "encode 990\n")
    lines = longer.stderr.splitlines()
    assert len(longer.stderr) > 6656
    assert lines[0].endswith("E...") and lines[1] == "libtma:   the arguments break rules, too:"
    assert lines[2:2 + len(findings)] == findings and lines[-1].startswith("libtma:   enc api=im2col ")
    assert sum(line.startswith("libtma: cu") for line in lines) == 1


def test_memory_is_read_to_its_end():
    """Behind a driver that looked at nothing."""
    done = watched("edges", program="found_calls", PRETEND_FAULT="blind")
    assert (done.returncode, done.stdout) == (0, "encode 0\n" * 5)
    found = reports(done.stderr)
    said = ["\n".join(report) for report in found]
    absent = [re.findall(r"(\w+) points to memory that is not there", text) for text in said]
    assert absent == [[], ["globalDim"], [], ["tensorMap"], []]
    assert "globalDim[0]" in said[0] and "globalDim[0]" in said[4]


def test_a_new_log_is_as_the_umask_says(tmp_path):
    before = os.umask(0o027)
    try:
        watched(LIBTMA_LOG=tmp_path / "log.txt", LIBTMA_QUIET=1)
        os.umask(0)
        watched(LIBTMA_LOG=tmp_path / "open.txt", LIBTMA_QUIET=1)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "log.txt").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "open.txt").stat().st_mode) == 0o666


def test_a_map_is_shown_where_it_can_be_read():
    odd, zero = [r for r in reports(watched().stderr) if r[0].startswith("cuTensorMapReplace")]
    assert odd[-1].startswith("  rep api=tiled ") and zero[-1].startswith("  rep api=tiled ")
    done = watched("bad", program="found_calls", PRETEND_FAULT=201)
    assert len(reports(done.stderr)[1]) == 2 and "the map was" not in done.stderr
