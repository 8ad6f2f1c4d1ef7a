# SPDX-License-Identifier: Apache-2.0
"""tma completion in the shells themselves: what each puts on the line, or lists, behind the tab key. A shell that is
not there is left out (Debian: zsh, fish)."""
import os
import pathlib
import shutil
import subprocess

import pytest

TMA = pathlib.Path(os.environ["TMA"]).resolve()
# In a terminal of its own: the tab key, and what is on the terminal until the line has what is waited for.
ZSH = r"""
zmodload zsh/zpty
zpty tma zsh -f -i
see() { zpty -w -n tma $1; zpty -r -m tma shown "*$2*"; print -rn -- $shown; }
see "PATH=${TMA:h}:\$PATH; PS1=; autoload -Uz compinit; compinit -D -u; source =(tma completion zsh); print IT''S IN
" "IT*S IN"$'\r'
see $'tma dr\t--th\t' '--theme='
see $'\x15tma run-\t\t' 'run-hang*'
zpty -d tma
"""


@pytest.fixture(name="said")
def in_a_home(tmp_path):
    return lambda shell, *words: answer(tmp_path, shell, *words)


def answer(home, shell, *words):
    if not shutil.which(shell):
        pytest.skip(f"no {shell}")
    done = subprocess.run([shell, *words], capture_output=True, text=True, check=False, timeout=120,
                          env={**os.environ, "HOME": str(home), "TMA": str(TMA), "PATH": f"{TMA.parent}:{os.environ['PATH']}"})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_bash(said):
    """Its own function, called as bash calls it."""
    script = ('source <(tma completion bash); compopt() { :; }; '
              'at() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _tma; echo "${COMPREPLY[*]}"; }; '
              'at tma dr; at tma draw --th; at tma run-; at tma help dr')
    assert said("bash", "--norc", "-c", script).splitlines() == ["draw", "--theme=", "run-hang run-checked", "draw"]


def test_fish(said):
    script = ('tma completion fish | source; for line in "tma dr" "tma draw --th" "tma run-" "tma help dr"; '
              'complete -C $line; end')
    shown = [line.split("\t")[0] for line in said("fish", "--no-config", "-c", script).splitlines()]
    assert shown == ["draw", "--theme=", "run-checked", "run-hang", "draw"]


def test_zsh(said):
    shown = said("zsh", "-f", "-c", ZSH)
    assert "tma draw" in shown and "--theme=" in shown and "run-checked" in shown
