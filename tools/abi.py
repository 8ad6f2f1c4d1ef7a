#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""abi.py [--update]: what docs/abi.md freezes, against tests/abi/libtma.txt: the size of every
public type of libtma, offset and size of every member, every number, every function with its
types. A line that changed or went is an error; a new one is too, until --update writes it down.
Only what is not yet released may be changed there by hand.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
FROZEN = ROOT / "tests/abi/libtma.txt"
HEADERS = ["tma/tma.h", "tma/layout.h"]
INCLUDES = "".join(f"#include <{h}>\n" for h in HEADERS)
NUMBER = re.compile(r"^#define (TMA_[A-Z0-9_]+) \(?(?:0[xX][0-9A-Fa-f]+|\d+)[uUlL]*\)?$", re.M)
OF_A_VERSION = {"TMA_VERSION_MAJOR", "TMA_VERSION_MINOR", "TMA_VERSION_PATCH"}
# How many there are in this version, or all of them at once: they grow.
GROWS = {"TMA_SEVERITIES", "TMA_STANDINGS", "TMA_ARGUMENTS", "TMA_OPS", "TMA_MODES", "TMA_READERS", "TMA_PATHS",
         "TMA_ENUM_KINDS", "TMA_REPLACE_FIELDS", "TMA_HARDWARES", "TMA_FOUND_FORMS", "TMA_DTYPES",
         "TMA_SWIZZLES", "TMA_ODD_ALL", "TMA_MMA_FAMILIES", "TMA_MMA_TYPES", "TMA_MMA_RULES",
         "TMA_MMA_REASONS", "TMA_IDESC_KINDS"}


def preprocess(*flags):
    return subprocess.run(["gcc", "-std=c11", "-E", *flags, f"-I{ROOT / 'include'}", "-"],
                          input=INCLUDES, capture_output=True, text=True, check=True).stdout


def members(body):
    """The member names of a struct without structs in it."""
    for part in re.sub(r"\s+", " ", body).split(";"):
        part = re.sub(r"__attribute__\s*\(\(.*?\)\)|_Alignas\s*\([^)]*\)", "", part).strip()
        for name in part.split(","):
            found = re.search(r"(\w+)\s*(?:\[[^\]]*\])*$", name.strip())
            if found:
                yield found[1]


def asked():
    """C statements that print a line each."""
    text = preprocess("-P")
    for body, name in re.findall(r"typedef struct \w+ \{(.*?)\} (tma_\w+);", text, re.S):
        yield f'printf("struct {name}: %zu B\\n", sizeof({name}));'
        for m in members(body):
            yield (f'printf("  {name}.{m}: at %zu, %zu B\\n", offsetof({name}, {m}), '
                   f'sizeof((({name} *)0)->{m}));')
    for body, name in re.findall(r"typedef enum (?:\w+ )?\{(.*?)\} (tma_\w+);", text, re.S):
        for constant in re.findall(r"(?:^|,)\s*(TMA_\w+)", body):
            if constant not in GROWS:
                yield f'printf("enum {name}: {constant} = %lld\\n", (long long){constant});'
    for constant in sorted(set(NUMBER.findall(preprocess("-dM"))) - OF_A_VERSION):
        if constant not in GROWS:
            yield f'printf("define {constant} = %lld\\n", (long long){constant});'


def functions():
    text = preprocess("-P", "-DTMA_EXPORT=TMA_EXPORT_")
    for found in re.findall(r"TMA_EXPORT_\s+(.*?);", text, re.S):
        found = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", re.sub(r"\s+", " ", found))
        yield "function " + re.sub(r"\s+", " ", found).strip()


def now():
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/abi"
        source = f"{INCLUDES}#include <stdio.h>\nint main(void) {{\n{chr(10).join(asked())}\nreturn 0;\n}}\n"
        subprocess.run(["gcc", "-std=c11", f"-I{ROOT / 'include'}", "-x", "c", "-", "-o", program],
                       input=source, text=True, check=True)
        out = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return out.splitlines() + sorted(functions())


def main():
    lines = now()
    if "--update" in sys.argv:
        FROZEN.write_text("\n".join(lines) + "\n")
        return
    frozen = FROZEN.read_text().splitlines()
    gone = [f"gone, or not what it was: {line}" for line in frozen if line not in set(lines)]
    new = [f"new: {line}" for line in lines if line not in set(frozen)]
    print("\n".join(gone + new))
    print(f"{len(frozen)} frozen, {len(gone)} changed, {len(new)} new (tools/abi.py --update)")
    sys.exit(1 if gone or new or not frozen else 0)


if __name__ == "__main__":
    main()
