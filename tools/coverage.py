#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage.py [--jobs N] [--tests PATTERN] [FOLDER...]: which lines of src (or text, draw, cli, shim) the
tests never reach: builds the tree in build-coverage/ with gcc's --coverage, runs the test programs
(ctest -R PATTERN), and asks gcov. Prints each line that was not reached, and a sum for each folder.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build-coverage"


def must(*command, **how):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **how)
    if done.returncode:
        sys.exit(f"{done.stdout[-3000:]}\ncoverage.py: {command[0]} failed")
    return done.stdout


def measure(arguments):
    must("cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-D", "LIBTMA_BUILD_TESTS=ON", "-D", "LIBTMA_BUILD_FUZZERS=OFF",
         "-D", "LIBTMA_BUILD_BENCH=OFF", "-D", "LIBTMA_WERROR=OFF", "-D", "CMAKE_BUILD_TYPE=Coverage",
         "-D", "CMAKE_C_FLAGS_COVERAGE=-O0 -w --coverage -fprofile-update=atomic")
    must("ninja", "-C", BUILD, f"-j{arguments.jobs}")
    for counts in BUILD.rglob("*.gcda"):
        counts.unlink()
    must("ctest", "--test-dir", BUILD, "-R", arguments.tests, "-E", "tsan|_long$", "-j", arguments.jobs,
         "--no-tests=error", env={**os.environ, "TMA_TEST_SPECS": os.environ.get("TMA_TEST_SPECS", "2000")})


def reached(folder):
    """{file: {line: how often}}"""
    lines = {}
    for counts in sorted(BUILD.rglob("*.gcda")):
        answer = subprocess.run(["gcov", "--json-format", "--stdout", counts], cwd=BUILD, capture_output=True, text=True,
                                check=True).stdout
        for found in map(json.loads, answer.splitlines()):
            for file in found["files"]:
                path = (pathlib.Path(found["current_working_directory"]) / file["file"]).resolve()
                if path.suffix == ".c" and ROOT / folder in path.parents:
                    of = lines.setdefault(path.relative_to(ROOT), {})
                    for line in file["lines"]:
                        of[line["line_number"]] = of.get(line["line_number"], 0) + line["count"]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(":", 1)[0])
    parser.add_argument("folders", nargs="*", default=["src"], metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--tests", default="^test_")
    arguments = parser.parse_args()
    measure(arguments)
    for folder in arguments.folders:
        lines = reached(folder)
        if not lines:
            sys.exit(f"coverage.py: no line of {folder} was measured")
        for path, of in sorted(lines.items()):
            text = (ROOT / path).read_text().splitlines()
            for line in sorted(number for number, count in of.items() if not count):
                print(f"{path}:{line}: {text[line - 1].strip()}")
        every = sum(map(len, lines.values()))
        never = sum(not count for of in lines.values() for count in of.values())
        print(f"{folder}: {every - never} of {every} lines reached, {100 * (every - never) / every:.2f} %")


main()
