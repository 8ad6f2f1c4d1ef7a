# SPDX-License-Identifier: Apache-2.0
"""Every python block of docs/python.md and README.md prints the text block behind it."""
import contextlib
import io
import re

import pytest
from conftest import ROOT


@pytest.mark.parametrize("name,blocks", [("docs/python.md", 8), ("README.md", 1)])
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
