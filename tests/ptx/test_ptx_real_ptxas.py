# SPDX-License-Identifier: Apache-2.0
"""tma ptxas beside the ptxas that it calls: what that one says of checks, where Triton's is, options that are refused before."""
import os
import re
import sys

import pytest
from test_ptx_checked import TMA, kernel
from test_ptx_commands import place  # noqa: F401


@pytest.mark.parametrize("refused, noted", [
    ("ptxas fatal   : Some word", "ptxas fatal   : Some word"), ("first\\nptxas %s, line 3; error   : Some word", r"Some word \(line 3\)"),
    ("ptxas %s, line 22; error   : Some word\\nptxas error : another", r"Some word \(line 22, function libtma_checker_\w+\)"),
    ("ptxas %s, row 3; error   : Some word", "Some word"), ("ptxas %s, line x; error : Some word", "Some word"),
    ("ptxas nothing, line 3; error   : Some word", "Some word"), ("ptxas %s, line 4294967296; error : Some word", "Some word"),
    ("error " + "x" * 400, "error x{249}"), ("it failed", None)])
def test_what_ptxas_said_of_the_checks_is_noted(refused, noted, place):  # noqa: F811
    fake, names = place.fake(), ["one.ptx", "k.ptx"]
    place.source("one.ptx", kernel("membar.gl;"))
    place.source("k.ptx")
    done = place.ptxas(f"--real={fake}", "--notes=notes", *names, REFUSE=refused)
    assert (done.returncode, done.stderr, place.arguments()) == (0, "", names)
    left = "  left: ptxas took the file without checks alone" + (f": with them it says: {noted}" if noted else "")
    assert re.search(left + "\ntotal 1 found 0 checked\n$", (place.folder / "notes").read_text())


def test_tritons_own_ptxas(place):  # noqa: F811
    """That of the process which starts the command, whose libtriton.so is mapped."""
    (place.folder / "triton/_C").mkdir(parents=True)
    (place.folder / "triton/_C/libtriton.so").write_bytes(bytes(4096))
    source = place.source("k.ptx")
    run = place.source("run.py", """import mmap, subprocess, sys
files = [open(f, "r+b") for f in sys.argv[1].split(":")]
kept = [mmap.mmap(f.fileno(), 0) for f in files]
sys.exit(subprocess.run(sys.argv[2:]).returncode)
""")
    place.fake("path/ptxas")
    path, library = f"{place.folder}/path:/usr/bin:/bin", place.folder / "triton/_C/libtriton.so"
    assert place.run(sys.executable, run, library, TMA, "ptxas", source, path=path).returncode == 0
    assert place.called() == ["path/ptxas"] # Triton has none
    place.fake("triton/backends/nvidia/bin/ptxas")
    place.fake("triton/backends/nvidia/bin/ptxas-blackwell")
    assert place.run(sys.executable, run, f"{source}:{library}", TMA, "ptxas", source, path=path).returncode == 0
    assert place.called() == ["triton/backends/nvidia/bin/ptxas"]
    (place.folder / "links").mkdir()
    (place.folder / "links/ptxas-blackwell").symlink_to(os.path.abspath(TMA))
    assert place.run(sys.executable, run, library, place.folder / "links/ptxas-blackwell", source, path=path).returncode == 0
    assert place.called() == ["triton/backends/nvidia/bin/ptxas-blackwell"]
    assert place.run(sys.executable, run, source, TMA, "ptxas", source, path=path).returncode == 0
    assert place.called() == ["path/ptxas"]


def test_words_that_no_option_takes(place):  # noqa: F811
    fake, source = place.fake(), place.source("k.ptx")
    for option, said in (("--on-fault=what", "--on-fault=what is none of assert, trap, record, skip, auto\n"), ("--hang=0", ""), ("--hang=x", "")):
        done = place.ptxas(f"--real={fake}", option, source)
        assert (done.returncode, done.stdout, place.called()) == (2, "", []) and said in done.stderr and done.stderr.startswith("tma ptxas: --")
