# SPDX-License-Identifier: Apache-2.0
"""What the command prints, byte for byte: each <verb>/<theme>.session goes as it is written.
TMA names the program; REBASE=1 writes the sessions anew."""
import concurrent.futures
import difflib
import os
import re
import shutil

import conftest
import pytest
import transcript

SESSIONS = sorted(transcript.HERE.glob("*/*.session"))


def name(path):
    return f"{path.parent.name}/{path.stem}"


@pytest.fixture(scope="session")
def running(request):
    """All chosen sessions, begun at once: {path: future of its commands, answered}."""
    tma = os.environ.get("TMA") or shutil.which("tma")
    if not tma or not os.path.exists(tma):
        pytest.exit("TMA does not name the program to test: TMA=build/tma", returncode=2)
    asked = [i.callspec.params for i in request.session.items if hasattr(i, "callspec")]
    chosen = [params["path"] for params in asked if "path" in params]
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count())) as pool:
        yield {path: pool.submit(transcript.run, tma, transcript.read(path.read_text()))
               for path in chosen}


@pytest.mark.parametrize("path", SESSIONS, ids=name)
def test_goes_as_written(path, running, pytestconfig):
    written = path.read_text()
    if missing := transcript.lacking(transcript.read(written)):
        pytest.skip(f"{name(path)} is left out: no {', '.join(missing)} here")
    now = transcript.write(running[path].result())
    if pytestconfig.getoption("rebase"):
        path.write_text(now)
    elif now != written:
        lines = difflib.unified_diff(written.splitlines(), now.splitlines(),
                                     f"{name(path)}.session, as written", "as it goes now",
                                     n=8, lineterm="")
        pytest.fail("\n".join(lines) + "\nREBASE=1 writes it anew, if that is right",
                    pytrace=False)


def test_there_are_sessions():
    commands = sum(len(transcript.read(p.read_text())) for p in SESSIONS)
    assert len(SESSIONS) > 40 and commands > 480
    assert conftest.LONGER <= {name(p) for p in SESSIONS}


@pytest.mark.parametrize("reader", ["head -n 1", "grep -m 1 1", "grep -q 1", "sed 1q"])
def test_no_writer_is_killed_by_a_reader(reader):
    """A megabyte is more than a pipe holds."""
    command, = transcript.run("/bin/true", [transcript.Command(f"seq 1000000 | {reader}")])
    assert (command.status, command.stderr) == (0, b"")
    assert command.stdout == (b"" if "-q" in reader else b"1\n")


def test_every_output_line_tells_what_it_is():
    """Two outputs never read alike: marks, blanks and bytes are escaped."""
    outputs = [b"", b"\n", b"a", b"a\n", b"$ a\n", b"# a\n", b"#\n", b"2> a\n", b"[exit 1]\n",
               b"a \n", b"a\\x20 (escaped)\n", b"a\x1b\n", b"\xff\n", b"> a\n", b">\n",
               b"a (no newline)\n", b"a\n\n", b"\\x0a\n", b"\r\n", b"2>\n"]
    texts = [transcript.write([transcript.Command("c", [], data)]) for data in outputs]
    texts += [transcript.write([transcript.Command("c", [], b"", data)]) for data in outputs[1:]]
    assert len(set(texts)) == len(texts)
    for text in texts:
        assert [c.text for c in transcript.read(text)] == ["c"]
        assert not any(line.endswith(" ") for line in text.splitlines())


def test_every_program_that_prints_arguments_is_in_a_session():
    """A row of paste_sources.def is a line that some session shows: "3-14: CUTLASS (also ..."."""
    rows = re.findall(r'^PASTE_SOURCE\(\w+, "([^"]*)"', (
        transcript.HERE.parents[1] / "include/tma/paste_sources.def").read_text(), re.M)
    shown = "\n".join(p.read_text() for p in SESSIONS)
    missing = [row for row in rows if not re.search(rf"^(\S+:)?\d+(-\d+)?: {re.escape(row)}( \(|:|$|,| )", shown, re.M)]
    assert len(rows) > 12 and not missing
