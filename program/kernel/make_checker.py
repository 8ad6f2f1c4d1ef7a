#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_checker.py [FOLDER]: checker.c, pass.c, fault.c and hang.c as PTX: ptx_checker.inc, ptx_inline_*.inc,
ptx_fault_*.inc and ptx_hang.inc in ptx/check; needs clang and opt of LLVM 14.

What ptxas gets to read from `tma ptxas` besides the user's own text: no .version and no .target,
every name of a file's scope prefixed, nothing visible from outside. The included files are C: an
array of strings, named as its file, that ends in NULL. What one part calls in another, and what it declares besides, is declared
by ptx/check/ptx_check.c. Of the inline parts there is the body alone, a block of its own: %libtma_inN are its
parameters, %libtma_out0 and up what it returns, which ptx/check/ptx_inline.c declares around it.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = ["--target=nvptx64-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang", "sm_70", "-Xclang",
          "-target-feature", "-Xclang", "+ptx75",
          "-Xclang", "-mcmodel=large",  # else LLVM 14 makes tables that its NVPTX cannot print
          "-O2"]
PREFIX = "libtma_checker_"
SHARED = {"tma_check_copy", "tma_fault", "tma_hang", "__assertfail", PREFIX + "record"}  # named alike in all parts
PARTS = [  # file, source, what is called from outside, definition
    ("ptx_checker.inc", "checker.c", "tma_check_copy", None),
    ("ptx_fault_assert.inc", "fault.c", "tma_fault", "ON_FAULT_ASSERT"),
    ("ptx_fault_record.inc", "fault.c", "tma_fault", "ON_FAULT_RECORD"),
    ("ptx_fault_skip.inc", "fault.c", "tma_fault", "ON_FAULT_SKIP"),
    ("ptx_hang.inc", "hang.c", "tma_hang", "PART_HANG"),
]
INLINES = [
    ("ptx_inline_quick.inc", "pass.c", "tma_pass_quick", None),
    ("ptx_inline_im2col.inc", "pass.c", "tma_pass_quick_im2col", None),
    ("ptx_inline_box.inc", "pass.c", "tma_pass_box", None),
    ("ptx_inline_full.inc", "pass.c", "tma_pass_in_full", None),
    ("ptx_inline_full_tile.inc", "pass.c", "tma_pass_in_full_tile", None),
    ("ptx_inline_leave.inc", "fault.c", "tma_leave", "ON_FAULT_RECORD"),
]
PIECE = 3800  # C99 promises strings of 4095 characters


def tool(name):
    found = shutil.which(f"{name}-14") or shutil.which(name)
    version = found and subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    return found if version and re.search(r"version 14\.", version) else None


def compiled(clang, opt, source, entry, definition):
    with tempfile.TemporaryDirectory() as folder:
        first, second = f"{folder}/all.bc", f"{folder}/kept.bc"
        subprocess.run([clang, *TARGET, "-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Werror",
                        *([f"-D{definition}"] if definition else []),
                        "-I", ROOT / "include", *(f"-I{room}" for room in sorted((ROOT / "src").iterdir())), "-emit-llvm", "-c",
                        ROOT / "program/kernel" / source, "-o", first], check=True)
        subprocess.run([opt, "-passes=internalize,globaldce", f"-internalize-public-api-list={entry}",
                        first, "-o", second], check=True)
        return subprocess.run([clang, *TARGET, "-S", "-x", "ir", second, "-o", "-"], check=True,
                              capture_output=True, text=True).stdout


def prefixed(ptx, definition):
    """All names of the file's scope, those of a part with its own prefix."""
    own = PREFIX + (definition.split("_")[-1].lower() + "_" if definition else "")
    names = set(re.findall(r"^\.(?:global|const) [^;=]*?([\w$]+)(?:\[\d*\])?(?: =|;)", ptx, re.M))
    names |= set(re.findall(r"\.func\s+(?:\([^)]*\)\s*)?([\w$]+)", ptx))
    plain = {n: own + re.sub(r"\W", "_", n) for n in names - SHARED}
    plain |= {n: PREFIX + n for n in SHARED if n.startswith("tma_")}
    return re.sub(r"(?<![\w$.%])[A-Za-z_$][\w$]*", lambda m: plain.get(m[0], m[0]), ptx)


def text_of(ptx, returns):
    """Without what the file around it says, without comments and empty lines; bytes close together."""
    ptx = re.sub(r"^\.extern [^;]*;", "", ptx, flags=re.M)
    lines = []
    for line in ptx.splitlines():
        line = re.sub(r"//.*", "", line).rstrip().replace("\t", " ")
        line = re.sub(r"^ +", " ", line)
        if line.strip() and not re.match(r"\.(version|target|address_size)\b", line):
            lines.append(re.sub(r", (?=[\d])", ",", re.sub(r"^\.visible ", "", line)))
    # LLVM prints variables in an order that changes from run to run; tables follow what they name
    variables = sorted((line for line in lines if line.startswith(".global")),
                       key=lambda line: ("generic(" in line, line))
    first = next((i for i, line in enumerate(lines) if line.startswith(".global")), 0)
    rest = [line for line in lines[first:] if not line.startswith(".global")]
    text = "\n".join(lines[:first] + variables + rest) + "\n"
    if not returns:  # clang 14 has no word for it; ptxas then keeps no register across the call
        text = re.sub(rf"(\.func {PREFIX}tma_(?:fault|hang)\s*\([^)]*\))", r"\1 .noreturn", text)
    return text


def returned(statement):
    first = int(statement[1]) // 4
    values = statement[2].strip("{}").split(",")
    return " ".join(f"mov.b32 %libtma_out{first + i}, {value.strip()};" for i, value in enumerate(values))


def body_of(ptx, entry):
    """The body of a function that calls nothing and has no table, as a block for anybody's function."""
    head = re.search(rf"\.func\s+(?:\([^)]*\)\s*)?{entry}\s*\([^)]*\)\s*\{{", ptx)
    end = ptx.index("\n}\n", head.end())
    body = ptx[head.end():end]
    other = re.search(r".*\bcall\b.*|.*\.local\b.*|^\.(?:global|const).*", ptx, re.M)
    if other:
        sys.exit(f"make_checker.py: {entry} is not one block of instructions: {other[0]}")
    body = re.sub(r"%(p|rs|rd|r)(?=[\d<])", r"%libtma_\1x", body)
    body = re.sub(rf"ld\.param\.(u|s)(32|64)\s+(%\w+), \[{entry}_param_(\d+)\];", r"mov.b\2 \3, %libtma_in\4;", body)
    body = re.sub(r"st\.param(?:\.v\d)?\.b32\s+\[func_retval0\+(\d+)\], (.*);", returned, body)
    body = re.sub(r"\bret;", "bra.uni $libtma_end;", body)
    body = re.sub(r"(?:\$L__|\bL)BB\d+_", "$libtma_b", body)
    if "_param_" in body or "func_retval" in body:
        other = re.search(r".*_param_.*|.*func_retval.*", body)[0]
        sys.exit(f"make_checker.py: {entry} has a parameter or a result in another way: {other}")
    return "{\n" + body + "\n$libtma_end:\n}\n"


def included(text, name, source):
    out = ["/* SPDX-License-Identifier: Apache-2.0",
           " *",
           f" * Made of program/kernel/{source} by program/kernel/make_checker.py: the checker inside kernels, as PTX.",
           " */",
           "#include <stddef.h>",
           f"static const char *const {name.removesuffix('.inc')}[] = {{"]
    piece = ""
    for line in text.splitlines(keepends=True):
        for part in (line[i:i + PIECE] for i in range(0, len(line), PIECE)):
            if len(piece) + len(part) > PIECE:
                out.append(piece)
                piece = ""
            piece += part
    out.append(piece)
    quoted = [p.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for p in out[6:]]
    return "\n".join(out[:6] + [f'"{q}",' for q in quoted] + ["NULL,", "};"]) + "\n"


def read_of(text):
    """The inline part's parameters that it reads, a bit each."""
    return sum(1 << int(n) for n in set(re.findall(r"%libtma_in(\d+);", text)))


def main():
    clang, opt = tool("clang"), tool("opt")
    if not clang or not opt:
        print("make_checker.py: no clang and opt of LLVM 14: apt-get install clang-14 llvm-14", file=sys.stderr)
        sys.exit(77)
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "ptx/check"
    for name, source, entry, definition in PARTS:
        ptx = compiled(clang, opt, source, entry, definition)
        (folder / name).write_text(included(text_of(prefixed(ptx, definition), definition == "ON_FAULT_SKIP"), name, source))
    for name, source, entry, definition in INLINES:
        text = text_of(body_of(compiled(clang, opt, source, entry, definition), entry), True)
        (folder / name).write_text(included(text, name, source)
                                   + f"#define {name.removesuffix('.inc').upper()}_READS UINT64_C({read_of(text):#x})\n")


if __name__ == "__main__":
    main()
