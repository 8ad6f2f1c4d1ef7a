# SPDX-License-Identifier: Apache-2.0
"""Every file of the project that a comment, a table or a document names exists: words with a folder
and an ending. A path begins at the root, at the folder of its file or of a folder above it, or, for
headers, at include/."""
import re

from project_tree import ROOT, files, finish, name

ENDINGS = "c|h|cu|cuh|cpp|py|js|sh|def|inc|md|cmake|session|toml|tsv|map|svg"
PATH = re.compile(rf"(?<![\w/.$<>{{}}*~@:-])((?:[\w-]+/)+[\w.-]*\w\.(?:{ENDINGS}))(?![\w/*])")
LOOKED_AT = {".c", ".h", ".cpp", ".cu", ".cuh", ".def", ".py", ".js", ".sh", ".md"}
# Made by a build or an installation, of other projects, or a user's own.
FOREIGN = re.compile(r"^(build\S*|usr|etc|tmp|opt|share|lib|bin|dev|proc|nanobind|cute|cutlass|cutlass_3x|cuda|triton|torch|sys|linux|"
                     r"valgrind|sanitizer|cairo|emmintrin|drv_nvidia|python3|fatcubin|third_party)/")
# Histories, and what tests give as inputs.
LEFT_OUT = re.compile(r"^(tests/checks/check_examples\.py|tests/support/cases/crash_spellings\.def|tests/golden/test_source_text\.py|CHANGELOG\.md|lab/fuzz/corpus/|tests/golden/.*/inputs|tests/.*/samples/|tests/golden/inputs/)")


def exists(path, word):
    if (ROOT / "include" / word).exists():
        return True
    return any((folder / word).exists() for folder in [path.parent, *path.parent.parents] if folder.is_relative_to(ROOT))


def complaints_of(path):
    text = path.read_text(errors="replace")
    if path.suffix in {".c", ".h", ".cpp", ".cu", ".cuh", ".js"}:  # the comments alone; includes are the compiler's
        text = re.sub(r'"(?:\\.|[^"\\\n])*"', lambda quoted: " " * len(quoted[0]), text)
    said = []
    for match in PATH.finditer(text):
        if FOREIGN.match(match[1]) or re.search(r"[A-Z]{4}", match[1].rpartition(".")[0].removesuffix("README")):
            continue  # another project's; a placeholder: cmd_VERB.c
        if not exists(path, match[1]):
            line = text.count("\n", 0, match.start()) + 1
            said.append(f"{name(path)}:{line}: there is no {match[1]}")
    return said


def main():
    complaints, looked_at = [], 0
    for path in files():
        if path.suffix in LOOKED_AT and not LEFT_OUT.match(name(path)):
            complaints += complaints_of(path)
            looked_at += 1
    finish(complaints, looked_at)


main()
