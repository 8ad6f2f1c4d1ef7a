# SPDX-License-Identifier: Apache-2.0
"""check_fuzz_calls.py: fuzz/fuzz_calls.def calls each function that libtma shows, once."""
import re

from project_tree import ROOT, finish

shown = set(re.findall(r"^\s+(tma_\w+);", (ROOT / "src/libtma.map").read_text(), re.M))
called = re.findall(r"^FUZZ_CALL\((tma_\w+),", (ROOT / "fuzz/fuzz_calls.def").read_text(), re.M)
complaints = [f"fuzz/fuzz_calls.def: {name} is not called" for name in sorted(shown - set(called))]
complaints += [f"fuzz/fuzz_calls.def: {name} is no function of libtma" for name in sorted(set(called) - shown)]
complaints += [f"fuzz/fuzz_calls.def: {name} twice" for name in sorted({n for n in called if called.count(n) > 1})]
finish(complaints, len(shown))
