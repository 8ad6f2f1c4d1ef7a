# SPDX-License-Identifier: Apache-2.0
"""tma check - as a filter of a program that hangs: an interrupt ends the program, and the answer comes all the same."""
import os
import signal
import subprocess

TMA = os.environ["TMA"]
LOG = "RuntimeError: CUDA error: misaligned address\n"


def test_an_interrupt_ends_who_writes_and_not_who_answers():
    with subprocess.Popen([TMA, "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as tma:
        tma.stdin.write(LOG)
        tma.stdin.flush()
        assert tma.stdout.readline() == LOG  # it reads, and has passed on what came
        os.killpg(tma.pid, signal.SIGINT)
        rest, said = tma.communicate()
    assert (rest, tma.returncode) == ("", 2)  # no map was in it
    assert said.startswith("1: misaligned-address (716)\n")
