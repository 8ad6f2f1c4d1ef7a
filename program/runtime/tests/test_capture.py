# SPDX-License-Identifier: Apache-2.0
"""tma capture: launches of a program that calls the driver, which is the emulated one here, executed once more."""
import json
import os
import pathlib
import stat
import struct
import subprocess

import pytest

TMA, PROGRAMS = os.environ["TMA"], pathlib.Path(os.environ["PROGRAMS"])
ROOT = pathlib.Path(__file__).resolve().parents[3]
INPUTS = ROOT / "tests/golden/inputs"
BY_HAND = PROGRAMS / "emulated_driver_by_hand"
ADD = "_Z3addPKfPfi"


def tma(*words, **variables):
    return subprocess.run([TMA, *map(str, words)], capture_output=True, text=True, timeout=120, check=False,
                          env=os.environ | variables)


def capture(folder, *words, options=()):
    """The program's driver is the emulated one, so that the library in it watches, and that one's own stands in."""
    return tma("capture", "-o", folder, *options, TMA, "emulate", "--", BY_HAND, *words, LIBTMA_MODE="auto")


def launch(path):
    return json.loads(path.read_text())


@pytest.fixture(scope="module")
def tile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tile") / "launches"
    done = capture(folder, INPUTS / "emulate_tile.ptx", "tile", options=["--memory"])
    assert done.returncode == 0 and "tma capture: 1 launch written to " in done.stderr, done.stderr
    return folder / "0001.launch", done.stdout


def test_the_same_bytes_come_out_of_a_captured_launch(tile, tmp_path):
    path, said = tile
    done = tma("emulate", path, "--save", f"out={tmp_path}/out.bin")
    assert done.returncode == 0 and "6 of 6 protocol instructions executed" in done.stdout, done.stdout + done.stderr
    out = (tmp_path / "out.bin").read_bytes()
    assert out.hex() == said.splitlines()[-1] and len(set(out)) > 100


def test_a_program_notices_nothing(tile):
    plain = tma("emulate", "--", BY_HAND, INPUTS / "emulate_tile.ptx", "tile")
    assert plain.returncode == 0 and plain.stdout == tile[1]


def test_nobody_else_reads_a_launch(tile):
    assert stat.S_IMODE(tile[0].stat().st_mode) == 0o600 and stat.S_IMODE(tile[0].parent.stat().st_mode) == 0o700


def test_what_a_launch_has(tile):
    has = launch(tile[0])
    assert (has["schema"], has["verb"], has["kernel"]) == (2, "launch", "waits")
    assert (has["grid"], has["block"], has["cluster"], has["shared_B"]) == ([1, 1, 1], [128, 1, 1], [1, 1, 1], 0)
    assert [a["id"] for a in has["attributes"]] == [4] and has["ptx"] == (INPUTS / "emulate_tile.ptx").read_text()
    map_, out = has["params"]
    rows, result = has["memory"]
    assert map_["name"] == "map" and len(map_["map"]) == 256 and out["name"] == "out"
    assert struct.unpack("<Q", bytes.fromhex(map_["map"][:16]))[0] == int(rows["address"], 16)
    assert struct.unpack("<Q", bytes.fromhex(out["param"][4:]))[0] == int(result["address"], 16)
    assert (rows["size_B"], result["size_B"]) == (4096, 512)


def test_a_launch_saved_again_is_the_same(tile, tmp_path):
    again = tmp_path / "again.launch"
    assert tma("emulate", tile[0], "--save-launch", again).returncode == 0
    first, second = launch(tile[0]), launch(again)
    assert [second[key] for key in ("schema", "memory", "params", "grid", "block", "ptx")] == [
        first[key] for key in ("schema", "memory", "params", "grid", "block", "ptx")]
    assert tma("emulate", again).stdout == tma("emulate", tile[0]).stdout


def contents(allocation):
    """What was in it; the driver clears nothing, so it may be anything."""
    data = bytearray(allocation["size_B"])
    for part in allocation["bytes"]:
        piece = bytes.fromhex(part["hex"])
        data[part["offset_B"]:part["offset_B"] + len(piece)] = piece
    return bytes(data)


def test_another_value_beside_a_captured_one(tile, tmp_path):
    """Its memory lies where no allocation of the launch is."""
    done = tma("emulate", tile[0], "--param", "out=zeros:512", "--save", f"out={tmp_path}/out.bin")
    assert done.returncode == 0 and (tmp_path / "out.bin").read_bytes().hex() == tile[1].splitlines()[-1]
    old = launch(tile[0])["memory"][1]
    done = tma("emulate", tile[0], "--param", "out=zeros:512", "--save", f"{old['address']}={tmp_path}/old.bin")
    assert done.returncode == 0 and (tmp_path / "old.bin").read_bytes() == contents(old)


def test_without_memory_allocations_are_listed(tmp_path):
    done = capture(tmp_path / "l", INPUTS / "emulate_tile.ptx", "tile")
    memory = launch(tmp_path / "l/0001.launch")["memory"]
    assert done.returncode == 0 and [m["size_B"] for m in memory] == [4096, 512] and all("bytes" not in m for m in memory)
    done = tma("emulate", tmp_path / "l/0001.launch")
    assert done.returncode == 0 and done.stdout.count("that were not captured: zeros") == 2


def test_memory_has_a_limit(tmp_path):
    capture(tmp_path / "l", INPUTS / "emulate_tile.ptx", "tile", options=["--memory=1K"])
    assert ["bytes" in m for m in launch(tmp_path / "l/0001.launch")["memory"]] == [False, True]


def test_a_kernel_without_copies_is_named(tmp_path):
    done = capture(tmp_path / "none", INPUTS / "emulate_add.ptx", "add")
    assert done.returncode == 3 and not list((tmp_path / "none").iterdir())
    assert "0 launches written to " in done.stderr and "no kernel with tensor or bulk copies" in done.stderr
    for name in (ADD, "add", "add(float const*, float*, int)"):
        folder = tmp_path / name.replace("*", "")
        assert capture(folder, INPUTS / "emulate_add.ptx", "add", options=["--memory", f"--kernel={name}"]).returncode == 0
        done = tma("emulate", folder / "0001.launch", "--save", f"b={tmp_path}/b.bin")
        assert done.returncode == 0 and struct.unpack("<100f", (tmp_path / "b.bin").read_bytes()) == tuple(range(1, 101))


def test_parameters_in_a_buffer_of_a_library_s_kernel(tmp_path):
    done = capture(tmp_path / "l", INPUTS / "emulate_add.ptx", "library", options=["--memory", "--kernel=add"])
    assert done.returncode == 0, done.stderr
    assert launch(tmp_path / "l/0001.launch")["params"][2] == {"name": "n", "param": "hex:64000000"}
    assert tma("emulate", tmp_path / "l/0001.launch").returncode == 0


def add_with(path, *parameters, head="", body="ret;"):
    """Nothing but the head of the kernel that the program calls."""
    path.write_text(f".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry {ADD}({', '.join(parameters)}) "
                    f"{head} {{ {body} }}\n")
    return path


@pytest.mark.parametrize("head, ctas", [("", 1), (".reqnctapercluster 2", 2)], ids=str)
@pytest.mark.parametrize("way", ["add", "library"])
def test_no_cluster_is_invented_for_a_launch_without_one(way, head, ctas, tmp_path):
    """The kernel has what only means something in a cluster; a launch by hand would get two CTAs."""
    ptx = add_with(tmp_path / "k.ptx", ".param .u64 a", ".param .u64 b", ".param .u32 n", head=head,
                   body="barrier.cluster.arrive; barrier.cluster.wait; ret;")
    assert "cluster 2,1,1" in tma("emulate", ptx).stdout
    capture(tmp_path / "l", ptx, way, options=["--memory", "--kernel=add"])
    assert launch(tmp_path / "l/0001.launch")["cluster"] == [ctas, 1, 1]
    done = tma("emulate", tmp_path / "l/0001.launch")
    assert done.returncode == 0 and f"cluster {ctas},1,1" in done.stdout and "invented" not in done.stdout, done.stdout


def test_where_a_pointer_points_moves_no_parameter(tmp_path):
    """In a buffer of 20 bytes, where the second would begin at 16."""
    ptx = add_with(tmp_path / "k.ptx", *(f".param .u64 .ptr .global .align 16 {name}" for name in "ab"), ".param .u32 n")
    done = capture(tmp_path / "l", ptx, "library", options=["--kernel=add"])
    assert "1 launch written to " in done.stderr, done.stderr
    params = launch(tmp_path / "l/0001.launch")["params"]
    assert [len(p["param"]) for p in params] == [20, 20, 12] and params[2]["param"] == "hex:64000000"


@pytest.mark.parametrize("a, n", [
    (".u64 a", ".b8 n[2][2]"), (".b8 a[010]", ".b8 n[4 /* 4 */]"), (".b8 a[0b1000]", ".b8 n[ 2 * 2 ]"), (".u8 a[2] [4U]", ".u32 n")])
def test_sizes_in_brackets(a, n, tmp_path):
    ptx = add_with(tmp_path / "k.ptx", f".param .align 8 {a}", ".param .u64 b", f".param .align 4 {n}")
    done = capture(tmp_path / "l", ptx, "add", options=["--kernel=add"])
    assert "1 launch written to " in done.stderr, done.stderr
    params = launch(tmp_path / "l/0001.launch")["params"]
    assert [len(p["param"]) for p in params] == [20, 20, 12] and params[2]["param"] == "hex:64000000"


def test_a_size_in_hexadecimal(tmp_path):
    text = (INPUTS / "emulate_tile.ptx").read_text()
    (tmp_path / "k.ptx").write_text(text.replace("map[128]", "map[0x80]"))
    assert "map[0x80]" in (tmp_path / "k.ptx").read_text()
    capture(tmp_path / "l", tmp_path / "k.ptx", "tile")
    assert len(launch(tmp_path / "l/0001.launch")["params"][0]["map"]) == 256


@pytest.mark.parametrize("parameters, name", [
    ([f".param .align 2147483648 .b8 {name}[4]" for name in "abn"], "b"),
    ([".param .b8 a[32764]", ".param .b8 b[1]", ".param .u32 n"], "b"),
    ([".param .b8 a[8]", ".param .b8 b[8]", ".param .b8 n[]"], "n"),
    ([".param .b8 a[65536][65536]", ".param .b8 b[8]", ".param .u32 n"], "a"),
    ([".param .u64 a", ".param .u64 b", ".param .u32 n", *(f".param .u32 p{i}" for i in range(62))], "p61"),
], ids=str)
def test_parameters_that_are_not_laid_out(parameters, name, tmp_path):
    ptx = add_with(tmp_path / "k.ptx", *parameters)
    done = capture(tmp_path / "l", ptx, "add", options=["--kernel=add"])
    assert f"a launch of {ADD} is not captured: where its parameter {name} lies is not understood" in done.stderr, done.stderr
    assert done.returncode in (1, 3) and not list((tmp_path / "l").iterdir())


def test_the_first_launches_of_each_kernel(tmp_path):
    def files(name, *options):
        capture(tmp_path / name, "none", "prints", options=["--kernel=k", *options])
        return sorted(path.name for path in (tmp_path / name).iterdir())
    assert files("one") == ["0001.launch"] and files("two", "-n", 2) == ["0001.launch", "0002.launch"]
    assert files("one") == ["0001.launch", "0002.launch"]  # nothing is written over


def test_a_kernel_that_is_loaded_again_is_the_same(tmp_path):
    for launches in (1, 4):
        capture(tmp_path / f"l{launches}", "none", "reloads", options=["--kernel=k", "-n", launches])
        assert len(list((tmp_path / f"l{launches}").iterdir())) == launches


def test_launches_of_a_captured_stream_are_without_contents(tmp_path):
    done = capture(tmp_path / "l", INPUTS / "emulate_add.ptx", "graph", options=["--memory", "--kernel=add"])
    assert done.returncode == 0, done.stderr
    has = launch(tmp_path / "l/0001.launch")
    assert len(has["memory"]) == 2 and all("bytes" not in m for m in has["memory"])


def test_the_status_is_the_program_s(tmp_path):
    done = capture(tmp_path / "l", INPUTS / "emulate_tile.ptx", "early")
    assert done.returncode == 1 and (tmp_path / "l/0001.launch").exists()
    done = tma("emulate", tmp_path / "l/0001.launch")
    assert done.returncode == 1 and "certain wait-missing" in done.stdout


@pytest.mark.parametrize("words, said", [
    (["-o", "l"], "no program to run"),
    (["true"], "no folder for the launches: give -o FOLDER"),
    (["-o", "l", "-n", "0", "true"], "--launches: 0, must be 1 at least"),
    (["-o", "l", "--memory=0", "true"], "--memory: 0, must be 1 to 384M bytes"),
    (["-o", "l", "--memory=385M", "true"], "--memory: 385M, must be 1 to 384M bytes"),
    (["-o", "l", "--memory=M", "true"], "--memory"),
], ids=str)
def test_wrong_words(words, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = tma("capture", *words)
    assert done.returncode == 2 and said in done.stderr and not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    done = tma("capture", "-o", tmp_path / "file/l", "true")
    assert done.returncode == 2 and "Not a directory" in done.stderr


def test_a_file_in_the_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_text("mine")
    done = tma("capture", "-o", tmp_path / "file", "true")
    assert done.returncode == 2 and "no folder" in done.stderr and "Not a directory" in done.stderr, done.stderr
    assert (tmp_path / "file").read_text() == "mine"


def test_launches_that_a_program_takes_away(tmp_path):
    """Those that it writes count, also under a number that was there."""
    folder = tmp_path / "l"
    words = [TMA, "emulate", "--", BY_HAND, INPUTS / "emulate_tile.ptx", "tile"]
    assert capture(folder, INPUTS / "emulate_tile.ptx", "tile").returncode == 0
    (folder / "0002.launch").write_text((folder / "0001.launch").read_text())
    program = tmp_path / "program.sh"
    program.write_text(f"rm {folder}/*.launch\n[ $# = 0 ] || exec \"$@\"\n")
    done = tma("capture", "-o", folder, "sh", program, *words, LIBTMA_MODE="auto")
    assert done.returncode == 0 and "tma capture: 1 launch written to " in done.stderr, done.stderr
    done = tma("capture", "-o", folder, "sh", program)
    assert done.returncode == 3 and "tma capture: 0 launches written to " in done.stderr, done.stderr


def test_nothing_of_the_environment_is_left(tmp_path):
    done = tma("capture", "-o", tmp_path / "l", TMA, "emulate", "--", BY_HAND, INPUTS / "emulate_tile.ptx", "tile",
               LIBTMA_MODE="auto", LIBTMA_CAPTURE_KERNEL="of-before", LIBTMA_CHECK_KERNELS="1")
    assert done.returncode == 0 and "1 launch written to " in done.stderr, done.stderr
    seen = tma("capture", "-o", tmp_path / "l", "env", LIBTMA_CAPTURE_KERNEL="of-before", LIBTMA_CHECK_KERNELS="1")
    assert "LIBTMA_CAPTURE=" in seen.stdout and "of-before" not in seen.stdout and "LIBTMA_CHECK_KERNELS" not in seen.stdout


def test_ptx_stays_with_what_is_kept_of_it(tmp_path):
    def folders(*options):
        done = tma("capture", "-o", tmp_path / "l", *options, "env")
        return {line.split("=")[0]: line.split("=", 1)[1] for line in done.stdout.splitlines()
                if line.startswith(("TMA_PTXAS_CAPTURE=", "LIBTMA_CAPTURE_PTX="))}
    kept = {"TMA_PTXAS_CAPTURE": str(tmp_path / "c/ptx"), "LIBTMA_CAPTURE_PTX": str(tmp_path / "c/ptx")}
    assert folders("--cache", tmp_path / "c") == kept and folders("--cache", tmp_path / "c") == kept
    assert stat.S_IMODE((tmp_path / "c/ptx").stat().st_mode) == 0o700
    assert not any(pathlib.Path(path).exists() for path in folders().values())
    (tmp_path / "d").mkdir()
    (tmp_path / "d/ptx").symlink_to("nowhere")
    done = tma("capture", "-o", tmp_path / "l", "--cache", tmp_path / "d", "true")
    assert done.returncode == 127 and f"cannot make {tmp_path}/d/ptx: " in done.stderr, done.stderr


# ---- files that a launch does not fit ----

@pytest.mark.parametrize("change, said", [
    ({"memory": 1}, "launch: memory: a list is expected"),
    ({"memory": [{"address": "0x1000"}]}, "launch: memory: each has an address, size_B, and bytes"),
    ({"memory": [{"address": "0x1000", "size_B": 0}]}, "memory at 0x1000: 0 bytes, must be 1 to 2^40"),
    ({"memory": [{"address": "0xffffffffffff0000", "size_B": 16}]}, "that end at 2^56 at most"),
    ({"memory": [{"address": "0x1000", "size_B": 16}, {"address": "0x1008", "size_B": 16}]},
     "memory at 0x1008, 16 bytes: overlaps that at 0x1000, 16 bytes"),
    ({"memory": [{"address": "0x1000", "size_B": 16, "bytes": [{"offset_B": 15, "hex": "0000"}]}]},
     "launch: memory at 0x1000: bytes at 15, 2 of them: it has 16"),
    ({"memory": [{"address": "0x1000", "size_B": 16, "bytes": [{"offset_B": 0, "hex": "0x"}]}]},
     "launch: memory at 0x1000: its bytes are no hex"),
    ({"memory": [{"address": "0x1000", "size_B": 16, "bytes": [{"hex": "00"}]}]},
     "launch: memory: bytes: each has offset_B, and hex"),
    ({"schema": 4}, "launch: schema 4; this version reads 1 to 3"),
], ids=str)
def test_a_wrong_launch_file(change, said, tile, tmp_path):
    (tmp_path / "wrong.launch").write_text(json.dumps(launch(tile[0]) | change))
    done = tma("emulate", tmp_path / "wrong.launch")
    assert done.returncode == 2 and said in done.stderr, done.stderr


@pytest.mark.parametrize("name, value, right", [
    ("LAUNCHES", "many", "0 to 99999 launches"), ("MEMORY", "402653185", "0 to 402653184 bytes"), ("MEMORY", "1M", "0 to 402653184 bytes")])
def test_a_wrong_setting_is_said(name, value, right, tmp_path):
    shim = tmp_path / "libtma-cuda.so"  # names in LD_PRELOAD end at a blank
    shim.symlink_to(pathlib.Path(TMA).parent / "libtma-cuda.so")
    done = subprocess.run([BY_HAND, "none", "captures"], capture_output=True, text=True, check=False, timeout=60, env={
        "LD_PRELOAD": str(shim), "LD_LIBRARY_PATH": str(pathlib.Path(TMA).parent / "emulated"),
        f"LIBTMA_CAPTURE_{name}": value})
    assert f"libtma: LIBTMA_CAPTURE_{name}={value} is wrong: it can be {right}\n" in done.stderr, done.stdout + done.stderr


def test_an_address_that_no_memory_has(tile, tmp_path):
    done = tma("emulate", tile[0], "--save", f"0x10={tmp_path}/x.bin")
    assert done.returncode == 2 and "0x10: no memory of the launch has this address" in done.stderr


# ---- what ptxas made of which PTX ----

def fnv(data):
    """tma_hash()."""
    total = 0xCBF29CE484222325
    for byte in data:
        total = (total ^ byte) * 0x100000001B3 % 2 ** 64
    return total


def test_the_ptx_of_a_cubin_is_kept(tmp_path):
    code = b"machine code"
    ptxas = tmp_path / "ptxas"
    ptxas.write_text("#!/bin/sh\nwhile [ $# -gt 1 ]; do [ $1 = -o ] && printf 'machine code' >$2; shift; done\n")
    ptxas.chmod(0o755)
    (tmp_path / "k.ptx").write_text("// a kernel\n")
    done = tma("ptxas", f"--real={ptxas}", tmp_path / "k.ptx", "-o", tmp_path / "k.cubin", "-v", TMA_PTXAS_CAPTURE=str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / f"{fnv(code):016x}.ptx").read_text() == "// a kernel\n"


def test_a_cooperative_launch_is_one_again(tmp_path):
    ptx = pathlib.Path(__file__).with_name("grid_sync.ptx")
    done = capture(tmp_path / "launches", ptx, "together", options=["--memory", "--kernel=rounds"])
    path = tmp_path / "launches/0001.launch"
    assert "tma capture: 1 launch written to " in done.stderr, done.stdout + done.stderr
    assert (launch(path)["schema"], launch(path)["cooperative"]) == (3, True)
    done = tma("emulate", path, "--save", f"out={tmp_path}/out.bin")
    assert done.returncode == 0 and "completed, 0 findings" in done.stdout, done.stdout + done.stderr
    assert struct.unpack("6I", (tmp_path / "out.bin").read_bytes()[:24]) == (6, 5, 4, 3, 2, 1)
