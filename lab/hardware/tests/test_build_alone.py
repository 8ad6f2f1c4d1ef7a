# SPDX-License-Identifier: Apache-2.0
"""kernels/build_alone.sh, for machines without CMake: the command, library and shim that a C compiler makes alone
have what CMake's have."""
import os
import pathlib
import subprocess

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "kernels/build_alone.sh"
QUICKLY = '#!/bin/sh\nexec cc "$@" -O0\n'


def defined(library):
    said = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in said.stdout.splitlines()}


def test_a_compiler_alone_makes_what_cmake_makes(tmp_path):
    quick = tmp_path / "quickly"
    quick.write_text(QUICKLY)
    quick.chmod(0o755)
    done = subprocess.run([SCRIPT, tmp_path / "made"], capture_output=True, text=True, check=False, env=os.environ | {"CC": str(quick)})
    assert done.returncode == 0, done.stderr[-2000:]
    helps = {subprocess.run([tma, "--help"], capture_output=True, text=True, check=True).stdout
             for tma in (tmp_path / "made/tma", os.environ["TMA"])}
    assert len(helps) == 1
    ours, theirs = (defined(path) for path in (tmp_path / "made/libtma-cuda.so", os.environ["SHIM"]))
    assert ours and ours == theirs
