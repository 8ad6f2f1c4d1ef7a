# SPDX-License-Identifier: Apache-2.0
"""The way between the two places of a finding: by hand, and held against the ways that the kernel's text
has (tools/protocol_flow.py, which knows nothing of tma ptx)."""

import itertools
import pathlib
import re
import sys

import pytest
from pairs import ALL, findings, sides
from pieces import BEGIN, HEAD, LOAD, ONE_STORE, STORE, turn, wait

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
from protocol_flow import Ways

SAMPLES = sorted((pathlib.Path(__file__).parent / "samples").glob("*.ptx"))

WRITE = "st.shared.b32 [%r4], %r1;\n"
FENCE = "fence.proxy.async.shared::cta;\n"
LISTED = re.compile(r"bar\.(?!arrive)|barrier|fence(?!\.proxy\.async\.global)|membar|mbarrier\.(?:try|test)_wait|cp\.async\.bulk\.wait_group")


def the_way(body, before="", rule="proxy-store"):
    """The way of a kernel's one finding of a rule: kinds, texts, and what is said of them."""
    found = [f for f in findings(HEAD + before + BEGIN + body + "}\n") if f["rule"] == rule]
    assert len(found) == 1, found
    return [(p["kind"], p["text"].split(";")[0], p["says"] or "") for p in found[0]["way"]]


FIRST = ("act", WRITE.strip()[:-1], "")
LAST = ("act", STORE.split(";")[0], "")
BAR = ("barrier", "bar.sync 0", "")
ONE = ("branch", "@%p1 bra DONE", "not taken: %tid.x = 0")
BY_HAND = {
    "straight on": (WRITE + STORE + "cp.async.bulk.wait_group.read 0;\nret;\n", "", [FIRST, LAST]),
    "past a barrier and a branch": (WRITE + "bar.sync 0;\n" + ONE_STORE, "", [FIRST, BAR, ONE, LAST]),
    "round the branch that fences": (
        f"{WRITE}@%p1 bra ON;\n{FENCE}ON:\nbar.sync 0;\n{ONE_STORE}",
        "",
        [
            FIRST,
            ("branch", "@%p1 bra ON", "taken: %tid.x is not 0"),
            ("barrier", "bar.sync 0", "from here on in the other thread"),
            ONE,
            LAST,
        ],
    ),
    "past a fence that does not count": (
        f"{WRITE}bar.sync 0;\n{FENCE}{ONE_STORE}",
        "",
        [FIRST, BAR, ("fence", FENCE.strip()[:-1], ""), ONE, LAST],
    ),
    "through a call, and out by its return": (
        f"{WRITE}call f, (%r20);\nbar.sync 0;\n{ONE_STORE}",
        ".func f(.reg .b32 %n)\n{\n.reg .pred %q;\nsetp.eq.u32 %q, %n, 3;\n@%q ret;\nbar.sync 1;\nret;\n}\n",
        [
            FIRST,
            ("call", "call f, (%r20)", ""),
            ("branch", "@%q ret", "taken"),
            ("return", "call f, (%r20)", "it returns"),
            BAR,
            ONE,
            LAST,
        ],
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name):
    body, before, way = BY_HAND[name]
    assert the_way(body, before) == way


def test_a_way_over_a_loops_end():
    body = f"""mov.u32 %r10, 0;
HEAD:
{WRITE}{FENCE}bar.sync 0;
@%p1 bra NEXT;
{STORE}NEXT:
bar.sync 0;
{turn("HEAD")}ret;
"""
    way = the_way(body, rule="store-reuse")
    assert [w[0] for w in way] == ["act", "barrier", "back", "act"]
    head = (HEAD + BEGIN).count("\n") + 3
    turns = f"setp.lt.s32(iterations of the loop at line {head} + 1, [n])"
    assert way[2][2] == f"back to line {head}: {turns}"


def test_a_way_keeps_to_its_first_acts_conditions():
    """The copying thread takes the longer way to the write; only others take the short one."""
    body = f"@%p1 bra N;\n{STORE}N:\n@!%p1 bra LONG;\nbra W;\nLONG:\nbar.warp.sync -1;\nW:\n{WRITE}ret;\n"
    assert the_way(body, rule="store-reuse") == [
        LAST,
        ("branch", "@!%p1 bra LONG", "taken: %tid.x = 0"),
        ("barrier", "bar.warp.sync -1", ""),
        FIRST,
    ]


def test_a_thread_that_comes_from_the_begin():
    """One thread alone copies and waits; another one reads: its way begins where the kernel does."""
    body = "@%p1 bra W;\nmbarrier.init.shared::cta.b64 [%r5], 1;\n"
    body += f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 8192;\n{LOAD}"
    body += f"{wait('L')}W:\nld.shared.b32 %r30, [%r4];\nst.global.b32 [%q1], %r30;\nret;\n"
    way = the_way(body, rule="wait-missing")
    assert way == [
        ("act", LOAD.split(";")[0], ""),
        ("begin", "ld.param.u64 %q1, [src]", "meanwhile, in another thread: the kernel begins"),
        ("branch", "@%p1 bra W", "taken: %tid.x is not 0"),
        ("act", "ld.shared.b32 %r30, [%r4]", ""),
    ]


def test_runs_are_counted():
    """Of a row of one kind the first two and the last are said; of a long way its begin and its end."""
    found = findings(HEAD + BEGIN + WRITE + "bar.sync 0;\n" * 9 + ONE_STORE + "}\n")
    assert [(p["kind"], p["left_out"]) for p in found[0]["way"]] == [
        ("act", 0), ("barrier", 0), ("barrier", 6), ("barrier", 0), ("branch", 0), ("act", 0)]  # fmt: skip
    mixed = "".join(f"bar.sync {i};\n@%p1 bra L{i};\nL{i}:\nfence.acq_rel.gpu;\n" for i in range(15))
    way = findings(HEAD + BEGIN + WRITE + mixed + ONE_STORE + "}\n")[0]["way"]
    assert len(way) == 24
    assert len(way) + sum(p["left_out"] for p in way) == 15 * 2 + 3
    assert [p["kind"] for p in way[::23]] == ["act", "act"]


TELLS = {  # what the other thread waits for, by what the first one does
    "mbarrier.try_wait": r"mbarrier\.arrive|mbarrier\.expect_tx|tcgen05\.commit|cp\.async\.|st\.async|red\.async",
    "mbarrier.test_wait": r"mbarrier\.arrive|mbarrier\.expect_tx|tcgen05\.commit|cp\.async\.|st\.async|red\.async",
    "bar": r"bar(rier)?\.",
}


def is_told(a, b):
    """Whether another thread goes on at the second place, who waits there for what one does at the first."""
    waits = [w for w in TELLS if re.match(r"(@!?%p\d+ )?" + re.escape(w), b["text"])]
    return (
        b["says"] == "from here on in the other thread"
        and a["line"] != b["line"]
        and bool(waits)
        and re.match(r"(@!?%p\d+ )?(" + TELLS[waits[0]] + ")", a["text"]) is not None
    )


class Text:
    """A file's kernel, its statements by their lines."""

    def __init__(self, text):
        self.text = text
        self.ways = Ways(text)
        self.of_line = {}
        for i, at in enumerate(self.ways.at):
            begin = at + len(text[at:]) - len(text[at:].lstrip())
            self.of_line[text.count("\n", 0, begin) + 1] = i

        names = re.findall(r"%p\d+\b", re.sub(r"\.reg[^;]*;", "", text))
        self.unused = {n for n in names if names.count(n) == 1}

    def is_listed(self, i):
        """A wait whose answer nobody looks at is none."""
        return LISTED.match(self.ways.text[i]) and not self.ways.makes[i] & self.unused

    def leads(self, i, to, held, left_out):
        """What may be held of predicates where a way comes from a statement to another one, with nothing
        between that would have been listed."""
        todo, seen, found = [(i, held)], set(), []
        while todo:
            at, held = todo.pop()
            if at != i and not left_out and self.is_listed(at):
                continue
            now = frozenset(h for h in held if h[0] not in self.ways.makes[at])
            for k in self.goes.get(at, self.ways.next[at]):
                over = self.ways._over(now, at, k)
                if over is not None and (k, over) not in seen:
                    seen.add((k, over))
                    if k == to:
                        found.append(over)
                    else:
                        todo.append((k, over))
        return set(found)

    def walk(self, way):
        """Whether the places of a way follow one another, each branch as it is said."""
        held = {frozenset()}
        for a, b in itertools.pairwise(way):
            if (b["says"] or "").startswith("meanwhile") or is_told(a, b):
                held = {frozenset()}
                continue
            i, to = self.of_line[a["line"]], self.of_line[b["line"]]
            self.goes = {i: [k for k in self.ways.next[i] if self.is_so(a, i, k)]}
            held = {h for before in held for h in self.leads(i, to, before, a["left_out"])}
            if a["kind"] == "barrier" and a["says"]:
                held = {frozenset()}  # another thread's predicates
            if not held:
                return f"no way from {a} to {b}"
        return ""

    def is_so(self, place, i, k):
        """Whether a place's next statement is the one that it says."""
        text = self.ways.text[i]
        if place["kind"] == "back":
            line = int(re.match(r"back to line (\d+)", place["says"]).group(1))
            to = self.of_line[line]
            return k == to or (k < to and not self.ways.text[k].startswith("bra"))
        if place["kind"] == "branch":
            ends = re.match(r"(?:ret|exit)\b", text)
            taken = not place["says"].startswith("not taken")
            return not taken if ends else (k == i + 1) != taken
        return True


# what each rule misses: it is on no path, but where the finding says that what is there does not
# count
MISSES = {
    # where the barrier is missing, a fence may stand there
    "proxy-store": (FENCE[:17], "is after the barrier|alone run|no barrier (is on any path|of threads is between)"),
    "proxy-load": (
        r"bar\.|barrier|mbarrier\.(try|test)_wait",
        # where a fence is missing, a barrier may stand there
        r"over what line \d+ writes|comes back to the same",
    ),
    "store-reuse": (r"cp\.async\.bulk\.wait_group", "waits for its group|its ring has"),
    "map-edit": (r"fence\.proxy\.tensormap", "on another map|only an acquire|acquire is on"),
    "ptx-fence": (r"fence\.proxy\.tensormap::generic\.acquire", "on another map"),
    "ptx-publish": (r"fence\.proxy\.tensormap::generic\.release", "^$"),
    "tensor-alloc": (r"tcgen05\.(dealloc|wait::ld)", "^$"),
    "barrier-init": (r"bar\.sync", "other CTAs|initialises it again|never initialises"),
}


def wrong_in(text):
    """What is wrong with the ways of a file's findings, and how many there are."""
    wrong, count = [], 0
    kernel = None
    for f in findings(text):
        if not f["way"]:
            continue
        kernel = kernel or Text(text)
        if any(p["line"] not in kernel.of_line or p["kind"] in ("call", "return") for p in f["way"]):
            continue
        count += 1
        acts = {p["line"] for p in f["way"] if p["kind"] == "act"}
        if not acts <= {f["line"], f["other_line"]} or f["way"][0]["kind"] not in ("act", "begin"):
            wrong.append((f["rule"], "begins or ends elsewhere", acts))
        said = kernel.walk(f["way"])
        if said:
            wrong.append((f["rule"], said))
        misses, allowed = MISSES.get(f["rule"], ("$^", "^$"))
        covers = [p["text"] for p in f["way"][1:-1] if re.match(misses, p["text"]) and p["says"] != "not run"]
        covers = [t for t in covers if not re.search(r"wait_group(\.read)? ([1-9]|%)", t)]
        if covers and not re.search(allowed, f["text"]):
            wrong.append((f["rule"], "passes what is missing", covers, f["text"]))
    return wrong, count


DECIDES_NOTHING = "a try that decides nothing"  # a wait by its text alone


@pytest.mark.parametrize("name", [n for n in ALL if n != DECIDES_NOTHING])
def test_ways_of_broken_kernels(name):
    before, _ = sides(ALL[name][2])
    assert wrong_in(before)[0] == []


DELETED = re.compile(
    r"\s*(@!?%p\d+ )?(fence|bar\.|cp\.async\.bulk\.wait_group|mbarrier\.(init|arrive|try_wait)|tcgen05\.(dealloc|wait))"
)


def mutants(text):
    """A kernel without one of its fences, waits, barriers and arrivals, each in turn."""
    lines = text.split("\n")
    for i, line in enumerate(lines):
        if DELETED.match(line):
            yield "\n".join([*lines[:i], "", *lines[i + 1 :]])


def test_ways_of_mutants():
    """All right kernels of the pairs, less one statement each."""
    wrong, count = [], 0
    for name, (_, _, kernel) in ALL.items():
        if name == DECIDES_NOTHING:
            continue
        for text in mutants(sides(kernel)[1]):
            bad, ways = wrong_in(text)
            wrong += [(name, b) for b in bad]
            count += ways
    assert wrong == []
    assert count >= 200


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.stem)
def test_ways_of_compiled_kernels(path):
    """Compilers' kernels, less one statement each."""
    text = path.read_text()
    every = list(mutants(text))
    for mutant in [text, *every]:
        assert wrong_in(mutant)[0] == []
