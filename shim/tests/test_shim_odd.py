# SPDX-License-Identifier: Apache-2.0
"""What few programs do, whole: look-ups of every name at every version, drivers that have none of the calls,
pointers to nothing, records of programs that are gone at once, what a driver is asked and how often."""
import pathlib
import re
import struct

import pytest

from shim_programs import ORDER, PRETEND, PROGRAMS, STAND_IN, has_driver, natural, reports, run, watched

TABLE = (pathlib.Path(__file__).parents[1] / "symbols.def").read_text()
CALLS = dict(re.findall(r"^SHIM_CALL\((\w+), \w+, (\d+)\)", TABLE, re.M))
LOADS = dict(re.findall(r"^SHIM_LOAD\((\w+), \w+, (\d+)\)", TABLE, re.M))
FIRST, SECOND = "cuGetProcAddress", "cuGetProcAddress_v2"
VERSIONS = [-1, 0, 1999, 2000, 11029, 11030, 11999, 12000, 12079, 12080, 13000, 13001, 13049, 13050, 13051]
NOTHING = PROGRAMS / "nothing"  # a driver that has none of the calls
PTX = (".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copy()\n{\nret;\n}\n"
       ".weak .global .u64 libtma_checker_record;\n")


def asked(stdout):
    """{(name, version, flags): (answer of the second, answer of the first)}; which of them a negative version
    finds, no driver was asked."""
    lines = stdout.splitlines()
    found = {}
    for at in range(0, len(lines) - 1, 2):
        if lines[at + 1].startswith("    the first: "):
            what, answer = lines[at].split(": ", 1)
            name, version, flags = what.split(" ")
            if (name, version) == (FIRST, "-1"):
                continue
            found[name, int(version), int(flags)] = (answer, lines[at + 1][15:])
    return found


def expected(name, version, since, driver):
    """As a driver of this version answers, if it has the function from a version on; None: it has it not."""
    if version > driver:
        return "1, status 77, untouched", "1, untouched"
    if since is None or since > driver:
        return "0, status 1, null", "500, untouched"
    if version % 2**32 < since:
        return "0, status 2, null", "500, untouched"
    which = "as linked"
    if name == FIRST:
        which = "the first cuGetProcAddress" if version < 12000 else "the second cuGetProcAddress"
    return f"0, status 0, {which}", f"0, {which}"


@pytest.mark.parametrize("driver", [12000, 12070, 12080, 13000, 13050])
def test_a_stand_in_finds_what_that_driver_has(driver):
    done = run("odd_calls", "lookups", libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in",
               LIBTMA_DRIVER=f"{driver // 1000}.{driver % 1000 // 10}", ODD_NOTHING=1)
    found = asked(done.stdout)
    has = {name: int(since) for name, since in CALLS.items()} | {FIRST: 11030}
    if has_driver():
        pytest.skip("this machine has a driver")
    for (name, version, flags), answers in found.items():
        if not flags:
            assert answers == expected(name, version, has.get(name), driver), (name, version)
    assert len([key for key in found if not key[2]]) == len(VERSIONS) * len({key[0] for key in found}) - 1
    assert {name for name, _, _ in found} >= {*CALLS, *LOADS, FIRST, SECOND, "cuNothing", "cuDriverGetVersion"}
    for flags in (1, 2, 3):
        assert found["cuTensorMapEncodeTiled", 12000, flags] == ("0, status 0, as linked", "0, as linked")
    for flags in (4, 5, 2**32):
        assert found["cuTensorMapEncodeTiled", 12000, flags] == ("1, status 77, untouched", "1, untouched")
    if driver >= 13000:
        assert done.stdout.splitlines()[-4:] == ["no name: 1, status 77, untouched", "no place: 1",
                                                 "no status: 0, as linked",
                                                 "the first, no name: 1, no place: 1"]


@pytest.mark.parametrize("mode", ["watch", "stand-in"])
def test_a_driver_s_answers_have_ours_in_them(mode):
    done = run("odd_calls", "lookups", libraries=[PRETEND], LIBTMA_MODE=mode, PRETEND_VERSION=13050, LIBTMA_DRIVER="13.5")
    found = asked(done.stdout)
    has = {name: int(since) for name, since in {**CALLS, **LOADS}.items()} | {FIRST: 11030}
    for (name, version, flags), answers in found.items():
        if not flags and name in has:
            assert answers == expected(name, version, has[name], 13050), (name, version)
    assert found["cuDriverGetVersion", 13000, 0] == ("0, status 0, as linked", "0, as linked")
    alone = asked(natural("odd_calls", "lookups", PRETEND_VERSION=13050))
    assert alone.keys() == found.keys()
    for key in found: # the driver's own, where it is the linker's, too
        assert alone[key] == found[key], key


@pytest.mark.skipif(has_driver(), reason="this machine has a driver")
def test_watching_nothing():
    """No driver: 34, and what was to be written is left."""
    done = run("odd_calls", "lookups", libraries=[STAND_IN], preload=None, LIBTMA_MODE="watch")
    assert set(asked(done.stdout).values()) == {("34, status 77, untouched", "34, untouched")}


def test_a_driver_that_has_none_of_the_calls():
    """It is none of libtma's business what it lacks: 801 each, one word, no crash."""
    done = run("odd_calls", "lookups", libraries=[NOTHING])
    assert set(asked(done.stdout).values()) == {("801, status 77, untouched", "801, untouched")}
    assert done.stderr == ""
    done = run("direct_calls", libraries=[NOTHING])
    assert {line.split()[1] for line in done.stdout.splitlines()} == {"801"}
    assert done.stderr == "libtma: the driver has no cuTensorMapEncodeTiled to pass the call on to\n"
    done = run("class_calls", "direct", libraries=[NOTHING])
    assert {line.split(",")[0].split(" ")[-1] for line in done.stdout.splitlines()} == {"801"}
    done = run("odd_calls", "nothing", libraries=[NOTHING], LIBTMA_CHECK_KERNELS=1)
    assert {line.split()[1] for line in done.stdout.splitlines()[:-1]} == {"801"}
    assert done.stdout.splitlines()[-1] == "errno 77, none, none"
    assert done.stderr == "libtma: the driver has no cuModuleLoad to pass the call on to\n"


def test_standing_in_before_a_driver_that_has_none_of_the_calls():
    done = run("direct_calls", libraries=[NOTHING], LIBTMA_MODE="stand-in")
    assert done.stdout == natural()
    done = run("odd_calls", "lookups", libraries=[NOTHING], LIBTMA_MODE="stand-in")
    found = asked(done.stdout)
    assert found["cuTensorMapEncodeTiled", 13000, 0] == ("0, status 0, as linked", "0, as linked")
    assert found["cuModuleLoad", 13000, 0] == found[FIRST, 13000, 0] == ("801, status 77, untouched", "801, untouched")


@pytest.mark.parametrize("settings", [{}, {"LIBTMA_CHECK_KERNELS": "1"}, {"LIBTMA_CHECK_KERNELS": "record"},
                                      {"LIBTMA_RECORD": "1"}])
def test_loads_of_nothing(settings):
    """Behind a driver that answers 0 and looks at nothing: no kernels, thus none that are told anything."""
    done = watched("nothing", program="odd_calls", PRETEND_FAULT="blind", PRETEND_KERNEL="record", **settings)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) == 9 and all(line.endswith(" 0") for line in lines[:8]) and lines[8] == "errno 77, none, none"


# Records.

@pytest.fixture
def ptx(tmp_path):
    file = tmp_path / "kernels.ptx"
    file.write_text(PTX)
    return file


@pytest.mark.parametrize("how, said", [("encode", True), ("right", False), ("load", True), ("loaded", False),
                                       ("fork", False), ("exit", False), ("end", True)])
def test_a_record_is_looked_for_at_each_error_and_at_the_end(how, said, ptx):
    done = watched("record", how, ptx, program="odd_calls", LIBTMA_RECORD=1, PRETEND_KERNEL="record")
    assert done.returncode == 0
    records = [line for line in done.stderr.splitlines() if "a kernel broke a rule" in line]
    assert len(records) == said
    if how == "encode": # the record first: it may be the reason
        assert done.stderr.splitlines()[0] == records[0]


@pytest.mark.parametrize("setting, told", [("assert", 0), ("trap", 0), ("record", 1), ("skip", 1), ("auto", 1), ("1", 0), ("0", 0)])
def test_checks_that_leave_records_have_one(setting, told, ptx):
    done = watched("record", "end", ptx, program="odd_calls", LIBTMA_CHECK_KERNELS=setting, PRETEND_KERNEL="record")
    assert done.stderr.count("a kernel broke a rule") == told
    done = watched("record", "end", ptx, program="odd_calls", LIBTMA_CHECK_KERNELS=setting, PRETEND_KERNEL="record",
                   LIBTMA_RECORD=0)
    assert done.stderr == ""


SLOT_B, SLOTS = 4096, 64


@pytest.mark.parametrize("free", [None, 0, 1, 62, 63])
def test_a_slot_that_is_free_is_taken(free, ptx, tmp_path):
    """Where there is none, the shim reports the record itself."""
    taken = bytes(2048) + struct.pack(ORDER + "I", 1) + bytes(SLOT_B - 2052)
    file = tmp_path / "records"
    file.write_bytes(b"".join(bytes(SLOT_B) if i == free else taken for i in range(SLOTS)))
    done = watched("record", "end", ptx, program="odd_calls", LIBTMA_RECORD=file, PRETEND_KERNEL="record")
    assert done.stderr.count("a kernel broke a rule") == (free is None)
    data = file.read_bytes()
    assert [i for i in range(SLOTS) if data[i * SLOT_B:(i + 1) * SLOT_B] != taken] == ([] if free is None else [free])


# What a driver is asked.

def asks(**settings):
    return re.findall(r"^asked (.*)$", watched(PRETEND_ASKED=1, **settings).stdout, re.M)


@pytest.mark.parametrize("device, often", [(0, 1), (1, 1), (63, 1), (64, 2), (-1, 2)])
def test_a_device_is_asked_once(device, often):
    """One of the first 64; others each time."""
    found = asks(PRETEND_DEVICE=device)
    assert found.count("the version") == 1
    capability = [what for what in found if what != "the version"]
    assert capability[:2] == [f"attribute 75 of {device}", f"attribute 76 of {device}"]
    assert (len(capability) == 2) == (often == 1)
    assert capability == capability[:2] * (len(capability) // 2)


def test_what_the_environment_says_is_not_asked():
    assert asks(LIBTMA_ARCH="sm_90", LIBTMA_DRIVER="13.0") == []
    assert asks(LIBTMA_ARCH="sm_90") == ["the version"]


# Settings.

@pytest.mark.parametrize("value", ["11.9", "1.0", "3.0", "123.0", "13", "13.", "13.00", "13.0 ", "13,0", "13.a", "13./",
                                   "13.:", "1a.0", "a3.0", "00.0", ".0", "13.-"])
def test_versions_that_are_none(value):
    done = run("direct_calls", libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in", LIBTMA_DRIVER=value)
    assert done.stderr == f"libtma: LIBTMA_DRIVER={value} is wrong: it can be a CUDA version from 12.0 on, such as 13.0\n"
    assert {line.split()[1] for line in done.stdout.splitlines()} == {"1"}


@pytest.mark.parametrize("value", ["12.0", "12.9", "13.0", "19.9", "20.1", "99.9"])
def test_versions_from_12_0_on(value):
    done = run("direct_calls", libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in", LIBTMA_DRIVER=value)
    said = set(re.findall(r"standing in for ([^:]+):", done.stderr))
    assert said == {f"sm_90, driver {value}"} and "is wrong" not in done.stderr


HEADER = pathlib.Path(__file__).parents[1] / "report_out.h"
VALUE_MOST = int(re.search(r"#define VALUE_MOST +(\d+)", HEADER.read_text())[1])


@pytest.mark.parametrize("more", [-1, 0, 1, 300])
def test_long_values_are_cut(more, tmp_path):
    value = "v" * (VALUE_MOST + more)
    shown = value[:VALUE_MOST] + ("..." if more > 0 else "")
    done = run("direct_calls", libraries=[STAND_IN], preload=None, LIBTMA_MODE=value)
    assert f"LIBTMA_MODE={shown} is wrong: it can be auto, stand-in or watch\n" in done.stderr
    file = tmp_path / "k.ptx"
    file.write_text(PTX.replace("ret;", "cp.async.bulk.tensor.1d [%r1];"))
    name = "/" + "n" * (VALUE_MOST - 3 + more) + "/x"
    shown = name[:VALUE_MOST] + ("..." if more > 0 else "")
    done = watched("record", "end", file, program="odd_calls", LIBTMA_CHECK_KERNELS=1, LIBTMA_CHECK_NOTES=name)
    assert [r for r in reports(done.stderr) if r[0].startswith(f"LIBTMA_CHECK_NOTES={shown}: notes cannot be written there")]
