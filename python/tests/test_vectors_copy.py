# SPDX-License-Identifier: Apache-2.0
"""What an H200 and a GeForce RTX 5080 left in memory, copy by copy, asked of a descriptor."""
import pytest
from conftest import BASE, lines
from test_vectors_encode import encode

import libtma
from libtma import _core, driver

WINDOW = 0x400  # 1024-byte aligned


def memory(case):
    """(global buffer, shared window) before the copy."""
    whole, window = bytearray(case["gwin"]), bytearray(case["win"])
    _core.pattern_fill(whole, case["fill"], case["seed"])
    if case["op"] == "load":
        window[:] = b"\xa5" * len(window)
    else:
        later = 2 if case["fill"] == "special" else 1
        _core.pattern_fill(window, case["fill"], case["seed"] + later)
    return whole, window


def run(case, desc, whole, window):
    shared = memoryview(window)[case["smem"]:]
    offsets = case["coord"][::-1]
    how = {"memory": libtma.Memory({BASE: whole}), "mode": case["mode"], "raw": True,
           "shared_address": WINDOW + case["smem"]}
    if case["op"] == "load":
        if case.get("off"):
            how["im2col_offsets"] = case["off"][::-1]
        desc.load(offsets, out=shared, **how)
    elif case["op"] == "store":
        desc.store(offsets, shared, **how)
    else:
        desc.reduce(offsets, shared, case["op"], **how)


def agrees(case):
    target = libtma.Target(case["arch"]) if "arch" in case else None
    rc, tensor_map = encode({**case, "addr": case["addr"] + BASE})
    if case["rc"] or rc:
        return int(rc) == case["rc"]
    desc = libtma.TensorMapDescriptor.from_bytes(bytes(tensor_map), target=target)
    whole, window = memory(case)
    before = bytes(whole), bytes(window)
    if case["st"].startswith("trap:"):
        try:
            run(case, desc, whole, window)
        except libtma.TensorMapTrap as trap:
            unchanged = before == (bytes(whole), bytes(window))
            return unchanged and _core.trap_name(trap.finding) == case["st"][5:]
        return False
    run(case, desc, whole, window)
    after, other = (window, bytes(whole) == before[0]) if case["op"] == "load" else (
        whole, bytes(window) == before[1])
    return (other and len(after) == case["n"]
            and _core.pattern_hash(after) == int(case["hash"], 16)
            and case.get("raw") in (None, bytes(after).hex()))


@pytest.mark.parametrize("name,count", [
    ("copy", 3000), ("copy_inside", 1887), ("copy_raw", 440), ("copy_edge", 257),
    ("copy_special", 236), ("reduce", 104), ("copy_blackwell", 17), ("copy_conformance", 2412),
    ("copy_probes", 429), ("copy_gather_scatter", 269)])
def test_copies(name, count):
    cases = list(lines(name))
    requests = [{k: v for k, v in case.items() if k != "raw" or v != "1"} for case in cases]
    wrong = [case for case, request in zip(cases, requests, strict=True) if not agrees(request)]
    assert not wrong[:3]
    assert len(cases) == count
    assert driver.last_findings() is not None
