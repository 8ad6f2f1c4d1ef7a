# SPDX-License-Identifier: Apache-2.0
"""One list of opcodes: the tables of what forms do to barriers, and of what executes them, have no opcode
that ptx_ops.def lacks or knows otherwise."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = re.findall(r"""PTX_OP\((\w+), "([^"]*)", "([^"]*)", '(.)', '(.)', '(.)'\)""",
                  (ROOT / "ptx/read/ptx_ops.def").read_text())
ACTS = re.findall(r'PTX_ACT\((\w+), "(\w+)", "([^"]*)", "([^"]*)"', (ROOT / "ptx/acts/protocol_acts.def").read_text())
SHAPES = set(re.findall(r"EMU_SHAPE\((\w+),", (ROOT / "emulator/decode/operand_shapes.def").read_text()))
OPERATIONS = [row for file in sorted((ROOT / "emulator/operations").glob("operations_*.def"))
              for row in re.findall(r'EMU_OPERATION\((\w+), "([^"]*)", "([^"]*)", "[^"]*", (\w+), (\w),', file.read_text())]
VALUE = {"C", "R"}  # a function of its operands alone


def row_of(words):
    """The first row of the list that fits an opcode's words; None: it has none."""
    return next((row for row in LIST if row[1] == words[0] and (not row[2] or row[2] in words[1:])), None)


def test_tables_are_read():
    rows = len((ROOT / "ptx/read/ptx_ops.def").read_text().split("\nPTX_OP(")) - 1
    assert len(LIST) == rows > 80
    assert len(ACTS) > 60
    assert len(OPERATIONS) > 150


def test_every_act_is_of_an_opcode_in_the_list():
    assert [act for act in ACTS if not row_of([act[1], *filter(None, act[2:])])] == []


def test_no_act_is_a_value():
    """What has an act is never followed as a function of its operands: each of its steps is looked at."""
    assert [act for act in ACTS if act[0] != "NONE" and row_of([act[1], *filter(None, act[2:])])[3] in VALUE] == []


def test_what_is_calculated_is_executed_on_registers_alone():
    wrong = []
    for name, word, must, _, how in OPERATIONS:
        row = row_of([word, *must.split()])
        if row and row[3] in VALUE and how != "P":
            wrong.append((name, how, row))
        if row and how == "P" and row[5] not in {"N", "P"}:  # P: mbarrier.pending_count, of a token
            wrong.append((name, how, row))
    assert wrong == []


def test_every_value_is_executed():
    executed = {word for _, word, *_ in OPERATIONS}
    assert [row for row in LIST if row[3] in VALUE and row[1] not in executed] == []


def test_what_is_calculated_has_its_calculation():
    """A row with C is named where values are made; one with R needs to be nowhere."""
    made = "".join(file.read_text() for file in (ROOT / "ptx/value").glob("*.c"))
    assert [row for row in LIST if row[3] == "C" and not re.search(rf"PTX_OP_{row[0]}\b", made)] == []


def test_what_computes_says_its_operands():
    """Without a row there, a register of another width is read beyond its end."""
    assert [(name, word) for name, word, _, choose, _ in OPERATIONS
            if choose.startswith("compute_") and name not in SHAPES] == []
