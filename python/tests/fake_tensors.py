# SPDX-License-Identifier: Apache-2.0
"""As much of PyTorch's tensors as Triton's interpreter asks for, over NumPy memory."""
import numpy as np


class Type:
    """A torch.dtype's name, size and kind."""

    def __init__(self, name, itemsize, is_floating_point):
        self.name, self.itemsize, self.is_floating_point = name, itemsize, is_floating_point

    def __str__(self):
        return f"torch.{self.name}"

    def __eq__(self, other):
        return str(self) == str(other)

    def __hash__(self):
        return hash(self.name)


TYPES = {name: Type(name, size, "float" in name) for name, size in {
    "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8,
    "uint64": 8, "float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "float8_e5m2": 1,
    "float8_e4m3fn": 1}.items()}


class Storage:
    """Bytes at an address, of a NumPy array that is kept."""

    def __init__(self, array, size_bytes=None):
        self.array = array
        self.size_bytes = array.nbytes if size_bytes is None else size_bytes

    def data_ptr(self):
        return self.array.ctypes.data

    def nbytes(self):
        return self.size_bytes

    def cpu(self):
        return self

    def copy_(self, other):
        assert other is self


class Tensor:
    """A view of a storage: offset and strides in elements."""

    def __init__(self, storage, name, shape, strides, offset=0):
        self.storage, self.dtype = storage, TYPES[name]
        self.shape, self.strides, self.offset = tuple(shape), tuple(strides), offset

    def data_ptr(self):
        return self.storage.data_ptr() + self.offset * self.dtype.itemsize

    def untyped_storage(self):
        return self.storage

    def storage_offset(self):
        return self.offset

    def size(self):
        return self.shape

    def stride(self):
        return self.strides

    def as_strided(self, shape, strides, offset=0):
        return Tensor(self.storage, self.dtype.name, shape, strides, offset)

    def numpy(self):
        flat = self.storage.array.view(self.dtype.name)[self.offset:]
        steps = [n * self.dtype.itemsize for n in self.strides]
        return np.lib.stride_tricks.as_strided(flat, self.shape, steps)

    def new_empty(self, _size, device):
        assert device == "cpu"
        return Tensor(self.storage, self.dtype.name, self.shape, self.strides, self.offset)

    def set_(self, storage, offset, size, strides):
        self.storage, self.offset, self.shape, self.strides = storage, offset, size, strides


def aligned(size_bytes, alignment=256):
    """Zeroed bytes at an aligned address."""
    raw = np.zeros(size_bytes + alignment, np.uint8)
    start = -raw.ctypes.data % alignment
    return raw[start:start + size_bytes]


def flat(array, name=None):
    """A contiguous array as a tensor."""
    strides = [step // array.itemsize for step in array.strides]
    return Tensor(Storage(array), name or array.dtype.name, array.shape, strides)


class Torch:
    """As much of the module torch as docs/triton.md uses."""

    float16, float32, int32 = TYPES["float16"], TYPES["float32"], TYPES["int32"]
    Tensor = Tensor

    @staticmethod
    def zeros(*shape, dtype):
        array = aligned(int(np.prod(shape)) * dtype.itemsize)
        strides = [int(np.prod(shape[axis + 1:])) for axis in range(len(shape))]
        return Tensor(Storage(array), dtype.name, shape, strides)

    @staticmethod
    def full(shape, value, dtype):
        tensor = Torch.zeros(*shape, dtype=dtype)
        tensor.numpy()[...] = value
        return tensor
