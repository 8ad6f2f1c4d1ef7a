# SPDX-License-Identifier: Apache-2.0
"""Threads that are cancelled, and stacks of few kilobytes."""
import pytest

from shim_programs import EMULATOR, PRETEND, SANITIZED, STAND_IN, natural, run, watched

PTX = (".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copy()\n{\nret;\n}\n"
       ".weak .global .u64 libtma_checker_record;\n")
BUDGET_B = 6144  # of the caller's stack, as README.md says
LEAST_B = 16384  # PTHREAD_STACK_MIN: the thread's own variables are on it, too
LIBRARIES = {"watch": [PRETEND], "stand in": [STAND_IN]}
SETTINGS = {"said": {}, "quiet": {"LIBTMA_QUIET": 1}, "log": {"LIBTMA_LOG": "log.txt"},
            "wrong": {"LIBTMA_QUIET": "two"}, "log that cannot be": {"LIBTMA_LOG": "/nowhere/log.txt"},
            "checks": {"LIBTMA_CHECK_KERNELS": 1, "LIBTMA_CHECK_NOTES": "notes.txt"},
            "record": {"LIBTMA_RECORD": 1, "PRETEND_KERNEL": "record"},
            "record in a file": {"LIBTMA_RECORD": "records", "LIBTMA_CHECK_KERNELS": "record", "LIBTMA_CHECK_HANG": 2}}


def calls(where, *arguments, **settings):
    preload = where == "watch"
    return run("thread_calls", *arguments, preload=preload, libraries=LIBRARIES[where], **settings)


def without_use(stdout):
    return [line.rsplit(" ", 1)[0] for line in stdout.splitlines()[:-1]]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("where", LIBRARIES)
def test_a_pending_cancellation_waits(tmp_path, monkeypatch, where, settings):
    """The pretend driver's calls are no cancellation points, and so none of the watched ones is; then it acts."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kernels.ptx").write_text(PTX)
    (tmp_path / "records").write_bytes(bytes(64 * 8192))
    done = calls(where, "cancelled", "kernels.ptx", **SETTINGS[settings])
    assert done.stdout.splitlines()[-1] == "finished, cancelled"
    if where == "watch" and "PRETEND_KERNEL" not in SETTINGS[settings]:
        assert without_use(done.stdout) == without_use(natural("thread_calls", "cancelled", "kernels.ptx"))
    if settings == "log":
        assert len((tmp_path / "log.txt").read_text().splitlines()) >= 3


@pytest.mark.skipif(SANITIZED, reason="a sanitizer's frames are larger")
@pytest.mark.skipif(bool(EMULATOR), reason="an emulator signals and copies on the program's stack")
@pytest.mark.parametrize("settings", ["said", "quiet", "log", "log that cannot be", "wrong"])
@pytest.mark.parametrize("where", LIBRARIES)
def test_a_small_stack_is_enough(tmp_path, monkeypatch, where, settings):
    """In a signal's handler there may be no more, and nothing can be allocated."""
    monkeypatch.chdir(tmp_path)
    done = calls(where, "stack", LEAST_B, **SETTINGS[settings])
    used = {line.split()[0]: int(line.split()[2]) for line in done.stdout.splitlines()[:-1]}
    assert done.returncode == 0 and len(used) == 7 and max(used.values()) <= BUDGET_B, used
    if where == "watch":
        for fault in ("bytes", "lax", 700):
            done = watched("stack", LEAST_B, program="thread_calls", PRETEND_FAULT=fault, **SETTINGS[settings])
            used = {line.split()[0]: int(line.split()[2]) for line in done.stdout.splitlines()[:-1]}
            assert done.returncode == 0 and len(used) == 7 and max(used.values()) <= BUDGET_B, used
