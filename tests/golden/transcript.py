# SPDX-License-Identifier: Apache-2.0
"""Sessions of a terminal as text: reads a .session file, runs its commands in one bash, writes down
what they print. README.md beside this file describes the form.

python3 transcript.py TMA FILE...  prints each session as it goes now.
"""
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parent / "vectors"
TIMEOUT_S = 400
ESCAPED, UNENDED = " (escaped)", " (no newline)"
# A reader that has what it wants leaves the rest: who still writes would be killed, or not, as the clock
# has it. These read to the end.
READERS = ("head", "grep", "sed")
READ_TO_THE_END = """
read_to_the_end() { command "$@"; set -- $?; if [ -p /dev/stdin ]; then cat >/dev/null; fi; return "$1"; }
"""
# what is no output where a line begins
MARKS = ("$ ", "> ", "# ", "2> ", "[exit ")


@dataclasses.dataclass
class Command:
    text: str
    comments: list = dataclasses.field(default_factory=list)
    stdout: bytes = b""
    stderr: bytes = b""
    status: int = 0


def read(text):
    """The commands of a session, without what they printed."""
    commands, comments = [], []
    for line in text.splitlines():
        if line.startswith("# ") or line == "#":
            comments.append(line)
        elif line.startswith("$ "):
            commands.append(Command(line[2:], comments))
            comments = []
        elif line.startswith("> ") or line == ">":
            commands[-1].text += "\n" + line[2:]
    if comments:
        raise ValueError("the session ends in a comment")
    return commands


def is_plain(text):
    return (text.isprintable() and not text.endswith(" ") and not text.startswith(MARKS)
            and text not in ("#", ">", "2>") and not text.endswith((ESCAPED, UNENDED)))


def shown_line(line):
    try:
        text = line.decode()
        if is_plain(text):
            return text
    except UnicodeDecodeError:
        pass
    shown = "".join(chr(b) if 32 <= b < 127 and b != 92 else f"\\x{b:02x}" for b in line)
    if shown.startswith(MARKS) or shown in ("#", ">", "2>"):
        shown = f"\\x{line[0]:02x}{shown[1:]}"
    return shown + ESCAPED


def shown(data, mark=""):
    lines = data.split(b"\n")
    unended = lines.pop()
    out = [(mark + shown_line(line)).rstrip(" ") for line in lines]
    if unended:
        out.append(mark + shown_line(unended) + UNENDED)
    return out


def write(commands):
    """The session as text: a blank line between commands, and whatever each printed."""
    blocks = []
    for command in commands:
        first, *others = command.text.split("\n")
        lines = command.comments + ["$ " + first] + [f"> {o}".rstrip(" ") for o in others]
        lines += shown(command.stdout) + shown(command.stderr, "2> ")
        if command.status:
            lines.append(f"[exit {command.status}]")
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def environment(programs):
    kept = {k: v for k, v in os.environ.items() if k.startswith(("ASAN_", "UBSAN_", "LSAN_"))}
    return {**kept, "PATH": f"{programs}:/usr/bin:/bin", "LC_ALL": "C"}


def lacking(commands):
    """The programs that a session calls beside tma, a shell's and coreutils', and that are not here."""
    path = environment("")["PATH"]
    dumps = os.environ.get("TMA_WITHOUT_ZLIB") and any("tma hang" in c.text for c in commands)
    return ["zlib in tma"] * bool(dumps) + [program for program in ("git", "jq", "python3")
            if not shutil.which(program, path=path)
            and any(re.search(rf"(^|[|;&(\s]){program}\s", c.text) for c in commands)]


def lay_out(tma, folder):
    """bin/tma, io/ for what is printed, and here/, where the session takes place."""
    for name in ("bin", "io", "here"):
        (folder / name).mkdir()
    (folder / "bin/tma").symlink_to(os.path.abspath(tma))
    (folder / "here/vectors").symlink_to(VECTORS)
    for path in (HERE / "inputs").iterdir():
        (folder / "here" / path.name).symlink_to(path)


def driver(commands, folder):
    script = ["set -o pipefail", READ_TO_THE_END]
    script += [f'{reader}() {{ read_to_the_end {reader} "$@"; }}' for reader in READERS]
    for i, command in enumerate(commands):
        part = folder / "io" / str(i)
        part.write_text(command.text + "\n")
        script.append(f". {part} </dev/null >{part}.out 2>{part}.err; echo $? >{part}.status")
    return "\n".join(script) + "\n"


def run(tma, commands):
    """Runs them one after the other in one bash; returns them with what they printed now."""
    with tempfile.TemporaryDirectory(prefix="tma-golden-") as name:
        folder = pathlib.Path(name)
        lay_out(tma, folder)
        (folder / "driver").write_text(driver(commands, folder))
        process = subprocess.Popen(
            ["bash", "--norc", str(folder / "driver")], cwd=folder / "here", env=environment(folder / "bin"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        try:
            _, complaint = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # all that the session began
            raise
        return [answered(command, folder / "io" / str(i), complaint)
                for i, command in enumerate(commands)]


def answered(command, part, complaint):
    try:
        status = int(pathlib.Path(f"{part}.status").read_text())
    except FileNotFoundError:
        raise RuntimeError(f"the session ended in: {command.text}\n{complaint.decode()}") from None
    stdout, stderr = (pathlib.Path(f"{part}.{name}").read_bytes() for name in ("out", "err"))
    # bash names the file that it reads the command from
    stderr = re.sub(rb"(?m)^" + re.escape(str(part).encode()) + rb": line ", b"bash: line ", stderr)
    if status >= 126:
        raise RuntimeError(f"killed or not run ({status}): {command.text}\n{stderr.decode()}")
    return dataclasses.replace(command, stdout=stdout, stderr=stderr, status=status)


if __name__ == "__main__":
    for session in sys.argv[2:]:
        print(write(run(sys.argv[1], read(pathlib.Path(session).read_text()))), end="")
