# SPDX-License-Identifier: Apache-2.0
"""Packagers' files that cannot read the version have the one of include/tma/export.h, and are what
their programs read: JSON, Python, YAML where a parser is here, Nix where nix-instantiate is. The
options that they set are CMake's, the CMake and Python that they ask for are the project's, what CMake looks for
is among what they bring, and what they run passes: argument 1 is the command tma."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import types

from project_tree import ROOT, files, finish, name

VERSION = re.search(r'#define TMA_VERSION +"(.*)"', (ROOT / "include/tma/export.h").read_text())[1]
PACKAGING = ROOT / "packaging"
TMA = os.path.abspath(sys.argv[1])
CMAKE = {name(path): path.read_text() for path in files() if path.name == "CMakeLists.txt" or path.suffix == ".cmake"}
OPTIONS = set(re.findall(r"^ *(?:option\((?=LIBTMA)|set\((?=LIBTMA_\w+[^)]*\bCACHE\b))(LIBTMA_\w+)", "\n".join(CMAKE.values()), re.M))
# What CMake looks for outside tests: as conda, Nix, Spack, Debian and tools/deps.sh call it.
BROUGHT = {
    "ZLIB": ("zlib", "pkgs.zlib", "zlib-api", "zlib1g-dev", "zlib1g-dev"),
    "CAIRO": ("cairo", "pkgs.cairo", "cairo", "libcairo2-dev", "libcairo2-dev"),
    "PkgConfig": ("pkg-config", "pkgs.pkg-config", "pkgconfig", "pkgconf", "pkg-config"),
    "Python3": ("python", "pkgs.python3", "python@3:", "python3", "python3"),
}
MOST_NOTES = 40  # lines that are read before an upgrade
PYTHON_S_OWN, OF_C = {"Python", "nanobind"}, {"Threads"}


def debian():
    changelog = (ROOT / "packaging/debian/changelog").read_text()
    if not changelog.startswith(f"libtma ({VERSION}) "):
        yield f"packaging/debian/changelog begins with {changelog.splitlines()[0]!r}, the version is {VERSION}"
    major, minor, _ = VERSION.split(".")
    library = f"libtma{major}.{minor}" if major == "0" else f"libtma{major}"
    control = (ROOT / "packaging/debian/control").read_text()
    named = set(re.findall(r"\blibtma\d[\d.]*", control)) | {
        path.stem for path in (ROOT / "packaging/debian").glob("libtma[0-9]*.install")}
    if named != {library}:
        yield f"packaging/debian/ names {', '.join(sorted(named))}: the package of libtma.so.{library[6:]} is {library}"


def vcpkg():
    port = json.loads((PACKAGING / "vcpkg/vcpkg.json").read_text())
    if port["version"] != VERSION:
        yield f"packaging/vcpkg/vcpkg.json has version {port['version']}, not {VERSION}"


def notes():
    lines = (PACKAGING / "release_notes.md").read_text().splitlines()
    if lines[0] != f"# libtma {VERSION}":
        yield f"packaging/release_notes.md begins with {lines[0]!r}, the version is {VERSION}"
    if len(lines) > MOST_NOTES:
        yield f"packaging/release_notes.md has {len(lines)} lines, {MOST_NOTES} at most"


def action():
    for path in (".github/actions/check/action.yml", "docs/ci.md", "docs/editors.md"):
        for version in re.findall(r"check@v(\S+)|^ *rev: v(\S+)", (ROOT / path).read_text(), re.M):
            if "".join(version) != VERSION:
                yield f"{path}: v{''.join(version)}, the version is {VERSION}"


def spack_defines():
    """What packaging/spack's recipe gives to CMake, run as Spack runs it: with and without its variant."""
    given, package, cmake = [], types.ModuleType("spack.package"), types.ModuleType("cmake")

    class CMakePackage:
        def define(self, option, value):
            given.append(option)

        def define_from_variant(self, option, variant):
            given.append(option)

    cmake.CMakePackage = CMakePackage
    for directive in ("depends_on", "license", "variant", "version"):
        setattr(package, directive, lambda *_, **__: None)
    systems = "spack_repo.builtin.build_systems"
    parents = ("spack", "spack_repo", "spack_repo.builtin", systems)
    sys.modules.update({name: types.ModuleType(name) for name in parents})
    sys.modules.update({"spack.package": package, f"{systems}.cmake": cmake})
    scope = {}
    exec(compile((PACKAGING / "spack" / "package.py").read_text(), "package.py", "exec"), scope)
    scope["Libtma"]().cmake_args()
    return given


def options():
    """Those that recipes, packages and Python's build set are options of CMake."""
    asked = {"packaging/spack/package.py": spack_defines()}
    for path in ("packaging/conda/meta.yaml", "packaging/nix/default.nix", "packaging/vcpkg/portfile.cmake",
                 "packaging/debian/rules", "packaging/README.md"):
        asked[path] = re.findall(r"-D ?(LIBTMA_\w+)=", (ROOT / path).read_text())
    section = (ROOT / "pyproject.toml").read_text().partition("[tool.scikit-build.cmake.define]\n")[2].partition("\n[")[0]
    asked["pyproject.toml"] = re.findall(r"^(\w+) = ", section, re.M)
    for path, found in asked.items():
        if not found:
            yield f"{path}: the check finds no option there any more"
        for option in sorted(set(found) - OPTIONS):
            yield f"{path} sets {option}, which is no option of CMake"


def brought():
    """Each recipe names what CMake looks for, and the versions that the project asks for."""
    own = "\n".join(text for path, text in CMAKE.items() if not re.match(r"(.*/)?(tests|bench|hardware|examples)/|lab/fuzz/", path))
    looked_for = set(re.findall(r"\b(?:find_package|libtma_find_pkg)\((\w+) ?[\w)]", own)) - {"CMOCKA", "PREFIX"}
    if looked_for - PYTHON_S_OWN - OF_C != set(BROUGHT):
        yield f"CMake looks for {sorted(looked_for)}: this check's BROUGHT has {sorted(BROUGHT)}"
    cmake = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", CMAKE["CMakeLists.txt"])[1]
    python = re.search(r'^requires-python = ">=([\d.]+)"', (ROOT / "pyproject.toml").read_text(), re.M)[1]
    for column, (path, version) in enumerate((("packaging/conda/meta.yaml", f"cmake >={cmake}"), ("packaging/nix/default.nix", "pkgs.cmake"),
                                              ("packaging/spack/package.py", f"cmake@{cmake}:"),
                                              ("packaging/debian/control", f"cmake (>= {cmake})"), ("tools/deps.sh", "cmake"))):
        text = (ROOT / path).read_text()
        for word in [version, *(names[column] for names in BROUGHT.values())]:
            if not re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])", text):
                yield f"{path} does not name {word}"
    for path, words in (("README.md", f"CMake {cmake}"), ("README.md", f"Python {python} or later"),
                        (".github/workflows/wheels.yml", python), ("python/CMakeLists.txt", f"find_package(Python {python} ")):
        if words not in (ROOT / path).read_text():
            yield f"{path} does not say {words!r}"


def page():
    """packaging/README.md has every option of CMake, and the version that is."""
    text = (PACKAGING / "README.md").read_text()
    rows = text.partition("\n## Options of CMake\n")[2].partition("\n## ")[0]
    listed = set(re.findall(r"LIBTMA_\w+", "".join(row.split("|")[1] for row in rows.splitlines() if row.startswith("|"))))
    for option in sorted(listed ^ OPTIONS):
        yield f"packaging/README.md, options: {option} is {'no option of CMake' if option in listed else 'left out'}"
    minor = VERSION.rpartition(".")[0]
    for path, said in (("packaging/README.md", text), ("docs/abi.md", (ROOT / "docs/abi.md").read_text().partition("From 1.0")[0])):
        for version in re.findall(r"libtma[-a-z]*\.so\.([\d.]*\d)|libtma-(\d[\d.]*\d)[/.]|`\.so\.(\d[\d.]*)`|libtma(\d[\d.]*)`", said):
            if "".join(version) not in {VERSION, minor}:
                yield f"{path} says {''.join(version)}, the version is {VERSION}"


def packages_of_messages():
    """What a message tells to install, tools/deps.sh installs."""
    installed = set(re.findall(r"[\w+.-]+", " ".join(re.findall(r'packages="\$packages (.*?)"', (ROOT / "tools/deps.sh").read_text()))))
    texts = {**CMAKE, **{name(path): path.read_text() for path in files("tools", "python/libtma") if path.suffix in {".sh", ".py"}}}
    for path, text in texts.items():
        for package in re.findall(r"[\w+.-]+", " ".join(re.findall(r"\(Debian: ([^)\n]*)\)", text))):
            if package not in installed and path != "tools/plot_sizes.py":  # a figure of the documents, made once
                yield f"{path} names Debian's {package}, which tools/deps.sh does not"


def recipe_tests():
    """The commands that conda runs in its environment, here."""
    tests = (PACKAGING / "conda/meta.yaml").read_text().partition("  commands:\n")[2].partition("\nabout:")[0]
    commands = [line.removeprefix("    - ") for line in tests.splitlines()]
    if not any(command.startswith("tma ") for command in commands):
        yield "packaging/conda/meta.yaml: its test runs no tma"
    with tempfile.TemporaryDirectory() as prefix:
        os.makedirs(f"{prefix}/lib")
        for library in os.scandir(os.path.dirname(TMA)):
            if library.name.startswith("libtma"):
                os.symlink(library.path, f"{prefix}/lib/{library.name}")
        for command in commands:
            done = subprocess.run(["bash", "-c", f"tma() {{ {shlex.quote(TMA)} \"$@\"; }}; {command}"], capture_output=True,
                                  text=True, env={**os.environ, "PREFIX": prefix})
            if done.returncode:
                yield f"packaging/conda/meta.yaml: {command!r} ends with {done.returncode}: {done.stdout}{done.stderr}"


def grammar():
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


finish([*debian(), *vcpkg(), *notes(), *action(), *options(), *brought(), *page(), *packages_of_messages(), *recipe_tests(), *grammar()], 12)
