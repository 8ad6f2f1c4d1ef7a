# SPDX-License-Identifier: Apache-2.0
"""What ptxas leaves in the registers of tensor copies: constants in machine code, as nvdisasm prints it, followed from
instruction to instruction. Of a register that two ways bring other numbers to, or that an instruction writes which is not
known here, nothing is said."""
import json
import os
import re
import shutil
import struct
import subprocess

PTXAS = shutil.which(os.environ.get("PTXAS") or "ptxas")
NVDISASM = os.environ.get("NVDISASM") or shutil.which("nvdisasm")
COPY = re.compile(r"(?:@!?\s*[\w%$]+\s+)?cp\.(?:reduce\.)?async\.bulk\.(?:prefetch\.)?tensor\b")
INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(@!?U?P\w+\s+)?([A-Z0-9_.]+)\s*(.*?)\s*;")
REGISTER = re.compile(r"(U?R)(\d+)(?:\.\w+)*")
BEFORE = {"UTMALDG": 2, "UTMASTG": 1, "UTMAREDG": 1, "UTMAPF": 0}  # registers before the coordinates
ONE_RESULT = set("""UMOV MOV IMAD.MOV.U32 IMAD.U32 UIADD3 IADD3 VIADD HFMA2 HFMA2.MMA R2UR S2R S2UR ULEA LEA LOP3.LUT ULOP3.LUT
    IMAD UIMAD SHF.L.U32 USHF.L.U32 SEL USEL LDC ULDC LDCU LDS LDG.E IMAD.IADD IMAD.SHL.U32 SHF.R.U32.HI SHF.R.S32.HI
    USHF.R.U32.HI USHF.R.S32.HI VOTEU.ALL VOTEU.ANY""".split())
MOST_RESULTS = 16  # registers that any other instruction may write
M32 = 0xFFFFFFFF


def value(state, text):
    if re.fullmatch(r"-?0x[0-9a-f]+", text):
        return int(text, 16) & M32
    if text in ("RZ", "URZ"):
        return 0
    m = REGISTER.fullmatch(text)
    return state.get(m[1] + m[2]) if m and text.removesuffix(".reuse") == m[1] + m[2] else None


def half(text):
    try:
        return struct.unpack("<H", struct.pack("<e", float(text)))[0]
    except (ValueError, OverflowError):
        return None


def result(op, operands, state):
    """The constant that an instruction gives, or None."""
    known = [value(state, o) for o in operands]
    if op in ("UMOV", "MOV", "R2UR") and len(known) == 1:
        return known[0]
    if op in ("IMAD.MOV.U32", "IMAD.U32") and len(known) == 3:
        return None if None in known else (known[0] * known[1] + known[2]) & M32
    if op in ("UIADD3", "IADD3", "VIADD"):
        return None if None in known else sum(known) & M32
    if op.startswith("HFMA2") and len(operands) == 4 and operands[0] in ("RZ", "-RZ") and operands[1] == "RZ":
        high, low = half(operands[2]), half(operands[3])
        return None if high is None or low is None else high << 16 | low
    return None


def written(op, operands):
    """Registers that an instruction may write."""
    for operand in operands[:2]:
        m = REGISTER.fullmatch(operand)
        if m:
            return [f"{m[1]}{int(m[2]) + i}" for i in range(1 if op in ONE_RESULT else MOST_RESULTS)]
    return []


def functions(text):
    """{function: [label | (guard, opcode, operands, line, text)]}"""
    out, now, line = {}, None, None
    for row in text.split("\n"):
        m = re.match(r"\s*\.section\s+\.text\.(\S+?),", row)
        if m:
            now, line = out.setdefault(m[1], []), None
        m = re.search(r'//## File ".*", line (\d+)', row)
        line = int(m[1]) if m else line
        m = re.match(r"(\.L_x_\d+):", row)
        if m and now is not None:
            now.append(m[1])
        m = INSTRUCTION.search(row)
        if m and now is not None:
            operands = re.split(r"\s*,\s*(?![^\[]*\])", m[3]) if m[3] else []
            now.append(((m[1] or "").strip(), m[2], operands, line, m[3]))
    return out


def stepped(item, state):
    guard, op, operands, _, _ = item
    after = dict(state)
    registers = written(op, operands)
    known = None if guard or len(registers) != 1 else result(op, operands[1:], state)
    for r in registers:
        after.pop(r, None)
    if known is not None:
        after[registers[0]] = known
    return {} if op.startswith(("CALL", "RET")) else after


def states(items):
    """What registers hold before each item."""
    labels = {x: i for i, x in enumerate(items) if isinstance(x, str)}
    before = [None] * (len(items) + 1)
    work = []

    def flow(to, state):
        new = state if before[to] is None else {k: v for k, v in before[to].items() if state.get(k) == v}
        if before[to] is None or new != before[to]:
            before[to] = new
            work.append(to)
    flow(0, {})
    if any(not isinstance(x, str) and x[1].startswith(("BRX", "JMX", "CALL", "RET")) for x in items):
        for i in labels.values():
            flow(i, {})  # who comes here is not followed
    while work:
        i = work.pop()
        if i == len(items):
            continue
        if isinstance(items[i], str):
            flow(i + 1, before[i])
            continue
        guard, op, operands, _, text = items[i]
        after = stepped(items[i], before[i])
        for label in re.findall(r"`\((\.L_x_\d+)\)", text):
            if label in labels:
                flow(labels[label], after)
        always = not guard and (op == "EXIT" or (op in ("BRA", "BRA.U") and len(operands) == 1))
        if not always:
            flow(i + 1, after)
    return before


def copies(text):
    """(line, [coordinates or None]) of each tensor copy that nvdisasm printed."""
    for items in functions(text).values():
        before = states(items)
        for x, state in zip(items, before):
            op = "" if isinstance(x, str) else x[1]
            rank = re.search(r"\.(\d)D", op)
            first = BEFORE.get(op.split(".")[0])
            register = re.search(r"\[UR(\d+)\]", x[4]) if op else None
            if rank and first is not None and register and state is not None:
                at = int(register[1]) + first
                yield x[3], [state.get(f"UR{at + i}") for i in range(int(rank[1]))]


def relined(text):
    """Each copy says its line of the file as its source line; nothing else says one."""
    text = re.sub(r"(?m)^\s*\.(?:loc|file)\b[^\n]*", "", text)
    text = re.sub(r"\.section[^{]*\{[^}]*\}", lambda m: "\n" * m[0].count("\n"), text)
    text = "\n".join(COPY.sub(lambda m, n=n: f"\n.loc 1 {n} 0\n{m[0]}", line) for n, line in enumerate(text.split("\n"), 1))
    text = re.sub(r"(\.target[^\n]*),\s*debug", r"\1", text, count=1)
    return text.replace(".address_size 64", '.address_size 64\n.file 1 "k"', 1)


class Count:
    def __init__(self):
        self.copies = self.constants = self.equal = 0
        self.different = []


def hold(path, tma, folder, count, arch="sm_90a"):
    """Holds the constants that `tma ptx` knows in a file against those of ptxas's machine code."""
    done = subprocess.run([tma, "ptx", "--json", path], capture_output=True, text=True)
    own = {}
    for x in json.loads(done.stdout)["instructions"]:
        own.setdefault(x["line"], []).append(x.get("coord"))
    source, cubin = folder / "relined.ptx", folder / "relined.cubin"
    source.write_text(relined(path.read_text()))
    subprocess.run([PTXAS, "-lineinfo", f"-arch={arch}", "-c", source, "-o", cubin], check=True)
    code = subprocess.run([NVDISASM, "-g", "-c", cubin], capture_output=True, text=True, check=True).stdout
    for line, theirs in copies(code):
        count.copies += 1
        if len(own.get(line, [])) != 1 or own[line][0] is None:
            continue
        for i, (a, b) in enumerate(zip(own[line][0], theirs)):
            count.constants += b is not None
            count.equal += b is not None and a is not None and a & M32 == b
            if a is not None and b is not None and a & M32 != b:
                count.different.append(f"{path.name}:{line}: coordinate {i} is {a}, in the machine code {b}")
