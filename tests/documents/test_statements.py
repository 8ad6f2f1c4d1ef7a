# SPDX-License-Identifier: Apache-2.0
"""Each statement of the documents, asked of the program: the tables of this folder. TMA names the
program, TMA_CUDA the library that has the driver's calls."""
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

import statement_answers as answers
import statement_rows as rows

HERE = pathlib.Path(__file__).resolve().parent
ROWS = list(rows.questions())
TIMEOUT_S = 60


def run(command, folder, environment):
    folder.mkdir()
    words = shlex.split(command)
    if re.search(r"[^\w\s'\",:.=+-]", command): # more than words
        words = ["bash", "-o", "pipefail", "-c", command]
    return subprocess.run(words, cwd=folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          timeout=TIMEOUT_S)


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """(what each row's command did, and what it did with --json), all run at once."""
    folder = tmp_path_factory.mktemp("documents")
    (folder / "bin").mkdir()
    (folder / "bin/tma").symlink_to(os.path.abspath(os.environ["TMA"]))
    (folder / "bin/driver_call").write_text(
        f"#!/bin/sh\nexec {sys.executable} -B {shlex.quote(str(HERE))}/driver_call.py \"$@\"\n")
    (folder / "bin/driver_call").chmod(0o755)
    environment = {"PATH": f"{folder}/bin:/usr/bin:/bin", "LC_ALL": "C",
                   "TMA_CUDA": os.environ.get("TMA_CUDA", "")}

    def one(number):
        row = ROWS[number]
        asks_json = answers.wants_json(row)
        text = not asks_json or \
            any(answers.kind(a) in (">", "says") for a in row["answer"])
        as_json = run(row["ask"] + " --json", folder / f"{number}j", environment) \
            if asks_json else None
        return (run(row["ask"], folder / str(number), environment) if text else as_json), as_json

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() + 1) as pool:
        return list(pool.map(one, range(len(ROWS))))


@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda n: "{table}/{section}/{number}"
                         .format(**ROWS[n]).replace(" ", "_"))
def test_statement(number, said):
    row = ROWS[number]
    complaints = answers.wrong(row, *said[number])
    assert not complaints, f"{row['says']}\n$ {row['ask']}"


def test_rows_have_what_a_row_has():
    odd = [row["ask"] for row in ROWS
           if not set(row) <= rows.KEYS | {"table", "section", "number"} or not row["answer"]]
    assert not odd


def test_questions_are_put_to_the_program_and_answers_are_whole():
    assert not [row["ask"] for row in ROWS if not re.search(r"\b(tma|driver_call) ", row["ask"])]
    assert not [a for row in ROWS for a in row["answer"] if "*" in a]


def test_tables_are_all_read():
    assert sorted(p.stem for p in HERE.glob("*.toml")) == sorted(rows.TABLES)


def test_no_question_is_asked_twice_in_a_section():
    seen = [(row["section"], row["ask"], row["says"]) for row in ROWS]
    assert len(set(seen)) == len(seen)


def test_there_are_as_many_as_are_known():
    """(statements, those that differ with evidence, those that differ by choice), and questions."""
    assert (rows.counts(), len(ROWS)) == ((824, 59, 40), 854)


def test_a_row_differs_with_evidence_or_by_choice():
    assert not [row["ask"] for row in ROWS if "differs" in row and "chooses" in row]
    assert not [row["differs"] for row in ROWS
                if re.search("no source says|was asked", row.get("differs", ""))]


def test_what_sm_90_did_is_no_evidence_of_another_target():
    other = [row for row in ROWS if "differs" in row and re.search("--arch sm_1", row["ask"])]
    assert not [row["ask"] for row in other
                if not re.search(r"PTX (5\.5|cp)|ptxas|GeForce", row["differs"])]
