# SPDX-License-Identifier: Apache-2.0
"""tidy_files.py FOLDER JOBS CLANG-TIDY: asks clang-tidy of each file of the libraries, the command and
the shim that the build in FOLDER compiles, once, by the first of its compile commands. What was clean
is remembered by its content: the file, all that it includes, the command, .clang-tidy and the tool, so
that a file is asked again when one of these changed, and nothing else is. ${XDG_CACHE_HOME:-~/.cache}/libtma/tidy
has an empty file for each; what nobody asked for in 30 days goes. The analyzer follows TIDY_NODES steps of
each function, 75,000 unless set: with its own 225,000, which make long asks for, it takes 2.5 times as long.
Exit status 1: something was found."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time

ROOMS = ("src/", "text/", "draw/", "ask/", "ptx/", "emulator/", "cli/", "program/")
KEPT_DAYS = 30
NODES = int(os.environ.get("TIDY_NODES") or 75_000)
DEPTH = [f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang", f"max-nodes={NODES}")]
HERE = pathlib.Path(__file__).resolve().parents[1]


def commands(folder):
    """One compile command for each file, in the order of their names."""
    first = {}
    for entry in json.loads((folder / "compile_commands.json").read_text()):
        name = os.path.relpath(entry["file"], HERE)
        if name.startswith(ROOMS) and "/tests/" not in name:
            first.setdefault(name, entry)
    return dict(sorted(first.items()))


def included(entry):
    """The file and all that it includes, or None where the compiler does not say it."""
    words = shlex.split(entry["command"])
    if "-o" in words:
        at = words.index("-o")
        del words[at:at + 2]
    rule = subprocess.run([*words, "-M"], cwd=entry["directory"], capture_output=True, text=True, check=False)
    if rule.returncode:
        return None
    return sorted(set(shlex.split(rule.stdout.replace("\\\n", " "))[1:]))


def key(entry, same):
    """What the answer hangs on; `same` is what all files share."""
    files = included(entry)
    if files is None:
        return None
    total = hashlib.sha256(same)
    total.update(entry["command"].replace(str(HERE), ".").encode())
    for name in files:
        path = pathlib.Path(entry["directory"], name)
        place = path.relative_to(HERE) if path.is_relative_to(HERE) else path
        total.update(b"%s\0%s" % (str(place).encode(), hashlib.sha256(path.read_bytes()).digest()))
    return total.hexdigest()


def tool_bytes(tool):
    """The tool by its words and its file, and its settings."""
    version = subprocess.run([tool, "--version"], capture_output=True, check=True).stdout
    state = pathlib.Path(tool).resolve().stat()
    return b"%s\0%d %d %d\0%s" % (version, state.st_size, state.st_mtime_ns, NODES, (HERE / ".clang-tidy").read_bytes())


def remembered(cache):
    """The folder, without what is old, or None where nothing can be kept."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        for old in cache.iterdir():
            if time.time() - old.stat().st_mtime > KEPT_DAYS * 86400:
                old.unlink(missing_ok=True)
    except OSError:
        return None
    return cache


def ask(tool, once, name, entry, same, cache):
    """Whether it is clean, whether the tool was asked, and what the tool said."""
    asked = cache and key(entry, same)
    mark = cache / asked if asked else None
    if mark and mark.exists():
        os.utime(mark)
        return True, False, ""
    done = subprocess.run([tool, "-p", once, "--quiet", *DEPTH, name], cwd=HERE, capture_output=True, text=True, check=False)
    if done.returncode == 0 and mark:
        mark.touch()
    return done.returncode == 0, True, done.stdout + (done.stderr if done.returncode else "")


def main(folder, jobs, tool):
    cache = remembered(pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "libtma/tidy"))
    asked = bad = 0
    with tempfile.TemporaryDirectory() as once, concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        files = commands(pathlib.Path(folder))
        pathlib.Path(once, "compile_commands.json").write_text(json.dumps(list(files.values())))
        same = tool_bytes(tool)
        for clean, was_asked, said in pool.map(lambda f: ask(tool, once, f[0], f[1], same, cache), files.items()):
            print(said, end="", flush=True)
            asked += was_asked
            bad += not clean
    print(f"tidy: {len(files)} files, {asked} asked, the others clean before; {bad} with findings")
    if not files:
        print("tidy: the build compiles none of these files", file=sys.stderr)
    return int(bad != 0 or not files)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
