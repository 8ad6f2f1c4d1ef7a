# SPDX-License-Identifier: Apache-2.0
"""scalar_kernels.py [--write FOLDER] [--raw FOLDER] [GROUP ...]: each form of
tests/emulator/scalar/scalar_*.def on a GPU, on the operands that the emulator's test takes, and the
sum of its results beside the table's. Needs Python and the driver (libcuda.so.1), nothing else.

Prints a line for each form that is different or that the driver refuses, and numbers at the end;
exit status 1: something is different. --raw writes GROUP.bin: of each form of the table in turn
2,048 times 16 bytes, %d and %p + 2 %q (zeros where it was refused). --write writes the kernels as
GROUP.ptx and runs nothing.
"""
import argparse
import array
import ctypes
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[3] / "tests" / "emulator" / "scalar"
sys.path.insert(0, str(TESTS))
import scalar_operands as operands
from scalar_operands import COUNT, bits_of

THREADS = 256
GROUPS = ("integers", "bits", "comparisons", "floats", "conversions", "videos") # and sm_100
HEAD = {"sm_100": ".version 9.0\n.target sm_100a\n.address_size 64\n"}
PLAIN_HEAD = ".version 9.0\n.target sm_90a\n.address_size 64\n"
ROW = re.compile(r'^FORM\((\w+), "(.*?)", "(\w*)", "([\w ]*)", (0x\w+)\)$', re.M)


def register_bits(kind):
    return 8 if kind == "e2m1x2" else max(16, bits_of(kind))


def kernel(name, text, result, kinds):
    """One entry: thread i takes operand k from 8 (k COUNT + i), and leaves 16 bytes at 16 i."""
    lines = [f".visible .entry {name}(.param .u64 from, .param .u64 to) {{",
             ".reg .b32 %i, %n, %j; .reg .b64 %from, %to, %wide; .reg .pred %p, %q;",
             "mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %j, %tid.x;",
             "mad.lo.u32 %i, %i, %n, %j;",
             "ld.param.u64 %from, [from]; ld.param.u64 %to, [to];",
             "mul.wide.u32 %wide, %i, 8; add.u64 %from, %from, %wide;",
             "mul.wide.u32 %wide, %i, 16; add.u64 %to, %to, %wide;",
             "setp.ne.u32 %p, %i, %i; setp.ne.u32 %q, %i, %i;"]
    for k, kind in enumerate(kinds):
        letter = "t" if kind == "pred" else "abce"[k]
        if kind == "pred":
            lines.append(f".reg .pred %t; ld.global.u32 %j, [%from+{8 * COUNT * k}]; "
                         "setp.ne.u32 %t, %j, 0;")
            continue
        bits = register_bits(kind)
        lines.append(f".reg .b{bits} %{letter}; ld.global.b{bits} %{letter}, "
                     f"[%from+{8 * COUNT * k}];")
    if result:
        lines.append(f".reg .b{register_bits(result)} %d, %f;")
    lines.append(text)
    if result:
        lines.append(f"st.global.b{register_bits(result)} [%to], %d;")
    if "%p" in text:
        lines.append("selp.u32 %i, 1, 0, %p; selp.u32 %j, 2, 0, %q; add.u32 %i, %i, %j; "
                     "st.global.u32 [%to+8], %i;")
    return "\n".join(lines + ["ret;", "}", ""])


class Driver:
    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.given = self.allocate(8 * 5 * COUNT)
        self.left = self.allocate(16 * COUNT)

    def call(self, name, *arguments):
        status = getattr(self.cuda, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: {status}")

    def allocate(self, size):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        return pointer

    def run(self, text, name, given):
        """The 16 bytes of each thread; RuntimeError: refused."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), text.encode() + b"\0")
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        data = given.tobytes()
        self.call("cuMemcpyHtoD_v2", self.given, data, ctypes.c_size_t(len(data)))
        self.call("cuMemsetD8_v2", self.left, ctypes.c_ubyte(0), ctypes.c_size_t(16 * COUNT))
        pointers = (ctypes.c_void_p * 2)(ctypes.addressof(self.given), ctypes.addressof(self.left))
        self.call("cuLaunchKernel", function, COUNT // THREADS, 1, 1, THREADS, 1, 1, 0, None,
                  pointers, None)
        self.call("cuCtxSynchronize")
        out = ctypes.create_string_buffer(16 * COUNT)
        self.call("cuMemcpyDtoH_v2", out, self.left, ctypes.c_size_t(16 * COUNT))
        self.call("cuModuleUnload", module)
        return out.raw


KEPT = {}


def given_of(kinds):
    numbers = array.array("Q")
    for k, kind in enumerate(kinds):
        if (kind, k) not in KEPT:
            KEPT[kind, k] = array.array("Q", (operands.value(kind, i, k) for i in range(COUNT)))
        numbers.extend(KEPT[kind, k])
    return numbers


def sum_of(raw, has_result, has_predicates):
    words = array.array("Q", raw)
    total = operands.EMPTY
    for i in range(COUNT):
        total = operands.fnv(total, words[2 * i] if has_result else 0)
        if has_predicates:
            total = operands.fnv(total, words[2 * i + 1])
    return total


def run(rows, raw):
    driver = Driver()
    counts = {"the same": 0, "different": 0, "refused": 0}
    files = {}
    for group, text, result, kinds, known in rows:
        try:
            out = driver.run(HEAD.get(group, PLAIN_HEAD) + kernel("k", text, result, kinds), "k",
                             given_of(kinds))
            total = sum_of(out, bool(result), "%p" in text)
            said = "the same" if total == known else "different"
        except RuntimeError as error:
            out, said = bytes(16 * COUNT), "refused"
            text += f" ({error})"
        counts[said] += 1
        files.setdefault(group, []).append(out)
        if said != "the same":
            print(f"{said}: {text}")
    for group, parts in files.items() if raw else ():
        (Path(raw) / f"{group}.bin").write_bytes(b"".join(parts))
    print(", ".join(f"{n} {word}" for word, n in counts.items()))
    return counts["different"] != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write")
    parser.add_argument("--raw")
    parser.add_argument("groups", nargs="*")
    asked = parser.parse_args()
    rows = [(m[1], m[2], m[3], m[4].split(), int(m[5], 16))
            for group in asked.groups or GROUPS
            for m in ROW.finditer((TESTS / f"scalar_{group}.def").read_text())]
    if not asked.write:
        return run(rows, asked.raw)
    files = {}
    for i, (group, text, result, kinds, _) in enumerate(rows):
        files.setdefault(group, [HEAD.get(group, PLAIN_HEAD)]).append(
            f"// {text}\n" + kernel(f"form_{i}", text, result, kinds))
    for group, parts in files.items():
        (Path(asked.write) / f"{group}.ptx").write_text("\n".join(parts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
