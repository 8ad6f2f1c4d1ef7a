# SPDX-License-Identifier: Apache-2.0
"""The machine code that ptxas makes of one edit of a map, executed on 128 bytes: the straight line of 32-bit
instructions that nvdisasm prints. What is not known here is an error, not a guess."""
import re
import struct
import subprocess

M32 = 0xFFFFFFFF
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+([A-Z0-9_.]+)\s*(.*?)\s*;")
PARAMETERS = "(.param .u64 map, .param .u64 y, .param .u32 r, .param .u32 s)"
HEAD = ".version {}\n.target {}\n.address_size 64\n"
BEGIN = """.visible .entry k{}{} {{ .reg .b64 %rd<9>; .reg .b32 %r<9>;
ld.param.u64 %rd5, [map]; cvta.to.global.u64 %rd4, %rd5; ld.param.u64 %rd3, [y];
ld.param.u32 %r3, [r]; ld.param.u32 %r1, [s];
"""
END = "ret; }\n"
MAP = 0x700000000  # of the map, in the launch that is executed


def asked(ptxas, target, text, output):
    return subprocess.run([ptxas, f"-arch={target}", "-o", output, "-"], input=text, capture_output=True, text=True)


def accepted(ptxas, target, version, statements):
    """Which statements ptxas takes, all in one kernel; none where it has no such target in this version."""
    text = HEAD.format(version, target) + BEGIN.format(0, PARAMETERS) + "\n".join(statements) + "\n" + END
    done = asked(ptxas, target, text, "/dev/null")
    said = done.stdout + done.stderr
    first = (HEAD + BEGIN).count("\n") + 1
    refused = {int(n) - first for n in re.findall(r"line (\d+); (?:error|fatal)", said)}
    if done.returncode and (not refused or min(refused) < 0):
        return []
    return [i for i in range(len(statements)) if i not in refused]


def compiled(ptxas, nvdisasm, target, version, statements, folder):
    """The machine code of each statement that ptxas takes: {index: [(opcode, operands)]}."""
    taken = accepted(ptxas, target, version, statements)
    if not taken:
        return {}
    cubin = folder / "edit.cubin"
    text = HEAD.format(version, target) + "".join(
        BEGIN.format(i, PARAMETERS) + statements[i] + "\n" + END for i in taken)
    done = asked(ptxas, target, text, cubin)
    if done.returncode:
        raise ValueError(done.stderr)
    said = subprocess.run([nvdisasm, "-c", cubin], capture_output=True, text=True, check=True).stdout
    code = {}
    for kernel, body in re.findall(r"\.section\s+\.text\.k(\d+),(.*?)(?=\.section|\Z)", said, re.S):
        code[int(kernel)] = [(op, re.split(r"\s*,\s*(?![^\[]*\])", rest) if rest else [])
                             for op, rest in INSTRUCTION.findall(body)]
    return code


def half(text):
    return struct.unpack("<H", struct.pack("<e", float(text)))[0]


class Run:
    """Registers, the launch's parameters, and the map at MAP."""

    def __init__(self, data, y, r):
        self.map, self.y, self.r = bytearray(data), y, r
        self.regs = {}

    def value(self, text):
        text = text.removesuffix(".reuse")
        if text in ("RZ", "URZ", "PT", "!PT", "-RZ"):
            return 0
        if re.fullmatch(r"-?0x[0-9a-f]+", text):
            return int(text, 16) & M32
        if text.startswith("c["):
            return self.constant(text, 4)
        return self.regs[text]

    def constant(self, text, size):
        """A word of the constant bank: parameters begin at 0x210 (sm_90) or 0x380 (sm_100 and newer)."""
        offset = int(re.fullmatch(r"c\[0x0\]\[(0x[0-9a-f]+)\]", text)[1], 16)
        base = 0x210 if offset < 0x300 else 0x380
        params = struct.pack("<QQII", MAP, self.y, self.r, 0)
        if not base <= offset < base + len(params):
            return 0  # descriptors, stacks
        return int.from_bytes(params[offset - base:offset - base + size], "little")

    def put(self, register, value, words=1):
        name, number = re.fullmatch(r"(U?R)(\d+)", register).groups()
        for i in range(words):
            self.regs[f"{name}{int(number) + i}"] = value >> 32 * i & M32

    def place(self, text):
        """The map's byte that an address names, global or shared (where the map lies at 0)."""
        m = re.search(r"\[(U?R(\d+))(?:\.64)?(?:\+(0x[0-9a-f]+))?\]$", text)
        base = self.regs[m[1]]
        if ".64" in text:
            base |= self.regs[f"R{int(m[2]) + 1}"] << 32
            base -= MAP
        at = base + int(m[3] or "0", 16)
        if not 0 <= at <= 124:
            raise ValueError(f"{text}: outside of the map")
        return at

    def step(self, op, o):
        if op in ("NOP", "BRA", "EXIT"):
            return
        if op.startswith(("LDC", "ULDC", "LDCU")):
            wide = op.endswith(".64")
            self.put(o[0], self.constant(o[1], 8 if wide else 4), 2 if wide else 1)
        elif op in ("LDG.E", "LDS"):
            at = self.place(o[1])
            self.put(o[0], int.from_bytes(self.map[at:at + 4], "little"))
        elif op in ("STG.E", "STS", "STG.E.64", "STS.64"):
            at, number = self.place(o[0]), int(re.sub(r"\D", "", o[1].removesuffix(".reuse")) or 255)
            for i in range(2 if op.endswith(".64") else 1):
                word = 0 if o[1] == "RZ" else self.regs[f"R{number + i}"]
                self.map[at + 4 * i:at + 4 * i + 4] = word.to_bytes(4, "little")
        elif op in ("STG.E.U8", "STS.U8"):
            self.map[self.place(o[0])] = self.value(o[1]) & 0xFF
        else:
            self.put(o[0], self.result(op, o[1:]))

    def result(self, op, o):
        v = [] if op.startswith("HFMA2") else [self.value(x) for x in o]
        if op.startswith("HFMA2"):
            return half(o[2]) << 16 | half(o[3])
        if op in ("MOV", "UMOV"):
            return v[0]
        if op in ("IADD", "VIADD", "IADD3"):
            return sum(v) & M32
        if op in ("IMAD.MOV.U32", "IMAD.SHL.U32", "IMAD.U32", "IMAD.IADD"):
            return (v[0] * v[1] + v[2]) & M32 if op != "IMAD.IADD" else (v[0] + v[2]) & M32
        if op == "SHF.L.U32":
            return v[0] << v[1] & M32
        if op == "SHF.R.U32.HI":
            return v[2] >> v[1]
        if op == "SHF.R.U64":
            return (v[2] << 32 | v[0]) >> v[1] & M32
        if op == "LOP3.LUT":
            return sum((v[3] >> (4 * (v[0] >> i & 1) + 2 * (v[1] >> i & 1) + (v[2] >> i & 1)) & 1) << i
                       for i in range(32))
        raise ValueError(f"{op}: not known here")


def executed(code, data, y, r):
    """The 128 bytes after the edit."""
    run = Run(data, y, r)
    for op, operands in code:
        run.step(op, operands)
        if op == "EXIT":
            break
    return bytes(run.map)
