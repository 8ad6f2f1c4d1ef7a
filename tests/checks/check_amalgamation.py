# SPDX-License-Identifier: Apache-2.0
"""check_amalgamation.py SOURCE LIBTMA.A FOLDER: the library in one file compiles without a
warning, by one line, and answers as the library does."""
import pathlib
import re
import subprocess
import sys

from project_tree import ROOT, finish

STRICT = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
          "-Wsign-conversion", "-Werror"]


def output(*command):
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        print(run.stdout + run.stderr)
        finish([f"failed: {' '.join(map(str, command))}"], 1)
    return run.stdout


def main():
    source, archive, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    output(sys.executable, ROOT / "tools/amalgamate.py", folder)
    output("gcc", *STRICT, f"-I{ROOT / 'include/tma'}", source, archive, "-o", folder / "separate")
    expected = output(folder / "separate")
    complaints = []
    for compiler in ("gcc", "clang"):
        program = folder / f"joined_{compiler}"
        output(compiler, *STRICT, f"-I{folder}", folder / "tma.c", source, "-o", program)
        if output(program) != expected:
            complaints.append(f"the amalgamation, with {compiler}, answers otherwise")
    output("g++", "-std=c++17", *STRICT[1:], "-fsyntax-only", "-x", "c++", folder / "tma.h")
    complaints += as_cpp(folder)
    finish(complaints, 4)


def as_cpp(folder):
    """tma.c says itself that it is C, in one line."""
    refused = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-x", "c++", folder / "tma.c"],
                             capture_output=True, text=True)
    errors = re.findall(r"error: (.*)", refused.stderr)
    if refused.returncode and len(errors) == 1 and "tma.c is C" in errors[0]:
        return []
    return [f"tma.c as C++ is not refused in one line:\n{refused.stderr[:600]}"]


main()
