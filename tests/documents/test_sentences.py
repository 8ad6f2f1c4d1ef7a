# SPDX-License-Identifier: Apache-2.0
"""Every sentence of the documents has a row, or the list says what it is instead. Whether the list
has all sentences is asked where the documents are: in shared/spec, in the checkout or beside it."""
import collections
import pathlib

import pytest

import sentence_list
import statement_rows as rows

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = sentence_list.sentences()
PLACES = {one.place: one for one in LIST}
ASKED = collections.Counter(place for row in rows.rows() for place in row["of"])

# How many sentences there are, and how many of them have rows.
SENTENCES, WITH_ROWS = 679, 390


def documents():
    folder = next((path for path in (ROOT / "shared/spec", ROOT.parent / "shared/spec")
                   if path.is_dir()), None)
    return [path.read_text() for path in sorted(folder.glob("*.txt"))] if folder else []


def test_every_sentence_has_a_row_or_is_named():
    silent = [f"{one.place}: {sentence_list.first_words(one)}" for one in LIST
              if not ASKED[one.place] and not one.kind]
    assert not silent
    both = [one.place for one in LIST if ASKED[one.place] and one.kind]
    assert not both


def test_rows_name_sentences_that_there_are():
    assert not set(ASKED) - set(PLACES)
    assert len(PLACES) == len(LIST)


def test_what_is_not_asked_names_where_it_is():
    odd = [one.place for one in LIST if one.kind and one.kind not in sentence_list.KINDS]
    assert not odd
    for one in LIST:
        if one.kind:
            assert bool(one.see) == sentence_list.KINDS[one.kind][1], one.place
            assert not one.see or ASKED[one.see], f"{one.place}: {one.see} is not asked"


def test_how_many():
    assert (len(LIST), sum(1 for one in LIST if ASKED[one.place])) == (SENTENCES, WITH_ROWS)


def test_the_list_has_the_documents_sentences():
    texts = documents()
    if not texts:
        pytest.skip("NVIDIA's documents (shared/spec) are not here: whether tests/documents/"
                    "sentences_*.txt has all their sentences was not asked")
    new, gone = sentence_list.compared(texts)
    assert not new, "sentence_list.py --write, then rows or what they are"
    assert not gone
