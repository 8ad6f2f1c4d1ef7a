# SPDX-License-Identifier: Apache-2.0
"""--drawn (tests/support/drawn_cases.py): each test keeps a case, the shares of all seeds are all cases, and without
TMA_TEST_SHARE nothing is left out."""
import os
import pathlib
import subprocess
import sys

SUPPORT = pathlib.Path(__file__).parents[1] / "support"
TESTS = """import pytest
@pytest.mark.parametrize("i", range(30))
def test_many(i): print("ran", i)
def test_one(): print("ran one")
"""


def ran(folder, *options, **environment):
    (folder / "conftest.py").write_text(f"import sys\nsys.path.insert(0, {str(SUPPORT)!r})\n"
                                        "from drawn_cases import pytest_addoption, pytest_collection_modifyitems\n")
    (folder / "test_cases.py").write_text(TESTS)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TMA_TEST_S")}
    done = subprocess.run([sys.executable, "-B", "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "--drawn", *options, "test_cases.py"],
                          cwd=folder, env=kept | environment, capture_output=True, text=True, check=True)
    words = done.stdout.split()
    return {words[i + 1].rstrip(".") for i, word in enumerate(words) if word.endswith("ran")}


def test_without_a_share_all_run(tmp_path):
    assert len(ran(tmp_path)) == 31


def test_each_test_keeps_a_case(tmp_path):
    few = ran(tmp_path, TMA_TEST_SHARE="1000000", TMA_TEST_SEED="a")
    assert few == {"0", "one"}
    assert ran(tmp_path, "-k", "9", TMA_TEST_SHARE="1000000", TMA_TEST_SEED="a") == {"9"}


def test_seeds_share_the_cases_out(tmp_path):
    shares = [ran(tmp_path, TMA_TEST_SHARE="3", TMA_TEST_SEED=str(seed)) for seed in range(12)]
    assert all("one" in share and 2 < len(share) < 25 for share in shares) and len(set.union(*shares)) == 31
