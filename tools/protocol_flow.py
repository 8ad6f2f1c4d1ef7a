# SPDX-License-Identifier: Apache-2.0
"""The ways through a PTX kernel, and which fences and waits on them do nothing.

What is said here is proved on the text alone, along all ways, whatever branches are taken: nothing
is known of values or addresses. It knows nothing of libtma: tools/protocol_mutants.py asks it which
deletions change nothing.
"""

import collections
import re

TOKEN = re.compile(
    r"\s*(?:(?P<open>\{)|(?P<close>\})|(?P<label>[\w$%]+)\s*:(?!:)|(?P<line>\.(?:loc|file|section)\b[^\n]*)"
    r"|(?P<text>[^;{}]*(?:\{[^{}]*\}[^;{}]*)*;))"
)
GUARD = re.compile(r"@!?[\w$%]+\s+")
SHARED_WRITE = re.compile(
    r"st\.(?!global|local|param|async)|stmatrix|atom\.(?!global)|red\.(?!global|async)|cp\.async\.c[ag]|call"
)
SHARED_READ = re.compile(r"ld\.(?!global|local|param|const)|ldmatrix")
INIT = re.compile(r"mbarrier\.init")
FENCE = re.compile(r"fence\.proxy\.async(?!\.global)")
# what another thread may learn of a mbarrier's initialisation by, or what orders it
ORDERS = re.compile(r"fence\.|membar|bar\.|barrier\.|mbarrier\.(?:try|test)_wait")
STORE = re.compile(r"cp\.(?:reduce\.)?async\.bulk\.(?!commit|wait|prefetch).*\.bulk_group")
COMMIT = re.compile(r"cp\.async\.bulk\.commit_group")
WAIT_GROUP = re.compile(r"cp\.async\.bulk\.wait_group[.\w]*\s+(\w+)\s*;")
# what may rest on a group that was waited for: its memory is read no more; or, its bytes are written, too
RESTS_ON_READ = re.compile(
    r"st\.(?!global|local|param)|stmatrix|atom\.(?!global)|red\.(?!global)|cp\.async\.(?!bulk)"
    r"|cp\.async\.bulk\..*mbarrier|bar\.|barrier|mbarrier\.(?!try_wait|test_wait)|call|ret|exit"
)
RESTS = re.compile(RESTS_ON_READ.pattern + r"|st\.global|ld\.(?!shared|param|const|local)|atom|red\.|cp\.")
# what a thread may do behind a wait that others notice, or that reads what it waited for
DOES = re.compile(
    r"st\.|stmatrix|ld\.(?!param|const)|ldmatrix|atom|red\.|cp\.|bar\.|barrier|fence|call|wgmma|tcgen05|elect|shfl|vote"
    r"|mbarrier\.(?!try_wait|test_wait)|setmaxnreg\.sync\.(?!aligned)"
)
PREDICATE = re.compile(r"%p\d+\b")
CLUSTER = re.compile(r"barrier\.cluster|\bmapa|multicast::cluster|reqnctapercluster|cta_group::2|%cluster_")
MOST_GROUPS = 16
MOST_STATES = 300000


class Ways:
    """The statements of a file's one kernel, and which may follow each."""

    def __init__(self, text):
        self.is_cluster = bool(CLUSTER.search(text))
        text = re.sub(r"//[^\n]*", lambda m: " " * len(m.group()), text)
        entry = re.search(r"^(\.visible |\.weak )?\.entry ", text, re.M)
        self.at, self.text, scopes, labels = [], [], [], {}
        place, scope, made = text.index("{", text.index(")", entry.start())), [], 0
        while m := TOKEN.match(text, place):
            place = m.end()
            if m.group("open"):
                made += 1
                scope.append(made)
            elif m.group("close"):
                scope.pop()
                if not scope:
                    break
            elif m.group("label"):
                labels[(scope[-1], m.group("label"))] = len(self.text)
            elif m.group("text"):
                self.at.append(m.start("text"))
                self.text.append(m.group("text"))
                scopes.append(tuple(scope))
        self._join(scopes, labels)

    def _join(self, scopes, labels):
        guards = [GUARD.match(t) for t in self.text]
        self.guarded = [g is not None for g in guards]
        self.text = [t[g.end() :] if g else t for t, g in zip(self.text, guards, strict=True)]
        self.makes = [set(PREDICATE.findall(t.split(",")[0])) for t in self.text]
        # predicates that several branches hang on, and that are made in one place
        made = collections.Counter(name for names in self.makes for name in names)
        asked = [
            g.group()[1:].strip() if g and t.startswith("bra") else ""
            for g, t in zip(guards, self.text, strict=True)
        ]
        count = collections.Counter(a.lstrip("!") for a in asked)
        self.asks = [
            (a.lstrip("!"), not a.startswith("!"))
            if count[a.lstrip("!")] > 1 and made[a.lstrip("!")] == 1
            else None
            for a in asked
        ]
        self.next = []
        for i, t in enumerate(self.text):
            to = []
            branch = re.match(r"bra(?:\.uni)?\s+([\w$]+)", t)
            if branch:
                to += [
                    labels[(s, branch.group(1))]
                    for s in reversed(scopes[i])
                    if (s, branch.group(1)) in labels
                ][:1]
            elif t.startswith("brx"):
                to += labels.values()
            if self.guarded[i] or not re.match(r"bra\b|brx|ret\b|exit\b", t):
                to.append(i + 1)
            self.next.append([k for k in to if k < len(self.text)])
        self.before = [[] for _ in self.text]
        for i, to in enumerate(self.next):
            for k in to:
                self.before[k].append(i)

    def index(self, place):
        """The statement that a place of the text lies in."""
        return max(i for i, at in enumerate(self.at) if at <= place)

    def _over(self, held, branch, to):
        """What is held of predicates on a way from a branch; None: it cannot be."""
        ask = self.asks[branch]
        if not ask or self.next[branch][0] == self.next[branch][-1]:
            return held
        name, holds = ask[0], ask[1] == (self.next[branch][0] == to)
        return None if (name, not holds) in held else held | {(name, holds)}

    def meets(self, start, what, ends, backwards=False):
        """Whether some way from a statement comes to `what`, and not past `ends` first: one that no guard
        keeps from being run. Ways that take one predicate both ways are none."""
        todo, seen = [], set()

        def go(i, held):
            if self.makes[i]:
                held = frozenset(h for h in held if h[0] not in self.makes[i])
            for k in self.before[i] if backwards else self.next[i]:
                over = self._over(held, k, i) if backwards else self._over(held, i, k)
                if over is not None and (k, over) not in seen:
                    seen.add((k, over))
                    todo.append((k, over))

        go(start, frozenset())
        while todo:
            i, held = todo.pop()
            if ends(i) and not self.guarded[i]:
                continue
            if what.match(self.text[i]) or len(seen) > MOST_STATES:
                return True
            go(i, held)
        return False

    def fence(self, i):
        """What a fence.proxy.async is for: "" nothing, "reads" generic reads alone, None: not known."""

        def fences(k):
            return FENCE.match(self.text[k])

        def orders(k):
            return ORDERS.match(self.text[k])

        if self.meets(i, SHARED_WRITE, fences, True) or self.meets(i, INIT, orders, True):
            return None
        return "reads" if self.meets(i, SHARED_READ, fences, True) else ""

    def groups(self, i):
        """How many groups with a store may be under way in a thread that comes to a statement."""
        most = {0: (0, 0)}  # a store is open, groups
        todo = [0]
        while todo:
            k = todo.pop()
            is_open, count = most[k]
            if STORE.match(self.text[k]):
                is_open = 1
            elif COMMIT.match(self.text[k]):
                is_open, count = (is_open if self.guarded[k] else 0), min(count + is_open, MOST_GROUPS)
            elif (m := WAIT_GROUP.match(self.text[k])) and m.group(1).isdigit() and not self.guarded[k]:
                count = min(count, int(m.group(1)))
            for n in self.next[k]:
                old = most.get(n, (0, -1))
                new = (max(old[0], is_open), max(old[1], count))
                if new != old:
                    most[n] = new
                    todo.append(n)
        return most.get(i, (0, 0))[1]

    def is_idle_group(self, i):
        """Whether a wait_group leaves all that can be under way, or is followed by one that leaves no more
        before anything can rest on it."""
        m = WAIT_GROUP.match(self.text[i])
        if not m or not m.group(1).isdigit():
            return False
        leaves = int(m.group(1))

        def waits(k):
            other = WAIT_GROUP.match(self.text[k])
            return other and other.group(1).isdigit() and int(other.group(1)) <= leaves

        rests = RESTS_ON_READ if ".read" in self.text[i] else RESTS
        return self.groups(i) <= leaves or not self.meets(i, rests, waits)

    def is_last_wait(self, i):
        """Whether a thread does nothing behind a wait but wait and end, and no other CTA is there."""
        return not self.is_cluster and not self.meets(i, DOES, lambda _: False)
