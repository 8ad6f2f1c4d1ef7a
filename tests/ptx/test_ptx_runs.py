# SPDX-License-Identifier: Apache-2.0
"""How often tma ptxas calls the real ptxas, and what runs at once: the file without checks is assembled too only where its
registers are asked for, beside the other where it is likely that they will be, and nothing of it stays."""
import os
import signal
import struct
import subprocess
import time

import pytest
from test_ptx_checked import CLEAN, HEAD, PTXAS, TMA
from test_ptx_registers import kernel

needs_ptxas = pytest.mark.skipif(not PTXAS, reason="no ptxas")
needs_cores = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one core: one after the other")
LONG = "add.u32 %r3, %r2, 1;\n" * 4100  # statements: a kernel that may well have many registers

# Says when each run begins and ends. One runs with checks, the other without: its output is plain.cubin.
RUNS = """#!/bin/sh
case " $* " in *"/plain.cubin "*) which=plain ;; *) which=checked ;; esac
echo "$which begins $$" >>"$LOG"
{body}
echo "$which ends" >>"$LOG"
"""


def wrapped(tmp_path, body):
    path = tmp_path / "wrapped"
    path.write_text(RUNS.replace("{body}", body))
    path.chmod(0o755)
    return path


def command(real, tmp_path, text, *options):
    source = tmp_path / "k.ptx"
    source.write_text(HEAD + text)
    (tmp_path / "log").unlink(missing_ok=True)
    (tmp_path / "tmp").mkdir(exist_ok=True)
    return {"args": [TMA, "ptxas", f"--real={real}", f"--notes={tmp_path / 'notes'}", "--on-fault=record", *options,
                     "-arch=sm_90a", str(source), "-o", str(tmp_path / "x.cubin")],
            "env": {**CLEAN, "LOG": str(tmp_path / "log"), "TMPDIR": str(tmp_path / "tmp")},
            "stderr": subprocess.PIPE, "text": True}


def log(tmp_path):
    return [line.rsplit(" ", 1)[0] if "begins" in line else line for line in (tmp_path / "log").read_text().splitlines()]


@needs_ptxas
@pytest.mark.parametrize("live, more, runs", [(4, "", 1), (40, "", 1), (90, "", 2), (4, LONG, 1)])
def test_registers_that_every_block_launches_with_are_not_asked_for_twice(live, more, runs, tmp_path):
    """With 64 and less; a run that was begun for nothing is ended."""
    real = wrapped(tmp_path, f'{PTXAS} "$@" || exit')
    done = subprocess.run(**command(real, tmp_path, kernel(live, more=more)), check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert log(tmp_path).count("checked ends") == 1 and log(tmp_path).count("plain ends") <= 1
    assert runs == 1 or "plain ends" in log(tmp_path)
    assert more or log(tmp_path).count("plain begins") == runs - 1
    assert not list((tmp_path / "tmp").iterdir())


MEET = 'i=0; while [ $i -lt 200 ] && [ "$(grep -c begins "$LOG")" -lt 2 ]; do sleep 0.1; i=$((i + 1)); done'


@needs_cores
def test_long_kernels_are_assembled_with_and_without_at_once(tmp_path):
    """Each waits until the other has begun. What the one without checks says is not the user's to read."""
    real = wrapped(tmp_path, f'{MEET}; [ $i -lt 200 ] || exit 9; echo "$which warns" >&2')
    done = subprocess.run(**command(real, tmp_path, kernel(4, more=LONG)), check=False)
    assert (done.returncode, done.stderr) == (0, "checked warns\n")
    assert sorted(log(tmp_path)) == ["checked begins", "checked ends", "plain begins", "plain ends"]


@needs_cores
@pytest.mark.parametrize("bound, options", [(" .maxntid 128", []), ("", ["--maxrregcount=96"])])
def test_a_bound_needs_no_second_run(bound, options, tmp_path):
    run = command(wrapped(tmp_path, ""), tmp_path, kernel(4, bound, more=LONG))
    run["args"] += options
    assert subprocess.run(**run, check=False).returncode == 0 and log(tmp_path) == ["checked begins", "checked ends"]


@needs_cores
def test_one_core_runs_one_after_the_other(tmp_path):
    real = wrapped(tmp_path, "sleep 0.2")
    one = min(os.sched_getaffinity(0))
    done = subprocess.run(**command(real, tmp_path, kernel(4, more=LONG)), check=False,
                          preexec_fn=lambda: os.sched_setaffinity(0, {one}))
    assert done.returncode == 0 and log(tmp_path) == ["checked begins", "checked ends", "plain begins", "plain ends"]


@needs_cores
def test_what_ptxas_refuses_is_said_once(tmp_path):
    """With checks it fails, while the file without them is still being assembled: that run is ended."""
    body = (f'if [ $which = plain ]; then exec sleep 60; fi; {MEET}\n'
            'case " $* " in *tma-ptxas*) echo "ptxas fatal: checks" >&2 ;; *) echo "ptxas fatal: its own" >&2 ;; esac; exit 3')
    began = time.monotonic()
    done = subprocess.run(**command(wrapped(tmp_path, body), tmp_path, kernel(4, more=LONG)), check=False)
    assert (done.returncode, done.stderr) == (3, "ptxas fatal: its own\n") and time.monotonic() - began < 30
    assert log(tmp_path).count("checked begins") == 2 and not list((tmp_path / "tmp").iterdir())


@needs_cores
@pytest.mark.parametrize("name", ["TERM", "INT", "HUP"])
def test_a_signal_ends_both(name, tmp_path):
    number = getattr(signal, f"SIG{name}")
    with subprocess.Popen(**command(wrapped(tmp_path, "exec sleep 60"), tmp_path, kernel(4, more=LONG)),
                          preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) as run:
        for _ in range(200):
            if (tmp_path / "log").exists() and len(log(tmp_path)) == 2:
                break
            time.sleep(0.1)
        run.send_signal(number)
        assert run.wait(30) == -number
    began = [int(line.rsplit(" ", 1)[1]) for line in (tmp_path / "log").read_text().splitlines()]
    assert len(began) == 2
    for child in began:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)
    assert not list((tmp_path / "tmp").iterdir())


TWO = kernel(4, " .maxntid 128", name="a") + kernel(4, " .maxntid 128", name="b")
THREADS = 'case " $* " in *" --split-compile=2 "*) echo threads >>"$LOG" ;; esac'


@needs_cores
@pytest.mark.parametrize("text, options, threads", [(TWO, [], 1), (kernel(4, " .maxntid 128"), [], 0), (TWO, ["-split-compile", "1"], 0)])
def test_two_kernels_get_two_threads(text, options, threads, tmp_path):
    run = command(wrapped(tmp_path, THREADS), tmp_path, text)
    run["args"] += options
    assert subprocess.run(**run, check=False).returncode == 0 and log(tmp_path).count("threads") == threads


@needs_cores
def test_a_ptxas_that_knows_no_threads_is_asked_without(tmp_path):
    """An older one. What it said of the option is not the user's to read; another error is said once."""
    unknown = "case \" $* \" in *split-compile*) echo \"ptxas fatal   : Unknown option '--split-compile'\" >&2; exit 255 ;; esac; echo warns >&2"
    done = subprocess.run(**command(wrapped(tmp_path, unknown), tmp_path, TWO), check=False)
    assert (done.returncode, done.stderr) == (0, "warns\n") and "2 checked" in (tmp_path / "notes").read_text()
    assert log(tmp_path).count("checked begins") == 2
    done = subprocess.run(**command(wrapped(tmp_path, "echo other >&2; exit 3"), tmp_path, TWO), check=False)
    assert (done.returncode, done.stderr) == (3, "other\n") and log(tmp_path).count("checked begins") == 2  # with checks, without


@needs_ptxas
@needs_cores
def test_two_threads_make_the_same_kernels(tmp_path):
    source, sizes = tmp_path / "k.ptx", []
    run = command(PTXAS, tmp_path, TWO, f"--keep={tmp_path / 'kept.ptx'}")
    assert subprocess.run(**run, check=False).returncode == 0
    made = (tmp_path / "x.cubin").read_bytes()
    subprocess.run([PTXAS, "-arch=sm_90a", str(tmp_path / "kept.ptx"), "-o", str(source)], check=True)
    one = source.read_bytes()
    for name in (b".text.a", b".text.b"):
        sizes.append((section(made, name), section(one, name)))
    assert all(a == b and len(a) > 1000 for a, b in sizes)


def section(elf, name):
    """The bytes of a section of a 64-bit ELF file."""
    table, count, names = (int.from_bytes(elf[a:b], "little") for a, b in ((40, 48), (60, 62), (62, 64)))
    heads = [struct.unpack_from("<IIQQQQIIQQ", elf, table + 64 * i) for i in range(count)]
    for head in heads:
        at = heads[names][4] + head[0]
        if elf[at:elf.index(b"\0", at)] == name:
            return elf[head[4]:head[4] + head[5]]
    raise KeyError(name)
