# SPDX-License-Identifier: GPL-2.0-or-later
"""The JSON report agrees with its schema and the text report; selectors and limits."""
import re

import jsonschema
import pytest

from reports import read_report, validate


def findings(parsed):
    return [finding for capture in parsed["captures"] for connection in capture["connections"]
            for finding in connection["findings"]]


def test_the_schema_is_one(schema):
    jsonschema.Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("options", [[], ["--profile=rdmac"], ["--rules=must"], ["--waive=MPA-4.1-05:known"]])
def test_reports_keep_to_the_schema(report, schema, good, bad, no_mpa, options):
    for files in ([good], [bad], [no_mpa], [good, bad, "/no/such/file"]):
        _, parsed = report(*options, *files)
        validate(parsed, schema)


def test_real_captures_keep_to_the_schema(report, schema, root):
    captures = sorted((root / "captures").glob("real/**/*.pcap*"))
    if not captures:
        pytest.skip("no real captures here")
    for path in captures:
        _, parsed = report(path)
        validate(parsed, schema)


def test_the_finding(report, bad, fault, catalogue):
    status, parsed = report(bad)
    found = findings(parsed)
    rule = next(row for row in catalogue if row["id"] == fault)
    assert status == 1 and [finding["rule"] for finding in found] == [fault]
    assert found[0]["document"] == rule["doc"] and found[0]["section"] == rule["section"]
    assert found[0]["severity"] == rule["severity"] == "error"
    assert found[0]["message"].startswith("expected ") and "; found " in found[0]["message"]
    assert fault not in found[0]["message"]
    assert found[0]["frame"] in found[0]["frames"]
    assert found[0]["same_as"] == [row["id"] for row in catalogue if row["same"] == fault != row["id"]]
    assert found[0]["judged_with"] == [row["id"] for row in catalogue if fault in row["with"]]
    connection = parsed["captures"][0]["connections"][0]
    assert connection["start_frame"] <= found[0]["frame"] <= connection["end_frame"]
    assert connection["rules"][fault]["failed"] == 1
    assert parsed["summary"]["findings"] == {"error": 1, "warning": 0, "note": 0}


def test_strings_that_need_escaping(report, good, tmp_path):
    """The file's name survives with any characters; a waiver's text, too."""
    path = tmp_path / "a \"quoted\" back\\slash, tab\t, line\nfeed, \x01, Übergröße, \u2028, \U0001F600.pcapng"
    path.write_bytes(good.read_bytes())
    _, parsed = report(path)
    assert parsed["captures"][0]["file"] == str(path)
    _, parsed = report('--waive=MPA-4.1-05:"why" \\ not\x7f', good)
    assert parsed["summary"]["unused_waivers"] == ["MPA-4.1-05"]


def test_connection(report, good):
    _, parsed = report(good)
    connection, = parsed["captures"][0]["connections"]
    assert connection["roles_known"] and connection["id"] == 1 and connection["start_frame"] == 1
    assert connection["end_frame"] == parsed["captures"][0]["packets"]
    assert connection["mpa"]["revision"] == 2 and connection["mpa"]["complete"] is True
    assert connection["mpa"]["rejected"] is False and connection["mpa"]["enhanced"] is True
    assert min(connection["counts"]["fpdus"]) > 0 and min(connection["counts"]["octets"]) > 0
    assert connection["findings"] == []


def test_revision_of_a_request_without_reply(report, root):
    _, parsed = report(root / "captures" / "real" / "errors" / "noanswer.pcap")
    assert parsed["captures"][0]["connections"][0]["mpa"]["revision"] == 2


def test_only_true_equivalents_share_the_outcome(report, catalogue, good, bad):
    for path in (good, bad):
        _, parsed = report(path)
        rules = parsed["captures"][0]["connections"][0]["rules"]
        for row in catalogue:
            if row["judged"] == "same" and row["doc"] not in ("RFC 5666", "RFC 5667"):  # they apply with another profile
                assert rules.get(row["id"]) == rules.get(row["same"])
            elif row["judged"] == "with":
                assert row["id"] not in rules


def test_one_violation_fails_one_rule(report, check, capture):
    """Rules that are judged with the rule are named, but do not fail and are not waived by name."""
    path = capture("rpcrdma", "--inject=CMPD-4.1-03")
    _, parsed = report(path)
    connection, = parsed["captures"][0]["connections"]
    assert {rule for rule, counts in connection["rules"].items() if counts["failed"]} == {"CMPD-4.1-03", "CMPD-3.2-02"}
    finding = next(f for f in connection["findings"] if f["rule"] == "CMPD-4.1-03")
    assert finding["same_as"] == ["CMPD-3.2-02"]
    assert {"CMPD-4-02", "CMPD-4-03", "CMPD-5.2-02", "CMPD-5.2-03", "CMPD-5.2-04"} == set(finding["judged_with"])
    assert report("--waive=CMPD-3.2-02", path)[0] == 0
    status, parsed = report("--waive=CMPD-4-02", path)
    assert status == 1 and parsed["summary"]["unused_waivers"] == ["CMPD-4-02"]
    assert "waive the rules that carry its findings: CMPD-4.1-03, CMPD-4.2-04, CMPD-4.2-05" in check("--waive=CMPD-4-02", path).stdout


def test_selecting_a_rule_runs_what_judges_it(report, check, capture, catalogue):
    path = capture("rpcrdma", "--inject=CMPD-4.1-03")
    rows = {row["id"]: row for row in catalogue}
    status, parsed = report("--rules=CMPD-4-02", path)
    connection, = parsed["captures"][0]["connections"]
    assert status == 1 and [f["rule"] for f in connection["findings"]] == ["CMPD-4.1-03"]
    assert set(connection["rules"]) <= set(rows["CMPD-4-02"]["with"]) and connection["rules"]["CMPD-4.1-03"]["failed"] == 1
    assert [line.split("\t")[0] for line in check("--list-rules", "--rules=CMPD-4-02").stdout.splitlines()] == ["CMPD-4-02"]
    assert report("--rules=CMPD-4-02", "--skip=CMPD-4.1-03", path)[0] == 0


def test_a_document_chosen_alone_keeps_its_demands(report, capture):
    """RFC 8166 4.3.2 requires the same; if a program has a binding, the rule of RFC 8267 judges it."""
    path = capture("nfs41", "--inject=NFSULB-6.4.1-03")
    status, parsed = report("--rules=rfc8166", path)
    assert status == 1
    assert [f["rule"] for f in parsed["captures"][0]["connections"][0]["findings"]] == ["NFSULB-6.4.1-03"]
    assert report("--rules=RPCR-4.3.2-03", path)[0] == 1 and report("--rules=rfc8166", "--skip=rfc8267", path)[0] == 0


def test_only_what_happened_is_listed(report, good):
    _, parsed = report(good)
    rules = parsed["captures"][0]["connections"][0]["rules"]
    assert rules and all(sum(counts.values()) > 0 for counts in rules.values())
    exercised = sum(counts["passed"] + counts["failed"] > 0 for counts in rules.values())
    assert exercised == parsed["summary"]["rules_exercised"]


def test_skipping_the_rule_removes_the_finding(report, bad, fault):
    for option in (f"--skip={fault}", "--rules=rfc6581", f"--skip={fault.rsplit('-', 1)[0]}"):
        status, parsed = report(option, bad)
        assert status == 0 and findings(parsed) == []
        assert fault not in parsed["captures"][0]["connections"][0]["rules"]


def test_selecting_the_rule_keeps_only_it(report, bad, fault):
    status, parsed = report(f"--rules={fault}", bad)
    assert status == 1 and [finding["rule"] for finding in findings(parsed)] == [fault]
    assert list(parsed["captures"][0]["connections"][0]["rules"]) == [fault]


def test_text_report_says_the_same(check, report, bad, fault):
    text = check(bad).stdout
    _, parsed = report(bad)
    finding, = findings(parsed)
    connection = parsed["captures"][0]["connections"][0]
    assert f"frame {finding['frame']}" in text and finding["message"] == f"expected {finding['expected']}; found {finding['found']}"
    place, found = re.search(r"\n    (.*): (.*)\n      expected " + re.escape(finding["expected"]) + "\n      " + finding["rule"], text).groups()
    assert found == finding["found"] and place.startswith(f"error: frame {finding['frame']}") and finding["at"] in place
    assert f"section {finding['section']}" in text and connection["initiator"] in text and connection["responder"] in text
    assert f"{parsed['summary']['rules_exercised']} rules exercised" in text.splitlines()[0]
    table = check("--verbose", bad).stdout.partition("\nrules exercised")[2]
    for rule, counts in connection["rules"].items():
        if counts["passed"] + counts["failed"]:
            line = next(line.split() for line in table.splitlines() if line.split()[:1] == [rule])
            assert line[4:7] == [str(counts[name]) for name in ("passed", "failed", "inconclusive")]


def test_equal_findings_are_folded(check, report, root, schema, tmp_path):
    """The first three are listed, the others are counted with the third; counts and totals include all."""
    path = root / "captures" / "real" / "nfs" / "nfs41-recall.pcap"
    rule = "--rules=CMPD-4.1-03"
    every = findings(report(rule, "--verbose", path)[1])
    status, parsed = report(rule, path)
    validate(parsed, schema)
    listed = findings(parsed)
    assert status == 1 and len(every) == 5 and len(listed) == 3
    frames = [finding["frame"] for finding in every]
    assert listed[2].pop("more") == {"count": 2, "frames": frames[3:]} and listed == every[:3]
    assert findings(report(rule, "--max-findings=0", path)[1]) == every
    assert parsed["summary"]["findings"]["error"] == 5
    assert parsed["captures"][0]["connections"][0]["rules"]["CMPD-4.1-03"]["failed"] == 5
    said = f"(and 2 more, frames {frames[3]}-{frames[4]})"
    for form in ("text", "html", "junit"):
        assert check(f"--format={form}", rule, path).stdout.count(said) >= 1, form
        assert said not in check(f"--format={form}", "--verbose", rule, path).stdout, form
    one, merged = tmp_path / "one.json", tmp_path / "merged.json"
    check("--format=ndjson", rule, f"--output={one}", path)
    assert check("merge", f"--output={merged}", one, one).returncode == 1
    assert read_report(merged.read_text())["summary"]["findings"]["error"] == 10
    check("--format=ndjson", rule, "--rotate=0.01", f"--output={tmp_path / 'part.json'}", path)
    check("merge", f"--output={merged}", *sorted(tmp_path.glob("part-*.json")))
    assert findings(read_report(merged.read_text())) == findings(read_report(one.read_text()))


def test_findings_that_are_not_kept(check, capture, tmp_path):
    """With --max-findings every report counts all of them, and gives the number not listed."""
    path = capture("rev1", "--inject=MPA-3-03")
    whole = read_report(check("--format=ndjson", path).stdout)["captures"][0]["connections"]
    assert len(whole) == 1 and len(whole[0]["findings"]) > 1
    left_out = len(whole[0]["findings"]) - 1
    kept = read_report(check("--format=ndjson", "--max-findings=1", path).stdout)["captures"][0]["connections"][0]
    assert len(kept["findings"]) == 1 and kept["findings"][0] in whole[0]["findings"] and kept["findings_not_listed"] == left_out
    said = f"{left_out} more findings were counted but not kept"
    for form in ("text", "html", "junit"):
        assert said not in check(f"--format={form}", path).stdout
        assert said in check(f"--format={form}", "--max-findings=1", path).stdout, form
    out = tmp_path / "annotated.pcapng"
    check("--max-findings=1", f"--annotate={out}", path)
    assert f"{left_out} more findings were counted but not kept (--max-findings)".encode() in out.read_bytes()


@pytest.mark.parametrize("transport", ["iwarp", "roce"])
def test_json_in_proportion(check, capture, tmp_path, transport):
    """For clean traffic on many short connections it has a twentieth of the capture's size, plus one entry for each rule."""
    path, report = capture("nfs-metadata", "--connections=20", "--size=1M", f"--transport={transport}"), tmp_path / "report.json"
    assert check("--format=ndjson", f"--output={report}", path).returncode == 0
    assert report.stat().st_size < path.stat().st_size / 20 + 32768
    connection = read_report(report.read_text(encoding="utf-8"))["captures"][0]["connections"][0]
    assert len(connection["rpcrdma"]["calls"]) >= 1 and connection["counts"]["operations"]["send"] > 50
