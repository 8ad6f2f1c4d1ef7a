# SPDX-License-Identifier: Apache-2.0
"""check_cuda_header.py SOURCE LIBTMA.A FOLDER: tma/cuda_driver.h against NVIDIA's own cuda.h, as C11 and
as C++17, with gcc and clang, with include/tma itself on the search path too. Exit code 77 where there
is no cuda.h."""
import os
import pathlib
import shutil
import subprocess
import sys

from project_tree import ROOT, finish

PLACES = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda", "/usr"]
COMPILERS = [("gcc", "c", "c11"), ("clang", "c", "c11"), ("g++", "c++", "c++17"),
             ("clang++", "c++", "c++17")]


def include_folder():
    for place in filter(None, PLACES):
        folder = pathlib.Path(place) / "include"
        if (folder / "cuda.h").exists():
            return folder
    print("no cuda.h in CUDA_HOME, CUDA_PATH, /usr/local/cuda or /usr")
    sys.exit(77)


def main():
    source, archive, folder = sys.argv[1:4]
    cuda = include_folder()
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    complaints = []
    for compiler, language, standard in COMPILERS:
        if not shutil.which(compiler):
            print(f"not asked: {compiler}, which is not here")
            continue
        program = f"{folder}/cuda_header_{compiler}"
        command = [compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                   "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                   f"-I{ROOT / 'include'}", f"-I{ROOT / 'include/tma'}", "-isystem", str(cuda), "-x", language, source,
                   "-x", "none", archive, "-o", program]
        for step in (command, [program]):
            run = subprocess.run(step, capture_output=True, text=True)
            if run.returncode:
                complaints.append(f"{compiler} -std={standard}:\n{run.stdout}{run.stderr}")
                break
    finish(complaints, len(COMPILERS))


main()
