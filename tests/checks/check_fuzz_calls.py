# SPDX-License-Identifier: Apache-2.0
"""check_fuzz_calls.py: lab/fuzz/fuzz_calls.def calls each function that libtma shows, once, and
lab/fuzz/fuzz_calls_text.def each of libtma-text and libtma-draw."""
import re

from project_tree import ROOT, finish


def complaints_of(calls, *maps):
    """What is wrong with a file of calls, and how many functions the libraries show."""
    shown = {name for m in maps for name in re.findall(r"^\s+(tma_\w+);", (ROOT / m).read_text(), re.M)}
    called = re.findall(r"^FUZZ_CALL\((tma_\w+),", (ROOT / calls).read_text(), re.M)
    return ([f"{calls}: {name} is not called" for name in sorted(shown - set(called))] +
            [f"{calls}: {name} is no function of the library" for name in sorted(set(called) - shown)] +
            [f"{calls}: {name} twice" for name in sorted({n for n in called if called.count(n) > 1})]), len(shown)


core, core_count = complaints_of("lab/fuzz/fuzz_calls.def", "src/libtma.map")
text, text_count = complaints_of("lab/fuzz/fuzz_calls_text.def", "text/libtma-text.map", "draw/libtma-draw.map")
finish(core + text, core_count + text_count)
