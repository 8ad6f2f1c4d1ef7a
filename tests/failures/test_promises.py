# SPDX-License-Identifier: Apache-2.0
"""SECURITY.md, line by line, as strace sees it: what each verb starts, opens and writes, and that none uses the network.
A verb without a row here fails. TMA is the command."""
import os
import pathlib
import re
import resource
import shutil
import subprocess

import pytest

TMA = os.environ["TMA"]
ROOT = pathlib.Path(__file__).parents[2]
PTX = ROOT / "tests/ptx/samples/nvcc_90.ptx"
DUMP = ROOT / "tests/vectors/hang/arrival_missing.nvcudmp.gz"
MAP = ["--dtype", "bf16", "--dim", "64,64", "--box", "64,8", "--swizzle", "128B"]
LINE = 1 + next(i for i, line in enumerate(PTX.read_text().splitlines()) if "cp.async.bulk.tensor" in line)
ADD = [ROOT / "tests/golden/inputs/emulate_add.ptx", "--block", "64", "--param", "a=zeros:256", "--param", "b=zeros:256",
       "--param", "n=64"]
BESIDE = ".tma-*"  # each file that an option names: first beside it
PTXAS = {"tmp/tma-ptxas-*", "tmp/tma-ptxas-*/nvcc_90.ptx", "a file without a name"}
CAPTURED = {"tmp/tma-capture-*"}
CHECKED = {"tmp/tma-run-checked-*", "/dev/shm/tma-faults-*"}
ROWS = {  # a verb: rows of words, what it starts, what it makes or writes
    "check": [(MAP, [], set())],
    "encode": [(MAP, [], set())],
    "decode": [(["hex"], [], set())],
    "diff": [(["hex", "hex"], [], set())],
    "find": [(["core"], [], set())],
    "replace": [(["hex", "--field", "box_dim", "--ord", "0", "--value", "32"], [], set())],
    "explain": [(["hang"], [], set()), (["715"], [], set())],
    "list": [(["drivers"], [], set())],
    "plan": [(MAP, [], set())],
    "load": [([*MAP, "--out", "out.npy"], [], {BESIDE}), ([*MAP, "--raw", "out.bin"], [], {BESIDE})],
    "store": [([*MAP, "--out", "out.npy"], [], {BESIDE})],
    "draw": [(["copy", *MAP], [], set()), (["copy", *MAP, "--out", "out.svg"], [], {BESIDE})],
    "replay": [(["lines"], [], set())],
    "ptx": [([PTX], [], set()), (["--mma", PTX], [], set()), (["--why", LINE, PTX], [], set())],
    "mma": [(MAP, [], set())],
    "emulate": [(ADD, [], set()), ([*ADD, "--save", "b=out.bin"], [], {BESIDE}),
                ([*ADD, "--save-launch", "out.launch", "--trace", "out.trace"], [], {BESIDE})],
    "hang": [([DUMP], [], {"tmp/tma-core-*"})],
    "ptxas": [(["--real=./program", PTX], ["program"], PTXAS),
              (["--real=./program", "--hang=2", "--notes=notes", "--keep=kept", PTX], ["program"], PTXAS | {"notes", BESIDE})],
    "run-checked": [(["./program"], ["program"], CHECKED),
                    (["--hang=2", "./program"], ["program"], CHECKED),
                    (["--cache=cache", "./program"], ["program"], CHECKED | {"cache"})],
    "capture": [(["-o", "launches", "./program"], ["program"], CAPTURED | {"launches"}),
                (["-o", "more", "--cache=cache", "./program"], ["program"], CAPTURED | {"more", "cache", "cache/ptx"})],
    "completion": [(["bash"], [], set())],
    "doctor": [(["./program"], ["tma", "program"], CHECKED | {"a file without a name"})],
    "run-hang": [(["./program"], ["program"], {"tmp/tma-hang-*"}),
                 (["--folder=.", "./program"], ["program"], {"tma-hang-*"})],
}
if (pathlib.Path(TMA).parent / "emulated").is_dir():
    ROWS["emulate"].append(([shutil.which("true")], ["true"], {"tmp/tma-emulate-*"}))
NETWORK = re.compile(r"socket|socketpair|connect|bind|listen|accept4?|send(to|m?msg)?|recv(from|m?msg)?|getaddrinfo|gethostby\w+|res_\w+")
CALL = re.compile(r"(\w+)\((.*)\) += (-?\d+)")
NAME = re.compile(r'"((?:[^"\\]|\\.)*)"')
PRIVATE = re.compile(r"tmp/|/dev/shm/|tma-hang-|launches|more|cache/ptx")  # what is said to be of mode 600 or 700
MAKES = {"mkdir", "mkdirat", "creat", "mknod", "mknodat"}
LINKS = {"symlink", "symlinkat", "link", "linkat"}
SYSTEM = re.compile(r"/(proc|sys|lib|lib64|usr/lib|usr/local/lib|usr/local/cuda|dev/null|etc/ld\.so|usr/share/locale)")
OWN = re.compile(r"/libtma[-\w.]*\.so[\d.]*$")


def one_name(path, folder):
    """As SECURITY.md says it: below the folder without it, what is made up as a star."""
    path = path.removeprefix(f"{folder}/").removeprefix("./")
    return re.sub(r"(tma-(?:\w+-)*|tma-)[A-Za-z0-9]{6}(?=/|$)", r"\1*", path)


def whole_calls(log):
    """What two processes do at once comes in pieces."""
    begun = {}
    for line in log.splitlines():
        process, text = line.split(maxsplit=1)
        if text.endswith("<unfinished ...>"):
            begun[process] = text.removesuffix("<unfinished ...>")
            continue
        text = re.sub(r"^<\.\.\. \w+ resumed>", lambda _: begun.pop(process), text)
        if found := CALL.match(text):
            yield found.groups()


def traced(folder, verb, words):
    log = folder / "log"
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("LD_", "TMA_", "LIBTMA_", "TRITON_", "NVCC_"))}
    done = subprocess.run(["strace", "-f", "-qq", "-s", "4096", "-e", "trace=%file,%network,%process,memfd_create", "-o", log,
                           TMA, verb, *map(str, words)], cwd=folder, capture_output=True, timeout=120, check=False,
                          stdin=subprocess.DEVNULL, env=environment | {"TMPDIR": str(folder / "tmp")})
    started, written, read, calls = [], set(), set(), set()
    modes, renamed = {}, set()
    for name, arguments, result in whole_calls(log.read_text()):
        paths = [one_name(p, folder) for p in NAME.findall(arguments)[:2]]
        if int(result) < 0:
            continue
        calls.add(name)
        if name in ("execve", "execveat"):
            started.append(os.path.basename(paths[0]))
        elif name in ("open", "openat") and "O_TMPFILE" in arguments:
            written.add("a file without a name")
        elif name in MAKES or (name in ("open", "openat") and re.search("O_WRONLY|O_RDWR|O_CREAT", arguments)):
            written.add(paths[0])
            if name in MAKES or "O_CREAT" in arguments:
                modes[paths[0]] = int(re.search(r", 0(\d+)$", arguments)[1], 8)
        elif name in ("rename", "renameat", "renameat2"):
            renamed.add((paths[0], paths[-1]))
        elif name in LINKS:
            written.add(os.path.dirname(paths[1]))
        elif name in ("open", "openat"):
            read.add(paths[0])
    return done, started, written, read, calls, modes, renamed


@pytest.fixture
def place(tmp_path):
    if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no strace that may trace")
    (tmp_path / "tmp").mkdir()
    (tmp_path / "program").write_text("#!/bin/sh\nenv >&2\n")
    (tmp_path / "program").chmod(0o755)
    (tmp_path / "core").write_bytes(bytes(4096))
    (tmp_path / "lines").write_text("")
    encoded = subprocess.run([TMA, "encode", *MAP], capture_output=True, check=True).stdout
    (tmp_path / "hex").write_bytes(encoded)
    return tmp_path


def verbs():
    text = subprocess.run([TMA, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z][a-z-]+)  ", text.partition("Verbs:\n")[2], re.M)


@pytest.mark.parametrize("verb", verbs())
def test_a_verb_does_what_is_said_of_it(place, verb):
    for words, starts, writes in ROWS[verb]:
        done, started, written, read, calls, modes, renamed = traced(place, verb, words)
        given = {one_name(str(w).partition("=")[2] or str(w), place) for w in words}
        if b"built without zlib" in done.stderr:
            pytest.skip("no zlib: the dump is packed")
        assert done.returncode in (0, 1, 3), (words, done.stderr)
        assert set(started) - {"env"} == {os.path.basename(TMA), *starts}, (words, started)
        assert written == writes, words
        beyond = {r for r in read - given - {"program"} if not SYSTEM.match(r) and not OWN.search(r) and not r.startswith(("tmp/tma-", "tma-hang-"))}
        assert not beyond, (words, beyond)
        assert not {p: oct(m) for p, m in modes.items() if PRIVATE.match(p) and os.path.dirname(p) not in modes and m & 0o077}, words
        assert BESIDE not in writes or {old for old, _ in renamed} == {BESIDE}, (words, renamed)
        assert not calls & {"socket", "connect", "bind", "listen", "accept4", "sendto"}, words
    assert not list((place / "tmp").iterdir())


def test_these_verbs_alone_start_programs():
    said = re.search(r"Six verbs start other programs(.*?)The other verbs start none", (ROOT / "SECURITY.md").read_text())[1]
    assert set(re.findall(r"`tma ([\w-]+)", said)) == {verb for verb, rows in ROWS.items() if any(starts for _, starts, _ in rows)} | {"emulate"}


@pytest.mark.skipif(not shutil.which("nm"), reason="no nm")
def test_nothing_that_is_linked_reaches_a_network():
    """What strace sees is one run; what a file does not import none can call."""
    built = pathlib.Path(TMA).parent
    for path in [pathlib.Path(TMA), *built.glob("libtma*.so"), *built.glob("emulated/*")]:
        names = {re.sub("@.*", "", line.split()[-1]) for line in
                 subprocess.run(["nm", "-D", "-u", path], check=True, capture_output=True, text=True).stdout.splitlines()}
        assert path.name.startswith("libtma") or len(names) > 5, path  # a list of names
        assert not {n for n in names if NETWORK.fullmatch(n)}, path


@pytest.mark.parametrize("verb", verbs())
def test_a_small_stack_is_enough(place, verb):
    """64 KiB, which threads of other programs have: tma hang alone took more."""
    def small():
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 16, 1 << 16))

    for words, _, _ in ROWS[verb]:
        run = [subprocess.run([TMA, verb, *map(str, words)], cwd=place, capture_output=True, timeout=120, check=False,
                              stdin=subprocess.DEVNULL, env=os.environ | {"TMPDIR": str(place / "tmp")}, preexec_fn=limit)
               for limit in (None, small)]
        assert run[0].returncode == run[1].returncode and len(run[0].stdout) == len(run[1].stdout), (words, run)


COMPILERS = (r"TRITON_\w+|NVCC_PREPEND_FLAGS|TORCH_EXTENSIONS_DIR|TORCHINDUCTOR_CACHE_DIR|TILELANG_CACHE_DIR|"
             r"FLASHINFER_WORKSPACE_BASE|DG_JIT_CACHE_DIR|CUPY_\w+")
SET = {
    "run-checked": r"LD_PRELOAD|LIBTMA_\w+|TMA_PTXAS\w*|" + COMPILERS,
    "capture": r"LD_PRELOAD|LIBTMA_MODE|LIBTMA_CAPTURE\w*|TMA_PTXAS|TMA_PTXAS_CAPTURE|" + COMPILERS,
    "run-hang": "CUDA_ENABLE_USER_TRIGGERED_COREDUMP|CUDA_COREDUMP_(PIPE|FILE|GENERATION_FLAGS)",
    "ptxas": "",
}


@pytest.mark.parametrize("verb", SET)
def test_a_program_s_environment_is_as_said(place, verb):
    words = {"ptxas": [f"--real={place / 'program'}", PTX], "capture": ["-o", "launches", place / "program"]}.get(
        verb, [place / "program"])
    known = {"PATH": os.environ["PATH"], "TMPDIR": str(place / "tmp"), "PWD": str(place)}
    (place / "program").write_text("#!/bin/sh\nexec env >" + str(place / "environment"))
    subprocess.run([TMA, verb, *words], cwd=place, capture_output=True, check=False, env=known)
    names = {line.partition("=")[0] for line in (place / "environment").read_text().splitlines()} - {"_", "OLDPWD", "SHLVL"}
    assert known.keys() <= names
    assert not {n for n in names - known.keys() if not re.fullmatch(SET[verb], n)}
    assert verb == "ptxas" or len(names) > len(known) + 3


def test_the_environment_of_an_emulated_program_is_as_said(place):
    if not (pathlib.Path(TMA).parent / "emulated").is_dir():
        pytest.skip("no runtime for emulated programs here")
    known = {"PATH": os.environ["PATH"], "TMPDIR": str(place / "tmp")}
    said = subprocess.run([TMA, "emulate", shutil.which("env")], cwd=place, capture_output=True, text=True, check=False, env=known)
    names = {line.partition("=")[0] for line in said.stdout.splitlines()}
    assert names - {"_"} == known.keys() | {"LD_LIBRARY_PATH", "LIBTMA_EMULATE_REPORT"}
