# SPDX-License-Identifier: Apache-2.0
"""libtma-cuda.so and cuTensorMapSetAllocationClass of CUDA 13.5."""
import pytest

from shim_programs import PRETEND, PROGRAMS, STAND_IN, natural, reports, run

WAYS = ["direct", "handle", "lookup2"]
NEW = {"PRETEND_CC": 100, "PRETEND_VERSION": 13050}
SETTINGS = {"LIBTMA_ARCH": "sm_100", "LIBTMA_DRIVER": "13.5"}

# By cuda.h 13.5: a map of 64 KiB, one of 64 MiB; a class that does not exist; no map; the same without a place for the
# class that holds then.
ANSWERS = ["encode 0, bit 0"] + [f"class {text}, else the same" for text in (
    "2: 0, errno 77, out 2, bit 1", "0: 0, errno 77, out 1, bit 0", "1: 0, errno 77, out 1, bit 0",
    "0: 0, errno 77, out 77, bit 0", "3: 1, errno 77, out 1, bit 0")] + ["encode 0, bit 1"] + [
    f"class {text}, else the same" for text in (
        "2: 0, errno 77, out 2, bit 1", "0: 0, errno 77, out 2, bit 1", "1: 0, errno 77, out 1, bit 0",
        "0: 0, errno 77, out 77, bit 1", "3: 1, errno 77, out 1, bit 1",
        "0: 1, errno 77, out 1, bit 0", "0: 1, errno 77, out 77, bit 0", "3: 1, errno 77, out 77, bit 1")]


def watched(way="direct", **settings):
    return run("class_calls", way, libraries=[PRETEND], **{**NEW, **settings})


@pytest.mark.parametrize("way", WAYS)
def test_a_stand_in_answers(way):
    done = run("class_calls", way, libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in", **SETTINGS)
    assert done.returncode == 0 and done.stdout.splitlines() == ANSWERS
    found = reports(done.stderr)
    assert [r[0] for r in found] == ["cuTensorMapSetAllocationClass answered 1 (CUDA_ERROR_INVALID_VALUE); libtma, "
                                     "standing in for sm_100, driver 13.5:"] * 3
    assert found[0][1] == found[1][1] == "  refused: allocClass = 3, must be 0 (auto), 1 (small) or 2 (large)"
    assert found[0][2].startswith("  allocClass = 3 (no class), the map was ")
    assert found[2][1].endswith(": no map is there") and len(found[2]) == 2


def test_where_the_class_has_no_effect():
    """sm_90: all three succeed, change nothing and report SMALL."""
    done = run("class_calls", "direct", libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in",
               LIBTMA_DRIVER="13.5")
    lines = done.stdout.splitlines()
    assert lines[0] == lines[6] == "encode 0, bit 0"
    assert [line for line in lines if ": 0," in line] == [
        f"class {c}: 0, errno 77, out {out}, bit 0, else the same" for c, out in ((2, 1), (0, 1), (1, 1), (0, 77))] * 2


@pytest.mark.parametrize("driver, found", [("13.0", False), ("13.4", False), ("13.5", True)])
def test_older_drivers_have_it_not(driver, found):
    done = run("class_calls", "lookup2", libraries=[STAND_IN], LIBTMA_MODE="stand-in", LIBTMA_DRIVER=driver)
    assert (done.returncode == 0) == found
    assert ("was not found" in done.stdout) != found


@pytest.mark.parametrize("fault", ["", "strict", "bytes", "out", "700", "801"])
@pytest.mark.parametrize("way", WAYS)
def test_answers_are_the_drivers(way, fault):
    done = watched(way, PRETEND_FAULT=fault, PRETEND_TRACE=1)
    assert done.returncode == 0
    assert done.stdout == natural("class_calls", way, PRETEND_FAULT=fault, PRETEND_TRACE=1, **NEW)


def test_what_is_the_same_is_not_said():
    done = watched()
    assert done.stdout.splitlines() == ANSWERS
    assert len(reports(done.stderr)) == 3 and all("answered 1" in r[0] for r in reports(done.stderr))


def test_other_bytes_are_told():
    found = [r for r in reports(watched(PRETEND_FAULT="bytes").stderr) if r[0].startswith("cuTensorMapSet")]
    assert found[0][0] == ("cuTensorMapSetAllocationClass answered 0 (CUDA_SUCCESS); judged for sm_100, driver 13.5:")
    assert found[0][1] == "  the driver's 128 bytes are not libtma's:" and "(word 2, bits 21 to 21)" in found[0][2]


def test_another_class_is_told():
    found = [r for r in reports(watched(PRETEND_FAULT="out").stderr) if "answered 0" in r[0]]
    assert found[0][1] == "  *outAllocClass: the driver's 0 (auto), libtma's 2 (large)"


def test_a_refusal_that_libtma_does_not_know():
    found = [r for r in reports(watched(PRETEND_FAULT="strict").stderr) if r[0].startswith("cuTensorMapSet")]
    assert "libtma finds nothing here that is refused" in found[0][1]


def test_an_older_error_is_told_apart():
    found = [r for r in reports(watched(PRETEND_FAULT=700).stderr) if r[0].startswith("cuTensorMapSet")]
    said = [r[1].split(";")[0] for r in found]
    assert "error 700 happened earlier in this context" in found[0][1]
    assert said[0] == "  the arguments are fine" and said.count("  the arguments break rules, too") == 2


def test_a_driver_without_the_call():
    """One before 13.5: the call is neither invented nor taken for an argument's fault."""
    done = run("class_calls", "direct", libraries=[PROGRAMS / "pretend_old"], PRETEND_CC=100)
    assert all(": 801," in line for line in done.stdout.splitlines() if line.startswith("class"))
    assert done.stderr.count("the driver has no cuTensorMapSetAllocationClass to pass the call on to") == 1
