#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py [--count 60] [--seed 1] [--files REGEX] [--only N,N...] [--workers N] [--seconds S] FOLDER...: breaks the
C of src, text, draw, ask, ptx, args, cli, dump, shim or hardware at random places, one at a time, and says which no test notices.

Works in a copy of the tree (build-mutate/FOLDER), so that several folders can run side by side and
nothing here changes. A break ("mutant") is one operator, number, condition or statement changed; which
ones depends on the seed and the folder alone. One that does not compile, or compiles to the same code,
is not counted. The tests of a folder run in stages, quickest first, until one fails. A process that has
used 100 s of processor time or 16 GiB of addresses is ended: that is caught, too.

With --workers, N copies of one build are tried at once, the folders in turn. Each sees its copy under
the same path, in a mount namespace of its own, which needs root. Each folder's tests also run unbroken
among them, and must pass. After --seconds all stop; what was begun and not judged is named.
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
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Stages: what is built, and which tests (ctest -R) then run. The command's tests need the whole of it.
CORE = [("test_vectors test_plan test_rules", "^test_(vectors|plan|rules)$"),
        ("test_copy_vectors test_probes test_layout test_limits test_replace test_measure test_spec",
         "^test_(copy_vectors|probes|layout|limits|replace|measure|spec)$"),
        ("all", "^(test_|check_(rooms|layout|cuda))"), ("all", "^(fuzz_|documents|docs|ptx_(files|protocol)|golden)")]
STAGES = {
    "src": CORE,
    "text": [("test_said test_text_out test_text_words test_text_garbage test_ptx test_ptx_file "
              "test_ptx_check test_ptx_rows test_ptx_rewrite "
              "test_said_paste test_ptx_values test_paste "
              "test_spec_fill test_dump_cuts test_dump_shapes", "^test_(said|text|ptx|paste|spec_fill|dump)"),
             ("all", "^(test_(vectors|cute_dsl|probes|map_class)|ptx_(files|protocol)|source_text|shim$)"),
             ("all", "^(fuzz_|golden|documents|docs)")],
    "draw": [("test_cells test_draw", "^test_(cells|draw)$"), ("all", "^(golden(_longer)?|fuzz_draw|docs|documents)$")],
    "ask": [("tma test_paste", "^golden"), ("all", "^(test_|docs|documents|fuzz_(ask|page|command))")],
    "ptx": [("test_ptx_values test_ptx_rows test_ptx_rewrite test_rewrite_memory",
             "^test_(ptx_(values|rows|rewrite)|rewrite_memory)$"), ("tma", "^ptx_protocol$"),
            ("tma", "^(ptx_files|golden(_longer)?)$"),
            ("all", "^(documents|docs|shim|fuzz_ptx)")],
    "args": [("tma", "^golden"), ("all", "^(test_args|promises|progress|documents|docs|fuzz_command|failures)")],
    "cli": [("tma", "^golden"), ("tma", "^(failures|promises|hang_[a-z_]+)$"),
            ("all", "^(ptx_(files|protocol)|source_text|draw_cairo|progress|documents|docs|fuzz_(replay|core|ptx_report|command))$")],
    "dump": [("tma", "^hang_"), ("all", "^(golden(_longer)?|fuzz_core)$")],
    "shim": [("all", "^shim")],
    "hardware": [("all", "^conformance_(encode|copies|replace|program|draw|speed|words)"),
                 ("all", "^conformance_features")],
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


CAREFULLY = ["sh", "-c", 'ulimit -t 100 && ulimit -v 16777216 && exec "$@"', "-"]
# What a mutant leaves running ends with the namespace of its processes; its shared memory is its own.
ELSEWHERE = ["unshare", "-m", "-p", "-f", "--kill-child", "--mount-proc", "sh", "-c",
             'mount --bind "$1" "$2" && mount -t tmpfs tmpfs /dev/shm && shift 2 && exec "$@"', "-"]


class OutOfTime(Exception):
    """The whole run's time is up."""


class Scratch:
    """A copy of the tree in `home`, which commands see as `tree`."""

    def __init__(self, tree, arguments):
        self.tree = self.home = tree
        self.arguments, self.deadline = arguments, arguments.deadline

    def fill(self):
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        self.tree.mkdir(parents=True, exist_ok=True)
        for name in filter(None, listed.decode().split("\0")):
            there, here = self.tree / name, ROOT / name
            if here.is_symlink():
                there.parent.mkdir(parents=True, exist_ok=True)
                there.unlink(missing_ok=True)
                there.symlink_to(os.readlink(here))
            elif here.is_file() and (not there.exists() or there.read_bytes() != here.read_bytes()):
                there.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(here, there)
        if not (self.tree / ".git").exists():
            subprocess.run(["git", "init", "-q"], cwd=self.tree, check=True)
            subprocess.run(["git", "add", "-A"], cwd=self.tree, check=True)
        # -O1: the quickest to compile that still warns as it should; a mutant's warnings are no errors.
        if self.call(["cmake", "-S", self.tree, "-B", self.tree / "build", "-G", "Ninja", "-D", "LIBTMA_BUILD_TESTS=ON",
                      "-D", "LIBTMA_BUILD_FUZZERS=ON", "-D", "LIBTMA_BUILD_BENCH=OFF", "-D", "LIBTMA_WERROR=OFF",
                      "-D", "CMAKE_BUILD_TYPE=Mutants", "-D", "CMAKE_C_FLAGS_MUTANTS=-O1 -w",
                      "-D", "CMAKE_CXX_FLAGS_MUTANTS=-O1 -w"], 600) is None:
            sys.exit(f"mutate.py: {self.output}")

    def copy(self, number):
        other = Scratch(self.tree, self.arguments)
        other.home = self.tree.with_name(f"worker-{number}")
        shutil.rmtree(other.home, ignore_errors=True)
        subprocess.run(["cp", "-a", self.tree, other.home], check=True)
        return other

    def call(self, command, limit):
        """Output, or None where it fails or takes too long."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime
        environment = {**os.environ, "TMA_TEST_SPECS": "200000", "LC_ALL": "C", "PYTEST_ADDOPTS": "-x"}
        there = [] if self.home == self.tree else [*ELSEWHERE, self.home, self.tree]
        process = subprocess.Popen(list(map(str, [*there, *CAREFULLY, *command])), stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=environment,
                                   start_new_session=True)
        try:
            output = process.communicate(timeout=min(limit, left))[0].decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.communicate()
            if left < limit:
                raise OutOfTime from None
            output, process.returncode = "a time limit was passed", 1
        self.output = output
        return output if process.returncode == 0 else None

    def make(self, targets, jobs):
        return self.call(["ninja", "-C", self.tree / "build", f"-j{jobs}", *targets.split()], 1800)

    def failing(self, pattern, jobs):
        """The first test that fails, or None."""
        if self.call(["ctest", "--test-dir", self.tree / "build", "-R", pattern, "-E", self.arguments.without,
                      "--stop-on-failure", "--output-on-failure", "-j", jobs, "--timeout", 300, "--no-tests=error"], 1200):
            return None
        found = re.search(r"Test +#\d+: (\w+) [.*]*(?:Failed|Exception|Timeout|SEGFAULT|Subprocess)", self.output)
        return found[1] if found else "a test"

    def unbroken(self, stages, jobs):
        return all(self.make(targets, jobs) is not None and not self.failing(pattern, jobs)
                   for targets, pattern in stages)

    def code(self, path):
        """The object's instructions and constants, to tell a break that changes nothing."""
        objects = list((self.home / "build").rglob(f"{pathlib.Path(path).name}.o"))
        dump = ["objdump", "-d", "-r", "-s", "--no-show-raw-insn"]
        return [subprocess.run([*dump, o], capture_output=True, text=True, check=True).stdout.split("\n", 3)[-1]
                for o in sorted(objects)]

    def judge(self, stages, path, jobs, clean_code):
        """('caught', test), ('same', ''), ('broken', '') or ('survived', '')."""
        for number, (targets, pattern) in enumerate(stages):
            if self.make(targets, jobs) is None:
                return ("broken", "") if number == 0 else ("caught", "the build")
            if number == 0 and self.code(path) == clean_code:
                return "same", ""
            test = self.failing(pattern, jobs)
            if test:
                return "caught", test
        return "survived", ""

    def judge_text(self, stages, path, broken, whole, jobs):
        clean = self.code(path)
        try:
            (self.home / path).write_text(broken)
            return self.judge(stages, path, jobs, clean)
        finally:
            (self.home / path).write_text(whole)
            self.make(stages[0][0], jobs)


class Folder:
    """A folder's mutants, in the order of the seed, and what came of them."""

    def __init__(self, name, arguments):
        self.name, self.stages, self.arguments = name, STAGES[name], arguments
        self.whole = {path: (ROOT / path).read_text() for path in sources(name)}
        every = [(path, *place) for path, text in self.whole.items() for place in places(text)]
        random.Random(f"{name} {arguments.seed}").shuffle(every)
        self.rest = [(n, *m) for n, m in enumerate(every) if (not arguments.only or n in arguments.only) and
                     re.search(arguments.files, m[0])][::-1]
        self.count = {"caught": 0, "survived": 0, "same": 0, "broken": 0}
        self.begun, self.survivors, self.sound = {}, [], None

    def counted(self):
        return self.count["caught"] + self.count["survived"]

    def wants(self):
        return bool(self.rest) and (bool(self.arguments.only) or
                                    self.counted() + len(self.begun) < self.arguments.count)

    def take(self):
        mutant = self.rest.pop()
        self.begun[mutant[0]] = mutant
        return mutant

    def words(self, mutant):
        _, path, begin, end, new = mutant
        text = self.whole[path]
        line = text.count("\n", 0, begin) + 1
        old = text[begin:end].strip() or text[begin:begin + 30].split("\n")[0]
        return f"{path}:{line} '{old}' -> '{new.strip()}'", text.splitlines()[line - 1].strip()

    def try_on(self, scratch, mutant, jobs):
        number, path, begin, end, new = mutant
        text = self.whole[path]
        began = time.monotonic()
        verdict, test = scratch.judge_text(self.stages, path, text[:begin] + new + text[end:], text, jobs)
        return verdict, test, time.monotonic() - began

    def note(self, mutant, verdict, test, seconds):
        """The line that says it."""
        del self.begun[mutant[0]]
        self.count[verdict] += 1
        what, line = self.words(mutant)
        if verdict == "survived":
            self.survivors.append(f"{mutant[0]}: {what}\n        {line}")
        return (f"[{self.counted()}/{self.arguments.count}] {mutant[0]}: {what}: {verdict} {test} "
                f"({seconds:.0f} s)")

    def sum(self):
        yield (f"{self.name}: seed {self.arguments.seed}: {self.count['caught']} of {self.counted()} caught; "
               f"{self.count['same']} of the same code, {self.count['broken']} do not compile")
        if self.sound is not None:
            yield f"    unbroken among them: {self.sound}"
        for survivor in self.survivors:
            yield f"    survived {survivor}"
        for mutant in self.begun.values():
            yield f"    not judged: {mutant[0]}: {self.words(mutant)[0]}"


def say(*words):
    print(*words, flush=True)


def run(name, arguments):
    """One folder, one mutant after the other."""
    folder = Folder(name, arguments)
    scratch = Scratch(ROOT / "build-mutate" / name, arguments)
    say(f"{name}: building, and running the tests unbroken")
    try:
        scratch.fill()
        if not scratch.unbroken(folder.stages, arguments.jobs):
            sys.exit(f"{scratch.output[-3000:]}\nmutate.py: {name}: the tests fail before anything is broken")
        while folder.wants():
            mutant = folder.take()
            say(folder.note(mutant, *folder.try_on(scratch, mutant, arguments.jobs)))
    except OutOfTime:
        pass
    say("\n".join(folder.sum()))


class Crowd:
    """Workers that take mutants from the folders in turn."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.folders = [Folder(name, arguments) for name in arguments.folders]
        self.unbroken = list(self.folders)
        self.lock = threading.Lock()

    def next(self):
        """(folder, mutant); without a mutant its tests run unbroken; None at the end."""
        with self.lock:
            if self.unbroken:
                return self.unbroken.pop(0), None
            wanting = [f for f in self.folders if f.wants()]
            if not wanting:
                return None
            folder = min(wanting, key=lambda f: f.counted() + len(f.begun))
            return folder, folder.take()

    def work(self, scratch):
        try:
            while job := self.next():
                self.do(scratch, *job)
        except (OutOfTime, OSError) as why: # no process or no memory is left: another one took it
            if isinstance(why, OSError):
                say(f"a worker ends: {why}")

    def do(self, scratch, folder, mutant):
        jobs = self.arguments.jobs
        if mutant is None:
            sound = scratch.unbroken(folder.stages, jobs)
            with self.lock:
                folder.sound = "the tests pass" if sound else "THE TESTS FAIL"
                say(f"{folder.name}: unbroken: {folder.sound}", "" if sound else scratch.output[-2000:])
            return
        found = folder.try_on(scratch, mutant, jobs)
        with self.lock:
            say(folder.note(mutant, *found))


def run_crowd(arguments):
    crowd = Crowd(arguments)
    base = Scratch(ROOT / "build-mutate" / "tree", arguments)
    say("building")
    base.fill()
    if base.make("all", os.cpu_count()) is None:
        sys.exit(f"{base.output[-3000:]}\nmutate.py: it does not build")
    say(f"copying, {arguments.workers} times")
    workers = []

    def begin(number):
        crowd.work(base.copy(number))

    for number in range(arguments.workers):
        workers.append(threading.Thread(target=begin, args=(number,)))
        workers[-1].start()
    for worker in workers:
        worker.join()
    for folder in crowd.folders:
        folder.sound = folder.sound or "not done, the time was up"
        say("\n".join(folder.sum()))
    if any(folder.sound != "the tests pass" for folder in crowd.folders):
        sys.exit("mutate.py: a folder's tests fail, or were not done, without a break: its figures mean nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", choices=sorted(STAGES), metavar="FOLDER")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of each worker")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="for the whole of it")
    # Sanitizers map more addresses than CAREFULLY allows: where a cuda.h lies about, check_cuda_header would fail.
    parser.add_argument("--without", default="tsan|_long$|check_cuda_header", help="tests left out, by ctest -E")
    parser.add_argument("--files", default="", metavar="REGEX", help="breaks only files whose path it finds")
    parser.add_argument("--only", type=lambda t: set(map(int, t.split(","))), help="numbers of mutants")
    arguments = parser.parse_args()
    say(f"without the tests {arguments.without}")
    arguments.deadline = time.monotonic() + arguments.seconds
    if arguments.workers > 1:
        run_crowd(arguments)
        return
    for folder in arguments.folders:
        run(folder, arguments)


if __name__ == "__main__":
    main()
