# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of this folder under libtma-cuda.so; ctest sets SHIM_BUILD and its like
(CMakeLists.txt)."""
import atexit
import ctypes
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

BUILD = pathlib.Path(os.environ["SHIM_BUILD"])
PROGRAMS = pathlib.Path(os.environ["SHIM_PROGRAMS"])
VECTORS = pathlib.Path(os.environ["SHIM_VECTORS"])
SHIM, RUNTIME = BUILD / "libtma-cuda.so", BUILD / "libtma-cudart.so"
if " " in str(BUILD):  # where LD_PRELOAD's names end
    folder = pathlib.Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    for file in SHIM, RUNTIME:
        (folder / file.name).symlink_to(file)
    SHIM, RUNTIME = folder / SHIM.name, folder / RUNTIME.name
STAND_IN = BUILD / "stand-in"
PRETEND = PROGRAMS / "pretend"
SANITIZED = bool(os.environ.get("SHIM_SANITIZE"))
EMULATOR = os.environ.get("SHIM_EMULATOR", "").split()
ORDER = "<>"[(PROGRAMS / "load_calls").read_bytes()[5] - 1]  # struct's sign of the programs' byte order
native = pytest.mark.skipif(bool(EMULATOR), reason="the programs here are for another processor")
WAYS = ["handle", "default", "lookup", "lookup2", "nested"]
NAMES = ["cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide",
         "cuTensorMapReplaceAddress"]


def has_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
        return True
    except OSError:
        return False


def run(program, *arguments, preload=True, libraries=(), first=None, errors=None, **settings):
    """Runs one of our programs; settings are environment variables. first() is called in its
    process before it starts: a shell would have the shim preloaded too. `errors`: a file for its
    standard error, which takes all at once: who reads a pipe too late on a busy machine loses reports."""
    if program == "shim_vectors" and not (PROGRAMS / program).exists():
        pytest.skip("shim_vectors needs cmocka, zlib and pkg-config")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LIBTMA_", "PRETEND_"))}
    environment.update({k: str(v) for k, v in settings.items()})
    environment["LD_LIBRARY_PATH"] = ":".join(map(str, libraries))
    environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0"
    if preload:
        environment["LD_PRELOAD"] = str(preload if preload is not True else SHIM)
    command = [*EMULATOR, str(PROGRAMS / program), *map(str, arguments)]
    if errors:
        with open(errors, "w", encoding="utf-8") as file:
            done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=file, text=True, timeout=300,
                                  preexec_fn=first, check=False)
        done.stderr = pathlib.Path(errors).read_text()
        return done
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, preexec_fn=first,
                          check=False)


def natural(program="direct_calls", *arguments, **settings):
    """What the program prints before the pretend driver alone."""
    done = run(program, *arguments, preload=None, libraries=[PRETEND], **settings)
    assert done.returncode == 0 and not done.stderr
    return done.stdout


def watched(*arguments, program="direct_calls", **settings):
    return run(program, *arguments, libraries=[PRETEND], **settings)


def reports(stderr):
    """The reports, each a list of lines without their prefix."""
    found = []
    for line in stderr.splitlines():
        assert line.startswith("libtma: "), line
        line = line[len("libtma: "):]
        if not line.startswith("  "):
            found.append([])
        found[-1].append(line)
    return found


def answers(stdout):
    return {line.split()[0]: int(line.split()[1]) for line in stdout.splitlines()}
