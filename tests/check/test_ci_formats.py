# SPDX-License-Identifier: GPL-2.0-or-later
"""--format=sarif, github and markdown: the same findings as in the JSON report, valid, and safe against any name.

sarif-2.1.0-rtm.5.json is the OASIS schema as published by SchemaStore."""
import html
import json
import re
import shutil
import urllib.parse
import xml.etree.ElementTree

import jsonschema
import pytest

LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


@pytest.fixture(scope="session")
def sarif_schema(root):
    return json.loads((root / "tests" / "check" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))


@pytest.fixture
def sarif(check, sarif_schema):
    """sarif(*arguments) -> (exit status, the run), after validation."""
    def run(*arguments):
        result = check("--format=sarif", *arguments)
        log = json.loads(result.stdout)
        jsonschema.validate(log, sarif_schema)
        assert log["version"] == "2.1.0" and len(log["runs"]) == 1
        assert log["runs"][0]["invocations"][0]["exitCode"] == result.returncode
        return result.returncode, log["runs"][0]
    return run


def findings(parsed):
    return [(capture, connection, finding) for capture in parsed["captures"] for connection in capture["connections"]
            for finding in connection["findings"]]


@pytest.fixture
def captures(root, bad, good):
    return [bad, root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap", good,
            root / "captures" / "real" / "nfs" / "nfs41-recall.pcap"]


def test_sarif_has_the_findings_of_the_json_report(sarif, report, captures, catalogue):
    status, run = sarif(*captures)
    json_status, parsed = report(*captures)
    assert status == json_status == 1
    rules = run["tool"]["driver"]["rules"]
    texts = {row["id"]: row for row in catalogue}
    assert all(rule["shortDescription"]["text"] == texts[rule["id"]]["rule"] for rule in rules)
    expected = findings(parsed)
    assert len(run["results"]) == len(expected) > 5
    assert {rule["id"] for rule in rules} == {finding["rule"] for _, _, finding in expected}
    for result, (capture, connection, finding) in zip(run["results"], expected, strict=True):
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"] == finding["rule"]
        assert result["level"] == finding["severity"] and f": {finding['found']}; expected {finding['expected']}" in result["message"]["text"]
        location, = result["locations"]
        artifact = location["physicalLocation"]["artifactLocation"]
        assert run["artifacts"][artifact["index"]]["location"]["uri"] == artifact["uri"] == "file://" + capture["file"]
        assert connection["initiator"] in location["logicalLocations"][0]["fullyQualifiedName"]
        properties = result["properties"]
        assert properties["frame"] == finding["frame"] and properties["connection"] == connection["id"]
        assert properties["direction"] == finding["direction"] and properties["streamOffset"] == finding["stream_offset"]
        assert properties["time"] == pytest.approx(finding["time"])
        assert result.get("occurrenceCount", 1) == 1 + finding.get("more", {"count": 0})["count"]
        assert "suppressions" not in result
    assert any("occurrenceCount" in result for result in run["results"])


def test_sarif_waived_findings_are_suppressed(sarif, bad, fault):
    status, run = sarif(f"--waive={fault}:firmware 1.2", bad)
    assert status == 0
    suppressed, = [result for result in run["results"] if "suppressions" in result]
    assert suppressed["ruleId"] == fault and suppressed["suppressions"] == [{"kind": "external", "justification": "firmware 1.2"}]


def test_sarif_troubles(sarif, no_mpa, good):
    status, run = sarif(good, "/no/such/file", no_mpa)
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert status == 2 and not run["invocations"][0]["executionSuccessful"] and run["results"] == []
    assert [(note["level"], note["locations"][0]["physicalLocation"]["artifactLocation"]["index"]) for note in notes] == [
        ("error", 1), ("warning", 2)]
    status, run = sarif("--allow-empty", no_mpa)
    assert status == 0 and run["invocations"][0]["executionSuccessful"]
    assert run["invocations"][0]["toolExecutionNotifications"][0]["level"] == "note"


def test_sarif_of_every_kind_of_finding(sarif, all_captures):
    for part in range(3):
        sarif(*sorted(all_captures.glob("*/*.pcapng"))[part::62])


@pytest.mark.parametrize("name", [b"\x01\x1b[31m.pcap", b"\xff\xc2\x85.pcap", b"a b\tc%41#?.pcap", "\u202eé😀|<b>.pcap".encode(),
                                  b"a,b::c\r\nd.pcap", b"@team `x` [y](http://z).pcap"])
def test_hostile_names(sarif, check, bad, fault, tmp_path, name):
    folder = tmp_path / "here"
    folder.mkdir()
    path = str(folder).encode() + b"/" + name
    if b"/" in name:
        path = path.replace(b"http://", b"http:")
    shutil.copy(bad, path)
    path = path.decode("utf-8", "surrogateescape")
    _, run = sarif(path)
    uri = run["artifacts"][0]["location"]["uri"]
    assert re.fullmatch(r"file:///[A-Za-z0-9._~%!$&'()*+,;=:@/-]*", uri)
    assert urllib.parse.unquote_to_bytes(uri[7:]) == path.encode("utf-8", "surrogateescape")
    result = check("--format=github", f"--waive={fault}", path, path + "-missing")
    lines = result.stdout.split("\n")
    assert all(line.startswith("::") and line.count("::") >= 2 for line in lines[:-2]) and lines[-1] == ""
    error, = [line for line in lines if line.startswith("::error ")]
    assert re.fullmatch(r"::error file=[^,:\n]*,title=iwarp-check::[^\r\n]*", error)
    text = check("--format=markdown", path, path + "-missing").stdout
    assert all(line.count(" | ") - line.count("\\| ") == 7 for line in text.split("\n") if line.startswith("| ") and "Capture" in line)
    assert "<b>" not in text and "@team" not in text and "](" not in text and "\x1b" not in text and "`x`" not in text.replace("\\`", "")


def test_a_name_that_is_not_utf8_stays_identifiable(report, bad, tmp_path):
    for octet in (b"\xfe", b"\xff"):
        shutil.copy(bad, str(tmp_path).encode() + b"/" + octet + b".pcap")
    names = [report((str(tmp_path).encode() + b"/" + octet + b".pcap").decode("utf-8", "surrogateescape"))[1]["captures"][0]["file"]
             for octet in (b"\xfe", b"\xff")]
    assert names == [f"{tmp_path}/\\xfe.pcap", f"{tmp_path}/\\xff.pcap"]


def test_github_annotates_each_finding(check, report, captures, fault):
    result = check("--format=github", *captures)
    _, parsed = report(*captures)
    lines = result.stdout.splitlines()
    expected = findings(parsed)
    assert len(lines) == len(expected) + 1 and lines[-1].startswith("FAIL: ")
    for line, (capture, _, finding) in zip(lines, expected):
        command, message = re.fullmatch(r"::(\w+) [^:]*::(.*)", line).groups()
        assert command == LEVELS[finding["severity"]] and f"file={capture['file']},title={finding['rule']}%2C " in line
        assert f": {finding['found']}; expected {finding['expected']}".replace("%", "%25") in message
    assert fault not in check("--format=github", f"--waive={fault}", captures[0]).stdout


@pytest.mark.parametrize("options", [[], ["--max-findings=2"]])
def test_github_has_ten_annotations_of_a_rule(check, report, captures, bad, fault, options):
    """A notice has the number of the others, including those that were not kept."""
    paths = [*12 * [bad], *captures]
    lines = check("--format=github", *options, *paths).stdout.splitlines()
    times, most = {}, 0
    for _, _, finding in findings(report(*paths)[1]):
        times[finding["rule"]] = times.get(finding["rule"], 0) + 1 + finding.get("more", {"count": 0})["count"]
    for rule, n in times.items():
        annotations = [line for line in lines if f"title={rule}%2C" in line]
        told = len(annotations) + sum(int(line.split("(and ")[1].split()[0]) for line in annotations if "(and " in line)
        most = max(most, len(annotations))
        sums = [line for line in lines if line.startswith(f"::notice title={rule}::")]
        assert sums == ([f"::notice title={rule}::and {n - told} more of {rule}"] if n > told else [])
    assert most == 10 and times[fault] == 13


def test_sarif_places_and_fingerprints(sarif, root, capture):
    """Code scanning needs a line, and a fingerprint that stays the same with other frames and addresses."""
    _, run = sarif(root / "captures" / "real" / "basic" / "ucmatose.pcap")
    assert run["tool"]["driver"]["informationUri"].startswith("https://")
    regions = [result["locations"][0]["physicalLocation"]["region"] for result in run["results"]]
    assert all(region.get("endLine", region["startLine"]) == result["properties"]["frame"] for region, result in zip(regions, run["results"]))
    prints = [result["partialFingerprints"]["iwarpFinding/v1"] for result in run["results"]]
    assert len(set(prints)) == len(prints) == 6 and len({text.split(":")[0] for text in prints}) == 2
    others = [[result["partialFingerprints"] for result in sarif(capture("rev1", "--inject=MPA-4.1-05", *options))[1]["results"]]
              for options in ((), ("--ipv6",), ("--seed=5", "--connections=3"))]
    assert others[0] == others[1] == others[2] and len(others[0]) == 1


def test_markdown_of_a_missing_file(check):
    """The verdict names the file, which is text, not markup."""
    lines = check("--format=markdown", "/no/<b>@everybody").stdout.splitlines()
    assert lines[:2] == ["## iwarp-check: ERROR", ""] and lines[2] == "/no/&lt;b\\>&#64;everybody: no such file."


def test_markdown_summary(check, report, captures, no_mpa):
    result = check("--format=markdown", *captures, "--waive=MPA-4.3-04", no_mpa)
    _, parsed = report(*captures, no_mpa)
    lines = result.stdout.splitlines()
    assert lines[0] == "## iwarp-check: FAIL" and "in " in lines[2]
    tables = [[re.split(r"(?<!\\) \| ", row.strip("| ")) for row in table.splitlines() if row.startswith("| ")]
              for table in result.stdout.split("\n\n") if table.startswith("| ")]
    by_capture, by_rule = tables
    assert by_capture[0][0] == "Capture" and by_rule[0][0] == "Severity"
    assert [row[0].replace("\\", "") for row in by_capture[1:]] == [str(path) for path in (*captures[:2], captures[3], no_mpa)]
    assert [row[2] for row in by_capture[1:]] == ["fail", "fail", "fail", "nothing checked"]
    assert "1 capture passes." in lines
    times = {}
    for _, _, finding in findings(parsed):
        times[finding["rule"]] = times.get(finding["rule"], 0) + 1 + finding.get("more", {"count": 0})["count"]
    assert {row[2].split(", ")[0]: int(row[3]) for row in by_rule[1:]} == times
    assert all(": **" in row[1] and "<br>expected " in row[1] for row in by_rule[1:])
    severities = [row[0] for row in by_rule[1:]]
    assert severities == sorted(severities, key=["error", "warning", "note"].index)
    assert any(line.startswith("- unused waiver: MPA-4.3-04") for line in lines)
    assert len(result.stdout) < 1_000_000


@pytest.fixture(name="verdicts")
def fixture_verdicts(root, good, bad, no_mpa, capture, play, timed):
    """A capture for each kind of first line."""
    kept = root / "tests" / "check" / "trouble"
    endless = play([*["I call nfs3.getattr", "R reply status=5"] * 20], start="with nfs")
    return {"PASS: ": good, "FAIL: ": bad, "NOTHING TO CHECK: ": no_mpa, "TROUBLE: ": kept / "g40-server-silent.pcap",
            "TROUBLE: requests failed": timed(endless, [n * 10**8 for n in range(40)]),
            "PASS, but ": kept / "d1-cnp-and-ce-roce.pcap"}


@pytest.mark.parametrize("option", [(), ("--fail-on=trouble",)])
def test_every_format_has_the_first_line_of_the_text(check, verdicts, option):
    for begins, path in verdicts.items():
        first = check(*option, path).stdout.splitlines()[0]
        assert first.startswith(begins), first
        said = {form: check(*option, f"--format={form}", path).stdout for form in ("junit", "tap", "sarif", "github", "markdown", "html")}
        junit = xml.etree.ElementTree.fromstring(said["junit"].encode())
        assert [each.get("value") for each in junit.iter("property") if each.get("name") == "verdict"] == [first]
        assert said["tap"].splitlines()[-1] == f"# {first}"
        assert json.loads(said["sarif"])["runs"][0]["invocations"][0]["exitCodeDescription"] == first
        assert first in said["github"].splitlines()
        word, _, rest = first.partition(": ")
        title, _, text = said["markdown"].partition("\n\n")
        assert title == f"## iwarp-check: {word}" and re.sub(r"\\(.)", r"\1", text).startswith(f"{rest}.")
        shown = re.search(r"<h1>(.*?)</h1><p class=\"summary\">(.*?)</p>", said["html"]).groups()
        assert tuple(map(html.unescape, shown)) == (word, rest)
