# SPDX-License-Identifier: Apache-2.0
"""What programs print and what libtma-cuda.so says of their calls, byte for byte: transcript.txt, as a
terminal would show it. REBASE=1 writes it anew: read its difference line by line."""
import difflib
import os
import pathlib
import re
import zlib

import pytest

from shim_programs import PRETEND, run

WRITTEN = pathlib.Path(__file__).with_name("transcript.txt")
# Each notices a break of the shim that no other does, or says a line that no other says (355 breaks, 144 noticed).
SITUATIONS = [("replace_calls", [], {"PRETEND_CC": 100, "PRETEND_FAULT": fault}) for fault in ("blind", "201")]
SITUATIONS += [("direct_calls", [], {"PRETEND_FAULT": fault}) for fault in ("", "blind", "2", "77", "201", "801", "999")]
SITUATIONS += [("found_calls", [what], {"PRETEND_FAULT": fault})
               for what, fault in (("bad", "blind"), ("bad", "700"), ("faults", ""), ("faults", "blind"), ("edges", "blind"))]
SITUATIONS += [("class_calls", ["direct"], {"PRETEND_CC": 100, "PRETEND_VERSION": 13050, "PRETEND_FAULT": fault})
               for fault in ("bytes", "out", "blind", "1", "201", "700", "999")]
SITUATIONS += [("class_calls", ["direct"], settings) for settings in (
    {"PRETEND_CC": 89, "PRETEND_FAULT": "blind"}, {"PRETEND_CC": 0, "PRETEND_FAULT": "bytes"},
    {"LIBTMA_MODE": "stand-in", "LIBTMA_ARCH": "sm_100a", "LIBTMA_DRIVER": "13.5"})]
SITUATIONS += [(program, [], {"LIBTMA_MODE": "stand-in", "LIBTMA_ARCH": arch})
               for program, arch in (("replace_calls", "sm_90"), ("replace_calls", "sm_100a"), ("direct_calls", "sm_100a"))]
SITUATIONS += [("direct_calls", [], settings) for settings in (
    {"PRETEND_CC": 0}, {"PRETEND_CC": 80},
    {"PRETEND_CC": 121, "PRETEND_FAULT": "700"}, {"PRETEND_VERSION": 12020},
    {"LIBTMA_QUIET": "1"}, {"LIBTMA_QUIET": "2"}, {"LIBTMA_MODE": "off"}, {"LIBTMA_ARCH": "sm_91"},
    {"LIBTMA_DRIVER": "11.8"}, {"LIBTMA_MODE": "stand-in", "LIBTMA_DRIVER": "x"})]


def shown(program, arguments, settings):
    done = run(program, *arguments, libraries=[PRETEND], **settings)
    words = [f"{name}={value}" for name, value in settings.items() if value != ""]
    lines = [" ".join(["$", *words, program, *arguments]), *done.stdout.splitlines()]
    lines += ["2> " + line for line in done.stderr.splitlines()]
    lines += [f"[exit {done.returncode}]"] if done.returncode else []
    return [*map(shorter, lines), ""]


def shorter(line):
    """A map on the program's stack is somewhere else each time; of one's bytes, a sum."""
    line = re.sub(r"tensorMap = 0x[0-9a-f]{6,}", "tensorMap = 0x...", line)
    return re.sub(r"\b[0-9a-f]{256}\b", lambda hexadecimal: f"sum {zlib.crc32(hexadecimal[0].encode()):08x}", line)


def test_all_is_said_as_written():
    now = [line for situation in SITUATIONS for line in shown(*situation)]
    if os.environ.get("REBASE"):
        WRITTEN.write_text("\n".join(now))
    written = WRITTEN.read_text().split("\n")
    difference = list(difflib.unified_diff(written, now, "as written", "as it is now", n=4, lineterm=""))
    assert len(now) > 1000
    if difference:
        pytest.fail("\n".join(difference) + "\nREBASE=1 writes it anew, if that is right", pytrace=False)


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_errno_is_nothing_when_a_program_begins(closed):
    """Whichever standard stream it began without."""
    done = run("replace_calls", libraries=[PRETEND], first=lambda: os.close(closed))
    assert done.returncode == 0 and (closed == 1 or done.stdout.startswith("errno 0\n"))
