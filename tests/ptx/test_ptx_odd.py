# SPDX-License-Identifier: Apache-2.0
"""PTX as people and tools may write it (odd_kernels.txt): maps and coordinates are those that can be told by hand, however
blanks, comments and line ends stand. ptxas takes each."""
import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TMA = os.environ["TMA"]
PTXAS = shutil.which(os.environ.get("PTXAS") or "ptxas")
HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
BEGIN = """.visible .entry k(.param .align 64 .b8 map[128], .param .align 64 .b8 map2[256], .param .u64 gp, .param .u32 n)
{
.shared .align 1024 .b8 sm[65536];
.shared .align 8 .b64 br;
.reg .b64 m, m2, g; .reg .b32 w;
mov.b64 m, map; mov.b64 m2, map2; ld.param.u64 g, [gp]; ld.param.u32 w, [n];
"""
BLANKS = [" ", "\t", "\n", "/* ; */", " // }\n "]


def copy(m):
    rank = re.sub(r"/\*.*?\*/", "", m[1]).split("{")[1].count(",") + 1
    return f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.mbarrier::complete_tx::bytes [sm], {m[1]}, [br]"


def kernels():
    """{name: (text, [[map, coordinate ...] of each copy])}"""
    out = {}
    for part in (Path(__file__).parent / "odd_kernels.txt").read_text().split("\nkernel ")[1:]:
        name, copies, *lines = part.split("\n")
        before = [line[2:] for line in lines if line.startswith("> ")]
        behind = [line[2:] for line in lines if line.startswith("< ")]
        body = [line for line in lines if not line.startswith(("> ", "< "))]
        text = "\n".join([HEAD + "\n".join(before), BEGIN + "\n".join(body), "ret;", "}", *behind]) + "\n"
        out[name] = (re.sub(r"COPY (\[[^]]*\])", copy, text), [one.split() for one in copies[2:].split(";")])
    return out


KERNELS = kernels()


def read(path, text):
    path.write_bytes(text.encode())
    done = subprocess.run([TMA, "ptx", "--json", path], capture_output=True, text=True)
    answer = json.loads(done.stdout)
    assert all(i["understood"] for i in answer["instructions"]) and not answer["notes"]
    return [[i["map"], *i["coord"]] for i in answer["instructions"] if i["kind"] == "cp.async.bulk.tensor"]


def assemble(path):
    done = subprocess.run([PTXAS, "-arch=sm_90a", "-c", "-o", os.devnull, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def hold(said, copies):
    assert len(said) == len(copies)
    for one, of in zip(said, copies):
        shown = ["?" if value is None else str(value) for value in one]
        assert len(shown) == len(of)
        assert [s for s, o in zip(shown, of) if o != "*"] == [o for o in of if o != "*"]


def spaced(text, seed):
    """Blanks and comments before qualifiers, where ptxas takes them."""
    r = random.Random(seed)

    def one(m):
        words = m[0].split(".")
        whole = 4 if m[0].startswith("cp.async.bulk.tensor") else 1
        return ".".join(words[:whole]) + "".join((r.choice(BLANKS) if r.random() < 0.5 else "") + "." + w for w in words[whole:])
    return re.sub(r"(?<![\w.%$])[a-z]\w*(?:\.[a-z]\w*(?:::\w+)*)+", one, text)


@pytest.mark.parametrize("name", KERNELS)
def test_what_is_said_is_true(name, tmp_path):
    text, copies = KERNELS[name]
    hold(read(tmp_path / "k.ptx", text), copies)
    if PTXAS:
        assemble(tmp_path / "k.ptx")


@pytest.mark.parametrize("way", ["crlf", "spread", "one line", "spaced"])
def test_however_it_is_laid_out(way, tmp_path):
    path = tmp_path / "k.ptx"
    for name, (text, copies) in KERNELS.items():
        if way == "spread" and "/*" not in text:
            text = re.sub(r"(?<=[;,{}])(?![^\"\n]*\")", "\n/* { ; */\n", text)
        elif way == "one line":
            head, body = text.split(".address_size 64\n")
            text = head + ".address_size 64\n" + re.sub(r"//[^\n]*\n", " ", body).replace("\n", " " * 3000)
        elif way == "spaced" and ".section" not in text and ".loc" not in text and "//" not in text:
            text = spaced(text, name)
        elif way == "crlf":
            text = text.replace("\n", "\r\n")
        if ".loc" in text and way != "crlf":
            continue
        hold(read(path, text), copies)
        if PTXAS and way == "spaced":
            assemble(path)
