#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of the host's for each warp instruction that the emulator executes, as callgrind counts them.

emulate_instructions.py COUNT_EMULATE: runs COUNT_EMULATE under valgrind and prints a line for each
kernel. Exit code 0 if all are within the limits, 1 if one is not, 77 (skipped) without valgrind.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# Of 32 lanes each, at most: what was counted (gcc 12.2) with AVX2 and without, and a tenth more.
LIMITS = {
    "arithmetic": (86, 112),
    "arithmetic, with order": (103, 128),
    "loads and stores": (450, 460),
    "loads and stores, with order": (871, 881),
    "divergent branches": (171, 194),
}


def has_avx2():
    cpu = pathlib.Path("/proc/cpuinfo")
    return cpu.exists() and re.search(r"^flags.*\bavx2\b", cpu.read_text(), re.M) is not None


def count(program):
    """[(kernel, host's instructions, warp instructions)] in the order of the program."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        said = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet",
             "--collect-atstart=no", program],
            check=True, stdout=subprocess.PIPE, text=True).stdout
        warps = dict(line.split("\t") for line in said.splitlines())
        rows = []
        for n in range(1, len(warps) + 1):
            text = pathlib.Path(f"{out}.{n}").read_text()
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)[1]
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)[1]
            rows.append((name, int(total), int(warps[name])))
        return rows


def main():
    if not shutil.which("valgrind"):
        print("emulate_instructions.py: no valgrind", file=sys.stderr)
        return 77
    failed = 0
    rows = count(sys.argv[1])
    column = 0 if has_avx2() else 1
    for name, host, warps in rows:
        if not warps:
            print(f"{name}: the kernel did not come to its end")
            failed = 1
            continue
        limit = LIMITS[name][column]
        over = host > limit * warps
        print(f"{name:32}{host / warps:8.1f} of at most {limit}{'  TOO MANY' if over else ''}")
        failed |= over
    return 0 if len(rows) == len(LIMITS) and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
