#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_checker.py [FILE]: checker.c as PTX, text/ptx_checker.inc; needs clang and opt of LLVM 14.

What ptxas gets to read from `tma ptxas` besides the user's own text: no .version and no .target,
every name of a file's scope prefixed, nothing visible from outside. The included file is C: strings
with a comma behind each.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
TARGET = ["--target=nvptx64-nvidia-cuda", "-Xclang", "-target-cpu", "-Xclang", "sm_70", "-Xclang",
          "-target-feature", "-Xclang", "+ptx75",
          "-Xclang", "-mcmodel=large",  # else LLVM 14 makes tables that its NVPTX cannot print
          "-O2"]
ENTRY = "tma_check_copy"
PREFIX = "libtma_checker_"
PIECE = 3800  # C99 promises strings of 4095 characters


def tool(name):
    found = shutil.which(f"{name}-14") or shutil.which(name)
    version = found and subprocess.run([found, "--version"], capture_output=True, text=True).stdout
    return found if version and re.search(r"version 14\.", version) else None


def compiled(clang, opt):
    with tempfile.TemporaryDirectory() as folder:
        first, second = f"{folder}/all.bc", f"{folder}/kept.bc"
        subprocess.run([clang, *TARGET, "-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Werror",
                        "-I", ROOT / "include", "-I", ROOT / "src", "-emit-llvm", "-c",
                        ROOT / "kernel/checker.c", "-o", first], check=True)
        subprocess.run([opt, "-passes=internalize,globaldce",
                        f"-internalize-public-api-list={ENTRY}", first, "-o", second], check=True)
        return subprocess.run([clang, *TARGET, "-S", "-x", "ir", second, "-o", "-"], check=True,
                              capture_output=True, text=True).stdout


def prefixed(ptx):
    """All names of the file's scope. The end of a report is a function of the rewritten file itself
    (text/ptx_check.c): what it calls is said there."""
    ptx = ptx.replace(".extern .func", ".func").replace("__assertfail", "stop")
    names = set(re.findall(r"^\.(?:global|const) [^;=]*?([\w$]+)(?:\[\d*\])?(?: =|;)", ptx, re.M))
    names |= set(re.findall(r"\.func\s+(?:\([^)]*\)\s*)?([\w$]+)", ptx))
    plain = {n: PREFIX + re.sub(r"\W", "_", n) for n in names}
    return re.sub(r"(?<![\w$.%])[A-Za-z_$][\w$]*", lambda m: plain.get(m[0], m[0]), ptx)


def text_of(ptx):
    """Without what the file around it says, without comments and empty lines; bytes close together."""
    lines = []
    for line in ptx.splitlines():
        line = re.sub(r"//.*", "", line).rstrip().replace("\t", " ")
        line = re.sub(r"^ +", " ", line)
        if line.strip() and not re.match(r"\.(version|target|address_size)\b", line):
            lines.append(re.sub(r", (?=[\d])", ",", re.sub(r"^\.visible ", "", line)))
    # LLVM prints variables in an order that changes from run to run; tables follow what they name
    variables = sorted((line for line in lines if line.startswith(".global")),
                       key=lambda line: ("generic(" in line, line))
    first = next(i for i, line in enumerate(lines) if line.startswith(".global"))
    rest = [line for line in lines[first:] if not line.startswith(".global")]
    text = "\n".join(lines[:first] + variables + rest) + "\n"
    # clang 14 has no word for it; ptxas then keeps no register of the kernel across the call
    return re.sub(rf"(\.func {PREFIX}report\s*\([^)]*\))", r"\1 .noreturn", text)


def included(text):
    out = ["/* SPDX-License-Identifier: Apache-2.0",
           " *",
           " * Made of kernel/checker.c by kernel/make_checker.py: the checker inside kernels, as PTX.",
           " */"]
    piece = ""
    for line in text.splitlines(keepends=True):
        for part in (line[i:i + PIECE] for i in range(0, len(line), PIECE)):
            if len(piece) + len(part) > PIECE:
                out.append(piece)
                piece = ""
            piece += part
    out.append(piece)
    quoted = [p.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") for p in out[4:]]
    return "\n".join(out[:4] + [f'"{q}",' for q in quoted]) + "\n"


def main():
    clang, opt = tool("clang"), tool("opt")
    if not clang or not opt:
        print("make_checker.py: no clang and opt of LLVM 14: apt-get install clang-14 llvm-14", file=sys.stderr)
        sys.exit(77)
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "text/ptx_checker.inc"
    target.write_text(included(text_of(prefixed(compiled(clang, opt)))))


if __name__ == "__main__":
    main()
