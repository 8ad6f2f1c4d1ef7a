# SPDX-License-Identifier: Apache-2.0
"""Where the code cites a document, the document and its section are there, and libtma's facts name
vectors that exist with the number of lines that they have."""
import gzip
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FACTS = (ROOT / "docs/facts.md").read_text()
SECTIONS = re.findall(r"^## (.+)$", FACTS, re.M)
FOLDERS = ("include", "src", "ptx", "cli", "program", "lab", "tests", "tools")
CODE = {".c", ".h", ".def", ".cu", ".py", ".md", ".txt", ".cmake"}


def texts():
    """(file, its text as one line, comment signs and string joints taken out)."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in CODE and path.is_file() and "corpus" not in path.parts:
                text = re.sub(r"\n[ \t]*(?:\*|#|//)?[ \t]*", " ", path.read_text())
                yield path, re.sub(r'"\s*"', "", text)


def test_cited_sections_are_there():
    cited = []
    for path, text in texts():
        for behind in re.findall(r"docs/facts\.md[,:] (.{3,40})", text):
            cited.append((path.name, next((s for s in SECTIONS if behind.startswith(s)), behind)))
        for section in re.findall(r"section (\w+) in docs/facts\.md", text):
            cited.append((path.name, section))
    assert len({section for _, section in cited}) >= 6
    assert not [pair for pair in cited if pair[1] not in SECTIONS]


def test_cited_documents_are_there():
    cited = {name for _, text in texts() for name in re.findall(r"\bdocs/((?:evidence/)?[\w-]+\.md)", text)}
    assert cited and not [name for name in cited if not (ROOT / "docs" / name).exists()]


def test_vectors_have_the_lines_that_facts_says():
    claims = re.findall(r"\b((?:encode|replace|copy|reduce)\w*) \(([\d,]+)", FACTS)
    assert len(claims) >= 10
    for name, count in claims:
        path = ROOT / f"tests/vectors/{name}.txt.gz"
        lines = [l for l in gzip.open(path, "rt") if l.strip() and not l.startswith("#")]
        assert (name, len(lines)) == (name, int(count.replace(",", "")))


def test_links_between_documents():
    broken = []
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md"]:
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
            if not (page.parent / link).exists():
                broken.append((page.name, link))
    assert not broken
