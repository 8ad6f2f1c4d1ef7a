# SPDX-License-Identifier: Apache-2.0
"""tma-conformance --part speed: a ratio over its aim fails; tile loads are recorded."""
from conformance import run

PART = ("--part", "speed", "--count", 11)
AIM = 0.4  # speed_part.c


def encodes(done):
    found = done.matches(r"encode, (.{30}) driver +([\d.]+) ns, libtma +([\d.]+) ns, ratio ([\d.]+)")
    assert len(found) == 5
    return [(m[1].strip(), float(m[2]), float(m[3]), float(m[4])) for m in found]


def test_a_slow_driver_and_a_quick_one():
    slow = run(*PART, lie="slow")
    assert slow.status == 0 and slow.tally("speed") == (5, 0)
    for name, driver_ns, libtma_ns, ratio in encodes(slow):
        assert driver_ns > 2.5 * libtma_ns > 0, name
        assert abs(ratio - libtma_ns / driver_ns) < 0.01, name
    quick = run(*PART, lie="instant")
    assert quick.status == 1 and quick.tally("speed") == (0, 5)
    assert all(ratio > AIM for _, _, _, ratio in encodes(quick))


def test_tile_loads_are_recorded_with_their_shape():
    done = run(*PART, lie="slow")
    rates = done.matches(r"tile loads, (.*), box +(\d+) B \( *(\d+) B x +(\d+) rows\): +([\d.]+) GB/s")
    assert [int(m[2]) for m in rates] == 2 * [64 << i for i in range(10)]
    for m in rates:
        tile_B, row_B, rows = int(m[2]), int(m[3]), int(m[4])
        assert tile_B == row_B * rows
        assert row_B == min(tile_B, 128 if "swizzle" in m[1] else 2048)
        assert float(m[5]) == row_B  # what the pretended GPU says


def test_a_failing_load_is_counted():
    done = run(*PART, lie="slow,rate")
    assert done.status == 1 and done.tally("speed") == (5, 2)
    assert len(done.matches(r"tile loads, .*, 64 bytes: cudaErrorUnknown")) == 2
