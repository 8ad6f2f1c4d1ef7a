# SPDX-License-Identifier: Apache-2.0
"""Every public header compiles alone, as C11 and as C++17, with gcc and with clang.

cuda_driver.h is left out: it needs NVIDIA's header, and has a test of its own.
"""
import shutil
import subprocess

from project_tree import ROOT, finish

WANTED = [("gcc", "c", "c11"), ("clang", "c", "c11"), ("g++", "c++", "c++17"),
          ("clang++", "c++", "c++17")]
COMPILERS = [how for how in WANTED if shutil.which(how[0])]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def compiles(header, compiler, language, standard):
    command = [compiler, f"-std={standard}", *WARNINGS, f"-I{ROOT / 'include'}", "-fsyntax-only",
               "-x", language, "-"]
    run = subprocess.run(command, input=f'#include "tma/{header}"\ntypedef int not_empty;\n', text=True,
                         capture_output=True)
    return [] if run.returncode == 0 else [f"{header} with {compiler} -std={standard}:\n{run.stderr}"]


def main():
    headers = sorted(p.relative_to(ROOT / "include/tma").as_posix() for p in (ROOT / "include/tma").rglob("*.h")
                     if p.name != "cuda_driver.h")
    for absent in set(WANTED) - set(COMPILERS):
        print(f"not asked: {absent[0]}, which is not here")
    complaints = [c for h in headers for how in COMPILERS for c in compiles(h, *how)]
    finish(complaints, len(headers) * len(COMPILERS))


main()
