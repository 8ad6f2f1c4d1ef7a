#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""draw_figures.py [FOLDER]: draws docs/figures/ anew, or what would lie there into FOLDER: the
figures of PTX ISA 5.5 that a map can express, each by one command of tma (the environment's TMA,
else build/tma)."""
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
TMA = os.environ.get("TMA", str(ROOT / "build/tma"))

HEAD = """# The figures of the tensor chapter, drawn by the program

PTX ISA 5.5 explains tensors, modes and swizzles with its Figures 5 to 37. Here is each of them as `tma draw` draws it, with the command. The numbers are the document's where its text has any; where it has none the page says so. Nothing is drawn by hand: the pictures come from the plan, the walk and the swizzle that also move the bytes. The mouse on a cell names its coordinates, both addresses and banks.

`tools/draw_figures.py` makes this folder; a test holds it up to date.
"""

# A section, or: figures, file, title, arguments of tma draw, what it is.
FIGURES = [
    "Packed types (5.5.1.1)",
    ("5", "packed_4bit_load", "Layout for .b4x16_p64",
     "packed --arch sm_100a --dtype 16u4_align16b --dim 256,16 --box 128,4",
     "Sixteen 4-bit elements fill 8 bytes of global memory; in shared memory 8 bytes of padding follow. A load leaves the padding as it was."),
    ("6", "packed_6bit_load", "Layout for .b6x16_p32",
     "packed --arch sm_100a --dtype 16u6_align16b --dim 256,16 --box 128,4",
     "Sixteen 6-bit elements fill 12 bytes; 4 bytes of padding follow in shared memory."),
    ("7", "packed_6bit_store", "Layout for .b6p2x16",
     "packed --arch sm_100a --dtype 16u6_align16b --dim 256,16 --box 128,4 --op store",
     "A store reads a byte for each 6-bit element, the element in its lower 6 bits, and packs them. The map is the same as Figure 6's; the direction decides."),
    "Tiles (5.5.3)",
    ("8", "box_traversal_stride", "Tiled mode bounding box, tensor size and traversal stride",
     "box --dtype float32 --dim 12,10 --box 4,7 --element-stride 1,3 --coord 4,1",
     "The document's text gives this figure no numbers; these are ours. A box of 4 x 7 with traversal stride 3 along dimension 1 visits ceil(7 / 3) = 3 rows. Without interleave the stride of dimension 0 is 1."),
    ("9", "box_out_of_bounds", "Out of boundary access",
     "box --dtype float32 --dim 12,10 --box 8,4 --coord 8,8",
     "No numbers in the text either. Elements outside are 0, or the NaN of `--fill nan`. They count on the barrier like the others."),
    ("10", "gather_four_rows", "tiled::scatter4/tiled::gather4 mode bounding box example",
     "gather --arch sm_100a --dtype float32 --dim 12,10 --box 4,1 --mode tile::gather4 --coord 4,2,5,0,9",
     "The document's start coordinates are (1, 2), (1, 5), (1, 0), (1, 9). **Printed so they trap**: column 1 is no multiple of 16 bytes for any type (rule `coord-align`, seen on hardware for tiles). Drawn is column 4, which is the second 16-byte piece of float32. The text calls the four numbers coordinates \"across the dimension 0\"; in the instruction they follow the column and are coordinates of dimension 1."),
    "im2col (5.5.4)",
    ("11", "im2col_box_inside", "im2col mode bounding box example 1",
     "im2col --api im2col --dtype float16 --dim 8,9,7,4 --lower=0,0 --upper=-2,-2 --channels 8 --pixels 35 --coord=0,0,0,0",
     "The text gives Figures 11 and 12 no numbers; these are ours. A box whose upper corner is (-2, -2) ends two pixels before the image does."),
    ("12", "im2col_box_around", "im2col mode bounding box example 2",
     "im2col --api im2col --dtype float16 --dim 8,9,7,4 --lower=-1,-1 --upper=-1,-1 --channels 8 --pixels 63 --coord=0,-1,-1,0",
     "A lower corner of (-1, -1) lets the box begin outside of the image."),
    ("13", "im2col_example_1", "im2col mode example 1",
     "im2col --api im2col --dtype float16 --dim 64,9,14,64 --lower=-1,-1 --upper=-1,-1 --channels 8 --pixels 64 --coord=0,4,7,7 --offset=0,0",
     "Tensor Size[0] to [3] = 64, 9, 14, 64 is innermost first, as globalDim is: C 64, W 9, H 14, N 64. The coordinates are printed the other way, (7, 7, 4, 0): N, H, W, C. Read so, the examples of Figures 13 to 15 all start inside their boxes."),
    ("14", "im2col_example_2", "im2col mode example 2",
     "im2col --api im2col --dtype float16 --dim 64,9,14,64 --lower=0,0 --upper=-2,-2 --channels 8 --pixels 64 --coord=0,4,7,7 --offset=2,2",
     "The offsets (2, 2) move where pixels come from (blue), not where the walk wraps (red)."),
    ("15", "im2col_traversal_stride", "im2col mode traversal stride example",
     "im2col --api im2col --dtype float16 --dim 64,8,14,64 --lower=-1,-1 --upper=-1,-1 --channels 16 --pixels 32 --element-stride 1,2,2,1 --coord=0,5,7,7 --offset=1,1",
     "The traversal stride is 2 along W and H; there are 32 pixels all the same. At the end of a row W returns to the lower corner and does not keep its phase (64 captured copies)."),
    "im2col::w and im2col::w::128 (5.5.5)",
    ("16", "im2col_w", "im2col::w and im2col::w::128 modes example",
     "im2col --arch sm_100a --api wide --dtype float16 --dim 64,7,9,128 --lower=0 --upper=0 --channels 64 --pixels 16 --swizzle 128B --coord=0,3,2,7",
     "No numbers in the text; these are Figure 18's with fewer pixels. H stays, the images are drawn below each other."),
    (None, "im2col_w128", "Figure 16, the same copy in im2col::w::128",
     "im2col --arch sm_100a --api wide --wide-mode W128 --dtype float16 --dim 64,7,9,128 --lower=0 --upper=0 --channels 64 --pixels 128 --swizzle 128B --coord=0,3,2,7",
     "im2col::w::128 takes 128 pixels. Without halo pixels it visits the same ones as im2col::w."),
    ("17", "im2col_w_starts_left", "im2col::w and im2col::w::128 modes first element outside Bounding Box example",
     "im2col --arch sm_100a --api wide --dtype float16 --dim 64,7,9,128 --lower=1 --upper=-1 --channels 64 --pixels 16 --swizzle 128B --coord=0,-2,2,7",
     "No numbers in the text. The first pixel may lie left of the box; the images after the first begin at the box."),
    ("18", "im2col_w_halo", "tensor copy operation with im2col::w mode example",
     "im2col --arch sm_100a --api wide --dtype float16 --dim 64,7,9,128 --lower=0 --upper=0 --channels 64 --pixels 128 --swizzle 128B --coord=0,3,2,7 --w-halo 2",
     "128 pixels, then the halo's two. Tensor Size[0] to [3] = 128, 9, 7, 64 is read outermost first here and in Figures 19 to 24 (N, H, W, C), because channels-per-pixel is 64 and W would otherwise not fit the strides of Figure 20; read innermost first, as in Figures 13 to 15, the copies run too. The document does not say which."),
    ("19", "im2col_w128_halo", "tensor copy operation with im2col::w::128 mode example",
     "im2col --arch sm_100a --api wide --wide-mode W128 --dtype float16 --dim 64,7,9,128 --lower=0 --upper=0 --channels 64 --pixels 128 --swizzle 128B --coord=0,3,2,7 --w-halo 2",
     "Two halo pixels after every 32; each is loaded again as a main pixel, so it is drawn in both rows. **Open**: where a halo lies that crosses the end of an image's row. Here it goes on in the next image; the document's figure would decide, its text does not, and no machine was asked."),
    ("20", "im2col_w_buffer_1_of_2", "tensor copy operation to buffer 1 of Example 1",
     "im2col --arch sm_100a --api wide --dtype float16 --dim 64,67,9,128 --lower=-1 --upper=0 --channels 64 --pixels 128 --element-stride 1,2,2,1 --swizzle 128B --coord=0,-1,2,7 --w-halo 1 --w-offset 0",
     "The middle of the 67 pixels is left out of the picture."),
    ("21", "im2col_w_buffer_2_of_2", "tensor copy operation to buffer 2 of Example 1",
     "im2col --arch sm_100a --api wide --dtype float16 --dim 64,67,9,128 --lower=-1 --upper=0 --channels 64 --pixels 128 --element-stride 1,2,2,1 --swizzle 128B --coord=0,-1,2,7 --w-halo 0 --w-offset 1",
     "wOffset 1 moves the box and the start alike."),
    ("22", "im2col_w_buffer_1_of_3", "tensor copy operation to buffer 1 of Example 2",
     "im2col --arch sm_100a --api wide --dtype float16 --dim 64,7,7,128 --lower=-1 --upper=-1 --channels 64 --pixels 128 --element-stride 1,3,3,1 --swizzle 128B --coord=0,-1,2,7 --w-halo 0 --w-offset 0",
     "W -1, 2 and 5 of each image; 128 pixels are 42 images and two pixels."),
    ("23", "im2col_w_buffer_2_of_3", "tensor copy operation to buffer 2 of Example 2",
     "im2col --arch sm_100a --api wide --dtype float16 --dim 64,7,7,128 --lower=-1 --upper=-1 --channels 64 --pixels 128 --element-stride 1,3,3,1 --swizzle 128B --coord=0,-1,2,7 --w-halo 0 --w-offset 1",
     "W 0, 3 and 6."),
    ("24", "im2col_w_buffer_3_of_3", "tensor copy operation to buffer 3 of Example 2",
     "im2col --arch sm_100a --api wide --dtype float16 --dim 64,7,7,128 --lower=-1 --upper=-1 --channels 64 --pixels 128 --element-stride 1,3,3,1 --swizzle 128B --coord=0,-1,2,7 --w-halo 0 --w-offset 2",
     "W 1, 4 and 7; 7 is outside of the image and filled."),
    "Swizzles (5.5.7)",
    ("25 and 26", "swizzle_32B_tensor", "32-byte swizzle mode example, and its fragments",
     "box --dtype float16 --dim 10,10,2,1 --stride 320,3200,6400 --box 8,4,1,1 --interleave 32B --swizzle 32B --coord 0,0,1,0",
     "The tensor NC/(32B)HWC(32B) of 1 x 2 x 10 x 10 x C16: dimension 0 counts units of 32 bytes, dimension 2 the slices. The slices C/(32B) = 0 and 1 are Figure 26's fragments; a copy takes one of them: here the second, below the first. boxDim[0] times the element is a multiple of 16 bytes also where units are counted, so the box is 8 wide, not 10 (rule `inner-16B-always`)."),
    (None, "swizzle_32B_fragment_0", "Figure 26, the other fragment, C/(32B) = 0",
     "box --dtype float16 --dim 10,10,2,1 --stride 320,3200,6400 --box 8,4,1,1 --interleave 32B --swizzle 32B --coord 0,0,0,0",
     "The same box in the slice before: dimension 2 is 0, all else is the same."),
    ("27", "swizzle_32B_destination", "32-byte swizzle mode destination data layout",
     "copy --dtype float16 --dim 10,10,2,1 --stride 320,3200,6400 --box 8,4,1,1 --interleave 32B --swizzle 32B --coord 0,0,0,0 --label chunk --lines 40",
     "Numbers as the document's table prints them: the 16-byte pieces of each line of 128 bytes. Interleaved rows are dense."),
    ("28", "swizzle_64B_tensor", "64-byte swizzle mode example",
     "box --dtype float16 --dim 64,10,10,1 --box 32,10,1,1 --swizzle 64B",
     "The tensor NHWC of 1 x 10 x 10 x 64, 2 bytes a channel, of which a copy takes 32 channels. The document does not say how many pixels; here it is a row of ten."),
    ("29 and 30", "swizzle_64B_copy", "64-byte swizzle mode source data layout, and destination data layout",
     "copy --dtype float16 --dim 64,10,10,1 --box 32,10,1,1 --swizzle 64B --label chunk",
     "Each cell is 8 channels. Left the source, right the destination."),
    ("31", "swizzle_96B_copy", "96-byte swizzle mode example",
     "copy --arch sm_103a --map - --label chunk",
     "No driver call makes a 96-byte swizzle; `tensormap.replace` with swizzle_mode 4 does, on sm_103a. Documented, not seen on hardware."),
    ("32", "swizzle_128B_tensor", "128-byte swizzle mode example",
     "box --dtype float16 --dim 64,10,10,1 --box 64,10,1,1 --swizzle 128B",
     "As Figure 28, with all 64 channels."),
    ("33 and 34", "swizzle_128B_copy", "128-byte swizzle mode source data layout, and destination data layout",
     "copy --dtype float16 --dim 64,10,10,1 --box 64,10,1,1 --swizzle 128B --label chunk",
     "The pattern repeats after 8 lines: 1024 bytes, at addresses that are multiples of it."),
    ("35", "swizzle_128B_atom_32B", "128-byte swizzle mode example with 32-byte atomicity",
     "copy --arch sm_100a --dtype float16 --dim 64,10 --box 64,10 --swizzle 128B_ATOM_32B --label chunk",
     "Pairs of 16-byte pieces stay together. Documented, not seen on hardware: sm_90 ignores the atomicity (39 probes)."),
    ("36", "swizzle_128B_atom_32B_flip", "128-byte swizzle mode example with 32-byte atomicity with 8-byte flip",
     "copy --arch sm_100a --dtype float16 --dim 64,10 --box 64,10 --swizzle 128B_ATOM_32B_FLIP_8B --label chunk",
     "In every second line the 8-byte halves of each piece change places: a and b are the halves of a piece."),
    ("37", "swizzle_128B_atom_64B", "128-byte swizzle mode example with 64-byte atomicity",
     "copy --arch sm_100a --dtype float16 --dim 64,10 --box 64,10 --swizzle 128B_ATOM_64B --label chunk",
     "Four pieces stay together."),
    "Not in the document",
    (None, "copy_with_fill", "A load over the end of the tensor",
     "copy --dtype bfloat16 --dim 4096,8192 --box 64,12 --swizzle 128B --coord 64,8186",
     "Rows behind the last one of the tensor are filled with zeros; they are swizzled, and count on the barrier, like the others."),
    (None, "swizzle_address_bits", "The 128-byte swizzle as an exclusive or of address bits",
     "swizzle --dtype float16 --dim 64,64 --box 64,8 --swizzle 128B --shared 0x480",
     "The box begins at 0x480, in the second line of the pattern: swizzles work on the absolute shared address."),
    (None, "banks_without_swizzle", "ldmatrix on rows of 128 bytes without swizzle",
     "banks --dtype bfloat16 --dim 4096,8192 --box 64,16 --coord 64,128",
     "The eight lanes of a phase meet in four banks."),
    (None, "banks_with_swizzle", "The same with the 128-byte swizzle",
     "banks --dtype bfloat16 --dim 4096,8192 --box 64,16 --swizzle 128B --coord 64,128",
     "Each lane has banks of its own."),
    (None, "store_past_the_edge", "What a store writes behind the end of a row",
     "copy --dtype bfloat16 --dim 100,8 --stride 208 --box 64,4 --op store --coord 64,2",
     "A store writes whole 16-byte units: 8 bytes behind each row of 200 bytes are overwritten (docs/facts.md, Copies)."),
    (None, "cost_unaligned_rows", "Sectors and lines of rows that are 208 bytes apart",
     "cost --dtype bfloat16 --dim 100,80 --stride 208 --box 64,8 --coord 8,0",
     "Rows that begin inside a sector fetch it whole."),
    (None, "mma_wrong_stride", "What a copy left, beside what an MMA reads",
     "mma --dtype f16 --dim 64,128 --box 64,128 --swizzle 128B --lines 20 --desc 0x4000002000010040",
     "The descriptor's stride offset is 512; 8 rows of the tile are 1024 bytes apart ([mma.md](../mma.md))."),
    (None, "bytes_of_a_map", "The 128 bytes of a map",
     "bytes --dtype bfloat16 --dim 4096,8192 --box 64,128 --swizzle 128B",
     "As [descriptor.md](../descriptor.md) has them."),
    "A kernel's run",
    (None, "emulated_race", "A read that does not wait for the copy", "timeline -",
     "As [emulator.md](../emulator.md) has it: a trace of `tma emulate`, drawn."),
]

BEFORE = {"swizzle_96B_copy": "tma encode --arch sm_103a --dtype uint8 --dim 96,16 --box 96,16 --swizzle 64B --force"
                              " | tma replace - --arch sm_103a --field swizzle_mode --value 4 2>/dev/null",
          "emulated_race": "tma emulate tests/golden/inputs/emulate_tile.ptx --kernel waits_not --param out=zeros:512"
                           " --map 'map=--dtype float16 --dim 64,32 --box 64,32' --trace - 2>/dev/null"}


def shown(file, arguments):
    before = BEFORE[file] + " | " if file in BEFORE else ""
    return f"{before}tma draw {arguments} --out {file}.svg"


def draw(file, arguments, folder):
    text = subprocess.run(["bash", "-ec", shown(file, arguments).replace("tma ", shlex.quote(TMA) + " ")
                           .replace("tests/golden/", f"{ROOT}/tests/golden/")],
                          cwd=folder, check=False, capture_output=True, text=True)
    if text.returncode or text.stderr:
        sys.exit(f"{file}: {text.stderr or text.returncode}")


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/figures"
    folder.mkdir(parents=True, exist_ok=True)
    page = HEAD
    for row in FIGURES:
        if isinstance(row, str):
            page += f"\n## {row}\n"
            continue
        numbers, file, title, arguments, words = row
        draw(file, arguments, folder)
        kind = "Figures" if numbers and "and" in numbers else "Figure"
        heading = f"{kind} {numbers}: {title}" if numbers else title
        page += (f"\n### {heading}\n\n{words}\n\n```sh\n{shown(file, arguments)}\n```\n\n"
                 f"![{heading}]({file}.svg)\n")
    (folder / "README.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
