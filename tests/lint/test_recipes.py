# SPDX-License-Identifier: Apache-2.0
"""What docs/ci.md and docs/editors.md tell a project to write into its workflow, run as it stands there, with files
that are right and files that are not. Nothing is downloaded."""
import json
import os
import pathlib
import re
import shutil

import pytest
from conftest import CASES, INPUTS, ROOT
from recipes import Runner, blocks, inputs_of_action, steps
from small_schema import complaints

SARIF = json.loads(pathlib.Path("sarif_written.schema.json").read_text())
CLEAN = ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k() { ret; }\n"
ALL = [(page, text) for page in ("docs/ci.md", "docs/editors.md") for text in blocks(page)]
GEMM = """#include <cstdio>
__global__ void k(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    %s;
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
int main(int argc, char **argv) {
    int *out, host[64];
    cudaMalloc(&out, sizeof host);
    k<<<1, 64>>>(out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%%d arguments, out[0] is %%d\\n", argc - 1, host[0]);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def of(words):
    [text] = [text for _, text in ALL if words in text]
    return text


@pytest.fixture(name="job")
def a_job(tmp_path):
    for folder in ("ptx", "build", "tests/maps"):
        (tmp_path / folder).mkdir(parents=True)
    return Runner(tmp_path)


def with_kernel(job, text):
    for folder in ("ptx", "build"):
        (job.folder / folder / "k.ptx").write_text(text)
    return job


def test_each_recipe_is_run_below():
    """One that comes needs its test here; pytest --libtma is test_pytest_plugin.py, hooks are test_hook_and_cmake.py."""
    words = ("name: tma\n", "nvcc", "pytest --libtma=emulate", "tests/maps/*.txt", "--format=github build", "upload-sarif", "add-matcher",
             "- id: tma-ptx")
    assert [sum(word in text for _, text in ALL) for word in words] == [1] * len(words)
    assert all(any(word in text for word in words) for _, text in ALL)


def test_the_whole_workflow(job):
    text = of("name: tma\n")
    assert [step.get("uses", "").partition("@")[0] for step in steps(text)] == [
        "actions/checkout", "OWNER/libtma/.github/actions/check", "", ""]
    assert with_kernel(job, CLEAN).job(text) == 0
    assert with_kernel(job, (INPUTS / "kernel.ptx").read_text()).job(text) == 1
    assert re.search(r"^::error file=kernel.cu,line=\d+,col=\d+,title=coord-align::", job.out, re.M)


def test_the_workflow_fails_for_a_ring_that_tma_ptx_passes(job):
    right = (ROOT / "tests/ptx/pairs/ring/a_ring_the_copying_thread_does_not_wait.ptx").read_text()
    workflow = of("name: tma\n")
    assert with_kernel(job, right).job(workflow) == 0, "in the invented block it hangs: may"
    assert re.search(r"^::warning file=ptx/k.ptx,line=\d+,col=\d+,title=arrive-missing::", job.out, re.M)
    right = right.replace(".param .u32 n)\n", ".param .u32 n)\n.reqntid 129\n", 1)
    assert with_kernel(job, right).job(workflow) == 0
    ring = re.sub(r"(?m)^.*//\+$", "", right)
    assert with_kernel(job, ring).bash("tma ptx --format=github --werror=certain ptx/*.ptx") == 0
    assert job.job(workflow) == 1
    assert re.search(r"^::error file=ptx/k.ptx,line=\d+,col=\d+,title=arrive-beyond::", job.out, re.M)


def test_what_is_may_fails_without_werror(job):
    """The sentence behind the workflow."""
    lines = (INPUTS / "kernel.ptx").read_text()
    with_kernel(job, lines)
    (job.folder / "accepted").write_text("".join(
        f"{f['rule']} {f['function']}\n" for f in map(json.loads, only(job, "--format=json")) if f["certain"]))
    assert job.bash("tma ptx --accept=accepted --werror=certain ptx/*.ptx") == 0
    assert job.bash("tma ptx --accept=accepted ptx/*.ptx") == 1


def only(job, form):
    job.out = ""
    job.bash(f"tma ptx {form} ptx/*.ptx")
    return [line for line in job.out.splitlines() if line.startswith("{")]


def test_maps(job):
    text = of("tests/maps/*.txt")
    (job.folder / "tests/maps/a.txt").write_text(CASES.splitlines()[1] + "\n")
    assert job.job(text) == 0
    (job.folder / "tests/maps/a.txt").write_text(CASES)
    assert job.job(text) == 1 and "::error file=tests/maps/a.txt,line=1,title=stride-align::" in job.out


def test_annotations(job):
    assert with_kernel(job, CLEAN).job(of("--format=github build")) == 0
    assert with_kernel(job, (INPUTS / "kernel.ptx").read_text()).job(of("--format=github build")) == 1


def test_sarif_is_uploaded_with_findings_and_without(job):
    for kernel in (CLEAN, (INPUTS / "kernel.ptx").read_text()):
        assert with_kernel(job, kernel).job(of("upload-sarif")) == 0
        log = json.loads(job.uploads[-1].read_text())
        assert complaints(log, SARIF, SARIF) == [] and bool(log["runs"][0]["results"]) == (kernel != CLEAN)
    (job.folder / "build/k.ptx").unlink()
    assert job.job(of("upload-sarif"))  # misuse is nothing to upload


def test_the_matcher_is_where_the_action_says(job):
    text = of("add-matcher")
    assert with_kernel(job, (INPUTS / "kernel.ptx").read_text()).job(text) == 1
    [path] = job.matchers
    matcher = json.loads(pathlib.Path(path).read_text())["problemMatcher"][0]["pattern"][0]
    assert any(re.match(matcher["regexp"], line) for line in job.out.splitlines())


def test_the_actions_inputs_are_those_that_the_runner_here_knows():
    assert inputs_of_action() == ["files", "strict"]


def test_the_workflow_runs_each_kernel_of_a_file(job):
    kernels = (INPUTS / "emulate_tile.ptx").read_text()
    assert with_kernel(job, kernels).job(of("name: tma\n")) == 1  # tma ptx's finding
    run = [step["run"] for step in steps(of("name: tma\n")) if "tma emulate" in step.get("run", "")]
    assert job.bash(*run) == 1
    assert {"wait-missing", "arrive-missing"} <= set(re.findall(r"title=([a-z-]+)::", job.out))


def noting(folder, *names):
    """Programs that are there, and write down how they were called."""
    (folder / "noted").write_text("")
    (folder / "bin").mkdir()
    for name in names:
        (folder / "bin" / name).write_text(f'#!/bin/sh\necho {name} "$@" >>{folder}/noted\n')
        (folder / "bin" / name).chmod(0o755)
    return folder / "bin"


def test_the_workflow_of_triton(tmp_path):
    text = of("pytest --libtma=emulate")
    job = Runner(tmp_path, noting(tmp_path, "pip", "pytest"))
    assert job.job(text) == 0, job.out
    assert (tmp_path / "noted").read_text().splitlines() == [
        "pip install pytest numpy triton torch git+https://github.com/OWNER/libtma@v0.3.0", "pytest --libtma=emulate tests/"]


NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")


@pytest.mark.skipif(not NVCC, reason="no nvcc")
@pytest.mark.skipif("TMA_SHIM" not in os.environ, reason="a program beside a driver with sanitizers would need them, too")
def test_programs_of_nvcc(tmp_path):
    text = of("nvcc")
    assert re.search(r"^    container: nvidia/cuda:[\d.]+-devel-ubuntu[\d.]+$", text, re.M)
    job = Runner(tmp_path, noting(tmp_path, "apt-get"), pathlib.Path(NVCC).parent)
    for barrier, status in (("__syncthreads()", 0), ("", 1)):
        (tmp_path / "gemm.cu").write_text(GEMM % barrier)
        assert job.job(text) == status, job.out
        assert "3 arguments, out[0] is 63" in job.out or status
    assert "data-race" in job.out
    assert "apt-get install -y cmake make g++\n" in (tmp_path / "noted").read_text()
