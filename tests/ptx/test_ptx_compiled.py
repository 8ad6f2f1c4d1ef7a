# SPDX-License-Identifier: Apache-2.0
"""Kernels of CUDA C++ as nvcc compiles them, optimised and not: nothing is said of right ones, and of broken ones
the rule that each is named after. Templates, lambdas, structs and arrays of maps, functions that are not inlined."""
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TMA = os.environ["TMA"]
NVCC = shutil.which("nvcc")
KERNELS = Path(__file__).parent / "kernels"
MAP = "--dtype float32 --dim 4096,4096 --box 32,64 --format=raw" # 8192 B
pytestmark = pytest.mark.skipif(not NVCC, reason="no nvcc")


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    path = tmp_path_factory.mktemp("map") / "map"
    path.write_bytes(subprocess.run([TMA, "encode", *MAP.split()], capture_output=True, check=True).stdout)
    return path


def compiled(name, path, *options):
    subprocess.run([NVCC, "-std=c++17", "-arch=sm_90a", "-ptx", *options, KERNELS / name, "-o", path], check=True)
    return path


def said(path, *options):
    """{kernel: rules}"""
    done = subprocess.run([TMA, "ptx", "--json", *options, path], capture_output=True, text=True)
    answer = json.loads(done.stdout)
    found = {name: set() for name in re.findall(r"\.entry (\w+)", path.read_text())}
    for at in [*answer["instructions"], answer]:
        for f in at["findings"]:
            found.setdefault(f.get("function") or at["function"], set()).add(f["rule"])
    return found


@pytest.mark.parametrize("name, options", [
    *[(name, options) for name in ("right_loads.cu", "right_orders.cu", "right_edits.cu", "right_clusters.cu", "right_values.cu",
                                        "right_expects.cu")
      for options in (["-O3"], ["-O0", "-G"])],
    ("right_expects.cu", ["-Xcicc", "-O1"]), ("right_values.cu", ["-Xcicc", "-O1"]), ("right_values.cu", ["-Xcicc", "-O0"])], ids=lambda x: x if isinstance(x, str) else x[-1])
def test_right(name, options, given, tmp_path):
    path = compiled(name, tmp_path / "k.ptx", *options)
    for maps in [[], [f"--map={given}"]]:
        assert {k: rules for k, rules in said(path, *maps).items() if rules} == {}


def executed(kernel, path, given):
    """Rules that an execution names: rings are no rule's, a launch shows what their turns do."""
    entry = path.read_text().partition(f".entry {kernel}(")[2].partition("{")[0]
    params = [f"--map={i}={given}" if "[128]" in one else f"--param={i}=6" if ".u32" in one else f"--param={i}=zeros:65536"
              for i, one in enumerate(re.findall(r"\.param ([^,)]*)", entry))]
    done = subprocess.run([TMA, "emulate", "--json", "--no-static", "--kernel", kernel, "--block=128", *params, path], capture_output=True,
                          text=True, timeout=300)
    answer = json.loads(done.stdout)
    assert answer["end"] == "completed", (kernel, answer["end"])
    return {f["rule"] for f in answer["findings"]}


@pytest.mark.parametrize("name, options", [("broken.cu", []), ("broken_counts.cu", []), ("broken_values.cu", []),
    *[("broken_stages.cu", options) for options in ([], ["-Xcicc", "-O1"], ["-G"])]],
    ids=lambda x: x if isinstance(x, str) else "".join(x[-1:]))
def test_broken(name, options, given, tmp_path):
    path = compiled(name, tmp_path / "k.ptx", *options)
    found = said(path, f"--map={given}")
    in_functions = {"map_local_byval": "_Z5byval", "ptx_fence_fn": "_Z3use"}
    for kernel in re.findall(r"\.entry (\w+)", path.read_text()):
        rules = found[kernel]
        for where, others in found.items():
            rules = rules | (others if where.startswith(in_functions.get(kernel, "!")) else set())
        if name == "broken_stages.cu" and not rules:
            rules = executed(kernel, path, given)
        wanted = set() if kernel.startswith("ok_") else {kernel[:kernel.rindex("_")].replace("_", "-")}
        assert rules == wanted, kernel
