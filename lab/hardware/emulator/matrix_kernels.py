# SPDX-License-Identifier: Apache-2.0
"""matrix_kernels.py TMA [--count N] [--seed S] [--jobs J] [--only REGEX] [--no-gpu]: each form of mma, mma.sp, wgmma and
wgmma.sp in tests/vectors/mma_forms.ptx.gz on new operands, by a GPU and by tma emulate: the same bits?

Needs Python with NumPy and the driver (libcuda.so.1). All forms of the same types together make at least N results (registers
are counted; one of f16 pairs counts twice). Each CTA draws its operands in one of eight ways. Prints a line for each form that
is different and one for each group of types; exit status 1: something is different. --no-gpu: tma emulate alone, in two
halves, which must agree (to try this program).
"""
import argparse
import collections
import concurrent.futures
import ctypes
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

import numpy as np
from scalar_kernels import Driver

VECTORS = pathlib.Path(__file__).resolve().parents[3] / "tests" / "vectors"
LINE = re.compile(r"^(\w+) threads=(\d+) in=(\S+) out=(\d+)", re.M)
FORMATS = {"h": (16, 5, 10), "b": (16, 8, 7), "t": (32, 8, 23), "8": (8, 4, 3), "5": (8, 5, 2), "d": (64, 11, 52)}
PAIRS = np.array([4, 8, 9, 12, 13, 14], np.uint32) # of four places the two that are chosen
WAYS = 8
AT_ONCE_B = 1 << 25


class Form:
    def __init__(self, name, threads, kinds, out, text):
        self.name, self.threads, self.out = name, int(threads), int(out)
        self.kinds = [(word[0], int(word[2:])) for word in kinds.split(",")]
        self.words = sum(number for _, number in self.kinds)
        self.types = re.sub(r"_(n\d+|m\d+n\d+)?k\d+_|_(ra|t\d\d|neg\d\d|d0|swizzle\d|base\d|sel\d|row_\w\w\w|col_\w\w\w)(?=_|$)", "_",
                            name).strip("_")
        each_word = 2 if name.split("_")[2:3] == ["f16"] else 0.5 if kinds[0] == "d" else 1
        self.results = int(self.threads * self.out * each_word)
        self.text = text


def many(text, form):
    """Its kernel for a grid: each CTA has its own part of `in` and `out`."""
    before = "\tld.param.u64 %rd1, [out];\n"
    assert text.count(before) == 1
    own = (f"\t{{ .reg .b32 %cta; mov.u32 %cta, %ctaid.x; mad.wide.u32 %rd0, %cta, {4 * form.threads * form.words}, %rd0; "
           f"mad.wide.u32 %rd1, %cta, {4 * form.threads * form.out}, %rd1; }}\n")
    return text.replace(before, before + own)


def forms(only):
    with gzip.open(VECTORS / "mma_forms.ptx.gz", "rt") as file:
        head, *kernels = re.split(r"(?=^\.visible \.entry )", file.read(), flags=re.M)
    by_name = {re.match(r"\.visible \.entry (\w+)", kernel)[1]: kernel for kernel in kernels}
    with gzip.open(VECTORS / "mma_forms.txt.gz", "rt") as file:
        rows = LINE.findall(file.read())
    for name, threads, kinds, out in rows:
        if name.startswith(("mma", "wgmma")) and re.search(only, name):
            form = Form(name, threads, kinds, out, "")
            form.text = head + many(by_name[name], form)
            yield form


def elements(r, way, kind, shape):
    """Random elements of a format, in an array of CTAs by words of threads; way: one for each CTA."""
    bits, exponent, mantissa = FORMATS[kind]
    dtype = np.dtype(f"u{bits // 8}")
    ctas, words = shape
    each = words * 32 // bits
    any_bits = np.frombuffer(r.bytes(ctas * each * dtype.itemsize), dtype).reshape(ctas, each)
    top = (1 << exponent) - 1
    draw = np.frombuffer(r.bytes(ctas * each * 2), np.uint16).reshape(ctas, each).astype(np.int64)
    width = r.integers(1, max(2, min(top, 12)), (ctas, 1))
    low = (r.random((ctas, 1)) * (top - width)).astype(np.int64)
    way = way[:, None]
    low = np.select([way == 0, way == 3, way == 4], [top // 2 - 2, 0, top - width + 1], low)
    low = np.where((way == 7) & (kind != "t"), np.maximum(top // 2 - 8 + draw[:, :1] % 12, 0), low)
    width = np.where(way == 0, 4, width)
    field = np.clip(low + draw % width, 0, top).astype(np.uint64)
    fraction = any_bits.astype(np.uint64) & ((1 << mantissa) - 1)
    fraction = np.where((way == 6) & (draw >> 12 < 8), np.uint64(1) << (draw % mantissa).astype(np.uint64), fraction) & ((1 << mantissa) - 1)
    sign = any_bits.astype(np.uint64) >> np.uint64(bits - 1)
    sign = np.where((way == 2) & (draw[:, :1] & 1 == 1), 0, sign)
    made = sign << np.uint64(bits - 1) | field << np.uint64(mantissa) | fraction
    made = np.where(way == 1, any_bits.astype(np.uint64), made)
    zero = (way == 5) & (draw >> 8 < 100)
    made = np.where(zero, made & (np.uint64(1) << np.uint64(bits - 1)), made)
    special = (way == 5) & (draw & 255 < 3)
    made = np.where(special, made | np.uint64(top << mantissa), made)
    return np.ascontiguousarray(made.astype(dtype)).view(np.uint32)


def operands(r, form, ctas):
    way = np.arange(ctas) % WAYS
    parts = []
    for kind, number in form.kinds:
        words = number * form.threads
        if kind in FORMATS:
            parts.append(elements(r, way, kind, (ctas, words)))
            continue
        any_words = np.frombuffer(r.bytes(4 * ctas * words), np.uint32).reshape(ctas, words)
        if kind in "mM":
            choice = np.zeros((ctas, words), np.uint32)
            for i in range(8):
                byte = any_words >> np.uint32(4 * i) & np.uint32(255)
                one = np.where(byte & 1, 14, 4) if kind == "M" else PAIRS[byte % 6]
                choice |= one.astype(np.uint32) << np.uint32(4 * i)
            any_words = choice
        elif kind == "i": # in some CTAs most bytes are at the ends of their range
            ends = np.where(any_words & 1, np.uint32(0x80808080), np.uint32(0x7f7f7f7f))
            any_words = np.where((way[:, None] % 4 == 1) & (any_words & 6 > 0), ends, any_words)
        parts.append(any_words)
    return np.concatenate(parts, axis=1)


class Gpu(Driver):
    def __init__(self):
        super().__init__()
        self.given, self.left = self.allocate(AT_ONCE_B), self.allocate(AT_ONCE_B)
        self.context, self.lock = ctypes.c_void_p(), threading.Lock()
        self.call("cuCtxGetCurrent", ctypes.byref(self.context))

    def products(self, form, given):
        with self.lock:
            self.call("cuCtxSetCurrent", self.context)
            return self.run_many(form, given)

    def run_many(self, form, given):
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        out = np.zeros((len(given), form.threads * form.out), np.uint32)
        self.call("cuModuleLoadData", ctypes.byref(module), form.text.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, form.name.encode())
        self.call("cuMemcpyHtoD_v2", self.given, given.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(given.nbytes))
        pointers = (ctypes.c_void_p * 2)(ctypes.addressof(self.given), ctypes.addressof(self.left))
        self.call("cuLaunchKernel", function, len(given), 1, 1, form.threads, 1, 1, 0, None, pointers, None)
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", out.ctypes.data_as(ctypes.c_void_p), self.left, ctypes.c_size_t(out.nbytes))
        self.call("cuModuleUnload", module)
        return out


def emulated(tma, form, given, folder):
    base = pathlib.Path(folder) / form.name
    ptx, bytes_in, bytes_out = (base.with_suffix(end) for end in (".ptx", ".in", ".out"))
    ptx.write_text(form.text)
    bytes_in.write_bytes(given.tobytes())
    words = [tma, "emulate", ptx, f"--kernel={form.name}", f"--grid={len(given)}", f"--block={form.threads}", f"--param=in={bytes_in}",
             f"--param=out=zeros:{4 * len(given) * form.threads * form.out}", f"--save=out={bytes_out}", "--no-order", "--no-static"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{form.name}: tma emulate ended with {done.returncode}: {done.stdout[-300:]}{done.stderr[-300:]}")
    left = np.fromfile(bytes_out, np.uint32).reshape(len(given), -1)
    for file in (ptx, bytes_in, bytes_out):
        file.unlink()
    return left


def parts(form, results):
    """Numbers of CTAs, each of which fits in AT_ONCE_B."""
    ctas = max(WAYS, -(-results // form.results))
    most = AT_ONCE_B // (4 * form.threads * max(form.words, form.out))
    return [min(most, ctas - at) for at in range(0, ctas, most)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tma", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--no-gpu", action="store_true")
    args = parser.parse_args()
    chosen = list(forms(args.only))
    alike = collections.Counter(form.types for form in chosen)
    sums = collections.defaultdict(lambda: [0, 0])
    gpu = None if args.no_gpu else Gpu()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:

        def judge(form, number, ctas):
            """(form, CTAs compared, words that differ, what is said of the first)."""
            r = np.random.default_rng([args.seed, number, *form.name.encode()])
            given = operands(r, form, ctas)
            one = pathlib.Path(folder) / f"{form.name}_{number}"
            one.mkdir()
            here = emulated(args.tma, form, given, one)
            if gpu is None:
                here, there = here[ctas // 2:], emulated(args.tma, form, given[ctas // 2:], one)
            else:
                there = gpu.products(form, given)
            wrong = here != there
            if not wrong.any():
                return form, len(here), 0, None
            cta, word = np.argwhere(wrong)[0]
            return form, len(here), int(wrong.sum()), (
                f"different: {form.name}: {int(wrong.sum())} of {wrong.size} words, the first in CTA {cta} (drawn in way {cta % WAYS}), "
                f"word {word}: 0x{here[cta, word]:08x} here, 0x{there[cta, word]:08x} there")

        work = [pool.submit(judge, form, number, ctas) for form in chosen
                for number, ctas in enumerate(parts(form, -(-args.count // alike[form.types])))]
        for future in concurrent.futures.as_completed(work):
            form, ctas, wrong, said = future.result()
            sums[form.types][0] += ctas * form.results
            sums[form.types][1] += wrong
            if said:
                print(said, flush=True)
    for types, (results, wrong) in sorted(sums.items()):
        print(f"{types}: {results:,} results, {wrong} words different")
    print(f"{len(chosen)} forms, {sum(n for n, _ in sums.values()):,} results, {sum(w for _, w in sums.values())} words different")
    return 0 if chosen and all(wrong == 0 for _, wrong in sums.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
