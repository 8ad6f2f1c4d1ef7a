# SPDX-License-Identifier: Apache-2.0
"""Which test runs which line of which file, for mutate.py: each test alone, in a build with gcc's --coverage.

A test is one of ctest's, or one golden session. What is known is kept in build-mutate/reach.json: a
test is asked again when its name is new or --again finds it. A file that has changed since keeps the
tests that ran any line of it.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import resource
import subprocess

# What is no program of the tree (Python's package and the page compile it once more), or reads the sources.
ASKED = (r"^(test_|golden|ptx_(files|files_checked|commands|protocol|way|places|machine_code|oracle)$|hang_|protocol_flow$|failures$|failing_(libc|shim)$|promises$|progress$|source_text$|"
         r"draw_cairo$|draw_png$|emulate_(program|nvcc|hostile)$|kernels_|docs|man_pages$|documents$|other_hand$|shim|fuzz_|conformance_|example_|action$|"
         r"check_packaging$)")
SPECS = {"TMA_TEST_SPECS": "20000", "LC_ALL": "C", "PYTEST_ADDOPTS": "-x"} # so many specs as in make check


def counted_at_exit(build):
    """For cmake: a program that ends by _exit() leaves its counts, too. One that a signal ends does not."""
    build.mkdir(exist_ok=True)
    (build / "at_exit.c").write_text(
        "void __gcov_dump(void);\n_Noreturn void __real__exit(int);\n_Noreturn void __wrap__exit(int);\n"
        "void __wrap__exit(int status) {\n    __gcov_dump();\n    __real__exit(status);\n}\n")
    subprocess.run(["cc", "-fPIC", "-c", "at_exit.c"], cwd=build, check=True)
    return [word for kind in ("EXE", "SHARED", "MODULE") for word in
            ("-D", f"CMAKE_{kind}_LINKER_FLAGS=--coverage -Wl,--wrap=_exit {build}/at_exit.o")]


@dataclasses.dataclass
class Test:
    name: str
    targets: list # of ninja, without which it cannot run
    command: list
    seconds: float = 0 # of the processor
    late: bool = False # make check leaves it out (hardware's are quick enough)


def tests(tree, build, without):
    """{name: Test} of a configured build; the golden sessions one by one."""
    said = json.loads(subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True,
                                     text=True, check=True).stdout)["tests"]
    made = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
    made = {line.rpartition(": ")[0] for line in made.splitlines()}
    found = {}
    for test in said:
        name = test["name"]
        if not re.search(ASKED, name) or (without and re.search(without, name)) or "command" not in test:
            continue
        if name in ("golden", "golden_longer"):
            for path in sorted((tree / "tests/golden").glob("*/*.session")):
                found |= session(tree, build, f"{path.parent.name}/{path.stem}")
        else:
            found[name] = Test(name, targets(build, test, made), [
                "ctest", "--test-dir", build, "-R", f"^{name}$", "--timeout", 900, "--no-tests=error", "--output-on-failure"],
                late=late(test))
    return found


def session(tree, build, name):
    command = ["env", f"TMA={build}/tma", tree / "tools/python.sh", "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider",
               "--rootdir", tree / "tests/golden", f"{tree}/tests/golden/test_golden.py::test_goes_as_written[{name}]"]
    return {f"session {name}": Test(f"session {name}", ["tma"], command)}


def joined(batch):
    """Sessions as one call of pytest."""
    sessions = [test for test in batch if test.name.startswith("session ")]
    others = [test for test in batch if test not in sessions]
    if len(sessions) > 1:
        sessions = [Test(" + ".join(t.name for t in sessions), ["tma"],
                         sessions[0].command + [t.command[-1] for t in sessions[1:]], sum(t.seconds for t in sessions))]
    return sessions + others


def late(test):
    """Whether what lives alone is asked of it."""
    labels = {label for p in test["properties"] if p["name"] == "LABELS" for label in p["value"]}
    return "slow" in labels or "longer" in labels and "hardware" not in labels


def targets(build, test, made):
    """What of the build its command and its environment name; everything, where that is a folder, or nothing."""
    properties = {p["name"]: p["value"] for p in test["properties"]}
    words = test["command"] + [e.partition("=")[2] for e in properties.get("ENVIRONMENT", [])]
    named = [w[len(f"{build}/"):] for w in words if w.startswith(f"{build}/")]
    if any((build / n).is_dir() for n in named) or f"{build}" in words:
        return ["all"]
    return [n for n in named if n in made] or ["all"]


def run(test, **environment):
    """Whether it passes, and what it costs of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(list(map(str, test.command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, **SPECS, **environment}, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.returncode == 0 and b"Not Run" not in done.stdout, round(seconds, 2)


def _has_counts(path):
    """Whether a .gcda that is there begins as one of either byte order does."""
    file = pathlib.Path(path)
    return not file.exists() or file.read_bytes()[:4] in (b"adcg", b"gcda")


class Lines:
    """The lines that counts (.gcda) name, remembered by their contents: most of a process's are those of the last."""

    def __init__(self, tree, build, folders):
        self.tree, self.build, self.folders, self.known, self.functions = tree, build, folders, {}, {}

    def counts(self):
        for path in self.build.rglob("*.gcda"):
            source = path.stem.removesuffix(".c")
            folder = path.parent.relative_to(self.build).as_posix()
            # a target's folder, where its objects lie as its sources do; "__" is the one above
            if source and any(folder.startswith(f"{f}/") or re.search(rf"\.dir/(__/)*{f}/", f"{folder}/") for f in self.folders):
                yield path

    def forget(self):
        for path in self.build.rglob("*.gcda"):
            path.unlink()

    def ran(self):
        """{path: lines} since forget()."""
        fresh, keys = [], []
        for path in self.counts():
            data = bytearray(path.read_bytes())
            at = data.find(b"\0\0\0\xa1\x08\0\0\0") # how many processes there were
            data[at + 8:at + 16] = bytes(8)
            key = (str(path), hashlib.sha1(data).digest())
            keys.append(key)
            if key not in self.known:
                fresh.append(key)
        for at in range(0, len(fresh), 100):
            self.ask(fresh[at:at + 100])
        lines = {}
        for key in keys:
            for path, of in self.known[key].items():
                lines.setdefault(path, set()).update(of)
        return lines

    def ask(self, keys):
        """Counts that nobody can read (a test had the process's writes fail) are taken for: every line ran."""
        done = subprocess.run(["gcov", "--json-format", "--stdout", *(k[0] for k in keys)], cwd=self.build,
                              capture_output=True, text=True, errors="replace", check=False)
        answer = done.stdout
        spoiled = done.returncode != 0 or not all(map(_has_counts, (k[0] for k in keys))) # GCC 11's gcov ends well
        if spoiled and len(keys) > 1:
            for key in keys:
                self.ask([key])
            return
        if spoiled:
            pathlib.Path(keys[0][0]).unlink(missing_ok=True)
            answer = subprocess.run(["gcov", "--json-format", "--stdout", keys[0][0]], cwd=self.build,
                                    capture_output=True, text=True, errors="replace", check=True).stdout
        by_name = {k[0]: k for k in keys}
        for found in map(json.loads, answer.splitlines()):
            of = self.known.setdefault(by_name[found["data_file"]], {})
            for file in found["files"]:
                path = (pathlib.Path(found["current_working_directory"]) / file["file"]).resolve()
                if path.suffix != ".c" or not path.is_relative_to(self.tree):
                    continue
                path = path.relative_to(self.tree).as_posix()
                self.functions[path] = [[f["start_line"], f["end_line"]] for f in file["functions"]]
                ran = {line["line_number"] for line in file["lines"] if line["count"] or spoiled}
                if ran:
                    of[path] = sorted(ran)
                self.functions[path].append(sorted({line["line_number"] for line in file["lines"]}))


class Reach:
    """What is known of all tests, and of one line."""

    def __init__(self, tree, build, folders, store):
        self.tree, self.build, self.folders, self.store = tree, build, folders, store
        self.data = {"tests": {}, "files": {}}
        if store.is_file():
            self.data = json.loads(store.read_text())

    def learn(self, asked, plain, again, say):
        """Asks what is not known. One that fails with --coverage counts if it passes in the plain build."""
        lines = Lines(self.tree, self.build, self.folders)
        for number, test in enumerate(asked.values(), 1):
            if test.name in self.data["tests"] and not (again and re.search(again, test.name)):
                continue
            lines.forget()
            passes, seconds = run(test, TMA_TEST_SPECS="5000", PYTEST_ADDOPTS="")
            ran = lines.ran()
            if not passes:
                passes, seconds = run(plain[test.name])
            self.data["tests"][test.name] = {"passes": passes, "seconds": seconds,
                                             "ran": {path: [self.key(path), sorted(of)] for path, of in ran.items()}}
            say(f"{number} of {len(asked)}: {test.name}: {'' if passes else 'FAILS, '}{seconds} s, {len(ran)} files")
            for path, parts in lines.functions.items():
                self.data["files"][path] = {"key": self.key(path), "functions": parts[:-1], "lines": parts[-1]}
            self.store.write_text(json.dumps(self.data))

    def key(self, path):
        return hashlib.sha1((self.tree / path).read_bytes()).hexdigest()

    def timed(self, test):
        return dataclasses.replace(test, seconds=self.data["tests"][test.name]["seconds"])

    def of(self, path, line, asked):
        """The tests that ran the line (or, where gcc counts no line there, its function; or the file). First those that are quick
        and run few files, which are about this one."""
        file = self.data["files"].get(path)
        if not file:
            return []
        key = self.key(path)
        wanted = {line}
        if line not in file["lines"] or file["key"] != key:
            around = [f for f in file["functions"] if f[0] <= line <= f[1]] if file["key"] == key else []
            first, last = around[0] if around else (1, 10**9)
            wanted = {n for n in file["lines"] if first <= n <= last}
        found = []
        for name, of in self.data["tests"].items():
            then, lines = of["ran"].get(path, (None, ()))
            if name in asked and of["passes"] and lines and (then != key or not wanted.isdisjoint(lines)):
                found.append(self.timed(asked[name]))
        return sorted(found, key=lambda test: (test.seconds + 0.1) * len(self.data["tests"][test.name]["ran"]))
