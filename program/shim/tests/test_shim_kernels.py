# SPDX-License-Identifier: Apache-2.0
"""libtma-cuda.so and the driver's calls that load kernels."""
import fcntl
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess

import pytest

from shim_programs import BUILD, EMULATOR, ORDER, PRETEND, PROGRAMS, SANITIZED, STAND_IN, native, natural, reports, run

LOADS = ["cuModuleLoad", "cuModuleLoadData", "cuModuleLoadDataEx", "cuModuleLoadFatBinary",
         "cuLibraryLoadFromFile", "cuLibraryLoadData", "cuLibraryGetKernel", "cuLibraryGetModule"]
WAYS = ["direct", "handle", "lookup2"]
PTX = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copy()\n{\nret;\n}\n"


@pytest.fixture
def ptx(tmp_path):
    file = tmp_path / "kernels.ptx"
    file.write_text(PTX)
    return file


def test_the_program_asks_what_it_should(ptx):
    lines = natural("load_calls", "direct", ptx, PRETEND_TRACE=1).splitlines()
    assert [line.split()[2] for line in lines if line.startswith("the driver's")] == LOADS
    assert [line for line in lines if line.startswith("cu")] == [
        f"{name} 0, errno 77, a handle" for name in LOADS]
    options = [line for line in lines if "option" in line]
    assert options == [options[0], "option 4 0x10", "option 7 0x8", "option 7 0x8", "library option 1 0x18"]
    assert lines[-1] == "image same"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("mode", ["watch", "stand-in"])
def test_kernels_are_the_drivers(way, mode, ptx, tmp_path):
    """Before a driver both modes pass them on."""
    seen = tmp_path / "seen"
    settings = {"PRETEND_TRACE": 1, "PRETEND_IMAGE": seen}
    for jit in ("", "none"):
        alone = natural("load_calls", way, ptx, PRETEND_JIT=jit, **settings)
        done = run("load_calls", way, ptx, libraries=[PRETEND], LIBTMA_MODE=mode, PRETEND_JIT=jit, **settings)
        assert done.returncode == 0 and done.stderr == ""
        assert without_addresses(done.stdout) == without_addresses(alone)
        assert seen.read_text() == PTX


def without_addresses(text):
    return [line for line in text.splitlines() if not line.startswith("option 3 ")]


def test_without_a_driver_there_are_no_kernels(ptx):
    done = run("load_calls", "direct", ptx, libraries=[STAND_IN], LIBTMA_MODE="stand-in")
    lines = done.stdout.splitlines()
    assert lines == [f"{name} 34, errno 77, none" for name in LOADS[:6]] + ["image same"]
    assert len(done.stderr.splitlines()) == 1 and "there is no driver to pass cuModuleLoad on to" in done.stderr
    done = run("load_calls", "lookup2", ptx, libraries=[STAND_IN], LIBTMA_MODE="stand-in")
    assert (done.returncode, done.stdout) == (1, "cuModuleLoad was not found\n")

# LIBTMA_CHECK_KERNELS.

SAMPLES = pathlib.Path(__file__).parents[3] / "tests/ptx/samples"
COPY = (".version 8.0\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 s[4096];\n"
        ".visible .entry copy(.param .align 64 .b8 m[128])\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
        "mov.b64 %d1, m;\ncvta.param.u64 %d2, %d1;\nmov.u32 %r1, 0;\n"
        "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d2, {%r1}], [s];\nret;\n}\n")
LEFT = COPY.replace("[%d2, {%r1}], [s];", "[%d2, {%r1}], [s];\n"
                    "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%r3, {%r1}], [s];")
CHECKER = "libtma_checker_tma_check_copy"
IMAGES = LOADS[:6]


def load(image, way="direct", **settings):
    """What the driver was given last in each way, and what was said."""
    return run("load_calls", way, image, libraries=[PRETEND], **{"LIBTMA_CHECK_KERNELS": 1, **settings})


def put(folder, text, name="kernels.ptx"):
    file = folder / name
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def images_of(stdout):
    """The sizes of the images that the driver got, by call."""
    return re.findall(r"image of (\w+): (\d+) B, (checks|no checks)", stdout)


@pytest.mark.parametrize("way", WAYS)
def test_ptx_is_loaded_with_checks(way, tmp_path):
    seen = tmp_path / "seen"
    notes = tmp_path / "notes"
    done = load(put(tmp_path, COPY), way, PRETEND_IMAGE=seen, LIBTMA_CHECK_NOTES=notes, PRETEND_TRACE=1)
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and done.stderr == ""
    assert [line for line in lines if line.startswith("cu")] == [f"{name} 0, errno 77, a handle" for name in LOADS]
    assert lines[-1] == "image same", "the program's own text"
    given = images_of(done.stdout)
    assert [what for _, _, what in given] == ["checks"] * 6
    # Files are read here: the driver gets their text.
    assert [name for name, _, _ in given] == ["cuModuleLoadData"] * 2 + IMAGES[2:4] + ["cuLibraryLoadData"] * 2
    assert notes.read_text() == ("image\ncopy: 1 found, 1 checked, 0 left\non a fault: assert\n"
                                 "total 1 found 1 checked\n") * 6
    text = seen.read_text()
    assert CHECKER in text and text.startswith(COPY[:COPY.index(".shared")])
    done = load(put(tmp_path, COPY), way, PRETEND_IMAGE=seen, LIBTMA_CHECK_KERNELS="trap")
    assert "__assertfail" in text and "__assertfail" not in seen.read_text() and CHECKER in seen.read_text()


@pytest.mark.parametrize("way", ["direct"])
def test_notes_have_what_tma_ptx_finds(way, tmp_path):
    """Of the text that the driver would have compiled; a map that is used without its fence among it."""
    notes = tmp_path / "notes"
    edits = COPY.replace(".version 8.0", ".version 8.6").replace("mov.u32 %r1, 0;\n", "mov.u32 %r1, 0;\ntensormap.replace.tile.box_dim.global.b1024.b32 [%d2], 0, %r1;\n"
                                              "fence.proxy.tensormap::generic.release.gpu;\n")
    load(put(tmp_path, edits), way, LIBTMA_CHECK_NOTES=notes)
    assert notes.read_text().count("  line 14, kernel copy: ptx-fence, certain: may go by its map as it was before line 12 writes it") == 6
    load(put(tmp_path, edits), way)  # nobody reads notes: nothing is asked


def test_the_text_is_that_of_tma_ptxas(tmp_path):
    """The whole of a compiler's file, by another program."""
    sample = SAMPLES / "triton_matmul_90.ptx"
    seen, kept, ptxas = tmp_path / "seen", tmp_path / "kept", tmp_path / "ptxas"
    put(tmp_path, "#!/bin/sh\nexit 0\n", "ptxas").chmod(0o755)
    load(sample, PRETEND_IMAGE=seen)
    subprocess.run([*EMULATOR, BUILD / "tma", "ptxas", f"--keep={kept}", f"--real={ptxas}", sample, "-o", "x"],
                   check=True)
    assert seen.read_bytes() == kept.read_bytes() and CHECKER in seen.read_text()


@pytest.mark.parametrize("setting", ["0", ""])
def test_nothing_is_checked_unasked(setting, tmp_path):
    done = load(put(tmp_path, COPY), PRETEND_TRACE=1, LIBTMA_CHECK_KERNELS=setting)
    assert [what for _, _, what in images_of(done.stdout)] == ["no checks"] * 6
    assert without_addresses(done.stdout) == without_addresses(natural("load_calls", "direct", tmp_path / "kernels.ptx",
                                                                       PRETEND_TRACE=1))


def test_a_file_is_not_opened_unasked(tmp_path):
    """Behind a driver that opens none: who has a lease on a file is told of who opens it."""
    with put(tmp_path, COPY, "leased").open("r+b") as file:
        try:
            fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)  # that it is wanted: nothing to us
            fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError:
            pytest.skip("no leases on files here")
        for setting, lease in ("0", fcntl.F_WRLCK), ("1", fcntl.F_RDLCK):
            done = load(put(tmp_path, COPY), LIBTMA_CHECK_KERNELS=setting, LOAD_FILE=file.name, PRETEND_FAULT="blind")
            assert (done.returncode, done.stderr) == (0, "")
            assert fcntl.fcntl(file, fcntl.F_GETLEASE) == lease


@pytest.mark.parametrize("image", [
    b"\x7fELF\x02\x01\x01" + bytes(200), b"\xb1\x43\x62\x46\x01\0\0\0" + bytes(200)])
def test_machine_code_goes_on_and_is_said_once(image, tmp_path):
    done = load(put(tmp_path, image), PRETEND_TRACE=1)
    assert [what for _, _, what in images_of(done.stdout)] == ["no checks"] * 6
    assert done.stderr == ("libtma: kernels that come as machine code (cubin, fatbinary) are not checked: "
                           "PTX is\n")
    assert load(tmp_path / "kernels.ptx", LIBTMA_QUIET=1).stderr == ""


@pytest.mark.parametrize("text", ["", "x", "// no PTX\n", ".version 8.0\n", PTX, COPY[:100], "\xff\xfe" * 100,
                                  COPY.replace("8.0", "7.0").replace("cp.async", "// cp.async")])
def test_what_has_no_copies_goes_on_as_it_is(text, tmp_path):
    seen = tmp_path / "seen"
    done = load(put(tmp_path, text), PRETEND_IMAGE=seen, PRETEND_TRACE=1)
    assert done.stderr == "" and seen.read_bytes() == text.encode()
    assert [what for _, _, what in images_of(done.stdout)] == ["no checks"] * 6


def fatbinary(text, kind=1, packed=0, flags=0x11, more=b"", head=64):
    """As nvcc 13.0 -fatbin --compress-mode=none makes one of a single file."""
    data = text.encode() + bytes(8 - len(text) % 8)
    file = struct.pack("<HHIQI20xQ16x", kind, 0x101, head, len(data), packed, flags) + bytes(head - 64) + data
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(file) + len(more)) + file + more


little = pytest.mark.skipif(ORDER == ">", reason="fatbinaries are read in the byte order of CUDA's processors")


@little
@pytest.mark.parametrize("head", [64, 80])
def test_ptx_alone_in_a_fatbinary_is_checked(head, tmp_path):
    notes = tmp_path / "notes"
    done = load(put(tmp_path, fatbinary(COPY, head=head)), PRETEND_TRACE=1, LIBTMA_CHECK_NOTES=notes)
    assert done.stderr == "" and [what for _, _, what in images_of(done.stdout)] == ["checks"] * 6
    assert notes.read_text().count("copy: 1 found, 1 checked, 0 left") == 6


@little
@pytest.mark.skipif(not shutil.which("nvcc"), reason="no nvcc")
@pytest.mark.parametrize("options", [["--compress-mode=none"], [], ["--compress-mode=size"]])
def test_fatbinaries_of_nvcc(options, tmp_path):
    """Compressed ones too: nvcc does so if nobody says otherwise. Under an emulator there is no libzstd."""
    source = put(tmp_path, COPY)
    made = tmp_path / "made.fatbin"
    done = subprocess.run(["nvcc", "-fatbin", "-gencode", "arch=compute_90a,code=compute_90a", *options, source, "-o", made],
                          capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"nvcc: {done.stderr}")
    assert (COPY.encode() in made.read_bytes()) == (options == ["--compress-mode=none"])
    done = load(made, PRETEND_TRACE=1)
    is_read = not EMULATOR or options == ["--compress-mode=none"]
    assert [what for _, _, what in images_of(done.stdout)] == ["checks" if is_read else "no checks"] * 6
    assert bool(done.stderr) == (not is_read)


@pytest.mark.parametrize("image", [
    fatbinary(COPY, kind=2), fatbinary(COPY, packed=100), fatbinary(COPY, flags=0x8011), fatbinary(COPY, more=bytes(80)), fatbinary(COPY)[:40], fatbinary("x" * 7 + "y" * 8)[:-1] + b"z",
    struct.pack("<IHHQ", 0xBA55ED50, 1, 8, 2**64 - 1) + bytes(100),
    struct.pack("<IIQ", 0x466243B1, 1, 8), struct.pack("<IIQ", 0x466243B1, 1, 0)])
def test_other_fatbinaries_go_on_and_are_said(image, tmp_path):
    done = load(put(tmp_path, image), PRETEND_TRACE=1, LOAD_EDGES=1)
    assert done.returncode == 0
    assert [what for _, _, what in images_of(done.stdout)] == ["no checks"] * 6
    assert done.stderr.count("kernels that come as machine code") == 1


@pytest.mark.parametrize("image", [
    fatbinary(COPY)[:-64], fatbinary("x"), fatbinary(""),
    struct.pack("<IHHQHHIQ", 0xBA55ED50, 1, 16, 2**64 - 1, 1, 0x101, 64, 2**64 - 65) + bytes(100)])
def test_a_broken_text_in_a_fatbinary_goes_on(image, tmp_path):
    done = load(put(tmp_path, image), PRETEND_TRACE=1, LOAD_EDGES=1)
    assert done.returncode == 0 and [what for _, _, what in images_of(done.stdout)] == ["no checks"] * 6


def test_what_is_left_is_said_once(tmp_path):
    done = load(put(tmp_path, LEFT))
    said = reports(done.stderr)
    assert len(said) == 1 and said[0][:2] == ["PTX image: 1 of 2 bulk copies are not checked:",
                                              "  copy: 2 found, 1 checked, 1 left"]
    assert said[0][2].startswith("    line 13: left: the map's address is in no 64-bit register: cp.async.bulk")
    assert load(tmp_path / "kernels.ptx", LIBTMA_QUIET=1).stderr == ""
    notes = tmp_path / "notes"
    assert load(tmp_path / "kernels.ptx", LIBTMA_CHECK_NOTES=notes).stderr == ""
    assert notes.read_text().count("total 2 found 1 checked\n") == 6


def test_a_compiler_that_takes_no_checks_gets_the_programs_own(tmp_path):
    seen = tmp_path / "seen"
    image = put(tmp_path, COPY)
    done = load(image, PRETEND_JIT="plain", PRETEND_IMAGE=seen, PRETEND_TRACE=1)
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("cu")] == [f"{name} 0, errno 77, a handle" for name in LOADS]
    assert [what for _, _, what in images_of(done.stdout)] == ["checks", "no checks"] * 6
    assert seen.read_text() == COPY
    # Options come to the second call as they came to the first.
    options = [line for line in lines if "option" in line]
    assert options[0] == options[2] and options[1] == options[3] == "option 4 0x10"
    assert options[4:] == ["option 7 0x8"] * 2 + ["option 7 0x8", "library option 1 0x18"] * 2
    said = reports(done.stderr)
    assert len(said) == 1 and said[0][0] == "PTX image: 1 of 1 bulk copies are not checked:"
    assert said[0][3] == ("    left: the driver's compiler takes the image without checks alone: with them it "
                          "answered 218")


def test_a_compiler_that_takes_nothing_is_heard(tmp_path):
    image = put(tmp_path, COPY)
    done = load(image, PRETEND_JIT="none")
    alone = natural("load_calls", "direct", image, PRETEND_JIT="none")
    assert done.stderr == "" and without_addresses(done.stdout)[-1] == without_addresses(alone)[-1]
    assert [line for line in done.stdout.splitlines() if line.startswith("cu")] == [
        line for line in alone.splitlines() if line.startswith("cu")]


def test_notes_that_cannot_be_written_are_said_once(tmp_path):
    done = load(put(tmp_path, COPY), LIBTMA_CHECK_NOTES=tmp_path)
    assert len(done.stderr.splitlines()) == 1 and f"LIBTMA_CHECK_NOTES={tmp_path}: notes cannot" in done.stderr


@pytest.mark.parametrize("name", ["none", "."])
def test_files_that_are_none_are_the_drivers(name, tmp_path):
    image = put(tmp_path, COPY)
    done = load(image, LOAD_FILE=tmp_path / name)
    alone = natural("load_calls", "direct", image, LOAD_FILE=tmp_path / name)
    assert done.stderr == "" and without_addresses(done.stdout) == without_addresses(alone)


@pytest.mark.parametrize("value", ["2", "yes", "record!"])
def test_a_wrong_value_is_said(value, tmp_path):
    done = load(put(tmp_path, COPY), LIBTMA_CHECK_KERNELS=value, PRETEND_TRACE=1)
    assert done.stderr == f"libtma: LIBTMA_CHECK_KERNELS={value} is wrong: it can be 0, 1, assert, trap, record, skip, auto\n"
    assert [what for _, _, what in images_of(done.stdout)] == ["no checks"] * 6


def test_an_image_at_the_end_of_memory(tmp_path):
    """Pages of other sizes before it, too: the text begins in one and ends in another."""
    for text in (COPY, COPY + "//" + "x" * 5000 + "\n", COPY + "//" + "x" * (8191 - 2 - len(COPY))):
        done = load(put(tmp_path, text), LOAD_EDGES=1, PRETEND_TRACE=1)
        assert done.returncode == 0, done.stderr
        assert [what for _, _, what in images_of(done.stdout)] == ["checks"] * 6


def test_an_image_that_is_not_there(tmp_path):
    """Behind a driver that looks at nothing: nothing is looked at that could not be."""
    done = load(put(tmp_path, COPY), LOAD_EDGES="nowhere", PRETEND_FAULT="blind")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["cuModuleLoadData 0, errno 77, none"] * 3


@pytest.mark.skipif(SANITIZED, reason="a sanitizer's malloc is its own")
def test_memory_that_ends(tmp_path):
    """At each allocation in turn: the driver gets the whole text with checks or the program's own, which is said, and
    what was taken is given back."""
    done = run("no_memory", put(tmp_path, COPY), libraries=[PRETEND], errors=tmp_path / "errors",
               LIBTMA_CHECK_KERNELS=1, PRETEND_TRACE=1)
    assert done.returncode == 0
    loads = re.findall(r"^\d+, .* more$", done.stdout, re.M)
    assert len(loads) > 10 and set(loads[1:]) == {"0, 0 blocks more"}
    given = images_of(done.stdout)
    assert set(given) == {given[0], ("cuModuleLoadData", str(len(COPY)), "no checks")} and given[0][2] == "checks"
    said = [done.stderr.count(f"a PTX image of {len(COPY)} B is not checked: there is no memory"),
            done.stderr.count("with them it answered 2")]  # where the driver's allocation failed
    assert said[0] > 10 and said[1] == 1 and len(given) - given.count(given[0]) == sum(said)


@pytest.mark.skipif(SANITIZED, reason="a sanitizer's malloc is its own")
def test_notes_are_whole_where_memory_ends(tmp_path):
    """Longer than what a file in memory begins with."""
    notes = tmp_path / "notes"
    image = put(tmp_path, COPY.replace("ret;", 100 * LEFT.splitlines()[-3] + "\nret;"))
    done = run("no_memory", image, libraries=[PRETEND], LIBTMA_CHECK_KERNELS=1, LIBTMA_CHECK_NOTES=notes)
    assert done.returncode == 0
    whole, *others = re.split("(?<=checked\n)(?=image)", notes.read_text())
    refused = whole.replace("total 101 found 1 checked", "  left: the driver's compiler takes the image without checks "
                            "alone: with them it answered 2\ntotal 101 found 0 checked")
    assert len(whole) > 10000 and set(others) == {whole, refused}


# Registers: what a block can launch with without checks, it can with them.

@pytest.mark.parametrize("plain, checked, most", [(154, 200, 168), (154, 168, None), (16, 64, None), (16, 65, 64), (68, 90, 72),
                                                  (100, 255, 128), (168, 255, 168), (169, 255, None), (30, 40, None)])
def test_registers_are_bounded_where_no_block_size_is(plain, checked, most, tmp_path):
    notes = tmp_path / "notes"
    done = load(put(tmp_path, COPY), PRETEND_TRACE=1, PRETEND_PLAIN=plain, PRETEND_CHECKED=checked, LIBTMA_CHECK_NOTES=notes,
                LIBTMA_CHECK_KERNELS="record", PRETEND_IMAGE=tmp_path / "seen")
    assert done.returncode == 0 and [l for l in done.stdout.splitlines() if re.match("cu.* errno", l)] == [
        f"{name} 0, errno 77, a handle" for name in LOADS]
    whole = [what for _, _, what in images_of(done.stdout)]
    asked = checked > 64  # else every block launches, and nothing more is loaded
    assert whole == (["checks", "no checks"] + ["checks"] * bool(most) if asked else ["checks"]) * 6
    assert len(re.findall("the driver's cu(?:Module|Library)Unload", done.stdout)) == 6 * (asked + bool(most))
    assert (".maxnreg" in (tmp_path / "seen").read_text()) == bool(most)
    said = (f"copy: no block size in the file: {plain} registers without checks, {most} with them, at most {most}, "
            f"with which {65536 // most // 128 * 128 if most else 0} threads launch; stack 0 B without checks, 8 B with them\n")
    assert notes.read_text().count("no block size") == notes.read_text().count(said) == 6 * bool(most)


@pytest.mark.parametrize("bound", [".maxntid 128", ".reqntid 64, 1, 1", ".maxnreg 80"])
def test_a_block_size_in_the_file_is_the_compilers(bound, tmp_path):
    text = COPY.replace(")\n{", f")\n{bound}\n{{", 1)
    done = load(put(tmp_path, text), PRETEND_TRACE=1, PRETEND_PLAIN=80, PRETEND_CHECKED=200)
    assert [what for _, _, what in images_of(done.stdout)] == ["checks"] * 6 and "question for" not in done.stdout


def test_options_are_the_programs_each_time(tmp_path):
    done = load(put(tmp_path, COPY), PRETEND_PLAIN=80, PRETEND_CHECKED=200)
    assert re.findall("^option .*|^library.*", done.stdout, re.M)[1:] == (
        ["option 4 0x10"] + re.findall("option 3 .*|option 4 .*", done.stdout)[2:]
        + ["option 7 0x8"] * 3 + ["option 7 0x8", "library option 1 0x18"] * 3)
    assert len(set(re.findall("option 3 .*", done.stdout))) == 1 and done.stdout.count("option 4 0x10") == 3


@pytest.mark.skipif(SANITIZED, reason="tma run-checked preloads no library with a sanitizer in it")
@native
def test_run_checked_reaches_what_the_driver_compiles(tmp_path):
    image = put(tmp_path, COPY)
    notes = tmp_path / "notes"
    environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": str(PRETEND), "PRETEND_TRACE": "1"}

    def run_checked(*words):
        return subprocess.run([BUILD / "tma", "run-checked", f"--notes={notes}", *words], env=environment,
                              capture_output=True, text=True, timeout=300)
    done = run_checked(PROGRAMS / "load_calls", "lookup2", image)
    assert done.returncode == 0
    assert [what for _, _, what in images_of(done.stdout)] == ["checks"] * 6
    assert done.stderr == ("tma run-checked: ptxas ran 0 times, the driver's compiler 6 times: 6 bulk copies found, "
                           "6 checked, 0 left\n")
    assert notes.read_text().count("image\ncopy: 1 found, 1 checked, 0 left\n") == 6
    done = run_checked(PROGRAMS / "load_calls", "direct", put(tmp_path, LEFT))
    assert done.stderr.count("tma run-checked:   line 13: left: the map's address is in no 64-bit register: cp.async") == 6
    assert done.stderr.endswith("the driver's compiler 6 times: 12 bulk copies found, 6 checked, 6 left\n"
                                "tma run-checked: 6 of 12 not checked: the map's address is in no 64-bit register (6)\n")
    done = run_checked("--on-fault=trap", "sh", "-c", "echo $LIBTMA_CHECK_KERNELS $CUPY_COMPILE_WITH_PTX $CUPY_CACHE_DIR")
    assert done.stdout.startswith("trap 1 /")
    done = run_checked(PROGRAMS / "load_calls", "direct", put(tmp_path, PTX))
    assert done.returncode == 3 and "nothing was checked" in done.stderr
