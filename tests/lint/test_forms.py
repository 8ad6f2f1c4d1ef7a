# SPDX-License-Identifier: Apache-2.0
"""Each form of --format says the same findings, and is what its readers take."""
import json
import os
import pathlib
import re
from urllib.parse import unquote

import pytest
from conftest import CALLS, ROOT
from small_schema import complaints

SCHEMA = json.loads((ROOT / "cli/share/tma.schema.json").read_text())
SARIF = json.loads(pathlib.Path("sarif_written.schema.json").read_text())
LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def validate(value):
    assert complaints(value, SCHEMA, SCHEMA) == []
    try:
        import jsonschema
    except ImportError:
        return
    jsonschema.Draft202012Validator(SCHEMA).validate(value)


@pytest.fixture(params=CALLS)
def call(request, tma):
    """The call with a form, and what --format=json says."""
    verb, words, least = CALLS[request.param]

    def run(form):
        return tma(verb, *words, f"--format={form}")
    answer = run("json")
    findings = [json.loads(line) for line in answer.stdout.splitlines()]
    assert answer.returncode < 2 or "log.txt" in words, answer.stderr
    assert sum(f["level"] != "note" for f in findings) >= least
    return run, findings


def test_json_is_by_its_schema(call):
    for finding in call[1]:
        validate(finding)


def test_the_schema_has_the_fields_of_the_table():
    rows = re.findall(r'^LINT_FIELD\(\w+, (\w+), "(.*)"\)$', (ROOT / "cli/lint/lint_fields.def").read_text(), re.M)
    props = SCHEMA["$defs"]["finding"]["properties"]
    assert len(rows) > 5 and [name for name, _ in rows] == [k for k in props if k not in ("schema", "verb")]
    for name, meaning in rows:
        assert props[name]["description"] == meaning


def test_words_with_json_are_by_the_schema(tma):
    lines = 0
    for verb, words, _ in CALLS.values():
        for line in tma(verb, *words, "--json").stdout.splitlines():
            validate(json.loads(line))
            lines += 1
    assert lines >= len(CALLS)


def test_the_validator_is_none_that_takes_all(tma):
    finding = json.loads(tma("ptx", "--format=json", "kernel.ptx").stdout.splitlines()[0])
    for change in ({"level": "fatal"}, {"certain": 1}, {"more": 1}, {"place": None}):
        assert complaints({**finding, **change}, SCHEMA, SCHEMA)
    assert complaints({k: v for k, v in finding.items() if k != "rule"}, SCHEMA, SCHEMA)


def shown(place):
    return place["file"] + "".join(f":{place[k]}" for k in ("line", "column") if place["line"] and place[k])


def test_gcc_is_read_by_the_problem_matcher(call):
    run, findings = call
    matcher = json.loads((ROOT / "cli/share/problem-matcher.json").read_text())["problemMatcher"][0]["pattern"][0]
    lines = run("gcc").stdout.splitlines()
    heads = [line for line in lines if line.endswith("]") and re.search(r"(error|warning|note): .* \[[\w-]+\]$", line)]
    assert len(heads) == len(findings)
    assert len(lines) == len(findings) + sum(len(f["other"]) for f in findings)
    for line, f in zip(heads, findings):
        assert line.startswith(f"{shown(f['place'])}: {f['level']}: ")
        if f["place"]["line"]:
            m = re.match(matcher["regexp"], line)
            assert m and m[matcher["file"]] == f["place"]["file"] and int(m[matcher["line"]]) == f["place"]["line"]
            assert m[matcher["severity"]] == f["level"] and m[matcher["code"]] == f["rule"]
            assert m[matcher["message"]].startswith(f["text"])
            assert f["function"] is None or f", in {f['function']}" in m[matcher["message"]]
            for place in f["inlined"]:
                assert f"{place['file']}:{place['line']}" in m[matcher["message"]]


def unescaped(text):
    """As GitHub's runner undoes it; nothing else may be escaped."""
    assert re.sub(r"%(25|0D|0A|3A|2C)", "", text).count("%") == 0
    return re.sub(r"%(3A|2C|0D|0A|25)", lambda m: chr(int(m[1], 16)), text)


def test_github_annotations_say_the_same(call):
    run, findings = call
    lines = run("github").stdout.splitlines()
    assert len(lines) == len(findings)
    for line, f in zip(lines, findings):
        command, properties, message = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line).groups()
        assert command == LEVELS[f["level"]]
        values = {k: unescaped(v) for k, v in (p.split("=", 1) for p in properties.split(","))}
        assert values.pop("file") == f["place"]["file"] and values.pop("title") == f["rule"]
        if f["place"]["line"]:
            assert int(values.pop("line")) == f["place"]["line"]
        if f["place"]["line"] and f["place"]["column"]:
            assert int(values.pop("col")) == f["place"]["column"]
        assert not values and unescaped(message).startswith(f["text"])
        assert len(unescaped(message).splitlines()) == 1 + len(f["other"])


def place_of(location):
    return unquote(location["physicalLocation"]["artifactLocation"]["uri"])


def test_sarif_says_the_same(call):
    run, findings = call
    log = json.loads(run("sarif").stdout)
    assert complaints(log, SARIF, SARIF) == []
    driver = log["runs"][0]["tool"]["driver"]
    assert driver["name"] == "tma" and len(log["runs"]) == 1
    assert len({rule["id"] for rule in driver["rules"]}) == len(driver["rules"])
    results = log["runs"][0]["results"]
    assert len(results) == len(findings)
    for result, f in zip(results, findings):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == f["rule"]
        assert result["level"] == f["level"] and result["message"]["text"] == f["text"]
        assert place_of(result["locations"][0]) == f["place"]["file"]
        assert result["properties"] == {"certain": f["certain"]}
        related = result["relatedLocations"]
        assert len(related) >= len(f["other"]) + len(f["inlined"])
        assert all(place_of(place) and place["message"]["text"] for place in related)


def test_the_rules_of_sarif_take_not_all(tma):
    log = json.loads(tma("ptx", "--format=sarif", "kernel.ptx").stdout)

    def broken(change):
        copy = json.loads(json.dumps(log))
        change(copy, copy["runs"][0]["results"][0])
        return complaints(copy, SARIF, SARIF)
    assert not broken(lambda log, result: None)
    for change in (lambda log, result: log.update(version="2.0.0"), lambda log, result: log["runs"].clear(),
                   lambda log, result: result.update(level="fatal"), lambda log, result: result.pop("message"),
                   lambda log, result: result.update(ruleIndex=-1), lambda log, result: result.update(more=1),
                   lambda log, result: result["locations"].clear(),
                   lambda log, result: result["relatedLocations"].extend(2 * result["locations"]),
                   lambda log, result: result["locations"][0]["physicalLocation"]["region"].update(startLine=0),
                   lambda log, result: result["locations"][0]["physicalLocation"]["artifactLocation"].update(uri="a b"),
                   lambda log, result: log["runs"][0]["tool"]["driver"]["rules"].append({"id": "x"})):
        assert broken(change)


@pytest.fixture
def standard():
    """TMA_SARIF_SCHEMA: the file sarif-schema-2.1.0.json of github.com/oasis-tcs/sarif-spec, whose terms keep it there."""
    path = os.environ.get("TMA_SARIF_SCHEMA")
    if not path:
        pytest.skip("TMA_SARIF_SCHEMA does not say where the schema is")
    return json.loads(pathlib.Path(path).read_text())


def test_sarif_is_by_the_schema_of_oasis(call, standard):
    pytest.importorskip("jsonschema").Draft4Validator(standard).validate(json.loads(call[0]("sarif").stdout))


def test_the_rules_of_sarif_are_the_standards(standard):
    """Each object of ours has what the standard's requires, and nothing that it has not."""
    def known(words):
        return set(words["properties"]) - {"certain"}
    pairs = [(SARIF, standard), *((ours, standard["definitions"][name]) for name, ours in SARIF["$defs"].items())]
    for ours, theirs in pairs:
        assert set(theirs.get("required", ())) <= set(ours["required"]) and known(ours) <= set(theirs["properties"])
    assert SARIF["$defs"]["result"]["properties"]["level"]["enum"] == \
        standard["definitions"]["result"]["properties"]["level"]["enum"]


def test_what_does_not_go_together(tma):
    for words in (["ptx", "kernel.ptx", "--json"], ["ptx", "kernel.ptx", "--why", "3"], ["ptx", "kernel.ptx", "--mma"],
                  ["emulate", "emulate_tile.ptx", "--json"], ["check", "cases.txt", "--json"],
                  ["check", "--dtype", "u8", "--dim", "64", "--box", "64"]):
        answer = tma(*words, "--format=gcc")
        assert answer.returncode == 2 and not answer.stdout and "--format" in answer.stderr


def test_the_exit_status_is_that_of_the_words(tma):
    for verb, words, _ in CALLS.values():
        statuses = {tma(verb, *words, *form).returncode for form in ([], ["--format=sarif"], ["--format=gcc"])}
        assert len(statuses) == 1
