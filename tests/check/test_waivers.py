# SPDX-License-Identifier: GPL-2.0-or-later
"""--waive, --waivers, --strict-waivers."""
import datetime
import subprocess

import pytest

from reports import validate


def the_finding(parsed):
    return parsed["captures"][0]["connections"][0]["findings"][0]


def test_waived_finding_does_not_fail(check, report, bad, fault):
    status, parsed = report(f"--waive={fault}:known since 1.2: see notes", bad)
    assert status == 0
    finding = the_finding(parsed)
    assert finding["waived"] is True and finding["waived_why"] == "known since 1.2: see notes"
    assert parsed["summary"]["findings"]["error"] == 0 and parsed["summary"]["waived"] == 1
    assert parsed["summary"]["unused_waivers"] == []
    text = check(f"--waive={fault}:known since 1.2", bad).stdout
    assert text.startswith("PASS: no findings, 1 waived") and "known since 1.2" in text


def test_waiver_without_reason(report, bad, fault):
    status, parsed = report(f"--waive={fault}", bad)
    assert status == 0 and the_finding(parsed)["waived_why"] is None


def test_waiving_a_rule_that_states_the_same(build, report, capture, catalogue):
    """A waiver for the one rule waives findings of the other."""
    listed = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "faults"], check=True, capture_output=True, text=True).stdout
    scenarios = dict(line.split("\t")[:2] for line in listed.splitlines())
    waived = 0
    for alias, same in ((row["id"], row["same"]) for row in catalogue if row["id"] != row["same"] and row["same"] in scenarios):
        path = capture(scenarios[same], f"--inject={same}")
        profile = ["--profile=rfc5666"] if same.startswith("RPCR0-") else []
        parsed = report(f"--waive={alias}", *profile, path)[1]
        found = {finding["waived"] for part in parsed["captures"] for connection in part["connections"]
                 for finding in connection["findings"] if finding["rule"] == same}
        assert found == {True}, (alias, same)
        waived += 1
    assert waived > 30


def test_unused_waiver_is_reported(check, report, good, bad):
    status, parsed = report("--waive=MPA-4.3-03", good)
    assert status == 0 and parsed["summary"]["unused_waivers"] == ["MPA-4.3-03"]
    assert "MPA-4.3-03" in check("--waive=MPA-4.3-03", good).stdout
    assert check("--waive=MPA-4.3-03", "--strict-waivers", good).returncode == 1
    assert check("--waive=MPA-4.3-03", "--strict-waivers", "--skip=MPA-4.3", good).returncode == 0
    assert check("--waive=MPA-4.3-03", "--strict-waivers", bad).returncode == 1


@pytest.fixture
def waivers(tmp_path):
    def write(text):
        path = tmp_path / "waivers.yaml"
        path.write_text(text, encoding="utf-8")
        return path
    return write


def test_file(report, waivers, bad, fault):
    path = waivers(f"# known\n- id: {fault}\n  why: old firmware\n  link: https://bugs.example/17\n")
    status, parsed = report(f"--waivers={path}", bad)
    finding = the_finding(parsed)
    assert (status, finding["waived"], finding["waived_why"]) == (0, True, "old firmware")
    assert finding["waived_link"] == "https://bugs.example/17"
    assert "waived_fixed" not in finding


def test_the_version_that_ends_a_deviation_is_said_and_waives_nothing_else(check, report, waivers, bad, fault, tmp_path):
    path = waivers(f"- id: {fault}\n  why: old firmware\n  fixed: firmware 1.3\n")
    status, parsed = report(f"--waivers={path}", bad)
    assert (status, the_finding(parsed)["waived_fixed"]) == (0, "firmware 1.3")
    text = check(f"--waivers={path}", bad).stdout
    assert f"waived until firmware 1.3 ({path}:1): old firmware" in text
    whole = tmp_path / "whole.ndjson"
    whole.write_text(check("--format=ndjson", f"--waivers={path}", bad).stdout, encoding="utf-8")
    assert "waived until firmware 1.3 (by the report): old firmware" in check("merge", "--format=text", whole).stdout
    path = waivers(f"- id: {fault}\n  why: old firmware\n  fixed: []\n")
    assert "'fixed' must be text" in check(f"--waivers={path}", bad).stderr


def test_scope(report, waivers, bad, fault):
    _, parsed = report(bad)
    finding = the_finding(parsed)
    sender, receiver = (parsed["captures"][0]["connections"][0][role] for role in (
        ("initiator", "responder") if finding["direction"] == "initiator-to-responder" else ("responder", "initiator")))
    role, other_role = (("initiator", "responder") if finding["direction"] == "initiator-to-responder"
                        else ("responder", "initiator"))
    address = sender.rsplit(":", 1)[0]
    for scope, waived in ((f"addresses: [{address}]", True), (f"addresses: [{address}/24]", True),
                          (f"addresses: ['{sender}']", True), (f"addresses: {address}", True),
                          (f"addresses: [{receiver.rsplit(':', 1)[0]}]", False), ("addresses: [203.0.113.9, '2001:db8::1']", False),
                          (f"addresses: ['{address}:1']", False), (f"role: {role}", True), (f"role: {other_role}", False),
                          (f"role: {role}\n    addresses: [{address}]", True)):
        path = waivers(f"- id: {fault}\n  why: because\n  scope:\n    {scope}\n")
        status, parsed = report(f"--waivers={path}", bad)
        assert (status, the_finding(parsed)["waived"]) == (0 if waived else 1, waived), scope
        assert parsed["summary"]["unused_waivers"] == ([] if waived else [fault])


def test_empty_file(check, waivers, good):
    assert check(f"--waivers={waivers('')}", good).returncode == 0
    assert check(f"--waivers={waivers('[]')}", good).returncode == 0


@pytest.mark.parametrize("text, line, hint", [
    ("id: MPA-4.1-05\n", 1, "list"),
    ("- MPA-4.1-05\n", 1, "id or case, why, scope, link, until"),
    ("- id: MPA-4.1-05\n  why: x\n- why: y\n", 3, "'id' is missing"),
    ("- id: MPA-4.1-05\n", 1, "'why' is missing"),
    ("- id: MPA-0-00\n  why: x\n", 1, "MPA-0-00"),
    ("- id: MPA-4.1-05\n  why: x\n  reason: y\n", 3, "allowed: id or case, why, scope, link, until"),
    ("- id: MPA-4.1-05\n  why: x\n  why: y\n", 3, "twice"),
    ("- id: MPA-4.1-05\n  why: [x]\n", 2, "text"),
    ("- id: MPA-4.1-05\n  why: x\n  scope: here\n", 3, "addresses, role"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    host: a\n", 4, "allowed: addresses, role, operation, kind, found"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    role: client\n", 4, "initiator or responder"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: [192.0.2.999]\n", 4, "192.0.2.999"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: [192.0.2.1/33]\n", 4, "192.0.2.1/33"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: ['[2001:db8::1']\n", 4, "2001:db8::1"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: ['192.0.2.1:0']\n", 4, "192.0.2.1:0"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: []\n", 4, "list of addresses"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    kind: Answer\n", 4, "Call, Reply, Error or none"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    operation: [READ]\n", 4, "'operation' must be text"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    found: ''\n", 4, "'found' must be text"),
    ("- id: MPA-4.1-05\n  why: x\n  until: tomorrow\n", 3, "'until' must be a date such as 2027-03-31"),
    ("- id: MPA-4.1-05\n  why: x\n  until: 2027-02-30\n", 3, "'until' must be a date"),
    ("- id: MPA-4.1-05\n  why: x\n  until: 2027-2-3\n", 3, "'until' must be a date"),
    ("- id: MPA-4.1-05\n  case: MPA-4.1-05\n  why: x\n", 2, "either 'id' or 'case'"),
    ("- case: []\n  why: x\n", 1, "'case' must be text"),
    ("- case: MPA-4.1-05\n  id: MPA-4.1-05\n  why: x\n", 2, "either 'id' or 'case'"),
    ("- case: MPA-0-00\n  why: x\n", 1, "no case 'MPA-0-00'"),
    ("- case: MPA-4.1-05\n  why: x\n  scope:\n    kind: Reply\n", 1, "a case has no findings"),
    ("- id: 'MPA\n", None, "not YAML"),
    ("- id: MPA-4.1-05\n  why: x\n---\n- id: MPA-4.3-03\n  why: y\n", 4, "a second document begins here"),
    ("- id: MPA-4.1-05\n  why: x\n...\n}\n", 4, "not YAML"),
    ("- id: &a [*a]\n", 1, ""),
    ("\x00\x01", 1, "not YAML"),
])
def test_mistakes_name_file_and_line(check, waivers, good, text, line, hint):
    path = waivers(text)
    result = check(f"--waivers={path}", good)
    assert result.returncode == 2 and result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(f"iwarp-check: {path}:" + (f"{line}: " if line else "")) and hint in result.stderr


def waives(report, waivers, path, rule, scope):
    """Whether a waiver for the rule with that scope waives its findings in the capture."""
    _, parsed = report(f"--waivers={waivers(f'- id: {rule}' + chr(10) + '  why: known' + chr(10) + '  scope:' + chr(10) + '    ' + scope + chr(10))}", path)
    findings = [f for f in parsed["captures"][0]["connections"][0]["findings"] if f["rule"] == rule]
    assert findings and len({f["waived"] for f in findings}) == 1
    return findings[0]["waived"]


def test_scope_of_findings(report, waivers, capture, schema):
    """Operation and kind of message are the JSON members, and the text is the member `message`."""
    path = capture("nfs-auxiliary", "--inject=RPC-9-05/long")
    _, parsed = report(path)
    finding = parsed["captures"][0]["connections"][0]["findings"][0]
    assert (finding["rule"], finding["operation"], finding["kind"]) == ("RPC-9-05", "SETACL", "Reply")
    validate(parsed, schema)
    for scope, waived in (("operation: SETACL", True), ("operation: setacl", True), ("operation: READ", False), ("kind: Reply", True),
                          ("kind: Call", False), ("kind: none", False), (f"found: \"{finding['message']}\"", True),
                          ("found: \"*; found GARBAGE_ARGS for SETACL, *\"", True), ("found: \"*; found GARBAGE_ARGS for WRITE, *\"", False),
                          ("found: \"expected GARBAGE_ARGS\"", False), ("found: \"*arguments of # octets*\"", True),
                          ("found: \"*arguments of #octets*\"", False), ("found: \"*# are well formed\"", False),
                          ("found: \"*\"", True), ("operation: SETACL\n    role: responder\n    kind: Reply", True),
                          ("operation: SETACL\n    role: initiator", False)):
        assert waives(report, waivers, path, "RPC-9-05", scope) == waived, scope


def test_scope_of_an_answer_that_never_came(report, waivers, capture):
    """A COMPOUND's operation is its main operation."""
    path = capture("rpcrdma", "--inject=RPCR-4.5.4-03/fault")
    _, parsed = report(path)
    finding = next(f for f in parsed["captures"][0]["connections"][0]["findings"] if f["rule"] == "RPCR-4.5.4-03")
    assert (finding["operation"], finding["kind"]) == ("READDIR", "none")
    assert waives(report, waivers, path, "RPCR-4.5.4-03", "operation: READDIR\n    kind: none")
    assert not waives(report, waivers, path, "RPCR-4.5.4-03", "operation: READ\n    kind: none")


def test_a_scope_that_is_not_known_matches_nothing(report, waivers, bad, fault):
    """An FPDU has no operation of NFS."""
    _, parsed = report(bad)
    assert not {"operation", "kind"} & set(the_finding(parsed))
    for scope in ("operation: READ", "kind: Call"):
        assert not waives(report, waivers, bad, fault, scope)
    assert waives(report, waivers, bad, fault, 'found: "expected # zero PAD octets; found PAD octets #"')


def test_a_pattern_takes_no_time(check, waivers, bad, fault):
    """For any number of stars: a failing one is not combined with all others again."""
    path = waivers(f"- id: {fault}\n  why: x\n  scope:\n    found: \"{'*e' * 200}x\"\n")
    assert check(f"--waivers={path}", bad, timeout=60).returncode == 1


def test_until(check, report, waivers, bad, fault, schema):
    """A waiver applies on its last day; then the finding fails, and the report has the date."""
    today = datetime.date.today()
    for until, expired in ((today + datetime.timedelta(2), False), (today - datetime.timedelta(2), True)):
        path = waivers(f"- id: {fault}\n  why: firmware 1.3 has it\n  until: {until}\n")
        status, parsed = report(f"--waivers={path}", "--strict-waivers", bad)
        assert (status, the_finding(parsed)["waived"]) == (int(expired), not expired)
        validate(parsed, schema)
        assert parsed["summary"].get("expired_waivers", []) == [{"id": fault, "until": str(until)}] * expired
        assert parsed["summary"]["unused_waivers"] == []
        line = f"expired waiver: {fault} ({path}:1), which was valid until {until}"
        for form in ("text", "html", "markdown"):
            assert (line in check(f"--waivers={path}", "--format=" + form, bad).stdout.replace("\\", "").replace("\n  ", " ")) == expired, form
    path.write_text(path.read_text(encoding="utf-8") + f"- id: {fault}\n  why: known\n", encoding="utf-8")
    assert check(f"--waivers={path}", bad).returncode == 0  # another waiver still applies


def test_a_case_waives_no_finding(check, waivers, bad, fault):
    path = waivers(f"- case: {fault}\n  why: known\n")
    assert check(f"--waivers={path}", "--strict-waivers", bad).returncode == 1
    assert "unused" not in check(f"--waivers={path}", bad).stdout
