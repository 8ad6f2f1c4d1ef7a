# SPDX-License-Identifier: Apache-2.0
"""The hook of pre-commit runs as written, and tma_check_kernels() checks a target's sources."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess

import pytest
from conftest import INPUTS, ROOT

PROJECT = """cmake_minimum_required(VERSION 3.20)
project(kernels LANGUAGES NONE)
set(LIBTMA_TMA "{tma}")
set(CMAKE_CUDA_COMPILER "{nvcc}")
include("{root}/cmake/tma_check_kernels.cmake")
add_library(kernels INTERFACE {sources})
set_target_properties(kernels PROPERTIES CUDA_ARCHITECTURES "90a;100a")
tma_check_kernels(kernels {options})
"""
CLEAN = ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n"
NVCC = """#!/bin/sh
echo "$*" >> "{log}"
while [ "$1" != -o ]; do shift; done
cp "{ptx}" "$2"
echo "$2: $3" > "$2.d"
"""


def test_each_hook_runs_as_it_is_written(folder):
    text = (ROOT / ".pre-commit-hooks.yaml").read_text()
    hooks = {i: (entry, files) for i, entry, files in
             re.findall(r"^- id: (\S+)\n(?:  .*\n)*?  entry: (.*)\n(?:  .*\n)*?  files: (.*)\n", text, re.M)}
    files = {"tma-ptx": "kernel.ptx", "tma-check": "maps/cases.txt"}
    assert set(hooks) == set(files)
    (folder / "maps").mkdir(exist_ok=True)
    shutil.copy(folder / "cases.txt", folder / "maps")
    path = {**os.environ, "PATH": f"{pathlib.Path(os.environ['TMA']).parent}:{os.environ['PATH']}"}
    for hook, (entry, pattern) in hooks.items():
        assert re.search(pattern, files[hook]) and not re.search(pattern, "kernel.cu")
        run = subprocess.run([*shlex.split(entry), files[hook]], cwd=folder, capture_output=True, text=True, env=path)
        assert run.returncode == 1 and ": error: " in run.stdout


def configure(where, sources, options=""):
    nvcc, log = where / "nvcc", where / "nvcc.log"
    nvcc.write_text(NVCC.format(log=log, ptx=where / "from_nvcc.ptx"))
    nvcc.chmod(0o755)
    (where / "CMakeLists.txt").write_text(PROJECT.format(tma=os.environ["TMA"], nvcc=nvcc, root=ROOT, sources=sources,
                                                         options=options))
    made = subprocess.run([os.environ["CMAKE"], "-S", where, "-B", where / "b"], capture_output=True, text=True)
    return made, log


def build(where):
    return subprocess.run([os.environ["CMAKE"], "--build", where / "b"], capture_output=True, text=True)


@pytest.fixture
def where(tmp_path):
    if not os.environ.get("CMAKE"):
        pytest.skip("no cmake")
    return tmp_path


def test_a_target_with_a_finding_fails_and_one_without_does_not(where):
    shutil.copy(INPUTS / "kernel.ptx", where / "from_nvcc.ptx")
    (where / "a.cu").write_text("")
    made, log = configure(where, "a.cu")
    assert made.returncode == 0, made.stderr
    failed = build(where)
    assert failed.returncode and re.search(r"^kernel.cu:\d+:\d+: error: .*\[coord-align\]$", failed.stdout, re.M), failed
    assert "-lineinfo" in log.read_text() and "-arch=compute_90a" in log.read_text()
    (where / "from_nvcc.ptx").write_text(CLEAN)
    os.utime(where / "a.cu")
    assert build(where).returncode == 0
    calls = len(log.read_text().splitlines())
    assert build(where).returncode == 0 and len(log.read_text().splitlines()) == calls  # nothing changed


def test_ptx_among_the_sources_and_options(where):
    shutil.copy(INPUTS / "edits.ptx", where / "e.ptx")
    made, _ = configure(where, "e.ptx")
    assert made.returncode == 0 and build(where).returncode
    (where / "none.txt").write_text("")
    rules = {r for r in re.findall(r"\[([\w-]+)\]$", build(where).stdout, re.M)}
    assert rules
    made, _ = configure(where, "e.ptx", "--werror=neither")
    assert made.returncode == 0 and "must be certain or unjudged" in build(where).stderr + build(where).stdout


def test_a_target_without_kernels_is_told(where):
    (where / "a.txt").write_text("")
    made, _ = configure(where, "a.txt")
    assert made.returncode and "has no .cu and no .ptx" in made.stderr
