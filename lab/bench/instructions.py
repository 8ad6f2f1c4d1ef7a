#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of one encode and one decode, of a matrix descriptor's encode and of a tile held against
its map, as callgrind counts them.

instructions.py COUNT_MAP [--tsv]: runs COUNT_MAP under valgrind and prints a line for each map.
Exit code 0 if all are within the limits, 1 if one is not, 77 (skipped) without valgrind.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

LIMITS = {"encode": 400, "decode": 300, "mma": 60, "compare": 200_000}
BIT21_LIMIT = 450  # Blackwell's maps: bit 21 takes the tensor's size, too


def limit_of(call, name):
    return BIT21_LIMIT if call == "encode" and "sm_1" in name else LIMITS[call]


def count(program):
    """[(call, map, instructions)] in the order of the program."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet",
             "--toggle-collect=tma_encode", "--toggle-collect=tma_decode",
             "--toggle-collect=tma_mma_encode", "--toggle-collect=tma_mma_compare", program],
            check=True)
        rows = []
        for n in range(1, len(list(pathlib.Path(folder).iterdir())) + 1):
            dump = pathlib.Path(f"{out}.{n}")
            text = dump.read_text() if dump.exists() else ""
            trigger = re.search(r"^desc: Trigger: Client Request: (\w+): (.*)$", text, re.M)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
            if trigger and total:
                rows.append((trigger[1], trigger[2], int(total[1])))
        return rows


def main():
    program = sys.argv[1]
    if not shutil.which("valgrind"):
        print("instructions.py: no valgrind", file=sys.stderr)
        return 77
    rows = count(program)
    if len(rows) < 2:
        print("instructions.py: callgrind wrote no counts", file=sys.stderr)
        return 1
    for call, name, n in rows:
        limit = limit_of(call, name)
        if "--tsv" in sys.argv[2:]:
            print(call, name, n, limit, sep="\t")
        else:
            over = "" if n <= limit else "  TOO MANY"
            print(f"{call}  {name:42}{n:5} of at most {limit}{over}")
    return 0 if all(n <= limit_of(call, name) for call, name, n in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
