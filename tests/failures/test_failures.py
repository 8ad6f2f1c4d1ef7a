# SPDX-License-Identifier: Apache-2.0
"""Full disks, signals, files that become shorter, and results that go where text goes: a clear error, nothing lost,
nothing left behind. TMA is the command."""
import json
import os
import pathlib
import signal
import subprocess
import time

import pytest

TMA = os.environ["TMA"]
SAMPLES = pathlib.Path(__file__).parents[1] / "ptx" / "samples"
MAP = ["--dtype", "bf16", "--dim", "4096,8192", "--box", "64,128", "--swizzle", "128B"]
REFUSED = ["--dtype", "bf16", "--dim", "4096,8192", "--box", "128,128", "--swizzle", "128B"]


def tma(*words, **more):
    return subprocess.run([TMA, *map(str, words)], capture_output=True, timeout=120, **more)


@pytest.fixture
def fake_ptxas(tmp_path):
    """ptxas's place: says that it runs, waits where it is told to, and ends."""
    folder = tmp_path / "bin"
    folder.mkdir()
    file = folder / "ptxas"
    file.write_text("#!/bin/sh\necho $$ > \"$STARTED\"\nexec sleep \"${WAITS:-0}\"\n")
    file.chmod(0o755)
    return file


@pytest.fixture
def temporary(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def is_alive(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("verb", ["ptxas", "run-checked"])
def test_a_signal_ends_the_child_too(tmp_path, fake_ptxas, temporary, verb, number):
    """And takes away what was made: the folder of the rewritten file, or of the run."""
    if verb == "run-checked" and number == signal.SIGINT:
        pytest.skip("the program's to answer: a terminal gives it to both")
    started = tmp_path / "started"
    words = (["ptxas", f"--real={fake_ptxas}", str(SAMPLES / "nvcc_90.ptx")] if verb == "ptxas"
             else ["run-checked", str(fake_ptxas)])
    process = subprocess.Popen([TMA, *words], stderr=subprocess.PIPE,
                               env=os.environ | {"TMPDIR": str(temporary), "STARTED": str(started), "WAITS": "60"})
    while not (started.exists() and started.read_text().strip()):
        assert process.poll() is None
        time.sleep(0.02)
    child = int(started.read_text())
    assert is_alive(child) and list(temporary.iterdir())
    process.send_signal(number)
    assert process.wait(20) == -number
    assert not is_alive(child)
    assert not list(temporary.iterdir())
    process.stderr.close()


def test_a_signal_that_is_ignored_stays_so(tmp_path, fake_ptxas, temporary):
    """nohup: the child ends by itself."""
    started = tmp_path / "started"
    process = subprocess.Popen(["nohup", TMA, "ptxas", f"--real={fake_ptxas}", str(SAMPLES / "nvcc_90.ptx")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               env=os.environ | {"TMPDIR": str(temporary), "STARTED": str(started), "WAITS": "0.5"})
    while not started.exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGHUP)
    assert process.wait(20) == 0 and not list(temporary.iterdir())


def limited():
    """A disk that takes no more than 4 KiB of a file."""
    import resource
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, resource.RLIM_INFINITY))


def test_keep_loses_nothing(tmp_path, fake_ptxas, temporary):
    kept = tmp_path / "kept.ptx"
    kept.write_text("what was there")
    environment = os.environ | {"TMPDIR": str(temporary), "STARTED": str(tmp_path / "started")}
    words = ["ptxas", f"--real={fake_ptxas}", f"--keep={kept}", f"--notes={tmp_path / 'notes'}", SAMPLES / "nvcc_90.ptx"]
    done = tma(*words, env=environment, preexec_fn=limited)
    assert kept.read_text() == "what was there"
    assert b"is not checked: cannot write the rewritten file" in done.stderr
    assert "left: cannot write the rewritten file" in (tmp_path / "notes").read_text()
    folder = tmp_path / "folder"  # where nothing can be kept, the checks stay on
    folder.mkdir()
    words[2] = f"--keep={folder}"
    done = tma(*words, env=environment)
    assert done.returncode == 0 and b"--keep: cannot" in done.stderr and b"is not checked" not in done.stderr
    assert (tmp_path / "notes").read_text().splitlines()[-1].split()[3] != "0"
    words[2] = f"--keep={kept}"
    done = tma(*words, env=environment)
    assert done.returncode == 0 and not done.stderr and "libtma_checker" in kept.read_text()
    assert sorted(f.name for f in tmp_path.iterdir()) == ["bin", "folder", "kept.ptx", "notes", "started", "temporary"]


@pytest.mark.parametrize("words", [
    ["load", *MAP, "--out", "so.npy"], ["load", *MAP, "--raw", "so.npy"], ["load", *MAP, "--raw", "/dev/stdout"],
    ["store", *MAP, "--out", "so.npy"]])
def test_a_result_where_the_text_goes(tmp_path, words):
    """tma load --out so.npy > so.npy: the text was written over the array."""
    with open(tmp_path / "so.npy", "wb") as file:
        done = subprocess.run([TMA, *words], stdout=file, stderr=subprocess.PIPE, cwd=tmp_path, check=False)
    assert done.returncode == 2 and b"standard output goes there, too" in done.stderr
    assert b"NUMPY" not in (tmp_path / "so.npy").read_bytes()


def test_a_result_in_a_pipe_where_the_text_goes():
    done = subprocess.run([TMA, "load", *MAP, "--raw", "/dev/stdout"], capture_output=True, check=False)
    assert done.returncode == 2 and b"standard output goes there, too" in done.stderr


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_file_that_becomes_shorter(tmp_path, more):
    """tma find reads it piece by piece: what is not there any more is said."""
    file = tmp_path / "core"
    with open(file, "wb") as core:
        core.truncate(6 << 30)
    process = subprocess.Popen([TMA, "find", *more, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    numbers = pathlib.Path(f"/proc/{process.pid}/fd")
    while not any(os.path.realpath(number) == str(file) for number in numbers.iterdir()):
        assert process.poll() is None
        time.sleep(0.005)
    os.truncate(file, 4096)
    out, said = process.communicate(timeout=120)
    assert process.returncode == 2 and b"became shorter" in said and not out


def test_a_dump_without_end(temporary):
    """tma hang /dev/zero filled the disk: what begins as no dump is not copied."""
    reader, writer = os.pipe()
    process = subprocess.Popen([TMA, "hang", f"/dev/fd/{reader}"], pass_fds=[reader], stderr=subprocess.PIPE,
                               env=os.environ | {"TMPDIR": str(temporary)})
    os.close(reader)
    with pytest.raises(BrokenPipeError):
        for _ in range(1024):
            os.write(writer, bytes(1 << 16))
    os.close(writer)
    said = process.communicate(timeout=60)[1]
    assert said.endswith(b": not an ELF file\n") or b"built without zlib" in said
    assert process.returncode == 2


LEAVES = "[ -s $LIBTMA_RECORD ] && echo the file is there"


def test_a_full_folder_of_shared_memory(temporary):
    """Containers have 64 MiB of it, which other programs fill: the records go elsewhere, no signal ends the run."""
    script = ("mount -t tmpfs -o size=64k tmpfs /dev/shm || exit 77; head -c 1M /dev/zero >/dev/shm/full 2>/dev/null;"
              f"exec '{TMA}' run-checked --on-fault=record sh -c '{LEAVES}; echo $LIBTMA_RECORD'")
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=60, check=False,
                          env=os.environ | {"TMPDIR": str(temporary)})
    if done.returncode in (1, 77) and not done.stdout:
        pytest.skip("only root mounts")
    there, path = done.stdout.splitlines()
    assert done.returncode == 3 and there == "the file is there" and path.startswith(str(temporary))
    assert not list(temporary.iterdir())


def test_records_that_became_shorter(temporary):
    done = tma("run-checked", "--on-fault=record", "sh", "-c", ": >$LIBTMA_RECORD; sleep 0.3",
               env=os.environ | {"TMPDIR": str(temporary)})
    assert done.returncode == 3 and b"became shorter: records of kernels are lost" in done.stderr


@pytest.mark.parametrize("words", [["run-checked"], ["run-hang"]])
def test_a_program_s_signals_are_its_own(words, temporary):
    """That of a file's limit too, which the command itself takes as a write that fails."""
    done = tma(*words, "sh", "-c", "grep SigIgn /proc/self/status", env=os.environ | {"TMPDIR": str(temporary)})
    assert not int(done.stdout.split()[-1], 16) & 1 << (signal.SIGXFSZ - 1), done.stdout


@pytest.mark.parametrize("verb", ["ptxas", "run-checked", "run-hang"])
def test_messages_that_nobody_reads(tmp_path, temporary, verb):
    """2>&1 | head: the program comes to its end, and nothing is left behind."""
    program = tmp_path / "ptxas"
    ended = tmp_path / "ended"
    warns = "echo a warning >&2\n" if verb == "ptxas" else ""
    program.write_text(f"#!/bin/sh\n{warns}sleep 0.3\necho 1 >'{ended}'\n")
    program.chmod(0o755)
    words = {"ptxas": [f"--real={program}", str(SAMPLES / "nvcc_90.ptx")], "run-checked": [str(program)],
             "run-hang": [str(program)]}[verb]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([TMA, verb, *words], stdout=writer, stderr=writer, check=False, timeout=60,
                          env=os.environ | {"TMPDIR": str(temporary)})
    os.close(writer)
    assert done.returncode == {"ptxas": 0, "run-checked": 3, "run-hang": 0}[verb] and ended.exists()
    assert not list(temporary.iterdir())


def test_what_a_link_prints_is_heard(tmp_path, fake_ptxas):
    """tma under ptxas's name, as compilers call it."""
    link = tmp_path / "tma-ptxas"
    link.symlink_to(TMA)
    environment = os.environ | {"TMA_PTXAS": str(fake_ptxas), "STARTED": str(tmp_path / "started")}
    with open("/dev/full", "wb") as full:
        done = subprocess.run([link, "--version"], stdout=full, stderr=subprocess.PIPE, check=False, env=environment)
    assert done.returncode == 2 and b"tma ptxas: cannot write: No space left" in done.stderr


def test_notes_are_plain(tmp_path, fake_ptxas, temporary):
    """A file's name is text of somebody's, too: no line of it can be a line of the notes."""
    path = tmp_path / "a\x1b[31m\ntotal 7 found 7 checked\n.ptx"
    path.write_bytes((SAMPLES / "nvcc_90.ptx").read_bytes())
    done = tma("ptxas", f"--real={fake_ptxas}", f"--notes={tmp_path / 'notes'}", path,
               env=os.environ | {"TMPDIR": str(temporary), "STARTED": str(tmp_path / "started")})
    notes = (tmp_path / "notes").read_text()
    assert done.returncode == 0 and "\x1b" not in notes and notes.count("\ntotal ") == 1


@pytest.mark.parametrize("verb", ["plan", "load", "store"])
def test_a_refused_map_is_json_too(verb):
    done = tma(verb, *REFUSED, "--json")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    check = json.loads(tma("check", *REFUSED, "--json").stdout)
    assert (answer["verb"], answer["runs"], answer["accepted"], answer["instruction"]) == (verb, False, False, None)
    assert answer["findings"] == [f for f in check["findings"] if f["severity"] == "refused"]
    assert answer["spec"] == check["spec"] and answer["target"] == check["target"]


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_refused_map_has_no_descriptors_that_pass(more):
    """What tma mma says of it is printed; a script sees by the status that no driver makes it."""
    done = tma("mma", *REFUSED, *more)
    assert done.returncode == 1 and done.stdout and b"no driver makes this map" in done.stderr
