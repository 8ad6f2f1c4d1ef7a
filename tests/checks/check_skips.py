# SPDX-License-Identifier: Apache-2.0
"""Each test of a build that goes through tools/python.sh is skipped, not failed, where no Python is:
python.sh ends with 77 there, and the test has to say what 77 means (SKIP_RETURN_CODE).
check_skips.py BUILD"""
import json
import subprocess
import sys

from project_tree import finish

SKIPPED = 77


def through_python(test):
    return any(word.endswith("tools/python.sh") for word in test.get("command", []))


def complaint_of(test):
    said = {one["name"]: one["value"] for one in test["properties"]}.get("SKIP_RETURN_CODE")
    return None if said == SKIPPED else f"{test['name']}: runs tools/python.sh with no SKIP_RETURN_CODE {SKIPPED}"


def main():
    told = subprocess.run(["ctest", "--test-dir", sys.argv[1], "--show-only=json-v1"], capture_output=True, text=True, check=True)
    tests = [test for test in json.loads(told.stdout)["tests"] if through_python(test)]
    finish([said for said in map(complaint_of, tests) if said], len(tests))


main()
