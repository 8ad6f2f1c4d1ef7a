# SPDX-License-Identifier: Apache-2.0
"""LIBTMA_RECORD: kernels that leave a record are told where, and what they left is read: by the shim, or by tma
run-checked."""
import fcntl
import os
import signal
import struct
import subprocess
import time

import pytest

from shim_programs import BUILD, EMULATOR, ORDER, PRETEND, PROGRAMS, SANITIZED, natural, watched

PTX = (".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copy()\n{\nret;\n}\n"
       ".weak .global .u64 libtma_checker_record;\n")  # behind the kernel: its bytes are written over
SLOT_B, SLOTS = 8192, 64
LOADS = 6  # calls of load_calls.c that load
FINDING = ("coord-align: tensorCoords[0] = 1: 2 B, must be a multiple of 16 B: without interleave the first "
           "coordinate, in bytes, is a multiple of 16")
COPY = "  cp.async.bulk.tensor.2d: map 0x7f00, coordinates {1, 0}, shared 0x400"
PLACE = "my\\x1b.cu:20: copy: block: [0,0,0], thread: [0,0,0]"
DECODE = "  tma decode " + "0" * 256


@pytest.fixture
def ptx(tmp_path):
    file = tmp_path / "kernels.ptx"
    file.write_text(PTX)
    return file


@pytest.fixture
def records(tmp_path):
    file = tmp_path / "records"
    file.write_bytes(bytes(SLOT_B * SLOTS))
    return file


def load(ptx, way="direct", **settings):
    return watched(way, ptx, program="load_calls", **settings)


def slots(file):
    """State, skipped copies, modules, told, error of each slot that was taken."""
    data = file.read_bytes()
    found = []
    for at in range(0, len(data), SLOT_B):
        state, form = struct.unpack_from(ORDER + "II", data, at)
        process, modules, told, error = struct.unpack_from(ORDER + "IIII", data, at + 2048)
        if process:
            found.append({"state": state, "format": form, "modules": modules, "told": told, "error": error})
        else:
            assert not any(data[at:at + SLOT_B])
    return found


def plain(text):
    return [line for line in text.splitlines() if not line.startswith(("option 3 ", "capture mode"))]


@pytest.mark.parametrize("way", ["direct", "handle", "lookup2"])
def test_the_shim_reports_a_record_once(way, ptx):
    done = load(ptx, way, LIBTMA_RECORD=1, PRETEND_KERNEL="record")
    assert done.returncode == 0
    assert done.stderr.splitlines() == [f"libtma: a kernel broke a rule at {PLACE}:", f"libtma:   {FINDING}",
                                        f"libtma: {COPY}", f"libtma: {DECODE}"]
    assert plain(done.stdout) == plain(natural("load_calls", way, ptx))
    modes = [line for line in done.stdout.splitlines() if line.startswith("capture")]
    assert modes == ["capture mode 2", "capture mode 0"] * (LOADS + 2)  # two more ask for a library's kernels


def test_it_is_quiet_where_it_should_be(ptx):
    assert load(ptx, LIBTMA_RECORD=1, PRETEND_KERNEL="record", LIBTMA_QUIET=1).stderr == ""
    assert load(ptx, LIBTMA_RECORD=1).stderr == ""
    for record in ({}, {"LIBTMA_RECORD": 0}, {"LIBTMA_RECORD": ""}):
        done = load(ptx, PRETEND_KERNEL="record", **record)
        assert done.stderr == "" and "capture" not in done.stdout


def test_kernels_without_checks_are_left_alone(tmp_path):
    file = tmp_path / "k.ptx"
    file.write_text(PTX.replace("libtma_checker_record", "something_else"))
    assert load(file, LIBTMA_RECORD=1, PRETEND_KERNEL="record").stderr == ""


def test_a_file_gets_the_record(ptx, records):
    done = load(ptx, LIBTMA_RECORD=records, PRETEND_KERNEL="record")
    assert done.returncode == 0 and done.stderr == ""
    assert slots(records) == [{"state": 2, "format": 0x50800, "modules": LOADS, "told": 0, "error": 0}]
    load(ptx, LIBTMA_RECORD=records)
    assert [s["state"] for s in slots(records)] == [2, 0]


def test_memory_that_the_driver_does_not_take(ptx, records):
    done = load(ptx, LIBTMA_RECORD=records, PRETEND_KERNEL="record", PRETEND_REGISTER="first")
    assert done.stderr == "" and slots(records)[0]["state"] == 2 and slots(records)[0]["error"] == 0
    done = load(ptx, LIBTMA_RECORD=records, PRETEND_KERNEL="record", PRETEND_REGISTER="none")
    assert done.stderr == "" and slots(records)[1] == {"state": 0, "format": 0, "modules": 0, "told": 0, "error": 801}
    done = load(ptx, LIBTMA_RECORD=1, PRETEND_KERNEL="record", PRETEND_REGISTER="none")
    assert len(done.stderr.splitlines()) == 1 and "cuMemHostRegister answered 801" in done.stderr


@pytest.mark.parametrize("size", [0, 1, SLOT_B * SLOTS - 1, SLOT_B * SLOTS + 1])
def test_a_file_of_another_kind_is_left_alone(size, ptx, tmp_path):
    file = tmp_path / "other"
    file.write_bytes(b"x" * size)
    assert FINDING in load(ptx, LIBTMA_RECORD=file, PRETEND_KERNEL="record").stderr
    assert file.read_bytes() == b"x" * size


def test_a_file_that_cannot_be_had_at_once_is_left_alone(ptx, records):
    """Who opens a file that another has a lease on waits for that one, unless asked not to."""
    with records.open("r+b") as file:
        try:
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)  # that it is wanted: nothing to us
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError:
            pytest.skip("no leases on files here")
        done = load(ptx, LIBTMA_RECORD=records, PRETEND_KERNEL="record")
    assert FINDING in done.stderr and slots(records) == []


def run_checked(ptx, *options, **settings):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LIBTMA_", "PRETEND_", "TMA_"))}
    environment |= {"LD_LIBRARY_PATH": str(PRETEND), **settings}
    before = set(os.listdir("/dev/shm"))
    done = subprocess.run([BUILD / "tma", "run-checked", *options, PROGRAMS / "load_calls", "direct", ptx],
                          env=environment, capture_output=True, text=True, timeout=300)
    left = {name for name in set(os.listdir("/dev/shm")) - before if name.startswith("tma-faults")}
    end = time.monotonic() + 30
    while left and time.monotonic() < end: # another run of these tests, at the same time, removes its own
        time.sleep(0.1)
        left &= set(os.listdir("/dev/shm"))
    assert not left
    return done


together = pytest.mark.skipif(SANITIZED or bool(EMULATOR) or not (BUILD / "tma").exists(),
                              reason="tma run-checked preloads the shim as it is built")


@together
@pytest.mark.parametrize("option", [[], ["--on-fault=record"], ["--on-fault=skip"]])
@pytest.mark.parametrize("kernel, status", [("record", 0), ("killed", 137)])
def test_run_checked_prints_it(option, kernel, status, ptx):
    done = run_checked(ptx, *option, PRETEND_KERNEL=kernel)
    assert done.returncode == status
    lines = done.stderr.splitlines()
    assert lines[:3] == [f"{PLACE} libtma: {FINDING}", COPY, DECODE]
    assert done.stderr.count("coord-align") == 1
    assert ("kernels were loaded that had their checks already" in done.stderr) == (kernel == "record")


@together
def test_run_checked_says_what_else_happened(ptx):
    done = run_checked(ptx, PRETEND_KERNEL="skip")
    assert "3 copies were not made; the message is the first one's" in done.stderr
    done = run_checked(ptx, PRETEND_KERNEL="cut")
    assert "ended before it had said which" in done.stderr and "libtma: " not in done.stderr
    done = run_checked(ptx, PRETEND_REGISTER="none")
    assert "error 801 of cuMemHostRegister" in done.stderr
    done = run_checked(ptx, PRETEND_REGISTER="first", PRETEND_KERNEL="record")
    assert f"{PLACE} libtma: {FINDING}" in done.stderr
    done = run_checked(ptx, "--on-fault=assert", PRETEND_KERNEL="record")
    assert done.returncode == 3 and "coord-align" not in done.stderr


@together
def test_run_checked_without_the_shim(ptx, tmp_path):
    alone = tmp_path / "tma"
    alone.write_bytes((BUILD / "tma").read_bytes())
    alone.chmod(0o755)
    done = subprocess.run([alone, "run-checked", "true"], capture_output=True, text=True)
    assert done.returncode == 3 and "--on-fault=assert" in done.stderr
    done = subprocess.run([alone, "run-checked", "--on-fault=record", "true"], capture_output=True, text=True)
    assert done.returncode == 127 and "nothing was run" in done.stderr
