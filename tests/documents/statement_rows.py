# SPDX-License-Identifier: Apache-2.0
"""The rows of the tables of this folder: what each statement of the documents asks, and the answer.

A table is a .toml file; a row has `says`, a statement of the documents in short; `ask`, a command;
`answer`, as statement_answers.py reads it; `differs`, where hardware or driver say otherwise: the evidence;
`chooses`, where libtma answers otherwise and nothing was seen that decides: why; `note`.
"""
import pathlib
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
KEYS = {"says", "ask", "answer", "differs", "chooses", "note"}

# In the order of the documents.
TABLES = ["tensors", "tiled", "im2col", "im2col_wide", "interleave", "swizzle", "swizzle_atomicity",
          "tensor_map", "enumerations", "encode_tiled", "encode_tiled_packed", "encode_tiled_box",
          "encode_im2col", "encode_im2col_packed", "encode_im2col_box", "encode_wide",
          "encode_wide_packed", "encode_wide_box", "replace_address"]


def sections():
    """(table, title of the section, its rows)."""
    for table in TABLES:
        for section in tomllib.loads((HERE / f"{table}.toml").read_text())["section"]:
            yield table, section["title"], section["row"]


def rows():
    for table, title, found in sections():
        for number, row in enumerate(found, 1):
            yield {**row, "table": table, "section": title, "number": number}


def counts():
    """(rows, those that differ with evidence, those that differ by choice)."""
    every = list(rows())
    return (len(every), sum("differs" in row for row in every),
            sum("chooses" in row for row in every))
