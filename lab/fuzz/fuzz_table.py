#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fuzz_table.py [--add FOLDER | --add-counts FILE | --check]: docs/evidence/fuzzing.md, how many inputs each fuzzer ran on which
commit. --add takes libFuzzer's logs (fuzz_NAME.log) of FOLDER, --add-counts lines `fuzz_NAME INPUTS SECONDS STATUS`; both
add to the rows of HEAD. The sums are made anew; --check says whether they are right."""
import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/evidence/fuzzing.md"
ROW = re.compile(r"\| (fuzz_\w+) \| ([0-9a-f]+) \| ([\d,]+) \| ([\d,]+) \| (\d+) \|")
SUM_HEAD = "| fuzzer | inputs | share | hours | findings | an hour |\n| --- | --- | --- | --- | --- | --- |\n"


def number(text):
    return int(text.replace(",", ""))


def read(text):
    return {(m[1], m[2]): [number(m[3]), number(m[4]), int(m[5])] for m in ROW.finditer(text)}


def sums(rows):
    by_name = {}
    for (name, _), counted in rows.items():
        by_name[name] = [a + b for a, b in zip(by_name.get(name, (0, 0, 0)), counted)]
    every = [sum(column) for column in zip(*by_name.values())]

    def line(name, inputs, seconds, findings, share):
        return f"| {name} | {inputs:,} | {share} | {seconds / 3600:.2f} | {findings} | {3600 * findings / seconds:.1f} |"

    lines = [line(name, *n, f"{100 * n[0] / every[0]:.1f} %") for name, n in sorted(by_name.items())]
    return SUM_HEAD + "\n".join([*lines, line("all", *every, "")]) + "\n"


def written(text, rows):
    """The text with the rows and their sums in the places of the old ones."""
    before, _, behind = text.partition("| fuzzer | commit |")
    _, _, rest = behind.partition("\n\n")
    middle, _, _ = rest.partition(SUM_HEAD)
    head = "| fuzzer | commit | inputs | seconds | ended by a finding |\n| --- | --- | --- | --- | --- |\n"
    lines = [f"| {name} | {commit} | {a:,} | {b:,} | {c} |" for (name, commit), (a, b, c) in sorted(rows.items())]
    return before + head + "\n".join(lines) + "\n\n" + middle + sums(rows)


def logs(folder):
    for log in sorted(pathlib.Path(folder).glob("fuzz_*.log")):
        text = log.read_text(errors="replace")
        found = re.search(r"^Done (\d+) runs in (\d+) second", text, re.M)
        executed = re.search(r"^stat::number_of_executed_units: *(\d+)", text, re.M)
        if found or executed:
            yield log.stem, int((executed or found)[1]), int(found[2]) if found else 0, 0 if found else 1


def counts(file):
    for line in pathlib.Path(file).read_text().splitlines():
        name, inputs, seconds, status = line.split()
        yield name, int(inputs), int(seconds), int(status != "0")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--add")
    parser.add_argument("--add-counts")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    text = TABLE.read_text()
    rows = read(text)
    if args.check:
        sys.exit(None if written(text, rows) == text else f"{TABLE}: its sums are not those of its rows: {__file__}")
    commit = subprocess.run(["git", "rev-parse", "--short=7", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.strip()
    for name, inputs, seconds, bad in (logs(args.add) if args.add else counts(args.add_counts) if args.add_counts else []):
        row = rows.setdefault((name, commit), [0, 0, 0])
        rows[(name, commit)] = [row[0] + inputs, row[1] + seconds, row[2] + bad]
    TABLE.write_text(written(text, rows))


if __name__ == "__main__":
    main()
