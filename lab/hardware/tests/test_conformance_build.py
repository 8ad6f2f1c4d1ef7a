# SPDX-License-Identifier: Apache-2.0
"""build.sh, for machines without CMake: each C file compiles by its flags, and what these lack is in a file for the device.
Of nvcc, which compiles those, something that makes empty objects and links stands in."""
import os
import pathlib
import re
import subprocess

HARDWARE = pathlib.Path(__file__).resolve().parents[1]
QUICKLY = '#!/bin/sh\nexec cc "$@" -O0\n'  # what is optimised is conformance's own build
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
    for name, script in (("nvcc", NVCC), ("quickly", QUICKLY)):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o755)
    done = subprocess.run([HARDWARE / "build.sh", tmp_path / "tma-conformance", "90a"], capture_output=True, text=True, check=False,
                          env=os.environ | {"LC_ALL": "C", "CC": str(tmp_path / "quickly"), "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr[-2000:]
    lacks = set(re.findall(r"undefined reference to `(\w+)'", done.stderr))
    device = "".join(path.read_text() for path in HARDWARE.glob("*/device*.cu"))
    assert lacks, done.stderr[-2000:]
    assert {name for name in lacks if not re.search(rf"\b{name}\(", device)} == set()
