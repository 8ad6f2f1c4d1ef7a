# SPDX-License-Identifier: Apache-2.0
"""Random tcgen05.mma: types, shapes, matrix descriptors, operands in tensor memory, pairs of CTAs, scale
factors, lanes that stay as they are; each held against tensor_model.py in cells drawn at random.
"""
import os
import random
import struct
import subprocess

import pytest
import tensor_kernel as kernels
import tensor_model as model

TMA = os.environ.get("TMA", "build/tma")
PRODUCTS = int(os.environ.get("TMA_TENSOR_PRODUCTS", "2000"))
BASE = 0x400  # where a kernel's shared variables begin
CELLS = 24    # of each CTA's 1024 that are looked at

F8 = ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")
# opcode's kind; pairs of types; D's types; CTAs; .ws; A in tensor memory; scales of a row
DENSE = [
    ("f16", [("f16", "f16")], ("f32", "f16"), 1, False, False, 0),
    ("f16", [("bf16", "bf16")], ("f32",), 1, False, True, 0),
    ("f16", [("f16", "f16")], ("f32",), 2, False, False, 0),
    ("f16", [("f16", "f16")], ("f16",), 2, False, True, 0),
    ("f16", [("f16", "f16")], ("f32", "f16"), 1, True, False, 0),
    ("tf32", [("tf32", "tf32")], ("f32",), 1, False, False, 0),
    ("tf32", [("tf32", "tf32")], ("f32",), 2, False, False, 0),
    ("f8f6f4", [(a, b) for a in F8 for b in F8], ("f32", "f16"), 1, False, False, 0),
    ("f8f6f4", [("e4m3", b) for b in F8], ("f32",), 1, False, True, 0),
    ("f8f6f4", [(a, b) for a in F8 for b in F8], ("f32",), 2, False, False, 0),
    ("f8f6f4", [(a, a) for a in F8], ("f32",), 1, True, False, 0),
    ("i8", [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")], ("s32",), 1, False, False, 0),
    ("i8", [("s8", "u8")], ("s32",), 2, False, True, 0),
    ("mxf8f6f4", [(a, b) for a in F8 for b in F8], ("f32",), 1, False, False, 1),
    ("mxf8f6f4", [(a, b) for a in F8 for b in F8], ("f32",), 2, False, False, 1),
    ("mxf8f6f4", [(a, b) for a in F8 for b in F8], ("f32",), 1, False, True, 1),
    ("mxf4", [("mx_e2m1", "mx_e2m1")], ("f32",), 1, False, False, 2),
    ("mxf4nvf4", [("mx_e2m1", "mx_e2m1")], ("f32",), 1, False, False, 4),
    ("mxf4nvf4", [("mx_e2m1", "mx_e2m1")], ("f32",), 2, False, False, 4),
]
SPARSE = [
    ("f16", [("f16", "f16"), ("bf16", "bf16")], ("f32",), 1, False, False, 0),
    ("f16", [("f16", "f16")], ("f32", "f16"), 2, False, True, 0),
    ("f16", [("f16", "f16")], ("f32",), 1, True, True, 0),
    ("tf32", [("tf32", "tf32")], ("f32",), 1, False, False, 0),
    ("tf32", [("tf32", "tf32")], ("f32",), 2, False, False, 0),
    ("tf32", [("tf32", "tf32")], ("f32",), 1, True, False, 0),
    ("f8f6f4", [(a, b) for a in F8 for b in F8], ("f32", "f16"), 1, False, False, 0),
    ("f8f6f4", [("e5m2", b) for b in F8], ("f32",), 2, False, True, 0),
    ("f8f6f4", [(a, a) for a in F8], ("f32",), 1, True, False, 0),
    ("i8", [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")], ("s32",), 1, False, True, 0),
    ("i8", [("s8", "s8"), ("u8", "s8")], ("s32",), 2, False, False, 0),
    ("i8", [("s8", "u8")], ("s32",), 1, True, False, 0),
    ("mxf8f6f4", [(a, b) for a in F8 for b in F8], ("f32",), 1, False, False, 1),
    ("mxf8f6f4", [(a, b) for a in F8 for b in F8], ("f32",), 2, False, True, 1),
    ("mxf4", [("mx_e2m1", "mx_e2m1")], ("f32",), 1, False, True, 2),
    ("mxf4nvf4", [("mx_e2m1", "mx_e2m1")], ("f32",), 1, False, False, 4),
    ("mxf4nvf4", [("mx_e2m1", "mx_e2m1")], ("f32",), 2, False, False, 2),
]
FORMS = [(*form, False) for form in DENSE] + [(*form, True) for form in SPARSE]
KIND_I8 = "i8"


def image_of(rng, kind, size_B):
    """Bytes that are small numbers wherever an element of the type is read."""
    if kind in ("f16", "bf16", "tf32"):
        numbers = [struct.pack("<e", n) if kind == "f16" else struct.pack("<f", n)[2 if kind == "bf16" else 0:]
                   for n in range(-4, 5)]
        return b"".join(rng.choices(numbers, k=size_B // len(numbers[0])))
    if kind in ("e4m3", "e5m2"):
        codes = [c for c in range(256) if (c & 0x7f) < 0x7c and abs(model.minifloat(c, *model.MINI[kind])) in
                 (0, 0.5, 1, 1.5, 2, 3, 4)]
        return bytes(rng.choices(codes, k=size_B))
    return rng.randbytes(size_B)


def drawn_operand(rng, kind, rows, k, turned, from_B):
    """A matrix that lies in the shared memory from from_B on, in any layout that the type has."""
    mode = rng.choice([1] if turned and kind == "tf32" else [0, 2, 4, 6])
    operand = model.Operand(kind, BASE + from_B + rng.randrange(32) * 16, rng.randrange(1, 40) * 16,
                            rng.randrange(0, 50) * 16, mode, turned)
    while max(operand.place(r, c)[0] for r in (0, rows - 1) for c in (0, k - 1)) + 512 >= BASE + from_B + kernels.A_B - 512:
        operand.leading, operand.stride = operand.leading // 32 * 16, operand.stride // 32 * 16
    return operand


def descriptor(operand):
    """The 64 bits, but for the shared memory's own address."""
    return ((operand.start - BASE) >> 4 | operand.leading >> 4 << 16 | operand.stride >> 4 << 32 | 1 << 46
            | operand.mode << 61)


class Job:
    def __init__(self, rng, form, types, dtype):
        self.form, self.dtype = form, dtype
        self.kind, _, _, self.ctas, self.ws, self.from_tensor, self.scales, self.sparse = form
        self.a_kind, self.b_kind = types
        if self.scales:
            self.m = 128 * self.ctas if self.ctas == 1 or self.sparse else rng.choice([128, 256])
        else:
            self.m = rng.choice([32, 64, 128] if self.ws else [64 * self.ctas, 128 * self.ctas])
        self.n = self.drawn_n(rng)
        may_turn = self.kind in ("f16", "tf32", "i8", "f8f6f4", "mxf8f6f4")
        self.turn_a = may_turn and not self.from_tensor and rng.random() < 0.4
        per_unit = 128 // max(model.TYPES[self.b_kind][0], 8)
        self.turn_b = may_turn and self.n // self.ctas % per_unit == 0 and rng.random() < 0.4
        stored = model.TYPES[self.a_kind][1]
        self.k = 2 * stored if self.sparse else stored
        self.a = drawn_operand(rng, self.a_kind, self.m // self.ctas, stored, self.turn_a, 0)
        self.b = drawn_operand(rng, self.b_kind, self.n // self.ctas, self.k, self.turn_b, kernels.B_FROM)
        self.negate_a, self.negate_b = ((rng.random() < 0.3, rng.random() < 0.3) if self.kind != KIND_I8 else (0, 0))
        self.enable = rng.random() < 0.7
        is_half = self.m // self.ctas == 64 and not self.ws and (self.ctas == 1 or self.sparse)
        self.lane = 16 if is_half and rng.random() < 0.5 else 0
        columns = self.n // model_parts(self)
        self.column = rng.randrange(0, max(columns - 8, 0) // 8 + 1) * 8
        self.disabled = [rng.getrandbits(32) & rng.getrandbits(32) for _ in range(8)]
        self.scale_id = [rng.choice({1: [0, 1, 2, 3], 2: [0, 2], 4: [0]}[self.scales]) for _ in range(2)] \
            if self.scales else [0, 0]
        self.ue4m3 = self.scales == 4 and rng.random() < 0.6
        self.metadata = rng.choice([0, 2])
        self.selector = rng.randrange(2) if self.sparse and self.kind in ("f16", "tf32") else 0
        self.told = model.told_by(self.a_kind, self.m, self.ctas, self.ws) if self.sparse else None

    def drawn_n(self, rng):
        if self.ws:
            return rng.choice([64, 64, 128, 128 if self.sparse else 256])
        if self.kind == KIND_I8:
            return rng.choice([16, 32, 48, 128, 256] if self.ctas == 1 else [32, 64, 96, 256])
        return rng.choice([1, 1, 2, 3, 4, 5, 8, 13, 16, 32]) * 8 if self.ctas == 1 else \
            rng.choice([1, 2, 3, 4, 7, 8, 16]) * 16

    def idesc(self):
        types = model.TYPES[self.a_kind][2] << 7 | model.TYPES[self.b_kind][2] << 10
        turns = self.negate_a << 13 | self.negate_b << 14 | self.turn_a << 15 | self.turn_b << 16
        word = types | turns | self.n >> 3 << 17 | self.selector | self.sparse << 2
        if self.scales:
            return word | self.scale_id[1] << 4 | (not self.ue4m3) << 23 | self.m >> 7 << 27 | self.scale_id[0] << 29
        return word | {"f16": 0, "f32": 1, "s32": 2}[self.dtype] << 4 | self.m >> 4 << 24

    def words(self):
        return struct.pack("<QQIIII8I4I", descriptor(self.a), descriptor(self.b), self.idesc(), self.column,
                           self.enable, self.lane, *self.disabled, self.metadata, 0, 0, 0)

    def k_of_stored(self, lanes, rank, lane, row):
        """k of B that each stored element of a row meets, for a cell of D in a lane."""
        if not self.sparse:
            return range(self.k)
        first = 24 + self.metadata + self.selector
        return model.meets(self.a_kind, self.told,
                           lambda at, column: lanes[rank * 128 + self.lane + at][first + column], lane, row)


def model_parts(job):
    if job.ws:
        return {32: 4, 64: 2, 128: 1}[job.m]
    return 2 if job.ctas == 2 and job.m == 128 and not job.sparse else 1


def scale(job, word, number):
    byte = word >> 8 * number & 0xff
    return model.minifloat(byte & 0x7f, 4, 3, 7) if job.ue4m3 else 2.0 ** (byte - 127)


def expected(job, image, lanes, rank, lane, column):
    """The word of a cell of a CTA behind the product; None: the test has no exact one."""
    before = lanes[rank * 128 + lane][0]
    found = model.d_element(job.m, job.ctas, job.ws, job.n, rank, lane - job.lane, column, job.sparse) \
        if lane >= job.lane else None
    is_masked = not job.scales and not job.ws
    if not found or (is_masked and job.disabled[4 * rank + lane // 32] >> lane % 32 & 1):
        return before
    row, n = found
    own, per = row % (job.m // job.ctas), job.n // job.ctas
    of_b = n // per
    images = [image[kernels.SHIFT_B * i:] for i in range(2)]
    block = job.k // job.scales if job.scales else job.k
    total = model.from_word(job.dtype, before) if job.enable else 0
    for i, k in enumerate(job.k_of_stored(lanes, rank, lane - job.lane, own)):
        if job.from_tensor:
            tensor = struct.pack("<8I", *lanes[rank * 128 + lane][4:12])
            bits = model.TYPES[job.a_kind][0]
            middle = {4: 2, 6: 1}.get(bits) if job.a_kind != "mx_e2m1" else None  # of a byte of its own
            a = model.element(job.a_kind, tensor, i, middle) if middle else \
                model.element(job.a_kind, tensor, i * bits // 8, i * bits % 8)
        else:
            a = job.a.at(images[rank], BASE, own, i)
        product = a * job.b.at(images[of_b], BASE, n % per, k)
        if job.scales:
            quarter, in_part = lane // 32 * 32, n % (job.n // model_parts(job))
            words_a = lanes[rank * 128 + quarter + own % 32][12 + own // 32]
            words_b = lanes[rank * 128 + quarter + in_part % 32][16 + in_part // 32]
            product *= scale(job, words_a, job.scale_id[0] + k // block) * \
                scale(job, words_b, job.scale_id[1] + k // block)
        total += -product if job.negate_a != job.negate_b else product
    return model.to_word(job.dtype, total)


def lanes_of(rng, job_form, dtype, a_kind, ue4m3):
    """Of each lane of both CTAs: what D holds, eight words of A, scale factors."""
    rows = []
    for _ in range(256):
        d = model.to_word(dtype, rng.randrange(-5, 6))
        a = struct.unpack("<8I", image_of(rng, a_kind, 32))
        rows.append([d, 0, 0, 0, *a, *([0] * 20)])
    codes = [0x30, 0x34, 0x38, 0x3c, 0x40] if ue4m3 else [125, 126, 127, 128, 129]
    for rank in range(2):
        factors = [[int.from_bytes(rng.choices(codes, k=4), "little") for _ in range(12)] for _ in range(32)]
        for lane in range(128):  # the same in all four quarters
            rows[rank * 128 + lane][12:24] = factors[lane % 32]
    nibbles = list(model.chunk(a_kind)[2]) or list(model.chunk("others")[2])
    for row in rows:
        row[24:28] = [sum(rng.choice(nibbles) << 4 * i for i in range(8)) for _ in range(4)]
    return rows


def run(tmp_path, job_form, jobs, image, lanes, issuer):
    kind, _, _, ctas, ws, from_tensor, scales, sparse = job_form
    vector = {0: "", 1: ".scale_vec::1X", 2: ".scale_vec::2X", 4: ".scale_vec::4X"}[scales]
    words = ("ws." if ws else "") + ("sp." if sparse else "") + f"cta_group::{ctas}.kind::{kind}" + (".block_scale" + vector if scales else "")
    (tmp_path / "k.ptx").write_text(kernels.kernel(words, ctas, from_tensor, bool(scales), not ws and not scales, issuer,
                                                 sparse))
    (tmp_path / "image").write_bytes(image)
    (tmp_path / "jobs").write_bytes(b"".join(j.words() for j in jobs))
    (tmp_path / "lanes").write_bytes(b"".join(struct.pack("<32I", *row) for row in lanes))
    done = subprocess.run(
        [TMA, "emulate", str(tmp_path / "k.ptx"), "--grid", str(ctas * len(jobs)), "--block", "128", "--cluster",
         str(ctas), "--no-order", *[f"--param={n}={tmp_path / n}" for n in ("image", "jobs", "lanes")],
         f"--param=out=zeros:{4096 * ctas * len(jobs)}", f"--save=out={tmp_path / 'out'}"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    return (tmp_path / "out").read_bytes()


@pytest.mark.parametrize("number", range(len(FORMS)))
def test_products(number, tmp_path):
    rng = random.Random(number)
    form = FORMS[number]
    pairs = rng.sample(form[1], len(form[1]))
    left, looked, different = PRODUCTS // len(FORMS) + 1, 0, []
    at_once = max(1, min(60, left // len(pairs)))  # each pair of types comes
    while left > 0:
        types, dtype = pairs[0], rng.choice(form[2])
        pairs = pairs[1:] + pairs[:1]
        count = min(left, at_once)
        ue4m3 = None
        jobs = []
        while len(jobs) < count:
            job = Job(rng, form, types, dtype)
            ue4m3 = job.ue4m3 if ue4m3 is None else ue4m3
            job.ue4m3 = ue4m3
            jobs.append(job)
        image = image_of(rng, types[0], kernels.B_FROM) + image_of(rng, types[1], kernels.B_B + kernels.SHIFT_B)
        lanes = lanes_of(rng, form, dtype, types[0], ue4m3)
        out = run(tmp_path, form, jobs, image, lanes, rng.randrange(form[3]))
        for i, job in enumerate(jobs):
            for _ in range(CELLS):
                rank, lane, column = rng.randrange(job.ctas), rng.randrange(128), rng.randrange(8)
                got = struct.unpack_from("<I", out, ((i * job.ctas + rank) * 128 + lane) * 32 + 4 * column)[0]
                want = expected(job, image, lanes, rank, lane, job.column + column)
                looked += 1
                if got != want:
                    different.append((vars(job), rank, lane, column, hex(got), hex(want)))
        left -= count
    assert not different, f"{len(different)} of {looked}: {different[0]}"
    assert looked >= CELLS * PRODUCTS // len(FORMS)
