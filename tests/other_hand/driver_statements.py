# SPDX-License-Identifier: Apache-2.0
"""The driver API reference, 6.30, call by call: what each argument must be, just inside and outside.

A case is (section, first words of the sentence, the document's argument, legal or not, options)."""
from ask import options

TYPES = ["UINT8", "UINT16", "UINT32", "INT32", "UINT64", "INT64", "FLOAT16", "FLOAT32", "FLOAT64",
         "BFLOAT16", "FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ", "16U4_ALIGN8B", "16U4_ALIGN16B",
         "16U6_ALIGN16B"]
BYTES = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4]
FLOATS = {"FLOAT16", "FLOAT32", "FLOAT64", "BFLOAT16", "FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ"}
SWIZZLES = ["NONE", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B"]
PADDED = ["16U4_ALIGN16B", "16U6_ALIGN16B"]
APIS = ["tiled", "im2col", "wide"]
CALL = {"tiled": "cuTensorMapEncodeTiled", "im2col": "cuTensorMapEncodeIm2col",
        "wide": "cuTensorMapEncodeIm2colWide"}
ADDRESS = 0x7f0000000000


def spec(api, **over):
    """A legal call of each kind, with some arguments changed."""
    base = {"api": api, "dtype": "CU_TENSOR_MAP_DATA_TYPE_UINT8", "dim": [256, 32, 8, 4]}
    if api == "tiled":
        base |= {"box": [16, 8, 2, 1]}
    else:
        space = {"im2col": 2, "wide": 1}[api]
        base |= {"lower": [-1] * space, "upper": [1] * space, "channels": 16, "pixels": 16}
    if api == "wide":
        base |= {"swizzle": "64B", "arch": "sm_100a"}
    base |= over
    kind = base["dtype"]
    if kind in TYPES:
        base["dtype"] = "CU_TENSOR_MAP_DATA_TYPE_" + kind
    return ["check", "--json", *options(**base)]


def packed(api, kind, **over):
    base = {"arch": "sm_100a", "dtype": kind, "dim": [1024, 32, 8, 4]}
    if api == "tiled":
        base |= {"box": [128, 2, 1, 1]}
    else:
        base |= {"channels": 128}
    base["swizzle"] = "128B"
    return spec(api, **(base | over))


def addresses(api, case):
    for at in (0x1010, 0x1020, 0x1030, 0x1001, 0x1004, 0x1008):
        case("tensorMap address", "tensorMap", False, spec(api, map_address=hex(at)))
    for at in (0x1000, 0x1040, 0x1080, 0x10c0):
        case("tensorMap address", "tensorMap", True, spec(api, map_address=hex(at)))
    for off in (1, 2, 4, 8, 12):
        case("globalAddress, which", "globalAddress", False, spec(api, address=hex(ADDRESS + off)))
    for off in (16, 32, 48):
        case("globalAddress, which", "globalAddress", True, spec(api, address=hex(ADDRESS + off)))
    for kind in PADDED:
        case("when tensorDataType is 16U6 or 16U4_ALIGN16B, globalAddress", "globalAddress", False,
             packed(api, kind, address=hex(ADDRESS + 16)))
        case("when tensorDataType is 16U6 or 16U4_ALIGN16B, globalAddress", "globalAddress", True,
             packed(api, kind, address=hex(ADDRESS + 32)))
    if api != "wide":
        sliced = {"interleave": "32B", "swizzle": "32B", "dim": [32, 8, 4, 2],
                  "stride": [1024, 8192, 32768]}
        case("when interleave is 32B, globalAddress", "globalAddress", False,
             spec(api, **sliced, address=hex(ADDRESS + 16)))
        case("when interleave is 32B, globalAddress", "globalAddress", True,
             spec(api, **sliced, address=hex(ADDRESS + 32)))


def types(api, case):
    for number, kind in enumerate(TYPES):
        small = kind in TYPES[13:]
        made = packed(api, kind) if small else spec(api, dtype=kind, dim=[256, 32, 8, 4],
                                                    **({"box": [16, 2, 1, 1]} if api == "tiled" else
                                                       {"channels": 8, "pixels": 8}))
        case(f"tensorDataType has to be an enum: {kind}", "tensorDataType", True, made)
        as_number = [w.replace(f"CU_TENSOR_MAP_DATA_TYPE_{kind}", str(number)) for w in made]
        case(f"tensorDataType {number} is {kind}", "tensorDataType", True, as_number)
        nan = made + ["--fill=nan"]
        case(f"NAN_REQUEST_ZERO_FMA can only be used with a floating-point type: {kind}", "oobFill",
             kind in FLOATS, nan)
    for number in (16, 17, 255):
        case("tensorDataType has to be an enum", "tensorDataType", False,
             spec(api, dtype=number, stride=[256, 8192, 65536]))


def ranks(api, case):
    sizes = [256, 32, 8, 4, 2, 2]
    for rank in range(1, 6):
        over = {"dim": sizes[:rank]}
        if api == "tiled":
            over["box"] = [16] + [1] * (rank - 1)
        elif rank >= 3:
            over |= {"lower": [0] * (rank - 2 if api == "im2col" else 1),
                     "upper": [0] * (rank - 2 if api == "im2col" else 1)}
        else:
            over |= {"lower": [0], "upper": [0]}
        case("tensorRank", "tensorRank", api == "tiled" or rank >= 3, spec(api, **over))
    for rank in (0, 6):
        case("tensorRank", "tensorRank", False, spec(api, rank=rank))
    if api == "tiled":
        for rank in range(1, 6):
            for layout in ("16B", "32B"):
                over = {"interleave": layout, "dim": ([64, 8, 4, 4, 2])[:rank],
                        "stride": ([2048, 16384, 65536, 262144])[:rank - 1] or None,
                        "box": [16 if rank < 3 else 8] + [1] * (rank - 1),
                        "swizzle": "32B" if layout == "32B" else "NONE"}
                case("If interleave is not NONE, then tensorRank must be at least 3", "tensorRank",
                     rank >= 3, spec(api, **over))


def sizes(api, case):
    for index in range(4):
        for size, legal in ((0, False), (1, index > 0 or api != "tiled"), (2**32, True),
                            (2**32 + 1, False)):
            dim = [256, 32, 8, 4]
            dim[index] = size
            stride = [2**33, 2**35, 2**37] if index == 0 else [256, 2**37, 2**38] if index == 1 \
                else [256, 8192, 2**39] if index == 2 else [256, 8192, 65536]
            if size == 1 and index == 0:
                legal = True
            if index == 1 and size >= 2**32:
                stride = [16, 2**37, 2**38]
                dim[0] = 16
            if index == 2 and size >= 2**32:
                dim[0], dim[1], stride = 16, 1, [16, 16, 2**37]
            if api != "tiled" and index == 1 and size == 1:
                over = {"lower": [0] * (2 if api == "im2col" else 1),
                        "upper": [0] * (2 if api == "im2col" else 1)}
            else:
                over = {}
            if api != "tiled" and index == 2 and size == 1 and api == "im2col":
                over = {"lower": [0, 0], "upper": [0, 0]}
            case("globalDim array", "globalDim", legal, spec(api, dim=dim, stride=stride, **over))
    for kind in PADDED:
        for size, legal in ((64, False), (128, True), (192, False), (256, True), (320, False)):
            case("16U6 or 16U4_ALIGN16B, globalDim[0] must be a multiple of 128", "globalDim", legal,
                 packed(api, kind, dim=[size, 32, 8, 4], stride=[256, 8192, 65536]))
    for size, legal in ((127, False), (128, True), (129, False), (130, True)):
        over = {"channels": 32} if api != "tiled" else {"box": [32, 1, 1, 1]}
        case("16U4_ALIGN8B, globalDim[0] must be a multiple of 2", "globalDim", legal,
             packed(api, "16U4_ALIGN8B", dim=[size, 32, 8, 4], stride=[256, 8192, 65536], **over))


def strides(api, case):
    for index in range(3):
        for change in (8, 1, 4, 12):
            stride = [256, 8192, 65536]
            stride[index] += change
            case("globalStrides array, multiple of 16", "globalStrides", False, spec(api, stride=stride))
        stride = [256, 8192, 65536]
        stride[index] += 16
        if index < 2:
            stride[index + 1:] = [65536 * 2, 65536 * 64][:2 - index] if index == 0 else [65536 * 2]
        case("globalStrides array, multiple of 16", "globalStrides", True, spec(api, stride=stride))
    for big, legal in ((2**40, False), (2**40 - 16, True), (2**41, False)):
        case("globalStrides array, less than 2^40", "globalStrides", legal,
             spec(api, stride=[256, 8192, big]))
    for kind in PADDED:
        for step, legal in ((1024 + 16, False), (1024 + 32, True), (1024, True)):
            case("16U6 or 16U4_ALIGN16B, strides must be a multiple of 32", "globalStrides", legal,
                 packed(api, kind, stride=[step, 65536, 1048576]))
    case("globalStrides[0] = globalDim[0] * elementSizeInBytes + padding", "globalStrides", False,
         spec(api, stride=[128, 8192, 65536]))
    case("globalStrides[i] = globalStrides[i-1] * (globalDim[i] + padding[i])", "globalStrides", False,
         spec(api, stride=[256, 512, 65536]))
    case("globalStrides[i] = globalStrides[i-1] * (globalDim[i] + padding[i])", "globalStrides", False,
         spec(api, stride=[8192, 256, 65536]))
    case("assert(globalStrides[i] >= globalDim[i])", "globalStrides", False,
         spec(api, dim=[16, 1024, 4096, 4], stride=[16, 16, 65536]))
    if api != "wide":
        for step, legal in ((1024 + 16, False), (1024 + 32, True)):
            case("when interleave is 32B, strides must be a multiple of 32", "globalStrides", legal,
                 spec(api, interleave="32B", swizzle="32B", dim=[32, 8, 4, 2],
                      stride=[step, 16384, 65536]))


def element_strides(api, case):
    for index in range(4):
        for step in (0, 1, 2, 7, 8, 9, 255):
            every = [1, 1, 1, 1]
            every[index] = step
            case("elementStrides array" if index else "the first element of this array is ignored",
                 "elementStrides", index == 0 or 1 <= step <= 8, spec(api, element_stride=every))


def choices(api, case):
    for name, values in (("interleave", 3), ("swizzle", 7), ("l2", 4), ("fill", 2)):
        argument = {"l2": "l2Promotion", "fill": "oobFill"}.get(name, name)
        for number in (values, values + 1, 100):
            case(f"{argument} has to be one of its enums", argument, False,
                 spec(api, **{name: number}))
    for number in range(4):
        case("l2Promotion has to be one of its enums", "l2Promotion", True, spec(api, l2=number))
    if api == "wide":
        for number, legal in ((0, True), (1, True), (2, False), (3, False)):
            case("mode must be one of W, W128", "mode", legal, spec(api, wide_mode=number))


def inner(api, box_el, **over):
    """A call whose bounding box has box_el bytes in its inner dimension."""
    key = {"box": [box_el, 2, 1, 1]} if api == "tiled" else {"channels": box_el}
    return spec(api, **({"dim": [1024, 32, 8, 4]} | key | over))


def swizzles(api, case):
    spans = {"32B": 32, "64B": 64, "128B": 128, "128B_ATOM_32B": 128, "128B_ATOM_32B_FLIP_8B": 128,
             "128B_ATOM_64B": 128}
    for name, span in spans.items():
        if api == "wide" and name not in ("64B", "128B", "128B_ATOM_32B"):
            continue
        for size in (span, span + 16):
            case(f"SWIZZLE_{name} requires the inner dimension to be <= {span}",
                 "boxDim" if api == "tiled" else "channelsPerPixel",
                 size <= span, inner(api, size, swizzle=name, arch="sm_100a"))
    for name in SWIZZLES:
        if api == "wide":
            case("swizzle must be one of 64B, 128B, 128B_ATOM_32B", "swizzle",
                 name in ("64B", "128B", "128B_ATOM_32B"),
                 inner(api, 32, swizzle=name))
            allowed = {"16U6_ALIGN16B": ("128B", "128B_ATOM_32B"),
                       "16U4_ALIGN16B": ("128B", "128B_ATOM_32B")}
        else:
            allowed = {"16U6_ALIGN16B": ("NONE", "128B", "128B_ATOM_32B", "128B_ATOM_64B"),
                       "16U4_ALIGN16B": ("NONE", "128B", "128B_ATOM_32B")}
            case("When interleave is 32B, swizzle must be SWIZZLE_32B", "swizzle", name == "32B",
                 spec(api, interleave="32B", swizzle=name, dim=[32, 8, 4, 2], arch="sm_100a",
                      stride=[1024, 8192, 32768]))
            case("Other interleave modes can have any swizzling pattern", "swizzle", True,
                 spec(api, interleave="16B", swizzle=name, dim=[32, 8, 4, 2], arch="sm_100a",
                      stride=[1024, 8192, 32768]))
        for kind, good in allowed.items():
            case(f"When tensorDataType is {kind}, only the following swizzle modes", "swizzle",
                 name in good, packed(api, kind, swizzle=name))
    if api != "wide":
        for layout in ("16B", "32B"):
            case("16U6_ALIGN16B requires interleave to be NONE", "interleave", False,
                 packed(api, "16U6_ALIGN16B", interleave=layout, swizzle="32B",
                        stride=[1024, 32768, 262144]))


def boxes(case):
    for index in range(4):
        for size, legal in ((0, False), (256, True), (257, False), (512, False)):
            box = [16, 1, 1, 1]
            box[index] = size
            case("boxDim array", "boxDim", legal, spec("tiled", box=box))
    for size in (1, 8, 15, 17, 24, 32, 48, 100, 112):
        case("When interleave is NONE, boxDim[0] * elementSizeInBytes must be a multiple of 16",
             "boxDim", size % 16 == 0, spec("tiled", box=[size, 1, 1, 1]))
    for kind, size in zip(TYPES[:13], BYTES):
        for count in (16 // size, 16 // size + 1, 32 // size, 8 // size or 1):
            case("When interleave is NONE, boxDim[0] * elementSizeInBytes must be a multiple of 16",
                 "boxDim", count * size % 16 == 0, spec("tiled", dtype=kind, box=[count, 1, 1, 1]))
    for kind in PADDED:
        for size in (32, 64, 96, 128, 160, 256):
            case("16U6 or 16U4_ALIGN16B, boxDim[0] must be 128", "boxDim", size == 128,
                 packed("tiled", kind, box=[size, 1, 1, 1]))


def pixels(api, case):
    for count, legal in ((1, True), (1024, True), (1025, False), (4096, False)):
        case("pixelsPerColumn must be less than or equal to 1024", "pixelsPerColumn", legal,
             spec(api, pixels=count))
    # The swizzle's span bounds the inner dimension too; without one it is 256.
    for count, legal in ((16, True), (256, True), (257, False), (512, False)):
        if api == "im2col":
            case("channelsPerPixel must be less than or equal to 256", "channelsPerPixel", legal,
                 spec(api, channels=count, dim=[1024, 32, 8, 4]))
        elif not legal:
            case("channelsPerPixel must be less than or equal to 256", "channelsPerPixel", legal,
                 spec(api, channels=count, dim=[1024, 32, 8, 4]))
    for kind in PADDED:
        for count in (64, 96, 128, 256):
            case("16U6 or 16U4_ALIGN16B, channelsPerPixel should be 128", "channelsPerPixel",
                 count == 128, packed(api, kind, channels=count))
    if api == "wide":
        for count in (0, 1, 128, 1025, 5000):
            case("pixelsPerColumn: this field is ignored when mode is W128", "pixelsPerColumn", True,
                 spec(api, wide_mode="W128", pixels=count))


RANGES = {3: (-32768, 32767), 4: (-128, 127), 5: (-16, 15)}


def corners(api, case):
    for rank in (3, 4, 5):
        space = 1 if api == "wide" else rank - 2
        low, high = RANGES[3] if api == "wide" else RANGES[rank]
        width = 70000 if high > 127 else 300
        dim = ([16] + [width] * (rank - 2) + [4]) if api == "im2col" else \
            [64, width] + [4] * (rank - 2)
        plain = {"dim": dim, "stride": None}
        for index in range(space):
            for corner in ("lower", "upper"):
                for value, legal in ((low, True), (low - 1, False), (high, True), (high + 1, False)):
                    both = {"lower": [0] * space, "upper": [0] * space}
                    both[corner][index] = value
                    case(f"pixelBox{corner.title()}Corner array, rank {rank}, offset {index}",
                         f"pixelBox{corner.title()}Corner", legal, spec(api, **plain, **both))
    size = 32
    for upper, legal in ((-31, True), (-32, False), (-33, False)):
        space = 1 if api == "wide" else 2
        case("The bounding box must have non-zero area", "pixelBox", legal,
             spec(api, dim=[256, size, 8, 4], lower=[0] * space, upper=[upper, 0][:space]))


def capability(case):
    for api in APIS:
        for arch in ("sm_80", "sm_86", "sm_89"):
            case("only supported on devices of compute capability 9.0 or higher", "arch", False,
                 spec(api, arch=arch), api)
    for arch in ("sm_90", "sm_100a", "sm_103a", "sm_120a", "sm_121a"):
        case("only supported on devices of compute capability 9.0 or higher", "arch", True,
             spec("tiled", arch=arch), "tiled")
    case("This API is only supported on devices of compute capability 10.0 or higher", "arch", False,
         spec("wide", arch="sm_90"), "wide")


def statements():
    found = []

    def adder(api):
        def case(words, argument, legal, question, of=api):
            found.append((CALL[of], words, argument, legal, question))
        return case
    for api in APIS:
        case = adder(api)
        for ask in (addresses, types, ranks, sizes, strides, element_strides, choices, swizzles):
            ask(api, case)
        if api == "tiled":
            boxes(case)
        else:
            pixels(api, case)
            corners(api, case)
    capability(adder("tiled"))
    return found
