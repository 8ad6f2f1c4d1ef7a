# SPDX-License-Identifier: Apache-2.0
"""A front end asks: no option of a spec, target, copy or drawing is named in cli, page, shim or python
beside its table (the command's own rows, comparisons of words), and no number is parsed there but by
the libraries' readers."""
import re

from project_tree import ROOT, files, finish, name, without_comments

TABLES = {"spec_options.def": r'TMA_OPTION\(\w+,\s*\w+,\s*"([^"]+)"', "copy_options.def": r'TMA_COPY_OPTION\(\w+,\s*"([^"]+)"',
          "target_options.def": r'TMA_TARGET_OPTION\(\w+,\s*"([^"]+)"', "mma_options.def": r'MMA_OPTION\(\w+,\s*"([^"]+)"', "draw_options.def": r'TMA_DRAW_OPTION\(\w+,\s*"([^"]+)"'}
FOLDERS = ("cli", "page", "program/ptxas", "program/run", "program/shim", "python/src")
# Another thing of that name: a program's name, lines of a text, an edit's address, a case line's state space, a key of NumPy's header, a launch's CTAs and memory; two elements of the page.
OTHERS = {("cli/copy/copy_memory.c", "lines"), ("cli/map/cmd_replace.c", "address"), ("cli/replay/replay_hw.c", "cluster"), ("cli/tensor/npy.c", "shape"),
          ("program/ptxas/ptxas_find.c", "ptxas"), ("cli/emulate/cmd_emulate.c", "cluster"), ("cli/emulate/cmd_emulate.c", "shared"), ("cli/emulate/cmd_emulate.c", "reading"),
          ("page/page.js", "coord"), ("page/page.js", "arch")}
NUMBERS = re.compile(r"\b(strto[a-z]*|ato[ifl]l?|[a-z]*scanf|parseInt|parseFloat)\s*\(")


def main():
    names = set()
    for table, row in TABLES.items():
        found = set(re.findall(row, (ROOT / "include/tma" / table).read_text()))
        assert found, f"{table} has no rows that this test can read"
        names |= found
    complaints, looked_at = [], 0
    for path in files(*FOLDERS):
        if path.suffix not in {".c", ".h", ".cpp", ".js"} or "tests" in path.relative_to(ROOT).parts:
            continue
        looked_at += 1
        text = without_comments(path.read_text())
        for found in NUMBERS.findall(text):
            complaints.append(f"{name(path)}: {found}() reads a number; text.h has the readers")
        for option in re.findall(r'\{\s*"([a-z0-9-]+)",\s*KEY', text) + re.findall(r'(?:strcmp|_same|===)\s*\(?[^;{}"]*"(?:--)?([a-z0-9-]+)"', text):
            if option in names and (name(path), option) not in OTHERS:
                complaints.append(f"{name(path)}: '{option}' is an option of a table in include/tma; ask/ask.h reads it")
    finish(complaints, looked_at)


main()
