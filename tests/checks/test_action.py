# SPDX-License-Identifier: Apache-2.0
"""What docs/ci.md gives to other projects, run: the steps of .github/actions/check by bash with what GitHub's
runner sets, and the oracle test, with an encoder that is right and one that is not. TMA names the
command."""
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ACTION = (ROOT / ".github/actions/check/action.yml").read_text()
BUILD, CHECK = (textwrap.dedent(text) for text in re.findall(r"^      run: \|\n((?:        .*\n)+)", ACTION, re.M))
TMA = os.path.abspath(os.environ["TMA"])
ADD = ROOT / "tests/golden/inputs/emulate_add.ptx"
GOOD = "enc api=tiled dtype=9 rank=2 addr=139637976727552 dim=4096,8192 stride=8192 box=64,128 es=1,1 il=0 sw=3 l2=0 oob=0\n"
REFUSED = GOOD.replace("box=64", "box=128")
SURPRISING = GOOD.replace("stride=8192", "stride=4096")


def bash(script, folder, **environment):
    return subprocess.run(["bash", "-eo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True, timeout=500,
                          env={**os.environ, "GITHUB_ACTION_PATH": str(ROOT / ".github/actions/check"), **environment})


@pytest.mark.parametrize("maps, files, strict, status", [
    ({"a.txt": GOOD, "b.txt": GOOD}, "*.txt", "false", 0),
    ({"a.txt": REFUSED, "b.txt": GOOD}, "*.txt", "false", 1),
    ({"deep/er/a.txt": REFUSED}, "**/*.txt", "false", 1),
    ({"a.txt": SURPRISING}, "a.txt", "false", 0),
    ({"a.txt": SURPRISING}, "a.txt", "true", 1),
    ({"a.txt": GOOD}, "maps/*.txt", "false", 2),
])
def test_the_step_that_checks(tmp_path, maps, files, strict, status):
    for path, text in maps.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    done = bash(CHECK, tmp_path, FILES=files, STRICT=strict, PATH=f"{os.path.dirname(TMA)}:{os.environ['PATH']}")
    assert done.returncode == status, done.stdout + done.stderr
    if status == 2:
        assert "no file matches 'maps/*.txt'" in done.stderr
    else:
        assert done.stdout.count("== ") == len(maps)
        assert ("\n::" in done.stdout) == (status == 1)


def test_the_step_that_builds(tmp_path):
    said = {key: tmp_path / key for key in ("GITHUB_OUTPUT", "GITHUB_PATH")}
    done = bash(BUILD, tmp_path, RUNNER_TEMP=str(tmp_path), **{key: str(path) for key, path in said.items()})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    outputs = dict(line.split("=", 1) for line in said["GITHUB_OUTPUT"].read_text().splitlines())
    assert json.loads(pathlib.Path(outputs["matcher"]).read_text())["problemMatcher"]
    tma = outputs["tma"]
    assert said["GITHUB_PATH"].read_text().strip() == os.path.dirname(tma)
    assert subprocess.check_output([tma, "--version"]) == subprocess.check_output([TMA, "--version"])
    if "BY_HAND" in os.environ:  # a program that calls CUDA's runtime, of the step "tma emulate ./gemm"
        done = subprocess.run([tma, "emulate", os.environ["BY_HAND"], ADD, "add"], capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "tma emulate: 1 launch executed, 0 findings\n")


ENCODER = """import subprocess
def encode(dtype, dim, box, swizzle, address):
    return bytearray(subprocess.check_output([{tma!r}, "encode", "--dtype", dtype, "--dim", "%d,%d" % dim, "--box", "%d,%d" % box,
        "--swizzle", swizzle, "--address", str(address), "--format", "raw"]))
"""


@pytest.mark.parametrize("change, passes", [("", True), (".replace(b'\\x0f', b'\\x07')", False)])
def test_the_oracle(tmp_path, change, passes):
    text = (ROOT / "docs/ci.md").read_text()
    [test] = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    (tmp_path / "test_oracle.py").write_text(test)
    (tmp_path / "myproject.py").write_text(ENCODER.format(tma=TMA).rstrip() + change + "\n")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_oracle.py"], cwd=tmp_path, capture_output=True,
                          text=True, env={**os.environ, "PYTHONPATH": str(tmp_path), "PATH": f"{os.path.dirname(TMA)}:{os.environ['PATH']}"})
    assert done.returncode == (0 if passes else 1), done.stdout + done.stderr
    assert ("2 passed" if passes else "assert own == asked.stdout") in done.stdout
