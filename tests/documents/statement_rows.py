# SPDX-License-Identifier: Apache-2.0
"""The rows of the tables of this folder: what each statement of the documents asks, and the answer.

A table is a .toml file; a row has `says`, a statement of the documents in short; `of`, the sentences
that say it, by their places in sentences_*.txt; `ask`, a command; `answer`, as statement_answers.py
reads it; `differs`, where hardware or driver say otherwise: the evidence; `chooses`, where libtma
answers otherwise and nothing was seen that decides: why; `note`; `also`, other commands that must
tell the same: each with `ask` and `answer`. They are no statements and are not counted as such.
"""
import functools
import pathlib

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10: whose tests are left out
    import pytest
    pytest.skip("Python has tomllib from 3.11 on", allow_module_level=True)

HERE = pathlib.Path(__file__).resolve().parent
KEYS = {"says", "of", "also", "ask", "answer", "differs", "chooses", "note"}

# In the order of the documents.
TABLES = ["tensors", "tiled", "im2col", "im2col_wide", "interleave", "swizzle", "swizzle_atomicity",
          "tensor_map", "enumerations", "encode_tiled", "encode_tiled_packed", "encode_tiled_box",
          "encode_im2col", "encode_im2col_packed", "encode_im2col_box", "encode_wide",
          "encode_wide_packed", "encode_wide_box", "replace_address"]


@functools.cache # they are asked for once a section
def sections():
    """(table, title of the section, its rows) of each."""
    return [(table, section["title"], section["row"]) for table in TABLES
            for section in tomllib.loads((HERE / f"{table}.toml").read_text())["section"]]


def as_list(value):
    return [value] if isinstance(value, str) else value


def rows():
    for table, title, found in sections():
        for number, row in enumerate(found, 1):
            yield {**row, "of": as_list(row["of"]), "table": table, "section": title,
                   "number": number}


def questions():
    """Each row, and behind it what else is asked of its statement."""
    for row in rows():
        yield row
        for number, other in enumerate(row.get("also", []), 1):
            yield {**row, **other, "number": f"{row['number']}.{number}"}


def counts(found=None):
    """(rows, those that differ with evidence, those that differ by choice)."""
    every = list(rows()) if found is None else found
    return (len(every), sum("differs" in row for row in every),
            sum("chooses" in row for row in every))
