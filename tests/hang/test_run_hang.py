# SPDX-License-Identifier: Apache-2.0
"""tma run-hang around a program whose driver is pretended (pretended.py): who asks for the dump and when, whose it is to
read, what is left behind. TMA is the command."""
import atexit
import gzip
import json
import os
import pathlib
import re
import shlex
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
TMA = os.environ["TMA"]
PACKED = ROOT / "tests/vectors/hang/wrong_barrier.nvcudmp.gz"
FOLDER = tempfile.mkdtemp()
atexit.register(shutil.rmtree, FOLDER)
DUMP = str(pathlib.Path(FOLDER) / PACKED.stem)
pathlib.Path(DUMP).write_bytes(gzip.decompress(PACKED.read_bytes())) # tma may be built without zlib


@pytest.fixture
def place(tmp_path):
    (tmp_path / "tmp").mkdir()
    return tmp_path


def start(place, *options, words=(), dump=DUMP, program=None, **settings):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CUDA_")}
    command = program if program is not None else [sys.executable, str(HERE / "pretended.py"), dump, *words]
    return subprocess.Popen([TMA, "run-hang", *options, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment | {"TMPDIR": str(place / "tmp"), "SAID": str(place / "said")} | settings)


def said(place, process):
    while not (place / "said").exists():
        assert process.poll() is None
        time.sleep(0.02)
    number, ignored, flags = (place / "said").read_text().split()
    return int(number), ignored == "True", flags


def left(place):
    return sorted(p.relative_to(place / "tmp") for p in (place / "tmp").rglob("*") if p.is_file() or p.is_fifo())


def is_gone(number):
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def verdict():
    return subprocess.run([TMA, "hang", DUMP], capture_output=True, text=True, check=False).stdout


def check_dump(place, number, errors):
    (dump,) = left(place)
    assert re.fullmatch(rf"tma-hang-......{os.sep}core\.{number}", str(dump))
    path = place / "tmp" / dump
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    size = path.stat().st_size / 1e6
    assert f"tma run-hang: {path}: {size:.1f} MB, mode 0600; it holds the program's memory" in errors


def test_after_a_time(place):
    process = start(place, "--after=2")
    number, ignored, flags = said(place, process)
    assert ignored and flags == "skip_abort,skip_global_memory,skip_constbank_memory"
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 1 and out == verdict()
    asked = re.search(rf"{sys.executable} has run for (\S+) s: the driver writes a core dump into "
                      rf"{place}/tmp/tma-hang-...... \(\S+ .B free\), which ends its kernel with error 719", errors)
    assert 2 <= float(asked[1]) < 30
    check_dump(place, number, errors)


def test_json(place):
    process = start(place, "--after=1", "--json")
    number, _, _ = said(place, process)
    out, errors = process.communicate(timeout=60)
    answer = json.loads(out)
    assert process.returncode == 1 and answer.pop("input").endswith(f"/core.{number}")
    whole = json.loads(subprocess.run([TMA, "hang", "--json", DUMP], capture_output=True, text=True, check=False).stdout)
    assert whole.pop("input") == DUMP and answer == whole
    check_dump(place, number, errors)


def test_a_key(place):
    """Ctrl-C once: the program, which a terminal tells too, is not ended by it."""
    process = start(place, "--whole")
    number, _, flags = said(place, process)
    assert flags == "skip_abort"
    os.kill(number, signal.SIGINT)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 1 and out == verdict()
    check_dump(place, number, errors)


def test_a_program_that_lives_on(place):
    """Its dump is explained once, and early, but not before the driver, which pauses, is through; a second Ctrl-C ends it."""
    process = start(place, "--after=1", words=["stays", "slow"])
    number, _, _ = said(place, process)
    first = process.stdout.readline()
    assert first == verdict().splitlines(keepends=True)[0] and not is_gone(number)
    process.send_signal(signal.SIGINT)
    out, errors = process.stdout.read(), process.stderr.read()
    assert process.wait(30) == 1 and first + out == verdict() and is_gone(number)
    check_dump(place, number, errors)


def test_no_hang(place):
    process = start(place, "--after=20", words=["ends"])
    out, errors = process.communicate(timeout=30)
    assert (process.returncode, out, errors) == (5, "", "") and not list((place / "tmp").iterdir())


@pytest.mark.parametrize("options, size", [([], "255m"), (["--whole"], "8191m")])
def test_no_dump_where_there_is_no_room(place, options, size):
    """A dump that fills the disk is worse than none: nothing is asked of the driver, and the program goes on."""
    words = " ".join(map(shlex.quote, [TMA, "run-hang", "--after=1", *options, sys.executable, str(HERE / "pretended.py"), DUMP]))
    process = subprocess.Popen(["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size={size} tmpfs {place}/tmp || exit 77; exec {words}"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=os.environ | {"TMPDIR": str(place / "tmp"), "SAID": str(place / "said")})
    line = process.stderr.readline()
    if re.search(r"^(unshare|mount)\b|\bmount: ", line):
        process.communicate(timeout=30)
        pytest.skip("only root mounts")
    assert re.search(rf"no dump: {place}/tmp/tma-hang-...... has only \S+ .B of free space; --folder names another place", line), line
    number, _, _ = said(place, process)
    assert not is_gone(number)
    os.kill(number, signal.SIGKILL)
    out, _ = process.communicate(timeout=30)
    assert out == ""


def test_a_program_without_a_driver(place):
    process = start(place, "--after=1", words=["no-cuda"])
    number, _, _ = said(place, process)
    time.sleep(1.2)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None and not is_gone(number)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 128 + signal.SIGTERM and is_gone(number) and not list((place / "tmp").iterdir())
    assert errors.count("has no kernel that can be dumped: Ctrl-C again ends it") == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_a_signal_ends_the_program(place, number):
    process = start(place)
    child, _, _ = said(place, process)
    process.send_signal(number)
    process.communicate(timeout=30)
    assert process.returncode == -number and is_gone(child) and not list((place / "tmp").iterdir())


def test_a_process_that_runs(place):
    """--pid, from another terminal; both say it, and the folder is the first one's."""
    process = start(place)
    number, _, _ = said(place, process)
    done = subprocess.run([TMA, "run-hang", f"--pid={number}"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and done.stdout == verdict()
    assert re.search(rf"the driver writes \S+/core\.{number} \(\S+ .B free\), which ends the kernel of process {number} "
                     "with error 719", done.stderr)
    process.communicate(timeout=30)
    check_dump(place, number, done.stderr)


@pytest.mark.parametrize("what", ["link", "another's"])
def test_a_dump_that_is_no_file_of_the_process(place, what):
    """--pid follows names that another user's process chose: no file but that process's own gets another mode."""
    secret = place / "secret"
    secret.write_bytes(b"")
    secret.chmod(0o644)
    core = place / "core"
    if what == "link":
        core.symlink_to(secret)
    else:
        if os.geteuid():
            pytest.skip("only root gives files away")
        secret.rename(core)
        os.chown(core, 1234, 1234)
        secret = core
    environment = {"CUDA_ENABLE_USER_TRIGGERED_COREDUMP": "1", "CUDA_COREDUMP_PIPE": str(place / "pipe"),
                   "CUDA_COREDUMP_FILE": str(core)}
    os.mkfifo(place / "pipe")
    reader = os.open(place / "pipe", os.O_RDWR)
    process = subprocess.Popen(["sleep", "60"], env=os.environ | environment)
    while b"CUDA_COREDUMP_FILE" not in pathlib.Path(f"/proc/{process.pid}/environ").read_bytes():
        time.sleep(0.02)  # the kernel still starts it
    try:
        core.rename(place / "later") if what == "another's" else secret.unlink()
        asking = subprocess.Popen([TMA, "run-hang", f"--pid={process.pid}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        asked, _, _ = select.select([reader], [], [], 30)
        assert asked, asking.communicate(timeout=30)
        if what == "link":
            secret.write_bytes(b"secret")
            secret.chmod(0o644)
        else:
            (place / "later").write_bytes(b"secret")
            (place / "later").rename(core)
        asking.communicate(timeout=30)
        assert secret.stat().st_mode & 0o777 == 0o644
    finally:
        process.kill()
        process.wait()
        os.close(reader)


def test_a_process_that_was_not_told(place):
    process = subprocess.Popen(["sleep", "60"])
    try:
        done = subprocess.run([TMA, "run-hang", f"--pid={process.pid}"], capture_output=True, text=True, timeout=60, check=False)
    finally:
        process.kill()
        process.wait()
    assert done.returncode == 2 and "was started without CUDA_ENABLE_USER_TRIGGERED_COREDUMP=1" in done.stderr
    assert "Next time start it by tma run-hang" in done.stderr


def test_a_damaged_dump(place):
    damaged = place / "damaged"
    damaged.write_bytes(b"\x7fELF" + bytes(100))
    process = start(place, "--after=1", dump=str(damaged))
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 2 and not out and "not a 64-bit little-endian ELF file" in errors and len(left(place)) == 1


@pytest.mark.parametrize("words, what", [
    (["--after=x", "true"], "--after"), (["--after=0", "true"], "--after is 0, must be 1 to 1000000"),
    (["--pid=0"], "--pid is 0, must be 1 to 4194304"), (["--pid=4194305"], "4194304"),
    (["--pid=1", "true"], "--pid takes no program"), ([], "no program to run"), (["--what", "true"], "unknown option '--what'"),
    (["--folder=/no/such", "true"], "cannot write dumps into '/no/such': No such file or directory"),
    (["./no-such-program"], "cannot run ./no-such-program: No such file or directory")])
def test_wrong_words(place, words, what):
    process = start(place, program=words)
    out, errors = process.communicate(timeout=30)
    assert process.returncode == (127 if "cannot" in what else 2) and not out and what in errors
    assert not list((place / "tmp").iterdir())


@pytest.mark.parametrize("by", ["--folder", "TMPDIR"])
def test_a_folder_whose_name_the_driver_would_change(place, by):
    """%h in it is the host's name to the driver, whose files would lie elsewhere: nothing is started."""
    odd = place / "100%home"
    odd.mkdir()
    process = start(place, f"--folder={odd}") if by == "--folder" else start(place, TMPDIR=str(odd))
    out, errors = process.communicate(timeout=30)
    assert process.returncode == 127 and not out and f"'{odd}': the driver takes a % in the name for a placeholder" in errors
    assert not (place / "said").exists() and not list(odd.iterdir()) and not list((place / "tmp").iterdir())


@pytest.mark.parametrize("pipe, core, status, what", [
    ("pipe", "dump.%h.%p", 1, "/dump.HOST.PID is there already: explaining it; remove it for another dump"),
    ("pipe", "none", 2, "nobody reads from PLACE/pipe: No such device or address"),
    ("file", "none", 2, "nobody reads from PLACE/file: Invalid argument"),
    ("no-pipe", "none", 2, "nobody reads from PLACE/no-pipe: No such file or directory"),
    ("pipe", "none.%t", 2, "CUDA_COREDUMP_FILE=PLACE/none.%t became is not known: only %p and %h are"),
    ("%", "none", 2, "CUDA_COREDUMP_PIPE=PLACE/% and"),
    ("pipe", None, 2, "was started without CUDA_COREDUMP_FILE:"),
    (None, "none", 2, "was started without CUDA_COREDUMP_PIPE:")])
def test_a_process_of_which_no_dump_can_be_had(place, pipe, core, status, what):
    """--pid: what the process was told is all that there is to go by. The file's content stays."""
    os.mkfifo(place / "pipe")
    (place / "file").write_bytes(b"kept")
    given = {"CUDA_COREDUMP_PIPE": pipe, "CUDA_COREDUMP_FILE": core}
    told = {k: str(place / v) for k, v in given.items() if v} | {"CUDA_ENABLE_USER_TRIGGERED_COREDUMP": "1"}
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CUDA_")}
    process = subprocess.Popen(["sleep", "60"], env=environment | told)
    try:
        while b"CUDA_ENABLE_USER" not in pathlib.Path(f"/proc/{process.pid}/environ").read_bytes():
            time.sleep(0.02)  # the kernel still starts it
        shutil.copy(DUMP, place / f"dump.{socket.gethostname()}.{process.pid}")
        done = subprocess.run([TMA, "run-hang", f"--pid={process.pid}"], capture_output=True, text=True, timeout=60, check=False)
    finally:
        process.kill()
        process.wait()
    said_of_it = what.replace("PLACE", str(place)).replace("HOST", socket.gethostname()).replace("PID", str(process.pid))
    assert done.returncode == status and said_of_it in done.stderr and (place / "file").read_bytes() == b"kept"
    assert done.stdout == (verdict() if status == 1 else "")
