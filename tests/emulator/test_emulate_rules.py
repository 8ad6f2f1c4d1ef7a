# SPDX-License-Identifier: Apache-2.0
"""Each rule of emulate_rules.def is told somewhere: by a case of the order table, by a kernel or a pair that says
what it is executed with, by a test in C, or in a session."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = dict(re.findall(r'TMA_EMULATE_RULE\((\w+), "([^"]+)"', (ROOT / "include/tma/emulate_rules.def").read_text()))


def texts(folder, *kinds):
    return "\n".join(file.read_text() for kind in kinds for file in sorted((ROOT / "tests" / folder).rglob(kind)))


def told():
    ids = re.findall(r"\bORDER_CASE\(\w+, *\d+, *\d+, *\d+, *(\w+),", texts("emulator", "order_cases*.def"))
    ids += re.findall(r"\bTMA_EMULATE_RULE_(\w+)", texts("emulator", "*.c"))
    kernels = re.findall(r"^// emulate, broken: (.*)$", texts("emulator", "*.ptx") + texts("ptx/pairs", "*.ptx"), re.M)
    sessions = re.findall(r"^(?:certain|may) ([a-z-]+):", texts("golden/emulate", "*.session"), re.M)
    return {RULES[i] for i in ids if i in RULES} | {word for line in kernels for word in line.split()} | set(sessions)


def test_every_rule_is_told():
    assert len(RULES) > 25
    assert sorted(set(RULES.values()) - told()) == []
