# SPDX-License-Identifier: Apache-2.0
"""nvcc under tma run-checked, wherever the links that it is to call lie."""
import os
import shutil

import pytest
from test_ptx_commands import TMA, place  # noqa: F401

NVCC = next((p for p in (shutil.which("nvcc"), "/usr/local/cuda/bin/nvcc") if p and os.path.exists(p)), None)
FOLDERS = {"a blank": True, "it's one": True, "two  blanks": True, "d$x": False, 'q"q': False, "b`b": False, "b\\s": False}


@pytest.mark.parametrize("name", FOLDERS)
def test_nvcc_finds_its_prefix_wherever_temporary_files_lie(place, name): # noqa: F811
    """It hands the prefix to a shell; where that would read it otherwise, /tmp is taken."""
    folder = place.folder / name
    folder.mkdir()
    script = 'eval "test -x ${NVCC_PREPEND_FLAGS#--ptxas-prefix=} && echo there"; echo "$TMA_PTXAS_NOTES"'
    there, notes = place.run(TMA, "run-checked", "sh", "-c", script, TMPDIR=folder).stdout.splitlines()
    assert there == "there" and notes.startswith(str(folder) if FOLDERS[name] else "/tmp/tma-run-checked-")
    words = [NVCC, "-arch=sm_90", "-cubin", place.source("kernel.cu", "__global__ void k() {}\n"), "-o"]
    if not NVCC or place.run(*words, "/dev/null", TMPDIR=folder).returncode:
        return # nvcc's own files cannot be there
    done = place.run(TMA, "run-checked", *words, place.folder / "kernel.cubin", TMPDIR=folder)
    assert (place.folder / "kernel.cubin").exists() and "ptxas ran 1 time" in done.stderr, done.stderr
