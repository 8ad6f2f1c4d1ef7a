#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py [--count 60] [--seed 1] [--only N,N...] FOLDER...: breaks the C of src, text, draw, cli, shim or
hardware at random places, one at a time, and says which breaks no test notices.

Works in a copy of the tree (build-mutate/FOLDER), so that several folders can run side by side and
nothing here changes. A break ("mutant") is one operator, number, condition or statement changed; which
ones depends on the seed and the folder alone. One that does not compile, or compiles to the same code,
is not counted. The tests of a folder run in stages, quickest first, until one fails.
mutate_tables.py does the same for the tables of facts.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Stages: what is built, and which tests (ctest -R) then run. The command's tests need the whole of it.
CORE = [("test_vectors test_plan test_rules", "^test_(vectors|plan|rules)$"),
        ("test_copy_vectors test_probes test_layout test_limits test_replace test_measure test_spec",
         "^test_(copy_vectors|probes|layout|limits|replace|measure|spec)$"),
        ("all", "^(test_|fuzz_|check_(rooms|layout|cuda)|documents|docs|ptx_files|golden)")]
STAGES = {
    "src": CORE,
    "text": [("test_text_out test_ptx test_ptx_file test_paste test_text_words test_spec_fill test_dump_cuts",
              "^test_(text|ptx|paste|spec_fill|dump)"),
             ("all", "^(test_(vectors|cute_dsl|probes|map_class)|fuzz_|golden|ptx_files|documents|docs|shim$)")],
    "draw": [("test_cells test_draw", "^test_(cells|draw)$"), ("all", "^(golden|fuzz_draw|docs|documents)$")],
    "rewrite": [("tma", "^ptx_files$"), ("all", "^(golden|documents|docs|shim|fuzz_ptx)")],
    "cli": [("tma", "^golden$"), ("all", "^(ptx_files|documents|docs|fuzz_(replay|ptx_report|command))$")],
    "shim": [("all", "^shim")],
    "hardware": [("all", "^conformance_(encode|copies|replace|program|draw|speed)")],
}
TOKEN = re.compile(r'(?P<skip>/\*.*?\*/|//[^\n]*|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
                   r"|(?P<op><<=|>>=|->|\+\+|--|&&|\|\||[<>=!+\-*/%&|^]=|<<|>>|[<>+\-*/%&|^!?])"
                   r"|(?P<number>\b(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b)|(?P<word>[A-Za-z_]\w*)|(?P<other>[^\s\w])",
                   re.S | re.M)
SWAPS = {"<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
         "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["/"], "<<": [">>"],
         ">>": ["<<"], "&": ["|"], "|": ["&"], "^": ["|"], "+=": ["-="], "-=": ["+="], "|=": ["&="],
         "&=": ["|="], "++": ["--"], "--": ["++"], "!": [""]}
UNARY_BEFORE = set("(,=[{?:;&|!<>+-*/%^") | {"return", "case", "sizeof"}


def sources(folder):
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True,
                            check=True).stdout.split()
    return [p for p in listed if p.endswith(".c") and not re.search(r"/(tests|probes|python)/|pretend_", p)]


def places(text):
    """(begin, end, new text) of each break: in bodies of functions and in initialisers."""
    before = ""
    depth = 0
    for m in TOKEN.finditer(text):
        kind, token = m.lastgroup, m[0]
        if kind == "skip":
            continue
        if token in "{}":
            depth += 1 if token == "{" else -1
        if depth > 0:
            if kind == "op" and token in SWAPS and not (token in "&*-+" and (
                    before in UNARY_BEFORE or before[-1:] in UNARY_BEFORE or before == ")" or
                    re.search(r"\b(const|void|struct \w+|\w+_t|char|int|tma_\w+)\s*$", text[:m.start()][-60:]))):
                for new in SWAPS[token]:
                    yield m.start(), m.end(), new
            elif kind == "number":
                digits = re.match(r"0[xX][0-9a-fA-F]+|\d+", token)[0]
                value = int(digits, 8 if re.match(r"0\d", digits) else 0)
                yield m.start(), m.end(), f"{value + 1}{token[len(digits):]}"
                if value:
                    yield m.start(), m.end(), f"{value - 1}{token[len(digits):]}"
        before = token
    for m in re.finditer(r"^ +(?!return|goto|break|case|default|static|const|else|do\b|if|for|while|switch)"
                         r"[\w.\->\[\]()*]+ ?(?:[-+|&^]?=[^=;]|\()[^;{}]*;$", text, re.M):
        if not re.match(r" +[\w*]+ \**\w+(\[.*\])? =", m[0]):
            yield m.start(), m.end(), re.match(r" +", m[0])[0] + ";"
    for m in re.finditer(r"^ +break;$", text, re.M):
        yield m.start(), m.end(), re.sub(r"break;", "__attribute__((fallthrough));", m[0])
    for m in re.finditer(r"\bif \((?!\))", text):
        yield m.end(), m.end(), "0 && "
        yield m.end(), m.end(), "1 || "


class Scratch:
    def __init__(self, folder):
        self.tree = ROOT / "build-mutate" / folder
        self.build = self.tree / "build"
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        self.tree.mkdir(parents=True, exist_ok=True)
        for name in filter(None, listed.decode().split("\0")):
            there, here = self.tree / name, ROOT / name
            if here.is_file() and (not there.exists() or there.read_bytes() != here.read_bytes()):
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(here, there)
        if not (self.tree / ".git").exists():
            subprocess.run(["git", "init", "-q"], cwd=self.tree, check=True)
            subprocess.run(["git", "add", "-A"], cwd=self.tree, check=True)
        # -O1: the quickest to compile that still warns as it should; a mutant's warnings are no errors.
        self.call(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "-D", "LIBTMA_BUILD_TESTS=ON",
                   "-D", "LIBTMA_BUILD_FUZZERS=ON", "-D", "LIBTMA_BUILD_BENCH=OFF", "-D", "LIBTMA_WERROR=OFF",
                   "-D", "CMAKE_BUILD_TYPE=Mutants", "-D", "CMAKE_C_FLAGS_MUTANTS=-O1 -w",
                   "-D", "CMAKE_CXX_FLAGS_MUTANTS=-O1 -w"], 600)

    def call(self, command, limit):
        """Output, or None where it fails or takes too long."""
        environment = {**os.environ, "TMA_TEST_SPECS": "2000", "LC_ALL": "C"}
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   stdin=subprocess.DEVNULL, env=environment, start_new_session=True)
        try:
            output = process.communicate(timeout=limit)[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            output, process.returncode = "a time limit was passed", 1
        self.output = output
        return output if process.returncode == 0 else None

    def make(self, targets, jobs):
        return self.call(["ninja", "-C", self.build, f"-j{jobs}", *targets.split()], 1800)

    def failing(self, pattern, jobs):
        """The first test that fails, or None."""
        if self.call(["ctest", "--test-dir", self.build, "-R", pattern, "-E", "tsan", "--stop-on-failure", "-j", jobs,
                      "--timeout", 300, "--no-tests=error"], 1200):
            return None
        found = re.search(r"Test +#\d+: (\w+) [.*]*(?:Failed|Exception|Timeout|SEGFAULT|Subprocess)", self.output)
        return found[1] if found else "a test"

    def code(self, path):
        """The object's instructions, to tell a break that changes nothing."""
        objects = list(self.build.rglob(f"{pathlib.Path(path).name}.o"))
        return [subprocess.run(["objdump", "-d", "-s", "-j", ".text", "-j", ".rodata", "-j", ".data.rel.ro",
                                "--no-show-raw-insn", o], capture_output=True, text=True).stdout.split("\n", 3)[-1]
                for o in sorted(objects)]


def judge(scratch, stages, path, jobs, clean_code):
    """('caught', test), ('same', ''), ('broken', '') or ('survived', '')."""
    for number, (targets, pattern) in enumerate(stages):
        if scratch.make(targets, jobs) is None:
            return ("broken", "") if number == 0 else ("caught", "the build")
        if number == 0 and scratch.code(path) == clean_code:
            return "same", ""
        test = scratch.failing(pattern, jobs)
        if test:
            return "caught", test
    return "survived", ""


def run(folder, arguments):
    stages = STAGES[folder]
    scratch = Scratch(folder)
    say = lambda *words: print(*words, flush=True)
    say(f"{folder}: building, and running the tests unbroken")
    for targets, pattern in stages:
        if scratch.make(targets, arguments.jobs) is None or scratch.failing(pattern, arguments.jobs):
            say(scratch.output[-3000:])
            sys.exit(f"mutate.py: {folder}: the tests fail before anything is broken")
    whole = {path: (scratch.tree / path).read_text() for path in sources(folder)}
    every = [(path, *place) for path, text in whole.items() for place in places(text)]
    random.Random(f"{folder} {arguments.seed}").shuffle(every)
    count = {"caught": 0, "survived": 0, "same": 0, "broken": 0}
    survivors = []
    for number, (path, begin, end, new) in enumerate(every):
        if arguments.only:
            if number not in arguments.only:
                continue
        elif count["caught"] + count["survived"] >= arguments.count:
            break
        text = whole[path]
        line = text.count("\n", 0, begin) + 1
        old = text[begin:end].strip() or text[begin:begin + 30].split("\n")[0]
        clean = scratch.code(path)
        began = time.monotonic()
        try:
            (scratch.tree / path).write_text(text[:begin] + new + text[end:])
            verdict, test = judge(scratch, stages, path, arguments.jobs, clean)
        finally:
            (scratch.tree / path).write_text(text)
            scratch.make(stages[0][0], arguments.jobs)
        count[verdict] += 1
        what = f"{path}:{line} '{old}' -> '{new.strip()}'"
        counted = count["caught"] + count["survived"]
        say(f"[{counted}/{arguments.count}] {number}: {what}: {verdict} {test} ({time.monotonic() - began:.0f} s)")
        if verdict == "survived":
            survivors.append(f"{number}: {what}\n        {text.splitlines()[line - 1].strip()}")
    say(f"{folder}: seed {arguments.seed}: {count['caught']} of {count['caught'] + count['survived']} caught; "
        f"{count['same']} of the same code, {count['broken']} do not compile")
    for survivor in survivors:
        say(f"    survived {survivor}")
    return len(survivors)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", choices=sorted(STAGES), metavar="FOLDER")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", type=lambda t: set(map(int, t.split(","))), help="numbers of mutants")
    arguments = parser.parse_args()
    for folder in arguments.folders:
        run(folder, arguments)


main()
