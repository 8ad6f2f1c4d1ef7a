# SPDX-License-Identifier: Apache-2.0
"""check_judged_once.py TMA: one request is judged once: callgrind counts the calls of what judges
in runs of the command, without its debug information: valgrind 3.19 gives up on clang 14's. Exit code 77:
no valgrind."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SPEC = "--dtype float16 --dim 64,32 --box 64,8 --swizzle 128B"
PACKED = "--dtype 16u4_align16b --dim 256,32 --stride 160 --box 128,8 --swizzle 128B --arch sm_100a"
REFUSED = "--dtype float16 --dim 64,32 --stride 136 --box 64,8"
ONE_COPY = {"tma_plan_make": 1, "tma_plan_at": 1, "tma_plan_report": 1}
ONE_SPEC = {"tma_check_refusals": 1, "tma_check_packed": 1, "tma_check_notes": 1}
RUNS = [
    (f"load {SPEC} --coord 0,4", ONE_COPY),
    (f"load {SPEC} --coord 0,4 --json", ONE_COPY),
    (f"store {SPEC} --coord 0,4", ONE_COPY),
    (f"check {SPEC}", ONE_SPEC),
    (f"check {SPEC} --json", ONE_SPEC),
    (f"check {PACKED}", ONE_SPEC),
    (f"check {REFUSED}", ONE_SPEC),
]
NAME = re.compile(r"^cfn=\((\d+)\)(?: (\S+))?$")


def calls(tma, arguments, folder):
    """{function: how often it was called}"""
    out = pathlib.Path(folder, "out")
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet", tma, *arguments],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    names, counts, called = {}, {}, None
    for line in out.read_text().splitlines():
        if match := re.match(r"^c?fn=\((\d+)\) (\S+)", line):
            names[match[1]] = match[2].split("'")[0]
        if match := NAME.match(line):
            called = names[match[1]]
        elif line.startswith("calls="):
            counts[called] = counts.get(called, 0) + int(line[6:].split()[0])
    return counts


def main():
    if not shutil.which("valgrind"):
        print("check_judged_once.py: no valgrind")
        return 77
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        tma = pathlib.Path(folder, "tma")
        subprocess.run(["strip", "--strip-debug", "-o", tma, sys.argv[1]], check=True)
        for run, expected in RUNS:
            counts = calls(tma, run.split(), folder)
            for name, most in expected.items():
                if counts.get(name, 0) != most:
                    print(f"tma {run}: {name} is called {counts.get(name, 0)} times, not {most}")
                    wrong += 1
    print(f"{len(RUNS)} runs, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
