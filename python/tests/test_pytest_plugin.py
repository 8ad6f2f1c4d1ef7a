# SPDX-License-Identifier: Apache-2.0
"""pytest --libtma=GPU, and the fixture: kernels of another project in the interpreter. Needs Triton."""
import os
import pathlib
import re
import subprocess
import sys
import textwrap
from importlib import metadata
from types import SimpleNamespace

import pytest

from libtma import pytest_plugin

triton = pytest.importorskip("triton")

PROJECT = """\
    import numpy as np
    import pytest
    import triton, triton.language as tl
    from fake_tensors import flat
    from triton.tools.tensor_descriptor import TensorDescriptor

    def kernel():
        @triton.jit
        def rows_of(desc, data, rows, N: tl.constexpr, WIDE: tl.constexpr):
            block = desc.gather(tl.load(rows + tl.arange(0, N)), 0)
            tl.store(data + tl.arange(0, N)[:, None] * WIDE + tl.arange(0, WIDE)[None, :], block)
        return rows_of

    def gather(run):
        a = flat(np.arange(1024, dtype=np.float32).reshape(64, 16))
        data, rows = flat(np.zeros((8, 16), np.float32)), flat(np.arange(8, 0, -1, dtype=np.int32))
        run[(1,)](TensorDescriptor(a, a.shape, a.strides, [1, 16]), data, rows, 8, 16)
        assert (data.numpy()[0] == np.arange(128, 144)).all()
    """
MODULE = "rows_of = kernel()\n\ndef test_gather():\n    gather(rows_of)\n"
FIXTURE = """
@pytest.mark.parametrize("gpu", ["B200", "H200"])
def test_gather(gpu, libtma_triton):
    libtma_triton(gpu)
    gather(kernel())
"""


def pytest_of(tmp_path, text, *arguments):
    (tmp_path / "test_project.py").write_text(textwrap.dedent(PROJECT) + text)
    environment = {name: word for name, word in os.environ.items() if name != "TRITON_INTERPRET"}
    paths = [str(pathlib.Path(__file__).parent), *sys.path]
    plugin = [] if "libtma" in {e.name for e in metadata.entry_points(group="pytest11")} else [
        "-p", "libtma.pytest_plugin"]  # the tree's package is installed nowhere
    return subprocess.run(
        [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", *plugin, *arguments,
         "test_project.py"], capture_output=True, text=True, timeout=300, cwd=tmp_path,
        env={**environment, "PYTHONPATH": os.pathsep.join(paths)})


@pytest.mark.parametrize("gpu, status, said", [
    ("B200", 0, "1 passed"), ("H200", 1, "sm_90a has no load in mode tile::gather4"),
    ("sm_99", 4, "--libtma=sm_99: unknown arch 'sm_99'")])
def test_the_tests_run_as_a_gpu(tmp_path, gpu, status, said):
    done = pytest_of(tmp_path, MODULE, f"--libtma={gpu}")
    assert done.returncode == status and said in done.stdout + done.stderr, done.stdout + done.stderr
    if status != 4:
        assert f"libtma: Triton's interpreter as {gpu}" in done.stdout


@pytest.mark.parametrize("option", [[], ["--libtma=sm_100a"]])
def test_one_test_runs_as_a_gpu(tmp_path, option):
    done = pytest_of(tmp_path, FIXTURE, *option)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "FAILED test_project.py::test_gather[H200] - libtma.TensorMapInstructionError" in done.stdout


def test_without_the_option_nothing_is_installed(tmp_path):
    done = pytest_of(tmp_path,
                     "import sys\n\ndef test_none():\n    assert 'libtma.triton' not in sys.modules\n")
    assert done.returncode == 0 and "libtma:" not in done.stdout, done.stdout


EMULATED = """\
import numpy as np
import triton
import triton.language as tl


@triton.jit
def double(x, n, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(x + at, tl.load(x + at, at < n) * 2, at < n)


@triton.jit
def write_twice(x, VALUE_OF_BLOCK: tl.constexpr):
    tl.store(x, tl.program_id(0) if VALUE_OF_BLOCK else 7)


def test_values():
    a = np.arange(128, dtype=np.float32)
    double[(1,)](a, 60, SIZE=128)
    assert a[59:61].tolist() == [118, 60]


def test_beyond_the_array():
    double[(1,)](np.zeros(16, np.float32), 64, SIZE=128)


def test_the_same_value_by_two_blocks():
    write_twice[(2,)](np.zeros(1, np.int32), VALUE_OF_BLOCK=False)


def test_two_values():
    write_twice[(2,)](np.zeros(1, np.int32), VALUE_OF_BLOCK=True)
"""


def test_compiled_kernels_are_executed(tmp_path):
    done = pytest_of(tmp_path, EMULATED, "--libtma=emulate")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "libtma: Triton's PTX for sm_90a executed" in done.stdout
    assert "3 failed, 1 passed" in done.stdout, done.stdout
    for name, rule in (("beyond_the_array", "out-of-bounds"), ("the_same_value_by_two_blocks", "data-race"),
                       ("two_values", "data-race")):
        assert f"test_{name}" in done.stdout and rule in done.stdout, done.stdout
    assert "libtma: launches: 3 completed, 1 trap; findings: 1 out-of-bounds, 2 data-race" in done.stdout


def test_workers_hand_their_counts_over(tmp_path):
    pytest.importorskip("xdist")
    done = pytest_of(tmp_path, EMULATED, "--libtma=emulate", "-n", "2")
    assert done.returncode == 1 and "3 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    line, = re.findall("^libtma: launches: (.*); findings: (.*)$", done.stdout, re.M)
    assert [set(counts.split(", ")) for counts in line] == [
        {"3 completed", "1 trap"}, {"1 out-of-bounds", "2 data-race"}]


@pytest.mark.parametrize("lost, said", [([], ""), ([None], "; not counted: those of 1 worker that died"),
                                        ([None, None], "; not counted: those of 2 workers that died")])
def test_what_a_dead_worker_counted_is_said_to_lack(lost, said):
    stash, lines = pytest.Stash(), []
    stash[pytest_plugin._EMULATION] = SimpleNamespace(ends={}, found={})
    config = SimpleNamespace(stash=stash)
    for counts in [[{"completed": 2}, {}], [{"completed": 1}, {"data-race": 4}], *lost]:
        node = SimpleNamespace(config=config, **({"workeroutput": {"libtma": counts}} if counts else {}))
        pytest_plugin.pytest_testnodedown(node, None)
    pytest_plugin.pytest_terminal_summary(SimpleNamespace(write_line=lines.append), config)
    assert lines == [f"libtma: launches: 3 completed; findings: 4 data-race{said}"]


def test_an_architecture_that_is_none(tmp_path):
    done = pytest_of(tmp_path, EMULATED, "--libtma=emulate:H200")
    assert done.returncode == 4 and "--libtma=emulate:H200: arch: 'H200'" in done.stderr
