# SPDX-License-Identifier: Apache-2.0
"""The answers of a row, and whether what tma said is one of them.

    clean                     check accepts, without a finding
    accepted                  check accepts
    runs                      plan finds a copy that runs
    refused RULE [ARGUMENT: VALUE, RELATION LIMIT]
    faults RULE [...], surprising RULE [...]
                              findings of check or plan; what is refused or faults is listed whole
    traps RULE [...]          the kernel dies; no-copy RULE [...]: there is no such instruction
    standing RULE: WORDS      what the finding of that rule stands on
    rows C0,C1,... ...        where each row of the copy starts, in the order of the rows
    pixels W,H,N ...          the same without channels; 4..9 is a stretch, 4..8/2 every second
    inside C0,C1,... ...      where the runs start that lie inside the tensor, all of them; none: `inside`
    lines 01234567 ...        which 16-byte piece stands where in each 128 bytes of shared memory
    at ROW+BYTE ADDRESS LENGTH  one run of bytes
    row KEY VALUE KEY VALUE   one row of a JSON list has these
    starts HEX                the output begins with these bytes
    > WORDS                   a whole line of the output; spaces count once
    says WORDS                words of the output, across its lines
    exit N, misuse            the exit status, where it is not 0; misuse is 2
"""
import json
import re

OF_CHECK = ("clean", "accepted", "refused", "faults", "surprising", "standing")
OF_PLAN = ("runs", "traps", "no-copy", "faults", "surprising", "standing")
OF_WALK = ("rows", "inside", "pixels", "lines", "at")
PIECE_B = 16
LINE_B = 128


def kind(answer):
    return answer.split(" ", 1)[0]


def rest(answer):
    return answer.split(" ", 1)[1] if " " in answer else ""


def whole(wanted, text):
    """Whether text is what is wanted; runs of spaces are one."""
    return " ".join(wanted.split()) == " ".join(text.split())


def numbers_of(finding):
    """'boxDim[0]: 256 B, at most 128 B': where a finding is, and what is wrong there."""
    index = "" if finding["index"] is None else f"[{finding['index']}]"
    unit = f" {finding['unit']}" if finding["unit"] else ""
    limit = int(str(finding["limit"]), 0)
    return (f"{finding['argument']}{index}: {finding['value']}{unit}, "
            f"{finding['relation']} {limit}{unit}")


def is_finding(finding, severity, wanted):
    rule, _, numbers = wanted.partition(" ")
    return (finding["severity"] == severity and finding["rule"] == rule
            and (not numbers or whole(numbers, numbers_of(finding))))


def findings_of(said):
    found = list(said.get("findings", [])) + list(said.get("notes", []))
    return found + ([said["finding"]] if said.get("finding") else [])


def listed_whole(said, answers):
    """Nothing is refused or faults but what the answers have."""
    wanted = [(kind(a), rest(a)) for a in answers if kind(a) in ("refused", "faults")]
    loud = [f for f in said["findings"] if f["severity"] in ("refused", "faults")]
    return [f"also {f['severity']} {f['rule']} {numbers_of(f)}" for f in loud
            if not any(is_finding(f, severity, w) for severity, w in wanted)]


def stretch(word):
    """'4..8/2,7,3' as (4, 7, 3), (6, 7, 3), (8, 7, 3)."""
    first, *others = word.split(",")
    low, _, high = first.partition("..")
    high, _, step = (high or low).partition("/")
    return [(c, *map(int, others)) for c in range(int(low), int(high) + 1, int(step or 1))]


def rows_of(walk):
    starts = {}
    for run in walk:
        starts.setdefault(run["row"], tuple(run["coord"]))
    return [starts[row] for row in sorted(starts)]


def pieces_of(walk):
    """{shared address: number of the 16-byte piece, counted in the order of the rows}."""
    row_B = max(run["offset_B"] + run["length_B"] for run in walk)
    pieces = {}
    for run in walk:
        for at in range(0, run["length_B"], PIECE_B):
            place = run["row"] * row_B + run["offset_B"] + at
            pieces[int(run["shared_address"], 16) + at] = place // PIECE_B
    return pieces


def in_lines(walk, period):
    pieces = pieces_of(walk)
    first = min(pieces) // LINE_B
    for address, piece in pieces.items():
        line = address // LINE_B - first
        wanted = period[line % len(period)][address % LINE_B // PIECE_B]
        if piece // 8 != line or piece % 8 != int(wanted):
            return [f"{address:#x} has piece {piece % 8} of line {piece // 8}"]
    return []


def of_walk(answer, said):
    walk, words = said["walk"], rest(answer).split()
    if kind(answer) == "lines":
        return in_lines(walk, words)
    if kind(answer) == "at":
        row, byte = map(int, words[0].split("+"))
        runs = [r for r in walk if r["row"] == row and r["offset_B"] == byte]
        found = [(int(r["shared_address"], 16), r["length_B"]) for r in runs]
        return [] if found == [(int(words[1], 16), int(words[2]))] else [f"{answer}: {found}"]
    wanted = [c for word in words for c in stretch(word)]
    if kind(answer) == "inside":
        found = [tuple(run["coord"]) for run in walk if run["kind"] == "inside"]
        return [] if found == wanted else [f"{answer}: {found[:4]}"]
    found = [c[1:] if kind(answer) == "pixels" else c for c in rows_of(walk)]
    wrong = [(i, w, f) for i, (w, f) in enumerate(zip(wanted, found)) if w != f]
    if wrong or len(wanted) != len(found):
        return [f"{len(wanted)} rows wanted, {len(found)} found, first different: {wrong[:1]}"]
    return []


def of_judgement(answer, said):
    """What is wrong with an answer about check's or plan's JSON."""
    word, wanted, found = kind(answer), rest(answer), findings_of(said)
    trap, copies = said.get("trap"), said.get("runs")
    ways = {"clean": lambda: said["accepted"] and not found,
            "accepted": lambda: said["accepted"],
            "runs": lambda: copies,
            "refused": lambda: any(is_finding(f, "refused", wanted) for f in found),
            "faults": lambda: any(is_finding(f, "faults", wanted) for f in found),
            "surprising": lambda: any(is_finding(f, "surprising", wanted) for f in found),
            "traps": lambda: trap and any(is_finding(f, "faults", wanted) for f in found),
            "no-copy": lambda: not copies and not trap
                       and any(is_finding(f, "faults", wanted) for f in found),
            "standing": lambda: any(f["rule"] == wanted.split(":")[0]
                                    and whole(wanted.split(": ", 1)[1], f["standing"])
                                    for f in found)}
    said_instead = [f"{f['severity']} {f['rule']} {numbers_of(f)} ({f['standing']})" for f in found]
    return [] if ways[word]() else [f"{answer}: {said_instead or 'no finding'}"]


def of_text(answer, done):
    text = (done.stdout + b"\n" + done.stderr).decode("utf-8", "replace")
    if kind(answer) == ">":
        lines = text.splitlines()
        return [] if any(whole(rest(answer), line) for line in lines) else [f"no line {answer}"]
    if kind(answer) == "says":
        words = re.escape(" ".join(rest(answer).split()))
        found = re.search(rf"(?<!\w){words}(?!\w)", re.sub(r"\s+", " ", text))
        return [] if found else [f"not said: {rest(answer)}"]
    if kind(answer) == "starts":
        wanted = bytes.fromhex(rest(answer))
        return [] if wanted and done.stdout.startswith(wanted) else \
            [f"{done.stdout[:len(wanted)].hex(' ')}"]
    words = rest(answer).split()
    pairs = dict(zip(words[::2], words[1::2]))
    rows = [r for r in json.loads(done.stdout)["table"]
            if all(str(r[key]) == value for key, value in pairs.items())]
    return [] if len(rows) == 1 else [f"{answer}: {len(rows)} rows"]


def wants_json(row):
    """check and plan are judged by their JSON, where an answer asks for more than a line."""
    last = re.split(r"[;|&]+", row["ask"])[-1].split()
    known = {"check": OF_CHECK, "plan": OF_PLAN + OF_WALK}.get(last[1], ()) \
        if last[0] == "tma" else ()
    return any(kind(a) in known for a in row["answer"])


def exit_of(row, said):
    """check ends with 1 where something is refused or faults, plan where there is no copy."""
    if "misuse" in row["answer"]:
        return 2
    named = [int(rest(a)) for a in row["answer"] if kind(a) == "exit"]
    if named:
        return named[0]
    if said is None:
        return 0
    if said["verb"] == "check":
        return int(any(f["severity"] != "surprising" for f in said["findings"]))
    return int(not said["runs"])


def wrong(row, done, done_json):
    """All that a row's answers say and the command does not. done_json: the same with --json."""
    complaints = []
    said = json.loads(done_json.stdout) if done_json and done_json.stdout else None
    for answer in row["answer"]:
        if kind(answer) in ("misuse", "exit"):
            continue
        if kind(answer) in (">", "says", "starts", "row"):
            complaints += of_text(answer, done)
        elif said is None:
            complaints.append(f"{answer}: no JSON; {done.stderr.decode()}")
        elif kind(answer) in OF_WALK:
            complaints += of_walk(answer, said)
        else:
            complaints += of_judgement(answer, said)
    if said and said["verb"] == "check":
        complaints += listed_whole(said, row["answer"])
    if done.returncode != exit_of(row, said):
        complaints.append(f"exit status {done.returncode}, not {exit_of(row, said)}: "
                          f"{done.stderr.decode('utf-8', 'replace')[:200]}")
    return complaints
