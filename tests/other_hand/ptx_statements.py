# SPDX-License-Identifier: Apache-2.0
"""PTX ISA 5.5, statement by statement: what a copy leaves, as the models of model.py have it.

A case is (section, first words of the sentence, question, expected answer); the expected answer is
the bytes of shared memory, or True and False for what runs and what the text does not allow, or
a dict of numbers of the plan's report."""
import model
from ask import options

# Type, bytes.
SIZED = {"u8": 1, "u16": 2, "u32": 4, "s32": 4, "u64": 8, "s64": 8, "f16": 2, "bf16": 2, "tf32": 4,
         "f32": 4, "f64": 8, "b32": 4, "b64": 8}
SPACE = {3: 1, 4: 2, 5: 3}


def load(**over):
    return ["load", "--json", *options(**over)]


def plan(**over):
    return ["plan", "--json", *options(**over)]


def held(elements, size_B):
    """The bytes of elements that hold their own index; 0 outside of the tensor."""
    mask = (1 << 8 * size_B) - 1
    return b"".join(((one or 0) & mask).to_bytes(size_B, "little") for one in elements)


def types(case):
    for name, size in SIZED.items():
        for dotted in (name, "." + name):
            case("5.5.1", f"The elements can have one of the following types: {dotted}",
                 plan(dtype=dotted, dim=[64, 8], box=[16, 8]), {"tx_B": 16 * 8 * size})
    for name in ("b4x16", "b4x16_p64", "b6x16_p32"):
        for dotted in (name, "." + name):
            case("5.5.1", f"Sub-byte types: {dotted}",
                 plan(dtype=dotted, arch="sm_100a", dim=[128, 8], box=[128, 8]), True)
    for dotted in ("b6p2x16", ".b6p2x16"):
        case("5.5.1", f"Sub-byte types: {dotted}",
             plan(dtype=dotted, arch="sm_100a", dim=[128, 8], box=[128, 8], op="store"), True)
    for rank in range(1, 6):
        dim, box = [32, 5, 4, 3, 2][:rank], [4, 2, 2, 2, 1][:rank]
        coord = [4, 1, 1, 0, 1][:rank]
        case("5.5.1", f"Tensors can have dimensions: {rank}D",
             load(dtype="u32", dim=dim, box=box, coord=coord), held(model.tile(dim, box, coord), 4))
    for name, ops, legal in (("b6x16_p32", ("load",), True), ("b6x16_p32", ("store",), False),
                             ("b6p2x16", ("store",), True), ("b6p2x16", ("load",), False),
                             ("b4x16_p64", ("load",), True), ("b4x16_p64", ("store", ), False),
                             ("b4x16", ("load", "store"), True)):
        for op in ops:
            for swizzle in ("none", "128B"):
                case("5.5.1.1.1", f"Valid Tensor Copy Direction: {name} {op}",
                     plan(dtype=name, arch="sm_100a", dim=[128, 8], box=[128, 8], op=op,
                          swizzle=swizzle), legal)
    for name in ("b6x16_p32", "b4x16_p64", "b4x16"):
        case("5.5.1.1.1", f"Valid Tensor Copy Direction: {name} to .shared::cluster",
             [*plan(dtype=name, arch="sm_100a", dim=[128, 8], box=[128, 8]), "--cluster"], True)


def tiled(case):
    for rank in range(1, 6):
        dim, box = [24, 7, 6, 5, 4][:rank], [8, 4, 3, 2, 2][:rank]
        for shift in (-2, 0, 1, 3):
            coord = [4 * shift] + [shift] * (rank - 1)
            case("5.5.3.1", "specify the starting offset of the bounding box",
                 load(dtype="u32", dim=dim, box=box, coord=coord),
                 held(model.tile(dim, box, coord), 4))
    for at in range(1, 4):
        for step in range(2, 9):
            every = [1, 1, 1, 1]
            every[at] = step
            dim, box, coord = [16, 20, 18, 16], [4, 1, 1, 1], [4, 1, 1, 1]
            box[at] = 9
            case("5.5.3.2", "the traversal stride specifies the exact number of elements",
                 load(dtype="u32", dim=dim, box=box, coord=coord, element_stride=every),
                 held(model.tile(dim, box, coord, every), 4))
    for size in (1, 2, 3, 5, 6, 7, 9):
        case("5.5.3.1", "Size of each bounding box must be a multiple of 16 bytes",
             plan(dtype="u32", dim=[64, 8], box=[size, 4]), size % 4 == 0)
    for step in (2, 3, 8):
        case("5.5.3.2", "the traversal stride in dimension 0 must always be 1",
             ["check", "--json", *options(dtype="u32", dim=[64, 8], box=[8, 4],
                                          element_stride=[step, 1])], False)
    for name in ("f16", "bf16", "f32", "tf32", "f64"):
        case("5.5.3.3", f"OOB-NaN fill mode: {name}",
             load(dtype=name, dim=[16, 4], box=[16, 4], coord=[0, 4], fill="nan"), "nan")
        case("5.5.3.3", f"Zero fill mode: {name}",
             load(dtype=name, dim=[16, 4], box=[16, 4], coord=[0, 4], fill="none"),
             bytes(16 * 4 * {"f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f64": 8}[name]))


def gather(case):
    dim = [32, 16]
    for rows in ((2, 5, 0, 9), (0, 1, 2, 3), (15, 15, 15, 15), (-1, 3, 16, 20), (9, 7, 3, 1)):
        for column in (0, 4, 16):
            case("5.5.3.4", "four rows in the source 2D tensor are combined",
                 load(arch="sm_100a", dtype="u32", dim=dim, box=[8, 1], mode="tile::gather4",
                      coord=[column, *rows]), held(model.gather4(dim, 8, column, rows), 4))
    for mode, op in (("tile::gather4", "load"), ("tile::scatter4", "store")):
        common = {"arch": "sm_100a", "dtype": "u32", "mode": mode, "op": op}
        for box1, legal in ((1, True), (2, False), (4, False)):
            case("5.5.3.4.1", "The size of the bounding box in the dimension 1 must be one",
                 plan(**common, dim=dim, box=[8, box1], coord=[0, 1, 2, 3, 4]), legal)
        case("5.5.3.4", "these modes work only on 2D tensor data",
             plan(**common, dim=[32, 8, 4], box=[8, 1, 1], coord=[0, 1, 2, 3, 4]), False)
        case("5.5.3.4", "these modes work only on 2D tensor data",
             plan(**common, dim=[32], box=[8], coord=[0, 1, 2, 3, 4]), False)
        case("5.5.3.4", "The interleave layout is not supported",
             plan(**common, dim=[32, 8, 4], box=[4, 1, 1], interleave="16B", coord=[0, 1, 2, 3, 4]),
             False)


def im2col(case):
    for rank in (3, 4, 5):
        space = rank - 2
        dim = [8] + [6, 5, 4][:space] + [3]
        for lower, upper, start in ((0, 0, 1), (-1, 1, -1), (-1, -1, 0), (0, -2, 2), (1, 1, 3)):
            for pixels in (5, 23):
                base = [start if start <= dim[1 + d] - 1 + upper else lower for d in range(space)]
                low, up = [lower] * space, [upper] * space
                for shift in (0, 1):
                    offset = [shift] * space
                    case("5.5.4.1", "im2col: box, pixels-per-column, coordinates and offsets",
                         load(api="im2col", dtype="u32", dim=dim, lower=low, upper=up, channels=4,
                              pixels=pixels, coord=[4, *base, 1], offset=offset),
                         held(model.im2col(dim, low, up, 4, pixels, [4, *base, 1], offset), 4))
    for at in range(1, 4):
        for step in (2, 3):
            every = [1, 1, 1, 1, 1]
            every[at] = step
            dim = [8, 7, 6, 5, 3]
            case("5.5.4.2", "The number of elements traversed along D, H and W is strided",
                 load(api="im2col", dtype="u32", dim=dim, lower=[-1] * 3, upper=[0] * 3, channels=4,
                      pixels=40, coord=[0, -1, -1, -1, 0], element_stride=every),
                 held(model.im2col(dim, [-1] * 3, [0] * 3, 4, 40, [0, -1, -1, -1, 0], [0] * 3,
                                   every), 4))
    # The three examples, sizes innermost first as Tensor Size[0] is.
    figures = (("13", [64, 9, 14, 64], -1, -1, 8, 64, [0, 0], None, 4),
               ("14", [64, 9, 14, 64], 0, -2, 8, 64, [2, 2], None, 4),
               ("15", [64, 8, 14, 64], -1, -1, 16, 32, [1, 1], [1, 2, 2, 1], 5))
    for name, dim, low, up, channels, pixels, offset, stride, w in figures:
        coord = [0, w, 7, 7]
        case("5.5.4.1" if name != "15" else "5.5.4.2", f"Figure {name}",
             load(api="im2col", dtype="u32", dim=dim, lower=[low] * 2, upper=[up] * 2,
                  channels=channels, pixels=pixels, coord=coord, offset=offset,
                  element_stride=stride),
             held(model.im2col(dim, [low] * 2, [up] * 2, channels, pixels, coord, offset, stride), 4))
    for rank in (1, 2):
        case("5.5.4", "Im2col mode supports 3D, 4D and 5D",
             plan(api="im2col", dtype="u8", dim=[64, 8][:rank], lower=0, upper=0, channels=16,
                  pixels=4), False)
    for rank, limit in ((3, 65535), (4, 255), (5, 31)):
        space = rank - 2
        for value, legal in ((0, True), (limit, True), (limit + 1, False)):
            case("5.5.4.1", f"im2col offsets range, {rank}D",
                 plan(api="im2col", dtype="u8", dim=[64, *[8] * space, 4], lower=[0] * space,
                      upper=[0] * space, channels=16, pixels=1, offset=[value] + [0] * (space - 1)),
                 legal)
    for w, legal in ((-2, False), (-1, True), (0, True), (8, True), (9, False)):
        case("5.5.4.1", "The filter corner location must be within the bounding box",
             plan(api="im2col", dtype="u8", dim=[64, 8, 8, 4], lower=[-1, -1], upper=[1, 1],
                  channels=16, pixels=4, coord=[0, w, 0, 0]), legal)
    case("5.5.4.3", "when the number of requested pixels exceeds the available pixels",
         load(api="im2col", dtype="u32", dim=[8, 3, 2, 2], lower=[0, 0], upper=[0, 0], channels=4,
              pixels=20, coord=[0, 0, 0, 0]),
         held(model.im2col([8, 3, 2, 2], [0, 0], [0, 0], 4, 20, [0, 0, 0, 0], [0, 0]), 4))


WIDE = {"api": "wide", "arch": "sm_100a", "dtype": "u32", "swizzle": "64B"}


def wide(case):
    dim = [32, 40, 4, 6]
    for lower, upper, start in ((0, 0, 3), (-1, 1, -1), (0, -2, 5), (-2, -1, 7), (2, 0, 0)):
        for pixels in (9, 60):
            for shift in (0, 1, 2):
                for step in (1, 2, 3):
                    if step > 1 and shift == 1:
                        continue
                    coord = [0, start, 2, 1]
                    every = [1, step, 1, 1]
                    data = held(model.wide(dim, lower, upper, 16, pixels, coord, shift, every), 4)
                    data += bytes(-len(data) % 128)
                    case("5.5.5", "elements are accessed across the W dimension only",
                         load(**WIDE, dim=dim, lower=lower, upper=upper, channels=16, pixels=pixels,
                              coord=coord, w_offset=shift, element_stride=every),
                         model.swizzled("64B", data, 0x400)[:pixels * 64])
    for pixels, halo in ((128, 2), (8, 0), (8, 1), (31, 5)):
        case("5.5.5.3", "loads the pixels and the halo pixels next to the main row",
             plan(**WIDE, dim=dim, lower=0, upper=0, channels=16, pixels=pixels, w_halo=halo),
             {"tx_B": (pixels + halo) * 64})
    for halo in (0, 1, 2, 7):
        case("5.5.5.3", "im2col::w::128: halo elements are loaded after every 32 elements",
             plan(**(WIDE | {"wide_mode": "W128"}), dim=dim, lower=0, upper=0, channels=16, pixels=128,
                  w_halo=halo), {"tx_B": (128 + 4 * halo) * 64})
    for pixels in (1, 64, 1024):
        case("5.5.5.1", "Pixels-per-Column is ignored in im2col::w::128 mode",
             plan(**(WIDE | {"wide_mode": "W128"}), dim=dim, lower=0, upper=0, channels=16,
                  pixels=pixels), {"tx_B": 128 * 64})
    for mode, halo, offset in (("W", 1, 0), ("W", 0, 1), ("W", 0, 2), ("W128", 2, 0)):
        case("5.5.5.4", "examples of tensor copy to multiple buffers",
             plan(**(WIDE | {"wide_mode": mode, "dtype": "u8"}), dim=[64, 67, 9, 128], lower=-1,
                  upper=0, channels=64, pixels=128, coord=[0, -1, 2, 7], w_halo=halo,
                  w_offset=offset, element_stride=[1, 2, 1, 1]),
             {"tx_B": (128 + halo * (4 if mode == "W128" else 1)) * 64})
    for w, legal in ((-1, True), (-5, True), (39, True), (40, False), (41, False)):
        case("5.5.5.1", "The first element can lie outside on the left side only",
             plan(**WIDE, dim=dim, lower=0, upper=0, channels=16, pixels=8, coord=[0, w, 2, 1]), legal)
    for layout in ("16B", "32B"):
        case("5.5.6", "The interleave layout is not supported for im2col::w and im2col::w::128",
             plan(**(WIDE | {"dtype": "u8"}), dim=[64, 8, 4, 2], lower=0, upper=0, channels=16,
                  pixels=8, interleave=layout), False)
    for name in ("none", "128B_ATOM_32B_FLIP_8B"):
        case("5.5.5", "swizzling mode must not be no swizzle or 8-byte flip",
             plan(**(WIDE | {"swizzle": name}), dim=dim, lower=0, upper=0, channels=16, pixels=8),
             False)


def swizzles(case):
    for name, table in model.TABLES.items():
        span = {"none": 128, "32B": 32, "64B": 64, "96B": 96}.get(name, 128)
        rows = 8 if name == "96B" else 1024 // span * 2
        dim = [span // 2, rows]
        step = 256 if name == "none" else 128
        for at in range(0x400, 0x800, step):
            data = held(range(dim[0] * rows), 2)
            case("5.5.7", f"{name}: the pattern of the destination data layout, {table[0]}",
                 load(arch="sm_103a" if name == "96B" else "sm_100a", dtype="u16", dim=dim, box=[dim[0], rows],
                      swizzle=name, shared=hex(at)), model.swizzled(name, data, at))
    data = held(range(64 * 16), 2)
    case("5.5.7", "flip of adjacent 8-bytes at every alternate shared memory line",
         load(arch="sm_100a", dtype="u16", dim=[64, 16], box=[64, 16],
              swizzle="128B_ATOM_32B_FLIP_8B"), model.flipped(data))
    for op, legal in (("load", True), ("store", False), ("add", False)):
        case("5.5.7", "this mode is legal only when the direction is to .shared",
             plan(arch="sm_100a", dtype="u16", dim=[64, 16], box=[64, 16], op=op,
                  swizzle="128B_ATOM_32B_FLIP_8B"), legal)
    for name, unit in (("128B_ATOM_32B", 32), ("128B_ATOM_64B", 64)):
        for at in (0x410, 0x420, 0x430, 0x440, 0x480):
            case("5.5.7", f"{name} requires {unit} byte alignment at shared memory",
                 plan(arch="sm_100a", dtype="u16", dim=[64, 16], box=[64, 16], swizzle=name,
                      shared=hex(at)), at % unit == 0)
    for name in ("32B", "64B", "128B"):
        for at in range(0x400, 0x800, 128):
            case("5.5.7", "base offset = (dstMem / 128) % n",
                 load(arch="sm_100a", dtype="u16", dim=[int(name[:-1]) // 2, 8],
                      box=[int(name[:-1]) // 2, 8], swizzle=name, shared=hex(at)),
                 model.first_line(name, at))
    for layout in ("16B", "32B"):
        for rank in (1, 2, 3, 4, 5):
            sizes = [16, 8, 4, 2, 2][:rank]
            case("5.5.6", "Interleaved layouts are supported only for 3D, 4D and 5D",
                 plan(dtype="u8", dim=sizes, box=[16, 2, 1, 1, 1][:rank - 1] + [1] if rank > 1 else [16],
                      interleave=layout, swizzle="32B" if layout == "32B" else None,
                      stride=[1024, 8192, 32768, 65536][:rank - 1] or None), rank >= 3)


def maps(case):
    for edge in range(0, 0x100, 16):
        case("5.5.8", "The tensor-map is a 128-byte opaque object",
             ["check", "--json", "--dtype=u8", "--dim=64,8", "--box=64,8",
              f"--map-address={0x1000 + edge:#x}"], edge % 64 == 0)


def statements():
    found = []
    for ask in (types, tiled, gather, im2col, wide, swizzles, maps):
        ask(lambda *row: found.append(row))
    return found
