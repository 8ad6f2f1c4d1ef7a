#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Instructions of a fixed set of plans and copies, against those of copy_instructions.tsv.

copy_instructions.py COUNT_COPY [--rebase]: runs COUNT_COPY under valgrind. A count may be up to
TOLERANCE above the written one, so that another compiler passes and a regression shows. Exit code
0, 1 if one is more, 77 (skipped) without valgrind.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOLERANCE = 1.15
JUDGE_LIMIT = 120  # tma_plan_at() of a plan made before; of padded types what is written
CALLS = ["tma_plan_make", "judge_alone", "tma_copy"]
EXPECTED = pathlib.Path(__file__).with_suffix(".tsv")


def count(program):
    """{call and copy: instructions}"""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--quiet",
             *(f"--toggle-collect={call}" for call in CALLS), program],
            check=True)
        rows = {}
        for dump in pathlib.Path(folder).iterdir():
            text = dump.read_text()
            trigger = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.M)
            total = re.search(r"^(?:totals|summary): (\d+)", text, re.M)
            if trigger and total:
                rows[trigger[1]] = int(total[1])
        return rows


def main():
    if not shutil.which("valgrind"):
        print("copy_instructions.py: no valgrind", file=sys.stderr)
        return 77
    rows = count(sys.argv[1])
    if "--rebase" in sys.argv[2:]:
        EXPECTED.write_text("".join(f"{name}\t{n}\n" for name, n in sorted(rows.items())))
        return 0
    expected = dict(line.split("\t") for line in EXPECTED.read_text().splitlines())
    if set(expected) != set(rows):
        print("copy_instructions.py: other copies than in the table", file=sys.stderr)
        return 1
    failed = 0
    for name, n in sorted(rows.items()):
        is_judged = name.startswith("judge") and not name.endswith("padded")
        most = JUDGE_LIMIT if is_judged else int(int(expected[name]) * TOLERANCE)
        failed |= n > most
        print(f"{name:36}{n:7} of at most {most}{'  TOO MANY' if n > most else ''}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
