# SPDX-License-Identifier: Apache-2.0
"""tma-conformance --part barrier: what operations do to mbarriers is compared, by what a kernel
sees and by the words of a core dump; operations that kill run in processes of their own."""
from conformance import run

PART = ("--part", "barrier", "--count", 20500)  # 1,001 barriers of 1 to 40 operations
KILLS = 24


def said(done):
    found = done.matches(r"barrier: (\d+) operations, (\d+) of them not as libtma says; "
                         r"(\d+) words of the core dump, (\d+) not as libtma says")
    assert len(found) == 1, done.lines
    return [int(n) for n in found[0].groups()]


def test_all_is_asked():
    done = run(*PART)
    operations, wrong, words, wrong_words = said(done)
    assert done.status == 0 and wrong == wrong_words == 0
    assert operations >= 20000 and words == 1001
    assert done.tally("barrier") == (operations + words + KILLS, 0)
    kills = done.matches(r"kill: .*: (.*): cudaErrorLaunchFailure")
    assert len(kills) == KILLS and len({m[1] for m in kills}) == 3


def test_each_difference_is_counted():
    for lie, in_steps, in_words in (("barrier-wait", 10, 0), ("barrier-state", 10, 0), ("barrier-word", 0, 10)):
        done = run(*PART, lie=lie)
        assert done.status == 1
        assert said(done)[1::2] == [in_steps, in_words], lie
        assert done.tally("barrier")[1] == 10
        assert len(done.matches(r"barrier \d+, operation \d+, .* is 0x\w+, libtma 0x\w+ .*")) == 10


def test_operations_that_must_kill():
    for lie, why in (("barrier-live", "it lives"), ("barrier-name", "cudaErrorUnknown")):
        done = run(*PART, lie=lie)
        assert done.status == 1 and done.tally("barrier")[1] == KILLS
        assert len(done.matches(rf"wrong: .*: {why}")) == KILLS


def test_a_run_without_an_answer():
    done = run(*PART, lie="barrier-dump")
    assert done.status == 1 and done.tally("barrier")[1] >= 1001
    assert done.matches("the barriers were not seen: no core dump was written")


def test_the_operation_that_kills_is_found():
    done = run(*PART, lie="barrier-die")
    assert done.status == 1 and done.tally("barrier")[1] >= 1001
    found = done.matches(r"barrier \d+, operation [1-9]\d*, (.*): it kills: cudaErrorLaunchFailure, libtma says that "
                         r"it does not \(the barrier's word then: 0x\w+\)")
    assert [m[1] for m in found] == ["cp.async.bulk count 0 bytes 48"]


def test_a_case_depends_on_seed_and_number_alone():
    one = run("--part", "barrier", "--count", 410, "--seed", 5, lie="barrier-word").lines
    two = run("--part", "barrier", "--count", 820, "--seed", 5, lie="barrier-word").lines
    assert [line for line in one if line.startswith("barrier 7,")] == \
        [line for line in two if line.startswith("barrier 7,")] != []
