#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate.py [--count 60] [--seed 1] [--files REGEX] [--only N,N...] [--workers N] [--seconds S] FOLDER...: breaks the
C of src, text, draw, ask, emulator, ptx, cli, program/ptxas, program/run, program/dump, program/runtime, program/shim or
lab/hardware at random places, one at a time, and says which no test notices.

Works in a copy of the tree (build-mutate/tree); nothing here changes. A break ("mutant") is one operator,
number, condition or statement changed; which ones depends on the seed and the folder alone. One that does not
compile, or compiles to the same object at -O2, is not counted. Asked are the tests that ran the broken line
when nothing was broken (mutate_reach.py), quick ones that run few files first, until one fails; a line that none ran is a survivor
at once. What lives is asked at the end of all other tests that ran its line, those too that make check leaves
out (mutate_reach.late) and those that --spend left over. The folders take turns. A process that takes a few times what its test took, or 16 GiB of addresses,
is ended: that is caught, too. At the end each test that caught something runs unbroken, and must pass.

With --workers, N copies of one build are tried at once. Each sees its copy under the same path, in a mount
namespace of its own, which needs root. After --seconds all stop; what was begun and not judged is named.
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

import mutate_reach

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ["src", "text", "draw", "ask", "emulator", "ptx", "cli", "program/ptxas", "program/run", "program/dump", "program/runtime", "program/shim",
           "lab/hardware"]
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


# What a mutant leaves running ends with the namespace of its processes; its shared memory is its own.
ELSEWHERE = ["unshare", "-m", "-p", "-f", "--kill-child", "--mount-proc", "sh", "-c",
             'mount --bind "$1" "$2" && mount -t tmpfs tmpfs /dev/shm && shift 2 && exec "$@"', "-"]


class OutOfTime(Exception):
    """The whole run's time is up."""


class Scratch:
    """A copy of the tree in `home`, which commands see as `tree`."""

    def __init__(self, tree, arguments):
        self.tree = self.home = tree
        self.arguments, self.deadline, self.output = arguments, arguments.deadline, ""

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

    def build(self, folder, flags, *more):
        """A build of all that tests need; a mutant's warnings are no errors."""
        begun = self.call(["cmake", "-S", self.tree, "-B", self.tree / folder, "-G", "Ninja", "-D", "LIBTMA_BUILD_TESTS=ON",
                           "-D", "LIBTMA_BUILD_FUZZERS=ON", "-D", "LIBTMA_BUILD_BENCH=OFF", "-D", "LIBTMA_WERROR=OFF",
                           "-D", "CMAKE_BUILD_TYPE=Mutants", "-D", f"CMAKE_C_FLAGS_MUTANTS={flags}",
                           "-D", f"CMAKE_CXX_FLAGS_MUTANTS={flags}", *more], 3600)
        if begun is None or self.make(["all"], self.arguments.jobs, folder) is None:
            sys.exit(f"{self.output[-3000:]}\nmutate.py: it does not build")

    def copy(self, number):
        other = Scratch(self.tree, self.arguments)
        other.home = self.tree.with_name(f"worker-{number}")
        shutil.rmtree(other.home, ignore_errors=True)
        subprocess.run(["cp", "-a", self.tree, other.home], check=True)
        return other

    def call(self, command, limit, cpu=3600):
        """Output, or None where it fails or takes too long."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise OutOfTime
        there = [] if self.home == self.tree else [*ELSEWHERE, self.home, self.tree]
        carefully = ["sh", "-c", f'ulimit -t {cpu:.0f} && ulimit -v 16777216 && exec "$@"', "-"]
        process = subprocess.Popen(list(map(str, [*there, *carefully, *command])), stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                                   env={**os.environ, **mutate_reach.SPECS}, start_new_session=True)
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

    def make(self, targets, jobs, folder="build"):
        return self.call(["ninja", "-C", self.tree / folder, f"-j{jobs}", *targets], 3600)

    def passes(self, test):
        return self.call(test.command, 120 + 40 * test.seconds, 10 + 4 * test.seconds) is not None

    def objects(self, path):
        return sorted((self.home / "build").rglob(f"{pathlib.Path(path).name}.o"))

    def judge(self, path, tests, spend):
        """('caught', test), ('same', ''), ('broken', '') or ('survived', the names of the tests that were asked)."""
        objects = self.objects(path)
        if not objects:
            return "broken", "not built here"
        clean = [o.read_bytes() for o in objects]
        names = [o.relative_to(self.home / "build") for o in objects]
        if self.make(names, self.arguments.jobs) is None:
            return "broken", ""
        if [o.read_bytes() for o in objects] == clean:
            return "same", ""
        left, spent = list(tests), 0
        while left and spent + left[0].seconds <= spend:
            batch = [left.pop(0)] # as much as has run before, at least a second
            most = min(max(1, spent), spend - spent)
            while left and sum(test.seconds for test in batch) + left[0].seconds < most:
                batch.append(left.pop(0))
            if self.make(sorted({t for test in batch for t in test.targets}), self.arguments.jobs) is None:
                return "caught", "the build"
            for test in mutate_reach.joined(batch):
                if not self.passes(test):
                    return "caught", test.name
            spent += sum(test.seconds for test in batch)
        return "survived", [test.name for test in tests[:len(tests) - len(left)]]

    def judge_text(self, path, broken, whole, tests, spend):
        try:
            (self.home / path).write_text(broken)
            return self.judge(path, tests, spend)
        finally:
            (self.home / path).write_text(whole)
            if names := [o.relative_to(self.home / "build") for o in self.objects(path)]:
                self.make(names, self.arguments.jobs)


class Folder:
    """A folder's mutants, in the order of the seed, and what came of them."""

    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments
        self.whole = {path: (ROOT / path).read_text() for path in sources(name)}
        every = [(path, *place) for path, text in self.whole.items() for place in places(text)]
        random.Random(f"{name} {arguments.seed}").shuffle(every)
        self.rest = [(n, *m) for n, m in enumerate(every) if (not arguments.only or n in arguments.only) and
                     re.search(arguments.files, m[0])][::-1]
        self.count = {"caught": 0, "survived": 0, "same": 0, "broken": 0}
        self.begun, self.living, self.catchers = {}, {}, {}

    def counted(self):
        return self.count["caught"] + self.count["survived"]

    def wants(self):
        return bool(self.rest) and (bool(self.arguments.only) or
                                    self.counted() + len(self.begun) < self.arguments.count)

    def take(self):
        mutant = self.rest.pop()
        self.begun[mutant[0]] = mutant
        return mutant

    def line(self, mutant):
        _, path, begin, _, _ = mutant
        return self.whole[path].count("\n", 0, begin) + 1

    def words(self, mutant):
        _, path, begin, end, new = mutant
        text, line = self.whole[path], self.line(mutant)
        old = text[begin:end].strip() or text[begin:begin + 30].split("\n")[0]
        return f"{path}:{line} '{old}' -> '{new.strip()}'", text.splitlines()[line - 1].strip()

    def try_on(self, scratch, mutant, tests, spend):
        _, path, begin, end, new = mutant
        text = self.whole[path]
        began = time.monotonic()
        verdict, by = scratch.judge_text(path, text[:begin] + new + text[end:], text, tests, spend)
        return verdict, by, time.monotonic() - began

    def note(self, mutant, verdict, by, seconds):
        """The line that says it."""
        self.begun.pop(mutant[0], None)
        before = self.living.pop(mutant[0], None) # asked for the last time
        self.count["survived"] -= before is not None
        self.count[verdict] += 1
        if verdict == "survived":
            self.living[mutant[0]] = mutant, (before[1] if before else []) + by
            by = f"{len(by)} tests that run it"
        if verdict == "caught":
            self.catchers.setdefault(by, []).append(mutant[0])
        return (f"[{self.counted()}/{self.arguments.count}] {mutant[0]}: {self.words(mutant)[0]}: {verdict} {by} "
                f"({seconds:.0f} s)")

    def sum(self):
        yield (f"{self.name}: seed {self.arguments.seed}: {self.count['caught']} of {self.counted()} caught; "
               f"{self.count['same']} of the same code, {self.count['broken']} do not compile")
        for number, (mutant, asked) in sorted(self.living.items()):
            what, line = self.words(mutant)
            done = f"{len(asked)} tests that run it" if asked else "no test runs it"
            yield f"    survived {number}: {what}: {done}\n        {line}"
        for mutant in self.begun.values():
            yield f"    not judged: {mutant[0]}: {self.words(mutant)[0]}"


def say(*words):
    print(*words, flush=True)


class Crowd:
    """Workers that take mutants from the folders in turn."""

    def __init__(self, arguments, reach, tests):
        self.folders = [Folder(name, arguments) for name in arguments.folders]
        self.arguments, self.reach, self.tests = arguments, reach, tests
        self.lock = threading.Lock()
        self.left = []

    def next(self):
        """(folder, mutant, tests), or None at the end."""
        with self.lock:
            wanting = [f for f in self.folders if f.wants()]
            if not wanting:
                return None
            folder = min(wanting, key=lambda f: f.counted() + len(f.begun))
            mutant = folder.take()
            return folder, mutant, [t for t in self.of(folder, mutant) if not t.late]

    def of(self, folder, mutant):
        return self.reach.of(mutant[1], folder.line(mutant), self.tests)

    def work(self, scratch):
        try:
            while job := self.next():
                folder, mutant, tests = job
                found = folder.try_on(scratch, mutant, tests, self.arguments.spend)
                with self.lock:
                    say(folder.note(mutant, *found))
        except (OutOfTime, OSError) as why: # no process or no memory is left: another one took it
            if isinstance(why, OSError):
                say(f"a worker ends: {why}")

    def remember(self):
        """What lives, with the tests that were left for the end."""
        for folder in self.folders:
            for mutant, asked in folder.living.values():
                tests = [t for t in self.of(folder, mutant) if t.name not in asked]
                if tests:
                    self.left.append((folder, mutant, tests))

    def last(self, scratch):
        """What lives is asked of the tests that were left for the end."""
        try:
            while True:
                with self.lock:
                    if not self.left:
                        return
                    folder, mutant, tests = self.left.pop(0)
                found = folder.try_on(scratch, mutant, tests, self.arguments.last)
                with self.lock:
                    say("last", folder.note(mutant, *found))
        except (OutOfTime, OSError):
            say("not every survivor was asked of the last tests")

    def unsound(self, scratch):
        """Tests that caught something, and fail when nothing is broken."""
        scratch.deadline = float("inf")
        scratch.make(["all"], scratch.arguments.jobs)
        catchers = {name for folder in self.folders for name in folder.catchers} - {"the build"}
        found = [name for name in sorted(catchers) if not all(map(scratch.passes, self.named(name)))]
        say(f"unbroken: {len(catchers)} tests that caught something, {len(found)} fail: {' '.join(found)}")
        return found

    def named(self, name):
        """Sessions that ran at once are one name."""
        return [self.reach.timed(self.tests[n]) for n in name.split(" + ")]


def at_once(job, scratches):
    threads = [threading.Thread(target=job, args=(scratch,)) for scratch in scratches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def run(arguments):
    base = Scratch(ROOT / "build-mutate" / "tree", arguments)
    say("building, twice")
    base.fill()
    base.build("build", "-O2 -w")
    base.build("build-reach", "-O0 -w --coverage", *mutate_reach.counted_at_exit(base.tree / "build-reach"))
    tests = mutate_reach.tests(base.tree, base.tree / "build-reach", arguments.without)
    reach = mutate_reach.Reach(base.tree, base.tree / "build-reach", FOLDERS, ROOT / "build-mutate" / "reach.json")
    plain = mutate_reach.tests(base.tree, base.tree / "build", arguments.without)
    reach.learn({n: t for n, t in tests.items() if not t.late}, plain, arguments.again, say)
    base.deadline = arguments.deadline = time.monotonic() + arguments.seconds
    crowd = Crowd(arguments, reach, plain)
    scratches = [base.copy(n) for n in range(arguments.workers)] if arguments.workers > 1 else [base]
    at_once(crowd.work, scratches)
    if any(folder.living for folder in crowd.folders) and arguments.last:
        reach.learn(tests, plain, "", say)
        crowd.remember()
        at_once(crowd.last, scratches)
    unsound = crowd.unsound(base)
    for folder in crowd.folders:
        say("\n".join(folder.sum()))
    if unsound:
        sys.exit("mutate.py: tests fail without a break: what they caught means nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", choices=sorted(FOLDERS), metavar="FOLDER")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="of each build")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=1e9, help="for the mutants")
    parser.add_argument("--spend", type=float, default=1e9, help="on tests of one mutant, seconds of the processor; "
                        "what lives then is asked again at the end")
    parser.add_argument("--last", type=float, default=1e9, help="the same at the end; 0: what lives is not asked again")
    # Sanitizers map more addresses than a process may have here.
    parser.add_argument("--without", default="tsan|_long$", help="tests left out, a regular expression")
    parser.add_argument("--again", default="", metavar="REGEX", help="tests of which it is asked anew what they run")
    parser.add_argument("--files", default="", metavar="REGEX", help="breaks only files whose path it finds")
    parser.add_argument("--only", type=lambda t: set(map(int, t.split(","))), help="numbers of mutants")
    arguments = parser.parse_args()
    say(f"without the tests {arguments.without}")
    arguments.deadline = float("inf")
    run(arguments)


if __name__ == "__main__":
    main()
