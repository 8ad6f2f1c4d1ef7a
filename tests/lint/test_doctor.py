# SPDX-License-Identifier: Apache-2.0
"""tma doctor passes output, input and status on, names what it found, and one next command, which works."""
import os
import shlex
import subprocess
import sys

import pytest

ENCODE = """
import ctypes, sys
cuda = ctypes.CDLL("libcuda.so.1")
room = ctypes.create_string_buffer(256)
at = (ctypes.addressof(room) + 127) // 128 * 128
u64, u32 = ctypes.c_uint64 * 2, ctypes.c_uint32 * 2
stride = int(sys.argv[1])
print("encode says", cuda.cuTensorMapEncodeTiled(
    ctypes.c_void_p(at), 9, 2, ctypes.c_void_p(0x7F0000000000), u64(64, 64), (ctypes.c_uint64 * 1)(stride),
    u32(64, 64), u32(1, 1), 0, 0, 0, 0))
"""


@pytest.fixture
def doctor(tmp_path):
    if not os.environ.get("TMA_SHIM"):
        pytest.skip("no libtma-cuda.so here")

    def run(*words, text=""):
        env = {k: v for k, v in os.environ.items() if not k.startswith("LIBTMA_")}
        return subprocess.run([os.environ["TMA"], "doctor", *words], cwd=tmp_path, capture_output=True, text=True,
                              input=text, env=env)
    return run


def own(answer):
    return [line.split(": ", 1)[1] for line in answer.stderr.splitlines() if line.startswith("tma doctor: ")]


def next_of(answer):
    found = [line for line in own(answer) if line.startswith("next: ")]
    assert len(found) == 1, answer.stderr
    return found[0].removeprefix("next: ")


def follow(command):
    words = shlex.split(command)
    assert words[0] == "tma"
    return subprocess.run([os.environ["TMA"], *words[1:]], capture_output=True, text=True)


def test_a_refused_map(doctor, tmp_path):
    (tmp_path / "encode.py").write_text(ENCODE)
    answer = doctor("--", sys.executable, "encode.py", "130")
    assert answer.returncode == 1 and answer.stdout == "encode says 1\n"
    assert own(answer)[0] == "found: the driver refuses a tensor map" and "stride-align" in own(answer)[1]
    assert "stride-align" in follow(next_of(answer)).stdout
    assert not any("invalid-value" in line for line in own(answer))  # libtma's own words


def test_a_map_that_is_right(doctor, tmp_path):
    (tmp_path / "encode.py").write_text(ENCODE)
    answer = doctor(sys.executable, "encode.py", "128")
    assert answer.returncode == 0 and answer.stdout == "encode says 0\n"
    assert own(answer)[0].startswith("found: nothing") and next_of(answer).startswith("tma emulate PROGRAM ")  # no kernel was in reach


def test_an_error_that_the_program_prints(doctor):
    answer = doctor("sh", "-c", "echo CUDA error: an illegal instruction was encountered; exit 5")
    assert answer.returncode == 1 and answer.stdout == "CUDA error: an illegal instruction was encountered\n"
    assert own(answer)[0] == "ended: PROGRAM, with status 5, its own"
    assert own(answer)[1].startswith("found: illegal-instruction: ")
    assert "illegal-instruction" in follow(next_of(answer)).stdout


# As run-checked and a kernel's checks print them; the first of the surest decides.
LINES = {
    "k.py:23: matmul: block: [4,2,0], thread: [0,0,0] libtma: coord-align: tensorCoords[0] = 1": "tma explain coord-align",
    "tma run-checked: tma ptx is certain: line 16, kernel edit: ptx-fence: x (tma explain ptx-fence)":
        "tma explain ptx-fence",
    "tma run-checked: a kernel waited longer than 2 s and was ended: k": "tma ptx --findings --werror=certain KERNEL.ptx",
}


@pytest.mark.parametrize("line", LINES)
def test_what_checks_in_kernels_print(doctor, line):
    answer = doctor("sh", "-c", 'echo "$1" >&2', "sh", line)
    assert answer.returncode == 1 and next_of(answer) == LINES[line]
    if LINES[line].startswith("tma explain"):
        assert follow(LINES[line]).returncode == 0


def test_several(doctor):
    answer = doctor("sh", "-c", 'for l; do echo "$l"; done', "sh", *reversed(LINES))
    assert sum(line.startswith("found: ") for line in own(answer)) == len(LINES)
    assert next_of(answer) == "tma explain coord-align"


def test_output_input_and_status_are_the_programs(doctor):
    answer = doctor("sh", "-c", "cat; head -c 300000 /dev/zero | tr '\\0' x; echo err >&2; exit 3", text="in\n")
    assert answer.stdout == "in\n" + "x" * 300000 and "err\n" in answer.stderr and answer.returncode == 1
    assert doctor("true").returncode == 0 and doctor("sh", "-c", "exit 3").returncode == 1
    assert doctor("not_there").returncode == 127 and doctor().returncode == 2
    assert doctor("--hang=x", "true").returncode == 2


@pytest.mark.parametrize("name, number, words, following", [
    ("SEGV", 11, ": host code touched memory", "gdb "), ("ABRT", 6, ": host code called abort()", "gdb "),
    ("KILL", 9, ": something else ended it", "dmesg "), ("USR2", 12, "", "tma emulate PROGRAM "),
])
@pytest.mark.parametrize("within", ["", "sh -c 'kill -%s $$'; exit $?"])
def test_a_signal_that_ended_it(doctor, name, number, words, following, within):
    """Its own, or of what a shell ran, which passes it on as its status."""
    answer = doctor("sh", "-c", within % name if within else f"kill -{name} $$")
    assert answer.returncode == 1 and own(answer)[0].startswith(f"ended: PROGRAM, by signal {number} (")
    assert own(answer)[0].endswith(f"; status {128 + number})") or f"; status {128 + number}){words}" in own(answer)[0] and words
    assert own(answer)[1].startswith("found: nothing") and next_of(answer).startswith(following)


def test_a_signal_beside_something_found(doctor):
    answer = doctor("sh", "-c", "echo CUDA error: an illegal instruction was encountered; kill -ABRT $$")
    assert own(answer)[0].startswith("ended: PROGRAM, by signal 6 ")
    assert "illegal-instruction" in follow(next_of(answer)).stdout
