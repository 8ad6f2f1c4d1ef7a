# SPDX-License-Identifier: Apache-2.0
"""order_edges.py BUILD [PATTERN]: the order table beside engines that lack something. An engine without an
edge reports right kernels of the table; one without a check is silent on broken ones. Each is one edit of a
source, compiled as BUILD compiles it, with test_order linked anew in a folder of its own. Said is which rows
each edit fails, and which rows no edit fails on their right side or on their broken one. Exit status 1: an
edit fails no row, or a row has no edge or no check. A right kernel counts where it is reported by its row's
rule: without a barrier most are, by another. PATTERN: edits whose name it is found in, and rows are not
counted.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEST = "tests/emulator/test_order"
SAID = re.compile(r"^(\w+), (right|broken), schedule.*\n((?:    .*\n)*)", re.M)


def without(name, file, statement, instead=";"):
    return name, file, statement, instead


def never(name, file, condition):
    """`if (condition` is not taken."""
    return name, file, f"if ({condition}", f"if (0 && {condition}"


EDGES = [
    without("barrier, its arrival", "emulator/sync/barriers.c", "order_release(w, lanes, &n->open);"),
    without("barrier, its wait", "emulator/sync/barriers.c",
            "order_acquire(&cta->warp[i], at->waits, &n->open);"),
    without("bar.warp.sync", "emulator/sync/barriers.c", "order_warp(w, lanes);"),
    without("barrier.cluster, its arrival", "emulator/sync/barriers_cluster.c",
            "order_release(w, mask, &b->open);"),
    without("barrier.cluster, its relaxed arrival", "emulator/sync/barriers_cluster.c",
            "order_release_fenced(w, mask, &b->open, ctas > 1);"),
    without("barrier.cluster, its relaxed arrival to its own CTA", "emulator/sync/barriers_cluster.c",
            "order_release_fenced(w, mask, &b->near[w->cta->rank].open, 0);"),
    without("barrier.cluster, its wait", "emulator/sync/barriers_cluster.c", "order_acquire(w, mask, &b->done);"),
    without("mbarrier, its arrival", "emulator/order/order_threads.c", "order_release(w, mask, told);"),
    without("mbarrier, its relaxed arrival", "emulator/order/order_threads.c",
            "order_release_fenced(w, mask, told, at != w->cta);"),
    without("mbarrier, its wait", "emulator/sync/mbarriers.c",
            "(in->order == EMU_RELAXED ? order_acquire_later : order_acquire)(w, same, &b[lane]->done);"),
    without("mbarrier, its relaxed wait", "emulator/order/order_threads.c",
            "order_know_join(&s->clocks, &w->read_pending[l].know, know);"),
    never("a flag that is read", "emulator/order/order_threads.c", "reads && row->know"),
    without("a flag that is written", "emulator/order/order_threads.c",
            "flag_written(warp, in, lane, semantics, row);"),
    without("a fence behind a read", "emulator/order/order_threads.c",
            "learn_pending(warp, in, mask, w->read_pending);"),
    without("a fence before a write", "emulator/order/order_threads.c",
            "fence_proxy(warp, mask, ORDER_RELEASED, ORDER_RELEASED);"),
    without("a barrier behind an atomic", "emulator/order/order_threads.c", "learn_atoms(w, 0, mask);"),
    never("fence.proxy.async in the writer", "emulator/order/race.c",
          "order_clock_lanes(fenced, e->cta, first, e->lanes, e->epoch)"),
    without("fence.mbarrier_init", "emulator/order/order_threads.c", "fence_proxy(w, mask, ORDER_INITS, ORDER_INITS);"),
    without("a copy and its barrier", "emulator/order/order_async.c",
            "order_clock_raise(&s->clocks, &know->clock[ORDER_HAPPENED], op->barrier_cta, op->barrier,\n"
            "                          epoch);"),
    without("a copy's reads and its group", "emulator/order/order_async.c",
            "order_clock_raise(&s->clocks, &know->clock[ORDER_HAPPENED], op->cta, op->group,\n"
            "                          op->read_epoch);"),
    without("a copy's writes and its group", "emulator/order/order_async.c",
            "order_clock_raise(&s->clocks, &know->clock[ORDER_HAPPENED], op->cta, op->group + 1, epoch);"),
    without("what a copy's issuer knows", "emulator/order/order_async.c", "op->know = together.know;"),
    without("restricted, its release", "emulator/order/order_threads.c",
            "fence_proxy(warp, mask, ORDER_RELEASED_OWN, ORDER_RELEASED_OWN);"),
    without("restricted, its acquire", "emulator/order/order_threads.c", "learn_restricted(warp, mask);"),
    never("restricted fences of the proxy", "emulator/order/order_threads.c",
          "order_is_restricted(in)) { /* of one direction"),
    without("restricted, of a copy", "emulator/order/order_restricted.c",
            "shared = know ? order_clock_at(know->clock[ORDER_SHARED], cta, number) : 0;", "shared = 0;"),
    never("one value written twice", "emulator/order/race.c", "is_twice_written(a, e)"),
    never("a barrier that ends after its use", "emulator/order/race.c", "is_after_use(a, e)"),
    never("strong accesses are no race", "emulator/order/race.c", "both & ORDER_IS_STRONG && !(both & ORDER_IS_ASYNC)"),
    without("program order", "emulator/order/order_before.c", "lanes &= ~a->entry.lanes; /* program order */"),
    without("a fence's scope", "emulator/order/order_scopes.c", "i <= (uint32_t)order_scope_of(in)",
            "i <= 0 * (uint32_t)order_scope_of(in)"),
    without("a flag's scope", "emulator/order/order_readings.c", "return (in->scope == TMA_PTX_SCOPE_CTA && from->cta",
            "return 1 || (in->scope == TMA_PTX_SCOPE_CTA && from->cta"),
    without("a strong access's scope", "emulator/order/order_readings.c", "if ((in->scope != cta &&",
            "if (0 && (in->scope != cta &&"),
    without("an arrival's scope", "emulator/order/order_readings.c", "barrier->cta == w->cta || in->scope != TMA_PTX_SCOPE_CTA",
            "barrier->cta == w->cta"),
    without("a wait's scope", "emulator/order/order_readings.c", "!w->machine->ordered || in->scope != TMA_PTX_SCOPE_CTA) {\n"
            "        return;\n    }\n    const emu_who later", "!w->machine->ordered) {\n"
            "        return;\n    }\n    const emu_who later"),
    without("atomics of one size", "emulator/order/race.c", "later && earlier && later != earlier", "later && earlier"),
    without("a commit and its wait", "emulator/sync/groups.c", "if (l->ever || !l->open || !l->open->works) {", "if (0) {"),
    without("bytes behind a commit of nothing that were read", "emulator/order/order_unread.c",
            "if (!is_for_copies(a, e)) {\n            return 0;", "if (!is_for_copies(a, e)) {\n            continue;"),
]


def unsaid(rule):
    """Without the report of unordered accesses by a rule."""
    return without(f"unordered: {rule}", "emulator/order/race.c", "const uint32_t rule = rule_of(a, e, context);",
                   f"const uint32_t rule = rule_of(a, e, context);\nif (rule == TMA_EMULATE_RULE_{rule}) {{ return; }}")


def unreported(rule):
    """Without whatever reports a rule."""
    return without(f"reports of {rule}", "emulator/report/run_report.c", "TMA_ASSERT(rule < TMA_EMULATE_RULES && m->result);",
                   f"if (rule == TMA_EMULATE_RULE_{rule}) {{ return 0; }}")


CHECKS = [
    *[unsaid(rule) for rule in ("DATA_RACE", "WAIT_MISSING", "PROXY_LOAD", "PROXY_STORE", "STORE_REUSE",
                                "BARRIER_INIT")],
    never("unfenced writes", "emulator/order/race.c", "is_fence_judged(a) && earlier == ORDER_THREAD_WRITE"),
    never("fences' scopes", "emulator/order/race.c", "order_by_narrow_alone(a, e)"),
    without("strong accesses' scopes", "emulator/order/order_readings.c", "if (here == there ||", "if (1 || here == there ||"),
    without("arrivals' scopes", "emulator/order/order_readings.c", "if (!w->machine->ordered || barrier->cta == w->cta",
            "if (1 || !w->machine->ordered || barrier->cta == w->cta"),
    without("waits' scopes", "emulator/order/order_readings.c",
            "if (!w->machine->ordered || in->scope != TMA_PTX_SCOPE_CTA) {\n        return;\n    }\n    const emu_who later",
            "if (1) {\n        return;\n    }\n    const emu_who later"),
    never("loads that are not coherent", "emulator/order/race.c", "a->is_apart"),
    without("atomics of two sizes", "emulator/order/race.c", "judge_sizes(a, e);\n        }", "}"),
    never("copies under way at the exit", "emulator/order/order_async.c",
          "!is_all_over(s, know, cta, c->list[i], &writes)) {\n            const emu_who"),
    without("commits of nothing", "emulator/order/order_state.c", "order_unread_judge(cta);"),
    *[unreported(rule) for rule in (
        "SCOPE", "BARRIER_INIT", "ARRIVE_MISSING", "EXPECT_MISSING", "ARRIVE_BEYOND", "COMMIT_MISSING", "OUT_OF_BOUNDS", "MISALIGNED",
        "UNINITIALISED", "DIVERGENCE", "TENSOR_ALLOC", "EXIT_EARLY", "MULTICAST_CLUSTER", "WAIT_MISSING", "PROXY_LOAD", "STORE_REUSE")],
]


# Rows whose right kernel has nothing that orders: rules of counts, values and lanes; one thread that stores
# alone; a load whose wait lacks by another rule's name.
NO_EDGE = {"arrive-missing", "expect-missing", "arrive-beyond", "divergence", "misaligned", "out-of-bounds",
           "uninitialised", "tensor-alloc", "nc-written", "multicast-cluster"}
NO_EDGE_ROWS = {"same_value_of_two_warps", "same_value_of_two_ctas", "load_over_load"}


def commands(build):
    """How a file is compiled, and how the test is linked."""
    of = {c["file"]: c["command"] for c in json.loads((build / "compile_commands.json").read_text())}
    said = subprocess.run(["ninja", "-C", build, "-t", "commands", TEST], capture_output=True, text=True, check=True)
    return of, said.stdout.strip().split("\n")[-1]


def failing(build, of, link, file, text, folder):
    """{(row, side): rules that are said} of what an engine with another text of a file has wrong."""
    source, made, test = folder / pathlib.Path(file).name, folder / "edited.o", folder / "test_order"
    source.write_text(text)
    words = shlex.split(of[str(ROOT / file)])
    words[words.index("-o") + 1], words[-1] = str(made), str(source)
    own = [f"-I{(ROOT / file).parent}", "-w"]
    subprocess.run(words[:1] + own + words[1:], cwd=build, check=True)
    library = next(word for word in link.split() if word.endswith("libtma_emulator.a"))
    linked = link.replace(f" -o {TEST} ", f" -o {test} ").replace(f" {library}", f" {made} {library}", 1)
    subprocess.run(linked, shell=True, cwd=build, check=True)
    done = subprocess.run([test], capture_output=True, text=True)
    return {(row, side): {line.split()[0] for line in said.splitlines()}
            for row, side, said in SAID.findall(done.stderr + done.stdout)}


def edited(file, old, new):
    text = (ROOT / file).read_text()
    assert text.count(old) == 1, f"{file}: {old} is there {text.count(old)} times"
    return text.replace(old, new)


def rows():
    """{row: its rule}"""
    rules = (ROOT / "include/tma/emulate_rules.def").read_text()
    names = dict(re.findall(r'^TMA_EMULATE_RULE\((\w+), "([\w-]+)"', rules, re.M))
    tables = [table.read_text() for table in sorted((ROOT / "tests/emulator").glob("order_cases*.def"))]
    return {row: names[rule] for table in tables
            for row, rule in re.findall(r"^ORDER_CASE\((\w+),\s*\d+, \d+, \d+, (\w+),", table, re.M)}


def main():
    build, pattern = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else ""
    of, link = commands(build)
    rule_of = rows()
    left = {"right": {row for row in rule_of if rule_of[row] not in NO_EDGE} - NO_EDGE_ROWS,
            "broken": set(rule_of)}
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for side, edits in (("right", EDGES), ("broken", CHECKS)):
            for name, file, old, new in edits:
                if pattern not in name:
                    continue
                failed = failing(build, of, link, file, edited(file, old, new), pathlib.Path(folder))
                of_side = sorted(row for (row, which), said in failed.items()
                                 if which == side and (side == "broken" or rule_of[row] in said))
                left[side] -= set(of_side)
                wrong += not of_side
                print(f"{'without the edge' if side == 'right' else 'without the check'} {name}: {len(of_side)} rows: "
                      f"{' '.join(of_side)}", flush=True)
    for side, what in (("right", "edge"), ("broken", "check")):
        if not pattern:
            print(f"rows of {len(rule_of)} that lack a{'n' * (what == 'edge')} {what}: {len(left[side])}: {' '.join(sorted(left[side]))}")
            wrong += len(left[side])
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
