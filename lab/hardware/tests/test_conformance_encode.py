# SPDX-License-Identifier: Apache-2.0
"""tma-conformance --part encode: what agrees passes, each answer that differs is counted and said."""
import pytest
from conformance import MOST_REPORTS, keys, read_vectors, replay, run

PART = ("--part", "encode")
COUNT = 8000


def is_odd(address):
    """What the pretended driver lies about (pretend_calls.c)."""
    return int(address, 0) // 16 % 100 == 7


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    path = tmp_path_factory.mktemp("encode") / "vectors.txt"
    done = run(*PART, "--count", COUNT, "--write-vectors", path)
    assert done.status == 0 and done.tally("encode") == (COUNT, 0)
    return path


def test_vectors_are_the_driver_s_answers(vectors):
    lines = read_vectors(vectors)
    assert sum(line.startswith("enc ") for line in lines) == COUNT
    assert sum(line.startswith("rep ") for line in lines) > COUNT / 16
    assert replay(vectors) == (len(lines), 0)


@pytest.mark.parametrize("lie", ["bit", "rc"])
def test_each_wrong_answer_is_counted(lie, vectors, tmp_path):
    wrong = [line for line in read_vectors(vectors) if line.startswith("enc ")
             and keys(line)["rc"] == "0" and is_odd(keys(line)["addr"])]
    assert len(wrong) > MOST_REPORTS
    path = tmp_path / "vectors.txt"
    done = run(*PART, "--count", COUNT, "--write-vectors", path, lie=lie)
    assert done.status == 1 and done.tally("encode") == (COUNT - len(wrong), len(wrong))
    said = "driver 0, libtma 0" if lie == "bit" else "driver 1, libtma 0"
    assert len(done.matches(rf"case \d+: {said}")) == MOST_REPORTS
    if lie == "bit":
        assert len(done.matches("  word 17, no field: 0x00000001, libtma 0x00000000")) == MOST_REPORTS
    assert replay(path)[1] == len(wrong)


def test_each_wrong_new_address_is_counted(vectors):
    wrong = [line for line in read_vectors(vectors) if line.startswith("rep ")
             and keys(line)["rc"] == "0" and is_odd(keys(line)["naddr"])]
    done = run(*PART, "--count", COUNT, lie="address")
    assert wrong and done.status == 1
    assert done.tally("encode") == (COUNT - len(wrong), len(wrong))
    assert len(done.matches(r"rep .* naddr=0x\w+ rc=1 desc=\w+")) == min(len(wrong), MOST_REPORTS)


WORDS = ("atom-repeat", "packed-box", "interleave-box")


@pytest.mark.parametrize("readings", [0, 0x1500000, 0x1100000])
def test_a_driver_s_words_are_decided_first(readings, tmp_path):
    """Bit 20 + 2 n of PRETEND_READINGS: the n-th question that a map's words hang on."""
    path = tmp_path / "report.txt"
    done = run("--encode-only", "--count", COUNT, "--report", path, arch="sm_120a", readings=readings)
    assert done.status == 0 and done.tally("encode") == (COUNT, 0), done.lines
    other = dict(zip(WORDS, ("span", "zero", "slices"), strict=True))
    default = dict(zip(WORDS, ("atom", "box", "elements"), strict=True))
    for n, name in enumerate(WORDS):
        value = (other if readings >> 20 + 2 * n & 1 else default)[name]
        found, = done.matches(rf"reading: {name}=(\S+): .* \((\d+) of (\d+) maps\)")
        assert found[1] == value and found[2] == found[3] and int(found[3]) > 20
    replays = [line for line in read_vectors(path) if line.startswith("# replay: ")]
    assert len(replays) == bool(readings)
    if readings:
        chosen = [f"{name}={other[name]}" for n, name in enumerate(WORDS) if readings >> 20 + 2 * n & 1]
        assert replays[0].split(" --reading ")[1:] == chosen


def test_hopper_has_no_words_to_decide():
    assert not run("--encode-only", "--count", 200).matches("reading: .*")


def test_a_driver_of_no_known_reading_fails():
    """Another word 16 in each map; with another bit in each hundredth the reading is left."""
    done = run(*PART, "--count", COUNT, arch="sm_120a", lie="words")
    none = done.matches(r"reading: (\S+): this driver does none of those known \((\d+) maps\)")
    assert done.status == 1 and [m[1] for m in none] == list(WORDS)
    assert done.tally("encode")[1] > COUNT / 4 + len(WORDS)
    some = run(*PART, "--count", COUNT, arch="sm_120a", lie="bit")
    assert some.status == 1 and len(some.matches("reading: .*=.*")) == len(WORDS)


def test_processes_count_as_one_does():
    """From 100,000 specs on each range has a process of its own."""
    alone = run(*PART, "--count", 100000, "--threads", "1", lie="bit")
    shared = run(*PART, "--count", 100000, "--threads", "3", lie="bit")
    summary = r"encode: 100000 specs, (\d+) accepted, (\d+) refused; (\d+) new addresses; .*"
    assert alone.status == shared.status == 1
    assert alone.tally("encode") == shared.tally("encode")
    assert alone.matches(summary)[0].groups() == shared.matches(summary)[0].groups()


def test_a_worker_that_dies_is_no_success():
    done = run(*PART, "--count", 100000, lie="die")
    assert done.status == 1 and done.tally("encode") == (0, 100000)
    ended = done.matches(r"a worker for the cases from (\d+) on ended with status 5")
    assert [m[1] for m in ended] == ["0", "50000"]


def test_a_case_depends_on_seed_and_number_alone():
    failing = run(*PART, "--count", 2000, "--seed", 3, lie="bit").matches(r"case (\d+): .*")
    number = failing[-1][1]
    again = run(*PART, "--seed", 3, "--first", number, "--count", 1, lie="bit")
    assert again.status == 1 and again.tally("encode") == (0, 1)
    assert again.matches(rf"case {number}: driver 0, libtma 0")
    assert run(*PART, "--seed", 3, "--first", number, "--count", 1).tally("encode") == (1, 0)
