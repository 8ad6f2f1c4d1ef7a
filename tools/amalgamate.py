#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""amalgamate.py FOLDER: writes the whole library as FOLDER/tma.h and FOLDER/tma.c.

tma.h is include/tma/tma.h with everything it includes; tma.c is every source that CMakeLists.txt
lists. A header with an include guard goes in once, anything else wherever it is included. Two
sources may each have a static `rows`: joined, such names get their file's name in front
(`rules_rows`). The macros of a source end with it.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SEARCH = [*sorted((ROOT / "src").iterdir()), ROOT / "include", ROOT / "include/tma"]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)".*\n', re.M)
MACRO = re.compile(r"^[ \t]*#[ \t]*(define|undef)[ \t]+(\w+)", re.M)
GUARD = re.compile(r"\A(?:/\*.*?\*/|\s)*#ifndef (\w+)\n#define \1\b", re.S)
COMMENT_OR_STRING = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
TITLE = """/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma {version} in one file: made by tools/amalgamate.py, not for editing.
 */
"""
NO_CPP = """
#ifdef __cplusplus
#error "tma.c is C: compile it with a C compiler, as C11; tma.h serves C and C++"
#else
"""
# Functions of headers that nothing calls: no compiler minds them in a header, some do in one file.
UNCALLED = """
#if defined(__GNUC__)
#define TMA_LAYOUT_FUNCTION static inline __attribute__((unused))
#define TMA_JUDGE_STAGE     static inline __attribute__((unused))
#endif
"""

LINE_HERE = "#line of this file"


def find(target, beside):
    for folder in [beside, *SEARCH]:
        if (folder / target).is_file():
            return (folder / target).resolve()
    raise SystemExit(f"amalgamate.py: {target}, included in {beside}, is not there")


def once(path):
    """Whether a file says itself that it comes in once; a table may come in many times."""
    return path.suffix != ".def" and GUARD.match(path.read_text()) is not None


def body(path):
    """A file's text; without its opening comment, if it may come in many times."""
    text = path.read_text()
    if path.suffix == ".c" or once(path):
        return text
    return re.sub(r"\A/\*.*?\*/\n", "", text, flags=re.S)


def expand(path, seen, text=None):
    """The file with its own includes in place."""
    def replace(match):
        target = find(match[1], path.parent)
        if not once(target):
            rows = expand(target, seen)
            return f"#line 1\n{rows}\n{LINE_HERE}\n" if counts_lines else rows
        if target in seen:
            return ""
        seen.add(target)
        return f"\n/* ---- {target.relative_to(ROOT)} ---- */\n{expand(target, seen)}\n"
    text = body(path) if text is None else text
    counts_lines = "__LINE__" in text  # of a table: the same each time that it comes in
    return INCLUDE.sub(replace, text)


def file_scope(text):
    """The names that a .c file keeps to itself: static things, types, constants of enums."""
    code = COMMENT_OR_STRING.sub(" ", text)
    code = re.sub(r"^[ \t]*#(?:.*\\\n)*.*\n", "\n", code, flags=re.M)
    code = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", code)
    found = set(re.findall(r"^static\b[^;={(\[]*?\b(\w+)\s*[=;(\[]", code, re.M))
    found |= set(re.findall(r"^typedef\b[^;{(]*\b(\w+)\s*[;\[]", code, re.M))
    found |= set(re.findall(r"^typedef\b[^;{(]*\(\*(\w+)\)", code, re.M))
    found |= set(re.findall(r"^\}\s*(\w+)\s*[;=\[]", code, re.M))
    found |= set(re.findall(r"^(?:typedef\s+)?(?:struct|union|enum)\s+(\w+)\s*\{", code, re.M))
    for constants in re.findall(r"^(?:typedef\s+)?enum\b[^{;]*\{([^}]*)\}", code, re.M):
        found |= set(re.findall(r"(?:^|,)\s*(\w+)", constants))
    return found


def rename(text, names, prefix):
    """Puts the prefix before each of the names, where it stands for itself: not in a string or a
    comment, not as a member."""
    if not names:
        return text
    word = re.compile(r"(?<![\w.])(?<!->)(" + "|".join(sorted(names)) + r")\b")
    out, at = [], 0
    for kept in COMMENT_OR_STRING.finditer(text):
        out += [word.sub(rf"{prefix}_\1", text[at:kept.start()]), kept[0]]
        at = kept.end()
    return "".join(out) + word.sub(rf"{prefix}_\1", text[at:])


def undefine(text):
    """#undef lines for the macros that a .c file leaves defined."""
    left = {}
    for action, macro in MACRO.findall(COMMENT_OR_STRING.sub(" ", text)):
        left[macro] = action == "define"
    return "".join(f"#undef {macro}\n" for macro, defined in left.items() if defined)


def numbered(text):
    """The lines behind a table whose lines are counted have their own numbers again."""
    lines = text.split("\n")
    return "\n".join(f"#line {n}" if line == LINE_HERE else line for n, line in enumerate(lines, 2))


def implementation(public):
    listed = re.findall(r"src/\w+/\w+\.c\b", (ROOT / "CMakeLists.txt").read_text())
    sources = [ROOT / source for source in listed]
    texts = {path: body(path) for path in sources}
    owners = {}
    for path, text in texts.items():
        for own in file_scope(text):
            owners.setdefault(own, []).append(path)
    parts = [NO_CPP, UNCALLED, '\n#define TMA_INSIDE\n#include "tma.h"\n']
    seen = set(public)
    for path, text in texts.items():
        shared = {own for own, paths in owners.items() if len(paths) > 1 and path in paths}
        text = rename(text, shared, path.stem)
        parts.append(f"\n/* ---- {path.relative_to(ROOT)} ---- */\n")
        parts.append(expand(path, seen, text) + undefine(text))
    return "".join(parts) + "\n#endif\n"


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__.splitlines()[0])
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    umbrella = ROOT / "include/tma/tma.h"
    public = {umbrella}
    header = expand(umbrella, public)
    version = re.search(r'#define TMA_VERSION +"([^"]+)"', header)[1]
    title = TITLE.format(version=version)
    (folder / "tma.h").write_text(title + header)
    (folder / "tma.c").write_text(numbered(title + implementation(public)))


main()
