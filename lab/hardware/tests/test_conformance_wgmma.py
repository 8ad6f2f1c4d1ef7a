# SPDX-License-Identifier: Apache-2.0
"""tma-conformance --part wgmma: what is read through random descriptors, and through maps' copies,
is compared; each difference is counted; edges run in processes of their own."""
from conformance import keys, run

PART = ("--part", "wgmma")
KINDS, CELLS, EDGES = 40, 8, 9
KINDS_WITH_MAPS = 30
PAIRS, MOST_REPORTS = 20 * KINDS_WITH_MAPS, 20


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
    assert PAIRS / 4 <= int(said[0][1]) <= PAIRS * 3 / 4
    assert len(done.matches(r"\w+ +[AB] [KMN]-major n\d+ +20 pairs, [1-9]\d* disagree")) == KINDS_WITH_MAPS
    lines = [line for line in path.read_text().splitlines() if line.startswith("wgmma ")]
    assert len(lines) == KINDS * CELLS
    assert {keys(line)["shape"] for line in lines} >= {"m64n24k16", "m64n256k16", "m64n256k32"}
    assert {keys(line)["operand"] for line in lines} == {"A", "B"}


def test_each_wrong_read_is_counted():
    done = run(*PART, "--count", KINDS * 80, lie="wgmma")
    assert done.status == 1 and done.tally("wgmma") == (KINDS * 79 + PAIRS, KINDS)
    assert len(done.matches(r".* descriptor 0x\w+, 1 of \d+ elements differ: .*")) == 20


def test_a_wrong_verdict_is_counted():
    done = run(*PART, "--count", KINDS, lie="wgmma-tile")
    assert done.status == 1 and done.tally("wgmma") == (KINDS + PAIRS - KINDS_WITH_MAPS, KINDS_WITH_MAPS)
    assert len(done.matches(r"pair 3: . .*-major, descriptor 0x\w+, .*")) == MOST_REPORTS


def test_a_killed_kernel_ends_the_part():
    done = run(*PART, "--count", KINDS, lie="wgmma-die")
    assert done.status == 1 and done.tally("wgmma") == (0, 1)
    assert done.matches("wgmma: the kernel ended with cudaErrorIllegalInstruction")


def test_a_target_without_the_instruction():
    done = run(*PART, arch="sm_100a")
    assert done.status == 1 and done.tally("wgmma") == (0, 1)
