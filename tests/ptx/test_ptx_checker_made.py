# SPDX-License-Identifier: Apache-2.0
"""ptx/check/*.inc are what program/kernel/make_checker.py makes of today's core.

A test of its own, in make check: a sentence of a rule that changes is in them, too.
"""
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def test_the_checker_is_what_its_source_makes(tmp_path):
    done = subprocess.run([sys.executable, "-B", str(ROOT / "program/kernel/make_checker.py"), str(tmp_path)],
                          capture_output=True, text=True)
    if done.returncode == 77:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    made = sorted(path.name for path in tmp_path.glob("*.inc"))
    assert made == ["ptx_checker.inc", *(f"ptx_fault_{part}.inc" for part in ("assert", "record", "skip")), "ptx_hang.inc",
                    *(f"ptx_inline_{part}.inc" for part in ("box", "full", "full_tile", "im2col", "leave", "quick"))]
    for name in made:
        assert (tmp_path / name).read_text() == (ROOT / "ptx/check" / name).read_text()
