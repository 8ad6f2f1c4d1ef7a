# SPDX-License-Identifier: Apache-2.0
"""tma hang on dumps that are made to be slow."""
import os
import re
import shutil
import struct
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from made_core import Core, Image, cut_core, lane  # noqa: E402

TMA = os.environ["TMA"]


class Empty:
    """An image of so many sections that hold nothing."""

    def __init__(self, sections):
        self.bytes = b"\x7fELF\x02\x01\x01".ljust(40, b"\0") + struct.pack("<Q10xHHH", 64, 64, sections, 0) + bytes(64 * sections)


def share_first_image(path):
    """All images of a dump lie where its first one does."""
    data = bytearray(path.read_bytes())
    table, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    images = [at for at in range(table, table + 64 * count, 64) if struct.unpack_from("<I", data, at + 4)[0] == cut_core.RELF]
    for at in images[2:]:
        data[at + 24:at + 40] = data[images[1] + 24:images[1] + 40]
    path.write_bytes(data)


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
def test_the_time_is_in_proportion_to_the_dump(tmp_path):
    """Images that share one large table of sections, and as many places, in none of them: instructions, by callgrind."""
    image, spent = Image("wrong_barrier"), []
    for count in (64, 256):
        core = Core(image.head)
        core.image(image)
        core.image(Empty(16 * count))
        for _ in range(count):
            core.image(Empty(0))
        core.grids(0, [1], [image.params])
        lanes = [lane(0x10_0000_0000 + 16 * i, {3: 0x400}) for i in range(2 * count)]
        core.cta(1, [lanes[i:i + 32] for i in range(0, len(lanes), 32)])
        path = core.write(tmp_path / "core")
        share_first_image(path)
        counted = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", TMA, "hang", str(path)],
                                 capture_output=True, text=True, check=False)
        spent.append(int(re.search(r"Collected : (\d+)", counted.stderr)[1]) / path.stat().st_size)
    assert max(spent) < 10000, spent  # 64 times as many for 4 times as long a dump where nothing is spent
    assert "was not searched for to the end" in counted.stdout
