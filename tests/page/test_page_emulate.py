# SPDX-License-Identifier: Apache-2.0
"""The page's emulator in node: it says what tma emulate says, byte for byte. TMA is the command, PAGE the page's
HTML, beside which its emulator lies."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "ptx"))
from pairs import noted, sides  # noqa: E402

TMA, PAGE = os.environ["TMA"], pathlib.Path(os.environ["PAGE"])
NODE = shutil.which("node")
KERNELS = HERE.parent / "emulator/kernels"
pytestmark = pytest.mark.skipif(not NODE, reason="no node here")


def ask(*requests):
    lines = "".join(json.dumps(r) + "\n" for r in requests)
    run = subprocess.run([NODE, HERE / "emulate.js", PAGE, PAGE.with_name("tma-emulator.js")], input=lines, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return [json.loads(line) for line in run.stdout.splitlines()]


def tma(path, *words, verb="emulate"):
    done = subprocess.run([TMA, verb, path, *words], capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), done.stderr
    return done.stdout


def same(got, path, words):
    said = json.loads(tma(path, *words, "--json"))
    assert got["answer"].get("emulate") == {key: said[key] for key in said if key not in ("schema", "verb", "file")}
    assert got["answer"]["text"] == tma(path, *words)


@pytest.mark.parametrize("folder", sorted(p.name for p in KERNELS.iterdir() if p.is_dir()))
def test_kernels_right_and_broken(folder, tmp_path):
    """Ends, findings, coverage, proofs, and the bytes of memory behind each pass, by their hashes."""
    kernels = sorted((KERNELS / folder).glob("*.ptx"))
    texts = [(path.stem, side, dict(noted(path.read_text()))["launch"]) for path in kernels for side in sides(path.read_text())]
    silent = {path.stem for path in kernels}
    for (name, text, launch), got in zip(texts, ask(*({"ptx": text, "options": launch} for _, text, launch in texts)), strict=True):
        (tmp_path / "kernel.ptx").write_text(text)
        same(got, tmp_path / "kernel.ptx", shlex.split(launch))
        if got["answer"]["emulate"]["findings"]:
            silent.discard(name)
    assert texts and silent == set(), "each broken one has a finding"


MAPPED = "--param out=zeros:512 --map 'map=--dtype float16 --dim 64,32 --box 64,32'"
RUNS = {"right": ("--kernel waits " + MAPPED, "completed"), "race": ("--kernel waits_not " + MAPPED, "completed"),
        "deadlock": ("--kernel hangs --param n=3", "deadlock")}


@pytest.mark.parametrize("name", RUNS)
def test_the_picture_is_the_commands(name, tmp_path):
    options, end = RUNS[name]
    text = (HERE.parent / "golden/inputs/emulate_tile.ptx").read_text()
    path = tmp_path / "kernel.ptx"
    path.write_text(text)
    got, = ask({"ptx": text, "options": options, "timeline": True})
    assert got["answer"]["emulate"]["end"] == end
    same(got, path, shlex.split(options))
    tma(path, *shlex.split(options), "--trace", tmp_path / "run.trace")
    for theme, svg in zip(("auto", "light", "dark"), got["timeline"]["svg"], strict=True):
        drawn = tma("timeline", tmp_path / "run.trace", "--theme", theme, "--out", "-", verb="draw")
        plain = [re.sub(r"<metadata>.*?</metadata>", "", one, flags=re.S).split() for one in (svg, drawn)]
        assert plain[0] == plain[1]


VECTOR = """.version 8.0
.target sm_90a
.address_size 64
.extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);
.global .b8 said[10] = {108, 111, 111, 107, 32, 37, 100, 10, 0};
.visible .entry loops(.param .u32 n)
{
    .reg .b32 %r<4>;
    .reg .pred %p;
    ld.param.u32 %r1, [n];
    mov.u32 %r2, 0;
again:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p, %r2, %r1;
    @%p bra again;
    ret;
}
"""


def test_a_long_run_says_how_far_it_is_and_ends_at_its_limit():
    short, long, cut = ask(*({"ptx": VECTOR, "options": "--block 32 --no-order " + more} for more in (
        "--param n=10", "--param n=3000000", "--param n=3000000 --max-instructions 1000000")))
    assert short["told"] <= 2 < long["told"]
    assert long["answer"]["emulate"]["end"] == "completed" and cut["answer"]["emulate"]["end"] == "limit"


@pytest.mark.parametrize("options, error", [
    ("--grid 0", "--grid: 0, must be 1 at least"), ("--grid", "--grid needs a value"), ("--no-order=1", "--no-order has no value"),
    ("--save n=x", "--save is no option of a launch"), ("--param n=FILE.npy", "the page reads no file"), ("hello", "'hello' is no option"),
    ("--param 'n=1", "a quote"), ("--kernel nobody", "none has that name"), ("--schedules 9999999", "must be 1000000 at most"),
    ("--param n=zeros:5000000000", "5000000000"), ("--arch sm_1", "sm_1")])
def test_launches_that_are_not_understood(options, error):
    got, = ask({"ptx": VECTOR, "options": options})
    assert error in got["answer"]["error"]


def test_a_command_line_is_a_launch():
    got, plain = ask({"ptx": VECTOR, "options": "$ tma emulate kernel.ptx --block=32 --param n=3"}, {"ptx": VECTOR, "options": "--block 32 --param n=3"})
    assert got["answer"] == plain["answer"] and "emulate" in got["answer"]


def test_what_is_no_ptx_and_memory_that_is_not_there():
    none, = ask({"ptx": "hello", "options": ""})
    assert "error" in none["answer"]
    large, = ask({"ptx": VECTOR.replace("said[10]", "said[4294967296]"), "options": "--block 32 --param n=3"})
    assert "no memory" in json.dumps(large["answer"])
