# SPDX-License-Identifier: Apache-2.0
"""check_exports.py LIBRARY.SO NAME: it shows what its public headers mark TMA_EXPORT, no more."""
import re
import subprocess
import sys

from project_tree import ROOT, finish, library_of, without_comments

DECLARATION = re.compile(r"^TMA_EXPORT\b[^;{]*?\b(\w+)\s*\(", re.M)


def declared(library):
    found = set()
    for header in (ROOT / "include/tma").glob("*.h"):
        if library_of(header.name) == library:
            found |= set(DECLARATION.findall(without_comments(header.read_text())))
    return found


def exported(library):
    out = subprocess.run(["nm", "-D", "-P", "--defined-only", library],
                         check=True, capture_output=True, text=True).stdout
    symbols = (line.split()[:2] for line in out.splitlines())
    return {symbol.split("@")[0] for symbol, kind in symbols if kind != "A"}


def main():
    headers, library = declared(sys.argv[2]), exported(sys.argv[1])
    complaints = [f"{f} is declared, but not in the library" for f in sorted(headers - library)]
    complaints += [f"{f} is exported, but no header declares it" for f in sorted(library - headers)]
    finish(complaints, len(headers))


main()
