# SPDX-License-Identifier: Apache-2.0
"""tma emulate PROGRAM of one that calls the driver: it loads libcuda.so.1 itself, and needs no nvcc."""
import os
import pathlib
import re
import subprocess

TMA, PROGRAMS = os.environ["TMA"], pathlib.Path(os.environ["PROGRAMS"])
ROOT = pathlib.Path(__file__).resolve().parents[3]
INPUTS = ROOT / "tests/golden/inputs"
BY_HAND = PROGRAMS / "emulated_driver_by_hand"


def emulate(*words, options=()):
    return subprocess.run([TMA, "emulate", *options, "--", BY_HAND, *map(str, words)], capture_output=True, text=True, timeout=120)


def test_a_module_s_kernel():
    done = emulate(INPUTS / "emulate_add.ptx", "add")
    assert done.returncode == 0 and "b[0] = 1, b[99] = 100" in done.stdout, done.stdout + done.stderr
    assert done.stdout.count(": CUDA_SUCCESS") == 14
    assert done.stderr == "tma emulate: 1 launch executed, 0 findings\n"


def test_a_library_s_kernel_in_a_stream_with_a_buffer_of_parameters():
    done = emulate(INPUTS / "emulate_add.ptx", "library")
    assert done.returncode == 0 and "b[0] = 100, b[99] = 100" in done.stdout, done.stdout + done.stderr
    assert "parameter 2: 4 bytes at 16\n" in done.stdout and ": CUDA_ERROR" not in done.stdout


def test_a_map_and_a_cluster():
    done = emulate(INPUTS / "emulate_tile.ptx", "map")
    assert done.returncode == 0 and "cuTensorMapEncodeTiled: CUDA_SUCCESS" in done.stdout, done.stderr
    assert "tma emulate: 1 launch executed, 0 findings" in done.stderr


def test_a_finding_is_the_status():
    done = emulate(INPUTS / "emulate_tile.ptx", "early")
    assert done.returncode == 1 and "certain wait-missing" in done.stderr and ": CUDA_ERROR" not in done.stdout


def test_a_kernel_that_dies_leaves_its_error():
    done = emulate(INPUTS / "emulate_add.ptx", "beyond")
    assert done.returncode == 1 and "certain out-of-bounds" in done.stderr
    assert "cuLaunchKernel: CUDA_SUCCESS\ncuCtxSynchronize: CUDA_ERROR_LAUNCH_FAILED" in done.stdout


def answers_of_an_h200(name):
    measured = (ROOT / "program/runtime/tests" / name).read_text().splitlines()
    return [line for line in measured if not line.startswith("#")]


def test_wrong_calls_are_answered_as_an_h200_s_driver_does():
    expected = answers_of_an_h200("wrong_calls.txt")
    done = emulate("none", "wrong")
    assert len(expected) == 42 and done.stdout.splitlines() == expected
    assert done.stderr.count("the program loads") == 2 and done.returncode == 3  # nothing was launched


def test_captures_are_refused_as_an_h200_s_driver_does():
    expected = answers_of_an_h200("captures.txt")
    assert len(expected) == 29 and emulate("none", "captures").stdout.splitlines() == expected


def test_a_graph_is_done_when_it_is_launched_and_each_time():
    done = emulate(INPUTS / "emulate_add.ptx", "graph")
    said = done.stdout.splitlines()
    assert done.returncode == 0 and not [line for line in said if ": CUDA_ERROR" in line], done.stdout + done.stderr
    assert [line for line in said if ": CUDA" not in line] == [
        "the other stream captures: 1", "the other stream captures: 0", "3 nodes, first -1", "first 2"]
    assert done.stderr == "tma emulate: 2 launches executed, 0 findings\n"


def test_attributes_are_the_table_s():
    rows = re.findall(r"^CUDA_ATTRIBUTE\(\w+, (\w+), \d+, (\d+)\)$", (ROOT / "program/runtime/cuda_attributes.def").read_text(), re.M)
    said = emulate("none", "attributes").stdout.splitlines()
    assert "NVIDIA H200" in said and len(rows) > 40
    assert said[-len(rows):] == [f"{name} {value}" for name, value in rows]


def test_attributes_of_other_devices_are_their_tables():
    rows = re.findall(r"^CUDA_ATTRIBUTE\((\w+), (\w+), \d+, (\d+)\)$", (ROOT / "program/runtime/cuda_attributes.def").read_text(), re.M)
    differs = re.findall(r"^CUDA_DIFFERS\((\d+), (\w+), (\d+)\)$", (ROOT / "program/runtime/cuda_devices.def").read_text(), re.M)
    chips = re.findall(r"^EMU_CHIP\((\d+), (\d+), (\d+), (\d+), (\d+)\)$", (ROOT / "emulator/schedule/chips.def").read_text(), re.M)
    parts = ("PROCESSORS", "PROCESSOR_THREADS", "PROCESSOR_BLOCKS", "PROCESSOR_SHARED_B")
    limit = re.search(r"TMA_LIMIT_SHARED_120\(as\) +as\(KIB, (\d+),", (ROOT / "include/tma/limits.def").read_text())
    assert len(chips) == 3 and len(differs) >= 7
    for sm, *of_chip in chips:
        own = {id: value for at, id, value in differs if at == sm}
        own |= {"MAJOR": str(int(sm) // 10), "MINOR": "0"} | dict(zip(parts, of_chip))
        own |= {"BLOCK_SHARED_OPTIN_B": str(int(limit[1]) * 1024)} if sm == "120" else {}
        said = emulate("none", "attributes", options=["--arch", f"sm_{sm}a"]).stdout.splitlines()
        assert said[-len(rows):] == [f"{name} {own.get(id, value)}" for id, name, value in rows]
        assert sm != "90" or all(value == own.get(id, value) for id, _, value in rows)


def test_look_ups():
    assert emulate("none", "lookups").stdout.splitlines() == [
        "cuGetProcAddress_v2: CUDA_ERROR_INVALID_VALUE", "cuGetProcAddress_v2: CUDA_ERROR_NOT_FOUND",
        "cuGetProcAddress_v2: CUDA_SUCCESS", "cuMemAlloc of 13000: there, status 0",
        "cuGetProcAddress_v2: CUDA_SUCCESS", "cuMemAlloc of 2000: null, status 2",
        "cuGetProcAddress_v2: CUDA_SUCCESS", "cuTensorMapEncodeTiled of 12000: there, status 0",
        "cuGetProcAddress_v2: CUDA_SUCCESS", "cuTensorMapEncodeTiled of 11080: null, status 2",
        "cuGetProcAddress_v2: CUDA_SUCCESS", "cuNobody of 13000: null, status 1"]


def test_the_static_runtime_is_told_the_flag():
    done = emulate("none", "static")
    assert "cuGetExportTable: CUDA_ERROR_NOT_FOUND" in done.stdout and done.returncode == 3
    assert done.stderr.count("nvcc -cudart shared") == 1


def test_a_program_hears_its_kernels_once():
    done = emulate("none", "prints")
    assert done.returncode == 0 and done.stdout.splitlines().count("heard") == 2, done.stdout + done.stderr


def test_each_module_has_its_own_variables():
    done = emulate(pathlib.Path(__file__).with_name("variables.ptx"), "variables")
    said = [line for line in done.stdout.splitlines() if ": CUDA_SUCCESS" not in line]
    assert said == ["counter 15, 4 bytes", "counter 105, 4 bytes", "counter 25, 4 bytes",
                    "cuModuleGetGlobal_v2: CUDA_ERROR_NOT_FOUND", "cuMemFree_v2: CUDA_ERROR_INVALID_VALUE",
                    "memory is back: 1", "step has 8 bytes"], done.stdout + done.stderr
    assert done.returncode == 0 and done.stderr == "tma emulate: 3 launches executed, 0 findings\n"


def test_a_cooperative_launch_s_ctas_wait_for_each_other():
    done = emulate(pathlib.Path(__file__).with_name("grid_sync.ptx"), "together")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-4:] == [
        "cuLaunchCooperativeKernel: CUDA_SUCCESS", "cuLaunchCooperativeKernel: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE",
        "cuMemcpyDtoH_v2: CUDA_SUCCESS", "out: 6 5 4 3 2 1"]
    assert done.stderr == "tma emulate: 1 launch executed, 0 findings\n"
