# SPDX-License-Identifier: Apache-2.0
"""The words of a probe's line: probe_cases.py fills LINES with them."""
LINES = []
TYPES = "u8 u16 u32 s32 u64 s64 f16 f32 f64 bf16 f32_ftz tf32 tf32_ftz".split()  # cuda.h's order
SIZE = dict(zip(TYPES, (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)))
LAST = 2**31 - 1


def line(kind, name, fields):
    words = [kind]
    for key, value in fields.items():
        if value is not None:
            text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            words.append(f"{key}={text}")
    LINES.append(" ".join(words + [f"id={name}"]))


TILE = dict(api="tiled", dtype=9, rank=2, addr=1024, dim=[64, 32], stride=[128], box=[64, 8],
            es=[1, 1], il=0, sw=0, l2=0, oob=0)
PIXELS = dict(api="im2col", dtype=9, rank=4, addr=1024, dim=[16, 9, 7, 4],
              stride=[32, 32 * 9, 32 * 63], es=[1] * 4, lo=[0, 0], up=[0, 0], cpp=16, ppc=8,
              il=0, sw=0, l2=0, oob=0)
COPY = dict(op="load", mode="tile", coord=[0, 0], smem=0, win=2048, gwin=8192, fill="ramp16",
            seed=1, raw=1)


def hw(name, **changes):
    line("hw", name, {**TILE, **COPY, **changes})


def pixels(name, **changes):
    fields = {**PIXELS, **COPY, "mode": "im2col", "gwin": 16384, "coord": [0] * 4, "off": [0, 0], **changes}
    if fields["op"] not in ("load", "prefetch"):
        fields["off"] = None
    line("hw", name, fields)


def dtype(name):
    return TYPES.index(name)


def patch(*edits):
    return ",".join(f"{word}:{mask:#x}:{value:#x}" for word, mask, value in edits)
