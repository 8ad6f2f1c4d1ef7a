# SPDX-License-Identifier: Apache-2.0
"""Maps that lack memory, in programs whose kernels have checks: said where a kernel ended with an error."""
import pytest

from shim_programs import natural, reports, watched

PIECES = ",".join(f"{0x10000 * i:#x}+{0x10000:#x}" for i in range(1, 4))  # 0x10000 to 0x40000


def ended(*words, way="direct", memory=PIECES, end=700, **settings):
    """The report's lines behind its first one, and that one."""
    settings = {"LIBTMA_CHECK_KERNELS": "record", **settings}
    done = watched(way, *words, program="mapped_calls", PRETEND_MEMORY=memory, PRETEND_END=end, **settings)
    assert done.returncode == 0
    assert done.stdout == natural("mapped_calls", way, *words, PRETEND_MEMORY=memory, PRETEND_END=end)
    said = reports(done.stderr)
    assert len(said) <= 1
    return (said[0][1:], said[0][0]) if said else ([], "")


def line(address, rows):
    return (f"  enc api=tiled dtype=0 rank=2 addr={address:#x} dim=128,{rows} stride=128 box=128,8 es=1,1 "
            "il=0 sw=0 l2=0 oob=0")


def head(bad, count, error="700 (CUDA_ERROR_ILLEGAL_ADDRESS)"):
    return (f"a kernel ended with error {error}, and no check found a broken rule; {bad} of {count} "
            f"map{'s' * (count != 1)} lack{'s' * (bad == 1)} memory:")


@pytest.mark.parametrize("rows, end", [(1024, None), (1025, 0x30000), (1 << 31, 0x30000)])
def test_a_tensor_that_its_memory_does_not_hold(rows, end):
    """0x10000 and behind: 0x20000 bytes are there, as two ranges."""
    lines, first = ended(f"map=0x10000,{rows}", memory=f"0x10000+{0x10000:#x},0x20000+{0x10000:#x}")
    if end is None:
        assert not lines
    else:
        assert first == head(1, 1)
        assert lines == [f"  the tensor has {128 * rows} B from 0x10000 on, the memory there ends after {0x20000} B, "
                         f"at {end:#x}:", line(0x10000, rows)]


def test_a_map_where_no_memory_is():
    lines, first = ended("map=0x50000,8", "map=0x10000,8", "map=0xffff0,8")
    assert first == head(2, 3)
    assert lines == ["  the driver had no memory at 0xffff0 when this map was made:", line(0xFFFF0, 8),
                     "  the driver had no memory at 0x50000 when this map was made:", line(0x50000, 8)]


def test_the_host_s_memory_is_memory():
    host = f"0x10000^{0x10000:#x},0x20000+{0x10000:#x}"
    assert ended("map=0x10000,1024", memory=host) == ([], "")
    assert ended("map=0x10000,1025", memory=host)[0][0].endswith(f"ends after {0x20000} B, at 0x30000:")


@pytest.mark.parametrize("way", ["direct", "handle", "lookup2", "lookup2-ptsz"])
@pytest.mark.parametrize("call", ["free=0x20000", "async=0x20000", f"unmap=0x20000,{0x10000}"])
def test_memory_that_is_given_back(way, call):
    lines, first = ended("map=0x20100,8", "map=0x30000,8", call, way=way)
    assert first == head(1, 2)
    assert lines == ["  the memory at 0x20100 was freed after this map was made:", line(0x20100, 8)]
    lines, _ = ended("map=0x10000,2048", call, way=way)  # the middle of its memory
    assert lines[0] == "  the memory at 0x10000 was freed after this map was made:"
    assert ended("map=0x10000,512", "map=0x30000,8", call, way=way) == ([], "")  # its neighbours'
    assert ended("map=0x20000,8", "free=0x20010", way=way) == ([], "")  # refused by the driver


@pytest.mark.parametrize("way", ["direct", "handle", "lookup2", "lookup2-ptsz"])
@pytest.mark.parametrize("call", ["have=0x1000", "pitch=0x1000", "unified=0x1000", "new=0x1000", "pool=0x1000",
                                  "join=0x20000,0x1000"])
def test_memory_that_comes_again(way, call):
    """free() and malloc() that gives the same address: the map is as good as before, if all of its tensor is there."""
    lines, first = ended("map=0x20100,30", "free=0x20000", call, way=way)
    assert (lines, first) == ([], "")
    lines, first = ended("map=0x20100,31", "free=0x20000", call, way=way)  # one row more than there is
    assert first == head(1, 1) and lines[0] == "  the memory at 0x20100 was freed after this map was made:"
    lines, first = ended("map=0x20100,8", "map=0x30000,8", "free=0x30000", "free=0x20000", call, way=way)  # another's
    assert first == head(1, 2) and lines[0] == "  the memory at 0x30000 was freed after this map was made:"
    lines, first = ended("map=0x20100,8", "free=0x20000", call, "free=0x20000", way=way)
    assert first == head(1, 1) and lines[0] == "  the memory at 0x20100 was freed after this map was made:"
    assert ended("map=0x20100,8", call, way=way) == ([], "")  # there is no memory to be had: refused by the driver


def test_a_map_that_is_made_again_has_the_memory_of_then():
    lines, first = ended("map=0x20000,8", "free=0x20000", "map=0x20000,8")
    assert first == head(1, 1)
    assert lines[0] == "  the driver had no memory at 0x20000 when this map was made:"


def test_a_replaced_address_is_looked_at():
    lines, first = ended("map=0x30000,512", "map=0x30000,8", "replace=0x3fff0")
    assert first == head(1, 3)
    assert lines == ["  the tensor has 1024 B from 0x3fff0 on, the memory there ends after 16 B, at 0x40000:",
                     line(0x3FFF0, 8)]


def test_only_a_kernel_s_error_is_a_reason():
    for end in 0, 600, 1, 710, 999:
        assert ended("map=0x90000,8", end=end) == ([], "")
    assert ended("map=0x90000,8", end=719)[1] == head(1, 1, "719 (CUDA_ERROR_LAUNCH_FAILED)")
    assert ended("map=0x90000,8", LIBTMA_QUIET=1) == ([], "")
    assert ended("map=0x90000,8", LIBTMA_CHECK_KERNELS=0) == ([], "")
    assert ended("map=0x90000,8", LIBTMA_CHECK_KERNELS=0, LIBTMA_RECORD=1)[1] == head(1, 1)


def test_a_call_that_the_error_answers_says_it_at_once():
    done = watched("direct", "map=0x90000,8", "error=700", "map=0x10000,8", program="mapped_calls",
                   LIBTMA_CHECK_KERNELS="record", PRETEND_MEMORY=PIECES, PRETEND_END=700)
    said = reports(done.stderr)
    assert len(said) == 2 and said[0][0] == head(1, 1)
    assert said[1][0].startswith("cuTensorMapEncodeTiled answered 700")


def test_a_child_says_nothing_of_its_parent_s_maps():
    lines, first = ended("map=0x90000,8", "fork", "map=0x10000,8", end=700)
    assert first == head(1, 1) and len(lines) == 2  # the parent alone


def test_many_maps_are_said_in_part():
    words = [f"map={0x100000 + 0x1000 * i:#x},8" for i in range(600)]
    lines, first = ended(*words)
    assert first == head(512, 512)
    assert lines[-1] == "  and 504 more" and len(lines) == 17
    assert lines[1] == line(0x100000 + 0x1000 * 599, 8)
