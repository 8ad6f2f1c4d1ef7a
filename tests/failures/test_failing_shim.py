# SPDX-License-Identifier: Apache-2.0
"""Every call of libc's that the shim makes, refused in turn (fail_libc.c): the program that it lives in gets the same
answers, in the same order, and ends as ever; what the shim says is whole lines, and nothing is left behind. SHIM is the
library, PROGRAMS the folder of program/shim/tests' programs; FAIL_ALL=1: each call, else a sample of them by FAIL_SEED."""
import os
import pathlib
import subprocess

import pytest

from failing import chosen, count_of, preloadable

SHIM, LIBRARY = preloadable(os.environ["SHIM"]), preloadable(os.environ["FAIL_LIBC"])
PROGRAMS = pathlib.Path(os.environ["PROGRAMS"])
PTX = (".version 8.0\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 s[4096];\n"
       ".visible .entry copy(.param .align 64 .b8 m[128])\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
       "mov.b64 %d1, m;\ncvta.param.u64 %d2, %d1;\nmov.u32 %r1, 0;\n"
       "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d2, {%r1}], [s];\nret;\n}\n")
RUNS = {  # program, words, settings
    "reports": ("direct_calls", [], {}),
    "log": ("direct_calls", [], {"LIBTMA_LOG": "log"}),
    "quiet": ("direct_calls", [], {"LIBTMA_QUIET": "1"}),
    "stand-in": ("direct_calls", [], {"LIBTMA_MODE": "stand-in"}),
    "class": ("class_calls", [], {}),
    "replace": ("replace_calls", [], {}),
    "looked up": ("found_calls", ["lookup"], {}),
    "loads": ("load_calls", ["direct", "kernels.ptx"], {}),
    "checked": ("load_calls", ["direct", "kernels.ptx"], {"LIBTMA_CHECK_KERNELS": "1", "LIBTMA_CHECK_NOTES": "notes"}),
    "hang": ("load_calls", ["direct", "kernels.ptx"], {"LIBTMA_CHECK_KERNELS": "record", "LIBTMA_CHECK_HANG": "2",
                                                       "LIBTMA_CHECK_NOTES": "notes"}),
    "record": ("load_calls", ["direct", "kernels.ptx"], {"LIBTMA_CHECK_KERNELS": "record", "LIBTMA_RECORD": "records"}),
}


def run(folder, name, at):
    program, words, settings = RUNS[name]
    (folder / "kernels.ptx").write_text(PTX)
    (folder / "records").write_bytes(bytes(8192 * 64))
    for file in ("log", "notes", "count"):
        (folder / file).unlink(missing_ok=True)
    before = {f.name for f in folder.iterdir()} | {"log", "notes", "count"}
    known = {k: v for k, v in os.environ.items() if not k.startswith(("LIBTMA_", "PRETEND_"))}
    done = subprocess.run([PROGRAMS / program, *words], cwd=folder, capture_output=True, timeout=60, check=False, text=True,
                          env=known | settings | {"LD_PRELOAD": f"{LIBRARY}:{SHIM}", "LD_LIBRARY_PATH": str(PROGRAMS / "pretend"),
                                                  "FAIL_AT": str(at), "FAIL_COUNT": str(folder / "count"),
                                                  "FAIL_OBJECT": "libtma-cuda"})
    # Where there is no memory to check an image it goes to the driver as it came, with other options.
    answers = [line for line in done.stdout.splitlines() if not ("LIBTMA_CHECK_KERNELS" in settings and "option" in line)]
    answers = [line for line in answers if not line.startswith("option 3 ")]  # an address
    said = done.stderr.splitlines() + [line for file in ("log", "notes") if (folder / file).exists()
                                       for line in (folder / file).read_text().splitlines()]
    return done.returncode, answers, said, {f.name for f in folder.iterdir()} - before


@pytest.mark.parametrize("name", RUNS)
def test_the_program_goes_on(tmp_path, name):
    status, answers, said, left = run(tmp_path, name, 0)
    assert status == 0 and answers and not left, said
    calls = count_of(tmp_path / "count")
    assert calls or name in ("quiet", "loads")
    wrong = []
    numbers = chosen(tmp_path / "count")
    for at in numbers:
        now = run(tmp_path, name, at)
        if now[:2] != (status, answers) or now[3]:
            wrong.append((at, now))
        wrong += [(at, line) for line in now[2] if line not in said and not line.startswith(("libtma: ", "loaded", "left"))]
        checked = [line for line in now[2] if line.endswith("checked") and line.startswith("total")]
        missing = len([line for line in said if line.startswith("total")]) - len(checked)
        unsaid = missing - len([line for line in now[2] if "not checked" in line or "cannot be written" in line])
        if unsaid > 0:
            wrong.append((at, "unsaid", now[2]))
    assert not wrong, (calls, wrong[:6])
    print(f"{name}: {len(numbers)} of {calls} calls")
