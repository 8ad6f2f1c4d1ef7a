# SPDX-License-Identifier: Apache-2.0
"""README.md, run: every `$` line of a console block prints what stands below it; the C program
compiles against the library, and prints the text block behind it. TMA names the program, TMA_LIBRARY
the static library, CC the compiler."""
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S)
ENVIRONMENT = {**{k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_"))},
               "LC_ALL": "C"}


def commands():
    """(command, what it prints) out of all console blocks."""
    for language, text in BLOCKS:
        if language == "console":
            for piece in re.split(r"^\$ ", text, flags=re.M)[1:]:
                yield tuple(piece.split("\n", 1))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What a reader sees after `make`, with build/ on the PATH: build/tma and build/libtma.a."""
    root = tmp_path_factory.mktemp("readme")
    (root / "build").mkdir()
    (root / "build/tma").symlink_to(os.path.abspath(os.environ["TMA"]))
    (root / "build/libtma.a").symlink_to(os.path.abspath(os.environ["TMA_LIBRARY"]))
    for name in ("include", "tests"):
        (root / name).symlink_to(ROOT / name)
    return root


def shell(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, timeout=120,
                          env={**ENVIRONMENT, "PATH": f"{folder}/build:/usr/bin:/bin"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout


def filled(folder):
    """The text with what its commands print now."""
    def block(match):
        pieces = re.split(r"^\$ ", match[1], flags=re.M)[1:]
        return "".join(f"$ {p.split(chr(10), 1)[0]}\n{shell(p.split(chr(10), 1)[0], folder)}"
                       for p in pieces)
    return re.sub(r"(?<=^```console\n)(.*?)(?=^```$)", block, README, flags=re.M | re.S)


@pytest.mark.skipif(os.environ.get("REBASE") != "1", reason="writes the outputs anew")
def test_rebase(folder):
    (ROOT / "README.md").write_text(filled(folder))


@pytest.mark.parametrize("command,printed", list(commands()))
def test_command(command, printed, folder):
    assert shell(command, folder) == printed


def test_there_are_commands():
    assert len(list(commands())) >= 5


def test_the_two_commands():
    first = next(text for language, text in BLOCKS if language == "sh")
    targets = re.findall(r"^make (\w+) ", first, re.M)
    assert targets == ["demo", "test"] and len(first.splitlines()) == 2
    rules = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.M)
    assert set(targets) <= set(rules)


def test_c_program(folder):
    languages = [language for language, _ in BLOCKS]
    at = languages.index("c")
    assert languages[at + 1] == "text"
    (folder / "example.c").write_text(BLOCKS[at][1])
    flags = os.environ.get("TMA_FLAGS", "").split()
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *flags,
                    "-Iinclude", "example.c", "build/libtma.a", "-o", "example"],
                   cwd=folder, check=True)
    assert shell("./example", folder) == BLOCKS[at + 1][1]


def test_conformance_numbers_are_those_of_the_record():
    section = README.split("## Is it right?")[1].split("\n## ")[0]
    record = (ROOT / "docs/evidence/conformance.md").read_text().replace(",", "")
    numbers = re.findall(r"\| ([\d,]{6,}) \| 0 \|", section)
    assert len(numbers) == 3
    assert not [n for n in numbers if n.replace(",", "") not in record]
