# SPDX-License-Identifier: Apache-2.0
"""What tma ptx says of whole functions, on random ones: fences between an edit of a map and its use, against
all ways through a graph of the statements; bytes that a barrier expects, against a sum."""
import json
import os
import random
import re
import subprocess

import pytest

TMA = os.environ["TMA"]
HEAD = """.version 8.6
.target sm_100a
.address_size 64
.shared .align 128 .b8 copy[256];
.shared .align 1024 .b8 box[4096];
.shared .align 8 .b64 bar[4];
.global .align 128 .b8 maps[256];
"""
BEGIN = """.visible .entry {}()
{{
.reg .pred %p<3>; .reg .b64 %rd<9>; .reg .b32 %r<9>;
ld.global.u64 %rd1, [maps]; ld.shared.u32 %r3, [box]; ld.shared.u32 %r4, [box]; mov.u32 %r2, box;
"""
GLOBAL, SHARED = ["maps", "maps+128", "%rd1", "%rd1+128"], ["copy", "copy+128"]
LABELS = ["near", "far", "out"]
USES = ["cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [{}, {{0, 0}}], [%r2];",
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [{}, {{0}}], [%r2];",
        "cp.async.bulk.prefetch.tensor.2d.L2.global [{}, {{0, 0}}];",
        "cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [{}, {{0, 0}}], [bar];"]
COPY_OUT = "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [{}], [{}], 128;"


class Statement:
    def __init__(self, kind, text, **more):
        self.kind, self.text, self.line = kind, text, 0
        self.map, self.source, self.space, self.label = (more.get(k) for k in ("map", "source", "space", "label"))
        self.guarded, self.loads = more.get("guarded", False), 0

    def written(self):
        return ("@%p1 " if self.guarded else "") + self.text


def some_map(r):
    return r.choices(GLOBAL, [12, 8, 2, 1])[0]


def some_edit(r):
    space = r.choice(["global", "shared::cta", ""])
    m = r.choice(SHARED) if space.startswith("shared") or not space and r.random() < 0.5 else some_map(r)
    text = f"tensormap.replace.tile.rank.{space}{'.' * bool(space)}b1024.b32 [{m}], 1;"
    return Statement("edit", text, map=m, space=space)


def some_statement(r, publishing):
    kind = r.choices(["edit", "copy out", "acquire", "release", "use", "bra", "brx", "ret", "exit", "trap", "add",
                      "load"], [6, 4, 4, publishing, 6, 5, 1, 1, 1, 1, 2, 0])[0]
    m, guarded = some_map(r), r.random() < 0.6
    if kind == "edit":
        return some_edit(r)
    if kind == "copy out":
        source = r.choice(SHARED)
        return Statement(kind, COPY_OUT.format(m, source), map=m, source=source)
    if kind == "acquire":
        return Statement(kind, f"fence.proxy.tensormap::generic.acquire.gpu [{m}], 128;", map=m)
    if kind == "release":
        return Statement(kind, "fence.proxy.tensormap::generic.release.gpu;")
    if kind == "use":
        return Statement(kind, r.choice(USES).format(m), map=m)
    if kind == "bra":
        label = r.choice(LABELS)
        return Statement(kind, f"bra{r.choice(['', '.uni'])} {label};", label=label, guarded=guarded)
    if kind == "brx":
        return Statement(kind, "brx.idx %r2, table;", guarded=guarded)
    if kind == "load": # the register is another map from here on
        return Statement(kind, "ld.global.u64 %rd1, [maps];")
    return Statement(kind, "add.u32 %r2, %r2, 0;" if kind == "add" else f"{kind};", guarded=guarded and kind != "add")


def function(r):
    publishing = r.choice([0, 0, 2])
    body = [some_statement(r, publishing) for _ in range(r.randint(3, 14))]
    for label in LABELS: # each somewhere, the end included
        body.insert(r.randint(0, len(body)), Statement("label", f"{label}:", label=label))
    for i, s in enumerate(body):
        s.loads = sum(t.kind == "load" for t in body[:i])
    return body


def alike(a, b):
    """Of operands: True, False, or None where nobody can know. a and b: (text, loads of the register before it)."""
    base, other = a[0].split("+")[0], b[0].split("+")[0]
    if base.startswith("%") and (base, a[1]) != (other, b[1]) or other.startswith("%") and base != other:
        return None
    return a[0] == b[0]


def same(s, t, side="map"):
    return alike((getattr(s, side), s.loads), (t.map, t.loads))


def behind(body, i):
    s = body[i]
    found = [] if s.kind in ("bra", "brx", "ret", "exit", "trap") and not s.guarded else [i + 1]
    found += [k for k, t in enumerate(body)
              if t.kind == "label" and (s.kind == "brx" or s.kind == "bra" and t.label == s.label)]
    return [k for k in found if k < len(body)]


def reached(body):
    """The body with statements that no way leads to as nothing."""
    seen, todo = set(), [0]
    while todo:
        i = todo.pop()
        if i not in seen:
            seen.add(i)
            todo += behind(body, i)
    return [s if i in seen else Statement("add", s.text) for i, s in enumerate(body)]


def fenced_uses(body, edit):
    """Lines of all uses that some way reaches without a release and an acquire, and of those that one reaches past
    both, in any order."""
    seen, todo, found, fenced = set(), [(edit + 1, body[edit].kind == "copy out", False)], set(), set()
    while todo:
        i, released, acquired = at = todo.pop()
        if at in seen or i >= len(body) or i == edit:
            continue
        seen.add(at)
        s = body[i]
        acquired |= s.kind == "acquire" and same(s, body[edit]) is not False
        released |= s.kind in ("release", "copy out")
        if s.kind == "use" and same(s, body[edit]):
            (fenced if acquired and released else found).add(s.line)
        todo += [(k, released, acquired) for k in behind(body, i)]
    return found, fenced


def is_published(body, s):
    def copied(side):
        return any(t.kind == "copy out" and same(t, s, side) is not False for t in body)
    return (any(t.kind == "release" for t in body) or copied("source" if s.space.startswith("shared") else "map") or
            not s.space and copied("source"))


def judged(body):
    """(lines that should be published, of edits used on ways without fences alone: lines of these uses, whether some
    use has ways of both kinds)"""
    body = reached(body)
    unpublished, unfenced, branches = [], [], False
    for i, s in enumerate(body):
        said = s.kind == "edit" and any(t.kind == "edit" and same(t, s) for t in body[:i])
        if s.kind == "edit" and not said and not is_published(body, s):
            unpublished.append((s.line, "shared" if s.space.startswith("shared") else "global"))
        if s.kind == "copy out" or s.kind == "edit" and not s.space.startswith("shared"):
            found, fenced = fenced_uses(body, i)
            unfenced += [found - fenced] if found - fenced else []
            branches |= bool(found & fenced)
    return unpublished, unfenced, branches


def report(path):
    done = subprocess.run([TMA, "ptx", "--json", path], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def write(path, bodies):
    text = HEAD
    for n, body in enumerate(bodies):
        text += BEGIN.format(f"k{n}")
        for s in body:
            s.line = text.count("\n") + 1
            text += s.written() + "\n"
        text += "}\n"
    path.write_text(text)


ON_NO_WAY = re.compile(r"may go by its map as it was before line (\d+) writes it: no fence\.proxy")


def findings_of(path):
    answer = report(path)
    return answer, [(i["line"], f["rule"], f["text"]) for i in answer["instructions"] for f in i["findings"]]


def on_no_way(seed, path):
    """What is found of edits that other acquires or releases hide from a look at the function as a whole: how
    many there are, and those that are wrong."""
    r = random.Random(seed)
    bodies = [function(r) for _ in range(r.randint(1, 12))]
    write(path, bodies)
    found, wrong = 0, []
    for line, rule, text in findings_of(path)[1]:
        edit = ON_NO_WAY.match(text)
        if edit:
            body = reached(next(b for b in bodies if b[0].line <= line <= b[-1].line))
            i = next(i for i, s in enumerate(body) if s.line == int(edit[1]))
            bare, fenced = fenced_uses(body, i)
            found += 1
            wrong += [(seed, line, rule, text)] if line not in bare or line in fenced else []
    return found, wrong


def test_no_way_has_what_is_missing(tmp_path):
    every = [on_no_way(seed, tmp_path / "k.ptx") for seed in range(200)]
    assert [w for _, wrong in every for w in wrong] == []
    assert sum(found for found, _ in every) > 20


@pytest.mark.parametrize("seed", range(40))
def test_fences_on_every_way(seed, tmp_path):
    r = random.Random(seed)
    bodies = [function(r) for _ in range(r.randint(1, 12))]
    write(tmp_path / "k.ptx", bodies)
    answer, found = findings_of(tmp_path / "k.ptx")
    published, fenced = [], set()
    for line, rule, text in found:
        if ON_NO_WAY.match(text):
            fenced.add(line)
        elif rule == "ptx-publish":
            space = re.match("the map is edited in (shared|global) memory", text)[1]
            assert text.endswith(f"no tensormap.cp_fenceproxy {'from' if space == 'shared' else 'to'} it and no "
                                 "fence.proxy.tensormap::generic.release")
            published.append((line, space))
    wanted = [judged(body) for body in bodies]
    assert published == [p for w in wanted for p in w[0]]
    assert [uses for w in wanted for uses in w[1] if not uses & fenced] == []
    assert any("some paths" in note for note in answer["notes"]) == any(w[2] for w in wanted)
    assert not any("through a call" in note for note in answer["notes"])


def test_the_random_functions_have_all_that_is_judged():
    """Else the test above would show nothing."""
    bodies = [function(random.Random(seed)) for seed in range(400)]
    for body in bodies:
        for i, s in enumerate(body):
            s.line = i
    wanted = [judged(body) for body in bodies]
    assert min(sum(bool(w[i]) for w in wanted) for i in range(2)) > 20 and any(w[2] for w in wanted)
    assert {space for w in wanted for _, space in w[0]} == {"shared", "global"}


EDIT = "tensormap.replace.tile.rank.global.b1024.b32 [maps], 1;\nfence.proxy.tensormap::generic.release.gpu;\n"


ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu [maps], 128;\n"


@pytest.mark.parametrize("begin", [".visible .entry k()", ".visible .func k()"])
@pytest.mark.parametrize(("fence", "found", "noted"),
                         [("", 1, 0), (ACQUIRE, 0, 0), (f"@%p1 bra on;\n{ACQUIRE}on:\n", 0, 1), (f"ret;\n{ACQUIRE}", 0, 0)])
@pytest.mark.parametrize("use", USES)
def test_fences_on_some_ways_are_a_note(use, fence, found, noted, begin, tmp_path):
    """In a function, too: both ends of the way are there."""
    path = tmp_path / "k.ptx"
    path.write_text(HEAD + BEGIN.format("k").replace(".visible .entry k()", begin) + EDIT + fence + use.format("maps") + "\nret;\n}\n")
    answer = report(path)
    assert [f["rule"] for i in answer["instructions"] for f in i["findings"]] == ["ptx-fence"] * found
    assert any("some paths" in note for note in answer["notes"]) == noted


@pytest.mark.parametrize("before, behind_it, noted", [
    ("", "call f;\n", True), ("call f;\n", "", False), ("", "@%p1 call f;\n", True), ("", "ret;\ncall f;\n", False),
    ("", f"{ACQUIRE}call f;\n", False),
    ("", "@%p1 bra on;\nret;\non:\ncall f;\n", True)])
def test_what_a_call_does_is_not_seen(before, behind_it, noted, tmp_path):
    path = tmp_path / "k.ptx"
    path.write_text(HEAD + ".extern .func f();\n" + BEGIN.format("k") + before + EDIT + behind_it +
                    USES[0].format("maps") + "\nret;\n}\n")
    answer = report(path)
    assert any("goes through a call" in note for note in answer["notes"]) == noted
    # what stands behind the call is not judged; what stands on another way is
    rules = [f["rule"] for i in answer["instructions"] for f in i["findings"]]
    assert rules == (["ptx-fence"] if not behind_it else [])


# A map of 16 x 4 float16: 128 B a copy. barriers.ptx has it, too.
MAP = [0, 0x7f00, 0x310, 8, 0, 0, 0, 0, 0x3f, 0x3f, 0, 0, 0, 0x0f000000, 3, 0, 0x80, 0, 0x10] + [0] * 13
BYTES = 128
BARRIERS = ["bar", "bar+8", "%r3", "%r3+8"] # what a register holds is not known
LOAD = "cp.async.bulk.tensor.2d.shared::{}.global.mbarrier::complete_tx::bytes{} [%r2], [{}, {{0, 0}}], [{}]{};"
ENDS = ["@%p1 brx.idx %r2, table;"] # ways part here
MOVES = ["st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r2], 1, [bar];",
         "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r2], [maps], 128, [bar];",
         "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [bar], 16;",
         "cp.async.bulk.tensor.9d.what [%r1];"]
MOVED = dict(zip(MOVES, ["bar", "bar", "bar", "unknown"]))
NOTHING = ["add.u32 %r2, %r2, 0;", "fence.proxy.async;", "prefetch.tensormap [maps];",
           "mbarrier.init.shared::cta.b64 [bar], 1;",
           USES[0].format("tile"), USES[2].format("tile"), "st.shared.u32 [box], 1;", "call f;", "@%p1 ret;", "@%p1 exit;"]


def straight_line(r):
    """[(kind, text, barrier, bytes)]"""
    lines = []
    for _ in range(r.randint(1, 12)):
        kind = r.choices(["expect", "load", "end", "move", "nothing"], [5, 12, 1, 1, 3])[0]
        barrier = r.choices(BARRIERS, [6, 3, 1, 1])[0]
        if kind == "expect":
            many = r.choice([0, BYTES, 2 * BYTES, 3 * BYTES, None])
            count = "%r4" if many is None else many
            text = r.choice([f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [{barrier}], {count};",
                             f"mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{barrier}], {count};"])
            lines.append((kind, text, barrier, many))
        elif kind == "load":
            form = r.choices(["plain", "other map", "multicast"], [8, 1, 1])[0]
            cast = form == "multicast"
            text = LOAD.format("cluster" if cast else "cta", ".multicast::cluster" * cast,
                               "maps" if form == "other map" else "tile", barrier, ", 3" * cast)
            lines.append((kind, text, barrier, BYTES if form == "plain" else None))
        else:
            lines.append((kind, r.choice({"end": ENDS, "move": MOVES, "nothing": NOTHING}[kind]), None, None))
    return lines


def expected(body):
    """[(index of an expectation, bytes, copies, bytes moved)], {index of a load: index of its expectation}"""
    found, belongs, current, joined = [], {}, None, False
    copies = [MOVED[text] for kind, text, _, _ in body if kind == "move"]  # barriers of what no expectation is known of
    expects = []                                                           # and of expectations without a copy
    for i, (kind, _, barrier, _) in [*enumerate(body), (len(body), ("end", "", None, None))]:
        if kind in ("expect", "end"):
            # two expectations of one phase: what copies move is the sum of both
            joins = kind == "expect" and current is not None and same_phase(body[current:i + 1])
            if current is not None and current not in belongs.values():
                expects.append(body[current][2])
            elif current is not None and not joined and not joins:
                said = sum_of(body[current:i])
                found += [(current, *said)] if said else []
            current, joined = i if kind == "expect" else None, joins
        elif kind == "load":
            if current is not None and alike((barrier, 0), (body[current][2], 0)):
                belongs[i] = current
            else:
                copies.append(barrier)
    found = [f for f in found if not any(may_be(body[f[0]][2], b) for b in (copies if f[3] < f[1] else expects))]
    return found, {k: of for k, of in belongs.items() if body[of][3] is not None}


def may_be(one, other):
    return one == other or not (one in BARRIERS[:2] and other in BARRIERS[:2])


def same_phase(part):
    """Whether the last expectation may be of the first one's phase: that did not arrive, or has no copy yet."""
    (_, text, on, _), *others, (_, _, then, _) = part
    copies = [kind for kind, _, b, _ in others if kind == "load" and alike((b, 0), (on, 0))]
    return alike((on, 0), (then, 0)) is not False and ("arrive" not in text or not copies)


def sum_of(part):
    """(bytes expected, copies, bytes moved), where all three are known and do not agree."""
    (_, _, on, wanted), *others = part
    on_it = [(alike((b, 0), (on, 0)), n) for kind, _, b, n in others if kind == "load"]
    mine = [n for yes, n in on_it if yes]
    unsure = any(yes is None or yes and n is None for yes, n in on_it) or any(
        kind == "move" and may_be(on, MOVED[text]) for kind, text, *_ in others)
    return None if not mine or unsure or wanted in (None, sum(mine)) else (wanted, len(mine), sum(mine))


@pytest.mark.parametrize("seed", range(40))
def test_bytes_that_barriers_expect(seed, tmp_path):
    r = random.Random(seed)
    bodies = [straight_line(r) for _ in range(12)]
    text = HEAD + f".const .align 128 .b32 tile[32] = {{{', '.join(map(str, MAP))}}};\n.func f()\n{{\nret;\n}}\n"
    findings, loads = [], {}
    for n, body in enumerate(bodies):
        text += BEGIN.format(f"k{n}")
        first = text.count("\n") + 1
        said, belongs = expected(body)
        for at, wanted, copies, moved in said:
            many = "1 copy" if copies == 1 else f"{copies} copies"
            findings.append((first + at, "ptx-expect-tx", f"expects {wanted} B, {many} after it on this barrier "
                                                          f"move{'s' * (copies == 1)} {moved} B. Expect {moved} B"))
        loads.update({first + k: (body[of][3], first + of) for k, of in belongs.items()})
        text += "".join(line + "\n" for _, line, _, _ in body) + "}\n"
    (tmp_path / "k.ptx").write_text(text)
    answer = report(tmp_path / "k.ptx")
    said = [(f["line"], f["rule"], f["text"]) for f in answer["findings"] if f["rule"] == "ptx-expect-tx"]
    assert said == findings
    assert {i["line"]: (i["expected"], i["expected_line"]) for i in answer["instructions"]
            if i.get("expected") is not None} == loads


MOVING = HEAD + """.visible .entry k(.param .u64 p, .param .u32 n)
{{
.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %q<9>;
.shared .align 1024 .b8 tile[8192];
ld.param.u64 %q2, [p]; cvta.to.global.u64 %q3, %q2; ld.param.u32 %r9, [n]; mov.u32 %r2, tile; mov.u32 %r8, 0;
mov.u64 %q5, %q3;
L:
add.u64 %q6, %q5, 128;
{}
mov.u64 %q5, %q6;
add.u32 %r8, %r8, 1;
setp.lt.u32 %p1, %r8, %r9;
@%p1 bra L;
ret;
}}
"""
COPY = "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%q5, {0}], [%r2];\n"
PUT = "tensormap.replace.tile.rank.global.b1024.b32 [{}], 1;\n"
RELEASE = "fence.proxy.tensormap::generic.release.gpu;\n"
AGAIN = "mov.u32 %r3, 0;\nT:\n{}add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, %r9;\n@%p2 bra T;\n"


@pytest.mark.parametrize(("turn", "found"), [
    (COPY + PUT.format("%q5") + RELEASE, 0),
    (COPY + AGAIN.format(PUT.format("%q5")) + RELEASE, 0),  # over the way back of the inner loop it is the same map
    (COPY + AGAIN.format(PUT.format("%q6")) + RELEASE, 1),
    (COPY + PUT.format("%q6") + RELEASE, 1),
    (PUT.format("%q6") + RELEASE + COPY, 1),
    (PUT.format("%q6") + RELEASE + ACQUIRE.replace("maps", "%q5") + COPY, 0),
    (PUT.format("%q6") + RELEASE + ACQUIRE.replace("maps", "%q6") + COPY, 0),
    ("setp.ne.u32 %p3, %r9, 3;\n@%p3 " + PUT.format("%q5") + RELEASE + "@!%p3 " + COPY, 0),
    ("setp.ne.u32 %p3, %r9, 3;\n@%p3 " + PUT.format("%q5") + RELEASE + "@%p3 " + COPY, 1),
])
def test_maps_that_move_with_the_turns(turn, found, tmp_path):
    """The next turn's map is edited in this one, or this turn's after its copy."""
    path = tmp_path / "k.ptx"
    path.write_text(MOVING.format(turn))
    assert [f["rule"] for i in report(path)["instructions"] for f in i["findings"]] == ["ptx-fence"] * found
