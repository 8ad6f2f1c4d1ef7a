# SPDX-License-Identifier: Apache-2.0
"""A key of JSON has one type in all answers: what the golden sessions show of each verb, and what
the writers in the sources name. A number that no signed 64-bit integer holds is text in hex, as
addresses are, and an enumerator without a name is its number; the cells of tma list are columns."""
import json
import re
from collections import defaultdict

from project_tree import ROOT, files, finish, name

KINDS = {str: "text", bool: "bool", int: "number", float: "number", list: "list", dict: "object"}
WRITES = {"text": "text", "text_out": "text", "map": "text", "hex": "hex", "enum": "text", "u64": "number", "i64": "number",
          "bool": "bool", "list": "list", "object": "object", "spec": "object", "target": "object", "finding": "object",
          "measure": "object", "report": "object"}
WRITER = re.compile(r'\btma_json_(\w+)\(\s*[^,"]*,\s*"(\w+)"')
FOLDERS = ("cli", "page", "ptx", "program/dump", "program/run", "text", "python/src")
NOT_OURS = {"cli/lint/lint_sarif.c"}  # keys that the standard SARIF names
NO_ANSWERS = {"launch", "trace"}  # files that tma emulate writes; a line without a verb is of a trace
LEAST_KEYS = 150


def enumerations():
    rows = (ROOT / "include/tma/spec_options.def").read_text()
    return {key.replace("-", "_") for key in re.findall(r'^TMA_OPTION\(\w+,\s*\w+,\s*"([^"]+)",\s*"\w*",\s*NAME', rows, re.M)}


def walk(value, where, note):
    """Notes key and kind of all that stands in a value; of the elements of a list, too."""
    if isinstance(value, dict):
        for key, inner in value.items():
            for one in inner if isinstance(inner, list) else []:
                note(key + "[]", one, where)
            note(key, inner, where)
            if (value.get("verb"), key) != ("list", "table"):
                walk(inner, where, note)
    elif isinstance(value, list):
        for inner in value:
            walk(inner, where, note)


def main():
    seen = defaultdict(dict)  # key: {kind: where first}
    named = enumerations()
    assert {"dtype", "swizzle"} <= named, "spec_options.def has no rows that this test can read"

    def note(key, value, where):
        is_hex = isinstance(value, str) and re.fullmatch(r"0x[0-9a-f]+", value)
        if value is not None and not (key in named and type(value) is int):
            seen[key].setdefault("hex" if is_hex else KINDS[type(value)], where)

    for path in files("tests/golden"):
        for i, line in enumerate(path.read_text(errors="replace").splitlines(), 1) if path.suffix == ".session" else ():
            if line.lstrip().startswith('{"'):
                try:
                    answer = json.loads(line)
                except ValueError:  # a piece of one
                    continue
                if answer.get("verb", "launch") not in NO_ANSWERS:
                    walk(answer, f"{name(path)}:{i}", note)
    for path in files(*FOLDERS):
        is_ours = path.suffix in {".c", ".h", ".cpp"} and name(path) not in NOT_OURS
        text = path.read_text() if is_ours else ""
        for found in WRITER.finditer(text):
            if found[1] in WRITES:
                seen[found[2]].setdefault(WRITES[found[1]], f"{name(path)}:{text.count(chr(10), 0, found.start()) + 1}")
    complaints = []
    for key, kinds in sorted(seen.items()):
        if len(set(kinds) - {"hex"}) > 1 or ("hex" in kinds and {"bool", "list", "object"} & set(kinds)):
            complaints.append(f"'{key}' is " + ", ".join(f"{kind} ({where})" for kind, where in kinds.items()))
    if len(seen) < LEAST_KEYS:
        complaints.append(f"only {len(seen)} keys were found: the test no longer sees the answers")
    finish(complaints, len(seen))


main()
