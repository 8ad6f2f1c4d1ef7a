#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""grid_by_hand.py LOOPS ARGUMENT...: what `tma plan --grid=LOOPS` counts, counted again with a
`tma plan` for each copy; says whether both agree on every number and on the first of each."""
import collections
import itertools
import json
import subprocess
import sys


def plan(*arguments):
    run = subprocess.run(["tma", "plan", "--json", *arguments], stdout=subprocess.PIPE, check=False)
    if run.returncode not in (0, 1):
        sys.exit("tma plan: exit status %d" % run.returncode)
    return json.loads(run.stdout)


def fate(copy):
    if not copy["runs"]:
        return copy["finding"]["rule"] + "[%s]" % copy["finding"]["index"]
    report = copy["report"]
    inside, all_B = report["inside_B"], report["tx_B"]
    return "whole" if inside == all_B else "cut" if inside else "outside"


def main():
    loops, arguments = sys.argv[1], sys.argv[2:]
    ranges = []
    for loop in loops.split(","):
        start, step, count = (int(number) for number in loop.split(":"))
        ranges.append([start + step * k for k in range(count)])
    by_hand = collections.defaultdict(list)
    for backwards in itertools.product(*reversed(ranges)):
        coords = list(reversed(backwards))
        copy = plan(*arguments, "--coord=" + ",".join(map(str, coords)))
        by_hand[fate(copy)].append(coords)
    grid = plan(*arguments, "--grid=" + loops)["grid"]
    counted = {kind: grid[kind] for kind in ("whole", "cut", "outside") if grid[kind]["copies"]}
    for trap in grid["traps"]:
        counted[trap["finding"]["rule"] + "[%s]" % trap["finding"]["index"]] = trap
    for kind in sorted(set(counted) | set(by_hand)):
        copies = by_hand.get(kind, [])
        told = counted.get(kind, {"copies": 0, "first_coord": []})
        agree = told["copies"] == len(copies) and told["first_coord"] == copies[:3]
        print("%-28s %4d %s" % (kind, len(copies), "agrees" if agree else "but the grid has %r" % told))
    if grid["copies"] != sum(map(len, by_hand.values())):
        sys.exit("%d copies in all" % grid["copies"])


if __name__ == "__main__":
    main()
