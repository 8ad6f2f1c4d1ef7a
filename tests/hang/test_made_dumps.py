# SPDX-License-Identifier: Apache-2.0
"""tma hang on dumps of hangs that are described here, so that the answer is known (made_core.py). TMA is the command.
All that it prints of a test's dumps (up to 20 kB of one) stands in said/TEST.txt besides; REBASE=1 writes that anew."""
import json
import os
import pathlib
import struct
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from made_core import BLOCKED, EXITED, Core, Image, cut_core, lane  # noqa: E402

TMA = os.environ["TMA"]
# Of the image's function: a wait at [R3] and one at [R3 + 8], parity in R0; each loop is YIELD, SYNCS, BRA.
WAIT, NEXT_WAIT = 0x1330, 0x1370
BOX_A, BOX_B = 16384, 8192


def word(parity, arrivals, bytes_B, count):
    """An mbarrier's word, by the table of include/tma/barrier.def, typed once more."""
    return (parity << 63 | (-arrivals & 0xFFFFF) << 43 | (-bytes_B & 0x1FFFFF) << 21 | (-count & 0xFFFFF) << 1)


def waiting(image, barrier=0x400, parity=0, at=WAIT, lanes=32, **more):
    base = barrier - (8 if at == NEXT_WAIT else 0)
    return [lane(image.text + at, {3: base, 0: parity << 31}, **more)] * lanes


@pytest.fixture
def image():
    return Image("wrong_barrier")


def hang(path, *words):
    return subprocess.run([TMA, "hang", *words, str(path)], capture_output=True, text=True, timeout=60, check=False)


def answer(core, tmp_path):
    path = core.write(tmp_path / "core")
    text, line = hang(path), hang(path, "--json")
    said = text.stdout + line.stdout.replace(str(path), "core") + f"[exit {text.returncode}, {line.returncode}]\n"
    if len(said) < 20000:
        with open(tmp_path / "said", "a", encoding="utf-8") as file:
            file.write(said)
    return text.stdout, json.loads(line.stdout)


@pytest.fixture(autouse=True)
def as_written(tmp_path, request):
    """Of a test that asks: all that it was answered is as it is written."""
    yield
    if (tmp_path / "said").exists():
        written = pathlib.Path(__file__).with_name("said") / f"{request.node.name.replace('[', '_').rstrip(']')}.txt"
        said = (tmp_path / "said").read_text(encoding="utf-8")
        if os.environ.get("REBASE") == "1":
            written.write_text(said, encoding="utf-8")
        assert said == written.read_text(encoding="utf-8"), f"REBASE=1 writes {written} anew, if that is right"


def one_kernel(image, ctas, tmp_path):
    """Of each CTA (warps, words)."""
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    for block, (warps, words) in enumerate(ctas):
        core.cta(1, warps, words, block=block)
    return answer(core, tmp_path)


def first_line(text):
    return text.splitlines()[0]


def test_one_wait(image, tmp_path):
    text, said = one_kernel(image, [([waiting(image)], {0x400: word(0, 0, BOX_A, 1)})], tmp_path)
    assert first_line(text) == ("Waits at the mbarrier at 0x400 (hangs.cu:31, inlined from hangs.cu:13): 16384 B missing and no "
                                "arrival; 16384 B are 1 box of map 1 or 2 boxes of map 2.")
    assert "1 warp (32 lanes) in 1 of 1 CTA, first CTA 0,0,0 thread 0, waits at the mbarrier" in text
    (place,) = said["places"]
    assert place["barrier"] == {"at": "0x400", "wait_parity": 0, "waits": True, "sure": True, "word": "0x3f8001ffffe",
                                "likely": True, "parity": 0, "arrivals": 1, "arrivals_missing": 0, "bytes_missing_B": BOX_A,
                                "error_bit": False}
    assert place["first_cta"] == place["first_thread"] == [0, 0, 0] and said["sm"] == 90


def test_the_phase_before(image, tmp_path):
    """Parity 1 of a barrier that was just initialised is over; a wait of parity 0 in its second phase waits for ever."""
    text, _ = one_kernel(image, [([waiting(image, parity=1)], {0x400: word(0, 1, 0, 1)})], tmp_path)
    assert first_line(text).startswith("No warp is kept by an mbarrier (the phases waited for are over)")
    text, _ = one_kernel(image, [([waiting(image, parity=1)], {0x400: word(1, 1, 0, 1)})], tmp_path)
    assert first_line(text) == "Waits at the mbarrier at 0x400 (hangs.cu:31, inlined from hangs.cu:13): its arrival missing, no bytes."


def test_two_warps_at_two_barriers(image, tmp_path):
    """The one that lacks bytes comes before the one that lacks all arrivals, whoever has more lanes."""
    words = {0x410: word(1, 2, 0, 2), 0x428: word(0, 0, BOX_B, 1)}
    warps = [waiting(image, 0x410, 1, lanes=1), waiting(image, 0x428, 0, NEXT_WAIT)]
    for order in warps, warps[::-1]:
        text, said = one_kernel(image, [(order, words)], tmp_path)
        assert first_line(text).startswith("Waits at the mbarrier at 0x428 (hangs.cu:31, inlined from hangs.cu:13): 8192 B missing")
        assert [p["barrier"]["at"] for p in said["places"]] == ["0x428", "0x410"] and said["words"] == []


def test_some_arrivals_before_all(image, tmp_path):
    words = {0x410: word(1, 3, 0, 4), 0x428: word(0, 1, 0, 1)}
    text, _ = one_kernel(image, [([waiting(image, 0x428), waiting(image, 0x410, 1)], words)], tmp_path)
    assert first_line(text).startswith("Waits at the mbarrier at 0x410") and "3 of 4 arrivals missing" in first_line(text)


def test_too_many_bytes_before_some_arrivals(image, tmp_path):
    """And those before all arrivals; whoever has more lanes."""
    words = {0x410: word(0, 1, -BOX_A, 1), 0x418: word(0, 3, 0, 4), 0x420: word(0, 1, 0, 1), 0x428: word(0, 0, BOX_B, 1)}
    warps = [waiting(image, 0x420, lanes=1), waiting(image, 0x418, lanes=2), waiting(image, 0x410, lanes=4), waiting(image, 0x428, lanes=8)]
    for order in warps, warps[::-1]:
        _, said = one_kernel(image, [(order, words)], tmp_path)
        assert [p["barrier"]["at"] for p in said["places"]] == ["0x428", "0x410", "0x418", "0x420"]


def test_two_sides_that_wait_for_each_other(image, tmp_path):
    """The same words are left whichever was wrong; another kernel's wait is no side of it, nor the same barrier elsewhere."""
    both = "others wait, too: the dump does not tell which of the two sides may be wrong."
    words = {0x410: word(1, 1, 0, 1), 0x428: word(0, 1, 0, 1)}
    warps = [waiting(image, 0x410, 1), waiting(image, 0x428, 0, NEXT_WAIT)]
    text, said = one_kernel(image, [(warps, words)], tmp_path)
    assert first_line(text).endswith(f"its arrival missing, no bytes. At 0x428 (hangs.cu:31, inlined from hangs.cu:13) {both}")
    assert said["verdict"] == first_line(text)
    text, _ = one_kernel(image, [([warps[0], waiting(image, 0x410, 1, NEXT_WAIT)], words)], tmp_path)
    assert both not in text
    text, _ = one_kernel(image, [([warps[0], waiting(image, 0x410, 1, NEXT_WAIT), waiting(image, 0x428, 0)], words)], tmp_path)
    assert f"At 0x428 (hangs.cu:31, inlined from hangs.cu:13) {both}" in first_line(text)
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1, 2], [image.params, image.params])
    for grid, warp in ((1, warps[0]), (2, warps[1])):
        core.cta(grid, [warp], words)
    text, _ = answer(core, tmp_path)
    assert both not in text


def test_too_many_bytes(image, tmp_path):
    """A multicast that one of two CTAs did not expect."""
    text, _ = one_kernel(image, [([waiting(image)], {0x400: word(0, 1, -BOX_A, 1)})], tmp_path)
    assert first_line(text).endswith("its arrival missing and 16384 B more than expected; 16384 B too many are 1 box of map 1 "
                                     "or 2 boxes of map 2.")


@pytest.mark.parametrize("swapped", [False, True])
def test_bytes_of_another_cta(image, tmp_path, swapped):
    """A copy to the barrier of the CTA beside it, which waits for its own: the one that lacks comes first."""
    ctas = [([waiting(image)], {0x400: word(0, 0, BOX_A, 1)}), ([waiting(image)], {0x400: word(0, 1, -BOX_A, 1)})]
    text, _ = one_kernel(image, ctas[::-1] if swapped else ctas, tmp_path)
    assert first_line(text).startswith("Waits at the mbarrier at 0x400 (hangs.cu:31, inlined from hangs.cu:13): 16384 B missing and "
                                       f"no arrival; 16384 B came to the barrier at 0x400 of CTA {0 if swapped else 1},0,0, where")


def test_bytes_of_a_cta_that_waits_for_nothing(image, tmp_path):
    ctas = [([waiting(image)], {0x400: word(0, 0, BOX_A, 1)}),
            ([[lane(image.text + 0x10)] * 32], {0x408: word(0, 1, -BOX_A, 1)})]
    text, _ = one_kernel(image, ctas, tmp_path)
    assert "16384 B came to the barrier at 0x408, where nobody expected them" in first_line(text)


def test_dynamic_shared_memory(image, tmp_path):
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image, 0x30408, 1)], {0x30408: word(1, 0, 3 * BOX_B, 1)}, shared_B=228 * 1024)
    text, _ = answer(core, tmp_path)
    assert first_line(text).startswith("Waits at the mbarrier at 0x30408") and "3 boxes of map 2" in first_line(text)


def test_never_initialised(image, tmp_path):
    text, _ = one_kernel(image, [([waiting(image)], {0x400: 0})], tmp_path)
    assert "was never initialised, or was written over: its word is 0x0000000000000000" in first_line(text)


def test_lanes_that_wait_for_their_warp(image, tmp_path):
    """One lane waits; the others stand in the same loop, but for it: their registers hold no barrier."""
    others = [lane(image.text + WAIT, {3: 0x7777, 0: 0}, BLOCKED)] * 31
    text, said = one_kernel(image, [([waiting(image, lanes=1) + others], {0x400: word(0, 0, BOX_A, 1)})], tmp_path)
    assert first_line(text).startswith("Waits at the mbarrier at 0x400")
    assert [(p["does"], p["lanes"]) for p in said["places"]] == [("wait at an mbarrier", 1), ("wait for other lanes", 31)]


@pytest.mark.parametrize("state", range(27))
def test_states_of_lanes(image, tmp_path, state):
    """6 to 24 are blocked, 0 has ended (cudadebugger.h)."""
    others = [lane(image.text + 0x10, state=state)] * 31
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image, lanes=1) + others], {0x400: word(0, 0, BOX_A, 1)})
    said = json.loads(hang(core.write(tmp_path / "core"), "--json").stdout)
    does = [(p["does"], p["lanes"]) for p in said["places"]][1:]
    assert does == ([] if state == EXITED else [("wait for other lanes", 31)] if 6 <= state <= 24 else [("run", 31)])


def test_lanes_that_ended(image, tmp_path):
    ended = [lane(image.text + WAIT, {3: 0x7777, 0: 0}, EXITED)] * 31
    _, said = one_kernel(image, [([waiting(image, lanes=1) + ended], {0x400: word(0, 0, BOX_A, 1)})], tmp_path)
    assert [p["lanes"] for p in said["places"]] == [1]


def test_pcs_of_one_loop_are_one_place(image, tmp_path):
    warps = [waiting(image, at=at) for at in (WAIT - 0x20, WAIT - 0x10, WAIT)]
    _, said = one_kernel(image, [(warps, {0x400: word(0, 0, BOX_A, 1)})], tmp_path)
    assert [(p["lanes"], p["warps"]) for p in said["places"]] == [(96, 3)]


def test_without_lines(image, tmp_path):
    image.without_lines()
    text, _ = one_kernel(image, [([waiting(image)], {0x400: word(0, 0, BOX_A, 1)})], tmp_path)
    assert first_line(text).startswith("Waits at the mbarrier at 0x400 (PC 0x1330): 16384 B missing")
    assert "\n_Z8pipeline14CUtensorMap_stS_iPi\n" in text


def test_no_waits(tmp_path):
    """bar.sync alone."""
    bar = Image("named_barrier")
    at = 0x160
    text, said = one_kernel(bar, [([[lane(bar.text + at)] * 32], {})], tmp_path)
    assert first_line(text) == ("No warp is kept by an mbarrier: 1 warp waits at a barrier of the CTA (bar.sync, __syncthreads) at "
                                "hangs_other.cuh:96, barrier 3 for 96 threads.")
    assert said["places"][0]["bar_sync"] == {"number": 3, "threads": 96}


def test_several_kernels(image, tmp_path):
    """Two grids of one kernel and one of another: each has its waits, words and maps; the one that hangs comes first."""
    bar = Image("named_barrier").moved(image.text + (1 << 20))
    core = Core(image.head)
    core.image(bar)
    core.image(image)
    core.grids(0, [5, 6, 7], [image.params, bytes(384), image.params[:240] + bytes(144)])
    core.cta(5, [waiting(image)], {0x400: word(1, 1, 0, 1)})
    core.cta(6, [[lane(bar.text + 0x160)] * 32])
    core.cta(7, [waiting(image)], {0x400: word(0, 0, BOX_A, 1), 0x408: word(0, 1, -BOX_A, 1)})
    core.cta(5, [waiting(image)], {0x400: word(1, 1, 0, 1)}, block=1)
    text, said = answer(core, tmp_path)
    assert "16384 B are 1 box of map 1." in first_line(text) and "at 0x408, where nobody expected" in first_line(text)
    parts = text.split("\n\n")[1].split("_Z")[1:]
    assert [part.count("\n  map ") for part in parts] == [1, 0, 2] # of its own grid alone
    parts = [part.splitlines()[0] for part in parts]
    assert [p.rsplit(": ", 1)[-1] for p in parts] == [f"device 0, grid {i}, 4 x 1 x 1 CTAs" for i in (7, 6, 5)]
    assert [said["grids"][p["grid_index"]]["grid_id"] for p in said["places"]] == [7, 6, 5] and said["places"][2]["ctas"] == 2
    assert [said["grids"][m["grid_index"]]["grid_id"] for m in said["maps"]] == [7, 5, 5]
    assert [said["grids"][w["grid_index"]]["grid_id"] for w in said["words"]] == [7]


def test_several_devices(image, tmp_path):
    """GPUs number their grids alike: a grid has its own GPU's parameters."""
    core = Core(image.head, (90, 90))
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image)], {0x400: word(1, 1, 0, 1)})
    core.grids(1, [1], [image.params[:240] + bytes(144)])
    core.cta(1, [waiting(image)], {0x400: word(0, 0, BOX_A, 1)}, device=1)
    text, said = answer(core, tmp_path)
    assert "16384 B are 1 box of map 1." in first_line(text) and "device 1, grid 1" in text
    assert [(said["grids"][p["grid_index"]]["device"]) for p in said["places"]] == [1, 0]


def test_another_chip(image, tmp_path):
    """Its code is not understood: the barrier is likely, and said so; no word says that nobody waits."""
    core = Core(image.head, (100,))
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image)], {0x400: word(0, 0, BOX_A, 1), 0x410: word(0, 1, 0, 2)})
    text, said = answer(core, tmp_path)
    assert first_line(text) == ("Likely waits at the mbarrier at 0x400 (sm_100's code is not understood): 16384 B missing and no "
                                "arrival; 16384 B are 1 box of map 1 or 2 boxes of map 2.")
    assert said["sm"] == 100 and len(said["words"]) == 2 and "nobody waits" not in text
    assert hang(tmp_path / "core").returncode == 1
    core = Core(image.head, (100,))
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image)])
    text, _ = answer(core, tmp_path)
    assert first_line(text).startswith("What the warps wait for is not known: sm_100's code is not understood")


@pytest.mark.parametrize("sm", [100, 103, 121])
def test_the_number_of_a_chip(image, tmp_path, sm):
    core = Core(image.head, (sm,))
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image)])
    text, said = answer(core, tmp_path)
    assert said["sm"] == sm and f"sm_{sm}'s code is not understood" in text


def test_a_wait_right_behind_another_function(image, tmp_path):
    """The first warp's function ends where the second one waits in its own."""
    size = next(s[5] for s in image.rows if s[3] == image.text)
    other = Image("wrong_barrier").moved(image.text + size - WAIT)
    core = Core(image.head)
    core.image(image)
    core.image(other)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image), waiting(other, 0x410)], {0x400: word(0, 0, BOX_A, 1), 0x410: word(0, 0, BOX_B, 1)})
    _, said = answer(core, tmp_path)
    assert sorted(int(p["barrier"]["at"], 16) for p in said["places"]) == [0x400, 0x410]


def test_words_up_to_the_end_of_shared_memory(image, tmp_path):
    """They are read 1,024 bytes at a time, from 0x400 on."""
    core = Core(image.head, (100,))
    core.image(image)
    core.grids(0, [1], [image.params])
    places = (0x400, 0x7f8, 0x800, 0xbf8, 0xc00, 0x1000, 0x1060)
    core.cta(1, [waiting(image)], {at: word(0, 0, BOX_A, 1) for at in (0x3f8, *places)}, shared_B=0x1068)
    _, said = answer(core, tmp_path)
    assert sorted(int(w["at"], 16) for w in said["words"]) == list(places)


def test_a_gather_counted_as_one_row(image, tmp_path):
    """On sm_100 a map of one row brings four in a gather4: three that nobody expected."""
    edit = ["--field", "box_dim", "--ord", "1", "--value", "1", "--format", "raw"]
    row = subprocess.run([TMA, "replace", image.params[112:240].hex(), *edit], capture_output=True, check=False).stdout
    core = Core(image.head, (100,))
    core.image(image)
    core.grids(0, [1], [image.params[:112] + row + bytes(144)])
    core.cta(1, [waiting(image)], {0x400: word(0, 1, -384, 1)})
    text, said = answer(core, tmp_path)
    assert "384 B too many are 3 boxes of map 1" in first_line(text) and "one copy brings 128 B, a gather4 512 B;" in text
    assert [(m["copy_B"], m["gather_B"]) for m in said["maps"]] == [(128, 512)]


def test_many_kernels(image, tmp_path):
    """More than are read: those that are left out are counted, and no other kernel gets their waits."""
    core = Core(image.head)
    core.image(image)
    ids = list(range(1, 201))
    core.grids(0, ids, [image.params] * 200)
    core.cta(199, [waiting(image)], {0x400: word(0, 0, BOX_A, 1)})
    text, said = answer(core, tmp_path)
    assert len(said["grids"]) == 128 and said["grids_left_out"] == 72 and said["places"][0]["grid_index"] == 128
    assert "note: 72 more grids, whose maps were not read" in text and "no number of boxes of its maps" not in first_line(text)


def test_words_that_data_looks_like(image, tmp_path):
    """Of 128 words that may be barriers those stay that look more like one: few arrivals, multiples of 16 bytes."""
    core = Core(image.head, (100,))
    core.image(image)
    core.grids(0, [1], [image.params])
    odd = {0x400 + 8 * i: word(0, 0, 16 * i + 1, 1) if i % 2 else word(0, 1024, 16, 1025 + i) for i in range(128)}
    usual = {0x800 + 8 * i: word(0, 0, 16 * (i + 1), 1024) for i in range(130)}
    core.cta(1, [waiting(image)], odd | usual, shared_B=0x1000)
    _, said = answer(core, tmp_path)
    assert sorted(int(w["at"], 16) for w in said["words"]) == sorted(usual)[:128]
    core = Core(image.head, (100,))
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image)], {at: held for at, held in odd.items() if at < 0x7F0} | usual, shared_B=0x1000)
    _, said = answer(core, tmp_path)
    assert sorted(int(w["at"], 16) for w in said["words"]) == sorted(usual)[:128]


def test_more_places_than_are_kept(image, tmp_path):
    """256; the lanes of others are counted."""
    lanes = [lane(image.text + WAIT, {3: 0x400 + 8 * i, 0: 0}) for i in range(258)]
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [lanes[i:i + 32] for i in range(0, 257, 32)], {0x400 + 8 * i: word(0, 1, 0, 2) for i in range(258)}, shared_B=0x2000)
    text, said = answer(core, tmp_path)
    assert len(said["places"]) == 256 and said["lanes_left_out"] == 2 and "note: 2 more lanes wait elsewhere" in text
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [lanes[i:min(i + 32, 257)] for i in range(0, 257, 32)], shared_B=0x2000)
    text, said = answer(core, tmp_path)
    assert said["lanes_left_out"] == 1 and "note: 1 more lane waits elsewhere" in text


def test_shared_memory_that_is_not_there(image, tmp_path):
    """The CTA before it has some, which is not its."""
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image, parity=1)], {0x400: word(0, 1, 0, 1)})
    core.cta(1, [waiting(image, 0x408, lanes=1), waiting(image, 0x408)], block=(1, 2, 3), shared_B=0)
    core.cta(1, [waiting(image, 0x7FC)], block=2)
    text, said = answer(core, tmp_path)
    assert "2 warps (33 lanes) in 1 of 3 CTAs, first CTA 1,2,3 thread 0, wait at the mbarrier at 0x408, whose word is not" in text
    assert "1 warp (32 lanes) in 1 of 3 CTAs, first CTA 2,0,0 thread 0, waits at the mbarrier at 0x7fc, whose word is not" in text
    assert "has passed or is about to pass the mbarrier at 0x400 for parity 1" in text
    assert [p["barrier"].get("word") for p in said["places"]].count(None) == 2
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image)] * 2, shared_B=0)
    text, _ = answer(core, tmp_path)
    assert first_line(text) == ("No warp is kept by an mbarrier that is in the dump: 2 warps wait at an mbarrier at hangs.cu:31, "
                                "inlined from hangs.cu:13.")


def test_registers_that_are_not_there(image, tmp_path):
    """Lanes with fewer registers than the wait reads."""
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image), waiting(image, 0x408)], {0x400: word(0, 0, BOX_A, 1), 0x408: word(0, 0, BOX_B, 1)})
    core.rows = [(s, held[:12] if s[1] == cut_core.REGS and n % 2 else held) for n, (s, held) in enumerate(core.rows)]
    text, said = answer(core, tmp_path)
    assert said["sections_damaged"] == 32 and [p["lanes"] for p in said["places"]] == [16, 16]
    assert "note: 32 sections are cut off or damaged and were not read" in text


@pytest.mark.parametrize("link, info", [(0, 3), (-1, 3), (1, 3), (None, 32), (None, 33), (None, 1 << 31), (None, 0xFFFFFFFF)])
def test_registers_of_no_lane(image, tmp_path, link, info):
    """Of another table than the lanes', or of a lane beyond a warp's 32: they say nothing."""
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image, lanes=4)], {0x400: word(0, 0, BOX_A, 1), 0x410: word(0, 0, BOX_B, 1)})
    plain, _ = answer(core, tmp_path)
    held = struct.pack("<16I", *[0x410 if n == 3 else 0 for n in range(16)])
    lanes = next(n for n, (s, _) in reversed(list(enumerate(core.rows))) if s[1] == cut_core.LANES)
    core.add(cut_core.REGS, held, lanes if link is None else lanes + link if link else 0, info, 4)
    assert answer(core, tmp_path)[0] == plain


@pytest.mark.parametrize("order", [(0x800, 0xC00), (0xC00, 0x800), (0xC00, 0x800, 0xE00), (0xE00, 0xC00, 0x800)])
def test_words_between_those_that_are_waited_for(image, tmp_path, order):
    """From 1 KiB before the first to 1 KiB behind the last, in whichever order warps wait."""
    held = {at: word(0, 0, BOX_A, 1) for at in (0x800, 0xC00, 0xE00)}
    near = {at: word(0, 1, 0, 2) for at in (0x408, 0x7F0, 0x808, 0xA00, 0xBF0, 0xC08, 0xE08, 0x11F0)}
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image, at) for at in order], held | near, shared_B=0x4000)
    answer(core, tmp_path)


def test_a_pc_in_half_an_instruction(image, tmp_path):
    """The last 8 bytes of a function: nothing behind them is read."""
    rows = [cut_core.bytes_of(image.bytes, s) for s in image.rows]
    code = next(held for s, held in zip(image.rows, rows) if s[3] == image.text)
    name = image.bytes[image.rows[image.names][4]:][next(s[0] for s in image.rows if s[3] == image.text):].split(b"\0")[0]
    image.holding(name.decode(), code[:WAIT + 8])
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image)], {0x400: word(0, 0, BOX_A, 1)})
    _, said = answer(core, tmp_path)
    assert [p["does"] for p in said["places"]] == ["are at code that is not understood"]


def test_uniform_registers_of_the_warp_before(image, tmp_path):
    """They are not the next warp's, nor the next CTA's."""
    at = WAIT - 0x10
    rows = [cut_core.bytes_of(image.bytes, s) for s in image.rows]
    code = bytearray(next(held for s, held in zip(image.rows, rows) if s[3] == image.text))
    while code[at] | (code[at + 1] & 15) << 8 != 0x5A7:
        at += 16
    code[at + 8] = code[at + 8] & 0xC0 | 4
    name = image.bytes[image.rows[image.names][4]:][next(s[0] for s in image.rows if s[3] == image.text):].split(b"\0")[0]
    image.holding(name.decode(), bytes(code))
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    uniforms = struct.pack("<5I", 0, 0, 0, 0, 0x100)
    words = {0x500: word(0, 0, BOX_A, 1), 0x508: word(0, 0, BOX_B, 1)}
    core.cta(1, [waiting(image), waiting(image, 0x408, lanes=2)], words, uniforms=uniforms)
    core.cta(1, [waiting(image, 0x408)], words, block=1, uniforms=b"")
    _, said = answer(core, tmp_path)
    assert [(p["barrier"]["at"], p["lanes"]) for p in said["places"]] == [("0x500", 32)] and said["sections_damaged"] == 34


def test_the_consumers_side_of_one_phase(image, tmp_path):
    """A producer and consumers, all arrivals missing in one phase: the consumers are behind."""
    words = {0x410: word(0, 1, 0, 1), 0x428: word(0, 1, 0, 1)}
    warps = [waiting(image, 0x410, lanes=1), waiting(image, 0x428, 0, NEXT_WAIT)]
    text, said = one_kernel(image, [(warps, words)], tmp_path)
    assert [p["barrier"]["at"] for p in said["places"]] == ["0x428", "0x410"]
    assert first_line(text).startswith("Waits at the mbarrier at 0x428") and " At 0x410 (" in first_line(text)
    warps = [waiting(image, 0x410, lanes=1, parity=1), waiting(image, 0x428, 0, NEXT_WAIT)]
    text, said = one_kernel(image, [(warps, words | {0x410: word(1, 1, 0, 1)})], tmp_path)
    assert [p["barrier"]["at"] for p in said["places"]] == ["0x410", "0x428"]
    text, said = one_kernel(image, [([*warps, waiting(image, 0x430)], words | {0x430: word(0, 1, 0, 1)})], tmp_path)
    assert [p["barrier"]["at"] for p in said["places"]][2] == "0x410"


@pytest.mark.parametrize("bytes_B", [100, -100, 9 * BOX_A, 8 * BOX_A, BOX_B])
def test_bytes_that_are_boxes_or_none(image, tmp_path, bytes_B):
    """At most 8 boxes."""
    text, _ = one_kernel(image, [([waiting(image)], {0x400: word(0, bytes_B < 0, bytes_B, 1)})], tmp_path)
    maps = {100: "no number of boxes of its maps.", -100: "100 B too many are no number of boxes of its maps: the expectation.",
            9 * BOX_A: "147456 B are no number of boxes of its maps.", 8 * BOX_A: "131072 B are 8 boxes of map 1.",
            BOX_B: "8192 B are 1 box of map 2."}
    assert first_line(text).endswith(maps[bytes_B])


def test_no_warp_and_no_code(image, tmp_path):
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    text, _ = answer(core, tmp_path)
    assert first_line(text) == "No warp is running in this dump." and text.count("\n  map ") == 2
    core = Core(image.head)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image)], {0x418: word(0, 0, BOX_A, 1), 0x420: word(0, 0, BOX_B, 1), 0x428: word(0, 1, 0, 2)})
    core.cta(1, [waiting(image)], {0x420: word(0, 0, BOX_B, 1)})
    text, _ = answer(core, tmp_path)
    assert first_line(text).startswith("Likely waits at the mbarrier at 0x420 (its code is not in the dump): 8192 B missing")
    core = Core(image.head)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image)], {0x418: word(0, 1, 0, 2), 0x420: word(0, 0, BOX_B, 1)})
    text, _ = answer(core, tmp_path)
    assert first_line(text).startswith("Likely waits at the mbarrier at 0x420")


def test_two_functions_of_a_grid(image, tmp_path):
    """A function that others call has its name over what waits in it."""
    bar = Image("named_barrier").moved(image.text + (1 << 20))
    core = Core(image.head)
    core.image(bar)
    core.image(image)
    core.grids(0, [5], [image.params])
    core.cta(5, [waiting(image), [lane(bar.text + 0x160)] * 32], {0x400: word(0, 0, BOX_A, 1)})
    text, _ = answer(core, tmp_path)
    assert "\n in _Z13named_barrierPi\n  PC 0x160: 1 warp (32 lanes)" in text


@pytest.mark.parametrize("kind", ["CTAS", "WARPS", "LANES", "none"])
def test_rows_that_are_longer(image, tmp_path, kind):
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image, lanes=1)], {0x400: word(0, 0, BOX_A, 1)})
    for s, held in core.rows:
        if s[1] == getattr(cut_core, kind, None):
            s[9] += 8
    core.rows = [(s, held + bytes(8)) for s, held in core.rows]
    text, said = answer(core, tmp_path)
    assert said["rows_longer"] == (kind != "none") and ("rows are longer than those of driver r580" in text) == (kind != "none")
    assert said["places"][0]["lanes"] == 1


def test_threads_of_three_dimensions(image, tmp_path):
    core = Core(image.head)
    core.block = (8, 2, 4)
    core.image(image)
    core.grids(0, [1], [image.params])
    ended = [lane(image.text + WAIT, state=EXITED)] * 30
    core.cta(1, [waiting(image), ended + waiting(image, 0x408, lanes=2)], {0x400: word(0, 0, BOX_A, 1), 0x408: word(0, 0, BOX_B, 1)},
             block=(3, 2, 1))
    _, said = answer(core, tmp_path)
    assert [(p["first_cta"], p["first_thread"]) for p in said["places"]] == [([3, 2, 1], [6, 1, 3]), ([3, 2, 1], [0, 0, 0])]


def test_a_pc_that_is_nowhere(image, tmp_path):
    """What is read behind it is of the kernel that runs there, not of the one that was looked at last."""
    bar = Image("named_barrier").moved(image.text + (1 << 20))
    core = Core(image.head)
    core.image(image)
    core.image(bar)
    core.grids(0, [1], [image.params])
    warps = [waiting(image), [lane(16)] * 2, waiting(image, 0x408, at=NEXT_WAIT)]
    core.cta(1, warps, {0x400: word(0, 0, BOX_A, 1), 0x408: word(0, 0, BOX_B, 1)})
    text, said = answer(core, tmp_path)
    assert [(p["does"], p["function"], p["lanes"]) for p in said["places"]] == [
        ("wait at an mbarrier", "_Z8pipeline14CUtensorMap_stS_iPi", 32)] * 2 + [("are at code that is not understood", "", 2)]
    assert "PC 0x10: 1 warp (2 lanes)" in text


def test_a_damaged_section(image, tmp_path):
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image, lanes=2)], {0x400: word(0, 0, BOX_A, 1)})
    first = next(n for n, (s, _) in enumerate(core.rows) if s[1] == cut_core.REGS)
    core.rows[first] = (core.rows[first][0], b"")
    text, said = answer(core, tmp_path)
    assert "note: 1 section is cut off or damaged and was not read" in text and said["places"][0]["lanes"] == 1
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [waiting(image, lanes=1)], {0x400: word(0, 0, BOX_A, 1)})
    core.rows = [(s, b"" if s[1] == cut_core.REGS else held) for s, held in core.rows]
    text, said = answer(core, tmp_path)
    assert first_line(text) == "What the warps wait for cannot be said: 1 section is cut off or damaged."
