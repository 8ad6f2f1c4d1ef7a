# SPDX-License-Identifier: Apache-2.0
"""The pairs of kernels in pairs/, as its README says: name -> (source, rule, text), both sides of one, what is
noted of it, and what `tma ptx` finds in a kernel. tests/emulator/kernels has files of the same form."""

import json
import os
import pathlib
import re
import subprocess

PADS = [300, 1000, 3000, 10000]
PAD = "ld.shared.b32 %unrelated, [unrelated_bytes+{}];\n"
FILES = sorted((pathlib.Path(__file__).parent / "pairs").glob("*/*.ptx"))


def noted(text):
    """[(word, value)] of the comments at a file's end."""
    lines = text.splitlines()
    end = len(lines) - lines[::-1].index("}")
    return [tuple(line.removeprefix("// ").split(": ", 1)) for line in lines[end:]]


def sides(text):
    """The broken kernel and the right one, each line where the file has it."""
    broken, right = [], []
    for line in text.splitlines():
        if line.startswith("//- "):
            broken.append(line[4:])
            right.append("")
        elif line.endswith(" //+"):
            broken.append("")
            right.append(line[:-4])
        elif line.startswith("// "):
            broken.append("")
            right.append("")
        else:
            broken.append(line)
            right.append(line)
    return tuple("\n".join(side).rstrip("\n") + "\n" for side in (broken, right))


def pair(path):
    text = path.read_text()
    name, mistake = text.splitlines()[:2]
    return name.removeprefix("// "), (mistake.removeprefix("// mistake: "), dict(noted(text))["expect"], text)


ALL = dict(pair(path) for path in FILES if path.parent.name != "apart")


# The pairs whose broken kernel `tma ptx` names; the others' is named by `tma emulate` alone.
NAMED = {name: one for name, one in ALL.items() if "said" in dict(noted(one[2]))}


def findings(text):
    run = subprocess.run([os.environ["TMA"], "ptx", "--json", "-"], input=text, capture_output=True, text=True, check=False)
    assert run.returncode in (0, 1), run.stderr
    answer = json.loads(run.stdout)
    of_copies = [{"line": i["line"]} | f for i in answer["instructions"] for f in i["findings"]]
    return of_copies + answer["findings"]


def padded(text, count):
    """With so many reads of a variable that nothing else touches, in front of all else."""
    head, brace, body = re.search(r"(?s)\A(.*?\.entry.*?)(\n\{|\) *\{|^\{)(.*)\Z", text, re.M).groups()
    reads = "".join(PAD.format(4 * (i % 4)) for i in range(count))
    return f"{head}{brace}\n.shared .align 16 .b8 unrelated_bytes[16];\n.reg .b32 %unrelated;\n{reads}{body}"
