# SPDX-License-Identifier: Apache-2.0
"""make release DRY=1: what it would make, and what it refuses, in a clone with this tree's files. TMA names the command."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r'#define TMA_VERSION +"(.*)"', (ROOT / "include/tma/export.h").read_text())[1]
READ = ("Makefile", "CHANGELOG.md", "README.md", "pyproject.toml", "tools/release.sh", "docs/ci.md", "docs/editors.md", "include/tma/export.h",
        ".github", "packaging", "tests/checks", "CMakeLists.txt", "cmake", "python/CMakeLists.txt")


@pytest.fixture(name="clone")
def clone_of_this_tree(tmp_path):
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("no clone by git")
    there = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--shared", ROOT, there], check=True)
    for path in READ:
        copy = shutil.copytree if (ROOT / path).is_dir() else shutil.copy
        copy(ROOT / path, there / path, **({"dirs_exist_ok": True} if copy is shutil.copytree else {}))
    (there / "build").symlink_to(pathlib.Path(os.environ["TMA"]).resolve().parent)
    git(there, "add", "-A")
    git(there, "commit", "-q", "--allow-empty", "-m", "The tree as it is here")
    return there


def git(there, *words):
    subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e@x", *words], cwd=there, check=True)


def dry(there, *parts):
    done = subprocess.run([there / "tools/release.sh", "--dry-run", *parts], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_what_would_be_made(clone):
    status, out, err = dry(clone)
    assert status == 0 and not err
    assert [line.split()[0] for line in out.splitlines()[1:6]] == ["tarball", "static", "debian", "wheels", "page"]
    for name in (f"libtma-{VERSION}.tar.gz", f"tma-{VERSION}-linux-aarch64", f"libtma-{VERSION}.html", f"git tag -a v{VERSION}"):
        assert name in out
    assert dry(clone, "page")[1].count("\n") == 4


def test_what_this_machine_lacks_is_named(clone, tmp_path):
    tools = tmp_path / "few"
    tools.mkdir()
    for tool in ("bash", "sh", "git", "sed", "nproc", "paste", "python3", "dirname", "id", "env", "cat"):
        (tools / tool).symlink_to(shutil.which(tool))
    done = subprocess.run([clone / "tools/release.sh", "--dry-run", "page"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": str(tools)})
    assert "which lacks: clang wasm-ld)" in done.stdout


@pytest.mark.parametrize("change, says", [
    (lambda there: (there / "README.md").write_text("more"), "what is not committed is in no release"),
    (lambda there: (git(there, "tag", f"v{VERSION}", "HEAD~1")), f"the tag v{VERSION} is another commit's"),
    (lambda there: edit(there, "CHANGELOG.md", f"## {VERSION}\n", "## 9.9.9\n"), f"no section '## {VERSION}' at its top"),
    (lambda there: edit(there, "packaging/release_notes.md", VERSION, "9.9.9"), "release_notes.md begins with"),
    (lambda there: edit(there, "docs/editors.md", f"rev: v{VERSION}", "rev: v9.9.9"), "docs/editors.md: v9.9.9"),
])
def test_what_is_refused(clone, change, says):
    change(clone)
    status, out, err = dry(clone)
    assert status == 1 and says in err and "tarball" in out


def edit(there, path, old, new):
    text = (there / path).read_text()
    assert old in text
    (there / path).write_text(text.replace(old, new, 1))
    git(there, "commit", "-qam", "A change")


def test_a_part_that_there_is_not(clone):
    assert "no part is called 'rpm'" in dry(clone, "rpm")[2]
