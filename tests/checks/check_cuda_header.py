# SPDX-License-Identifier: Apache-2.0
"""check_cuda_header.py SOURCE LIBTMA.A FOLDER: tma/cuda_driver.h against NVIDIA's own cuda.h, as C11 and
as C++17, with gcc and clang, with include/tma
itself on the search path too: each cuda.h in CUDA_HOME, CUDA_PATH, /usr/local/cuda*, /usr, the
folders of LIBTMA_CUDA_INCLUDE (with colons between) and Python's site-packages (PyPI
nvidia-cuda-runtime; 13.5 alone has the allocation class). Exit code 77 where there is none."""
import os
import pathlib
import re
import shutil
import site
import subprocess
import sys

from project_tree import ROOT, finish

COMPILERS = [("gcc", "c", "c11"), ("clang", "c", "c11"), ("g++", "c++", "c++17"),
             ("clang++", "c++", "c++17")]


def include_folders():
    """Of each version of cuda.h, the first folder that has it."""
    roots = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr",
             *sorted(pathlib.Path("/usr/local").glob("cuda*"))]
    folders = [pathlib.Path(root) / "include" for root in filter(None, roots)]
    folders += map(pathlib.Path, filter(None, os.environ.get("LIBTMA_CUDA_INCLUDE", "").split(":")))
    for packages in [*site.getsitepackages(), site.getusersitepackages()]:
        folders += pathlib.Path(packages).glob("nvidia/*/include")
    found = {}
    for folder in folders:
        if (folder / "cuda.h").exists():
            text = (folder / "cuda.h").read_text(errors="replace")
            found.setdefault(re.search(r"#define CUDA_VERSION (\d+)", text)[1], folder)
    return found


def complaint(compiler, language, standard, cuda, source, archive, program):
    command = [compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
               "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
               f"-I{ROOT / 'include'}", f"-I{ROOT / 'include/tma'}", "-isystem", str(cuda), "-x", language, source,
               "-x", "none", archive, "-o", program]
    for step in (command, [program]):
        run = subprocess.run(step, capture_output=True, text=True)
        if run.returncode:
            return f"{compiler} -std={standard} with {cuda}:\n{run.stdout}{run.stderr}"
    return None


def main():
    source, archive, folder = sys.argv[1:4]
    found = include_folders()
    if not found:
        print("no cuda.h in CUDA_HOME, CUDA_PATH, /usr/local/cuda*, /usr, LIBTMA_CUDA_INCLUDE or "
              "site-packages")
        sys.exit(77)
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    complaints = []
    for compiler, language, standard in COMPILERS:
        if not shutil.which(compiler):
            print(f"not asked: {compiler}, which is not here")
            continue
        for version, cuda in found.items():
            program = f"{folder}/cuda_header_{compiler}_{version}"
            complaints += filter(None, [complaint(compiler, language, standard, cuda, source,
                                                  archive, program)])
    print("cuda.h of", ", ".join(sorted(found)))
    finish(complaints, len(COMPILERS) * len(found))


main()
