# SPDX-License-Identifier: Apache-2.0
"""What the driver and tensormap.replace answered, asked of libtma.driver and of a descriptor."""
import pytest
from conftest import lines, padded

import libtma
from libtma import TensorMapDescriptor, driver

FIELDS = ["global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride",
          "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"]  # numbered so in the files


def encode(case):
    with driver.lenient():
        return encode_plain(case)


def encode_plain(case):
    rank = case["rank"]
    slots = min(rank, 5)
    head = (case["dtype"], rank, min(case["addr"], 2**64 - 1), padded(case["dim"], slots),
            padded(case.get("stride", []), max(slots - 1, 1)))  # an empty list is a null pointer
    es = padded(case["es"], slots)
    corners = max(slots - 2, 1)
    tail = (case["sw"], case["l2"], case["oob"])
    driver.set_target(libtma.Target(case["arch"]) if "arch" in case else None)
    try:
        if case["api"] == "tiled":
            return driver.cuTensorMapEncodeTiled(*head, padded(case["box"], slots), es,
                                                 case["il"], *tail)
        if case["api"] == "im2col":
            return driver.cuTensorMapEncodeIm2col(*head, padded(case["lo"], corners),
                                                  padded(case["up"], corners), case["cpp"],
                                                  case["ppc"], es, case["il"], *tail)
        return driver.cuTensorMapEncodeIm2colWide(*head, case["lo"][0], case["up"][0], case["cpp"],
                                                  case["ppc"], es, case["il"], case["mode_w"],
                                                  *tail)
    finally:
        driver.set_target(None)


@pytest.mark.parametrize("name,count", [
    ("encode_sweep", 669), ("encode_real_world", 574), ("encode_probes", 22), ("encode", 24000)])
def test_encode(name, count):
    seen = wrong = 0
    for case in lines(name):
        rc, tensor_map = encode(case)
        findings = driver.last_findings()
        said = any(f.severity == "refused" for f in findings)
        right = int(rc) == case["rc"] and said == (case["rc"] != 0) and (
            tensor_map is None if case["rc"] else bytes(tensor_map).hex() == case["desc"])
        seen += 1
        wrong += not right
    assert (seen, wrong) == (count, 0)


def test_replace_address():
    seen = 0
    for case in lines("replace_address"):
        rc, tensor_map = encode(case)
        assert rc == 0
        assert driver.cuTensorMapReplaceAddress(tensor_map, case["naddr"]) == (case["rc"],)
        assert bytes(tensor_map).hex() == case["desc"]
        assert bool(driver.last_findings()) == bool(case["rc"])
        seen += 1
    assert seen == 351


@pytest.mark.parametrize("name,lines_there,maps", [("replace", 1500, 954),
                                                   ("replace_probes", 87, 87)])
def test_replace(name, lines_there, maps):
    seen = edited = 0
    for case in lines(name):
        rc, tensor_map = encode(case)
        assert rc == case["rc"]
        seen += 1
        if rc == 0:
            assert bytes(tensor_map).hex() == case["before"]
            takes_ordinal = FIELDS[case["field"]].endswith(("_dim", "_stride"))
            descriptor = TensorMapDescriptor.from_bytes(tensor_map)
            descriptor.replace(FIELDS[case["field"]], case["val"],
                               ordinal=case["ord"] if takes_ordinal else 0)
            assert bytes(descriptor).hex() == case["desc"], case
            edited += 1
    assert (seen, edited) == (lines_there, maps)
