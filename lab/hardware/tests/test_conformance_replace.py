# SPDX-License-Identifier: Apache-2.0
"""tma-conformance --part replace: each edit that differs is counted, and its answer written."""
from conformance import MOST_REPORTS, keys, read_vectors, replay, run

PART = ("--part", "replace")
COUNT = 20000


def test_vectors_are_the_hardware_s_answers(tmp_path):
    path = tmp_path / "vectors.txt"
    done = run(*PART, "--count", 3000, "--write-vectors", path)
    assert done.status == 0 and done.tally("replace") == (3000, 0)
    lines = read_vectors(path)
    assert 1500 < len(lines) < 2500  # edits of random bytes are not written
    assert {keys(line)["field"] for line in lines} == {str(i) for i in range(11)} - {"8"} or \
        len({keys(line)["field"] for line in lines}) == 10
    assert replay(path) == (len(lines), 0)


def test_each_wrong_edit_is_counted(tmp_path):
    done = run(*PART, "--count", COUNT, lie="edit")
    assert done.status == 1 and done.tally("replace") == (COUNT - COUNT // 100, COUNT // 100)
    assert len(done.matches(r"case \d+: \w+, libtma answers TMA_OK")) == MOST_REPORTS
    assert len(done.matches(r"  word 31, no field: 0x\w+, libtma 0x\w+")) == MOST_REPORTS
    again = r"  again: tma-conformance --part replace --seed \d+ --first \d+ --count 1"
    assert len(done.matches(again)) == MOST_REPORTS
    numbers = [int(m[1]) for m in done.matches(r"case (\d+): .*")]
    assert all(number % 100 == 7 for number in numbers)


def test_each_launch_has_edits_of_its_own(tmp_path):
    """Not the first launch's again: in whatever pieces, the edits are the same."""
    whole, pieces = tmp_path / "whole", tmp_path / "pieces"
    for path, more in (whole, ()), (pieces, ("--batch", 64)):
        assert run(*PART, "--first", 1000, "--count", 1000, "--write-vectors", path, *more).tally("replace") == (1000, 0)
    assert read_vectors(pieces) == read_vectors(whole)


def test_a_killed_kernel_fails_all_of_its_edits():
    done = run(*PART, "--count", 500, lie="die")
    assert done.status == 1 and done.tally("replace") == (0, 500)
    assert done.matches("replace: the kernel ended with cudaErrorUnknown")


def test_a_target_without_the_instruction():
    done = run(*PART, "--count", 500, arch="sm_120")
    assert done.status == 1 and done.tally("replace") == (0, 1)
