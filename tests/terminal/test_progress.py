# SPDX-License-Identifier: Apache-2.0
"""Progress on a terminal: nothing for two seconds, then how much of how much is done, and at the end nothing is
left of it. What is written waits for a reader here, so that the time is known."""
import os
import pty
import re
import select
import subprocess
import time

from terminal import until_it_ends

TMA = os.environ["TMA"]
MIB = 1 << 20
STORE = f"store --dtype uint8 --dim {4096 * 8},128 --box 16,1 --out -".split()
LATE_S = 2.5


def said(words, terminal=True):
    """What stands on the terminal, and how many bytes came out, where nobody reads for LATE_S from the first on."""
    master, slave = pty.openpty()
    with subprocess.Popen([TMA, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=slave if terminal else subprocess.PIPE) as run:
        select.select([run.stdout], [], [], 60)
        time.sleep(LATE_S)
        size = len(run.stdout.read())
        text = until_it_ends(master, run) if terminal else run.stderr.read()
    os.close(slave)
    os.close(master)
    assert run.returncode == 0
    return text.decode(), size


def test_how_much_is_done():
    text, size = said(STORE)
    assert size == 128 + 4 * MIB
    shown = re.findall(r"\rtma store: (\d) of (\d) MiB, (\d+) %", text)
    assert shown and shown[0] == ("1", "4", "25")
    assert all(int(done) * 25 == int(percent) and whole == "4" for done, whole, percent in shown)
    assert text.endswith("\r\033[K") and text.count("\033[K") == 1


def test_nothing_of_it_is_said_in_a_file():
    text, size = said(STORE, terminal=False)
    assert size == 128 + 4 * MIB and " of " not in text and "\033" not in text
