# SPDX-License-Identifier: Apache-2.0
"""watch_words.py PTXAS [ROOT]: modifiers in ptxas' own strings that have to do with copies, fences, barriers or maps and
that no table of ROOT knows."""
import re
import sys
from pathlib import Path

TABLES = ("ptx/**/*.def", "emulator/**/*.def", "include/tma/*.def", "src/**/*.def", "text/**/*.def")
ABOUT = re.compile(r"tensor|alloc|sync_restrict|proxy|bulk|mbarrier|multicast|cta_group|im2col|gather4|scatter4|override|"
                   r"evict|swizzle|report|fabric|tx")
UNRELATED = set(Path(__file__).with_name("other_words.txt").read_text().split())


def main():
    ptxas, root = sys.argv[1], Path((sys.argv[2:] or [Path(__file__).parents[2]])[0])
    text = "\n".join(p.read_text(errors="replace") for table in TABLES for p in sorted(root.glob(table)))
    known = set(re.findall(r"[a-z0-9_]+", text))
    found = set()
    for word in re.findall(rb"(?<=\0)\.([a-z][a-z0-9_]*(?:::[a-z0-9_]+)*)(?=\0)", Path(ptxas).read_bytes()):
        word = word.decode()
        if ABOUT.search(word) and word not in UNRELATED and not set(word.split("::")) <= known:
            found.add(word)
    for word in sorted(found):
        print(f"ptxas has .{word}, which no table knows")
    sys.exit(bool(found))


main()
