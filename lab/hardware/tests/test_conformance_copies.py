# SPDX-License-Identifier: Apache-2.0
"""tma-conformance --part copies: bytes, barriers, killed kernels and traps, each counted once."""
import re

import pytest
from conformance import MOST_REPORTS, keys, read_vectors, replay, run

PART = ("--part", "copies")
COUNT = 1000


def summary(done):
    """(run, would trap, run apart) of the part's line."""
    found = done.matches(r"copies: (\d+) run, \d+ bytes compared; (\d+) would trap, (\d+) of such "
                         r"run apart; .*")
    assert len(found) == 1
    return tuple(map(int, found[0].groups()))


def seed_of(line):
    return int(keys(line)["seed"])


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    path = tmp_path_factory.mktemp("copies") / "vectors.txt"
    done = run(*PART, "--count", COUNT, "--traps", 0, "--write-vectors", path)
    ran, trapping, _ = summary(done)
    assert done.status == 0 and done.tally("copies") == (ran, 0)
    assert ran + trapping == COUNT and trapping < COUNT / 20
    return path


@pytest.fixture(scope="module")
def odd(vectors):
    """The cases that the pretended GPU lies about (pretend_device.c)."""
    lines = [line for line in read_vectors(vectors) if seed_of(line) % 100 == 7]
    assert 5 < len(lines) <= MOST_REPORTS
    return lines


def requests(done):
    return done.matches(r"hw .* op=\w+ mode=.* smem=.*")


def test_vectors_are_the_hardware_s_answers(vectors):
    lines = read_vectors(vectors)
    assert len(lines) > COUNT * 0.9  # prefetches leave nothing to write
    assert replay(vectors) == (len(lines), 0)


def test_each_wrong_byte_is_counted(odd, tmp_path):
    path = tmp_path / "vectors.txt"
    done = run(*PART, "--count", COUNT, "--traps", 0, "--write-vectors", path, lie="byte")
    ran, _, _ = summary(done)
    assert done.status == 1 and done.tally("copies") == (ran - len(odd), len(odd))
    differ = done.matches(r"  shared window: (\d+) of (\d+) bytes differ, the first at 0x(\w+); .*")
    assert [m[1] for m in differ] == ["1"] * len(odd)
    for m, line in zip(differ, requests(done), strict=True):
        window = keys(line[0])["win"]
        assert m[2] == window and int(m[3], 16) == int(window) // 2
    assert sorted(seed_of(m[0]) for m in requests(done)) == sorted(map(seed_of, odd))
    loads = [line for line in odd if keys(line)["op"] == "load"]
    assert loads and replay(path)[1] == len(loads)  # of a store the global bytes are written


@pytest.mark.parametrize("lie, said", [("count", "did not complete"),
                                       ("more", "got more bytes than expected")])
def test_each_wrong_barrier_is_counted(lie, said, odd):
    done = run(*PART, "--count", COUNT, "--traps", 0, lie=lie)
    ran, _, _ = summary(done)
    assert done.status == 1 and done.tally("copies") == (ran - len(odd), len(odd))
    assert len(done.matches(rf"case \d+, tma_copy.*: the barrier {said}")) == len(odd)


@pytest.mark.parametrize("batch", [2048, 100])
def test_a_killed_kernel_is_found_and_the_others_run(batch, vectors, tmp_path):
    """Every case is answered, once; the killed ones by the trap that libtma denies."""
    lines = read_vectors(vectors)
    killed = [line for line in lines if seed_of(line) % 1000 == 7]
    assert 0 < len(killed) <= 6  # that many are searched for
    path = tmp_path / "vectors.txt"
    done = run(*PART, "--count", COUNT, "--traps", 0, "--batch", batch, "--write-vectors", path,
               lie="kill")
    ran, trapping, _ = summary(done)
    assert done.status == 1 and ran + trapping == COUNT
    assert done.tally("copies") == (ran - len(killed), len(killed))
    assert len(done.matches(r"case \d+: the kernel was killed by cudaErrorIllegalInstruction; "
                            r"libtma says it runs")) == len(killed)
    traps = [line.split(" rc=")[0] + " rc=0 st=trap:cudaErrorIllegalInstruction" for line in killed]
    assert sorted(read_vectors(path)) == sorted({*lines, *traps} - set(killed))
    assert replay(path) == (len(lines) - len(killed), len(killed))


def test_many_killed_kernels_are_counted_unsearched():
    done = run(*PART, "--count", COUNT, "--traps", 0, "--batch", 64, lie="kills")
    found = done.matches(r"case \d+: the kernel was killed by .*")
    ranges = [(int(m[1]), int(m[2])) for m in
              done.matches(r"cases (\d+) to (\d+): killed by .*, not searched")]
    assert done.status == 1 and len(found) >= 6 and ranges
    assert done.tally("copies")[1] == len(found) + sum(last - first + 1 for first, last in ranges)
    ran, trapping, _ = summary(done)
    assert ran + trapping == COUNT
    assert all(a[1] < b[0] for a, b in zip(ranges, ranges[1:]))


def test_a_batch_that_is_killed_but_none_of_its_copies_alone():
    done = run(*PART, "--count", 8, "--traps", 0, lie="together")
    passed, failed = done.tally("copies")
    assert done.status == 1 and (passed, failed) == (8, 1)
    assert done.matches("cases 0 to 7: killed by cudaErrorIllegalAddress together, none of them alone")


def test_a_worker_that_dies_is_no_success():
    done = run(*PART, "--count", COUNT, "--traps", 0, lie="die")
    assert done.status == 1 and done.tally("copies") == (0, 1)
    assert done.matches("a worker for the cases from 0 on ended with status 5")


def test_a_worker_that_cannot_be_started_is_no_success():
    """A pipe is two files more than the three that are open."""
    done = run(*PART, "--count", 10, "--traps", 0, most_files=4)
    assert done.status == 1 and done.tally("copies") == (0, 1)
    assert done.matches("a worker for the cases from 0 on ended with status -1")


def test_no_memory_to_compare_with_is_no_success():
    done = run(*PART, "--count", 10, "--traps", 0, lie="memory")
    assert done.status == 1 and done.tally("copies") == (0, 1)
    assert re.fullmatch(r"tma-conformance: no memory for \d+ times \d+ bytes\n", done.errors)
    assert done.matches("a worker for the cases from 0 on ended with status 3")


def test_traps_are_run_apart_and_written(tmp_path):
    path = tmp_path / "vectors.txt"
    done = run(*PART, "--count", 100, "--traps", 16, "--write-vectors", path)
    ran, trapping, apart = summary(done)
    assert done.status == 0 and apart == 16 and ran + trapping == 100
    assert done.tally("copies") == (ran + 16, 0)
    rules = done.matches(r"traps: ([a-z0-9-]+), (\d+) run")
    assert sum(int(m[2]) for m in rules) == 16 and len(rules) >= 8
    assert all(int(m[2]) <= 2 for m in rules)
    lines = read_vectors(path)
    traps = [line for line in lines if " st=trap:" in line]
    assert 8 < len(traps) <= 16 and all(keys(line)["rc"] == "0" for line in traps)
    assert replay(path) == (len(lines), 0)


@pytest.mark.parametrize("lie, said", [("live", "no error"), ("name", "cudaErrorUnknown")])
def test_a_trap_that_does_not_kill_as_it_should(lie, said):
    done = run(*PART, "--count", 100, "--traps", 2, lie=lie)
    ran, _, apart = summary(done)
    assert done.status == 1 and apart == 2 and done.tally("copies") == (ran, 2)
    assert len(done.matches(rf"case \d+: libtma says \w+ \([a-z0-9-]+\); the hardware: {said}")) == 2


@pytest.mark.parametrize("arch", ["sm_100a", "sm_103a", "sm_110a", "sm_120a"])
def test_other_targets(arch, tmp_path):
    path = tmp_path / "vectors.txt"
    done = run(*PART, "--count", 400, "--traps", 4, "--write-vectors", path, arch=arch)
    ran, trapping, apart = summary(done)
    assert done.status == 0 and (ran + trapping, apart) == (400, 4)
    assert done.tally("copies") == (ran + 4, 0)
    lines = read_vectors(path)
    assert all(keys(line)["arch"] == arch for line in lines)
    assert replay(path) == (len(lines), 0)


def test_a_case_depends_on_seed_and_number_alone():
    failing = run(*PART, "--count", 1000, "--seed", 3, "--traps", 0, lie="byte")
    number = re.fullmatch(r"case (\d+), .*", failing.matches(r"case \d+, .*")[-1][0])[1]
    wanted = requests(failing)[-1][0]
    again = run(*PART, "--seed", 3, "--first", number, "--count", 1, "--traps", 0, lie="byte")
    assert again.status == 1 and again.tally("copies") == (0, 1)
    assert requests(again)[0][0] == wanted
