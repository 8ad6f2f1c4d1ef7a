# SPDX-License-Identifier: Apache-2.0
"""docs/sass.md: what ptxas makes of the statements of sass_rows.txt, with its registers in names. REBASE=1 writes
the tables anew. PTXAS is the compiler, NVDISASM reads what it makes."""
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sass_read import named

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs/sass.md"
PTXAS = shutil.which((os.environ.get("PTXAS") or "ptxas").split(os.pathsep)[0])
NVDISASM = shutil.which(os.environ.get("NVDISASM") or "nvdisasm")
pytestmark = pytest.mark.skipif(not PTXAS or not NVDISASM, reason="no ptxas or no nvdisasm")

TARGETS = ["sm_90a", "sm_100a", "sm_107a", "sm_120a"]
WIDE, WORDS = ["map", "global", "policy"], ["dst", "src", "bar", "size", "mask", "c0", "c1", "c2", "c3", "c4", "o0", "o1",
                                            "o2", "value"]
HALVES = ["mask", "o0", "o1", "o2"]


def rows():
    """{heading: statements}"""
    found = {}
    for line in (HERE / "sass_rows.txt").read_text().splitlines():
        if line.startswith("## "):
            found[line[3:]] = statements = []
        elif line and not line.startswith("#"):
            statements.append(line)
    return found


def kernel(number, statement):
    """A kernel with the statement, on one line. Its parameters lie 8 bytes apart, so that no two are loaded at once."""
    parts = [f".visible .entry k{number}(", ", ".join(f".param .u64 {p}" for p in WIDE + WORDS), ") { .reg .pred %p; "]
    for name in sorted(set(re.findall(r"%(\w+)", statement)) - {"p"}):
        bits, of = (64, name) if name in WIDE else (32, name) if name in WORDS else (16, name[:-1])
        assert bits > 16 or of in HALVES, name
        parts.append(f".reg .b{bits} %{name}; ld.param.u{bits} %{name}, [{of}]; ")
        if name in ("map", "global"):
            parts.append(f"cvta.to.global.u64 %{name}, %{name}; ")
    return "".join([*parts, statement, " ret; }\n"])


def compiled(target, kernels, cubin):
    """The lines that ptxas refuses."""
    head = f".version 9.5\n.target {target}\n.address_size 64\n"
    done = subprocess.run([PTXAS, f"-arch={target}", "-o", cubin, "-"], input=head + "".join(kernels),
                          capture_output=True, text=True)
    said = done.stdout + done.stderr
    refused = [(int(line) - 4, why) for line, why in re.findall(r"line (\d+); error +: (.*)", said)]
    assert done.returncode == 0 or refused, said
    assert all(re.search(r"not supported on|Illegal modifier|requires \.target", why) for _, why in refused), said
    return {line for line, _ in refused}


def parameters(target):
    """{offset in the constant bank: name}"""
    begin = 0x210 if target.startswith("sm_9") else 0x380
    found = {}
    for i, name in enumerate(WIDE + WORDS):
        at = begin + 8 * i
        found |= {at: f"{name}.lo", at + 4: f"{name}.hi"} if name in WIDE else {at: name}
    return found


def machine_code(target, statements, folder):
    """{number of a statement that ptxas takes: (what is left of its kernel in names, whether it stands in a loop, what
    is called besides)}"""
    cubin = folder / "rows.cubin"
    kernels = [kernel(i, statement) for i, statement in enumerate(statements)]
    refused = compiled(target, kernels, cubin)
    compiled(target, [k for i, k in enumerate(kernels) if i not in refused], cubin)
    said = subprocess.run([NVDISASM, "-c", cubin], capture_output=True, text=True, check=True).stdout
    found = {}
    for number, body in re.findall(r"\.section\s+\.text\.k(\d+),(.*?)(?=\.section|\Z)", said, re.S):
        i = int(number)
        lines = [re.sub(r"\s+", " ", a or b)
                 for a, b in re.findall(r"/\*[0-9a-f]{4,}\*/\s+(.*?;)|^(\.L_x_\d+:)", body, re.M)]
        code, loop = named(lines, parameters(target))
        calls = []
        if " CALL." in body:
            compiled(target, [kernels[i]], cubin)
            calls = sorted({name.decode() for name in re.findall(rb"__cuda_syscall_\w+", cubin.read_bytes())})
        if len(code) == 1 and not calls:
            assert names_of(code[0]) == operands_of(statements[i]), (target, statements[i], code)
        found[i] = code, loop, calls
    return found


def operands_of(statement):
    return {name.removesuffix("h") for name in re.findall(r"%(\w+)", statement)} - {"p"}


def names_of(line):
    return {name for name in re.findall(r"[a-z]+\d?", line) if name in WIDE + WORDS}


def tables(folder):
    """{heading: table}"""
    every = [statement for statements in rows().values() for statement in statements]
    code = {target: machine_code(target, every, folder) for target in TARGETS}
    out = {}
    for heading, statements in rows().items():
        lines = ["| PTX | machine code | loop | targets |", "| --- | --- | --- | --- |"]
        for statement in statements:
            made = {}
            for target in TARGETS:
                if every.index(statement) in code[target]:
                    made.setdefault(words(*code[target][every.index(statement)]), []).append(target)
            assert made, f"no target takes {statement}"
            for i, ((text, loop), targets) in enumerate(made.items()):
                ptx = "" if i else f"`{statement.replace('%', '')}`"
                lines.append(f"| {ptx} | {text} | {loop} | {'all' if targets == TARGETS else ', '.join(targets)} |")
        out[heading] = "\n".join(lines) + "\n"
    return out


def words(lines, loop, calls):
    text = "<br>".join(f"`{line}`" for line in lines).replace("|", "\\|") or "none"
    return text + "".join(f"<br>or a call of `{name}`" for name in calls), "yes" if loop else ""


def test_the_page_is_what_ptxas_makes(tmp_path):
    """A section's table stands at its end."""
    made = tables(tmp_path)
    page = PAGE.read_text()
    first, *sections = re.split(r"^## ", page, flags=re.M)
    for i, section in enumerate(sections):
        heading = section.split("\n", 1)[0]
        if heading in made:
            text = re.sub(r"^\|.*\n?", "", section, flags=re.M).strip()
            sections[i] = f"{text}\n\n{made.pop(heading)}" + "\n" * (i + 1 < len(sections))
    assert not made, f"{PAGE}: no heading {list(made)}"
    new = "## ".join([first, *sections])
    if os.environ.get("REBASE"):
        PAGE.write_text(new)
    assert new == page


def test_there_are_rows():
    assert sum(map(len, rows().values())) > 50
