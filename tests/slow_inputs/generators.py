# SPDX-License-Identifier: Apache-2.0
"""Generators of inputs that are made to be slow, of any size, by grammar: pieces repeated, nested and with names alike, for
kernels (`tma ptx`), dumps (`tma hang`, `tma decode`), logs (`tma check -`) and launches (`tma emulate`).

Alone it counts: TMA=build/tma tools/python.sh tests/slow_inputs/generators.py SIZE_B [NAME...] prints instructions and bytes of
memory for each byte of a text of SIZE_B and of one a quarter as long."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "ptx_bounds")]
import slow_cores  # noqa: E402
import slow_inputs  # noqa: E402
import slow_ptx  # noqa: E402

TMA = os.environ.get("TMA", "build/tma")
LONG = 10**6  # as often as there is room
SMALLER = 4
HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"


def repeated(*parts, number=LONG):
    return ("repeat", number, list(parts))


def joined(piece, size_B):
    """piece(i) for i from 0 on, up to so many bytes."""
    parts, left, i = [], size_B, 0
    while left > 0:
        parts.append(piece(i))
        left -= len(parts[-1])
        i += 1
    return parts


def body(size_B, piece, before=""):
    return slow_ptx.HEAD + before + "".join(joined(piece, size_B)) + slow_ptx.END


def copy_into(tile, bar):
    return (f"mbarrier.arrive.expect_tx.shared::cta.b64 _, [{bar}], 64;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
            f"[{tile}], [%q1], 64, [{bar}];\n")


def wait_for(bar, name):
    return f"W{name}:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [{bar}], 0;\n@!%p1 bra W{name};\n"


def branches_in_each_other(size_B):
    pieces = joined(lambda i: f"@%p3 bra B{i};\n{copy_into(f'tile+{64 * (i % 1000)}', f'bars+{8 * (i % 8000)}')}", size_B * 9 // 10)
    return slow_ptx.HEAD + "".join(pieces) + "".join(f"B{i}:\n" for i in reversed(range(len(pieces)))) + slow_ptx.END


def kernels(size_B):
    one = copy_into("tile", "bars") + wait_for("bars", "") + "ld.shared.b32 %r9, [tile];\n"
    return HEAD + "".join(joined(lambda i: (slow_ptx.HEAD[len(HEAD):].replace(" k(", f" k{i}(") + one + slow_ptx.END), size_B))


def functions(size_B):
    calls = joined(lambda i: f".func f{i}(.reg .b32 bar)\n{{\nmbarrier.arrive.shared::cta.b64 _, [bar];\n"
                   + (f"call f{i - 1}, (bar);\n" * 2 if i else "") + "ret;\n}\n", size_B)
    return HEAD + "".join(calls) + slow_ptx.HEAD[len(HEAD):] + f"call f{len(calls) - 1}, (%r3);\n" + slow_ptx.END


def anywhere(size_B):
    count = size_B // 190
    return body(size_B, lambda i: f"L{i}:\n{copy_into('tile', 'bars')}@%p2 bra L{i * 7919 % count};\n") if count else ""


def table(size_B):
    count = size_B // 160
    return body(1, lambda i: "ts: .branchtargets " + ",".join(f"L{i}" for i in range(count)) + ";\nbrx.idx %r1, ts;\n"
                + "".join(f"L{i}:\n{copy_into(f'tile+{64 * (i % 1000)}', 'bars')}" for i in range(count)))


def variables(size_B):
    count = size_B // 330
    declared = "".join(f".shared .align 16 .b8 t{i}[64]; .shared .align 8 .b64 b{i};\n" for i in range(count))
    return slow_ptx.HEAD + declared + "".join(copy_into(f"t{i}", f"b{i}") + wait_for(f"b{i}", i) for i in range(count)) + slow_ptx.END


def written(tree):
    return lambda size_B: slow_ptx.kernel(tree, size_B)


PTX = {
    "loops in each other with a wait": written(("loops", LONG, [("expect", 0, 0), ("load", 0, 0), ("wait", 0, 0)])),
    "stores on ways apart": written(repeated(("branch", 1, [("write", 0, 3), ("store", 0, 0)]))),
    "barriers in registers": written(repeated(("unknown bar", 0, 0), ("init", 3, 0), ("expect", 3, 0), ("load", 3, 0), ("wait", 3, 0))),
    "one barrier": written(repeated(("expect", 0, 0), ("load", 0, 0), ("wait", 0, 0), ("read", 0, 0))),
    "loops one behind the other": written(repeated(("loops", 1, [("load", 1, 1), ("read", 0, 1), ("arrive", 1, 0)]))),
    "made again": written(repeated(("init", 0, 0), ("sync", 0, 0), ("load", 0, 0), ("wait", 0, 0), ("invalidate", 0, 0))),
    "a barrier for each load": written(repeated(("expect", 1, 1), ("load", 1, 1), ("wait", 1, 1), ("read", 1, 1))),
    "tiles in registers": written(repeated(("unknown tile", 0, 0), ("write", 0, 4), ("fence", 0, 0), ("store", 0, 4), ("drain", 0, 0))),
    "syncs by name": written(repeated(("sync", 0, 0), ("write", 0, 1), ("sync", 0, 0), ("read", 0, 1))),
    "barriers of peers": written(repeated(("peer", 0, 0), ("arrive", 3, 0), ("wait", 0, 0))),
    "branches in each other": branches_in_each_other,
    "MMAs' descriptors": written(repeated(("expect", 0, 0), ("load", 0, 0), ("wait", 0, 0), ("fetch", 0, 0))),
    "local memory": written(repeated(("local", 0, 0), ("branch", 1, [("local", 0, 0)]))),
    "kernels": kernels,
    "functions that arrive": functions,
    "branches anywhere": anywhere,
    "a table of branches": table,
    "a variable for each load": variables,
    "a ring by steps": written(repeated(("next", 0, 0), ("expect", 2, 2), ("load", 2, 2), ("wait", 2, 2))),
    "writes on ways apart, and loads": written(repeated(("branch", 1, [("write", 0, 1)]), ("branch", 1, [("load", 1, 1)]), ("read", 0, 1))),
}


def text_of(target, number, tree):
    """By slow_inputs' grammar; `number` names are not alike (0: none are)."""
    return lambda size_B: slow_inputs.text_of(target, (number, tree), size_B)


def piece(text):
    return ("piece", 1, text)


def nested(begin, end, *parts):
    return ("nest", LONG, [begin, end, *parts])


CALL = "cuTensorMapEncodeTiled(&m{u}, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, p{u}, dims{u}, strides{u}, box{u}, es{u}, 0, 0, 0, 0);\n"
LOGS = {
    "lines of errors": text_of("log", 7, repeated(piece("RuntimeError: CUDA error: an illegal memory access was encountered\n"), piece("error: {i}\n"))),
    "calls that do not end": text_of("log", 0, repeated(piece("cuTensorMapEncodeTiled("))),
    "calls far apart in one line": text_of("log", 0, repeated(piece("cuTensorMapEncodeTiled("), repeated(piece("a "), number=500))),
    "calls and comments that do not end": text_of("log", 0, repeated(piece("cuTensorMapEncodeTiled(/* {i} "), repeated(piece("a "), number=20))),
    "calls in each other": text_of("log", 0, nested("cuTensorMapEncodeTiled(&m{u}, ", ");\n", piece("a{u}, "))),
    "calls, and what their names are": text_of("log", 0, repeated(piece("cuuint64_t dims{u}[2] = {{64, 64}};\n"), piece(CALL))),
    "names of names": text_of("log", 0, repeated(piece("const int a{u} = a{i} * 2;\n"), piece("#define A{u} A{i}\n"))),
    "one name given again": text_of("log", 1, repeated(piece("tensorDim[{i}] = {i};\n"), piece("int dims{u} = {i};\n"), piece(CALL))),
    "parentheses": text_of("log", 0, nested("(", ")", piece("{i}"))),
    "brackets and braces": text_of("log", 0, nested("[", "]", nested("{{", "}}", piece("{i}, ")))),
    "comments that do not end": text_of("log", 0, repeated(piece("/* "), piece("// \\\n"), piece("\""))),
    "texts": text_of("log", 0, repeated(piece("\"text {i}\""), piece("'"), piece("\\\n"))),
    "rows of numbers": text_of("log", 7, repeated(piece("0x{i:08x} 0x00000000 0x12345678 0xffffffff\n"))),
    "maps with names": text_of("log", 0, repeated(piece("map{u} = 0x{i:x}\n"), piece("CUtensorMap m{u};\n"))),
    "one line": text_of("log", 0, repeated(piece("CUDA_ERROR_INVALID_VALUE "), piece("at 0x{i:x} "), piece("f(x{u}, y{u}) "))),
    "sanitizer's reports": text_of("log", 0, repeated(piece("========= Invalid __shared__ read of size {i} bytes\n=========     at k{u}+0x{i}0 in a.cu:{i}\n"
                                                            "=========     by thread ({i},0,0) in block ({u},0,0)\n"))),
}

DUMPS = {
    "rows of words": text_of("dump", 0, repeated(piece("0x7f{i:06x}: 0x00000001 0x00000002\n"))),
    "rows that are alike": text_of("dump", 1, repeated(piece("0x{i:08x} 0x00000000 0x12345678 0xffffffff\n"), number=20)),
    "values in braces": text_of("dump", 0, nested("$1 = {{", "}}\n", piece("[{i}] = 0x1234,\n"))),
    "words of gdb": text_of("dump", 0, repeated(piece("(gdb) x/32xw map{i}\n"), piece("u32[{i}]=5 "))),
    "bytes without blanks": text_of("dump", 0, repeated(piece("\\x{i:02x}"))),
    "bytes in brackets": text_of("dump", 0, nested("[", "]", piece("{i:02x} 00 ff 12 34 56 78 9a bc de f0 00 00 00 00 00\n"))),
} | slow_cores.CORES

STORE = "mbarrier.init.shared.b64 [s], {i};\n"
LAUNCHES = {
    "registers": text_of("emulate", 0, repeated(piece(".reg .b32 %a{u};\n"), piece("add.s32 %r1, %r1, {i};\n"))),
    "loops of one line": text_of("emulate", 0, repeated(piece("L{u}: @%p1 bra L{u};\n"))),
    "loops in each other": text_of("emulate", 0, nested("N{u}:\n", "@%p1 bra N{u};\n", piece("add.s32 %r1, %r1, {i};\n"))),
    "branches past each other": text_of("emulate", 0, nested("@%p1 bra O{u};\n", "O{u}:\n", piece("bar.sync 0;\n"))),
    "scopes in each other": text_of("emulate", 0, nested("{{\n", "}}\n", piece(".reg .b32 %a{u};\n"))),
    "variables of shared memory": text_of("emulate", 0, repeated(piece(".shared .b8 t{u}[4];\n"), piece("st.shared.u32 [s+{i}], %r1;\n"))),
    "calls of one function": text_of("emulate", 0, repeated(piece("call f, ();\n"), piece("@%p1 ret;\n"))),
    "barriers": text_of("emulate", 0, repeated(piece(STORE), piece("bar.sync 0;\n"), piece(".loc 1 {i} 0\n"))),
    "functions that call": text_of("module", 0, repeated(piece(".func w{u}() {{ call f, ();\n ret;}}\n"))),
    "aliases, and calls": text_of("module", 0, repeated(piece(".func d{u}() {{call f, (); ret;}}\n"), piece(".alias a{u}, f;\n"))),
    "calls in scopes in each other": text_of("emulate", 0, nested("{{\n", "}}\n", piece("call f, ();\n"), piece("L{u}: @%p1 bra L{u};\n"))),
    "addresses in initialisers": text_of("module", 0, repeated(piece(".global .b8 g{u};\n"), piece(".global .u64 h{u}[1] = {{g}};\n"))),
    "entries": text_of("module", 0, repeated(piece(".visible .entry n{u}() {{ret;}}\n"), piece(".const .u32 c{u}[2] = {{{i}, {i}}};\n"))),
    "values at offsets": text_of("launch", 0, repeated(piece('{{"name": "p+{u}", "param": "{i}"}}, '))),
    "values that are invented": text_of("launch", 0, repeated(piece('{{"name": "\\u00e9{i}", "param": "@n", "from": "invented"}}, '))),
    "files of a launch": text_of("files", 0, repeated(piece('{{"path": "a{u}", "hex": "00112233"}}, '))),
}

GENERATORS = {f"{kind}: {name}": made for kind, group in (("ptx", PTX), ("log", LOGS), ("dump", DUMPS), ("launch", LAUNCHES))
              for name, made in group.items()}


def command(name, folder):
    """What reads it: $TMA's words, and the file that holds it."""
    kind, of = name.split(": ", 1)
    file = str(folder / "x")
    if kind == "dump":
        return [TMA, "hang" if of in slow_cores.CORES else "decode", file]
    if kind == "launch":
        text = of in ("values at offsets", "values that are invented", "files of a launch")
        words = [] if text else [*slow_inputs.RUN[2:], *(["--kernel=k"] if of == "entries" else [])]
        return [TMA, "emulate", str(folder / "x.launch") if text else file, *words]
    return [TMA, {"ptx": "ptx", "log": "check"}[kind], file]


def put(name, size_B, folder):
    data = GENERATORS[name](size_B)
    data = data.encode() if isinstance(data, str) else data
    for file in "x", "x.launch":
        (folder / file).write_bytes(data)
    return len(data)


def counted(words):
    """callgrind's instructions, and what was written."""
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *words], stdin=subprocess.DEVNULL,
                          capture_output=True, check=False)
    return int(re.search(rb"Collected : (\d+)", done.stderr)[1]), done


def most_memory_B(words):
    code = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, "
            "stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")
    return int(subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True).stdout)


def measured(name, size_B, folder):
    """(instructions, memory) for each byte, without what the command takes for a file of none."""
    for file in "x", "x.launch":
        (folder / file).write_bytes(b"")
    nothing, nothing_B = counted(command(name, folder))[0], most_memory_B(command(name, folder))
    given_B = put(name, size_B, folder)
    spent = counted(command(name, folder))[0]
    return (spent - nothing) / given_B, max(most_memory_B(command(name, folder)) - nothing_B, 0) / given_B


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        for wanted in sys.argv[2:] or GENERATORS:
            (small, _), (large, large_B) = (measured(wanted, int(sys.argv[1]) // n, pathlib.Path(made)) for n in (SMALLER, 1))
            print(f"{wanted}: {small:.0f} and {large:.0f} instructions for each byte, {large / small:.2f} times; {large_B:.0f} B of memory", flush=True)
