# SPDX-License-Identifier: Apache-2.0
"""Slightly wrong PTX, beside ptxas: what ptxas takes is read as a file without mistakes is, and of what ptxas refuses nothing
is claimed to be certain but what is wrong with its text. TMA_PTX_KERNELS says of how many files a third is made."""
import json
import os
import random
import re
import subprocess

import pytest
from machine_code import NVDISASM, Count, hold
from test_ptx_odd import HEAD, KERNELS, PTXAS, TMA

FILES = int(os.environ.get("TMA_PTX_KERNELS", "300")) // 3
OF_TEXT = {"ptx-unread", "ptx-piece", "ptx-target", "ptx-version"}
MAYBE_SO = {"map-local"}  # `.local .b8 map[128]` in a kernel's head: refused, and said of what stands there
TYPES = [".b16", ".b32", ".b64", ".b128", ".f32", ".pred", ".s32", ".s64", ".u8", ".u16", ".u32", ".u64"]
NUMBERS = ["0x", "09", "0b2", "1.5", "-1", "99999999999999999999", "0xFFFFFFFFF", "4U", "4L", "'a'", "~0", "!0", "(4", "0f3F800000",
           "4294967296", "-2147483649", "1e3", "WARP_SZ", "_", "%tid.x", "%clock"]
OPCODES = "add sub mov mul.lo cvt cvta setp.eq selp shl and bra call ret exit trap prefetch foo".split()
SPACES = [".param", ".global", ".shared", ".local", ".const", ".shared::cta", ""]
CHARACTERS = r"[;,{}\[\]()@:.]"
OPERAND = r",\s*[^,;{}()\[\]]+(?=[,;}\])])"
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"]*"|[\w$%]+(?:::\w+)?|::|<<|>>|[^\s\w]|\s+', re.S)
# name: (what is replaced, by what)
CHANGES = {
    "a name that nothing declares": (r"(?<=[\s\[{,(])%?[a-z]\w*(?=[\s\]},);+])", lambda r, m: m + "_no"),
    "another register's type": (r"(?<=\.reg )\.\w+", lambda r, m: r.choice(TYPES)),
    "another type": (r"\.(?:[usb](?:8|16|32|64)|pred)(?=\s)", lambda r, m: r.choice(TYPES)),
    "a label twice": (r"(?<=[;{}\n\s])[$\w]+:(?!:)", lambda r, m: f"{m} mov.b32 w, 1; {m}"),
    "a label less": (r"(?<=[;{}\n\s])[$\w]+:(?!:)", lambda r, m: ""),
    "a declaration twice": (r"\.reg[^;]*;", lambda r, m: m + m),
    "a declaration less": (r"\.(?:reg|shared|param|local|global)[^;{)]*;", lambda r, m: ""),
    "another state space": (r"\.(?:param|global|shared|local|const)\b(?=[.\s])", lambda r, m: r.choice(SPACES)),
    "an operand less": (OPERAND, lambda r, m: ""),
    "an operand twice": (OPERAND, lambda r, m: m + m),
    "operands swapped": (r"[\w%$]+\s*,\s*[\w%$]+", lambda r, m: ", ".join(re.split(r"\s*,\s*", m)[::-1])),
    "a character less": (CHARACTERS, lambda r, m: ""),
    "another character": (CHARACTERS, lambda r, m: r.choice(";,{}[]()@:.!+-<>\"'*/#")),
    "a character more": (CHARACTERS, lambda r, m: m + r.choice([m, ";", ",", "{", "}", "/*", "*/", "//", '"', "."])),
    "a qualifier less": (r"\.[a-z]\w*(?:::\w+)*", lambda r, m: ""),
    "a qualifier more": (r"\.[a-z]\w*(?:::\w+)*", lambda r, m: m + r.choice(
        [".foo", ".wide", ".sat", ".cc", ".v2", ".uni", ".im2col", ".tile", ".bulk_group", ".cta_group::2", ".volatile"])),
    "another number": (r"(?<![\w.%$:\[])\d\w*", lambda r, m: r.choice(NUMBERS)),
    "a guard": (r"(?<=;)\s*(?=[a-z])", lambda r, m: r.choice([" @w ", " @p ", " @!p ", " @1 ", " @nope ", " @ ", " @!!p "])),
    "a statement less": (r"[^;{}]*;", lambda r, m: ""),
    "another opcode": (r"(?<=[;{}\s])(?:add|sub|mov|mul|mad|cvt|cvta|setp|selp|shl|shr|and|bra|call|ld|st|ret)(?=[.\s;])",
                       lambda r, m: r.choice(OPCODES)),
}


def changed(r, text):
    """(what is wrong, the file)"""
    body = text.removeprefix(HEAD)
    way = r.choice([*CHANGES, "a token less", "a token twice", "the target", "the version"])
    if way == "the target":
        return way, text.replace("sm_90a", r.choice(["sm_80", "sm_90", "sm_75", "sm_999", "compute_90"]), 1)
    if way == "the version":
        return way, text.replace("8.6", r.choice(["7.0", "7.8", "8.0", "8.5", "9.9", "8", "a.b"]), 1)
    if way not in CHANGES:
        tokens = TOKEN.findall(body)
        i = r.randrange(len(tokens))
        tokens[i] = "" if way == "a token less" else 2 * tokens[i]
        return way, HEAD + "".join(tokens)
    pattern, new = CHANGES[way]
    places = list(re.finditer(pattern, body))
    if not places:
        return way, text
    m = r.choice(places)
    return way, HEAD + body[:m.start()] + new(r, m[0]) + body[m.end():]


def hold_taken(way, path, answer, text, count):
    rules = {f["rule"] for i in answer["instructions"] for f in i["findings"]}
    assert not rules & OF_TEXT, way
    copies = len(re.findall(r"cp\.async\.bulk\.tensor", re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)))
    assert answer["sites"] == copies and all(i["understood"] for i in answer["instructions"]), way
    if NVDISASM and "sm_90a" in text:
        hold(path, TMA, path.parent, count)


@pytest.mark.skipif(not PTXAS, reason="no ptxas")
def test_slightly_wrong_files(tmp_path):
    taken, refused, count = 0, 0, Count()
    texts = [text for name, (text, _) in KERNELS.items() if name != "commentsall"]
    for seed in range(FILES):
        r = random.Random(f"mutated {seed}")
        text = r.choice(texts)
        way, wrong = changed(r, text)
        if wrong == text:
            continue
        path = tmp_path / f"{seed}.ptx"
        path.write_text(wrong)
        done = subprocess.run([TMA, "ptx", "--json", path], capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        answer = json.loads(done.stdout)
        theirs = subprocess.run([PTXAS, "-arch=sm_90a", "-c", "-o", os.devnull, path], capture_output=True, text=True)
        if theirs.returncode == 0:
            taken += 1
            hold_taken(way, path, answer, wrong, count)
        else:
            refused += 1
            certain = {f["rule"] for i in answer["instructions"] for f in i["findings"] if f["certain"]}
            assert certain <= OF_TEXT | MAYBE_SO, f"{seed}, {way}: {theirs.stderr}"
    print(f"{taken} taken, {refused} refused; {count.constants} constants in machine code, {count.equal} known")
    assert not count.different
    assert taken >= 0.05 * FILES and refused >= 0.5 * FILES
