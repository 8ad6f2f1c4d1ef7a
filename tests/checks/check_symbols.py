# SPDX-License-Identifier: Apache-2.0
"""check_symbols.py LIBRARY.A [BELOW.A ...] [--strings]: a library calls nothing but memcpy, memset and the
libraries below it (with --strings: and functions of string.h), and keeps no state.

No undefined symbol means no allocation, no input or output, no dependency; no byte in a writable
section means no globals. Tables of pointers lie in .data.rel.ro: constant once loaded.
"""
import re
import subprocess
import sys

from project_tree import finish

ALLOWED = {"memcpy", "memset", "_GLOBAL_OFFSET_TABLE_"}
STRINGS = {"memchr", "memcmp", "memmove", "strchr", "strlen",
           "bcmp", "__popcountdi2", "__cpu_model"}  # these: the compiler's own (clang's memcmp for equality is bcmp)
COMPILERS = {"__stack_chk_fail"}  # -fstack-protector, the default of some systems
WRITABLE = (".data", ".bss", ".tdata", ".tbss", "COMMON", "*COM*")


def lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def undefined(archive):
    """What it calls, by plain names: a compiler that fortifies by default calls __memcpy_chk for memcpy."""
    needed, defined = set(), set()
    for line in lines("nm", "-P", archive):
        fields = line.split()
        if len(fields) >= 2:
            (needed if fields[1] in "Uwv" else defined).add(fields[0])
    needed = {re.sub(r"^__(mem\w+)_chk$", r"\1", name) for name in needed}
    return needed - defined - COMPILERS, defined


def writable(archive):
    """(section, size) of every section that a running program could write."""
    for line in lines("objdump", "-h", archive):
        fields = line.split()
        if len(fields) >= 3 and fields[0].isdigit():
            section, size = fields[1], int(fields[2], 16)
            if section.startswith(WRITABLE) and not section.startswith(".data.rel.ro"):
                yield section, size


def main():
    archive = sys.argv[1]
    allowed = ALLOWED | (STRINGS if "--strings" in sys.argv else set())
    needed, defined = undefined(archive)
    below = set().union(*(undefined(other)[1] for other in sys.argv[2:] if other != "--strings"))
    complaints = [f"it calls {symbol}" for symbol in sorted(needed - allowed - below)]
    complaints += [f"{size} writable bytes in {section}" for section, size in writable(archive) if size]
    complaints += [f"{line.split()[0]} is a common symbol" for line in lines("nm", "-P", archive)
                   if len(line.split()) > 1 and line.split()[1] == "C"]
    finish(complaints, len(defined))


main()
