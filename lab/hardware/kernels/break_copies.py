#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""break_copies.py [--on-fault record] [--all KIND] [--workers 4] TMA FOLDER PROGRAM [ARGUMENT...]: on a
Hopper GPU. PROGRAM was built by nvcc with its PTX alone, not compressed and with lines (-lineinfo -gencode
arch=compute_90a,code=compute_90a -no-compress). Each rule that one operand can break is broken in its PTX at
the first, a middle and the last load and store that the program executes (KIND: at every copy), one at a
time, and the program is run through tma run-checked: the words must name that rule and that copy's line.
Unbroken it must run without a word, and so it does where it does not execute the broken copy.
FOLDER/summary.txt has the outcome, FOLDER/output.txt what was printed.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

COPY = re.compile(r"(?P<op>cp\.(?:reduce\.)?async\.bulk\.tensor\S*)\s+(?P<operands>.*);")
TENSOR, SHARED = r"\[(?P<map>[^,\]]*), \{(?P<coords>[^}]*)\}\]", r"\[(?P<shared>[^\]]*)\]"
LOAD = re.compile(rf"{SHARED}, {TENSOR}, \[(?P<barrier>[^\]]*)\](?P<rest>.*)")
STORE = re.compile(rf"{TENSOR}, {SHARED}(?P<rest>.*)")
# The rule that must be named ("map moved": any): the operand, what is added to it, in which copies.
KINDS = {
    "coord-align": ("coord", 1, "load store"),
    "coord-negative": ("coord", -1024, "store"),
    "shared-align": ("shared", 16, "load store"),
    "memory-shared": ("shared", 1 << 18, "store"),
    "barrier-align": ("barrier", 4, "load"),
    "map moved by 16": ("map", 16, "load store"),
    "map moved by 64": ("map", 64, "load store"),
    "multicast-cluster": ("mask", 0x8000, "multicast"),
}


def ptx_of(program):
    """(start, bytes) of the PTX with the most copies."""
    found = [(m.start(), m.group()) for m in re.finditer(rb"\s*\.version [0-9.]+\s[^\0]*", program)]
    if not found:
        sys.exit("the program's PTX is compressed, or it has none: code=compute_90a and -no-compress")
    return max(found, key=lambda at: at[1].count(b"async.bulk.tensor"))


def shorter(line):
    """The same statement with room to spare."""
    return line if '"' in line else line.lstrip("\t").replace(", ", ",")


def moved(operand, by, bits):
    """An operand moved by a number: the statements before, and what stands in its place."""
    if re.fullmatch(r"-?\d+", operand):
        return "", str(int(operand) + by)
    base, _, offset = operand.partition("+")
    if bits == 16:
        return f".reg .b16 %brk;or.b16 %brk,{operand},{by};", "%brk"
    if base.startswith("%"):
        return f".reg .b{bits} %brk;add.s{bits} %brk,{base},{by};", "%brk" + (f"+{offset}" if offset else "")
    return "", f"{base}+{int(offset or 0) + by}"


def broken(line, what, by):
    """A copy's line with one operand moved."""
    m = COPY.search(line)
    store = ".global.shared" in m["op"]
    operands = (STORE if store else LOAD).fullmatch(m["operands"])
    if what == "mask":
        mask = re.search(r"%rs\d+", operands["rest"])
        before, new = moved(mask[0], by, 16)
        text = m["operands"].replace(mask[0], new)
    else:
        part = {"coord": "coords"}.get(what, what)
        start, end = operands.span(part)
        old = operands[part]
        if what == "coord":
            first, comma, others = old.partition(",")
            before, new = moved(first.strip(), by, 32)
            new += comma + others
        else:
            wide = what == "map" or old.startswith("%rd")
            before, new = moved(old, by, 64 if wide else 32)
        text = m["operands"][:start] + new + m["operands"][end:]
    return line[: m.start()] + "{" + before + m["op"] + " " + text + ";}" + line[m.end() :]


class Asked:
    """One program, its copies, and what each must be named by."""

    def __init__(self, a):
        self.a = a
        self.program = pathlib.Path(a.program).read_bytes()
        self.start, ptx = ptx_of(self.program)
        self.length = len(ptx)
        self.lines = ptx.decode().split("\n")
        (a.folder / "program.ptx").write_text("\n".join(self.lines))
        words = [a.tma, "ptx", "--json", a.folder / "program.ptx"]
        told = json.loads(subprocess.run(words, capture_output=True, text=True, check=False).stdout)
        self.copies = [c for c in told["instructions"] if COPY.search(self.lines[c["line"] - 1])]

    def with_line(self, at, line):
        """The program with one line of its PTX changed, no byte longer."""
        lines = [line if i == at else shorter(was) for i, was in enumerate(self.lines)]
        text = "\n".join(lines).encode()
        assert len(text) <= self.length, "no room for the change"
        text += b"\n" * (self.length - len(text))
        return self.program[: self.start] + text + self.program[self.start + self.length :]

    def cases(self):
        for kind, (what, by, which) in KINDS.items():
            for sort in which.split():
                here = [c for c in self.copies if c["op"] == sort or "." + sort in c["text"]]
                if not here or self.a.all not in (None, kind):
                    continue
                if self.a.all:
                    yield from ((kind, what, by, [copy]) for copy in here)
                    continue
                step = max(1, len(here) // 8)
                yield kind, what, by, here[::step]
                yield kind, what, by, here[len(here) // 2 :: step]
                yield kind, what, by, here[::-step]

    def run(self, name, program):
        path = self.a.folder / name
        path.write_bytes(program)
        path.chmod(0o755)
        words = [self.a.tma, "run-checked", f"--on-fault={self.a.on_fault}", path, *self.a.arguments]
        try:
            both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
            told = subprocess.run(words, **both, timeout=120, check=False)
            said, fails = told.stdout.decode(errors="replace"), told.returncode != 0
        except subprocess.TimeoutExpired as late:
            said, fails = (late.stdout or b"").decode(errors="replace") + "\n(ended after 120 s)", True
        path.unlink()
        return said, fails

    def one(self, case):
        """True, what was broken and said; None: the program executes none of the copies."""
        number, (kind, what, by, candidates) = case
        what_said = f"{kind}, {candidates[0]['op']}: "
        for copy in candidates:
            at = copy["line"] - 1
            text = self.with_line(at, broken(self.lines[at], what, by))
            said, fails = self.run(f"broken_{number}", text)
            words = [line for line in said.splitlines() if "libtma: " in line]
            if not words and not fails:
                continue
            source = copy.get("source")
            where = f"{os.path.basename(source['file'])}:{source['line']}:" if source else "line "
            rule = "libtma: " if kind.startswith("map moved") else f"libtma: {kind}: "
            right = bool(words) and all(where in line and rule in line for line in words)
            first = words[0][:200] if words else "NO WORD"
            return right, f"{what_said}line {copy['line']} ({where[:-1]}): {first}", said
        return None, f"{what_said}line {candidates[0]['line']}: not executed", ""


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--on-fault", default="record")
    p.add_argument("--all", choices=KINDS)
    p.add_argument("--workers", type=int, default=4)
    p.add_argument("tma", type=pathlib.Path)
    p.add_argument("folder", type=pathlib.Path)
    p.add_argument("program")
    p.add_argument("arguments", nargs=argparse.REMAINDER)
    a = p.parse_args()
    a.tma, a.folder = a.tma.resolve(), a.folder.resolve()
    a.folder.mkdir(parents=True, exist_ok=True)
    asked = Asked(a)
    cases = list(asked.cases())
    failed = named = 0
    with open(a.folder / "summary.txt", "w") as summary, open(a.folder / "output.txt", "w") as output:

        def say(line):
            print(line, flush=True)
            print(line, file=summary, flush=True)

        said, fails = asked.run("unbroken", asked.with_line(-1, ""))
        output.write(f"--- unbroken\n{said}\n")
        fine = not fails and "libtma: " not in said and " checked, 0 left" in said
        failed += not fine
        say(("ok" if fine else "FAILED") + ": unbroken, no word: " + said.strip().splitlines()[-1][:200])
        with concurrent.futures.ThreadPoolExecutor(a.workers) as pool:
            for right, what, said in pool.map(asked.one, enumerate(cases)):
                failed += right is False
                named += right is True
                say({True: "ok: ", False: "FAILED: ", None: "not asked: "}[right] + what)
                output.write(f"--- {what}\n{said}\n")
        say(f"{len(asked.copies)} copies, {named} named, {failed} failed")
    return 1 if failed or not named else 0


if __name__ == "__main__":
    sys.exit(main())
