# SPDX-License-Identifier: Apache-2.0
"""check_examples.py LIBTMA.A FOLDER [EMULATOR.A TEXT.A]: every program of examples/ compiles without a warning, as C11
and as C++20, against the library and against the amalgamation, and prints what stands beside it
in NAME.out. REBASE=1 writes those anew."""
import os
import pathlib
import shutil
import subprocess
import sys

from project_tree import ROOT, finish

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
COMPILERS = [("gcc", "c", "c11"), ("clang", "c", "c11"), ("g++", "c++", "c++20"),
             ("clang++", "c++", "c++20")]


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def joined(folder):
    """The amalgamation as an object, its header where <tma/tma.h> finds it."""
    include = folder / "include"
    (include / "tma").mkdir(parents=True, exist_ok=True)
    for command in ([sys.executable, ROOT / "tools/amalgamate.py", include / "tma"],
                    ["gcc", "-std=c11", "-O1", "-c", include / "tma/tma.c", "-o", folder / "tma.o"]):
        rc, out, err = run(*command)
        if rc:
            finish([f"{command}:\n{out}{err}"], 1)
    return include, folder / "tma.o"


def main():
    archive, folder, above = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    include, amalgam = joined(folder)
    sources, complaints, tried = sorted((ROOT / "examples").glob("*.c")), [], 0
    for source in sources:
        wanted = source.with_suffix(".out")
        for compiler, language, standard in COMPILERS:
            if not shutil.which(compiler):
                continue
            ways = ((ROOT / "include", archive), (include, amalgam))
            if "<tma/emulate.h>" in source.read_text():  # a library of its own, which no amalgamation has
                ways = ((ROOT / "include", archive),) if above else ()
            for headers, library in ways:
                tried += 1
                program = folder / source.stem
                rc, out, err = run(compiler, f"-std={standard}", *WARNINGS, f"-I{headers}", "-x", language,
                                   source, "-x", "none", *above, library, "-o", program)
                what = f"{source.name}, {compiler} -std={standard}, {library}"
                if rc:
                    complaints.append(f"{what}:\n{out}{err}")
                    continue
                rc, out, err = run(program)
                if os.environ.get("REBASE"):
                    wanted.write_text(out)
                if rc or out != wanted.read_text():
                    complaints.append(f"{what}: exit {rc}, or other words:\n{out}{err}")
    complaints += [f"{o.name} is of no program" for o in (ROOT / "examples").glob("*.out")
                   if not o.with_suffix(".c").exists()]
    if len(sources) < 8:
        complaints.append(f"{len(sources)} examples: some are gone")
    finish(complaints, tried)


main()
