# SPDX-License-Identifier: Apache-2.0
"""Kernels with the words of their launch, executed by tma emulate and by a GPU: the same bytes in each parameter's
memory and each map's tensor?

    launches_on_gpu.py pack TMA FOLDER [PTX...]  here: the right sides of tests/emulator/kernels and tests/ptx/pairs, or
                                                 of the files named, whose NAME.txt has a line "launch: WORDS"
    launches_on_gpu.py run FOLDER [--jobs N] [--times N]  on a machine with a GPU and its driver (no Python package)
    launches_on_gpu.py one FOLDER/CASE [--times N]        one case, in this process (for compute-sanitizer)

What memory holds at the beginning is what tma gives a kernel of the same parameters that does nothing. A case that
does not end in 20 s hangs. Exit status 1 where one differs, hangs or dies.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import json
import pathlib
import re
import shlex
import subprocess
import sys

SIZES = {"8": 1, "16": 2, "32": 4, "64": 8, "128": 16}
ENDS_S = 20
DIFFERS, DIES = 9, 3


# --- here ---

def entry(text, kernel):
    """(text before its body, its parameters: (name, bytes, alignment))."""
    found = [m for m in re.finditer(r"\.entry\s+([\w$]+)\s*(\(([^)]*)\))?", text) if kernel in (None, m.group(1))]
    head = text[:text.index("{", found[0].end())]
    parameters = []
    for one in (found[0].group(3) or "").split(","):
        if m := re.search(r"\.param\s+(?:\.align\s+(\d+)\s+)?\.([a-z])(\d+)\s+(?:\.ptr\s[^%]*?)?([\w$%]+)\s*(?:\[(\d+)\])?\s*$",
                          one.strip()):
            size = SIZES[m.group(3)]
            parameters.append((m.group(4), size * int(m.group(5) or 1), int(m.group(1) or size), m.group(2)))
    return found[0].group(1), head, parameters


def number(text, kind, size):
    if kind == "f":
        text = text.removesuffix("f")
        return {4: ctypes.c_float, 8: ctypes.c_double}[size](float(text))
    return int(text, 0).to_bytes(size, "little", signed=int(text, 0) < 0)


def put_of(place, value, kind, size):
    """What a parameter holds: bytes, or where it points to."""
    if value == "null":
        return bytes(8).hex()
    if value.startswith("hex:"):
        return value[4:]
    if value.startswith("@"):
        other, _, more = value[1:].partition("+")
        return {"buffer": other, "offset": int(more or "0", 0)}
    if re.match(r"zeros:|uninit:|random:", value):
        return {"buffer": place, "offset": 0}
    return bytes(number(value, kind, size)).hex()


def pack_one(tma, folder, name, text, words):
    reader = argparse.ArgumentParser(allow_abbrev=False)
    for option in ("kernel", "grid", "block", "cluster", "shared"):
        reader.add_argument("--" + option)
    reader.add_argument("--cooperative", action="store_true")
    for option in ("param", "map"):
        reader.add_argument("--" + option, action="append", default=[])
    launch, _ = reader.parse_known_args(words)
    kernel, head, parameters = entry(text, launch.kernel)
    target = re.search(r"\.target\s+(\w+)", text).group(1)
    if target not in ("sm_90", "sm_90a"):
        return "target " + target
    case = folder / name
    case.mkdir(parents=True)
    (case / "kernel.ptx").write_text(text)
    (case / "nothing.ptx").write_text(head + "{ ret; }\n")
    places, at = {}, 0
    for i, (word, size, align, kind) in enumerate(parameters):
        at = -(-at // align) * align
        places[word] = places[str(i)] = (at, size, kind)
        at += size
    saved = subprocess.run([tma, "emulate", case / "nothing.ptx", *words, "--no-static", f"--save-launch={case}/x.launch"],
                           capture_output=True, text=True, check=False)
    if not (case / "x.launch").exists():
        return "tma: " + (saved.stdout + saved.stderr)[-200:]
    resolved = json.loads((case / "x.launch").read_text())
    values, save = [], []
    for word in launch.param:
        place, _, value = word.partition("=")
        place, _, offset = place.partition("+")
        if place not in places:
            return "no parameter " + place
        start, size, kind = places[place]
        if re.match(r"zeros:|uninit:|random:", value):
            save.append((place, place))
        values.append((start + int(offset or "0", 0), put_of(place, value, kind, size)))
    for one in resolved["params"]:
        if "map" in one:
            place = one["name"].partition("+")
            start = places[place[0]][0] + int(place[2] or "0", 0)
            address = int.from_bytes(bytes.fromhex(one["map"][:16]), "little")
            save.append((one["name"], hex(address)))
            values.append((start, {"map": one["map"], "buffer": one["name"]}))
    given = {word for word, _, _, _ in parameters}
    lacks = given - {p.split("=")[0].partition("+")[0] for p in launch.param + launch.map}
    if lacks - {parameters[int(p)][0] for p in (q.split("=")[0] for q in launch.param + launch.map) if p.isdigit()}:
        return "values are invented"
    for which, name_of in (("nothing", "first"), ("kernel", "last")):
        run = subprocess.run([tma, "emulate", case / f"{which}.ptx", *words, "--no-static"] +
                             [f"--save={where}={case}/{name_of}.{i}" for i, (_, where) in enumerate(save)],
                             capture_output=True, text=True, check=False)
        if run.returncode not in (0, 1) or not all((case / f"{name_of}.{i}").exists() for i in range(len(save))):
            return "tma: " + (run.stdout + run.stderr)[-300:]
    said = [line for line in run.stdout.splitlines() if re.match(r"(certain|may) ", line)]
    triple = [[int(n) for n in (one or "1").split(",")] + [1, 1] for one in (launch.grid, launch.block, launch.cluster)]
    cluster = re.search(r"\.reqnctapercluster\s+(\d+)(?:\s*,\s*(\d+))?", head)
    if not launch.block and (m := re.search(r"\.(?:reqntid|maxntid)\s+(\d+)", head)):
        triple[1] = [int(m.group(1)), 1, 1]
    if cluster and not launch.cluster:
        triple[2] = [int(cluster.group(1)), int(cluster.group(2) or 1), 1]
    if not launch.grid:
        triple[0] = triple[2]
    (case / "case.json").write_text(json.dumps({
        "kernel": kernel, "grid": triple[0][:3], "block": triple[1][:3], "cluster": triple[2][:3],
        "cooperative": launch.cooperative, "shared": int(launch.shared or 0), "bytes": at, "values": values,
        "buffers": [one for one, _ in save], "said": said}))
    (case / "x.launch").unlink()
    return None


def of_tests():
    tests = pathlib.Path(__file__).resolve().parents[3] / "tests"
    sys.path[:0] = [str(tests / "ptx")]
    from pairs import noted, sides
    for path in sorted([*(tests / "emulator/kernels").rglob("*.ptx"), *(tests / "ptx/pairs").rglob("*.ptx")]):
        text = path.read_text()
        words = dict(noted(text))
        if "launch" in words:
            yield f"{path.parent.name}-{path.stem}", sides(text)[1], shlex.split(words["launch"])


def pack(tma, folder, files):
    cases = ((f"{path.parent.name}-{path.stem}", path.read_text(),
              shlex.split(re.search(r"^launch:(.*)$", path.with_suffix("").with_suffix(".txt").read_text(), re.M).group(1)))
             for path in map(pathlib.Path, files)) if files else of_tests()
    left, packed = [], 0
    for name, text, words in cases:
        why = pack_one(tma, folder, name, text, words)
        if why:
            left.append((name, why))
            for file in (folder / name).glob("*"):
                file.unlink()
        else:
            packed += 1
    for name, why in left:
        print(f"left out: {name}: {why}")
    print(f"{packed} packed, {len(left)} left out")


# --- on the GPU ---

class Driver:
    def __init__(self):
        self.lib = ctypes.CDLL("libcuda.so.1")
        self("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuDeviceGet", ctypes.byref(device), 0)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self("cuCtxSetCurrent", context)

    def __call__(self, name, *words):
        status = getattr(self.lib, name)(*words)
        if status:
            print(f"{name}: {status}")
            sys.exit(DIES)


class Attribute(ctypes.Structure):  # CUlaunchAttribute: its number, padding, 64 bytes
    _fields_ = [("id", ctypes.c_int), ("pad", ctypes.c_int), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("shared", ctypes.c_uint),
                ("stream", ctypes.c_void_p), ("attributes", ctypes.POINTER(Attribute)), ("count", ctypes.c_uint)]


CLUSTER, COOPERATIVE = 4, 2  # CUlaunchAttributeID
SHARED_MOST = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def launch_once(driver, function, case, parameters, starts):
    attributes = (Attribute * 2)()
    config = Config(grid=(ctypes.c_uint * 3)(*case["grid"]), block=(ctypes.c_uint * 3)(*case["block"]),
                    shared=case["shared"], attributes=attributes)
    if case["cluster"] != [1, 1, 1]:
        attributes[config.count].id = CLUSTER
        attributes[config.count].value[:3] = case["cluster"]
        config.count += 1
    if case["cooperative"]:
        attributes[config.count].id = COOPERATIVE
        attributes[config.count].value[0] = 1
        config.count += 1
    held = ctypes.create_string_buffer(bytes(parameters), len(parameters) or 1)
    words = (ctypes.c_void_p * (len(starts) + 1))(*(ctypes.addressof(held) + start for start in starts))
    driver("cuLaunchKernelEx", ctypes.byref(config), function, words, None)
    driver("cuCtxSynchronize")


def run_one(folder, times):
    case = json.loads((folder / "case.json").read_text())
    driver, module, function = Driver(), ctypes.c_void_p(), ctypes.c_void_p()
    driver("cuModuleLoadData", ctypes.byref(module), (folder / "kernel.ptx").read_bytes() + b"\0")
    driver("cuModuleGetFunction", ctypes.byref(function), module, case["kernel"].encode())
    if case["shared"]:
        driver("cuFuncSetAttribute", function, SHARED_MOST, case["shared"])
    memory = {}
    for i, name in enumerate(case["buffers"]):
        first, address = (folder / f"first.{i}").read_bytes(), ctypes.c_uint64()
        driver("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(len(first), 1)))
        memory[name] = (address.value, first, (folder / f"last.{i}").read_bytes())
    parameters, starts = bytearray(case["bytes"]), []
    for _, size, align, _ in entry((folder / "kernel.ptx").read_text(), case["kernel"])[2]:
        starts.append(-(-(starts[-1] + last if starts else 0) // align) * align)
        last = size
    for at, value in case["values"]:
        if isinstance(value, str):
            put = bytes.fromhex(value)
        elif "map" in value:
            put = memory[value["buffer"]][0].to_bytes(8, "little") + bytes.fromhex(value["map"])[8:]
        else:
            put = (memory[value["buffer"]][0] + value["offset"]).to_bytes(8, "little")
        parameters[at:at + len(put)] = put
    wrong = collections.Counter()
    for _ in range(times):
        for address, first, _ in memory.values():
            driver("cuMemcpyHtoD_v2", ctypes.c_uint64(address), first, ctypes.c_size_t(len(first)))
        driver("cuCtxSynchronize")
        launch_once(driver, function, case, parameters, starts)
        for name, (address, first, last) in memory.items():
            got = ctypes.create_string_buffer(len(first) or 1)
            driver("cuMemcpyDtoH_v2", got, ctypes.c_uint64(address), ctypes.c_size_t(len(first)))
            left = got.raw[:len(last)]
            if left != last:
                different = [i for i, (a, b) in enumerate(zip(left, last)) if a != b]
                i = different[0] // 4 * 4
                wrong[f"{name}: {len(different)} of {len(last)} bytes differ, the first at {different[0]}: "
                      f"GPU {left[i:i + 4].hex()}, tma {last[i:i + 4].hex()}"] += 1
    for what, count in list(wrong.items())[:3]:
        print(f"{count} of {times}: {what}")
    return DIFFERS if wrong else 0


def started(folder, times):
    try:
        done = subprocess.run([sys.executable, __file__, "one", folder, "--times", str(times)], capture_output=True,
                              text=True, timeout=ENDS_S, check=False)
    except subprocess.TimeoutExpired:
        return "hangs", ""
    return {0: "equal", DIFFERS: "differs"}.get(done.returncode, "dies"), (done.stdout + done.stderr).strip()[-400:]


def run(folder, jobs, times):
    cases = sorted(path.parent for path in folder.glob("*/case.json"))
    counts = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for case, (what, words) in zip(cases, pool.map(lambda one: started(one, times), cases)):
            counts[what] += 1
            said = json.loads((case / "case.json").read_text())["said"]
            if what != "equal" or said:
                print(f"{case.name}: {what}; tma: {len(said)} findings; {words}", flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())) or "no case")
    return 0 if set(counts) == {"equal"} else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("pack", "run", "one"))
    parser.add_argument("words", nargs="+")
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    if options.what == "pack":
        return pack(options.words[0], pathlib.Path(options.words[1]).resolve(), options.words[2:])
    folder = pathlib.Path(options.words[0]).resolve()
    if options.what == "one":
        return run_one(folder, options.times)
    return run(folder, options.jobs, options.times)


if __name__ == "__main__":
    sys.exit(main())
