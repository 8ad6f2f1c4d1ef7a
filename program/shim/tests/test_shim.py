# SPDX-License-Identifier: Apache-2.0
"""libtma-cuda.so under the programs of this folder: in the driver's place where there is none, and
watching a pretend driver."""
import errno
import os
import pathlib
import pty
import re
import resource
import shutil
import subprocess
import sys
import tempfile

import pytest

from shim_programs import (RUNTIME, BUILD, PRETEND, PROGRAMS, SANITIZED, SHIM, STAND_IN, VECTORS, WAYS, NAMES,
                           answers, has_driver, native, natural, reports, run, watched)

EXPECTED = {"tiled": 0, "tiled.row_of_256B": 1, "tiled.again": 1, "tiled.two_faults": 1,
            "tiled.rank": 1, "vector": 0, "vector.null": 1, "im2col": 0, "im2col.pixels": 1,
            "wide": 0, "wide.empty": 1, "replace": 0, "replace.odd": 1, "replace.zero": 1}


# Where no driver is.

def test_a_linked_program_starts_and_is_answered():
    done = run("direct_calls", libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in")
    assert done.returncode == 0
    assert answers(done.stdout) == EXPECTED
    assert done.stdout == natural()


@pytest.mark.skipif(has_driver(), reason="this machine has a driver")
@pytest.mark.parametrize("mode, expected", [("auto", EXPECTED), ("stand-in", EXPECTED),
                                            ("watch", dict.fromkeys(EXPECTED, 34))])
def test_a_program_whose_library_is_linked_with_the_driver(mode, expected):
    """Which comes behind libc then, in the loader's order."""
    done = run("indirect_calls", libraries=[PROGRAMS, STAND_IN], preload=None, LIBTMA_MODE=mode)
    assert done.returncode == 0
    assert answers(done.stdout) == expected


@pytest.mark.parametrize("way", WAYS)
def test_a_preloaded_library_is_found(way):
    done = run("found_calls", way, LIBTMA_MODE="stand-in")
    assert done.returncode == 0, done.stdout
    assert done.stdout == natural()


@pytest.mark.parametrize("way", [w for w in WAYS if w != "default"])
def test_the_folder_is_found(way):
    done = run("found_calls", way, preload=None, libraries=[STAND_IN], LIBTMA_MODE="stand-in")
    assert done.returncode == 0, done.stdout
    assert done.stdout == natural()


@pytest.mark.skipif(has_driver(), reason="this machine has a driver")
@pytest.mark.parametrize("way", WAYS)
def test_without_a_driver_it_stands_in_by_itself(way):
    assert run("found_calls", way, preload=None).returncode == 1
    done = run("found_calls", way)
    assert done.stdout == natural()


@native
@pytest.mark.skipif(SANITIZED, reason="python has no sanitizer in it")
@pytest.mark.skipif(has_driver(), reason="this machine has a driver")
def test_python_finds_it():
    code = "import ctypes; f = ctypes.CDLL('libcuda.so.1').cuTensorMapReplaceAddress; print(f(None, None))"
    done = run("/usr/bin/env", "python3", "-c", code)
    assert done.stdout == "1\n", done.stderr


# What an H200's driver 13.0 (580.159.04) answered to the same questions.
NAMES_OF_A_DRIVER = [f"{name} 13000 0: 0, status 0, found" for name in NAMES] + [
    "cuTensorMapEncodeTiled 11080 0: 0, status 2, null",
    "cuTensorMapEncodeTiled 12000 0: 0, status 0, found",
    "cuTensorMapEncodeIm2colWide 12000 0: 0, status 2, null",
    "cuTensorMapEncodeIm2colWide 12080 2: 0, status 0, found",
    "cuTensorMapEncodeTiled 13010 0: 1, status 77, untouched",
    "cuTensorMapEncodeTiled 12000 4: 1, status 77, untouched",
    "cuTensorMapEncodeNothing 13000 0: 0, status 1, null",
    "cuGetProcAddress 11030 0: 0, status 0, found",
    "cuGetProcAddress_v2 13000 0: 0, status 1, null",
    "- 13000 0: 0, status 1, null",
    "cuTensorMapEncodeTiled -1 0: 0, status 0, found",
    "first 13000: 0, found",
    "first 11080: 500, untouched",
    "first 13010: 1, untouched"]


def test_names_and_versions():
    done = run("found_calls", "names", LIBTMA_MODE="stand-in")
    assert done.stdout.splitlines() == NAMES_OF_A_DRIVER
    assert natural("found_calls", "names").splitlines() == NAMES_OF_A_DRIVER


def test_an_older_driver_has_no_wide_maps():
    done = run("found_calls", "names", LIBTMA_MODE="stand-in", LIBTMA_DRIVER="12.3")
    lines = done.stdout.splitlines()
    assert "cuTensorMapEncodeTiled 12000 0: 0, status 0, found" in lines
    assert "cuTensorMapEncodeIm2colWide 12000 0: 0, status 1, null" in lines
    done = run("direct_calls", libraries=[STAND_IN], LIBTMA_MODE="stand-in", LIBTMA_DRIVER="12.3")
    assert answers(done.stdout)["wide"] == 1
    assert "at least 12.8" in done.stderr


def test_findings_of_a_stand_in():
    done = run("found_calls", "handle", LIBTMA_MODE="stand-in")
    found = reports(done.stderr)
    assert [r[0].split()[0] for r in found] == [NAMES[0]] * 4 + NAMES[1:3] + [NAMES[3]] * 2
    assert found[0][0] == ("cuTensorMapEncodeTiled answered 1 (CUDA_ERROR_INVALID_VALUE); libtma, "
                           "standing in for sm_90, driver 13.0:")
    assert "boxDim[0] = 128: 256 B, must be at most 128 B" in found[0][1]
    assert found[0][1].endswith("[inner-span]")
    assert run("found_calls", "handle", LIBTMA_MODE="stand-in", LIBTMA_QUIET=1).stderr == ""


def test_architecture_by_the_environment(tmp_path):
    line = ("enc api=tiled dtype=13 rank=2 addr=0x7f0000000000 dim=4096,8192 stride=2048 box=128,64 "
            "es=1,1 il=0 sw=0 l2=0 oob=0 rc=%d\n")
    for arch, rc in (("", 1), ("sm_90a", 1), ("sm_100", 0), ("sm_100a", 0), ("120f", 0)):
        (tmp_path / "lines.txt").write_text(line % rc)
        done = run("shim_vectors", tmp_path / "lines.txt", LIBTMA_MODE="stand-in", LIBTMA_ARCH=arch)
        assert done.stdout == "1 lines, 0 wrong\n", arch


@pytest.mark.parametrize("name, value, right", [
    ("LIBTMA_ARCH", "sm_80", "sm_90, sm_100"), ("LIBTMA_DRIVER", "11.8", "12.0"),
    ("LIBTMA_DRIVER", "13", "13.0"), ("LIBTMA_DRIVER", "13.0.0", "13.0"), ("LIBTMA_ARCH", "H101", "a GPU such as H100"),
    ("LIBTMA_MODE", "standin", "stand-in"), ("LIBTMA_QUIET", "yes", "0 or 1")])
def test_wrong_settings_are_said_once_and_refused(name, value, right):
    settings = {"LIBTMA_MODE": "stand-in", name: value}
    done = run("direct_calls", libraries=[STAND_IN], **settings)
    assert set(answers(done.stdout).values()) == {1}
    assert len(done.stderr.splitlines()) == 1
    assert f"{name}={value} is wrong" in done.stderr and right in done.stderr


def test_the_captured_answers():
    files = [VECTORS / f"{name}.txt.gz"
             for name in ("encode", "encode_sweep", "encode_real_world", "replace_address")]
    done = run("shim_vectors", *files, LIBTMA_MODE="stand-in", LIBTMA_QUIET=1)
    assert done.stdout == "25594 lines, 0 wrong\n"


# The CUDA runtime.

RUNTIME_STATIC = os.environ.get("SHIM_RUNTIME_STATIC")
RUNTIME_SHARED = os.environ.get("SHIM_RUNTIME_SHARED")
needs_static = pytest.mark.skipif(not RUNTIME_STATIC, reason="no static CUDA runtime")
needs_shared = pytest.mark.skipif(not RUNTIME_SHARED, reason="no shared CUDA runtime")


@needs_shared
def test_the_shared_runtime_with_its_own_library():
    done = run(RUNTIME_SHARED, libraries=[os.environ["SHIM_RUNTIME_FOLDER"]],
               preload=f"{SHIM}:{RUNTIME}", LIBTMA_MODE="stand-in")
    assert done.stdout == natural(), done.stderr


def test_a_runtime_s_look_ups_are_answered_before_it():
    """All four; what no driver has, and nothing else, goes on to the runtime as it came."""
    done = run("entry_points", libraries=[PROGRAMS], preload=f"{SHIM}:{RUNTIME}",
               LIBTMA_MODE="stand-in")
    assert (done.returncode, done.stderr) == (0, "")
    passed_on = [line for name, words in (("", "0 1"), ("ByVersion", "12000 2")) for kind in ("", "_ptsz") for line in (
        f"the runtime's cudaGetDriverEntryPoint{name}{kind}: cuNothing {words}", "999, status 66, null")]
    assert done.stdout.splitlines() == 4 * ["0, status 0, found"] + 2 * ["0, status 2, null"] + passed_on + [
        "0, status 77, found"]


def test_look_ups_without_a_runtime_behind_them(tmp_path):
    """libtma-cudart.so in the runtime's place: what it has not is answered as by a runtime without driver."""
    (tmp_path / "libpretend_runtime.so").symlink_to(RUNTIME)
    done = run("entry_points", libraries=[tmp_path, BUILD], preload=None, LIBTMA_MODE="stand-in")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == 4 * ["0, status 0, found"] + 2 * ["0, status 2, null"] + 4 * [
        "35, status 77, null"] + ["0, status 77, found"]


@needs_shared
@pytest.mark.skipif(has_driver(), reason="this machine has a driver")
def test_the_shared_runtime_alone_finds_no_driver():
    done = run(RUNTIME_SHARED, libraries=[os.environ["SHIM_RUNTIME_FOLDER"]])
    assert done.stdout == "cuTensorMapEncodeTiled: error 35, status 1\n"


@needs_static
@pytest.mark.skipif(has_driver(), reason="this machine has a driver")
def test_the_static_runtime_finds_no_driver():
    done = run(RUNTIME_STATIC)
    assert done.stdout == "cuTensorMapEncodeTiled: error 35, status 1\n"


@needs_static
def test_the_static_runtime_is_not_disturbed():
    """The pretend driver is too small for the runtime: with and without us it gives up alike."""
    plain = run(RUNTIME_STATIC, libraries=[PRETEND], preload=None)
    done = run(RUNTIME_STATIC, libraries=[PRETEND], LIBTMA_MODE="watch")
    assert plain.returncode == done.returncode == 1
    assert plain.stdout == done.stdout and not done.stderr


# Before a driver.

@pytest.mark.parametrize("fault", ["", "bytes", "strict", "lax", "700", "911", "801"])
@pytest.mark.parametrize("program, way", [("direct_calls", None)] + [("found_calls", w) for w in WAYS
                                                                     if w != "default"])
def test_results_are_the_drivers(program, way, fault):
    arguments = [way] if way else []
    done = watched(*arguments, program=program, PRETEND_FAULT=fault, PRETEND_TRACE=1)
    assert done.returncode == 0
    assert done.stdout == natural(program, *arguments, PRETEND_FAULT=fault, PRETEND_TRACE=1)
    assert reports(done.stderr), "nothing was reported"


@pytest.mark.parametrize("way", [w for w in WAYS if w != "default"])
def test_every_way_is_watched_alike(way):
    assert watched(way, program="found_calls").stderr == watched().stderr


def test_other_look_ups_are_the_drivers():
    assert watched("names", program="found_calls").stdout == natural("found_calls", "names")


def test_a_refusal_is_explained_once():
    found = reports(watched().stderr)
    assert len(found) == 8
    rows, faults, rank, vector, pixels, empty, odd, zero = found
    assert rows[0] == ("cuTensorMapEncodeTiled answered 1 (CUDA_ERROR_INVALID_VALUE); judged for "
                       "sm_90, driver 13.0:")
    assert len(rows) == 3 and "[inner-span]" in rows[1]
    assert rows[2] == ("  enc api=tiled dtype=9 rank=2 addr=0x7f0000000000 dim=4096,8192 stride=8192 "
                       "box=128,128 es=1,1 il=0 sw=3 l2=0 oob=0 rc=1")
    refused = [line for line in faults if line.startswith("  refused: ")]
    assert len(refused) == 2
    assert "globalDim[1] = 0" in refused[0] and "globalStrides[0] = 8200" in refused[1]
    refused = [line for line in rank if line.startswith("  refused: ")]
    assert len(refused) == 1 and "tensorRank = 6" in refused[0]
    assert vector[1:] == ["  globalStrides is a null pointer"]
    assert "pixelsPerColumn = 1025" in pixels[1] and "[bounding-box-empty]" in empty[1]
    assert "globalAddress = 0x7f0000000008, must be a multiple of 16 B" in odd[1]
    assert "globalAddress = 0" in zero[1]


def test_the_log_holds_case_lines(tmp_path):
    log = tmp_path / "log.txt"
    done = watched(LIBTMA_LOG=log, LIBTMA_QUIET=1)
    assert done.stderr == ""
    lines = log.read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["enc"] * 5 + ["rep"] * 2
    assert all(" rc=1" in line for line in lines)
    done = run("shim_vectors", log, LIBTMA_MODE="stand-in", LIBTMA_QUIET=1)
    assert done.stdout == "7 lines, 0 wrong\n"


def test_a_log_that_cannot_be_written_is_said_once(tmp_path):
    done = watched(LIBTMA_LOG=tmp_path, LIBTMA_QUIET=1)
    assert done.stdout == natural()
    assert len(done.stderr.splitlines()) == 1 and f"LIBTMA_LOG={tmp_path}" in done.stderr



HEADER = pathlib.Path(__file__).parents[1] / "report/report_out.h"
VALUE_MOST = int(re.search(r"#define VALUE_MOST +(\d+)", HEADER.read_text())[1])


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_long_log_s_name_is_cut_where_it_is_too_long(more):
    name = "/" + "n" * (VALUE_MOST - 1 + more)
    said = watched(LIBTMA_LOG=f"{name[:-2]}/x").stderr.splitlines()
    lines = [line for line in said if "LIBTMA_LOG=" in line]
    shown = f"{name[:-2]}/x"[:VALUE_MOST] + ("..." if more > 0 else "")
    assert len(lines) == 1 and f"LIBTMA_LOG={shown}: case lines cannot be written there" in lines[0]


def test_other_bytes_are_reported(tmp_path):
    log = tmp_path / "log.txt"
    found = reports(watched(PRETEND_FAULT="bytes", LIBTMA_LOG=log).stderr)
    first = found[0]
    assert first[0] == "cuTensorMapEncodeTiled answered 0 (CUDA_SUCCESS); judged for sm_90, driver 13.0:"
    assert first[1] == "  the driver's 128 bytes are not libtma's:"
    assert first[2] == "  dim[1] (word 9, bits 0 to 31): the driver's 8191, libtma's 8192"
    assert first[3] == "  word 20, no field: the driver's 0x00001000, libtma's 0x00000000"
    line = log.read_text().splitlines()[0]
    assert re.search(r" rc=0 desc=[0-9a-f]{256}$", line) and first[4] == "  " + line
    replaced = [r for r in found if r[0].startswith("cuTensorMapReplaceAddress answered 0")]
    assert len(replaced) == 1 and "box_bytes (word 16" in replaced[0][2]


def test_a_refusal_that_libtma_does_not_know():
    found = reports(watched(PRETEND_FAULT="strict").stderr)
    assert "libtma finds nothing here that this target refuses" in found[0][1]


def test_a_driver_that_takes_more():
    found = reports(watched(PRETEND_FAULT="lax").stderr)
    assert "answered 0" in found[0][0]
    assert found[0][1] == "  the driver took what libtma says it refuses:"
    assert "[inner-span]" in found[0][2]


@pytest.mark.parametrize("error, name, when", [
    (700, "ILLEGAL_ADDRESS", " happened earlier"), (715, "ILLEGAL_INSTRUCTION", " happened earlier"),
    (716, "MISALIGNED_ADDRESS", " happened earlier"), (719, "LAUNCH_FAILED", " happened earlier"),
    (999, "UNKNOWN", ": an earlier call or kernel failed, or the driver is older")])
def test_an_older_error_is_told_apart(error, name, when):
    found = reports(watched(PRETEND_FAULT=error).stderr)
    right, broken = found[0], found[1]
    assert f"answered {error} (CUDA_ERROR_{name})" in right[0]
    assert right[1] == "  the arguments are fine"
    assert right[2].startswith(f"  error {error}{when}")
    assert right[3].endswith(f" rc={error}")
    assert broken[1] == "  the arguments break rules, too:" and "[inner-span]" in broken[2]
    assert f"the arguments are fine; error {error}{when}" in found[-3][1]


def test_pointers_that_the_driver_does_not_follow():
    done = watched("bad", program="found_calls", PRETEND_FAULT=201)
    assert (done.returncode, done.stdout) == (0, "encode 201\nreplace 201\n")
    encode, replace = reports(done.stderr)
    assert "  globalDim points to memory that is not there" in encode
    assert "  globalStrides points to memory that is not there" in encode
    assert "no context is current" in encode[-1]
    assert not [line for line in encode if "globalDim[" in line or "surprising" in line]
    assert replace[1].startswith("  tensorMap points to memory that is not there; error 201: no con")


def test_errors_that_are_neither():
    assert "CUDA_ERROR_EXTERNAL_DEVICE" in watched(PRETEND_FAULT=911).stderr
    assert "  error 3: cuInit has not been called" in watched(PRETEND_FAULT=3).stderr
    assert "has no tensor maps" in watched(PRETEND_FAULT=801, PRETEND_CC=87).stderr


def test_the_target_is_the_device():
    assert "sm_100, driver 13.1:" in watched(PRETEND_CC=100, PRETEND_VERSION=13010).stderr
    assert "sm_90, driver 13.0 (assumed" in watched(PRETEND_CC=0).stderr
    assert "sm_120, driver 13.0:" in watched(LIBTMA_ARCH="sm_120").stderr
    done = watched(PRETEND_CC=89, PRETEND_FAULT="lax")
    assert done.stdout == natural(PRETEND_CC=89, PRETEND_FAULT="lax")
    found = reports(done.stderr)
    assert found[0] == ["libtma does not know sm_89, driver 13.0: calls are passed on, not judged"]
    assert found[1][0].endswith("answered 1 (CUDA_ERROR_INVALID_VALUE); on sm_89, driver 13.0:")
    assert found[1][1].startswith("  not judged")


def test_watching_without_a_driver():
    if has_driver():
        pytest.skip("this machine has a driver")
    done = run("direct_calls", libraries=[STAND_IN], LIBTMA_MODE="watch")
    assert set(answers(done.stdout).values()) == {34}
    assert len(done.stderr.splitlines()) == 1 and "there is no driver" in done.stderr
    assert run("found_calls", "handle", LIBTMA_MODE="watch").stdout == "no libcuda.so.1\n"


def test_standing_in_before_a_driver():
    """The four calls are libtma's, all else stays the driver's."""
    for way in ("handle", "lookup2", "nested"):
        done = run("found_calls", way, libraries=[PRETEND], LIBTMA_MODE="stand-in", PRETEND_FAULT=700)
        assert done.stdout == natural()
    done = run("found_calls", "names", libraries=[PRETEND], LIBTMA_MODE="stand-in")
    assert "cuGetProcAddress 11030 0: 0, status 0, found" in done.stdout


def test_wrong_settings_do_not_disturb_a_driver():
    done = watched(LIBTMA_ARCH="sm_80")
    assert done.stdout == natural()
    assert done.stderr.startswith("libtma: LIBTMA_ARCH=sm_80 is wrong")


def test_threads_report_once(tmp_path):
    done = watched(8, 50, program="many_calls", errors=tmp_path / "errors")
    assert done.stdout == "800 of 800 right\n"
    assert len(reports(done.stderr)) == 50


def test_reports_end_some_time(tmp_path):
    done = watched(2, 4000, program="many_calls", errors=tmp_path / "errors")
    assert done.stdout == "16000 of 16000 right\n"
    found = reports(done.stderr)
    assert 3072 <= len(found) <= 3074
    assert sum("no more will be" in r[0] for r in found) == 1


# The contract (README.md): the program's own things stay as they are.

STATES = ["plain", "gone", "full", "reused", "socket", "copied", "stdin", "limited", "closed", "pending", "waiting"]
UNTOUCHED = ["1, errno 77", f"1, errno {errno.EINTR}", "1, errno 77"] + [f"{thing} same" for thing in (
    "mask", "pending", "actions", "descriptors", "environment")] + ["at once"]


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("mode", ["watch", "stand-in"])
def test_a_program_keeps_its_own(state, mode, tmp_path):
    there = tmp_path / "file"
    done = run("quiet_calls", state, there, libraries=[PRETEND], LIBTMA_MODE=mode,
               LIBTMA_LOG=tmp_path / "log.txt")
    assert done.returncode == 0
    expected = UNTOUCHED + (["socket empty"] if state == "socket" else [])
    assert done.stdout.splitlines() == expected
    if state == "reused":
        assert there.read_bytes() == b"", "a report in a file of the program's own"
    if state in ("copied", "stdin"):
        assert there.read_text().count("answered 1") == 3
    if state == "plain":
        assert done.stderr.count("answered 1") == 3
    if state != "limited":
        assert (tmp_path / "log.txt").read_text().count("rc=1") == 3


@pytest.mark.parametrize("mode, without_driver", [("auto", 0), ("stand-in", 0), ("watch", 34)])
def test_the_search_for_a_driver_leaves_errno(mode, without_driver, tmp_path):
    """The first call is the one that searches; a folder that has no driver is an error to the loader."""
    done = run("found_calls", "first", libraries=[tmp_path, PRETEND], LIBTMA_MODE=mode)
    assert done.stdout == 2 * "encode 0, errno 77\n"
    if not has_driver():
        done = run("found_calls", "first", LIBTMA_MODE=mode)
        assert done.stdout == 2 * f"encode {without_driver}, errno 77\n"


BACKGROUND = """
import os, signal, subprocess, sys, termios
settings = termios.tcgetattr(2)
settings[3] |= termios.TOSTOP
termios.tcsetattr(2, termios.TCSANOW, settings)
with open(sys.argv[1], "w") as out:
    program = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=out, preexec_fn=os.setpgrp,
                               env={**os.environ, "LD_PRELOAD": os.environ["SHIM"]})
    _, status = os.waitpid(program.pid, os.WUNTRACED)
    if os.WIFSTOPPED(status):
        program.kill()
        sys.exit("stopped")
    sys.exit(os.waitstatus_to_exitcode(status))
"""


@native
def test_a_terminal_s_background_program_is_not_stopped(tmp_path):
    """stty tostop: a write from the background would bring SIGTTOU."""
    out = tmp_path / "out"
    environment = {**os.environ, "SHIM": str(SHIM), "LD_LIBRARY_PATH": str(PRETEND),
                   "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, "-c", BACKGROUND, str(out), str(PROGRAMS / "quiet_calls"), "plain",
                                   str(tmp_path / "file")], environment)
    said = b""
    try:
        while piece := os.read(terminal, 4096):
            said += piece
    except OSError: # Linux's end of a terminal
        pass
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0, said.decode()
    assert said.count(b"answered 1") == 3 and out.read_text().splitlines() == UNTOUCHED


def test_a_log_without_a_reader_is_no_wait(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    done = watched(LIBTMA_LOG=fifo, LIBTMA_QUIET=1)
    assert done.stdout == natural()
    assert len(done.stderr.splitlines()) == 1 and "nobody reads it" in done.stderr


@native
def test_a_log_that_may_not_grow_is_no_signal(tmp_path):
    log = tmp_path / "log.txt"
    log.write_bytes(b"x" * 1024)
    done = watched(first=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)),
                   LIBTMA_LOG=log, LIBTMA_QUIET=1)
    assert (done.returncode, done.stdout) == (0, natural())
    assert len(done.stderr.splitlines()) == 1 and "case lines cannot be written" in done.stderr


@native
def test_descriptors_that_are_closed_do_not_come_to_life(tmp_path):
    """A log is opened beyond 2, or the next print of the program would go to it."""
    log = tmp_path / "log.txt"
    done = watched(first=lambda: os.closerange(1, 3), LIBTMA_LOG=log)
    assert done.stdout == done.stderr == ""
    assert [line.split()[0] for line in log.read_text().splitlines()] == ["enc"] * 5 + ["rep"] * 2


@pytest.fixture
def open_folder():
    """One that every user can enter and write into, wherever the build lies and whatever TMPDIR says."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        os.chmod(folder, 0o777)
        yield pathlib.Path(folder)


@native
@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a program another user")
@pytest.mark.skipif(SANITIZED, reason="a sanitizer does not run in such a program")
def test_a_set_user_id_program_obeys_no_setting(open_folder):
    program, log = open_folder / "secure_calls", open_folder / "log.txt"
    shutil.copy(SHIM, open_folder)
    built, folder = os.environ["SHIM_SECURE_FOLDER"].encode(), os.fsencode(open_folder)
    assert len(folder) < len(built)
    program.write_bytes((PROGRAMS / "secure_calls").read_bytes().replace(built, folder.ljust(len(built), b"\0")))

    def result():
        return run(program, preload=None, libraries=[PRETEND], LIBTMA_MODE="stand-in", LIBTMA_LOG=log,
                   LIBTMA_QUIET=1, LIBTMA_ARCH="sm_80")
    program.chmod(0o755)
    assert set(answers(result().stdout).values()) == {1} and not log.exists()  # a wrong sm_80
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    done = result()
    if has_driver():
        pytest.skip("this machine has a driver")
    assert answers(done.stdout) == EXPECTED, "LIBTMA_ARCH was obeyed"
    assert "boxDim[0] = 128" in done.stderr, "LIBTMA_QUIET was obeyed"
    assert not log.exists(), "LIBTMA_LOG was obeyed"


@pytest.mark.parametrize("value", ["\x1b[2J", "x" * 4000, "\xc2\x9b1m\n"])
@pytest.mark.parametrize("name", ["LIBTMA_MODE", "LIBTMA_ARCH", "LIBTMA_DRIVER", "LIBTMA_QUIET"])
def test_settings_are_said_in_plain_characters(name, value):
    settings = {"LIBTMA_MODE": "stand-in", name: value}
    done = run("direct_calls", libraries=[STAND_IN], **settings)
    assert len(done.stderr.splitlines()) == 1 and done.stderr.strip().isprintable()
    assert "is wrong: it can be " in done.stderr and len(done.stderr) < 250
    assert ("..." in done.stderr) == (len(value) > 80)


def test_a_driver_that_looks_at_nothing():
    """Its success says nothing about the caller's pointers."""
    done = watched("bad", program="found_calls", PRETEND_FAULT="blind")
    assert (done.returncode, done.stdout) == (0, "encode 0\nreplace 0\n")
    found = reports(done.stderr)
    assert "the driver took what libtma says it refuses" in found[0][1]
    assert "  globalDim points to memory that is not there" in found[0]
    assert found[1][2] == "  tensorMap = 0x40: no map is there"


# What a preloaded library must leave alone.

@pytest.mark.skipif(SANITIZED, reason="a sanitizer's own dlopen loses the caller's RUNPATH")
def test_other_look_ups_keep_their_place():
    libraries = [PROGRAMS]
    assert run("next_program", libraries=libraries, preload=None).stdout == "12\n"
    assert run("next_program", libraries=libraries, LIBTMA_MODE="stand-in").stdout == "12\n"


@native
@pytest.mark.skipif(SANITIZED, reason="these programs have no sanitizer in them")
def test_programs_without_cuda_notice_nothing():
    done = run("/usr/bin/env", "python3", "-c", "import zlib, ssl; print(zlib.crc32(b'tma'))")
    assert (done.returncode, done.stderr) == (0, "")


def test_exports_are_the_table():
    table = (pathlib.Path(__file__).parents[1] / "calls/symbols.def").read_text()
    table += (pathlib.Path(__file__).parents[1] / "calls/compilers.def").read_text()
    rows = set(re.findall(r"^SHIM_(?:CALL|LOOKUP|LOAD|FREE|ALLOC|FOUND|LAUNCH|LIBC|COMPILER)\((\w+)", table, re.M))
    releases = re.findall(r"^SHIM_LINKER\((\w+)", table, re.M)
    listed = subprocess.run(["nm", "-D", "-P", "--defined-only", SHIM], check=True,
                            capture_output=True, text=True).stdout
    shown = {line.split()[0] for line in listed.splitlines()}
    linked = {f"__nvJitLink{call}_{release}" for release in releases
              for call in ("AddData", "AddFile", "GetLinkedCubin", "Destroy")}
    assert len(rows) == 44 and len(linked) == 64
    assert shown == rows | linked | {"libtma_cuda_tell"}


@pytest.mark.skipif(SANITIZED, reason="a sanitizer's malloc is its own")
@pytest.mark.parametrize("settings", [{}, {"LIBTMA_MODE": "stand-in"}, {"PRETEND_FAULT": "strict"}], ids=str)
def test_nothing_allocates(settings, tmp_path):
    done = watched("allocations", program="fork_calls", LIBTMA_LOG=tmp_path / "log.txt", **settings)
    assert (done.returncode, done.stdout) == (0, "20 refused, 0 allocations\n")
    assert len(reports(done.stderr)) == 20 and len((tmp_path / "log.txt").read_text().splitlines()) == 20


def test_a_fork_reports():
    """While other threads report: a lock that one of them held would never be free in a child."""
    done = watched("forks", program="fork_calls")
    assert (done.returncode, done.stdout) == (0, "100 of 100 children answered\n")
    assert "answered 1" in done.stderr


def test_each_line_of_the_contract_has_its_tests():
    """README.md names behind each line the tests that hold it."""
    folder = pathlib.Path(__file__).parent
    contract = (folder.parent / "README.md").read_text().split("## What a program can rely on")[1].split("\n## ")[0]
    tests = set(re.findall(r"^def (test_\w+)\(", "".join(p.read_text() for p in folder.glob("test_*.py")), re.M))
    lines = [line for line in contract.splitlines() if line.startswith("- ")]
    named = [re.findall(r"`(test_\w+)`", line) for line in lines]
    assert len(lines) >= 9 and all(named), lines
    assert set(sum(named, [])) <= tests, set(sum(named, [])) - tests
