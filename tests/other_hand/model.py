# SPDX-License-Identifier: Apache-2.0
"""What PTX ISA 5.5 says a tensor copy reads and where it leaves it, written from its text alone.

An element is its index in the packed tensor, dimension 0 fastest, or None outside of the tensor."""
import itertools


def element(dim, at):
    """The element at a place, or None where the place is outside (5.5.3.3)."""
    index, step = 0, 1
    for size, where in zip(dim, at):
        if not 0 <= where < size:
            return None
        index += where * step
        step *= size
    return index


def tile(dim, box, coord, stride=None):
    """5.5.3.1, 5.5.3.2: the box starts at the coordinates and walks by the traversal stride;
    the driver's document: ceil(boxDim[i] / elementStrides[i]) elements of each dimension."""
    stride = stride or [1] * len(dim)
    counts = [-(-b // s) for b, s in zip(box, stride)]
    places = itertools.product(*(range(count) for count in reversed(counts)))
    return [element(dim, [c + s * i for c, s, i in zip(coord, stride, reversed(place))])
            for place in places]


def gather4(dim, row_el, column, rows):
    """5.5.3.4: four rows of the tensor become one tile."""
    return [element(dim, [column + i, row]) for row in rows for i in range(row_el)]


def im2col(dim, lower, upper, channels, pixels, coord, offset, stride=None):
    """5.5.4: the filter base walks the bounding box W first, then H, D, then the next image; the
    offsets are added to it. Dimensions are C, W, H, D, N; lower, upper, offset are W first."""
    stride = stride or [1] * len(dim)
    space = len(dim) - 2
    base = list(coord[1:1 + space])
    image, found = coord[-1], []
    for _ in range(pixels):
        at = [b + o for b, o in zip(base, offset)]
        found += [element(dim, [coord[0] + c, *at, image]) for c in range(channels)]
        for d in range(space):
            base[d] += stride[1 + d]
            if base[d] <= dim[1 + d] - 1 + upper[d]:
                break
            base[d] = lower[d]
        else:
            image += 1
    return found


def wide(dim, lower, upper, channels, pixels, coord, w_offset=0, stride=None):
    """5.5.5: as im2col, along W alone; H and D stay. wOffset shifts the box and the start."""
    step = stride[1] if stride else 1
    w, image, found = coord[1] + w_offset, coord[-1], []
    for _ in range(pixels):
        found += [element(dim, [coord[0] + c, w, *coord[2:-1], image]) for c in range(channels)]
        w += step
        if w > dim[1] - 1 + upper + w_offset:
            w, image = lower + w_offset, image + 1
    return found


# 5.5.7: the tables, typed from the page. A cell is 16 bytes, a line of the table 128.
TABLES = {
    "none": ["01234567"],
    "32B": ["01234567", "10325476"],
    "64B": ["01234567", "10325476", "23016745", "32107654"],
    "96B": ["01234567", "10325476"],
    "128B": ["01234567", "10325476", "23016745", "32107654",
             "45670123", "54761032", "67452301", "76543210"],
    "128B_ATOM_32B": ["01234567", "23016745", "45670123", "67452301"],
    "128B_ATOM_64B": ["01234567", "45670123"],
}
# 5.5.7: the boundary at which the base offset is 0, and the modulus of its formula.
BASE = {"128B": (1024, 8), "96B": (256, 2), "64B": (512, 4), "32B": (256, 2)}


def swizzled(mode, data, at):
    """The bytes of `data`, laid out at shared address `at` as the mode's table says."""
    table = TABLES[mode]
    placed = bytearray(len(data))
    for offset in range(0, len(data), 16):
        where = at + offset
        line = table[(where // 128) % len(table)]
        cell = (where // 16) % 8
        from_cell = int(line[cell])
        begin = (where // 128) * 128 + from_cell * 16 - at
        placed[offset:offset + 16] = data[begin:begin + 16]
    return bytes(placed)


def flipped(data):
    """32-byte atomicity with a flip: the halves of each 16 bytes change places in every other line."""
    plain = swizzled("128B_ATOM_32B", data, 0)
    placed = bytearray(plain)
    for offset in range(0, len(data), 16):
        if (offset // 128) % 2:
            placed[offset:offset + 16] = plain[offset + 8:offset + 16] + plain[offset:offset + 8]
    return bytes(placed)


def base_offset(mode, at):
    boundary, modulus = BASE[mode]
    return 0 if at % boundary == 0 else (at // 128) % modulus


def first_line(mode, at):
    """The first 128 bytes at `at` of rows that fill the span and count 16-bit elements up."""
    line = TABLES[mode][base_offset(mode, at)]
    return b"".join((int(cell) * 8 + i).to_bytes(2, "little") for cell in line for i in range(8))
