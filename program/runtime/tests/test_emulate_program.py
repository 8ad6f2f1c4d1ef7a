# SPDX-License-Identifier: Apache-2.0
"""tma emulate PROGRAM: a program that makes by hand the calls that nvcc makes of one."""
import json
import os
import pathlib
import re
import subprocess

import pytest

TMA, PROGRAMS = os.environ["TMA"], pathlib.Path(os.environ["PROGRAMS"])
ROOT = pathlib.Path(__file__).resolve().parents[3]
INPUTS = ROOT / "tests/golden/inputs"
BY_HAND = PROGRAMS / "emulated_by_hand"


def emulate(*words, **environment):
    return subprocess.run([TMA, "emulate", *map(str, words)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


def test_values_and_status():
    done = emulate(BY_HAND, INPUTS / "emulate_add.ptx", "add")
    assert done.returncode == 0, done.stderr
    assert "NVIDIA H200, 9.0" in done.stdout and "b[0] = 1, b[99] = 100" in done.stdout
    assert done.stdout.count(": cudaSuccess") == 8
    assert done.stderr == "tma emulate: 1 launch executed, 0 findings\n"


def test_errors_have_the_words_of_the_driver_s_table():
    codes = (ROOT / "include/tma/driver_codes.def").read_text()
    driver = dict(re.findall(r'^DRIVER_CODE\(\w+, (\d+), \w+, "([^"]*)"', codes, re.M))
    runtime = (ROOT / "program/runtime/cuda_errors.def").read_text()
    own = re.findall(r'^CUDA_ERROR\(\w+, (\d+), \w+, "([^"]*)"\)$', runtime, re.M)
    both = [number for number, _ in own if number in driver]
    assert len(both) >= 7 and {n: w for n, w in own if n in driver} == {n: driver[n] for n in both}


def test_memory_of_the_device_alone_is_counted():
    done = emulate(BY_HAND, "none", "memory")
    said = done.stdout.splitlines()
    assert [line for line in said if line.startswith("used")] == ["used 4096", "used 0"]
    assert said.count("cudaMallocPitch: cudaErrorMemoryAllocation") == 2
    assert said.count("cudaMalloc: cudaErrorMemoryAllocation") == 1
    assert done.returncode == 3, done.stderr  # no launch came


def test_a_program_that_dies_before_it_launches_is_said():
    done = emulate(BY_HAND, "none", "dies")
    assert done.returncode == 128 + 6
    assert done.stderr.startswith("tma emulate: 0 launches executed, 0 findings: nothing was judged; the program was ended by signal 6 (")


def test_a_program_that_fails_was_ended_by_no_signal():
    done = emulate(BY_HAND, "none", "fails")
    assert done.returncode == 255
    assert done.stderr == "tma emulate: 0 launches executed, 0 findings: nothing was judged\n"


@pytest.mark.parametrize(("name", "other"), [(b"libc.so.6", b"libq.so.6"), (b"GLIBC_2.2.5", b"GLIBC_2.9.5")])
def test_what_the_loader_lacks_is_said(name, other, tmp_path):
    program = BY_HAND.read_bytes()
    if b"\0" + name + b"\0" not in program:
        pytest.skip(f"the program does not name {name.decode()}")
    refused = tmp_path / "refused"
    refused.write_bytes(program.replace(b"\0" + name + b"\0", b"\0" + other + b"\0"))
    refused.chmod(0o755)
    done = emulate(refused, "none", "dies")
    assert done.returncode == 3
    said = done.stderr.splitlines()[-1]
    assert said.startswith(f"tma emulate: the dynamic loader does not load {refused}: ")
    assert other.decode() in said and "CUDA" not in said


@pytest.mark.parametrize(("words", "option"), [
    (("--trace", "t"), "--trace"), (("--format=gcc",), "--format"), (("--json",), "--json"),
    (("--param", "0=1"), "--param"), (("--werror=unjudged",), "--werror=unjudged"), (("--seed", "7"), "--seed"),
    (("--no-order",), "--no-order")])
def test_options_that_a_program_does_not_take_are_named(words, option, tmp_path):
    done = emulate(*[tmp_path / w if w == "t" else w for w in words], BY_HAND, "none", "memory")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"tma emulate: {option}: not beside a program: {BY_HAND} makes its launches itself")


def test_a_program_of_this_folder_is_named_with_its_folder(tmp_path):
    (tmp_path / "e1").symlink_to(BY_HAND)
    done = subprocess.run([TMA, "emulate", "e1"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[0] == ("tma emulate: cannot run e1: PATH has no such program; "
                                           "the one in this folder is ./e1")


def test_a_map_of_the_entry_point():
    done = emulate(BY_HAND, INPUTS / "emulate_tile.ptx", "map")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "status 0, cuTensorMapEncodeTiled: 0" in done.stdout
    assert "tma emulate: 1 launch executed, 0 findings" in done.stderr


def test_a_finding_is_said_and_is_the_status():
    done = emulate(BY_HAND, INPUTS / "emulate_tile.ptx", "early")
    assert done.returncode == 1 and "cudaDeviceSynchronize: cudaSuccess" in done.stdout
    assert "certain wait-missing" in done.stderr and "cp.async.bulk.tensor.2d" in done.stderr
    assert "tma emulate: 1 launch executed, 1 finding\n" in done.stderr


def test_nodes_that_the_program_adds():
    done = emulate(BY_HAND, INPUTS / "emulate_add.ptx", "nodes")
    said = done.stdout.splitlines()
    assert done.returncode == 0 and "b[0] = 3, b[99] = 3, counted 1" in said, done.stdout + done.stderr
    assert [line for line in said if "Error" in line] == ["of no node: cudaErrorInvalidValue", "of no graph: cudaErrorInvalidValue"]


def test_a_kernel_that_dies_leaves_its_error():
    done = emulate(BY_HAND, INPUTS / "emulate_add.ptx", "beyond")
    assert done.returncode == 1
    assert "cudaLaunchKernel: cudaSuccess\ncudaDeviceSynchronize: cudaErrorLaunchFailure" in done.stdout
    assert "certain out-of-bounds" in done.stderr


def test_a_program_without_ptx_is_told_the_flag():
    done = emulate(BY_HAND, "none", "add")
    assert "cudaLaunchKernel: cudaErrorNoKernelImageForDevice" in done.stdout
    assert "-gencode arch=compute_90a,code=compute_90a" in done.stderr and done.returncode == 1


def test_a_program_without_the_shared_runtime_is_told_the_flag():
    done = emulate(PROGRAMS / "emulated_without")
    assert done.returncode == 3 and "compile it with nvcc -cudart shared" in done.stderr


@pytest.mark.parametrize("option", ["--grid=2", "--param=0=1", "--json", "--kernel=add", "--no-order"])
def test_options_of_one_launch_are_refused(option):
    done = emulate(option, BY_HAND, "none", "add")
    assert done.returncode == 2 and "makes its launches itself" in done.stderr and not done.stdout


@pytest.mark.parametrize("arch, device, others", [
    ("sm_90a", "NVIDIA H200, 9.0", ["sm_100a", "sm_120a", "sm_100f"]),
    ("sm_100a", "NVIDIA B200, 10.0", ["sm_90a", "sm_103a", "sm_120a"]),
    ("b200", "NVIDIA B200, 10.0", ["sm_90a"]),
    ("sm_120a", "NVIDIA GeForce RTX 5090, 12.0", ["sm_90a", "sm_100a", "sm_100f"])])
def test_the_device_is_the_one_asked_for(arch, device, others, tmp_path):
    ptx = (INPUTS / "emulate_add.ptx").read_text()
    own = "sm_" + device.split(", ")[1].replace(".", "")
    for target in ("sm_80", "sm_90", own + "a", own + "f" if own != "sm_90" else own):
        text = tmp_path / f"{target}.ptx"
        text.write_text(re.sub(r"(?m)^\.target .*$", f".target {target}", ptx))
        done = emulate("--arch", arch, BY_HAND, text, "add")
        assert done.returncode == 0 and device in done.stdout, done.stdout + done.stderr
    for target in others:
        text = tmp_path / f"{target}.ptx"
        text.write_text(re.sub(r"(?m)^\.target .*$", f".target {target}", ptx))
        done = emulate("--arch", arch, BY_HAND, text, "add")
        gencode = f"compute_{own[3:]}a"
        assert f"-gencode arch={gencode},code={gencode}; of another device: --arch" in done.stderr and done.returncode == 1


def test_a_device_that_is_not_described_is_refused():
    done = emulate("--arch=sm_103a", BY_HAND, "none", "add")
    assert done.returncode == 2 and "a program's device is sm_90a, sm_100a or sm_120a" in done.stderr


def test_no_file_is_left(tmp_path):
    emulate(BY_HAND, INPUTS / "emulate_add.ptx", "add", TMPDIR=str(tmp_path))
    assert not list(tmp_path.iterdir())


def test_variables_live_as_long_as_the_program():
    done = emulate(BY_HAND, pathlib.Path(__file__).with_name("variables.ptx"), "variables")
    said = [line for line in done.stdout.splitlines() if not line.endswith(": cudaSuccess")]
    assert done.returncode == 0, done.stdout + done.stderr
    assert said[1:] == [
        "counter 15, by its address 15", "counter 25, by its address 25", "counter 125, by its address 125",
        "counter 100, by its address 100", "counter 100, step has 8 bytes", "beyond its end: cudaErrorInvalidValue",
        "no variable: cudaErrorInvalidSymbol", "not in the PTX: cudaErrorInvalidSymbol", "not allocated: cudaErrorInvalidValue"]
    assert done.stderr == "tma emulate: 4 launches executed, 0 findings\n"


GRID_SYNC = pathlib.Path(__file__).with_name("grid_sync.ptx")


def test_cooperative_launches():
    done = emulate(BY_HAND, GRID_SYNC, "together")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[2:] == [
        "cudaLaunchCooperativeKernel: cudaSuccess", "cudaLaunchKernelExC: cudaSuccess",
        "too many: cudaErrorCooperativeLaunchTooLarge", "cudaMemcpy: cudaSuccess", "out: 6 5 4 3 2 1"]
    assert done.stderr == "tma emulate: 2 launches executed, 0 findings\n"


def test_a_cooperative_launch_of_a_file(tmp_path):
    launch, words = tmp_path / "grid.launch", ["--grid=6", "--block=64", "--param=in=zeros:24", "--param=out=zeros:24"]
    done = emulate(GRID_SYNC, *words, "--cooperative", f"--save-launch={launch}")
    assert done.returncode == 0 and "completed, 0 findings" in done.stdout, done.stdout + done.stderr
    has = json.loads(launch.read_text())
    assert has["cooperative"] is True and has["schema"] == 3
    assert emulate(launch).stdout == done.stdout
    del has["cooperative"]
    launch.write_text(json.dumps(has))
    assert emulate(launch).returncode == 1  # the grid's barrier is nowhere
    many = emulate(GRID_SYNC, "--grid=265", "--block=1024", *words[2:], "--cooperative")
    assert many.returncode == 2 and "265 CTAs; a cooperative launch has as many as run at once, 264 at most" in many.stderr
