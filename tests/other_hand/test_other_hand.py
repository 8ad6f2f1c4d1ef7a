# SPDX-License-Identifier: Apache-2.0
"""The documents' statements, put to the command by models of another hand.

model.py, driver_statements.py and ptx_statements.py were written from the text of the documents
alone, before anything was mended; nothing of libtma is imported, the command is a black box. What
the command answers is as the document has it, or it differs, says so at the point, and stands in
DIFFERS under the rule that says it; nothing else passes."""
import collections
import math
import struct

import pytest
from ask import ask_all, tma

import driver_statements
import ptx_statements

# How many variants there are, exactly, and how many a rule answers otherwise than the document.
VARIANTS = 1338
DIFFERS = {
    "bounding-box-empty": 1,
    "corner-range-wide": 8,
    "dim-signed": 11,
    "element-stride-0": 6,
    "element-stride-0-range": 9,
    "im2col-offset-range": 2,
    "inner-16B-always": 10,
    "interleave-32B-swizzle": 12,
    "packed-direction": 4,
    "pixels-limit-W128": 2,
    "pixels-zero": 1,
    "slice-box": 10,
    "slice-channels": 3,
    "store-past-edge": 3,
    "stride-order": 3,
    "stride-overlap": 3,
    "stride-planes": 6,
    "tensor-map-align": 30,
    "wide-swizzle": 1,
    "wide-swizzle-list": 1,
    "wide-target": 1,
}
# Not right yet: (section, first words): how many variants.
PENDING = {}

TOLD = ("refused", "faults", "surprising")


def names(finding, argument):
    given = (finding.get("argument") or "").lower()
    return argument.lower() in given or given in argument.lower()


def driver_verdict(argument, legal, answer):
    """"as written", a rule that tells the difference, or None."""
    told = [one for one in answer.findings() if one.get("severity") in TOLD]
    hard = [one["rule"] for one in told if one["severity"] != "surprising"]
    mine = [one["rule"] for one in told if names(one, argument)]
    if legal:
        if not answer.refuses() and not hard:
            return "as written"
        evident = all(one.get("evidence") or one.get("source") for one in told)
        return hard[0] if hard and evident else None
    if answer.refuses():
        return "as written" if mine or argument in answer.err or "--" in answer.err else None
    return mine[0] if mine else None


def nan_only(data, size_B):
    form = {2: "e", 4: "f", 8: "d"}[size_B]
    if form == "e":   # bfloat16 and float16 are both NaN where all of the exponent is set
        words = struct.unpack(f"<{len(data) // 2}H", data)
        return all(word & 0x7c00 == 0x7c00 and word & 0x3ff for word in words)
    return all(math.isnan(one) for one in struct.unpack(f"<{len(data) // size_B}{form}", data))


def ptx_verdict(want, answer):
    rules = [one["rule"] for one in answer.findings() if one.get("rule")]
    if isinstance(want, bool):
        if answer.refuses() != want:
            return "as written"
        return rules[0] if rules else None
    if not answer.json.get("runs"):
        return None
    if isinstance(want, dict):
        return "as written" if all(answer.json["report"][k] == v for k, v in want.items()) else None
    got = bytes.fromhex(answer.json["shared"]["bytes"])
    if want == "nan":
        size = len(got) // 64
        return "as written" if nan_only(got, size) else None
    begin = int(answer.json["shared"]["address"], 16) % 128
    return "as written" if got[begin:begin + len(want)] == want or got[:len(want)] == want else None


@pytest.fixture(scope="module", name="verdicts")
def all_verdicts():
    """(section, first words, verdict, question), every variant."""
    driver, ptx = driver_statements.statements(), ptx_statements.statements()
    answers = ask_all([row[4] for row in driver] + [row[2] for row in ptx])
    found = [(row[0], row[1], driver_verdict(row[2], row[3], answer), row[4])
             for row, answer in zip(driver, answers)]
    found += [(row[0], row[1], ptx_verdict(row[3], answer), row[2])
              for row, answer in zip(ptx, answers[len(driver):])]
    return found


def test_every_variant_is_as_written_or_told(verdicts):
    wrong = [one for one in verdicts if one[2] is None]
    counted = dict(collections.Counter((section, words) for section, words, _, _ in wrong))
    assert counted == PENDING, "\n".join(f"{s}: {w}: tma {' '.join(q)}" for s, w, _, q in wrong
                                         if (s, w) not in PENDING)


def test_what_differs_is_known(verdicts):
    told = collections.Counter(verdict for _, _, verdict, _ in verdicts
                               if verdict not in ("as written", None))
    assert dict(told) == DIFFERS


def test_how_many(verdicts):
    assert len({tuple(question) for _, _, _, question in verdicts}) >= 439
    assert len(verdicts) == VARIANTS


def replaced(spec, address):
    made = tma(["encode", *spec]).out.strip()
    return tma(["replace", made, f"--address={address:#x}"])


def test_replace_address():
    """globalAddress "must follow previous alignment requirements"."""
    spec = ["--dtype=u8", "--dim=64,8", "--box=64,8"]
    sliced = ["--dtype=u8", "--dim=32,8,4", "--box=16,8,1", "--stride=1024,8192", "--interleave=32B",
              "--swizzle=32B"]
    for off in (1, 2, 4, 8, 12, 24):
        assert replaced(spec, 0x7f0000000000 + off).status == 1
    for off in (16, 32, 48):
        done = replaced(spec, 0x7f0000000000 + off)
        assert (done.status, done.err) == (0, "")
    told = replaced(sliced, 0x7f0000000010)
    assert told.status == 1 or "32" in told.err
    assert replaced(sliced, 0x7f0000000020).err == ""
