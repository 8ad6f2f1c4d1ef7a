#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutate_tables.py [TABLE[:WORDS]...]: changes one number in each row of fields.def, enums.def and
limits.def, one row at a time, and says what follows; WORDS picks rows.

Run it in a scratch copy of the tree: the tables are written to, and put back. A row is followed if
what reads it still agrees with itself (decode undoes encode, replace and encode make the same bytes,
the quick accept and the rules, check and plan) and the documents change; it is noticed if the
captured vectors or the numbers that the tests have typed in disagree, or it does not compile.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / "build-mutate"
AGREE = ["test_tables_agree", "test_accept", "test_one_judge"]
# What these say when two ways to one answer part; they also fail where random specs that are meant
# to be accepted, by numbers typed in, no longer are.
PARTED = {"test_tables_agree": r"read otherwise|difference|0 != 0x|!= 0\b", "test_accept": r"accepts \d",
          "test_one_judge": r"check and plan differ"}
VECTORS = ["test_vectors", "test_replace", "test_copy_vectors", "test_probes"]
TYPED = ["test_layout", "test_roundtrip", "test_limits", "test_spec", "test_swizzle", "test_rules",
         "test_plan", "test_packed", "test_element"]
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "TMA_TEST_SPECS": "3000"}


def fields():
    """(what, old row, new row): the word of a field becomes one that no field has."""
    for row in re.findall(r"^TMA_FIELD.*$", text("fields"), re.M):
        head = re.match(r"(TMA_FIELD(?:_ARRAY)?\((\w+), \"[^\"]*\", \w+, \w+, )(\d+)(,.*)$", row)
        yield f"field {head[2]}: word {head[3]} is 20", row, f"{head[1]}20{head[4]}"


# The number changed: which one of the row's, and to what.
ENUMS = {"DTYPE": (5, {None: "14"}), "API": (5, {"0": "2", "1": "3"}),
         "SWIZZLE": (9, {None: "2048"}), "INTERLEAVE": (5, {None: "3"}),
         "L2": (5, {"0": "1", "1": "0", "2": "3", "3": "2"}), "FILL": (5, {"0": "1", "1": "0"}),
         "ATOMICITY": (5, {"0": "1", "1": "0", "2": "3", "3": "2"}), "WIDE_MODE": (5, {"-1": "0"})}


def cells(row):
    return re.findall(r'\s*(?:"(?:[^"\\]|\\.)*"|\w+\([^()]*\)|[^,"()]+)', row)


def enums():
    for row in re.findall(r"^TMA_\w+_ROWS\(.*\)$", text("enums"), re.M):
        kind, inner = re.match(r"TMA_(\w+)_ROWS\((.*)\)$", row).groups()
        at, values = ENUMS[kind]
        parts = cells(inner)
        old = parts[at].strip()
        new = values.get(old, values.get(None))
        if old == new:
            new = "15"
        parts[at] = parts[at].replace(old, new)
        yield (f"{kind.lower()} {parts[0]}: number {at} from {old} to {new}", row,
               f"TMA_{kind}_ROWS({','.join(parts)})")


def other(number):
    """Half of a power of two, else one less."""
    return number // 2 if number > 3 and not number & number - 1 else abs(number - 1)


def limits():
    for row in re.findall(r"^#define TMA_LIMIT_\w+\(as\) .*$", text("limits"), re.M):
        name, head, number, rest = re.match(
            r"(#define TMA_LIMIT_(?:\w+)\(as\)\s*as\(\w+, )()(\d+|\(\d+, \d+\))(,.*)$", row).groups()
        new = re.sub(r"\d+(?=\)?$)", lambda m: str(other(int(m[0]))), number)
        what = re.search(r"TMA_LIMIT_(\w+)\(", row)[1]
        yield f"limit {what}: {number} is {new}", row, f"{name}{new}{rest}"


def path(table):
    return ROOT / f"include/tma/{table}.def"


def text(table):
    return path(table).read_text()


def build():
    done = subprocess.run(["ninja", "-C", BUILD, "gendocs", *AGREE, *VECTORS, *TYPED],
                          capture_output=True, text=True)
    return done.returncode == 0


def documents():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([BUILD / "tools/gendocs", folder], check=True)
        return {p.name: p.read_text() for p in pathlib.Path(folder).iterdir()}


def failed(tests, all_of_them=False):
    """The tests that fail, or only the first."""
    bad = []
    for test in tests:
        try:
            done = subprocess.run([BUILD / "tests" / test], capture_output=True, env=ENVIRONMENT,
                                  timeout=300)
            code = done.returncode
            if test in PARTED and not re.search(PARTED[test].encode(), done.stdout + done.stderr):
                code = 0
        except subprocess.TimeoutExpired:
            code = 1
        bad += [test] if code else []
        if bad and not all_of_them:
            break
    return bad


def main():
    tables = sys.argv[1:] or ["fields", "enums", "limits"]
    subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-D", "LIBTMA_BUILD_TESTS=ON",
                    "-D", "LIBTMA_BUILD_FUZZERS=OFF", "-D", "CMAKE_BUILD_TYPE=Debug"],
                   check=True, stdout=subprocess.DEVNULL)
    if not build() or failed(AGREE + VECTORS + TYPED):
        sys.exit("mutate_tables.py: the tests fail before anything is changed")
    before = documents()
    for asked in tables:
        table, words = (asked + ":").split(":")[:2]
        rows = [row for row in globals()[table]() if words in row[0]]
        count = dict.fromkeys(["rows", "not built", "agree", "documents", "vectors", "typed"], 0)
        whole = text(table)
        for what, old, new in rows:
            count["rows"] += 1
            assert whole.count(old) == 1 and old != new, what
            try:
                path(table).write_text(whole.replace(old, new))
                if not build():
                    count["not built"] += 1
                    print(f"{what}: does not compile", flush=True)
                    continue
                apart = failed(AGREE, all_of_them=True)
                seen, typed = failed(VECTORS), failed(TYPED)
                docs = documents() != before
            finally:
                path(table).write_text(whole)
            count["agree"] += not apart
            count["documents"] += docs
            count["vectors"] += bool(seen)
            count["typed"] += bool(typed)
            print(f"{what}: {'apart: ' + ' '.join(apart) if apart else 'agree'}; documents "
                  f"{'follow' if docs else 'DO NOT follow'}; vectors: {' '.join(seen) or '-'}; "
                  f"typed: {' '.join(typed) or '-'}", flush=True)
        print(f"{table}.def:", ", ".join(f"{n} {k}" for k, n in count.items()), flush=True)


main()
