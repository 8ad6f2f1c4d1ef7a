# SPDX-License-Identifier: Apache-2.0
"""fuzz_command.py TMA [--lines N | --seconds S] [--seed N]: random command lines for tma.

Each ends by itself within ten seconds, with 0, 1 or 2, and prints nothing that a terminal would obey; a
misuse says so on standard error and leaves standard output empty; the same line answers the same twice;
no file but those asked for appears. Between lines about one spec: encode accepts what check accepts, and
what decode prints of a map encodes back to it; --json changes no exit code. Options are read from the
command's own help. Prints what failed as a line for a shell; the status is 1 then.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

VERBS = ["check", "encode", "decode", "diff", "draw", "explain", "find", "list", "load", "plan", "ptx",
         "replace", "replay", "store"]
NASTY = ["", "-", "--", "0", "-1", "1", "18446744073709551615", "18446744073709551616", "0x", "0x1g", "1e3",
         "1,", ",1", "1,,2", "1,2,3,4,5,6,7,8,9", "256", "257", "NaN", "\u00e9", "\x1b[2J", "\xff", "%s%n",
         "a" * 5000, "/dev/null", ".", "nosuch/file", "'", "\n", "4294967296,4294967296,4294967296"]
GOOD = {"dtype": ["uint8", "float16", "bfloat16", "float32", "float64", "tfloat32", "16u4_align8b", "16u6_align16b"],
        "dim": ["64", "4096,8192", "64,56,56,32", "8,8,8,8,8", "1", "7,3"],
        "box": ["64", "64,128", "64,1,1,1", "8,8,8,8,8", "256", "1"],
        "stride": ["16", "8192", "128,7168,401408", "48"], "element-stride": ["1", "1,1", "2,1", "8,8,8,8,8"],
        "swizzle": ["none", "32B", "64B", "128B"], "interleave": ["none", "16B", "32B"],
        "api": ["tiled", "im2col", "im2col-wide"], "lower": ["-1,-1", "0"], "upper": ["-1,-1", "0"],
        "channels": ["64"], "pixels": ["128"], "fill": ["none", "nan"], "l2": ["none", "128B"],
        "address": ["0x7f0000000000", "0x1000", "8"], "arch": ["sm_90", "sm_100a", "sm_120"],
        "driver": ["12.0", "13.0"], "coord": ["0", "0,0", "-1,4", "0,0,0,0", "64,8128"], "lines": ["0", "4"],
        "mode": ["tile", "im2col", "gather4"], "op": ["load", "store", "add"], "shared": ["0", "0x400"]}


class Fuzz:
    def __init__(self, tma, seed, folder):
        self.tma, self.random, self.folder = tma, random.Random(seed), folder
        self.lines = 0
        self.options = {verb: self.help(verb) for verb in VERBS}
        self.map = self.run(["encode", "--dtype", "bfloat16", "--dim", "4096,8192", "--box", "64,128"]).stdout

    def help(self, verb):
        text = self.run([verb, "--help"]).stdout.decode()
        found = re.findall(r"^\s+(?:-\w(?: ?\w+)?, )?--([\w-]+)(\[?=\S+)?", text, re.M)
        assert len(found) > 2, f"no options in the help of {verb}"
        return found

    def run(self, words, stdin=b""):
        self.lines += 1
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C",
                       "ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "print_stacktrace=1"}
        encoded = [os.fsencode(self.tma), *(w.encode("utf-8", "surrogateescape") for w in words)]
        return subprocess.run(encoded, input=stdin, capture_output=True, env=environment, timeout=10,
                              cwd=self.folder, check=False)

    def value(self, name):
        pick = self.random
        known = GOOD.get(name)
        if known and pick.random() < 0.85:
            return pick.choice(known)
        return pick.choice(NASTY) if pick.random() < 0.7 else str(pick.getrandbits(pick.choice((3, 8, 33, 65))))

    def spec(self):
        """Options of a spec, right ones mostly."""
        words = []
        for name in ("dtype", "dim", "box", "swizzle", "stride", "interleave", "element-stride", "fill", "address",
                     "arch", "api", "lower", "upper", "channels", "pixels", "l2"):
            usual = 0.95 if name in ("dtype", "dim", "box") else 0.15
            if self.random.random() < usual:
                words += [f"--{name}", self.value(name)]
        return words

    def words(self):
        pick = self.random
        verb = pick.choice(VERBS)
        words = [verb]
        if verb in ("check", "encode", "load", "store", "plan", "draw"):
            words += self.spec()
        for name, argument in pick.sample(self.options[verb], min(pick.randrange(4), len(self.options[verb]))):
            if name in ("out", "raw", "output"):
                words += [f"--{name}", pick.choice(["out.bin", "/dev/null", "-", ".", "no/folder"])]
            elif argument and (not argument.startswith("[") or pick.random() < 0.5):
                words.append(f"--{name}={self.value(name)}")
            else:
                words.append(f"--{name}")
        for _ in range(pick.choice((0, 0, 1, 1, 2, 3))):
            words.append(pick.choice([*NASTY, "map.bin", "map.hex", "inner-span", "fields", "rules"]))
        if pick.random() < 0.1:
            pick.shuffle(words)
        return [w for w in words if "\0" not in w]

    def bytes(self):
        pick = self.random
        text = bytearray(pick.choice([b"", self.map, b"enc api=tiled dtype=9 rank=2 dim=64,64 box=64,64\n",
                                      b".version 8.3\n.target sm_90a\ncp.async.bulk.tensor.2d [a];\n"]))
        for _ in range(pick.randrange(3)):
            if text:
                text[pick.randrange(len(text))] = pick.randrange(256)
        return bytes(text)

    def line(self):
        """One line, and what is wrong with its answer."""
        words, stdin = self.words(), self.bytes()
        try:
            first, again = self.run(words, stdin), self.run(words, stdin)
        except subprocess.TimeoutExpired:
            return words, "it does not end within 10 s"
        if first.returncode not in (0, 1, 2):
            return words, f"exit status {first.returncode}: {first.stderr[-800:].decode(errors='replace')}"
        if b"runtime error" in first.stderr or b"Sanitizer" in first.stderr:
            return words, first.stderr[-800:].decode(errors="replace")
        if (first.returncode, first.stdout, first.stderr) != (again.returncode, again.stdout, again.stderr):
            return words, "it answers otherwise the second time"
        if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", first.stderr):
            return words, "control characters on standard error"
        if first.returncode == 2 and not first.stderr:
            return words, "status 2 without a message"
        return words, ""

    def pair(self):
        """Lines about one spec, and where they contradict one another."""
        spec = self.spec()
        check, encode = self.run(["check", *spec]), self.run(["encode", *spec])
        as_json = self.run(["check", "--json", *spec])
        if check.returncode != as_json.returncode:
            return ["check", *spec], f"status {check.returncode}, with --json {as_json.returncode}"
        accepted = check.returncode != 2 and json.loads(as_json.stdout)["accepted"]
        if accepted != (encode.returncode == 0):
            return ["encode", *spec], f"status {encode.returncode}, and check --json says accepted: {accepted}"
        if encode.returncode == 0:
            shown = self.run(["decode", "-"], encode.stdout).stdout.decode()
            back = re.search(r"^tma (encode .*)$", shown, re.M)
            if not back:
                return ["encode", *spec], "decode gives no line that encodes back"
            line = shlex.split(back[1])
            targets = re.search(r"^\(gives these bytes back for (sm_\w+).*? with driver ([\d.]+)", shown, re.M)
            line += ["--arch", targets[1], "--driver", targets[2]] if targets else []
            if "(gives these bytes back" in shown and self.run(line).stdout != encode.stdout:
                return ["encode", *spec], "what decode prints encodes to another map"
        return spec, ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tma", type=pathlib.Path)
    parser.add_argument("--lines", type=int, default=400)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        fuzz = Fuzz(arguments.tma.resolve(), arguments.seed, pathlib.Path(folder))
        (fuzz.folder / "map.hex").write_bytes(fuzz.map)
        (fuzz.folder / "map.bin").write_bytes(bytes.fromhex(fuzz.map.decode()))
        until = time.monotonic() + arguments.seconds
        shown = time.monotonic()
        while time.monotonic() < until if arguments.seconds else fuzz.lines < arguments.lines:
            words, fault = fuzz.pair() if fuzz.random.random() < 0.3 else fuzz.line()
            if fault:
                wrong += 1
                print(f"tma {shlex.join(words)}\n    {fault}", flush=True)
            made = sorted({p.name for p in fuzz.folder.iterdir()} - {"map.hex", "map.bin", "out.bin"})
            if made:
                wrong += 1
                print(f"tma {shlex.join(words)}\n    made {made}", flush=True)
                break
            if sys.stderr.isatty() and time.monotonic() - shown > 1:
                shown = time.monotonic()
                print(f"\r{fuzz.lines} lines, {wrong} wrong", end="", file=sys.stderr, flush=True)
    print(f"fuzz_command: {fuzz.lines} command lines, {wrong} wrong, seed {arguments.seed}")
    return 1 if wrong or fuzz.lines < 50 else 0


sys.exit(main())
