# SPDX-License-Identifier: Apache-2.0
"""What a program writes to a terminal."""
import os
import select


def until_it_ends(terminal, run):
    """What RUN writes there until it ends. The caller has the terminal's other end open until then, too: a read during
    which the last one closes it may say that nobody has it, in place of what was written just before."""
    text = b""
    while True:
        ended = run.poll() is not None  # asked first: a look after it sees the last words
        if select.select([terminal], [], [], 0 if ended else 0.05)[0]:
            text += os.read(terminal, 4096)
        elif ended:
            return text
