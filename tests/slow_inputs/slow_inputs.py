# SPDX-License-Identifier: Apache-2.0
"""slow_inputs.py TARGET SEED COUNT: looks for inputs that take the command long. It makes texts by a grammar (pieces, repeated,
nested, with names that are alike or not), scores each, and changes those that score highest. It prints what scores higher
than all before.

The score is how instructions for each byte grow from a text of SMALL_B to one TIMES as long: 1 is in proportion to the text,
TIMES is quadratic. They are callgrind's, and like bytes of memory without those of an empty input. $TMA is the command,
build/tma unless set."""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

TMA = os.environ.get("TMA", "build/tma")
SMALL_B, TIMES = 100_000, 4
PTX_HEAD = """.version 8.6
.target sm_90a
.address_size 64
"""
ENTRY = (".visible .entry k(.param .u64 p) {{\n.reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %q<9>;\n.shared .align 128 .b8 s[4096];\n"
         "ld.param.u64 %q1, [p];\n{body}ret;\n}}\n")
RUN = ["emulate", "-", "--block=32", "--max-instructions=1000", "--no-static"]
MAP_LINES = ["0x{i:08x} 0x00000000 0x12345678 0xffffffff\n", "{i:02x} 00 ff 12 34 56 78 9a bc de f0 00 00 00 00 00\n", "0x7f{i:06x}: 0x00000001 0x00000002\n",
             "[{i}] = 0x1234,\n", "(gdb) x/32xw map{i}\n", "u32[{i}]=5 ", "\\x{i:02x}"]
# words of the command (FILE: in a file, else by standard input), pieces, what is put around pieces, the text around all
TARGETS = {
    "emulate": (RUN, ["add.s32 %r1, %r1, {i};\n", "L{u}: @%p1 bra L{u};\n", "st.shared.u32 [s+{i}], %r1;\n", "mov.b64 {{%r1, %r2}}, %q1;\n", "bar.sync 0;\n",
                      ".reg .b32 %a{u};\n", ".shared .b8 t{u}[4];\n", "call f, ();\n", "@%p1 trap;\n", "// {i}\n", ".loc 1 {i} 0\n",
                      "mbarrier.init.shared.b64 [s], {i};\n", "bra M{u};\nM{u}:\n", "@%p1 ret;\n"],
                [("{{\n", "}}\n"), ("N{u}:\n", "@%p1 bra N{u};\n"), ("@%p1 bra O{u};\n", "O{u}:\n"), ("", "bra.uni P{u};\ntrap;\nP{u}:\n")],
                lambda body: PTX_HEAD + ".func f() {ret;}\n" + ENTRY.format(body=body)),
    "module": (RUN, [".global .b8 g{u};\n", ".global .u64 h{u}[1] = {{g}};\n", ".func f{u}() {{ret;}}\n", ".extern .func e{i}();\n", ".visible .entry n{u}() {{ret;}}\n",
                     ".const .u32 c{u}[2] = {{{i}, {i}}};\n", ".shared .b8 s{u}[4];\n", ".file 1 \"a{i}\"\n", ".func d{u}() {{call f, (); ret;}}\n", ".alias a{u}, f;\n"],
               [(".func w{u}() {{ call f, ();\n ret;}}\n", ""), (".section .debug {{ .b8 {i}\n", "}}\n")],
               lambda body: PTX_HEAD + ".global .b8 g;\n.func f() {ret;}\n" + body + ENTRY.format(body="")),
    "log": (["check", "-"], ["error: {i}\n", "cuTensorMapEncodeTiled(", "tensorDim = {{{i}, {i}}}\n", "globalStrides[{i}] = {u};", "map{u} = 0x{i:x}\n", "CUDA_ERROR_INVALID_VALUE ",
                             "\"text {i}\"", "// {i}\n", "/* ", " */", "f(x{u}, y{u});\n", "CUtensorMap m{u};\n", "const int a{u} = a{i} * 2;\n", "at 0x{i:x}\n", "\\\n", "'", ", ", "auto d{u} = b{u};\n",
                             "RuntimeError: CUDA error: an illegal memory access was encountered\n", "#define A{u} A{i}\n"] + MAP_LINES,
            [("(", ")"), ("{{", "}}"), ("[", "]"), ("cuTensorMapEncodeTiled(&m{u}, ", ");\n"), ("/*", "*/"), ("\"", "\"")], lambda body: body),
    "dump": (["decode", "-"], MAP_LINES, [("[", "]"), ("{{", "}}"), ("$1 = {{", "}}\n")], lambda body: body),
    "launch": (["emulate", "FILE"], ['{{"name": "n+{u}", "param": "{i}"}}, ', '{{"name": "n", "offset_B": {u}, "param": "{i}", "from": "invented"}}, ',
                                     '{{"name": "\\u00e9{i}", "param": "@n", "from": "invented"}}, ', '{{"name": "n", "from": "invented", "map": "--dim {i}"}}, '],
               [], lambda body: '{"schema": 1, "verb": "launch", "ptx": ' + json.dumps(PTX_HEAD + ENTRY.format(body="")) +
               ', "params": [' + body + '{"name": "p", "param": "zeros:64"}], "options": {"max_instructions": 1000}}'),
    "files": (["emulate", "FILE"], ['{{"path": "a{u}", "hex": "00"}}, ', '{{"path": "\\u00e9{i}", "hex": "0011223344556677"}}, '], [],
              lambda body: '{"schema": 1, "verb": "launch", "ptx": ' + json.dumps(PTX_HEAD + ENTRY.format(body="")) +
              ', "params": [{"name": "p", "param": "a1"}], "files": [' + body + '{"path": "a1", "hex": "0011"}], "options": {"max_instructions": 1000}}'),
}


class Writer:
    def __init__(self, alike):
        self.i = self.u = 0
        self.alike = alike  # so many names, then the first one again; 0: each its own

    def put(self, template):
        self.i += 1
        self.u = self.i % self.alike if self.alike else self.i
        return template.format(i=self.i % 100, u=self.u)

    def write(self, tree, left):
        """The tree's text, until so many bytes are full."""
        what, number, parts = tree
        if what == "piece":
            return self.put(parts)
        text, ends, spent = [], [], 0
        while number and spent < left:
            number -= 1
            if what == "nest":
                around = self.put(parts[0] + "\n~~\n" + parts[1]).split("\n~~\n")
                text.append(around[0])
                ends.append(around[1])
            for part in parts[2:] if what == "nest" else parts:
                text.append(self.write(part, left - spent))
                spent += len(text[-1])
            spent += 8
        return "".join(text + ends[::-1])


def text_of(target, tree, size_B):
    alike, root = tree
    w, body, left = Writer(alike), [], size_B
    while left > 0:
        body.append(w.write(root, left))
        left -= len(body[-1]) + 1
    return TARGETS[target][3]("".join(body))


def random_node(r, target, deep=3):
    _, pieces, around, _ = TARGETS[target]
    if not deep or r.random() < 0.3:
        return ("piece", 1, r.choice(pieces))
    parts = [random_node(r, target, deep - 1) for _ in range(r.randint(1, 3))]
    if around and r.random() < 0.5:
        return ("nest", r.choice([3, 30, 10**6]), [*r.choice(around), *parts])
    return ("repeat", r.choice([2, 20, 10**6]), parts)


def random_tree(r, target):
    return (r.choice([0, 0, 1, 7]), random_node(r, target))


def changed(r, target, tree):
    alike, (what, number, parts) = tree
    if what == "piece" or r.random() < 0.3:
        return random_tree(r, target)
    parts = list(parts)
    parts[r.randrange(2 if what == "nest" else 0, len(parts))] = random_node(r, target, 2)
    return (r.choice([alike, 0, 7]), (what, r.choice([number, 30, 10**6]), parts))


def command(target, text, folder):
    (folder / "x.launch").write_text(text)
    return [TMA, *(os.fspath(folder / "x.launch") if word == "FILE" else word for word in TARGETS[target][0])]


def instructions(target, text, folder):
    counted = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command(target, text, folder)],
                             input=text, capture_output=True, text=True, check=False)
    return int(re.search(r"Collected : (\d+)", counted.stderr)[1])


def memory_B(target, text, folder):
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); "
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")
    done = subprocess.run([sys.executable, "-c", code, *command(target, text, folder)], input=text, capture_output=True, text=True, check=True)
    return int(done.stdout)


def search(target, seed, count, folder):
    """Yields of each text: how instructions grow, instructions for each byte of the larger one, its bytes of memory for each
    byte, and its tree."""
    r = random.Random(seed)
    nothing = instructions(target, "", folder)
    nothing_B = memory_B(target, "", folder)
    best = []
    for _ in range(count):
        tree = changed(r, target, r.choice(best)[-1]) if best and r.random() < 0.6 else random_tree(r, target)
        texts = [text_of(target, tree, n) for n in (SMALL_B, TIMES * SMALL_B)]
        small, large = (max(instructions(target, text, folder) - nothing, 1) / len(text) for text in texts)
        found = (large / small, large, (memory_B(target, texts[1], folder) - nothing_B) / len(texts[1]), tree)
        best = sorted([*best, found], key=lambda f: -f[0])[:6]
        yield found


if __name__ == "__main__":
    slowest = 0
    with tempfile.TemporaryDirectory() as name:
        for grows, each, bytes_each, tree in search(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), pathlib.Path(name)):
            if grows > slowest:
                slowest = grows
                print(f"{grows:.2f} times as many instructions a byte in {TIMES} times the text, {each:.0f} each, {bytes_each:.0f} B of "
                      f"memory: {tree}", flush=True)
