# SPDX-License-Identifier: Apache-2.0
"""check_misuse.py: what is easily written by mistake does not compile under -Wall -Wextra -Werror,
and the same line as it is meant does. A compiler that says nothing by rule is named in the row."""
import os
import shutil
import subprocess

from project_tree import ROOT, finish

COMPILERS = {"gcc": ("c", "c11"), "clang": ("c", "c11"), "g++": ("c++", "c++17"),
             "clang++": ("c++", "c++17")}
# (what it is, meant, mistaken, compilers that take it)
CASES = [
    ("a spec for a map", "tma_decoded d; return tma_decode(&d, map->bytes) == TMA_OK;",
     "tma_decoded d; return tma_decode(&d, spec) == TMA_OK;", ()),
    ("a spec for a map, to plan", "return tma_plan_make(plan, map->bytes, in, target, 0) == TMA_OK;",
     "return tma_plan_make(plan, spec, in, target, 0) == TMA_OK;", ()),
    ("a map for a spec", "return tma_encode(map->bytes, spec, target) == TMA_OK;",
     "return tma_encode(map->bytes, map, target) == TMA_OK;", ()),
    ("map and spec swapped", "return tma_encode(map->bytes, spec, target) == TMA_OK;",
     "return tma_encode(spec, map->bytes, target) == TMA_OK;", ()),
    ("the integers of an edit, one after another",
     "tma_edit e = *edit; e.field = TMA_REPLACE_BOX_DIM; e.ordinal = 1; e.value = 64;"
     " return tma_replace(map->bytes, &e, 0) == TMA_OK;",
     "return tma_replace(map->bytes, TMA_REPLACE_BOX_DIM, 64, 1, 0) == TMA_OK;", ()),
    ("an ignored status of encode", "return tma_encode(map->bytes, spec, target) == TMA_OK;",
     "tma_encode(map->bytes, spec, target); return 1;", ()),
    ("an ignored status of replace", "return tma_replace(map->bytes, edit, 0) == TMA_OK;",
     "tma_replace(map->bytes, edit, 0); return 1;", ()),
    ("an ignored status of a copy", "return tma_copy(plan, at, 0, 0, 0) == TMA_OK;",
     "tma_copy(plan, at, 0, 0, 0); return 1;", ()),
    ("an ignored predicate", "return tma_accepts(spec, target);",
     "tma_accepts(spec, target); return 1;", ()),
    # clang 14 has no type for enumerators in C, clang 19 has
    ("an inverted predicate", "return tma_accepts(spec, target);",
     "return tma_accepts(spec, target) == TMA_OK;", ("clang",)),
    ("a member of an opaque plan", "return (int)tma_plan_info(plan)->op;", "return (int)plan->op;", ()),
    ("a store into a constant tensor",
     "tma_range r = *range; r.read_only = tensor; return r.host == 0;",
     "tma_range r = *range; r.host = tensor; return r.host == 0;", ()),
]
HEAD = """#include <tma/tma.h>
int asked(tma_map *map, const tma_spec *spec, const tma_target *target, tma_plan *plan,
          const tma_instruction *in, const tma_edit *edit, const tma_position *at,
          const tma_range *range, const unsigned char *tensor);
int asked(tma_map *map, const tma_spec *spec, const tma_target *target, tma_plan *plan,
          const tma_instruction *in, const tma_edit *edit, const tma_position *at,
          const tma_range *range, const unsigned char *tensor) {
    (void)map; (void)spec; (void)target; (void)plan; (void)in; (void)edit; (void)at; (void)range;
    (void)tensor;
"""


def compiles(compiler, body):
    language, standard = COMPILERS[compiler]
    run = subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror",
                          f"-I{ROOT / 'include'}", "-O1", "-x", language, "-c", "-o", os.devnull, "-"],
                         input=f"{HEAD}    {body}\n}}\n", capture_output=True, text=True)
    return run.returncode == 0, run.stderr


def main():
    complaints, asked = [], 0
    for compiler in filter(shutil.which, COMPILERS):
        for what, meant, mistaken, taken_by in CASES:
            fine, said = compiles(compiler, meant)
            if not fine:
                complaints.append(f"{what}, {compiler}: as meant it does not compile:\n{said}")
            if compiler not in taken_by and compiles(compiler, mistaken)[0]:
                complaints.append(f"{what}, {compiler}: the mistake is taken")
            asked += 1
    finish(complaints, asked)


main()
