# SPDX-License-Identifier: Apache-2.0
"""Every word of the documents has an explanation, and each its own."""
from ask import ask_all

# Typed from the documents: arguments and calls of the driver API, then PTX ISA 5.5 in its order.
WORDS = """
cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col, cuTensorMapEncodeIm2colWide,
cuTensorMapReplaceAddress, tensorMap, tensorDataType, tensorRank, globalAddress, globalDim,
globalStrides, boxDim, elementStrides, interleave, swizzle, l2Promotion, oobFill,
pixelBoxLowerCorner, pixelBoxUpperCorner, pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth,
channelsPerPixel, pixelsPerColumn, mode,
tensor, tensor size, tensor stride, sub-byte types, padding, .b4x16, .b4x16_p64, .b6x16_p32,
.b6p2x16, tensor mode, tiled mode, bounding box, tensor coordinates, traversal stride,
out of boundary access, zero fill, OOB-NaN, gather4, scatter4, im2col, NWC, NHWC, NDHWC,
lower corner, upper corner, pixels-per-column, channels-per-pixel, filter base, im2col offsets,
im2col::w, im2col::w::128, wHalo, halo, wOffset, interleave layout, slice, swizzling mode,
swizzle-atomicity, 8B flip, base offset, tensor-map
"""


def test_every_word_has_an_explanation_of_its_own():
    words = [" ".join(word.split()) for word in WORDS.split(",")]
    answers = ask_all([["explain", word] for word in words])
    unknown = [word for word, one in zip(words, answers) if one.status]
    assert not unknown
    texts = {}
    for word, one in zip(words, answers):
        body = " ".join(one.out.split("\n", 1)[1].split())
        assert len(body) > 40, word
        texts.setdefault(body, []).append(word)
    assert not [same for same in texts.values() if len(same) > 1]


def test_spelling():
    """Case, dots, dashes and blanks do not matter; several arguments are one word."""
    for spellings in (["base offset", "base-offset", "BaseOffset"], [".b4x16", "b4x16", "B4X16"],
                      ["im2col::w::128", ".im2col::w::128"], ["OOB-NaN", "oob nan"]):
        answers = ask_all([["explain", word] for word in spellings])
        assert len({one.out for one in answers}) == 1
    together, apart = ask_all([["explain", "base offset"], ["explain", "base", "offset"]])
    assert together.out == apart.out


def test_a_word_as_json():
    answer, = ask_all([["explain", "--json", "boxDim"]])
    assert answer.json["word"] == "boxDim"
    assert answer.json["unit"] == "elements"
