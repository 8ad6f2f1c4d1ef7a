# SPDX-License-Identifier: Apache-2.0
"""Packagers' files that cannot read the version have the one of include/tma/export.h, and are what
their programs read: JSON, Python, YAML where a parser is here, Nix where nix-instantiate is."""
import ast
import json
import re
import shutil
import subprocess

from project_tree import ROOT, finish

VERSION = re.search(r'#define TMA_VERSION +"(.*)"', (ROOT / "include/tma/export.h").read_text())[1]
PACKAGING = ROOT / "packaging"


def debian():
    changelog = (ROOT / "debian/changelog").read_text()
    if not changelog.startswith(f"libtma ({VERSION}) "):
        yield f"debian/changelog begins with {changelog.splitlines()[0]!r}, the version is {VERSION}"
    major, minor, _ = VERSION.split(".")
    library = f"libtma{major}.{minor}" if major == "0" else f"libtma{major}"
    control = (ROOT / "debian/control").read_text()
    named = set(re.findall(r"\blibtma\d[\d.]*", control)) | {
        path.stem for path in (ROOT / "debian").glob("libtma[0-9]*.install")}
    if named != {library}:
        yield f"debian/ names {', '.join(sorted(named))}: the package of libtma.so.{library[6:]} is {library}"


def vcpkg():
    port = json.loads((PACKAGING / "vcpkg/vcpkg.json").read_text())
    if port["version"] != VERSION:
        yield f"packaging/vcpkg/vcpkg.json has version {port['version']}, not {VERSION}"


def action():
    for path in (".github/actions/check/action.yml", "docs/ci.md"):
        for version in re.findall(r"check@v(\S+)", (ROOT / path).read_text()):
            if version != VERSION:
                yield f"{path}: check@v{version}, the version is {VERSION}"


def grammar():
    ast.parse((PACKAGING / "spack" / "package.py").read_text())
    conda = (PACKAGING / "conda/meta.yaml").read_text()
    pattern = re.search(r"regex_pattern='(.*?)'", conda)[1]
    if re.search(pattern, (ROOT / "include/tma/export.h").read_text())[1] != VERSION:
        yield "packaging/conda/meta.yaml finds no version"
    try:
        import yaml
    except ImportError:
        yaml = None
    if yaml:
        yaml.safe_load(re.sub(r"{{.*?}}", "x", re.sub(r"{%.*?%}", "", conda)))
        for path in (ROOT / ".github").rglob("*.yml"):
            yaml.safe_load(path.read_text())
    if shutil.which("nix-instantiate"):
        subprocess.run(["nix-instantiate", "--parse", PACKAGING / "nix/default.nix"], check=True,
                       stdout=subprocess.DEVNULL)


finish([*debian(), *vcpkg(), *action(), *grammar()], 7)
