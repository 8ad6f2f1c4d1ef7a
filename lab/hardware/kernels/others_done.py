#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""others_done.py PLAIN CHECKED DONE: what pytest -v said of the same tests twice; those that both have go to DONE.
As a plugin of pytest (-p others_done) it leaves the tests out that the file $DONE names, so that a long run can be
cut into several."""
import collections
import os
import re
import sys


def name(test):
    """Without the folders that Triton lies in."""
    return test[test.index("unit/"):] if "unit/" in test else test


def outcomes(path):
    found = {}
    try:
        with open(path, errors="replace") as file:
            for line in file:
                one = re.match(r"(?:\[gw\d+\] \[ *\d+%\] )?(PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR) (\S.*)", line)
                if one:
                    found[name(one[2].strip())] = one[1]
    except OSError:
        pass
    return found


def pytest_collection_modifyitems(config, items):
    with open(os.environ["DONE"]) as file:
        done = {line.rsplit("/", 1)[-1].strip() for line in file}
    left = [item for item in items if item.nodeid.rsplit("/", 1)[-1] not in done]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(left)])
    items[:] = left


def main(plain_path, checked_path, done_path):
    plain, checked = outcomes(plain_path), outcomes(checked_path)
    both = sorted(set(plain) & set(checked))
    differ = [test for test in both if plain[test] != checked[test]]
    with open(checked_path, errors="replace") as file:
        words = file.read().count("libtma: ")
    for how, found in ("plain", plain), ("checked", checked):
        print(how, dict(collections.Counter(found.values())))
    print(f"{len(differ)} differ, {words} words; both ran {len(both)}, and both passed "
          f"{sum(plain[test] == checked[test] == 'PASSED' for test in both)}")
    for test in differ[:10]:
        print("   ", test[:160], plain[test], checked[test])
    with open(done_path, "w") as file:
        file.writelines(test + "\n" for test in both)


if __name__ == "__main__":
    main(*sys.argv[1:])
