# SPDX-License-Identifier: Apache-2.0
"""tma ptxas and tma run-checked as commands: which files of a line are rewritten and which ptxas is called, what
a program finds in its environment, what is said of the notes and records that it leaves."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from test_ptx_checked import CASES, TMA, kernel

SET_BY_OTHERS = ("TMA_PTXAS", "TRITON", "NVCC_PREPEND", "LD_PRELOAD", "LIBTMA", "CUPY", "TORCH", "TILELANG",
                 "FLASHINFER", "DG_JIT", "TMPDIR")
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(SET_BY_OTHERS)}
# With a block size, so that ptxas is called once.
COPY = kernel(CASES["a register"]).replace("\n{\n", "\n.maxntid 128\n{\n", 1)
FAKE = """#!/bin/sh
# takes the place of ptxas: notes its name, its arguments and the PTX files among them
echo "$0" >>"$LOG.names"
printf '%s\\n' "$@" >"$LOG.arguments"
n=0
for a in "$@"; do
    case $a in *.ptx) if [ -f "$a" ]; then cp -- "$a" "$LOG.$n"; n=$((n + 1)); fi ;; esac
done
[ -z "$WARN" ] || printf '%s' "$WARN" >&2
if [ -n "$REFUSE" ]; then # what has checks
    for a in "$@"; do
        case $a in *.ptx) if grep -q libtma_checker_ "$a"; then printf "$REFUSE\n" "$a" >&2; exit 255; fi ;; esac
    done
fi
[ -z "$END" ] || kill -s "$END" $$
exit ${STATUS:-0}
"""


class Place:
    """A folder with programs called ptxas, and what they were called with."""

    def __init__(self, folder):
        self.folder, self.tmp = folder, folder / "tmp"
        self.tmp.mkdir()
        self.log = folder / "log"

    def fake(self, name="real/ptxas"):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(FAKE)
        path.chmod(0o755)
        return path

    def source(self, name, text=COPY):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def run(self, *words, path=None, **environment):
        (self.folder / "log.arguments").unlink(missing_ok=True)
        settings = {**CLEAN, "LOG": str(self.log), "TMPDIR": str(self.tmp), **environment}
        settings["PATH"] = path or CLEAN["PATH"]
        return subprocess.run([str(w) for w in words], capture_output=True, text=True, cwd=self.folder, check=False,
                              env={k: str(v) for k, v in settings.items() if v is not None})

    def ptxas(self, *words, **more):
        return self.run(TMA, "ptxas", *words, **more)

    def arguments(self):
        return (self.folder / "log.arguments").read_text().splitlines()

    def called(self):
        names = self.folder / "log.names"
        found = names.read_text().splitlines() if names.exists() else []
        names.unlink(missing_ok=True)
        return [os.path.relpath(n, self.folder) for n in found]

    def got(self, n):
        return (self.folder / f"log.{n}").read_text()


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


# ---- which arguments are files to rewrite ----

@pytest.mark.parametrize("words, rewritten", [
    (["a.ptx"], [0]), (["-arch=sm_90a", "a.ptx"], [1]), (["a.ptx", "-o", "b.ptx"], [0]),
    (["-o", "b.ptx", "a.ptx"], [2]), (["--output-file", "b.ptx", "a.ptx"], [2]),
    (["a.ptx", "--output-file", "b.ptx"], [0]), (["b.ptx", "a.ptx"], [0, 1]), (["-a.ptx"], []), (["a.ptxx"], []),
    (["a.pt"], []), ([".ptx"], [0]), (["ptx"], []), (["-v", "-o", "b.ptx", "-O3"], []),
    (["-o", "-o", "b.ptx"], []), (["--output", "b.ptx"], [1]), (["nosuch.ptx", "a.ptx"], [1]), ([], [])])
def test_which_files_are_rewritten(words, rewritten, place):
    fake = place.fake()
    for name in ("a.ptx", "b.ptx", "-a.ptx", "a.ptxx", "a.pt", ".ptx", "ptx"):
        place.source(name)
    done = place.ptxas(f"--real={fake}", "--notes=notes", *words)
    unread = "tma ptxas: not checked: cannot open 'nosuch.ptx': No such file or directory\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, "", unread if "nosuch.ptx" in words else "")
    now = place.arguments() if words else []
    assert len(now) == len(words)
    for i, (before, after) in enumerate(zip(words, now)):
        if i in rewritten:
            folder, name = os.path.split(after)
            assert name == before and os.path.dirname(folder) == str(place.tmp)
            assert os.path.basename(folder).startswith("tma-ptxas-")
        else:
            assert after == before
    assert not list(place.tmp.iterdir())
    notes = (place.folder / "notes").read_text()
    assert notes.endswith(f"total {len(rewritten)} found {len(rewritten)} checked\n")


def test_each_file_gets_its_own_text_and_the_notes_their_names(place):
    fake, names = place.fake(), ["one/k.ptx", "two.ptx", "plain.ptx"]
    for name, text in zip(names, [COPY, COPY.replace(" k(", " other("), kernel("membar.gl;")]):
        place.source(name, text)
    done = place.ptxas(f"--real={fake}", "--notes=notes", *names)
    assert done.returncode == 0
    assert [os.path.basename(a) for a in place.arguments()] == ["k.ptx", "two.ptx", "plain.ptx"]
    assert place.arguments()[2] == "plain.ptx"
    assert [".entry k(" in place.got(0), ".entry other(" in place.got(1)] == [True, True]
    assert ["libtma_checker_" in place.got(n) for n in range(3)] == [True, True, False]
    notes = (place.folder / "notes").read_text().splitlines()
    assert [line for line in notes if line.startswith("file ")] == [f"file {n}" for n in names]
    assert notes[-1] == "total 2 found 2 checked"
    place.ptxas(f"--real={fake}", "--notes=notes", "two.ptx") # behind what is there
    again = (place.folder / "notes").read_text().splitlines()
    assert again[:len(notes)] == notes and again[len(notes)] == "file two.ptx"
    assert again[-1] == "total 1 found 1 checked"


def test_more_than_64_files(place):
    fake, names = place.fake(), [f"{n}.ptx" for n in range(66)]
    for name in names:
        place.source(name)
    assert place.ptxas(f"--real={fake}", "--notes=notes", *names).returncode == 0
    assert [a == n for a, n in zip(place.arguments(), names)] == [False] * 64 + [True] * 2
    assert (place.folder / "notes").read_text().endswith("\ntotal 64 found 64 checked\n")
    assert place.ptxas(f"--real={fake}", *names, STATUS="9").returncode == 9
    assert place.arguments() == names


def test_where_the_rewritten_text_is_left(place):
    fake, source = place.fake(), place.source("k.ptx")
    place.ptxas(f"--real={fake}", "--keep=kept", source)
    kept = (place.folder / "kept").read_text()
    assert kept == place.got(0) != COPY
    place.ptxas(f"--real={fake}", source, TMA_PTXAS_KEEP="kept too")
    assert (place.folder / "kept too").read_text() == kept
    place.ptxas(f"--real={fake}", "--keep=third", source, TMA_PTXAS_KEEP="never")
    assert (place.folder / "third").exists() and not (place.folder / "never").exists()
    done = place.ptxas(f"--real={fake}", "--keep=no/such/folder", "--notes=notes", source)
    assert done.stderr == "tma ptxas: --keep: cannot write beside 'no/such/folder': No such file or directory\n"
    assert done.returncode == 0 and place.arguments() != [str(source)]  # it has its checks all the same
    assert (place.folder / "notes").read_text().endswith("total 1 found 1 checked\n")
    assert not list(place.tmp.iterdir())


@pytest.mark.parametrize("tmp, where", [("", "/tmp"), (None, "/tmp"), ("other", "other")])
def test_the_folder_for_files_that_come_and_go(tmp, where, place):
    (place.folder / "other").mkdir()
    place.ptxas(f"--real={place.fake()}", place.source("k.ptx"), TMPDIR=tmp)
    assert os.path.dirname(os.path.dirname(place.arguments()[0])) == where
    assert not os.path.exists(os.path.dirname(place.arguments()[0]))


def test_no_folder_for_files_that_come_and_go(place):
    source = place.source("k.ptx")
    done = place.ptxas(f"--real={place.fake()}", "--notes=notes", source, TMPDIR="nosuch")
    assert (done.returncode, place.arguments()) == (0, [str(source)])
    assert done.stderr == (f"tma ptxas: {source} is not checked: cannot write the rewritten file: "
                           "No such file or directory\n")
    assert (place.folder / "notes").read_text().endswith("total 1 found 0 checked\n")


def test_notes_that_cannot_be_written(place):
    fake, source = place.fake(), place.source("k.ptx")
    done = place.ptxas(f"--real={fake}", "--notes=no/such/folder", source)
    assert done.returncode == 0
    assert done.stderr == "tma ptxas: cannot write notes to no/such/folder: No such file or directory\n"
    done = place.ptxas(f"--real={fake}", "--notes=/dev/full", source)
    assert done.stderr == "tma ptxas: cannot write notes to /dev/full: No space left on device\n"
    assert place.ptxas(f"--real={fake}", source).stderr == ""
    for name, value in ("TMA_PTXAS_NOTES", "noted"), ("TMA_PTXAS_NOTES", ""):
        assert place.ptxas(f"--real={fake}", source, **{name: value}).stderr == ""
    assert (place.folder / "noted").read_text().count("total 1") == 1


def test_what_ptxas_says_comes_out_once(place):
    fake, source = place.fake(), place.source("k.ptx")
    for words in ["a warning\n", "x" * 5000 + "\n", "y" * 4096, "no end"]:
        assert place.ptxas(f"--real={fake}", source, WARN=words).stderr == words
        assert place.ptxas(f"--real={fake}", source, WARN=words, STATUS="3").stderr == words
    done = place.ptxas(f"--real={fake}", source, END="KILL")
    assert done.returncode == 128 + signal.SIGKILL


# ---- which ptxas ----

def test_which_ptxas_is_called(place):
    for name in ("path/ptxas", "named", "set/ptxas", "prefix/ptxas", "prefix/ptxas-blackwell", "path/other"):
        place.fake(name)
    source, path = place.source("k.ptx"), f":{place.folder}/nothing:{place.folder}/path:/usr/bin:/bin"
    prefix = place.folder / "prefix/ptxas"
    for words, settings, called in [
            ([], {}, "path/ptxas"), (["--real=named"], {}, None), ([f"--real={place.folder}/named"], {}, "named"),
            (["--real=./named"], {}, "named"), (["--real=other"], {}, "path/other"),
            ([], {"TMA_PTXAS": "set/ptxas"}, "set/ptxas"), ([], {"TMA_PTXAS": ""}, "path/ptxas"),
            (["--real=./named"], {"TMA_PTXAS": "set/ptxas"}, "named"),
            ([prefix], {}, "prefix/ptxas"), ([prefix], {"TMA_PTXAS": "set/ptxas"}, "prefix/ptxas"),
            ([f"{prefix}-blackwell"], {}, "prefix/ptxas-blackwell"), (["--real=./named", prefix], {}, "named"),
            (["--real=./nosuch"], {}, None), ([], {"TMA_PTXAS": "nosuch"}, None)]:
        done = place.ptxas(*words, "-v", source, path=path, **settings)
        assert place.called() == ([called] if called else []), words
        if called:
            assert done.returncode == 0 and place.arguments()[0] == "-v" and len(place.arguments()) == 2
        else:
            assert done.returncode == 127
            assert done.stderr == "tma ptxas: no ptxas: neither --real, $TMA_PTXAS nor $PATH has one\n"


def test_it_does_not_call_itself(place):
    place.fake("second/ptxas")
    first = place.folder / "first"
    first.mkdir()
    (first / "ptxas").symlink_to(os.path.abspath(TMA))
    source = place.source("k.ptx")
    assert place.ptxas(source, path=f"{first}:{place.folder}/second:/usr/bin:/bin").returncode == 0
    assert place.called() == ["second/ptxas"]
    assert place.run(first / "ptxas", source, path=f"{first}:{place.folder}/second:/usr/bin:/bin").returncode == 0
    assert place.called() == ["second/ptxas"]
    assert place.ptxas(source, path=f"{first}").returncode == 127
    assert place.ptxas(f"--real={first}/ptxas", source).returncode == 127


def test_own_options_stand_first(place):
    fake, source = place.fake(), place.source("k.ptx")
    done = place.ptxas(f"--real={fake}", "--on-fault=trap", "-v", "--notes=n", "--keep=k", "--on-fault=what", source)
    assert done.returncode == 0 and place.arguments()[:-1] == ["-v", "--notes=n", "--keep=k", "--on-fault=what"]
    assert "__assertfail" not in place.got(0)
    assert not (place.folder / "n").exists() and not (place.folder / "k").exists()


@pytest.mark.parametrize("words, ours", [(["--version"], True), (["-V"], True), (["-v", "-V"], True),
                                         (["--verbose"], False), (["-v"], False)])
def test_a_version(words, ours, place):
    fake = place.fake()
    line = "checks tensor copies: assert\n"
    done = place.ptxas(f"--real={fake}", "--notes=n", *words)
    assert done.stdout.endswith(line) if ours else done.stdout == ""
    assert (place.folder / "n").exists() != ours and place.arguments() == words
    done = place.ptxas(f"--real={fake}", *words, STATUS="5")
    assert (done.returncode, done.stdout) == (5, "")
    done = place.ptxas(f"--real={fake}", "--hang=3", "--on-fault=skip", *words)
    assert re.fullmatch(r"libtma \S+ checks tensor copies: skip\nlibtma \S+ ends waits of more than 3 s\n" if ours else "", done.stdout)


def test_help(place):
    done = place.ptxas("--help")
    assert done.returncode == 0 and done.stdout.startswith("Usage: tma ptxas [--real=PTXAS]") and done.stderr == ""
    place.ptxas(f"--real={place.fake()}", "--help") # ptxas has one, too
    assert place.arguments() == ["--help"]
    place.ptxas("--help", "-v", TMA_PTXAS=place.fake())
    assert place.arguments() == ["--help", "-v"]


# ---- run-checked ----

SEE = """import json, os, signal, sys
folder = os.path.dirname(os.environ["TRITON_PTXAS_PATH"])
seen = {"environment": dict(os.environ), "folder": folder, "there": sorted(os.listdir(folder)),
        "links": [os.readlink(f"{folder}/{n}") for n in ("ptxas", "ptxas-blackwell", "tma-ptxas")],
        "blocked": [int(s) for s in signal.pthread_sigmask(signal.SIG_BLOCK, [])],
        "usual": signal.getsignal(signal.SIGINT) is signal.default_int_handler and
                 signal.getsignal(signal.SIGQUIT) == signal.SIG_DFL}
json.dump(seen, open(sys.argv[1], "w"))
"""
CACHES = {"TRITON_CACHE_DIR": "triton", "TORCH_EXTENSIONS_DIR": "torch", "TORCHINDUCTOR_CACHE_DIR": "inductor",
          "TILELANG_CACHE_DIR": "tilelang", "FLASHINFER_WORKSPACE_BASE": "flashinfer", "DG_JIT_CACHE_DIR": "deep_gemm",
          "CUPY_CACHE_DIR": "cupy"}


def seen(place, *options, **settings):
    script, out = place.source("see.py", SEE), place.folder / "seen.json"
    out.unlink(missing_ok=True)
    done = place.run(TMA, "run-checked", *options, sys.executable, script, out, **settings)
    assert out.exists(), done.stderr
    assert not list(place.tmp.iterdir())
    return json.loads(out.read_text()), done


def has_shim(place):
    return "no libtma-cuda.so" not in seen(place)[1].stderr


def test_what_a_program_finds(place):
    found, done = seen(place)
    folder, environment = found["folder"], found["environment"]
    assert done.returncode == 3 and os.path.dirname(folder) == str(place.tmp)
    assert os.path.basename(folder).startswith("tma-run-checked-")
    assert [name for name in found["there"] if name != "libtma-cuda.so"] == ["ptxas", "ptxas-blackwell", "tma-ptxas"]
    assert set(found["links"]) == {os.path.realpath(TMA)}
    assert found["blocked"] == [] and found["usual"]
    expected = {"TRITON_PTXAS_PATH": f"{folder}/ptxas", "TRITON_PTXAS_BLACKWELL_PATH": f"{folder}/ptxas-blackwell",
                "TMA_PTXAS_NOTES": f"{folder}/notes", "NVCC_PREPEND_FLAGS": f'--ptxas-prefix="{folder}/tma-ptxas"',
                **{k: f"{folder}/{v}" for k, v in CACHES.items()}}
    assert {k: environment.get(k) for k in expected} == expected
    assert "TMA_PTXAS" not in environment
    found, _ = seen(place, NVCC_PREPEND_FLAGS="-O3 -g")
    assert found["environment"]["NVCC_PREPEND_FLAGS"] == f'-O3 -g --ptxas-prefix="{found["folder"]}/tma-ptxas"'


def test_the_caches_of_a_program(place):
    for option in ("cache", "cache", f"{place.folder}/cache"): # made, found, named whole
        found, done = seen(place, f"--cache={option}")
        expected = {k: f"{place.folder}/cache/{v}" for k, v in CACHES.items()}
        assert {k: found["environment"][k] for k in CACHES} == expected and done.returncode == 0
        assert "nothing was compiled anew: --cache has what earlier runs checked" in done.stderr
    done = place.run(TMA, "run-checked", "--cache=no/such", "true")
    assert (done.returncode, done.stderr) == (127, "tma run-checked: cannot make no/such: No such file or directory\n")
    done = place.run(TMA, "run-checked", "true", TMPDIR="nosuch")
    assert done.returncode == 127
    assert re.fullmatch(f"{SAID}cannot make a folder nosuch/tma-run-checked-......: No such file or directory\n",
                        done.stderr)


@pytest.mark.parametrize("settings, real", [
    ({}, None), ({"TMA_PTXAS": "a"}, "a"), ({"TRITON_PTXAS_BLACKWELL_PATH": "b"}, "b"),
    ({"TRITON_PTXAS_PATH": "c"}, "c"), ({"TMA_PTXAS": "a", "TRITON_PTXAS_PATH": "c"}, "a"),
    ({"TRITON_PTXAS_BLACKWELL_PATH": "b", "TRITON_PTXAS_PATH": "c"}, "b"),
    ({"TMA_PTXAS": "", "TRITON_PTXAS_BLACKWELL_PATH": "", "TRITON_PTXAS_PATH": "c"}, "c")])
def test_the_real_one_is_what_was_named_before(settings, real, place):
    found, _ = seen(place, **settings)
    assert found["environment"].get("TMA_PTXAS") or None == real


def test_what_is_set_for_faults(place):
    names = ["TMA_PTXAS_ON_FAULT", "LIBTMA_CHECK_KERNELS", "LIBTMA_CHECK_NOTES", "CUPY_COMPILE_WITH_PTX", "LIBTMA_MODE"]
    if not has_shim(place):
        found, done = seen(place)
        assert [found["environment"].get(n) for n in names] == ["assert", None, None, None, None]
        for fault in ("record", "skip"):
            done = place.run(TMA, "run-checked", f"--on-fault={fault}", "echo", "ran")
            assert (done.returncode, done.stdout) == (127, "")
            assert "kernels cannot leave records: nothing was run" in done.stderr
        return
    for fault in ("auto", "assert", "trap", "record", "skip"):
        found, _ = seen(place, *[f"--on-fault={fault}"] * (fault != "auto"))
        environment = found["environment"]
        assert [environment.get(n) for n in names] == [fault, fault, f"{found['folder']}/notes", "1", "watch"]
        assert ("LIBTMA_RECORD" in environment) == (fault in ("auto", "record", "skip"))
        assert os.path.basename(environment["LD_PRELOAD"]) == "libtma-cuda.so" and not os.path.exists(
            environment.get("LIBTMA_RECORD", "/nosuch"))
    shim = os.path.join(os.path.dirname(os.path.realpath(TMA)), "libtma-cuda.so")
    if not set(shim) & set(" :"):
        assert environment["LD_PRELOAD"] == shim
        assert seen(place, LD_PRELOAD="")[0]["environment"]["LD_PRELOAD"] == shim
    other = "/lib/x86_64-linux-gnu/libdl.so.2"
    if os.path.exists(other):
        both = seen(place, LD_PRELOAD=other)[0]["environment"]["LD_PRELOAD"].split(":")
        assert both[1:] == [other] and os.path.basename(both[0]) == "libtma-cuda.so"
    assert seen(place, LIBTMA_MODE="stop")[0]["environment"]["LIBTMA_MODE"] == "stop"
    (place.folder / "lib").mkdir()
    (place.folder / "bin").mkdir()
    (place.folder / "bin/tma").write_bytes(open(TMA, "rb").read())
    (place.folder / "bin/tma").chmod(0o755)
    words = [place.folder / "bin/tma", "run-checked", "sh", "-c", "echo $LD_PRELOAD"]
    assert "no libtma-cuda.so that belongs to this program" in place.run(*words).stderr
    for folder in ("lib64", "lib", "bin", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"):
        (place.folder / folder).mkdir(exist_ok=True)
        (place.folder / folder / "libtma-cuda.so").write_bytes(open(shim, "rb").read())
        assert place.run(*words).stdout == f"{place.folder}/{folder}/libtma-cuda.so\n"
        (place.folder / folder / "libtma-cuda.so").unlink()
    # LD_PRELOAD's names end at a blank: there it is a link, for as long as the program runs.
    (place.folder / "of a user").mkdir()
    for file in (TMA, shim):
        shutil.copy(file, place.folder / "of a user")
    words[0] = place.folder / "of a user/tma"
    words[-1] = 'echo "$LD_PRELOAD"; readlink -f "$LD_PRELOAD"; grep -c of.a.user/libtma-cuda.so /proc/self/maps'
    ran = place.run(*words)
    link, itself, mapped = ran.stdout.splitlines()
    assert itself == f"{place.folder}/of a user/libtma-cuda.so" and int(mapped) > 0 and "ld.so" not in ran.stderr
    assert not os.path.exists(link)


SAID = "tma run-checked: "
NOTHING = f"{SAID}nothing was checked: see --help for what is reached\n"


def ran(runs, found, checked, left, loaded=""):
    return f"{SAID}ptxas ran {runs}{loaded}: {found} found, {checked} checked, {left} left\n"


def not_checked(left, found, *reasons):
    return f"{SAID}{left} of {found} not checked: {', '.join(reasons)}\n"


def found(line, place, words, rule):
    return f"{SAID}tma ptx is certain: line {line}, {place}: {words} (tma explain {rule})\n"


def not_certain(rule, n):
    places = "1 place: --notes=FILE has it" if n == 1 else f"{n} places: --notes=FILE has them"
    return f"{SAID}tma ptx is not certain: {rule} may be broken in {places} (tma explain {rule})\n"


@pytest.mark.parametrize("notes, said, status", [
    ("", ran("0 times", "0 bulk copies", 0, 0) + NOTHING, 3),
    ("total 1 found 1 checked\n", ran("1 time", "1 bulk copy", 1, 0), 0),
    ("total 12 found 7 checked\ntotal 30 found 5 checked\n", ran("2 times", "42 bulk copies", 12, 30) +
     not_checked(30, 42, "the notes say no reason (30)"), 0),
    ("total 1 found 0 checked\n", ran("1 time", "1 bulk copy", 0, 1) + not_checked(1, 1, "the notes say no reason (1)") +
     NOTHING, 3),
    ("total 2 found 2 checked", ran("1 time", "2 bulk copies", 2, 0), 0),
    ("image\ntotal 2 found 2 checked\n", ran("0 times", "2 bulk copies", 2, 0, ", the driver's compiler 1 time"), 0),
    ("image\ntotal 2 found 2 checked\ntotal 1 found 1 checked\nimage\ntotal 3 found 2 checked\n",
     ran("1 time", "6 bulk copies", 5, 1, ", the driver's compiler 2 times") + not_checked(1, 6, "the notes say no reason (1)"), 0),
    ("file x\nk: 2 found, 1 checked, 1 left\n  line 7: left: why: cp\ntotal 2 found 1 checked\n",
     f"{SAID}  line 7: left: why: cp\n" + ran("1 time", "2 bulk copies", 1, 1) + not_checked(1, 2, "why (1)"), 0),
    # By reason, the most frequent first: of copies, and of files for those that have none of their own.
    ("file x\nk: 3 found, 1 checked, 2 left\n  line 7, a.cu:1: left: one: @p cp\n  line 9: left: two: cp.x\ntotal 3 found 1 checked\n"
     "file y\n  left: refused: words (line 3, kernel k)\ntotal 5 found 0 checked\nimage\n  line 8: left: two: fabric.y\n"
     "  left: refused: words (line 4)\ntotal 4 found 0 checked\n",
     f"{SAID}  line 7, a.cu:1: left: one: @p cp\n{SAID}  line 9: left: two: cp.x\n"
     f"{SAID}  left: refused: words (line 3, kernel k)\n{SAID}  line 8: left: two: fabric.y\n"
     f"{SAID}  left: refused: words (line 4)\n" +
     ran("2 times", "12 bulk copies", 1, 11, ", the driver's compiler 1 time") +
     not_checked(11, 12, "refused: words (8)", "two (2)", "one (1)"), 0),
    ("".join(f"  line {n}: left: why {n}: cp\n" for n in range(10)) + "total 11 found 1 checked\n",
     "".join(f"{SAID}  line {n}: left: why {n}: cp\n" for n in range(8)) + ran("1 time", "11 bulk copies", 1, 10) +
     not_checked(10, 11, *[f"why {n} (1)" for n in range(8)], "other reasons (2): --notes=FILE has them"), 0),
    ("total 2 lost 1 checked\ntotally\n total 4 found 4 checked\ntotal 3 found 3 checks\nimages\n",
     ran("0 times", "0 bulk copies", 0, 0) + NOTHING, 3),
    ("on a fault: record\ntotal 1 found 1 checked\n", ran("1 time", "1 bulk copy", 1, 0) + SAID +
     "kernels were compiled that leave records, and none was loaded by this program: run alone they end without a "
     "word; tma run-checked has the message\n", 0),
    ("on a fault: skip\ntotal 1 found 1 checked\n", ran("1 time", "1 bulk copy", 1, 0) + SAID +
     "kernels were compiled that leave records, and none was loaded by this program: run alone they end without a "
     "word; tma run-checked has the message\n", 0),
    ("on a fault: assert\non a fault: record \ntotal 1 found 1 checked\n", ran("1 time", "1 bulk copy", 1, 0), 0),
    # What tma ptx found: each kernel and rule once, 8 of them, long ones cut; what the file lacks is no finding of the kernel.
    ("".join(f"  line {n}, kernel k{n % 9}: wait-{n // 9}: words {n}\n".replace(f"-{n // 9}: ", f"-{n // 18}, certain: ") for n in range(19)) +
     "  line 3, kernel k: ptx-unread, certain: nothing\n  line 4, kernel k: Wait, certain: no rule\n"
     " line 5, kernel k: wait, certain: one blank\n  line 6: wait, may: one\n  line 7: wait, may: two, certain: not\n  line 8: wAit, may: no\n"
     "total 1 found 1 checked\n", ran("1 time", "1 bulk copy", 1, 0) +
     "".join(found(n, f"kernel k{n}: wait-0", f"words {n}", "wait-0; 1 more in this kernel") for n in range(8)) +
     "".join(f"{SAID}tma ptx is certain of 1 more: wait-{n}: --notes=FILE has it (tma explain wait-{n})\n" for n in range(2)) + not_certain("wait", 2), 0),
    ("".join(f"  line {n}: wait-{n // 4 or n % 3}, may: words\n  line {n}, kernel k{n}: sure-{n % 2 or n % 4}, certain: words\n" for n in range(16)) + "total 1 found 1 checked\n",
     ran("1 time", "1 bulk copy", 1, 0) + "".join(found(n, f"kernel k{n}: sure-{n % 2 or n % 4}", "words", f"sure-{n % 2 or n % 4}") for n in range(8)) +
     "".join(f"{SAID}tma ptx is certain of {n} more: sure-{rule}: --notes=FILE has them (tma explain sure-{rule})\n" for rule, n in ((1, 4), (0, 2), (2, 2))) +
     "".join(not_certain(f"wait-{rule}", n) for rule, n in ((1, 5), (2, 5), (3, 4), (0, 2))), 0),
    (f"  line 1: wait, certain: {'x' * 600}\n  line 2, kernel k: wait, certain: {'y' * 599}\n  line 3: wait, certain: {'x' * 600}\n"
     f"  line 4, kernel k: wait, certain: {'y' * 599}\n  line 4, kernel k: wait, certain: {'y' * 599}\n  line 5: wait, may: z\n"
     "total 1 found 1 checked\n", ran("1 time", "1 bulk copy", 1, 0) +
     f"{SAID}tma ptx is certain: line 1: wait: {'x' * 600}... (tma explain wait; 1 more in this kernel)\n"
     f"{SAID}tma ptx is certain: line 2, kernel k: wait: {'y' * 599} (tma explain wait; 2 more in this kernel)\n" +
     not_certain("wait", 1), 0)])
def test_what_is_said_of_the_notes(notes, said, status, place):
    words = ["sh", "-c", f'printf %s "$1" >"$TMA_PTXAS_NOTES"; exit ${{2:-0}}', "-", notes]
    done = place.run(TMA, "run-checked", "--on-fault=assert", *words)
    lines = [line for line in done.stderr.splitlines(True) if "no libtma-cuda.so" not in line]
    assert ("".join(lines), done.returncode, done.stdout) == (said, status, "")
    assert place.run(TMA, "run-checked", "--on-fault=assert", *words, "5").returncode == 5
    place.run(TMA, "run-checked", "--notes=copied", "--on-fault=assert", *words, "5")
    assert (place.folder / "copied").read_text() == notes


def test_notes_that_go_nowhere(place):
    write = ["sh", "-c", 'echo "total 1 found 1 checked" >"$TMA_PTXAS_NOTES"']
    done = place.run(TMA, "run-checked", "--notes=no/such/folder", "--on-fault=trap", *write)
    assert done.returncode == 0 and "no/such/folder" in done.stderr.splitlines()[-1]
    place.run(TMA, "run-checked", "--notes=none", "--on-fault=trap", "true")
    assert not (place.folder / "none").exists()


def test_misuse(place):
    for words, said in [
            ([], "no program to run"), (["--"], "no program to run"), (["--notes=x"], "no program to run"),
            (["-x", "true"], "invalid option -- 'x'"), (["--notes", "x"], "no program to run"),
            (["--what", "true"], "unknown option '--what'; tma run-checked --help lists them"),
            (["--on-fault=", "true"], "--on-fault= is none of assert, trap, record, skip, auto"),
            (["--on-fault=asser", "true"], "--on-fault=asser is none of assert, trap, record, skip, auto")]:
        done = place.run(TMA, "run-checked", *words)
        assert (done.returncode, done.stdout, done.stderr.splitlines()[0]) == (2, "", f"{SAID}{said}")
    done = place.run(TMA, "run-checked", "--help")
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("Usage: tma run-checked [OPTION...] PROGRAM")
    place.fake("-name")
    done = place.run(TMA, "run-checked", "--on-fault=trap", "--", "-name", path=f"{place.folder}:/usr/bin:/bin")
    assert done.returncode == 3
    assert place.called() == ["-name"] and place.arguments() == [""]
    place.fake("name")
    place.run(TMA, "run-checked", "--on-fault=trap", "./name", "--notes=x", "--", "--help")
    assert place.arguments() == ["--notes=x", "--", "--help"] and not (place.folder / "x").exists()


@pytest.mark.parametrize("name", ["INT", "QUIT"])
def test_a_signal_of_the_terminal_is_the_programs(name, place):
    done = place.run(TMA, "run-checked", "sh", "-c", f"kill -{name} $PPID; kill -{name} $PPID; exit 4")
    assert done.returncode == 4 and "ptxas ran 0 times" in done.stderr
    done = place.run(TMA, "run-checked", "sh", "-c", f"kill -{name} $$")
    assert done.returncode == 128 + signal.Signals[f"SIG{name}"]


# ---- records ----

LEAVE = """import json, os, struct, sys, time
slots = json.loads(sys.argv[1])
def field(fd, slot, at, value):
    os.pwrite(fd, struct.pack("=I", value), 8192 * slot + at)
fd = os.open(os.environ["LIBTMA_RECORD"], os.O_RDWR)
assert os.fstat(fd).st_size == 64 * 8192 and not os.pread(fd, 64 * 8192, 0).strip(b"\\0")
for slot, values in slots.items():
    slot = int(slot)
    for name, at in (("line", 80), ("skipped", 296), ("modules", 2052), ("told", 2056), ("error", 2060)):
        field(fd, slot, at, values.get(name, 0))
    os.pwrite(fd, values.get("file", "").encode(), 8192 * slot + 460)
    os.pwrite(fd, b"cp.async.bulk.tensor.1d", 8192 * slot + 300)
    field(fd, slot, 4, 0x50800)
    field(fd, slot, 0, values.get("state", 0))
waited = 0
while any(v.get("state") == 2 and not v.get("told") for v in slots.values()) and waited < 1500 and len(sys.argv) > 2:
    time.sleep(0.02)
    waited += 1
    if all(os.pread(fd, 4, 8192 * int(n) + 2056) != bytes(4) for n, v in slots.items() if v.get("state") == 2):
        break
print("later", file=sys.stderr, flush=True)
"""


def left(place, slots, *options, wait=False):
    done = place.run(TMA, "run-checked", *options, sys.executable, place.source("leave.py", LEAVE), json.dumps(slots),
                     *["wait"] * wait)
    assert "later\n" in done.stderr, done.stderr
    return done


SUM = ran("0 times", "0 bulk copies", 0, 0)
HAD = f"{SAID}kernels were loaded that had their checks already\n"


@pytest.mark.parametrize("slots, said, status", [
    ({}, NOTHING, 3), ({0: {"modules": 1}}, HAD, 0), ({63: {"modules": 2}, 5: {"modules": 1}}, HAD, 0),
    ({1: {"skipped": 1, "modules": 1}}, f"{SAID}1 copy was not made; the message is the first one's\n" + HAD, 0),
    ({1: {"skipped": 1}, 63: {"skipped": 2}},
     f"{SAID}3 copies were not made; the message is the first one's\n" + NOTHING, 3),
    ({7: {"state": 1, "modules": 1}},
     f"{SAID}a kernel found a broken rule, and ended before it had said which\n" + HAD, 0),
    ({0: {"error": 801}, 2: {}},
     f"{SAID}the driver takes no memory for kernels' records: error 801 of cuMemHostRegister; with --on-fault=assert "
     "kernels say themselves what is wrong\n" + NOTHING, 3),
    ({0: {"state": 2, "told": 1, "modules": 1}}, HAD, 0)])
def test_what_is_said_of_records(slots, said, status, place):
    if not has_shim(place):
        pytest.skip("no libtma-cuda.so: no records")
    done = left(place, slots)
    assert (done.stderr, done.returncode) == (f"later\n{SUM}{said}", status)


def test_a_record_is_printed_while_the_program_runs(place):
    if not has_shim(place):
        pytest.skip("no libtma-cuda.so: no records")
    slots = {0: {"state": 2, "file": "one.cu", "line": 7},
             63: {"state": 2, "file": "\x1b[2Jtwo.cu", "line": 8, "modules": 1}}
    done = left(place, slots, wait=True)
    before, behind = done.stderr.split("later\n")
    assert before.startswith("one.cu:7: ") and "\n\\x1b[2Jtwo.cu:8: " in before and before.count("libtma: ") == 2
    assert behind == SUM + HAD and "\x1b" not in before and "\n\n" not in before
    done = left(place, slots) # or at its end
    assert done.stderr.replace("later\n", "") == before + behind


def test_where_records_lie(place):
    if not has_shim(place):
        pytest.skip("no libtma-cuda.so: no records")
    found, _ = seen(place)
    name = found["environment"]["LIBTMA_RECORD"]
    assert os.path.basename(name).startswith("tma-faults-")
    assert os.path.dirname(name) in ("/dev/shm", str(place.tmp), "/tmp")
    # one that was named before is another's
    found, _ = seen(place, LIBTMA_RECORD="before")
    assert os.path.basename(found["environment"]["LIBTMA_RECORD"]).startswith("tma-faults-")


def test_no_room_for_records(place):
    if not has_shim(place):
        pytest.skip("no libtma-cuda.so: no records")
    cannot = f"{SAID}cannot make a file for kernels' records in /dev/shm, $TMPDIR or /tmp: File too large\n"
    small = ["sh", "-c", 'trap "" XFSZ; ulimit -f 100; exec "$@"', "-", TMA, "run-checked"]
    done = place.run(*small, "--on-fault=record", "echo", "ran")
    assert (done.returncode, done.stdout) == (127, "")
    assert done.stderr == f"{cannot}{SAID}kernels cannot leave records: nothing was run\n"
    done = place.run(*small, "sh", "-c", "echo $TMA_PTXAS_ON_FAULT $LIBTMA_CHECK_KERNELS $LIBTMA_RECORD")
    assert (done.returncode, done.stdout) == (3, "assert assert\n")
    assert done.stderr.startswith(f"{cannot}{SAID}kernels cannot leave records: --on-fault=assert\n")
    done = place.run(*small, "--on-fault=trap", "echo", "ran")
    assert done.stdout == "ran\n" and "cannot" not in done.stderr
