# SPDX-License-Identifier: Apache-2.0
"""What the registers of an instruction hold, in names: the machine code of ptxas, executed bit by bit on a
launch whose parameters are letters. What is not known here is an error, not a guess."""
import re

ZERO = ("URZ", "RZ")
REGISTER = re.compile(r"(U?R)(\d+)")
# Opcodes that take no part: stacks, the loop that ptxas puts around an instruction for each thread, the end.
APART = re.compile(r"(ELECT|PLOP3|UPLOP3|NOP|BRA|EXIT)\b")


HALVES = ("mask", "o0", "o1", "o2")  # parameters of 16 bits


class Unknown(ValueError):
    pass


class Code:
    """Parameters: {offset in the constant bank: name}, four bytes each; 64 bits are NAME.lo and NAME.hi."""

    def __init__(self, parameters):
        self.parameters = parameters
        self.registers = {}

    def constant(self, text, words, half):
        at = int(re.fullmatch(r"c\[0x0\]\[(0x[0-9a-f]+)\]", text)[1], 16)
        found = []
        for i in range(words):
            name = self.parameters.get(at + 4 * i)
            bits = [(name, bit) if name else ("c", at + 4 * i, bit) for bit in range(32)]
            found.append(bits[:16] + [0] * 16 if half else bits)
        return found

    def value(self, text):
        text = text.removesuffix(".reuse")
        if text in ZERO:
            return [0] * 32
        if re.fullmatch(r"-?0x[0-9a-f]+|-?\d+", text):
            return [int(text, 0) >> bit & 1 for bit in range(32)]
        if text not in self.registers:
            raise Unknown(text)
        return self.registers[text]

    def put(self, register, words):
        kind, number = REGISTER.fullmatch(register).groups()
        for i, word in enumerate(words):
            self.registers[f"{kind}{int(number) + i}"] = word

    def sum_of(self, operands):
        """Of three words; predicates are carries, which the name of a high word leaves out."""
        words = [w for w in (self.value(x) for x in operands if not re.match("!?P", x)) if any(w)]
        while len(words) > 1:
            words[:2] = [total(words[1], words[0])]
        return words[0] if words else [0] * 32

    def step(self, op, operands):
        """An instruction that fills registers; False if it does something else."""
        if APART.match(op):
            return True
        if op in ("S2R", "S2UR"):
            self.put(operands[0], [letters(operands[1].removeprefix("SR_"))])
        elif op.startswith("HFMA2") and operands[1:3] == ["-RZ", "RZ"] and operands[3:] == ["0", "0"]:
            self.put(operands[0], [[0] * 32])
        elif op.startswith("IMAD.SHL"):
            by, word = int(operands[2], 16).bit_length() - 1, self.value(operands[1])
            self.put(operands[0], [[0] * by + word[:32 - by]])
        elif op == "VOTEU.ANY":
            self.put(operands[0], [letters("threads")])
        elif op == "UPOPC":
            self.put(operands[0], [letters(f"popc({words_of(self.value(operands[1]))})")])
        elif op == "UIMAD" and operands[3] == "URZ":
            self.put(operands[0], [letters(" * ".join(words_of(self.value(x)) for x in operands[1:3]))])
        elif op == "IMAD.U32":
            by, a = int(operands[2], 16).bit_length() - 1, self.value(operands[1])
            self.put(operands[0], [total([0] * by + a[:32 - by], self.value(operands[3]))])
        elif op in ("IADD3", "IADD3.X"):
            self.put(operands[0], [self.sum_of(operands[1:])])
        elif re.match(r"U?LDC|LDCU", op):
            words = 4 if ".128" in op else 2 if ".64" in op else 1
            self.put(operands[0], self.constant(operands[1], words, ".U16" in op))
        elif op in ("MOV", "UMOV", "R2UR"):
            self.put(operands[0], [self.value(operands[1])])
        elif op in ("UPRMT", "PRMT"):
            a, b = self.value(operands[1]), self.value(operands[3])
            select, eight = int(operands[2], 16), a + b
            picks = [select >> 4 * i & 7 for i in range(4)]
            self.put(operands[0], [[bit for p in picks for bit in eight[8 * p:8 * p + 8]]])
        elif op in ("USHF.R.U32.HI", "SHF.R.U32.HI"):
            by, word = int(operands[2], 16), self.value(operands[3])
            self.put(operands[0], [word[by:] + [0] * by])
        elif op in ("USHF.L.U32", "SHF.L.U32"):
            by, word = int(operands[2], 16), self.value(operands[1])
            self.put(operands[0], [[0] * by + word[:32 - by]])
        elif op in ("ULEA", "LEA"):
            by, high, low = int(operands[3], 16), self.value(operands[1]), self.value(operands[2])
            self.put(operands[0], [total([0] * by + high[:32 - by], low)])
        elif op == "UIADD3" and operands[-1] == "URZ":
            a, b = (x for x in operands[1:-1] if x != "UPT")
            less = self.value(a[1:]) if a.startswith("-") else None
            self.put(operands[0], [letters(f"{words_of(self.value(b))} - {words_of(less)}") if less else
                                   total(self.value(a), self.value(b))])
        elif op in ("ULOP3.LUT", "LOP3.LUT"):
            self.put(operands[0], [logic(*(self.value(x) for x in operands[1:4]), int(operands[4], 16))])
        else:
            return False
        return True


def letters(name):
    return [(name, bit) for bit in range(32)]


def total(a, b):
    """A sum: of words that share no bit it is both."""
    if all(0 in pair for pair in zip(a, b)):
        return [x or y for x, y in zip(a, b)]
    return letters(" + ".join(f"({w})" if " <<" in w else w for w in (words_of(b), words_of(a))))


def logic(a, b, c, table):
    """LOP3 where at most one of three bits is a letter and the result is it, or a number."""
    out = []
    for bits in zip(a, b, c):
        letters = {x for x in bits if not isinstance(x, int)}
        if len(letters) > 1:
            raise Unknown("LOP3 of two letters")
        results = []
        for letter in (0, 1):
            i = sum((letter if not isinstance(x, int) else x) << (2 - n) for n, x in enumerate(bits))
            results.append(table >> i & 1)
        if results == [0, 1]:
            out.append(letters.pop())
        elif results[0] == results[1]:
            out.append(results[0])
        else:
            raise Unknown("LOP3 turns a letter over")
    return out


def words_of(bits):
    """One register in words: "c0", "size[19:4]", "o0[7:0] | o1[7:0] << 8", "0x10"."""
    parts, i = [], 0
    if all(isinstance(bit, int) for bit in bits):
        return hex(sum(bit << n for n, bit in enumerate(bits)))
    while i < 32:
        if bits[i] in (0, 1):
            if bits[i]:
                parts.append((hex(1 << i), 0))
            i += 1
            continue
        name, first = bits[i][:-1], bits[i][-1]
        end = i
        while end < 32 and bits[end] == (*name, first + end - i):
            end += 1
        part = f"{name[0]}" if len(name) == 1 else f"c[{name[1]:#x}]"
        whole = 16 if part in HALVES else 32
        if " " in part and (first or i or end < 32):
            part = f"({part})"
        if first or min(end, whole + i) < 32 and end - i < whole:
            part += f"[{first + end - i - 1}:{first}]"
        parts.append((part, i))
        i = end
    return " | ".join(p if not at else f"{p} << {at}" for p, at in parts)


def together(words):
    """NAME.lo and NAME.hi are NAME."""
    out = []
    for word in words:
        if out and word.endswith(".hi") and out[-1] == word[:-3] + ".lo":
            out[-1] = word[:-3]
        else:
            out.append(word)
    return out


def is_parameter(code, word):
    return word.removesuffix(".lo").removesuffix(".hi") in {p.split(".")[0] for p in code.parameters.values()}


def register_words(code, register, many, bases):
    """What a register holds, and those behind it."""
    kind, number = REGISTER.match(register).groups()
    held = []
    for i in range(many):
        name = f"{kind}{int(number) + i}"
        word = words_of(code.registers[name]) if name in code.registers else ""
        if i and (name in bases or not is_parameter(code, word)):
            break
        held.append(word or name)
    return ", ".join(together(held))


def operand_words(code, op, operand, bases):
    """An operand with its registers in names. A uniform register in brackets begins a row of them."""
    if op.endswith("EXCH.64") and re.fullmatch(r"UR\d+", operand):
        return "{" + ", ".join(words_of(code.value(f"UR{int(operand[2:]) + i}")) for i in (0, 1)) + "}"
    found = re.findall(r"\bU?R\d+", operand)
    many = 2 if operand.startswith("desc[") or ".64" in operand else 1
    if operand.startswith("[UR") and len(found) == 1:
        many = 8
    said = {r: register_words(code, r, many, bases) for r in found}
    if len(found) > 1:
        said = {r: f"({word})" if " " in word else word for r, word in said.items()}
        operand = operand.replace("+", " + ")
    return re.sub(r"\b(U?R\d+)(?:\.64)?(?:\.reuse)?", lambda m: said[m[1]], operand)


def named(lines, parameters):
    """The instructions that are no moves between registers, their operands in names, and whether they stand in a
    loop over the threads. A branch around a call is taken."""
    code, out, loop, to = Code(parameters), [], False, None
    calls = any(" CALL." in f" {line}" for line in lines)
    for line in lines:
        if to:
            to = None if line == to + ":" else to
            continue
        m = re.fullmatch(r"(?:@!?U?P\w+ )?([A-Z0-9_.]+)\s*(.*?) ?;", line)
        if not m:
            continue
        op, rest = m.groups()
        if calls and op.startswith("BRA") and "P" in line:
            calls, to = False, re.search(r"\.L_x_\d+", line)[0]
            continue
        operands = re.split(r"\s*,\s*(?![^\[]*\])", rest) if rest else []
        loop |= op == "ELECT"
        try:
            if code.step(op, operands) or calls:
                continue
        except Unknown:
            if calls:
                continue  # of what the branch hangs on
            raise
        bases = {r[0] for r in (re.search(r"U?R\d+", o) for o in operands) if r}
        out.append(" ".join([op, ", ".join(operand_words(code, op, o, bases) for o in operands)]).strip())
    return out, loop
