# SPDX-License-Identifier: Apache-2.0
"""Every word of the documents has an explanation, and each its own; a word for the same says so."""
import pathlib
import re

import pytest
from ask import ask_all

ROOT = pathlib.Path(__file__).resolve().parents[2]

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
swizzle-atomicity, 8B flip, base offset, tensor-map,
dimension, bit-sized type, floating point, rounded to nearest even, copy direction,
.shared::cluster.global, .shared::cta.global, .global.shared::cta, .shared::cluster, .shared::cta,
.const, .param, .global, .b4, tensor copy, reduction, prefetch, mma, N, D, H, W, C, DHW, NDHW,
pixel, channel, image, batch, convolution filter, corner, shared memory buffer, no interleave,
8 byte interleave, 16 byte interleave, fragment, no swizzle, 32 byte swizzle, 64 byte swizzle,
96 byte swizzle, 128 byte swizzle, 16-byte atomicity, 32-byte atomicity, 64-byte atomicity,
shared memory line, cell, repeating pattern, source data layout, destination data layout, dstMem,
bank, bank conflict, inner dimension, elementSizeInBytes, compute capability, tensormap.replace,
.u8, .u16, .u32, .s32, .u64, .s64, .f16, .bf16, .tf32, .f32, .f64, .b32, .b64, CUresult
"""
# What people call instructions and barriers.
INSTRUCTIONS = """
TMA, expect_tx, tx-count, mbarrier, phase, multicast, cta_group, bulk_group, override,
fence.proxy.async, matrix descriptor, K-major, report mechanism, multicast::cluster::32b,
applypriority, evict_last, fabric
"""
# Words that mean the same as another of the list.
SYNONYMS = """
element type, dimensionality, packed types, padded region, gap, cp.async.bulk.tensor, wmma.mma,
wgmma.mma_async, tile, box, element stride, coordinate, start coordinates, starting offset,
fill mode, NaN, tile::gather4, tile::scatter4, im2col mode, filter, filter corner,
Bounding-Box Lower-Corner, Bounding-Box Upper-Corner, offsets, W128, parity, multicast::cluster, wait_group, halo elements, NC/8DHWC8,
NC/8HWC8, NC/16HWC16, C8, C16, swizzle size, span, atomicity, sub-mode, chunk, 8-byte flip,
pattern, swizzle base offset, opaque object, L2 fetch size, CUtensorMap, CUtensorMapDataType
"""
# Letters that the Chinese edition runs together, and a size of an example.
NO_WORDS = {"tensorDataTypeCU", "xC16", "pixelBoxLowerCornerpixelBoxUpperCorner",
            "pixelBoxLowerCornerWidthpixelBoxUpperCornerWidth",
            "cuTensorMapEncodeIm2colcuTensorMapEncodeIm2colWide"}


def listed(text):
    return [" ".join(word.split()) for word in text.split(",")]


def test_every_word_has_an_explanation_of_its_own():
    words = listed(WORDS + "," + INSTRUCTIONS)
    answers = ask_all([["explain", word] for word in words])
    unknown = [word for word, one in zip(words, answers) if one.status]
    assert not unknown
    texts = {}
    for word, one in zip(words, answers):
        body = " ".join(one.out.split("\n", 1)[1].split())
        assert len(body) > 40 and "another word for" not in body, word
        texts.setdefault(body, []).append(word)
    assert not [same for same in texts.values() if len(same) > 1]


def test_a_word_for_the_same_says_so():
    words = listed(SYNONYMS)
    for word, one in zip(words, ask_all([["explain", word] for word in words])):
        assert one.status == 0 and "\n    another word for " in one.out, word


def test_every_name_in_the_documents_is_explained():
    """Enumerators, arguments, types and PTX's qualifiers, as the documents spell them."""
    folder = next((path for path in (ROOT / "shared/spec", ROOT.parent / "shared/spec")
                   if path.is_dir()), None)
    if not folder:
        pytest.skip("NVIDIA's documents (shared/spec) are not here: their names were not asked")
    text = " ".join(path.read_text() for path in sorted(folder.glob("*.txt"))
                    if "](#" not in path.read_text())
    names = set(re.findall(r"\bCU_TENSOR_MAP_\w+|\bCU(?:t|res)\w+", text, re.ASCII))
    names |= set(re.findall(r"(?<![\w:.*/])\.[a-z]\w+(?:::\w+)*(?:\.\w+(?:::\w+)*)*", text, re.ASCII))
    names |= set(re.findall(r"(?<![A-Za-z])[a-z]+[0-9]?[A-Z][A-Za-z0-9]+", text))
    names = sorted(names - NO_WORDS)
    assert len(names) > 80
    answers = ask_all([["explain", name] for name in names])
    assert not [name for name, one in zip(names, answers) if one.status]


def test_rules_that_words_name_are_rules():
    words = listed(WORDS + "," + INSTRUCTIONS)
    told = ask_all([["explain", "--json", word] for word in words])
    rules = sorted({rule for one in told for rule in one.json.get("rules", "").split(", ") if rule})
    assert not [rule for rule, one in zip(rules, ask_all([["explain", rule] for rule in rules]))
                if one.status]


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
