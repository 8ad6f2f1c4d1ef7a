# SPDX-License-Identifier: Apache-2.0
"""What a driver takes and no copy does: told by the stand-in and beside a driver alike."""
import pytest

from shim_programs import reports, watched

WAYS = {"stand-in": lambda *arguments: watched(*arguments, program="align_calls", LIBTMA_MODE="stand-in"),
        "watch": lambda *arguments: watched(*arguments, program="align_calls")}


@pytest.mark.parametrize("way", WAYS)
def test_an_address_of_16_bytes_for_interleave_32B_is_told(way):
    done = WAYS[way]()
    assert (done.returncode, done.stdout) == (0, "sliced 0\nby 32 0\nby 16 0\n")
    (told,) = reports(done.stderr)  # of the one at 16 bytes alone
    assert told[0].startswith("cuTensorMapReplaceAddress answered 0 ")
    assert told[1] == ("  globalAddress = 0x7f0000000010, must be a multiple of 32 B with interleave 32B: the driver "
                       "takes it, copies of this map end in a misaligned address [map-address-align]")


@pytest.mark.parametrize("way", WAYS)
def test_a_map_at_16_bytes_is_told_once(way):
    done = WAYS[way]("odd")
    assert (done.returncode, done.stdout) == (0, "odd 0 0\n")
    (line,) = done.stderr.splitlines()
    assert line.startswith("libtma: tensorMap = 0x") and line.endswith("[tensor-map-align]")
    assert "is no multiple of 64 B" in line
