# SPDX-License-Identifier: Apache-2.0
"""Every python block of docs/python.md and README.md prints the text block behind it."""
import contextlib
import io
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT


@pytest.mark.parametrize("name,blocks", [("docs/python.md", 13), ("README.md", 1)])
def test_blocks(name, blocks):
    text = (ROOT / name).read_text()
    pairs = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", text, re.S | re.M)
    assert len(pairs) == len(re.findall(r"^```python$", text, re.M)) == blocks
    names = {}
    for code, expected in pairs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, name, "exec"), names)
        assert printed.getvalue() == expected


@pytest.mark.parametrize("name", ["docs/python.md", "docs/mma.md", "README.md"])
def test_blocks_have_the_types_that_they_use(name, tmp_path):
    pytest.importorskip("mypy")
    code = re.findall(r"^```python\n(.*?)^```", (ROOT / name).read_text(), re.S | re.M)
    (tmp_path / "blocks.py").write_text("\n".join(code))
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "blocks.py"], cwd=tmp_path,
                          capture_output=True, text=True,
                          env={**os.environ, "MYPYPATH": os.environ.get("PYTHONPATH", "")})
    assert done.returncode == 0, done.stdout + done.stderr
