# SPDX-License-Identifier: Apache-2.0
"""tensormap.replace as each release of ptxas compiles it, executed from its machine code on random maps, against
`tma replace --ptxas RELEASE`. PTXAS names the compilers, a colon between; NVDISASM reads what they make."""
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sass_edit import compiled, executed

TMA = os.environ["TMA"]
COMPILERS = [p for p in os.environ.get("PTXAS", "").split(os.pathsep) if shutil.which(p)]
NVDISASM = shutil.which(os.environ.get("NVDISASM") or "nvdisasm")
pytestmark = pytest.mark.skipif(not COMPILERS or not NVDISASM, reason="no ptxas or no nvdisasm")

ORDINALS = {"box_dim": 5, "global_dim": 5, "global_stride": 4, "element_stride": 5}
IMMEDIATES = {"elemtype": 16, "interleave_layout": 3, "swizzle_mode": 5, "fill_mode": 2, "swizzle_atomicity": 4}
WIDE = ("global_address", "global_stride")
FIELDS = ["global_address", "rank", *ORDINALS, *IMMEDIATES]
VERSIONS = ["8.3", "8.8", "9.5"]
TARGETS = ["sm_90a", "sm_100a", "sm_103a", "sm_120a"]
SPACES = [("global", "%rd4"), ("shared::cta", "%r1")]


def release(ptxas):
    said = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"V(\d+\.\d+\.\d+)", said)[1]


def edits():
    """(statement without its space and address, options of tma replace, what stands for the operand)."""
    for field in FIELDS:
        bits = "b64" if field in WIDE else "b32"
        for ordinal in range(ORDINALS.get(field, 1)):
            number = f"{ordinal}, " if field in ORDINALS else ""
            words = ["--ord", str(ordinal)] if field in ORDINALS else []
            for value in range(IMMEDIATES[field]) if field in IMMEDIATES else [None]:
                operand = str(value) if value is not None else "%rd3" if field in WIDE else "%r3"
                yield (f"tensormap.replace.tile.{field}.SPACE.b1024.{bits} [AT], {number}{operand};",
                       ["--field", field, *words], value, field in WIDE)
    for word in ("small", "large", "same"):
        yield (f"tensormap.replace.tile.global_address.alloc_{word}.SPACE.b1024.b64 [AT], %rd3;",
               ["--field", "global_address", "--alloc", word], None, True)
    for word in ("small", "large"):
        yield f"tensormap.replace.tile.alloc_{word}.SPACE.b1024 [AT];", ["--field", "alloc_class"], word, False


def ours(data, options, value, of):
    done = subprocess.run([TMA, "replace", data.hex(), *options, "--value", str(value), "--ptxas", of],
                          capture_output=True, text=True)
    assert done.returncode == 0, (options, value, of, done.stderr)
    return bytes.fromhex(done.stdout.strip())


@pytest.mark.parametrize("ptxas", COMPILERS, ids=release)
def test_edits_are_what_the_machine_code_does(ptxas, tmp_path):
    draw = random.Random(95)
    of = release(ptxas)
    rows = [(*row, bytes(draw.randrange(256) for _ in range(128)), draw.randrange(1 << 48), draw.randrange(1 << 10))
            for row in edits()]
    known = {}
    compared = different = 0
    wrong = []
    for target in TARGETS:
        for space, at in SPACES:
            texts = [row[0].replace("SPACE", space).replace("AT", at) for row in rows]
            code = {}
            for version in VERSIONS:
                code.update(compiled(ptxas, NVDISASM, target, version, texts, tmp_path))
            for i, instructions in code.items():
                _, options, value, is_wide, data, y, r = rows[i]
                theirs = executed(instructions, data, y, r)
                if i not in known:
                    known[i] = ours(data, options, value if value is not None else y if is_wide else r, of)
                compared += 1
                different += theirs != data
                if theirs != known[i]:
                    wrong.append((target, texts[i], theirs.hex(), known[i].hex()))
    assert not wrong, (of, len(wrong), wrong[0])
    assert compared > 80 and different > compared // 2


def test_there_is_code_to_execute():
    assert Path(COMPILERS[0]).exists() and len(list(edits())) > 50
