# SPDX-License-Identifier: Apache-2.0
"""What the command line prints, byte for byte.

A test is a file <topic>/<case>.cmd, a shell script that calls `tma`; beside it may lie .stdin (else
standard input is empty), .stdout and .stderr (else both are empty), and .exit. The script runs in
its own folder; $SCRATCH is an empty one. TMA names the program.
"""
import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
STREAMS = ("stdout", "stderr")
CASES = sorted(HERE.glob("*/*.cmd"))
TIMEOUT_S = 60


@pytest.fixture(scope="session")
def folder_with_tma(tmp_path_factory):
    program = os.environ.get("TMA") or shutil.which("tma")
    if not program or not os.path.exists(program):
        pytest.exit("TMA does not name the program to test", returncode=2)
    folder = tmp_path_factory.mktemp("bin")
    (folder / "tma").symlink_to(os.path.abspath(program))
    return folder


def environment(folder, scratch):
    kept = {k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_"))}
    return {**kept, "PATH": f"{folder}:/usr/bin:/bin", "LC_ALL": "C",
            "SCRATCH": str(scratch)}


def run(case, folder, scratch):
    stdin = case.with_suffix(".stdin")
    done = subprocess.run(
        ["bash", "-o", "pipefail", case.name], cwd=case.parent, env=environment(folder, scratch),
        input=stdin.read_bytes() if stdin.exists() else b"", capture_output=True, check=False,
        timeout=TIMEOUT_S)
    assert 0 <= done.returncode < 126, f"killed or not run: {done.returncode}\n{done.stderr}"
    return {"stdout": done.stdout, "stderr": done.stderr, "exit": b"%d\n" % done.returncode}


def expected(case):
    wanted = {name: case.with_suffix("." + name) for name in (*STREAMS, "exit")}
    assert wanted["exit"].exists(), f"{wanted['exit']} is missing: run with --rebase"
    return {name: path.read_bytes() if path.exists() else b"" for name, path in wanted.items()}


def rebase(case, said):
    for name, data in said.items():
        path = case.with_suffix("." + name)
        if data:
            path.write_bytes(data)
        elif path.exists():
            path.unlink()


def as_lines(data):
    return data.decode("utf-8", "backslashreplace").splitlines()


@pytest.mark.parametrize("case", CASES, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_says_as_before(case, folder_with_tma, tmp_path, pytestconfig):
    said = run(case, folder_with_tma, tmp_path)
    if pytestconfig.getoption("rebase"):
        rebase(case, said)
        return
    wanted = expected(case)
    for name in ("stderr", "stdout", "exit"):
        assert as_lines(said[name]) == as_lines(wanted[name]), f"{name} of {case.name}"
        assert said[name] == wanted[name]


def test_there_are_cases():
    assert len(CASES) > 100


def test_every_expectation_has_a_case():
    lone = [p for name in (*STREAMS, "exit", "stdin") for p in HERE.glob(f"*/*.{name}")
            if not p.with_suffix(".cmd").exists()]
    assert not lone
