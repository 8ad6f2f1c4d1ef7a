# SPDX-License-Identifier: Apache-2.0
"""tma-conformance as a program: what it is asked, what it ends with."""
import pytest
from conformance import run

FEW = ("--part", "replace", "--count", 10)


def test_says_what_it_asks():
    done = run(*FEW, "--seed", 5, arch="sm_100a")
    assert done.status == 0 and not done.errors
    assert done.matches(r"libtma \d+\.\d+\.\d+, no GPU, sm_100a, driver 13\.0, seed 5")


def test_an_older_driver(tmp_path):
    path = tmp_path / "report.txt"
    done = run(*FEW, "--report", path, lie="older")
    assert done.status == 0 and done.matches(r"libtma .*, no GPU, sm_90a, driver 12\.8, seed 1")
    assert path.read_text().splitlines()[1].endswith(", no GPU, sm_90a, driver 12.8")


def test_parts_are_those_asked_for_and_one_failing_fails_all():
    done = run("--part", "encode", "--part", "replace", "--count", 1000, lie="edit")
    assert done.status == 1
    assert done.tally("encode") == (1000, 0) and done.tally("replace") == (990, 10)
    assert not done.matches("copies: .*") and not done.matches("speed: .*")


def test_all_parts():
    done = run("--part", "all", "--count", 3, lie="slow")
    assert [m[1] for m in done.matches(r"(\w+): \d+ passed, 0 failed")] == ["encode", "copies", "replace", "speed"]


def test_cases_that_another_process_names():
    """Some of 16 at most: a worker's answer is their sum."""
    numbers = ",".join(map(str, range(3, 19)))
    worker = ("--worker", "copies", "--batch", 99, "--quiet")
    done = run(*worker, "--count", 16, "--numbers", numbers)
    assert done.lines[0] == "#batch 15 0 1 0 429184"
    assert run(*worker, "--count", 16, "--numbers", f"{numbers},19").lines == done.lines
    assert run(*worker, "--count", 2, "--numbers", "5,9").lines == ["#batch 1 0 1 0 3840", "#feature 2 1 0"]
    for wrong in ("5,x", "5;7", "x", ",5"):
        done = run(*worker, "--numbers", wrong)
        assert done.status == 2 and f": --numbers is '{wrong}'\n" in done.errors


def test_nothing_tried_is_no_success():
    """The first case that should trap, without the traps that are run apart."""
    found = run("--part", "copies", "--count", 1, "--traps", 1).matches(r"traps: .*")
    assert found
    for first in range(300):
        done = run("--part", "copies", "--first", first, "--count", 1, "--traps", 0)
        if done.tally("copies") == (0, 0):
            assert done.status == 1
            return
        assert done.status == 0
    pytest.fail("no case of 300 should trap")


@pytest.mark.parametrize("wrong", [
    ("--part", "sped"), ("--count", "x"), ("--count", "-1"), ("--count", "2^8"),
    ("--count", 2**48 + 1), ("--threads", 1025), ("--traps", 1001), ("--batch", 65537),
    ("--device", 256), ("--no-such-option",)])
def test_wrong_arguments(wrong):
    done = run(*wrong)
    assert done.status == 2 and done.errors and not done.lines


@pytest.mark.parametrize("option, most", [
    ("--count", 2**48), ("--threads", 1024), ("--traps", 1000), ("--batch", 65536), ("--device", 255),
    ("--first", 2**62), ("--seed", 2**64 - 1), ("--sample", 2**64 - 1), ("--without", 2**32 - 1),
    ("--readings", 2**32 - 1)])
def test_the_ends_of_numbers(option, most):
    """Arguments are read in their order: one that is taken lets the next be complained of."""
    def complaint(value):
        done = run(option, value, "--part", "next")
        assert done.status == 2 and not done.lines
        return done.errors.splitlines()[0].split(": ", 1)[1]

    for taken in (0, 1, most, hex(most), f"0{most:o}"):
        assert complaint(taken) == "--part 'next' is none of encode, copies, replace, speed, wgmma, tcgen05, barrier, all"
    for wrong in ([most + 1] if most < 2**64 - 1 else []) + ["", "-0", "-1", "1x", "x", "0x", " "]:
        assert complaint(wrong) == f"{option} is '{wrong}', must be a number of at most {most}"


def test_files_of_two_kinds():
    done = run(*FEW, "--report", "a", "--write-vectors", "b")
    assert done.status == 2 and done.errors == "tma-conformance: --report or --write-vectors, not both\n"


@pytest.mark.parametrize("how, said", [
    ({"driver": "/nosuch/libcuda.so"}, "no driver"), ({"arch": "sm_75"}, "GPU 0")])
def test_no_driver_and_no_gpu(how, said):
    done = run("--part", "encode", "--count", 10, **how)
    assert done.status == 3 and said in done.errors and not done.matches("encode: .*")


def test_another_gpu():
    done = run(*FEW, "--device", 1)
    assert done.status == 3 and "GPU 1" in done.errors


def test_vectors_that_cannot_be_written(tmp_path):
    done = run(*FEW, "--write-vectors", tmp_path / "nosuch" / "x.txt")
    assert done.status == 2 and "nosuch/x.txt: No such file or directory" in done.errors
    path = tmp_path / "cut.txt"
    done = run("--part", "replace", "--count", 1000, "--write-vectors", path, most_file_B=20000)
    assert done.status == 2 and "cut.txt is not whole" in done.errors


def test_vectors_begin_anew(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text("old\n")
    assert run(*FEW, "--write-vectors", path).status == 0
    assert path.read_text() and "old" not in path.read_text()
