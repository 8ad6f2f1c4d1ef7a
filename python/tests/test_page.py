# SPDX-License-Identifier: Apache-2.0
"""The page in the package, and its links, which are those that the page itself gives."""
import os
import subprocess
import sys
from urllib.parse import unquote

import pytest
from conftest import ROOT

import libtma.page
from libtma import TensorSpec

try:
    libtma.page.path()
except FileNotFoundError as none:
    pytest.skip(str(none), allow_module_level=True)  # tools/python_wheels.sh asks for one where it was made


def fragments():
    for line in (ROOT / "tests/page/links.txt").read_text().splitlines():
        if line.startswith("#v1/"):
            yield line.split()[0]


def test_it_is_one_html_file():
    text = libtma.page.path().read_text(encoding="utf-8")
    assert text.lower().startswith("<!doctype html>") and 'src="' not in text
    assert libtma.page.url() == libtma.page.path().as_uri()


def test_what_executes_kernels_lies_beside_it():
    text = libtma.page.path().with_name("tma-emulator.js").read_text(encoding="utf-8")
    assert text.count("function tmaRun(") == 1 and "tmaRun.packed" in text


@pytest.mark.parametrize("fragment", list(fragments()))
def test_links_are_the_pages(fragment):
    """Each text of the page's own links comes back as that link."""
    text = unquote(fragment.removeprefix("#v1/").replace("+", " "))
    assert libtma.page.url(text) == libtma.page.path().as_uri() + fragment


def test_links_of_descriptors():
    tensor = TensorSpec((64, 256), "float16", address=1 << 40)
    desc = libtma.TensorMapDescriptor.tiled(tensor, (8, 64), swizzle="128B")
    link = desc.link("box", [3, 64], page="https://example.org/")
    assert link.startswith("https://example.org/#v1/tma+draw+box+--api+tiled+--dtype+float16+")
    assert "--coord=64,3" in link and "--map" not in link
    odd = bytearray(bytes(desc))
    odd[127] ^= 1  # nothing that an encode call sets
    other = libtma.TensorMapDescriptor.from_bytes(bytes(odd)).link(page="")
    assert f"+--map+{odd.hex()}+" in other
    assert desc.link("swizzle") == libtma.page.url(unquote(
        desc.link("swizzle", page="").removeprefix("#v1/").replace("+", " ")))
    with pytest.raises(ValueError):
        desc.link("box", [3])


def run(*arguments, **how):
    return subprocess.run([sys.executable, "-m", "libtma.page", *arguments], capture_output=True,
                          text=True, **how)


def test_the_command_says_where():
    done = run("--print", "tma", "check", "--dim 64,64")
    assert done.returncode == 0
    assert done.stdout == libtma.page.url("tma check --dim 64,64") + "\n"
    assert done.stdout.rstrip().endswith("#v1/tma+check+--dim+64,64")


def test_it_opens_a_browser(tmp_path):
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!{sys.executable}\nimport sys\nprint(sys.argv[1], file=open("{opened}", "w"))\n')
    browser.chmod(0o755)
    done = run("f16 64x64", env={**os.environ, "BROWSER": f"{browser} %s"})
    assert done.returncode == 0, done.stderr
    assert opened.read_text() == libtma.page.url("f16 64x64") + "\n"


def test_a_package_without_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(libtma.page, "__file__", str(tmp_path / "page.py"))
    with pytest.raises(FileNotFoundError, match="clang and wasm-ld"):
        libtma.page.path()
    assert libtma.page._main(["--print"]) == 1
