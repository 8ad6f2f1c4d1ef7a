# SPDX-License-Identifier: Apache-2.0
"""What the structural checks share: the project's files, and how a check ends."""
import functools
import os
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CODE = {".c", ".h", ".cpp", ".cu", ".py", ".def", ".sh"}


def with_rooms(*folders):
    """Folders, each with those below it."""
    return tuple(at for folder in folders for at in (folder, *(name(p) for p in sorted((ROOT / folder).rglob("[a-z]*")) if p.is_dir())))


def name(path):
    return str(path).removeprefix(f"{ROOT}/")


# The libraries, each on top of those before it, with their folders, and the public headers that the later
# ones have in include/tma; all others are the core's.
LIBRARIES = {"libtma": with_rooms("src"), "libtma-text": with_rooms("text", "ptx/statement", "ptx/check"),
             "libtma-draw": with_rooms("draw")}
INSIDE = tuple(folder for folders in LIBRARIES.values() for folder in folders)
HEADERS = {"libtma-text": {"case.h", "code.h", "crash.h", "dump.h", "driver_codes.def", "grammar.h", "json.h", "mma_options.def", "mma_text.h",
                           "paste.h",
                           "paste_sources.def", "pattern.h", "ptx.h", "ptx_check.h", "ptx_file.h", "synonyms.h",
                           "spec_options.def", "copy_options.def", "target_options.def", "text.h", "view.h", "word.h"},
           "libtma-draw": {"draw.h", "draw_options.def", "draw_pictures.def", "draw_styles.def"},
           "libtma-emulator": {"emulate.h", "emulate_rules.def", "emulate_readings.def"}}


def library_of(header):
    """The library that a public header or table belongs to, by its file name."""
    return next((lib for lib, headers in HEADERS.items() if header in headers), "libtma")


@functools.cache
def all_files():
    """(path, its name from the project's root) of every file of the project, in order; without build output."""
    found = []
    for folder, inside, names in os.walk(ROOT):
        top = folder == str(ROOT)
        inside[:], names = ([n for n in many if not n.startswith((".", "__")) and not (top and n.startswith("build"))]
                            for many in (inside, names))
        found += [pathlib.Path(folder, n) for n in names]
    return [(path, name(path)) for path in sorted(found) if path.is_file()]


def files(*folders):
    """Every file of the project below the folders (default: all of it), without build output."""
    for folder in folders or [""]:
        yield from (path for path, named in all_files() if not folder or named.startswith(f"{folder}/"))


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)


def finish(complaints, looked_at):
    """Prints what is wrong and exits. Looking at nothing is wrong as well."""
    if not looked_at:
        complaints = ["nothing was looked at: the check itself is broken"]
    for complaint in complaints:
        print(complaint)
    print(f"{looked_at} looked at, {len(complaints)} wrong")
    sys.exit(1 if complaints else 0)


def nvcc_or_skip():
    """CUDA's compiler; where there is none, the check ends with 77."""
    places = [os.path.join(os.environ[v], "bin") for v in ("CUDA_HOME", "CUDA_PATH") if v in os.environ]
    nvcc = shutil.which("nvcc", path=os.pathsep.join([*places, os.environ.get("PATH", ""), "/usr/local/cuda/bin"]))
    if not nvcc:
        print("no nvcc")
        sys.exit(77)
    return nvcc
