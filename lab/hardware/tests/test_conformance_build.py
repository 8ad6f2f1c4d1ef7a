# SPDX-License-Identifier: Apache-2.0
"""build.sh, for machines without CMake: each C file compiles by its flags, and what these lack is in a file for the device.
Of nvcc, which compiles those, something that makes empty objects and links stands in."""
import os
import pathlib
import re
import subprocess

HARDWARE = pathlib.Path(__file__).resolve().parents[1]
NVCC = """#!/bin/sh
case " $* " in
*" -c "*) for object; do :; done; exec cc -x c -c /dev/null -o "$object" ;;
esac
for word; do
    shift
    case $word in -gencode*) ;; *) set -- "$@" "$word" ;; esac
done
exec cc -Wl,--warn-unresolved-symbols "$@"
"""


def test_it_builds_without_cmake(tmp_path):
    (tmp_path / "nvcc").write_text(NVCC)
    (tmp_path / "nvcc").chmod(0o755)
    done = subprocess.run([HARDWARE / "build.sh", tmp_path / "tma-conformance", "90a"], capture_output=True, text=True, check=False,
                          env=os.environ | {"LC_ALL": "C", "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr[-2000:]
    lacks = set(re.findall(r"undefined reference to `(\w+)'", done.stderr))
    device = "".join(path.read_text() for path in HARDWARE.glob("*/device*.cu"))
    assert lacks, done.stderr[-2000:]
    assert {name for name in lacks if not re.search(rf"\b{name}\(", device)} == set()
