# SPDX-License-Identifier: Apache-2.0
"""Pictures keep to a terminal's columns: panels that have no room side by side go one below the other, and no word of
the picture is lost by it. One that can't says how many columns it takes."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

import pytest
from terminal import until_it_ends

TMA = os.environ["TMA"]
SPEC = "--dtype=bfloat16 --dim=4096,8192 --box=64,16 --swizzle=128B".split()
NARROW = 80
WIDE = 400


def lines(columns, *words):
    """What a terminal of so many columns shows, without its colours."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    with subprocess.Popen([TMA, "draw", *words, *SPEC], stdin=subprocess.DEVNULL, stdout=slave) as run:
        text = until_it_ends(master, run)
    os.close(slave)
    os.close(master)
    assert run.returncode == 0, text
    return re.sub(r"\033\[[\d;]*m", "", text.decode()).replace("\r", "").splitlines()


@pytest.mark.parametrize("color", ["always", "never"])
@pytest.mark.parametrize("picture", ["copy", "swizzle", "banks", "mma", "cost"])
def test_panels_go_one_below_the_other(picture, color):
    wide, narrow = (lines(columns, picture, f"--color={color}") for columns in (WIDE, NARROW))
    assert max(map(len, narrow)) <= NARROW < max(map(len, wide)), narrow
    assert sorted(" ".join(narrow).split()) == sorted(" ".join(wide).split())


def test_a_picture_that_has_no_room_is_whole_and_says_so():
    wide, narrow = lines(WIDE, "bytes"), lines(NARROW, "bytes")
    assert narrow[:-1] == wide
    assert narrow[-1].split(":")[0].split() == f"{max(map(len, wide))} columns wide, the terminal has {NARROW}".split()
