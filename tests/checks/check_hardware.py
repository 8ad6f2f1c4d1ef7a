# SPDX-License-Identifier: Apache-2.0
"""check_hardware.py: tma-conformance's code for the GPU is assembled for every chip that
lab/hardware/chips.sh names (of TMA_TEST_SHARE chips one: drawn.py), and has the tensor instructions that the chip has and no others. nvcc from
CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda; exit code 77 where there is none."""
import pathlib
import re
import subprocess
import sys
import tempfile

from project_tree import ROOT, finish, nvcc_or_skip

sys.path.insert(0, str(ROOT / "tests/support"))
from drawn import drawn  # noqa: E402

COPY = re.compile(r"\bcp\.(?:async|reduce\.async)\.bulk\.(?:prefetch\.)?tensor[.\w:]*")
DATA_CENTRE = {"100a", "103a", "110a"}
# what is in an instruction's name, and the chips that have it
FORMS = {".multicast::cluster": None, ".tile::gather4": {*DATA_CENTRE, "120a", "121a"},
         ".im2col::w.": {*DATA_CENTRE, "120a", "121a"}, ".im2col::w::128": DATA_CENTRE,
         "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4": DATA_CENTRE,
         "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4": DATA_CENTRE,
         "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4": DATA_CENTRE,
         "cp.async.bulk.prefetch.tensor.3d.L2.global.im2col::w::128": DATA_CENTRE,
         ".multicast::cluster.cta_group::2": DATA_CENTRE,
         "complete_tx::bytes.cta_group::2": DATA_CENTRE}


def chips():
    """All that chips.sh names where no GPU is: its list stands there alone."""
    text = (ROOT / "lab/hardware/chips.sh").read_text()
    return re.search(r"found:-([0-9a ]+)\}", text)[1].split()


def built(nvcc, source, chip, folder):
    """The tensor instructions of one file, and what compiler or assembler say against it."""
    ptx, cubin = folder / f"{source.stem}.ptx", folder / f"{source.stem}.cubin"
    how = [nvcc, "-std=c++17", "-O2", f"-arch=sm_{chip}", f"-I{ROOT / 'include'}",
           *(f"-I{room}" for room in sorted((ROOT / "lab/hardware").iterdir()) if room.is_dir())]
    for step in ([*how, "-ptx", source, "-o", ptx], [*how, "-cubin", ptx, "-o", cubin]):
        run = subprocess.run(step, capture_output=True, text=True)
        if run.returncode:
            return set(), f"{source.name}, sm_{chip}:\n{run.stdout}{run.stderr}"
    return set(COPY.findall(ptx.read_text())), ""


def main():
    nvcc = nvcc_or_skip()
    complaints, looked_at = [], 0
    sources = sorted((ROOT / "lab/hardware").glob("*/device*.cu"))
    with tempfile.TemporaryDirectory() as folder:
        for chip in drawn(chips()):
            found = set()
            for source in sources:
                names, complaint = built(nvcc, source, chip, pathlib.Path(folder))
                found |= names
                complaints += [complaint] if complaint else []
                looked_at += 1
            for form, has in FORMS.items():
                there = any(form in name for name in found)
                if there != (has is None or chip in has):
                    complaints.append(f"sm_{chip}: {form} is {'there' if there else 'missing'}")
    finish(complaints, looked_at)


main()
