# SPDX-License-Identifier: Apache-2.0
"""Each finding of each broken kernel has two places, the way between them, and what is missing with where it
would stand; or its rule is in a list here, with the reason why it has not."""

import re

import pytest
from pairs import NAMED, findings, sides

# By rule and how the text begins.
NO_WAY = {("map-local", "its map lies in"): "which memory the map lies in is at fault, and no order of instructions"}
ONE_PLACE = NO_WAY | {
    ("barrier-init", "every thread"): "the other place is the same instruction, in another thread",
    ("barrier-init", "uses a barrier that"): "nothing in the kernel initialises it: the way is from the kernel's begin",
}
NOTHING_MISSING = {
    ("parity-constant", ""): "the wait is there, and its parity is wrong: the text says which one is right",
    ("arrive-missing", "waits for a barrier that line"): "two numbers do not agree",
    ("ptx-expect-tx", ""): "two numbers do not agree",
    ("map-local", ""): "the kernel's parameter lacks a word",
    ("tensor-alloc", "deallocates again"): "one of two is too many",
    ("tensor-alloc", "deallocates other columns"): "two numbers do not agree",
}
MISSING = re.compile(
    r"(?:\. |^)(?:Put|Arrive|Give the stage back by|Have each reader arrive)\b.*"
    r"\b(?:before|after|between|on it|on this barrier|where|there|under a condition|on the empty barrier)\b"
)
RIGHT_ONE = re.compile(
    r"parity|phase|[Ii]nitialise it for|Expect \d+ B|__grid_constant__|Leave one of the two out|Put the same number"
)


FOUND = {name: findings(sides(kernel)[0]) for name, (_, _, kernel) in NAMED.items()}


def reason(table, f):
    return next((k for k in table if k[0] == f["rule"] and f["text"].startswith(k[1])), None)


def lacks_places(f):
    """Turns n and n + 1 of one instruction are two places."""
    way = f["way"] or []
    is_round = [p["line"] for p in way if p["kind"] == "act"] == [f["line"]] * 2 and way[-1]["says"] == "again"
    return f["other_line"] is None and not is_round


def lacks_missing(f):
    return not MISSING.search(f["text"])


LACKS = {"a way": (NO_WAY, lambda f: not f["way"]), "a second place": (ONE_PLACE, lacks_places),
         "what is missing": (NOTHING_MISSING, lacks_missing)}  # fmt: skip


@pytest.mark.parametrize("what", LACKS)
def test_each_finding_has(what):
    table, lacks = LACKS[what]
    bare = [(name, f["rule"], f["text"]) for name, found in FOUND.items() for f in found if lacks(f) and not reason(table, f)]
    assert bare == []


@pytest.mark.parametrize("what", LACKS)
def test_each_reason_is_of_use(what):
    table, lacks = LACKS[what]
    assert {reason(table, f) for found in FOUND.values() for f in found if lacks(f)} - {None} == set(table)


def test_what_is_wrong_where_nothing_is_missing():
    for found in FOUND.values():
        assert [f["text"] for f in found if reason(NOTHING_MISSING, f) and not RIGHT_ONE.search(f["text"])] == []


def test_how_many_have_a_way():
    every = [f for found in FOUND.values() for f in found]
    assert len(every) >= len(NAMED)
    assert sum(f["way"] is None for f in every) == sum(reason(NO_WAY, f) is not None for f in every)


@pytest.mark.parametrize("name", NAMED)
def test_a_way_begins_and_ends_at_the_findings_places(name):
    """Each part of a way (of another thread's, too) has one of the two, and together they have both."""
    for f in FOUND[name]:
        if not f["way"]:
            continue
        acts = [p["line"] for p in f["way"] if p["kind"] == "act"]
        assert set(acts) == {f["line"], f["other_line"] or f["line"]}
        parts = [[]]
        for p in f["way"]:
            if (p["says"] or "").startswith("meanwhile"):
                parts.append([])
            parts[-1].append(p)
        assert len(parts) <= 2
        for part in parts:
            assert part[-1]["kind"] in ("act", "copy", "end")
