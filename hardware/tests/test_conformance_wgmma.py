# SPDX-License-Identifier: Apache-2.0
"""tma-conformance --part wgmma: what is read through random descriptors, and through maps' copies,
is compared; each difference is counted; edges run in processes of their own."""
from conformance import keys, run

PART = ("--part", "wgmma")
KINDS, CELLS, PAIRS, EDGES = 28, 8, 1000, 9


def test_all_cells_are_asked(tmp_path):
    path = tmp_path / "vectors.txt"
    done = run(*PART, "--count", KINDS * CELLS, "--write-vectors", path)
    assert done.status == 0 and done.tally("wgmma") == (KINDS * CELLS + PAIRS, 0)
    cells = done.matches(r"(.*\S) +base (0|1 to 7) +1 asked +\d+ not canonical +0 differ +0 el not compared")
    assert len(cells) == KINDS * CELLS
    assert len({(m[1], m[2]) for m in cells}) == KINDS * CELLS
    assert len(done.matches(r"edge: .*: \d+ of 1024 elements read modulo 2\^18, .*")) == EDGES
    said = done.matches(rf"wgmma: {PAIRS} pairs of map and descriptor, (\d+) of which disagree: "
                        rf"{PAIRS} verdicts are what was read, 0 are not")
    assert 300 <= int(said[0][1]) <= PAIRS - 300
    lines = [line for line in path.read_text().splitlines() if line.startswith("wgmma ")]
    assert len(lines) == KINDS * CELLS
    assert {keys(line)["operand"] for line in lines} == {"A", "B"}


def test_each_wrong_read_is_counted():
    done = run(*PART, "--count", KINDS * 100, lie="wgmma")
    assert done.status == 1 and done.tally("wgmma") == (KINDS * 99 + PAIRS, KINDS)
    assert len(done.matches(r".* descriptor 0x\w+, 1 of \d+ elements differ: .*")) == 20


def test_a_wrong_verdict_is_counted():
    done = run(*PART, "--count", KINDS, lie="wgmma-tile")
    assert done.status == 1 and done.tally("wgmma") == (KINDS + PAIRS - 4, 4)
    assert len(done.matches(r"pair 3: . .*-major, descriptor 0x\w+, .*")) == 4


def test_a_killed_kernel_ends_the_part():
    done = run(*PART, "--count", KINDS, lie="wgmma-die")
    assert done.status == 1 and done.tally("wgmma") == (0, 1)
    assert done.matches("wgmma: the kernel ended with cudaErrorIllegalInstruction")


def test_a_target_without_the_instruction():
    done = run(*PART, arch="sm_100a")
    assert done.status == 1 and done.tally("wgmma") == (0, 1)
