# SPDX-License-Identifier: Apache-2.0
"""SECURITY.md's lines about the shim, as strace sees them: which files it opens besides those of the program, and that it
starts nothing and uses no network."""
import os
import re
import shutil
import subprocess

import pytest

from shim_programs import EMULATOR, PRETEND, PROGRAMS, SANITIZED, SHIM, native

PTX = (".version 8.0\n.target sm_90a\n.address_size 64\n.shared .align 128 .b8 s[4096];\n"
       ".visible .entry copy(.param .align 64 .b8 m[128])\n{\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n"
       "mov.b64 %d1, m;\ncvta.param.u64 %d2, %d1;\nmov.u32 %r1, 0;\n"
       "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%d2, {%r1}], [s];\nret;\n}\n")
ROWS = {  # what a program does, the settings, what is opened to write
    "a refused call": ("direct_calls", [], {}, set()),
    "quiet": ("direct_calls", [], {"LIBTMA_QUIET": "1"}, set()),
    "a log": ("direct_calls", [], {"LIBTMA_LOG": "log"}, {"log"}),
    "no driver": ("direct_calls", [], {"LIBTMA_MODE": "stand-in"}, set()),
    "edits": ("replace_calls", [], {}, set()),
    "look-ups": ("found_calls", ["lookup"], {}, set()),
    "kernels": ("load_calls", ["direct", "kernels.ptx"], {"LIBTMA_CHECK_KERNELS": "1", "LIBTMA_CHECK_NOTES": "notes"}, {"notes"}),
    "records": ("load_calls", ["direct", "kernels.ptx"], {"LIBTMA_CHECK_KERNELS": "record", "LIBTMA_RECORD": "records"}, {"records"}),
}
READS = re.compile(r"kernels\.ptx$|/libtma-cuda\.so$|/libcuda\.so\.1$|/libzstd\.so\.1$|/(lib|lib64|usr/lib)/|/etc/ld\.so\.cache$")
CALL = re.compile(r"\d+ +(\w+)\((.*)\) += (-?\d+)")


def seen(folder, program, words, settings, preload):
    log = folder / "strace"
    known = {k: v for k, v in os.environ.items() if not k.startswith(("LIBTMA_", "PRETEND_", "LD_"))}
    inside = settings | {"LD_LIBRARY_PATH": str(PRETEND)} | ({"LD_PRELOAD": str(SHIM)} if preload else {})
    subprocess.run(["strace", "-f", "-qq", "-s", "4096", "-e", "trace=%file,%network,%process,memfd_create", "-o", log,
                    *(w for k, v in inside.items() for w in ("-E", f"{k}={v}")), PROGRAMS / program, *words],
                   cwd=folder, env=known, capture_output=True, timeout=120, check=False)
    read, written, names = set(), set(), []
    for name, arguments, result in (m.groups() for m in map(CALL.match, log.read_text().splitlines()) if m):
        if int(result) < 0:
            continue
        names.append(name)
        path = re.search(r'"((?:[^"\\]|\\.)*)"', arguments)
        if name in ("open", "openat", "creat") and path:
            (written if re.search("O_WRONLY|O_RDWR|O_CREAT", arguments) or name == "creat" else read).add(path[1])
        elif name in ("mkdir", "mkdirat", "rename", "renameat2", "unlink", "unlinkat", "symlink", "link", "chmod", "memfd_create"):
            written.add(f"{name} {path and path[1]}")
    return read, written, names


@native
@pytest.mark.parametrize("what", ROWS)
def test_the_shim_opens_what_is_said_of_it(tmp_path, what):
    if SANITIZED or EMULATOR or not shutil.which("strace") or subprocess.run(
            ["strace", "-o", "/dev/null", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no strace that may trace, or a sanitizer, which opens files of its own")
    program, words, settings, writes = ROWS[what]
    (tmp_path / "kernels.ptx").write_text(PTX)
    (tmp_path / "records").write_bytes(bytes(8192 * 64))
    alone, with_shim = (seen(tmp_path, program, words, settings if preload else {}, preload) for preload in (False, True))
    assert alone[2] and with_shim[2].count("execve") == 1
    assert {os.path.basename(w) for w in with_shim[1] - alone[1]} == writes
    beyond = {r for r in with_shim[0] - alone[0] if not READS.search(r)}
    assert not beyond, beyond
    assert not {n for n in with_shim[2] if n in ("socket", "connect", "bind", "sendto", "fork", "vfork", "clone", "clone3")
                and n not in alone[2]}
