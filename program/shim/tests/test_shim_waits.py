# SPDX-License-Identifier: Apache-2.0
"""The shim waits for no other thread, and a fork in the middle of one's call leaves the child nothing to wait for."""
import re
import subprocess

import pytest

from shim_programs import BUILD, PRETEND, PROGRAMS, SANITIZED, run

PTX = (".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry copy()\n{\nret;\n}\n"
       ".weak .global .u64 libtma_checker_record;\n")  # behind the kernel: its bytes are written over
RIGHT = "10 of 10 children, this, the thread\n"
SLOT_B, SLOTS = 8192, 64


def waiting(what, *words, **settings):
    done = run("waiting_calls", what, *words, libraries=[PRETEND, PROGRAMS / "compiler"], **settings)
    assert (done.returncode, done.stdout) == (0, RIGHT), done.stderr
    return done


def test_links_wait_for_no_thread():
    waiting("links", LIBTMA_CHECK_KERNELS="auto")


def test_maps_wait_for_no_thread():
    waiting("maps", LIBTMA_CHECK_KERNELS="record", PRETEND_MEMORY="0x10000+0x30000")


def test_a_record_waits_for_no_thread(tmp_path):
    """Two threads that load at once make a place for records each; one counts, and the other's slot is given back."""
    (tmp_path / "kernels.ptx").write_text(PTX)
    (tmp_path / "records").write_bytes(bytes(SLOT_B * SLOTS))
    waiting("record", tmp_path / "kernels.ptx", LIBTMA_RECORD=tmp_path / "records")
    data = (tmp_path / "records").read_bytes()
    words = [[data[at + i:at + i + 4] for i in (2048, 2052)] for at in range(0, len(data), SLOT_B)]
    order = "little" if any(modules[0] for _, modules in words) else "big"  # the program's
    slots = [[int.from_bytes(word, order) for word in slot] for slot in words]
    processes = {process for process, _ in slots if process}
    assert len(processes) == 11  # ten children's, and this one's
    assert sorted(modules for process, modules in slots if process) == [1] * 10 + [2]
    assert sum(process != 0 for process, _ in slots) == 11


# What each source of the shim may take from the C library that locks, allocates or buffers.
HEAP = {"asprintf", "calloc", "fclose", "free", "malloc", "open_memstream", "strndup"}
KERNELS = {"capped_image.c", "captured_kernels.c", "checked_image.c", "compiled_code.c", "compiler_calls.c", "fat_image.c",
           "image_bytes.c", "linked_inputs.c"}  # kernels with checks or captured, and what they were compiled of
FORMATS = {"snprintf", "vsnprintf"}  # into memory of ours
ONCE = {"settings.c": {"pthread_once"}}  # the environment is read; glibc's: a child of a fork in between reads it itself
FORBIDDEN = re.compile(r"(_*pthread_(mutex|rwlock|cond|spin|barrier|once|join|key)\w*|sem_\w+|_*cnd_\w+|_*mtx_\w+|call_once|"
                       r"flock|lockf|_*fork|system|popen|(m|c|re|aligned_|v|pv)alloc\w*|\w*memalign|free|.*printf\w*|_*f(open|close|write|read|puts|putc|flush)\w*|"
                       r"_*put(s|char|c)|open_memstream|strn?dup|getline|setenv|putenv|unsetenv|sleep|nanosleep|usleep|wait\w*)")


def objects():
    found = {path.name.removesuffix(".o"): path for folder in ("tma_shim_objects.dir", "tma_cuda.dir")
             for path in (BUILD / "program/shim/CMakeFiles" / folder).rglob("*.c.o")}
    assert len(found) >= 34
    return found


@pytest.mark.skipif(SANITIZED, reason="a sanitizer calls for itself")
def test_no_source_calls_what_locks_or_allocates():
    """SECURITY.md and ARCHITECTURE.md: nothing that blocks anywhere, memory where kernels have checks and nowhere else."""
    allocating = set()
    for source, path in objects().items():
        lines = subprocess.run(["nm", "-P", "-u", path], check=True, capture_output=True, text=True).stdout.splitlines()
        called = {name for name in (re.sub(r"@.*|_chk$|^__isoc\d+_", "", line.split()[0]) for line in lines)
                  if FORBIDDEN.fullmatch(name)}
        called = {re.sub(r"^_+|_chk$", "", name) for name in called} - FORMATS
        assert called <= (HEAP if source in KERNELS else ONCE.get(source, set())), (source, called)
        allocating |= {source} if called & HEAP else set()
    assert allocating == KERNELS


@pytest.mark.skipif(SANITIZED, reason="a sanitizer calls for itself")
def test_the_library_has_no_blocking_lock():
    """Neither of its own sources nor of ptx/ and text/, which stand in it."""
    lines = subprocess.run(["nm", "-D", "-P", "-u", BUILD / "libtma-cuda.so"], check=True, capture_output=True, text=True).stdout
    names = {re.sub(r"@.*", "", line.split()[0]) for line in lines.splitlines()}
    assert "rt_sigprocmask" not in names and "memcpy" in names  # what is looked through is a list of names
    locks = {name for name in names if re.match(r"_*(pthread_(mutex|rwlock|cond|spin|barrier|once|join)|sem_|cnd_|mtx_)", name)}
    assert locks == {"pthread_once"}
