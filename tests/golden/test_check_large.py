# SPDX-License-Identifier: Apache-2.0
"""8 MB of hexadecimal words in which maps stand across the borders of what is searched at once: `tma
check` names each with its lines, and a terminal sees how far it is. TMA names the program."""
import os
import pty
import random
import re
import signal
import subprocess
import threading
import time

SIZE_B, PIECE_B = 8 << 20, 1 << 18


def lines_of(words):
    return [" ".join(words[i:i + 8]) + "\n" for i in range(0, len(words), 8)]


def text_with(map_words, rng):
    """A map on the lines about every third border, each at another address. Returns the text and the
    lines that the maps are on."""
    parts, places, size, line, border = [], [], 0, 1, PIECE_B
    while size < SIZE_B:
        if size + 150 > border:
            places.append((line, line + 3))
            address = f"{0x100 * len(places):08x}"
            block, border = lines_of([address, *map_words[1:]]), border + 3 * PIECE_B
        else:
            block = lines_of([f"{rng.getrandbits(32) | 1 << 31:08x}" for _ in range(8)])
        parts += block
        line += len(block)
        size += 72 * len(block)
    return "".join(parts), places


def own_seconds(process):
    """Of the processor, up to now."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii", errors="replace") as file:
        user, system = file.read().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def seen_by_a_terminal(command, rest_s):
    """Standard output and what a terminal as standard error got. Until that is something, the program
    is stopped for REST_S each time that it has worked for another twentieth of a second (what it needs
    to begin differs by build): its clock goes on."""
    ours, theirs = pty.openpty()
    got = []

    def read():
        try:
            while piece := os.read(ours, 4096):
                got.append(piece)
        except OSError:
            pass

    reader = threading.Thread(target=read)
    reader.start()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs, text=True) as process:
        worked_s = 0.05
        while process.poll() is None and not got:
            if own_seconds(process) < worked_s:
                time.sleep(0.002)
                continue
            process.send_signal(signal.SIGSTOP)
            time.sleep(rest_s)
            process.send_signal(signal.SIGCONT)
            worked_s += 0.05
        out = process.communicate()[0]
    os.close(theirs)
    reader.join()
    os.close(ours)
    assert process.returncode == 0
    return out, b"".join(got).decode()


def test_maps_among_hexadecimal_words(tmp_path):
    tma = os.environ["TMA"]
    spec = ["--dtype", "f16", "--dim", "4096,64", "--box", "64,64", "--swizzle", "128B"]
    map_hex = subprocess.run([tma, "encode", *spec], capture_output=True, text=True, check=True).stdout.strip()
    raw = bytes.fromhex(map_hex)
    words = [f"{int.from_bytes(raw[i:i + 4], 'little'):08x}" for i in range(0, 128, 4)]
    text, places = text_with(words, random.Random(9))
    file = tmp_path / "words.txt"
    file.write_text(text)
    out, terminal = seen_by_a_terminal([tma, "check", file], 2.5)
    named = [(int(a), int(b)) for a, b in re.findall(r"^lines (\d+) to (\d+)", out, re.M)]
    assert len(places) > 8 and named == places
    assert re.search(r"^\rtma check: \d+ of 8 MiB searched for bytes of maps, \d+ %", terminal)
    assert terminal.endswith("\r\033[K")
