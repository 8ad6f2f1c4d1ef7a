# SPDX-License-Identifier: Apache-2.0
"""What few programs do, whole: look-ups of every name at every version, drivers that have none of the calls,
pointers to nothing, records of programs that are gone at once, what a driver is asked and how often."""
import errno
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess

import pytest

from shim_programs import (EMULATOR, ORDER, PRETEND, PROGRAMS, SANITIZED, SHIM, STAND_IN, has_driver, native, natural,
                           reports, run, watched)

TABLE = (pathlib.Path(__file__).parents[1] / "calls/symbols.def").read_text()
CALLS = dict(re.findall(r"^SHIM_CALL\((\w+), \w+, (\d+)\)", TABLE, re.M))
LOADS = dict(re.findall(r"^SHIM_LOAD\((\w+), \w+, (\d+)\)", TABLE, re.M))
DEVICE = dict(re.findall(r'^ +\{"(cu\w+)", (\d+),', (pathlib.Path(__file__).parents[1] / "driver/stand_in_device.c")
                         .read_text(), re.M))  # found where no driver is, and not exported
FIRST, SECOND = "cuGetProcAddress", "cuGetProcAddress_v2"
VERSIONS = [-1, 0, 1999, 2000, 11029, 11030, 11999, 12000, 12079, 12080, 13000, 13001, 13049, 13050, 13051]
HEADER = pathlib.Path(__file__).parents[1] / "report/report_out.h"
VALUE_MOST = int(re.search(r"#define VALUE_MOST +(\d+)", HEADER.read_text())[1])
NOTHING = PROGRAMS / "nothing"  # a driver that has none of the calls
PTX = (".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copy()\n{\nret;\n}\n"
       ".weak .global .u64 libtma_checker_record;\n")


@pytest.fixture
def ptx(tmp_path):
    file = tmp_path / "kernels.ptx"
    file.write_text(PTX)
    return file


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
    which = "another" if name in DEVICE else "as linked"
    if name == FIRST:
        which = "the first cuGetProcAddress" if version < 12000 else "the second cuGetProcAddress"
    return f"0, status 0, {which}", f"0, {which}"


@pytest.mark.parametrize("driver", [12000, 12070, 12080, 13000, 13050])
def test_a_stand_in_finds_what_that_driver_has(driver):
    done = run("odd_calls", "lookups", libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in",
               LIBTMA_DRIVER=f"{driver // 1000}.{driver % 1000 // 10}", ODD_NOTHING=1)
    found = asked(done.stdout)
    has = {name: int(since) for name, since in {**CALLS, **DEVICE}.items()} | {FIRST: 11030}
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


# Drivers that lack one call.

@pytest.fixture
def without(tmp_path):
    """The pretend driver without these functions: their names are written over."""
    def copy(*names):
        data = (PRETEND / "libcuda.so.1").read_bytes()
        for name in names:
            assert b"\0" + name.encode() + b"\0" in data
            data = data.replace(b"\0" + name.encode() + b"\0", b"\0x" + name[1:].encode() + b"\0")
        (tmp_path / "libcuda.so.1").write_bytes(data)
        return tmp_path
    return copy


def loaded(folder, ptx, **settings):
    done = run("load_calls", "handle", ptx, libraries=[folder], PRETEND_KERNEL="record", LIBTMA_RECORD=1, **settings)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line.startswith("cu") and " 0, errno 77, a handle" not in line] == []
    return done


@pytest.mark.parametrize("name", ["cuStreamCreate", "cuStreamDestroy_v2", "cuStreamSynchronize", "cuMemcpyHtoDAsync_v2"])
def test_kernels_that_cannot_be_told(name, without, ptx):
    assert loaded(without(name), ptx).stderr == ""


@pytest.mark.parametrize("name", ["cuMemHostRegister_v2", "cuMemHostGetDevicePointer_v2"])
def test_no_memory_for_records(name, without, ptx):
    said = loaded(without(name), ptx).stderr.splitlines()
    assert len(said) == 1 and "(cuMemHostRegister answered 801)" in said[0]


@pytest.mark.parametrize("names, told", [
    (["cuModuleGetGlobal_v2"], 1), (["cuLibraryGetGlobal"], 1), (["cuModuleGetGlobal_v2", "cuLibraryGetGlobal"], 0),
    (["cuThreadExchangeStreamCaptureMode"], 1)])
def test_records_without_one_of_the_calls(names, told, without, ptx):
    done = loaded(without(*names), ptx)
    assert done.stderr.count("a kernel broke a rule") == told
    modes = re.findall("capture mode ([0-9])", done.stdout)
    assert modes == ([] if "cuThreadExchangeStreamCaptureMode" in names else ["2", "0"] * 8)


def test_targets_that_cannot_be_asked(without):
    def judged(*names, **settings):
        done = run("direct_calls", libraries=[without(*names)], PRETEND_VERSION=13010, PRETEND_CC=100, **settings)
        assert done.stdout == natural(PRETEND_VERSION=13010, PRETEND_CC=100, **settings)
        return set(re.findall(r"judged for ([^:]+):|judged for (.*no device could be asked\)):", done.stderr))
    assert {a for a, _ in judged("cuDriverGetVersion")} == {"sm_100, driver 13.0"}
    assert {a for a, _ in judged("cuCtxGetDevice")} == {"sm_100, driver 13.1"}
    assert {a for a, _ in judged("cuCtxGetDevice", PRETEND_DEVICE=1)} == {"sm_100, driver 13.1"}
    assert "assumed" in str(judged("cuDeviceGetAttribute"))
    said = run("direct_calls", libraries=[without("cuGetErrorName")], PRETEND_FAULT=990).stderr
    assert "answered 990 (no name known)" in said


@pytest.mark.parametrize("name, file", [("cuModuleLoadData", "cuModuleLoad"), ("cuLibraryLoadData", "cuLibraryLoadFromFile")])
def test_a_file_s_text_needs_a_call_that_takes_it(name, file, without, ptx):
    """Else the driver gets the file, without checks."""
    text = PTX[:PTX.index(".weak")].replace("ret;", ".reg .b32 %r<2>; mov.b32 %r1, 0;\n"
                                   "cp.async.bulk.prefetch.tensor.1d.L2.global [m, {%r1}];\nret;")
    ptx.write_text(text.replace("copy()", "copy(.param .align 64 .b8 m[128])"))
    for lacks, images in (["cuDriverGetVersion"], name), ([name], file):
        done = run("load_calls", "direct", ptx, libraries=[without(*lacks)], LIBTMA_CHECK_KERNELS=1, PRETEND_TRACE=1)
        seen = re.findall(r"image of (\w+): \d+ B, (checks|no checks)", done.stdout)
        assert (images, "checks" if images == name else "no checks") in seen
        assert ((file, "no checks") in seen) == (lacks == [name])


COPY = (".version 8.0\n.target sm_90a\n.visible .entry copy(.param .align 64 .b8 m[128])\n{\n.reg .b32 %r<4>;\n"
        "cp.async.bulk.prefetch.tensor.1d.L2.global [m, {%r1}];\n{}ret;\n}\n")
LEFT = "cp.async.bulk.prefetch.tensor.1d.L2.global [%r1, {%r1}];\n"


@pytest.mark.parametrize("left", ["", LEFT])
@pytest.mark.parametrize("settings", [{"PRETEND_FAULT": "blind"}, {"PRETEND_JIT": "none"},
                                      {"PRETEND_FAULT": "blind", "LIBTMA_CHECK_NOTES": "/dev/null"}])
def test_all_is_given_back(settings, left, ptx):
    """Behind a driver that keeps nothing."""
    ptx.write_text(COPY.replace("{}", left))
    done = watched("leaks", ptx, 0, program="odd_calls", LIBTMA_CHECK_KERNELS=1, **settings)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "0 B, 0 descriptors more")
    assert done.stderr.count("bulk copies are not checked") == (bool(left) and settings == {"PRETEND_FAULT": "blind"})


def test_a_library_s_text_that_has_to_stay_is_the_file_s(ptx):
    """CU_LIBRARY_BINARY_IS_PRESERVED is about memory, which a file's text has not: the driver gets the file."""
    ptx.write_text(COPY.replace("{}", ""))
    done = watched("library", ptx, program="odd_calls", LIBTMA_CHECK_KERNELS=1, PRETEND_TRACE=1)
    found = re.findall(r"^(\d) option\(s\), the last one (\d):\n(?:(?:the driver's|library option) .*\n)*"
                       r"image of (\w+): \d+ B, (checks|no checks)\n", done.stdout, re.M)
    with_checks, without_checks = ("cuLibraryLoadData", "checks"), ("cuLibraryLoadFromFile", "no checks")
    assert found == [(str(count), str(i), *(without_checks if count and i == 1 else with_checks))
                     for i in range(3) for count in range(3)]


SHORT = [path for path in ("/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/uevent_seqnum",
                           "/sys/devices/system/cpu/online", "/sys/class/net/lo/mtu")
         if os.access(path, os.R_OK) and os.stat(path).st_size > len(pathlib.Path(path).read_bytes())]


@pytest.mark.skipif(not SHORT, reason="no file here is shorter than its system says")
def test_a_file_that_ends_before_its_size(ptx):
    settings = {"PRETEND_TRACE": 1, "LOAD_FILE": SHORT[0]}
    done = run("load_calls", "direct", ptx, libraries=[PRETEND], LIBTMA_CHECK_KERNELS=1, **settings)
    alone = natural("load_calls", "direct", ptx, **settings)
    assert done.returncode == 0
    assert [line for line in done.stdout.splitlines() if not line.startswith("option 3")] == [
        line for line in alone.splitlines() if not line.startswith("option 3")]


@pytest.mark.parametrize("jit", ["plain", "none"])
def test_a_refused_text_is_not_preserved(jit, ptx):
    """What the driver keeps itself, it keeps without us, too; a text with checks is longer than 1000 B."""
    ptx.write_text(COPY.replace("{}", ""))
    done = watched("leaks", ptx, 1, program="odd_calls", LIBTMA_CHECK_KERNELS=1, PRETEND_JIT=jit)
    alone = natural("odd_calls", "leaks", ptx, 1, PRETEND_JIT=jit)
    ours, drivers = (int(re.fullmatch(r"(\d+) B, 0 descriptors more", text.splitlines()[-1])[1])
                     for text in (done.stdout, alone))
    assert abs(ours - drivers) < 1000 # free places between are of other sizes


# Writes.

REPORT_B = int(re.search(r"#define REPORT_BYTES +(\d+)", HEADER.with_suffix(".c").read_text())[1])
LINE_B, PIECE_B = 1536, 4096


def writes(lines):
    """The sizes of the writes that a report is made in: as few as its buffer and a pipe allow."""
    chunks = [0]
    for line in lines:
        if chunks[-1] + LINE_B > REPORT_B:
            chunks.append(0)
        chunks[-1] += len(line) + 1
    return [size for chunk in chunks for size in [PIECE_B] * (chunk // PIECE_B) + [chunk % PIECE_B] if size]


@pytest.mark.parametrize("program, settings", [
    (["direct_calls"], {}), (["direct_calls"], {"PRETEND_FAULT": "bytes"}), (["found_calls", "faults"], {}),
    (["found_calls", "faults"], {"PRETEND_FAULT": "990"}), (["replace_calls"], {})])
def test_a_report_is_one_write(program, settings):
    """So that those of other threads and processes stand before it or behind it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LIBTMA_", "PRETEND_"))}
    environment |= {"LD_LIBRARY_PATH": str(PRETEND), "LD_PRELOAD": str(SHIM), **settings,
                    "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
    for size in socket.SO_SNDBUF, socket.SO_RCVBUF:
        ours.setsockopt(socket.SOL_SOCKET, size, 1 << 20)
        theirs.setsockopt(socket.SOL_SOCKET, size, 1 << 20)
    with ours:
        with theirs:
            subprocess.run([*EMULATOR, PROGRAMS / program[0], *program[1:]], env=environment, stdout=subprocess.DEVNULL,
                           stderr=theirs, check=True, timeout=300)
        packets = []
        while packet := ours.recv(1 << 16):
            packets.append(packet)
    lines = b"".join(packets).decode().splitlines()
    starts = [i for i, line in enumerate(lines) if not line.startswith("libtma:   ")] + [len(lines)]
    assert len(starts) > 1
    expected = [size for first, end in zip(starts, starts[1:]) for size in writes(lines[first:end])]
    assert [len(packet) for packet in packets] == expected


def test_a_chunk_that_ends_where_one_more_line_fits():
    """The last line that a report's buffer takes begins at its size less one line's."""
    def lengths(name):
        said = watched("faults", program="found_calls", PRETEND_FAULT=990, PRETEND_NAME=name).stderr
        return [len(line) + 1 for line in said.splitlines()]
    before = lengths(100)
    count = next(i for i in range(len(before)) if sum(before[:i]) > REPORT_B - LINE_B - 1270)
    name = 100 + REPORT_B - LINE_B - sum(before[:count])
    assert 100 < name < 1400 and sum(lengths(name)[:count]) == REPORT_B - LINE_B and len(before) > count + 1
    test_a_report_is_one_write(["found_calls", "faults"], {"PRETEND_FAULT": "990", "PRETEND_NAME": str(name)})


def test_a_reader_that_has_taken_something_is_waited_for_again():
    """Not before: a program with many reports would wait for each."""
    done = watched("waits", program="odd_calls")
    assert (done.returncode, done.stdout.splitlines()) == (0, [
        "full: a wait", "still full: no wait each", "emptied: a report", "full again: a wait"])


@pytest.mark.skipif(SANITIZED, reason="a sanitizer's write and mmap are its own")
def test_little_is_enough(ptx, tmp_path):
    """Writes that take a part are gone on with, and no record is one that cannot be had. A log that cannot be
    opened beyond 2 is said with the reason, not with what closing the other descriptor said."""
    log = tmp_path / "log.txt"
    done = watched(ptx, program="scarce_calls", LIBTMA_RECORD=1, LIBTMA_LOG=log, PRETEND_KERNEL="record")
    assert (done.returncode, [line for line in done.stdout.splitlines() if not line.startswith("capture")]) == (
        0, ["load 0", "encode 1", "encode 1"])
    no_record, refused, no_log, again = reports(done.stderr)
    assert no_record == ["the driver takes no memory for kernels' records (cuMemHostRegister answered 801): "
                         "a kernel that breaks a rule ends without a word"]
    assert "boxDim[0] = 512" in refused[1] and refused[-1] == f"  {log.read_text()[:-1]}"
    assert no_log[0].endswith(f"case lines cannot be written there (an error, errno {errno.EMFILE})")
    assert "boxDim[0] = 513" in again[1]
    assert run("shim_vectors", log, LIBTMA_MODE="stand-in").stdout == "1 lines, 0 wrong\n"


STRICT = {"strict": -signal.SIGKILL, "filter": 0}  # rt_sigprocmask kills, or is an error


@pytest.mark.skipif(SANITIZED or bool(EMULATOR), reason="needs a kernel's seccomp, and programs that ask it for nothing else")
@pytest.mark.parametrize("call, answer", [("accepted", 0), ("refused", 1)])
@pytest.mark.parametrize("mode", STRICT)
@pytest.mark.parametrize("quiet", [0, 1])
def test_a_program_that_gave_up_system_calls(mode, call, answer, quiet):
    """What is watched, or refused, asks the kernel whether memory can be read (README.md, SECURITY.md)."""
    watching = run("strict_calls", mode, call, libraries=[PRETEND], LIBTMA_QUIET=quiet)
    if watching.returncode == 77:
        pytest.skip("no seccomp here")
    standing = run("strict_calls", mode, call, libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in", LIBTMA_QUIET=quiet)
    assert watching.returncode == STRICT[mode]
    assert standing.returncode == (0 if call == "accepted" else STRICT[mode])
    for done in (watching, standing):
        assert done.returncode or done.stdout == f"answered {answer}\n"


# Signals.

@native
def test_no_other_signals_are_kept_off(tmp_path):
    """While a write waits for its reader: SIGPIPE, SIGTTOU and SIGXFSZ."""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(PRETEND), "LD_PRELOAD": str(SHIM),
                   "ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"}
    seen = set()
    program = subprocess.Popen([PROGRAMS / "quiet_calls", "full", tmp_path / "file"], env=environment,
                               stdout=subprocess.DEVNULL)
    while program.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{program.pid}/status").read_text()
        except OSError:
            continue
        if "Name:\tquiet_calls" in status:
            seen.add(int(re.search(r"^SigBlk:\s*([0-9a-f]+)", status, re.M)[1], 16))
    assert program.returncode == 0
    kept = sum(1 << (number - 1) for number in (signal.SIGPIPE, signal.SIGTTOU, signal.SIGXFSZ))
    assert kept in seen and seen <= {0, kept}


def test_maps_that_are_gone():
    done = watched("gone", program="odd_calls", PRETEND_FAULT="gone", PRETEND_CC=100, PRETEND_VERSION=13050)
    assert done.stdout.splitlines() == ["encode 0", "replace 0", "class 0", "class 0"]
    replace, small, none = reports(done.stderr)
    assert replace[0].startswith("cuTensorMapReplaceAddress answered 0") and re.fullmatch(
        r"  tensorMap = 0x[0-9a-f]+: the map is no longer there", replace[1]) and replace[2].startswith("  rep arch=sm_100 api=tiled ")
    assert small[0].startswith("cuTensorMapSetAllocationClass answered 0") and re.fullmatch(
        r"  tensorMap = 0x[0-9a-f]+: the map is no longer there", small[1]) and small[2].startswith("  *outAllocClass: ")
    assert none[1:3] == ["  the driver took what libtma says it refuses:",
                         "  refused: allocClass = 3, must be 0 (auto), 1 (small) or 2 (large)"]


# Lines.

def test_a_line_of_1534_bytes_is_whole():
    """One more, and three points stand at its end."""
    frame = len("libtma: cuTensorMapEncodeTiled answered 990 (); judged for sm_90, driver 13.0:")
    for more in range(-3, 4):
        said = watched(PRETEND_FAULT=990, PRETEND_NAME=1534 - frame + more).stderr.splitlines()[0]
        whole = f"libtma: cuTensorMapEncodeTiled answered 990 ({'E' * (1534 - frame + more)}); judged for sm_90, driver 13.0:"
        assert said == (whole if more <= 0 else whole[:1531] + "...")


def test_3072_reports_are_made(tmp_path):
    for calls, made in (3071, 3071), (3072, 3072), (3073, 3073), (4000, 3073):
        done = watched(1, calls, program="many_calls", errors=tmp_path / "errors")
        found = reports(done.stderr)
        assert len(found) == made
        assert ("3072 different reports were made; no more will be" == found[-1][0]) == (calls > 3072)


# Records.

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


SLOT_B, SLOTS = 8192, 64


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

@pytest.mark.parametrize("value", ["11.9", "1.0", "3.0", "123.0", "13", "13.", "13.0.0", "13.0 ", "13,0", "13.a", "13./",
                                   "13.:", "1a.0", "a3.0", "00.0", ".0", "13.-"])
def test_versions_that_are_none(value):
    done = run("direct_calls", libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in", LIBTMA_DRIVER=value)
    assert done.stderr == f"libtma: LIBTMA_DRIVER={value} is wrong: it can be a CUDA version from 12.0 on, such as " \
                          "13.0 or 13000, or a driver's own such as 580.95\n"
    assert {line.split()[1] for line in done.stdout.splitlines()} == {"1"}


@pytest.mark.parametrize("value", ["12.0", "12.9", "13.0", "19.9", "20.1", "99.9"])
def test_versions_from_12_0_on(value):
    done = run("direct_calls", libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in", LIBTMA_DRIVER=value)
    said = set(re.findall(r"standing in for ([^:]+):", done.stderr))
    assert said == {f"sm_90, driver {value}"} and "is wrong" not in done.stderr


@pytest.mark.parametrize("arch, driver, target", [
    ("H100", "13000", "sm_90, driver 13.0"), ("b200", "580", "sm_100, driver 13.0"), ("RTX 5090", "13.00", "sm_120, driver 13.0"),
    ("sm_103f", "12080", "sm_103, driver 12.8"), ("10.3", "r570", "sm_103, driver 12.8")])
def test_targets_in_the_command_s_words(arch, driver, target):
    done = run("direct_calls", libraries=[STAND_IN], preload=None, LIBTMA_MODE="stand-in", LIBTMA_ARCH=arch,
               LIBTMA_DRIVER=driver)
    assert set(re.findall(r"standing in for ([^:]+):", done.stderr)) == {target} and "is wrong" not in done.stderr


@pytest.mark.parametrize("variable", ["LIBTMA_LOG", "LIBTMA_CHECK_NOTES"])
def test_a_program_may_write_over_its_environment(tmp_path, monkeypatch, variable):
    """As setproctitle() does: what the variable named is not read again."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    (tmp_path / "k.ptx").write_text(PTX.replace("ret;", "cp.async.bulk.tensor.1d [%r1];"))
    done = watched("environment", tmp_path / "k.ptx", program="odd_calls", LIBTMA_CHECK_KERNELS=1,
                   **{variable: tmp_path / "named"})
    assert done.returncode == 0 and "cannot be written" not in done.stderr
    assert (tmp_path / "named").exists() and not list(folder.iterdir())


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
