# SPDX-License-Identifier: Apache-2.0
"""What people get wrong, one line each, and what the exception's text must have: the argument, the
value, the limit with its unit, and what to pass instead. `python test_mistakes.py` prints the texts."""
import ml_dtypes
import numpy as np
import pytest

import libtma
from libtma import (
    Memory,
    Target,
    TensorMapDescriptor,
    TensorMapDescriptorOptions,
    TensorSpec,
    driver,
    layouts,
    mma,
    ptx,
)

tiled, im2col, wide = TensorMapDescriptor.tiled, TensorMapDescriptor.im2col, TensorMapDescriptor.im2col_wide
HALF = np.zeros((256, 512), np.float16)
TILE = np.zeros((128, 64), np.float16)
FP8 = np.zeros((256, 512), ml_dtypes.float8_e4m3fn)
PIXELS = TensorSpec((4, 16, 16, 64), "float16", address=0x7F0000000000)
AT = 0x7F0000000000


def spec(shape, dtype="float16", **more):
    return TensorSpec(shape, dtype, **({"address": AT} | more))


def desc(**more):
    return tiled(HALF, (128, 64), swizzle="128B", **more)


def pixels():
    return im2col(PIXELS, (-1, -1), (-1, -1), 64, 64)


class Meta:
    is_meta, is_cuda, shape, dtype = True, False, (8, 64), "float16"

    def data_ptr(self):
        return 0

    def stride(self):
        return (64, 1)

    def element_size(self):
        return 2


class Sparse(Meta):
    is_meta = is_cuda = False

    def data_ptr(self):
        raise RuntimeError("Tensor doesn't have storage")


class Fake(Meta):
    is_meta = is_cuda = False


class Traced:
    shape, dtype = (8, 64), "float16"

    def __dlpack__(self):
        return None

    def __dlpack_device__(self):
        raise AttributeError("Tracer has no attribute __dlpack_device__")


# (what it is about, the call, words of the text)
MISTAKES = [
    # The box.
    ("box too long", lambda: tiled(HALF, (300, 64)), "box_dim[0] = 300 256 el"),
    ("box too wide for its swizzle", lambda: tiled(HALF, (8, 128), swizzle="128B"),
     "box_dim[1] 256 B 128 B 64"),
    ("box of zero", lambda: tiled(HALF, (0, 64)), "box_dim[0] = 0 1"),
    ("box row of no 16 bytes", lambda: tiled(HALF, (8, 4)), "box_dim[1] = 4 8 B 16 B"),
    ("box with too few extents", lambda: tiled(HALF, (64,)), "box_dim 1 2 outermost"),
    ("box with too many extents", lambda: tiled(HALF, (1, 64, 64)), "box_dim 3 2"),
    ("box of a float", lambda: tiled(HALF, (128.0, 64)), "box_dim[0] integer float"),
    ("box as one number", lambda: tiled(HALF, 64), "box_dim sequence outermost"),
    ("box negative", lambda: tiled(HALF, (-1, 64)), "box_dim[0] = -1"),
    ("box too large for shared memory", lambda: tiled(spec((512, 512), "float32"), (256, 256)), "box_dim B"),
    ("box missing", lambda: tiled(HALF), "box_dim"),
    ("box in the order of the driver", lambda: tiled(HALF, (64, 128), swizzle="128B"),
     "box_dim[1] 256 B 128 B"),
    ("a sparse tensor", lambda: tiled(Sparse(), (8, 64)), "Sparse memory data_ptr() storage TensorSpec"),
    ("a fake tensor", lambda: tiled(Fake(), (8, 64)), "Fake memory data_ptr() 0 TensorSpec"),
    ("a traced array", lambda: tiled(Traced(), (8, 64)), "Traced memory __dlpack_device__ traced TensorSpec"),
    ("elements of 4 bits in bytes", lambda: tiled(np.zeros((8, 64), ml_dtypes.int4), (8, 64)),
     "int4 byte pack uint8 data_type=\"16u4_align8b\""),
    ("the same with a type", lambda: tiled(np.zeros((8, 64), ml_dtypes.float4_e2m1fn), (8, 64),
                                           data_type="16u4_align8b", target="sm_100a"),
     "float4_e2m1fn byte pack uint8 data_type=\"16u4_align8b\""),
    # Strides, address, shape.
    ("stride of no 16 bytes", lambda: tiled(spec((8, 100)), (8, 64)), "strides[0] 200 16 B"),
    ("inner stride not 1", lambda: tiled(HALF[:, ::2], (64, 64)), "strides[1] = 2 contiguous copy"),
    ("transposed view", lambda: tiled(HALF.T, (64, 64)), "strides[1] = 512 innermost stride_order=(0, 1)"),
    ("negative stride", lambda: tiled(HALF[::-1], (64, 64)), "strides[0] = -512 negative"),
    ("address off", lambda: tiled(spec((8, 64), address=AT + 8), (8, 64)), "address [globalAddress] 16 B"),
    ("sliced off its alignment", lambda: tiled(HALF[:, 1:], (64, 64)),
     "address [globalAddress] 16 B copy 8 float16"),
    ("six dimensions", lambda: tiled(spec((2,) * 5 + (64,)), (1,) * 5 + (64,)), "6 5 reshape"),
    ("no dimension", lambda: tiled(np.float16(1), ()), "rank 0 1"),
    ("empty tensor", lambda: tiled(np.zeros((0, 64), np.float16), (8, 64)), "shape[0] = 0 1"),
    ("dimension too long", lambda: tiled(spec((2**33, 64)), (8, 64)), "shape[0] = 8589934592 4294967296"),
    ("stride_order of another rank", lambda: tiled(HALF, (8, 64), stride_order=(1, 0, 2)), "stride_order"),
    ("stride_order no permutation", lambda: tiled(HALF, (8, 64), stride_order=(1, 1)), "stride_order"),
    # Element strides.
    ("element stride too long", lambda: tiled(HALF, (64, 64), element_strides=(9, 1)),
     "element_strides[0] = 9 8 el"),
    ("element stride 0", lambda: tiled(HALF, (64, 64), element_strides=(0, 1)), "element_strides[0] = 0 1"),
    ("element strides of a byte", lambda: tiled(HALF, (64, 64), element_strides=(1024, 2)),
     "element_strides[0] = 1024 8"),
    # Words.
    ("swizzle of no width", lambda: tiled(HALF, (64, 64), swizzle="256B"), "swizzle 256B 128B"),
    ("swizzle as bytes", lambda: tiled(HALF, (64, 64), swizzle=128), "swizzle 128 6 pass swizzle=\"128B\""),
    ("interleave unknown", lambda: tiled(HALF, (64, 64), interleave="64B"), "interleave 64B 32B"),
    ("promotion unknown", lambda: tiled(HALF, (64, 64), l2_promotion="512B"), "l2_promotion 512B 256B"),
    ("fill of ones", lambda: tiled(HALF, (64, 64), oob_fill="ones"), "oob_fill ones none nan"),
    ("NaN fill of integers", lambda: tiled(spec((8, 64), "int32"), (8, 64), oob_fill="nan"),
     "oob_fill nan floating-point"),
    ("dtype without TMA", lambda: tiled(np.zeros((8, 64), np.complex64), (8, 64)), "complex64 data_type"),
    ("dtype of another size", lambda: tiled(HALF, (64, 64), data_type="float32"), "data_type 32 16 bit view"),
    ("fp4 of two storages", lambda: tiled(spec((8, 128), "fp4"), (8, 64)), "fp4 16u4_align8b 16u4_align16b"),
    ("big-endian", lambda: tiled(np.zeros((8, 64), ">f2"), (8, 64)), "big-endian newbyteorder"),
    ("meta tensor", lambda: tiled(Meta(), (8, 64)), "meta TensorSpec"),
    ("a list as tensor", lambda: tiled([[1, 2]], (8, 64)), "list TensorSpec"),
    # im2col.
    ("corner too far", lambda: im2col(PIXELS, (200, 0), (0, 0), 64, 64),
     "pixel_box_lower_corner[0] = 200 127 px"),
    ("box empty", lambda: im2col(PIXELS, (0, 0), (-16, 0), 64, 64), "pixel_box_upper_corner[0] = -16 px -15"),
    ("corners of three", lambda: im2col(PIXELS, (0, 0, 0), (0, 0, 0), 64, 64), "pixel_box_lower_corner 3 2"),
    ("channels too many", lambda: im2col(PIXELS, (0, 0), (0, 0), 512, 64), "channels_per_pixel 512 256"),
    ("pixels too many", lambda: im2col(PIXELS, (0, 0), (0, 0), 64, 2048), "pixels_per_column 2048 1024"),
    ("im2col of a matrix", lambda: im2col(HALF, (), (), 64, 64), "rank 2 3"),
    ("im2col offsets of one", lambda: pixels().load([0, 0, 0, 0], im2col_offsets=[1]), "im2col_offsets 1 2"),
    ("im2col offset negative", lambda: pixels().load([0, 0, 0, 0], im2col_offsets=[-1, 0]),
     "im2col_offsets[0] = -1 0 65535"),
    ("im2col start outside", lambda: pixels().plan([0, -2, 0, 0]), "offsets[1] = -2 -1"),
    ("wide without a swizzle", lambda: wide(PIXELS, 0, 0, 64, 64, swizzle="none", target="sm_100a").plan(
        [0] * 4, mode="im2col::w"), "wide-map swizzle none swizzle=\"128B\""),
    ("wide mode as a number of pixels", lambda: wide(PIXELS, 0, 0, 64, 64, mode=128),
     "mode 128 mode=\"W128\""),
    # Copies.
    ("column off", lambda: desc().load([0, 3]), "offsets[1] = 3 6 B 16 B 8 float16"),
    ("offsets of three", lambda: desc().load([0, 0, 0]), "offsets 3 2"),
    ("offsets of floats", lambda: desc().load([1.5, 0]), "offsets[0] integer float"),
    ("offset of 64 bits", lambda: desc().load([2**40, 0]), "offsets[0] = 1099511627776 2147483647"),
    ("offset as one number", lambda: desc().load(0), "offsets sequence int"),
    ("tile transposed", lambda: desc().store([0, 0], TILE.T.copy()), "tile (64, 128) (128, 64)"),
    ("tile of integers", lambda: desc().store([0, 0], TILE.astype(np.int16)), "tile int16 float16 raw=True"),
    ("tile too small", lambda: desc().store([0, 0], TILE[:64]), "tile (64, 64) (128, 64)"),
    ("tile as a view", lambda: desc().store([0, 0], np.zeros((128, 128), np.float16)[:, :64]),
     "tile C-contiguous"),
    ("out read-only", lambda: desc().load([0, 0], out=bytes(16384)), "out writable"),
    ("out of another dtype", lambda: desc().load([0, 0], out=TILE.astype(np.float32)), "out float32 float16"),
    ("raw tile too small", lambda: desc().store([0, 0], bytes(100), raw=True), "100 16384 B"),
    ("shared address off", lambda: desc().load([0, 0], raw=True, shared_address=64), "64 128 B"),
    ("no memory behind the address", lambda: tiled(spec((256, 512)), (128, 64)).load([0, 0]),
     "memory Memory"),
    ("memory too small", lambda: desc().load([0, 0], memory={AT: bytes(16)}),
     "memory {device address: buffer}"),
    ("memory as bytes", lambda: desc().load([0, 0], memory=bytes(16)), "memory bytes Memory"),
    ("memory overlaps", lambda: Memory({0: bytes(16), 8: bytes(16)}), "8 0 overlaps"),
    ("memory read-only", lambda: desc().store([0, 0], TILE, memory={AT: bytes(2**18)}), "memory read-only"),
    ("gather4 of three rows", lambda: tiled(HALF, (1, 64), target="sm_100a").gather4([0, 1, 2], 0),
     "rows 3 4"),
    ("gather4 on a Hopper", lambda: tiled(HALF, (1, 64)).gather4([0, 1, 2, 3], 0),
     "sm_90 gather4 sm_100a target="),
    ("gather4 with rows in the box", lambda: tiled(HALF, (8, 64), target="sm_100a").gather4([0, 1, 2, 3], 0),
     "box_dim[0] = 8 1"),
    ("reduction unknown", lambda: desc().reduce([0, 0], TILE, "mul"), "op mul is no reduction add, min, max"),
    ("reduction of another type", lambda: desc().reduce([0, 0], TILE, "xor"), "float16 xor add, min, max"),
    ("mode of another map", lambda: desc().load([0, 0], mode="im2col"), "im2col tiled mode"),
    ("mode unknown", lambda: desc().load([0, 0], mode="gather"), "mode gather tile::gather4"),
    # Targets, edits, bytes.
    ("target unknown", lambda: desc(target="sm_99"), "sm_99 sm_90"),
    ("target as a number", lambda: desc(target=90), "target sm_100a int"),
    ("packed type on a Hopper",
     lambda: tiled(spec((8, 128), "float4_e2m1fn"), (8, 128), data_type="16u4_align16b"),
     "data_type 16u4_align16b target=\"sm_100a\""),
    ("bytes too short", lambda: TensorMapDescriptor.from_bytes(bytes(64)), "128 64"),
    ("bytes of a number", lambda: TensorMapDescriptor.from_bytes(5), "data int 128"),
    ("field unknown", lambda: desc().replace("box", 1), "field box box_dim"),
    ("ordinal too large", lambda: desc().replace("box_dim", 1, ordinal=5), "ordinal 5 0 to 4"),
    ("address edited off", lambda: desc().replace_address(AT + 4), "address [globalAddress] 16 B"),
    ("picture unknown", lambda: desc().draw("boxes"), "picture boxes box"),
    # Made while writing first programs.
    ("the class called", lambda: TensorMapDescriptor(HALF, (128, 64)), "TensorMapDescriptor.tiled(tensor"),
    ("float64 where no dtype was said", lambda: tiled(np.zeros((256, 512)), (128, 64), swizzle="128B"),
     "box_dim[1] = 64 512 B 128 B float64 of 8 B"),
    ("promotion as bytes", lambda: tiled(HALF, (128, 64), l2_promotion=128), "l2_promotion=\"128B\""),
    ("interleave as bytes", lambda: tiled(spec((4, 64, 64)), (1, 64, 16), interleave=32),
     "interleave=\"32B\""),
    ("swizzle switched on", lambda: tiled(HALF, (128, 64), swizzle=True), "swizzle TensorMapSwizzle name"),
    ("fill by a value", lambda: tiled(HALF, (128, 64), oob_fill=0.0), "oob_fill TensorMapOOBFill name"),
    ("box of a row's map", lambda: tiled(HALF[0], (128, 64)), "box_dim 2 entries 1 dimensions"),
    ("dimension of one element innermost", lambda: tiled(HALF[:, :, None], (128, 64, 1)),
     "box_dim[2] = 1 2 B 16 B 8"),
    ("tensor and box exchanged", lambda: tiled((128, 64), HALF), "'tuple' tensor numpy.asarray()"),
    ("order as NumPy's letter", lambda: tiled(HALF, (128, 64), stride_order="C"),
     "stride_order sequence (1, 0) row-major"),
    ("options as a tuple", lambda: tiled(HALF, options=(128, 64)),
     "options TensorMapDescriptorOptions tuple"),
    ("elements that are objects", lambda: tiled(np.zeros((8, 64), object), (8, 64)), "dtype |O numbers"),
    ("dates", lambda: tiled(np.zeros((8, 64), "M8[s]"), (8, 64)), "dtype <M8[s] numbers"),
    ("one corner for all dimensions", lambda: im2col(PIXELS, -1, -1, 64, 64),
     "pixel_box_lower_corner sequence 2 'int'"),
    ("offsets one by one", lambda: desc().load(0, 0), "load() offsets one sequence"),
    ("offsets forgotten", lambda: desc().load(), "load() 'offsets'"),
    ("one number as tile", lambda: desc().store([0, 0], 1.0), "'float' tensor numpy.asarray()"),
    ("tile before the offsets", lambda: desc().store(TILE, [0, 0]), "offsets 128 2"),
    ("tile of float32", lambda: desc().store([0, 0], TILE.astype(np.float32)), "tile float32 float16"),
    ("store that begins before the tensor", lambda: desc().store([-8, 0], TILE),
     "offsets[0] = -8 0 negative"),
    ("reduction without its name", lambda: desc().reduce([0, 0], TILE), "reduce() 'op'"),
    ("tile and reduction swapped",
     lambda: desc().reduce([0, 0], "add", TILE), "op ndarray str reduce(offsets, tile, op)"),
    ("swizzled byte that is a fraction",
     lambda: libtma.swizzled(1.5, "128B"), "offset whole 1.5 int(offset)"),
    ("swizzled bytes that are fractions",
     lambda: libtma.swizzled(np.zeros(3), "128B"), "offset whole float64 astype"),
    ("compared with bytes", lambda: desc().diff(bytes(128)), "other TensorMapDescriptor 'bytes' from_bytes"),
    ("Gluon's layout without a width",
     lambda: TensorMapDescriptor.from_nvmma(HALF, (128, 64), {"swizzle": 128}),
     "layout swizzle_byte_width element_bitwidth 128"),
    ("shape that is a number", lambda: TensorSpec(64, "float16"), "shape sequence 64 (64,)"),
    ("strides that are a number", lambda: TensorSpec((64,), "float16", 1), "strides sequence (1,)"),
    ("rows and column swapped", lambda: desc().gather4(0, [0, 1, 2, 3]), "rows 4 integers column"),
    ("gathered rows at a column between units",
     lambda: tiled(HALF, (1, 64), target="sm_100a").gather4([3, 2, 1, 0], 3), "rows (3, 2, 1, 0), column 3"),
    ("PTX version as a word",
     lambda: ptx.parse("fence.proxy.tensormap::generic.release.gpu;").lacks(version="8.0"),
     "version '8.0' 86 8.6"),
    ("descriptor as a word", lambda: mma.compare("0x40", mma.Operand(), desc()), "MatrixDescriptor decode"),
    ("operand that is none", lambda: mma.descriptor_of(desc(), 3), "Operand 3"),
    ("Pallas transform that is a number",
     lambda: TensorMapDescriptor.from_pallas(HALF, (128, 64), 3), "transforms sequence 3"),
    ("name far from all", lambda: desc().load(xyz=[0, 0]), "'xyz'. It takes offsets"),
    ("reduction by a number", lambda: desc().reduce([0, 0], TILE, 1), "reduce() op is 1 str"),
    ("load as reduction", lambda: desc().reduce([0, 0], TILE, "load"), "op load is no reduction add, min"),
    ("out as a list", lambda: desc().load([0, 0], out=[]), "'list' numpy.asarray()"),
    ("out of one dimension", lambda: desc().load([0, 0], out=np.zeros(8192, np.float16)),
     "out (8192,) (128, 64)"),
    ("memory as the tensor", lambda: desc().load([0, 0], memory=HALF), "memory ndarray dictionary address"),
    ("two edits at once", lambda: desc().replace("box_dim", (64, 64)), "replace() value (64, 64) int"),
    ("picture of offsets", lambda: desc().draw([0, 0]), "draw() picture [0, 0] str"),
    ("swizzle of bytes as a number", lambda: libtma.swizzled(16, 128), "swizzle 128 \"128B\""),
    ("swizzle of a negative offset", lambda: libtma.swizzled(-16, "128B"), "offset = -16 B 0"),
    ("layout that is no text", lambda: layouts.of_cute((128, 64), "float16"), "text tuple str(layout)"),
    ("layout without strides", lambda: layouts.of_cute("(128,64)", "float16"),
     "text (128,64) (128,64):(64,1)"),
    ("transforms as numbers", lambda: layouts.of_pallas((128, 128), "float16", ((8, 64), 128)),
     "transforms (8, 64) TilingTransform"),
    ("array as Triton's descriptor", lambda: TensorMapDescriptor.from_triton(HALF),
     "desc ndarray block_shape"),
    ("word as Gluon's layout", lambda: TensorMapDescriptor.from_nvmma(HALF, (128, 64), "128B"),
     "layout str NVMMASharedLayout swizzle_byte_width"),
    ("GPU that there is not", lambda: libtma.set_target("b20"), "b20 B200"),
    # Names.
    ("keyword misspelt", lambda: tiled(HALF, (64, 64), swizle="128B"), "tiled() swizle 'swizzle'?"),
    ("cuda.h's keyword", lambda: tiled(HALF, boxDim=(64, 64)), "tiled() boxDim 'box_dim'?"),
    ("keyword of a load", lambda: desc().load([0, 0], memry={}), "load() memry 'memory'?"),
    ("keyword of a target", lambda: Target(sm="sm_90"), "Target() sm arch"),
    ("keyword of options", lambda: TensorMapDescriptorOptions((8, 64), swizle="128B"),
     "TensorMapDescriptorOptions() swizle 'swizzle'?"),
    ("keyword of a spec", lambda: TensorSpec((8, 64), "float16", adress=1), "TensorSpec() adress 'address'?"),
    ("swizzle without its name", lambda: tiled(HALF, (64, 64), "128B"), "tiled() positional '128B' swizzle="),
    ("options beside arguments", lambda: tiled(HALF, (64, 64), options=TensorMapDescriptorOptions((8, 64))),
     "options arguments"),
    ("plain numbers for the driver", lambda: driver.cuTensorMapEncodeTiled(
        driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, AT,
        [512, 256], [1024], [64, 128], [1, 1],
        *(kind(0) for kind in (driver.CUtensorMapInterleave, driver.CUtensorMapSwizzle,
                               driver.CUtensorMapL2promotion, driver.CUtensorMapFloatOOBfill))),
     "globalDim[0] int cuuint64_t(512) lenient()"),
    ("PTX with a typo", lambda: ptx.parse("cp.async.bulk.tensor.2d.shared::cta.globl [0], [1, {2, 3}], [2];"),
     "column globl"),
]
WARNINGS = [
    ("offsets in the order of the driver", lambda: desc().load([480, 200]),
     "offsets outside outermost first"),
    ("im2col offset of too many bits", lambda: pixels().plan([0, -1, -1, 0], im2col_offsets=[256, 0]),
     "im2col-offset-range 256 255"),
]


def lacks(text, words):
    return [word for word in words.split() if word not in text]


def test_there_are_enough():
    assert len(MISTAKES) + len(WARNINGS) >= 131
    assert len({name for name, _, _ in MISTAKES + WARNINGS}) == len(MISTAKES) + len(WARNINGS)


@pytest.mark.parametrize("call, words", [case[1:] for case in MISTAKES], ids=[case[0] for case in MISTAKES])
def test_the_text_says_what_to_do(call, words):
    with pytest.raises((ValueError, TypeError, libtma.TensorMapCopyError)) as raised:
        call()
    assert not lacks(str(raised.value), words), str(raised.value)


@pytest.mark.parametrize("call, words", [case[1:] for case in WARNINGS], ids=[case[0] for case in WARNINGS])
def test_what_runs_and_was_not_meant_is_a_warning(call, words):
    with pytest.warns(libtma.TensorMapWarning) as warned:
        call()
    assert not lacks(str(warned[0].message), words), str(warned[0].message)
    assert warned[0].filename == __file__


if __name__ == "__main__":
    for name, call, words in MISTAKES:
        try:
            call()
            print(f"== {name}\n   NOTHING")
        except Exception as error:
            print(f"== {name}\n{type(error).__name__}: {error}")
            if lacks(str(error), words):
                print("   LACKS", lacks(str(error), words))
