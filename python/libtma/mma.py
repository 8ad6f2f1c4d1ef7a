# SPDX-License-Identifier: Apache-2.0
"""Matrix descriptors of wgmma and tcgen05.mma: made, read, and compared with what a tensor map's
copy leaves in shared memory (docs/mma.md).

Addresses and offsets are bytes, ``mn`` is m of operand A and n of operand B. Facts of wgmma are an
H200's; of tcgen05 the PTX ISA's.
"""
from __future__ import annotations

from dataclasses import dataclass, field

from . import _core
from ._core import TensorMapSwizzle
from ._descriptor import TensorMapDescriptor
from ._spelling import spelt

__all__ = ["Difference", "MatrixDescriptor", "NoDescriptor", "Operand", "Placed", "Reading",
           "Remark", "Tile", "ZeroMask", "compare", "descriptor_of", "readings", "remarks"]


@dataclass(frozen=True)
class Operand:
    """What one instruction reads through a descriptor.

    Parameters
    ----------
    matrix : str
        "A" or "B".
    major : str
        "K" or "MN": the dimension whose elements lie side by side.
    dtype : str
        f16, bf16, tf32, e4m3, e5m2, s8, u8, b1, e2m3, e3m2, e2m1 or e2m1-packed.
    mn : int
        m of A, n of B, in elements.
    k : int
        In elements; 0 for what a dense instruction takes (32 bytes).
    readings : dict
        How to read what sources of tcgen05 dispute: {"mma-k-beyond-span": "on"}; :func:`readings`
        has them all.
    """

    matrix: str = "A"
    major: str = "K"
    dtype: str = "f16"
    mn: int = 64
    k: int = 0
    readings: dict[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Placed:
    """One of several copies that fill a tile.

    Parameters
    ----------
    shared_address : int
        Where its box begins, in bytes.
    mn, k : int
        The element of the tile that is the first of its box.
    map : TensorMapDescriptor, optional
        Its map; None: the one that is compared.
    """

    shared_address: int
    mn: int = 0
    k: int = 0
    map: TensorMapDescriptor | None = None


@dataclass(frozen=True)
class Tile:
    """Where copies of one map leave an operand's tile: dimension 0 of the box is the major index.

    Parameters
    ----------
    shared_address : int
        Of the first copy, in bytes.
    copies : int
        How many stand one behind the other along dimension 0, at least 1.
    copy_step : int
        How far apart they are, in bytes; 0: what a copy occupies.
    panel_dims : int
        How many outermost dimensions of the box go on along dimension 0.
    placed : tuple of Placed
        Copies that lie in any other way, at most 32. If there are any, they are the tile, and
        ``shared_address``, ``copies`` and ``copy_step`` have no effect.
    """

    shared_address: int = 0x400
    copies: int = 1
    copy_step: int = 0
    panel_dims: int = 0
    placed: tuple[Placed, ...] = ()


@dataclass(frozen=True)
class Remark:
    """Something that there is to say of 64 bits.

    Parameters
    ----------
    rule : str
        Its name.
    wrong : bool
        No instruction reads such an operand as a document has it; else it is legal, but odd.
    statement : str
        The rule, in one sentence.
    evidence : str
        Who has seen it, or which document says it.
    """

    rule: str
    wrong: bool
    statement: str
    evidence: str


@dataclass(frozen=True)
class MatrixDescriptor:
    """The 64 bits, taken apart: ``int(d)`` gives them, :meth:`decode` reads them.

    Parameters
    ----------
    start, leading, stride : int
        Start address, leading and stride byte offset, in bytes.
    swizzle : TensorMapSwizzle, str or int
    base_offset : int
        In rows of the swizzle's pattern, 0 to 7.
    leading_absolute : bool
        tcgen05: ``leading`` is an address.
    family : str
        "wgmma" or "tcgen05".
    """

    start: int
    leading: int = 16
    stride: int = 0
    swizzle: TensorMapSwizzle | str | int = "none"
    base_offset: int = 0
    leading_absolute: bool = False
    family: str = "wgmma"

    @classmethod
    @spelt
    def decode(cls, bits: int, family: str = "wgmma") -> MatrixDescriptor:
        """A descriptor of its bits.

        Parameters
        ----------
        bits : int
            64 bits. Those that no field has are lost; remarks() of the same bits tell of them.
        family : str
            "wgmma" or "tcgen05".

        Returns
        -------
        MatrixDescriptor
        """
        return cls(**_core.mma_decode(bits, family))

    def __int__(self) -> int:
        return _core.mma_encode(self)

    def __index__(self) -> int:
        return _core.mma_encode(self)

    @spelt
    def remarks(self, operand: Operand | None = None) -> tuple[Remark, ...]:
        """What is wrong or odd.

        Parameters
        ----------
        operand : Operand, optional
            What is read through the descriptor.

        Returns
        -------
        tuple of Remark
        """
        return remarks(int(self), self.family, operand)

    @spelt
    def read(self, operand: Operand, mn: int, k: int) -> tuple[int, int]:
        """Where the MMA reads an element from.

        Parameters
        ----------
        operand : Operand
        mn, k : int
            The element's indices.

        Returns
        -------
        tuple of int
            The shared address in bytes, and the bit in that byte.
        """
        _wants_operand(operand)
        address, bit = _core.mma_read(self, operand, mn, k)
        return address, bit


@spelt
def remarks(bits: int, family: str = "wgmma", operand: Operand | None = None) -> tuple[Remark, ...]:
    """What there is to say of 64 bits, and of the operand that is read through them.

    Parameters
    ----------
    bits : int
    family : str
        "wgmma" or "tcgen05".
    operand : Operand, optional

    Returns
    -------
    tuple of Remark
    """
    if operand is not None:
        _wants_operand(operand)
    return tuple(Remark(*row) for row in _core.mma_remarks(bits, family, operand))


@dataclass(frozen=True)
class ZeroMask:
    """tcgen05.mma.ws's zero-column mask: for which columns of the product zeros stand for B.
    ``int(z)`` gives the 64 bits, :meth:`decode` reads them.

    Parameters
    ----------
    skip_span, use_span : int
        Columns in a row of each kind, 1 to 256, as the reading zero-mask-spans has them: by default
        ``skip_span`` columns are zeros.
    start : tuple of int
        For each 128 / m of the columns: how many columns later its pattern begins, 0 to 255.
    first_is_zeros : tuple of int
        For each such part: 1 where its pattern begins with zeros.
    has_zeros : bool
        False: no column is zeros.
    shift : int
        The first column of B that is read; at most 32, with m 32 16.
    """

    skip_span: int
    use_span: int
    start: tuple[int, int, int, int] = (0, 0, 0, 0)
    first_is_zeros: tuple[int, int, int, int] = (0, 0, 0, 0)
    has_zeros: bool = True
    shift: int = 0

    @classmethod
    @spelt
    def decode(cls, bits: int) -> ZeroMask:
        """A mask of its bits.

        Parameters
        ----------
        bits : int
            64 bits. Those that no field has are lost.

        Returns
        -------
        ZeroMask
        """
        return cls(**_core.mma_zero_mask_decode(bits))

    def __int__(self) -> int:
        return _core.mma_zero_mask_encode(self)

    def __index__(self) -> int:
        return _core.mma_zero_mask_encode(self)

    @spelt
    def columns(self, m: int, n: int, readings: dict[str, str] | None = None) -> list[int | None]:
        """What each column of the product is made of.

        Parameters
        ----------
        m, n : int
            Of the instruction, in elements.
        readings : dict, optional
            How to read what sources dispute: {"zero-mask-spans": "use"}.

        Returns
        -------
        list of int or None
            For each of the n columns the column of B; None: zeros.
        """
        return list(_core.mma_zero_mask_columns(self, m, n, {} if readings is None else readings))

    @spelt
    def remarks(self, m: int) -> tuple[Remark, ...]:
        """What is wrong or odd in an instruction with m rows.

        Parameters
        ----------
        m : int

        Returns
        -------
        tuple of Remark
        """
        return tuple(Remark(*row) for row in _core.mma_zero_mask_remarks(int(self), m))


@dataclass(frozen=True)
class Reading:
    """A question that public sources of tcgen05 answer in more than one way.

    Parameters
    ----------
    name : str
        What ``readings={...}`` calls it.
    question : str
    values : tuple
        (value, what it means, who says so) of each answer, the one that is taken first.
    """

    name: str
    question: str
    values: tuple[tuple[str, str, str], ...]


def readings() -> tuple[Reading, ...]:
    """What sources of tcgen05 dispute (docs/readings.md).

    Returns
    -------
    tuple of Reading
    """
    return tuple(Reading(*row) for row in _core.mma_readings())


@dataclass(frozen=True)
class Difference:
    """What an instruction reads against what the copy left. It is true where all elements agree.

    Parameters
    ----------
    equal, total : int
        How many elements agree, and how many there are.
    mn, k : int or None
        The operand's first element that does not agree.
    read : int or None
        The shared address at which the MMA reads it, in bytes.
    written : int or None
        The address at which the copy put it; None: beyond the tile.
    element : tuple of int or None
        The element of the tile that lies at ``read``; None: nothing, padding or another copy's.
    text : str
        All of it in a sentence.
    written_copy, element_copy : int or None
        Which of the tile's copies, from 0 on, brings the element, and which put what lies at
        ``read``.
    """

    equal: int
    total: int
    mn: int | None
    k: int | None
    read: int | None
    written: int | None
    element: tuple[int, int] | None
    text: str
    written_copy: int | None = None
    element_copy: int | None = None

    def __bool__(self) -> bool:
        return self.equal == self.total

    def __str__(self) -> str:
        return self.text


class NoDescriptor(ValueError):
    """No descriptor reads the tile.

    Parameters
    ----------
    reason : str
        A word of docs/mma.md's: "pitch".
    text : str
        The reason in a sentence.
    box, swizzle : int, str or None
        A ``box_dim[-1]`` in elements and a swizzle that would do.
    """

    def __init__(self, reason: str, text: str, box: int | None, swizzle: str | None) -> None:
        super().__init__(text)
        self.reason = reason
        self.box = box
        self.swizzle = swizzle


def _wants_operand(operand: object) -> None:
    if not isinstance(operand, Operand):
        raise TypeError(f"operand: an Operand is wanted, not {operand!r}: such as "
                        "Operand('A', 'K', 'f16', mn=64)")


def _tile_of(tile: Tile | None) -> Tile:
    if tile is None:
        return Tile()
    if not isinstance(tile, Tile):
        raise TypeError(f"tile: a Tile is wanted, or None, not {tile!r}: such as Tile(0x400)")
    return tile


@spelt
def compare(descriptor: MatrixDescriptor, operand: Operand, map: TensorMapDescriptor,
            tile: Tile | None = None, *, mn: int = 0, k: int = 0) -> Difference:
    """Compares what the MMA reads with what the map's copy left, element by element.

    Parameters
    ----------
    descriptor : MatrixDescriptor
    operand : Operand
    map : TensorMapDescriptor
    tile : Tile, optional
        None: one copy at shared address 0x400.
    mn, k : int
        The tile's element that the instruction should read as its first.

    Returns
    -------
    Difference
        A proof, or the first element that differs.
    """
    if not isinstance(descriptor, MatrixDescriptor):
        raise TypeError(f"descriptor: a MatrixDescriptor is wanted, not {descriptor!r}: "
                        "MatrixDescriptor.decode(bits) makes one of 64 bits")
    _wants_operand(operand)
    return Difference(**_core.mma_compare(descriptor, operand, map, _tile_of(tile), mn, k))


@spelt
def descriptor_of(map: TensorMapDescriptor, operand: Operand, tile: Tile | None = None, *,
                  mn: int = 0, k: int = 0, family: str = "wgmma") -> MatrixDescriptor:
    """The descriptor through which an instruction reads the tile; it has been compared with the copy.

    Parameters
    ----------
    map, operand, tile, mn, k
        As :func:`compare` takes them.
    family : str
        "wgmma" or "tcgen05".

    Returns
    -------
    MatrixDescriptor

    Raises
    ------
    NoDescriptor
        There is none; it says why.
    """
    _wants_operand(operand)
    said = _core.mma_descriptor_of(map, operand, _tile_of(tile), family, mn, k)
    if isinstance(said, dict):
        return MatrixDescriptor(**said)
    reason, text, box, swizzle = said
    raise NoDescriptor(reason, text, box or None, swizzle if box else None)
