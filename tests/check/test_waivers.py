# SPDX-License-Identifier: GPL-2.0-or-later
"""--waive, --waivers, --strict-waivers."""
import pytest


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


def test_waiving_a_rule_that_states_the_same(report, bad, fault, catalogue):
    aliases = [row["id"] for row in catalogue if row["same"] == fault != row["id"]]
    for alias in aliases:
        assert report(f"--waive={alias}", bad)[0] == 0


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
    ("- MPA-4.1-05\n", 1, "id, why, scope, link"),
    ("- id: MPA-4.1-05\n  why: x\n- why: y\n", 3, "'id' is missing"),
    ("- id: MPA-4.1-05\n", 1, "'why' is missing"),
    ("- id: MPA-0-00\n  why: x\n", 1, "MPA-0-00"),
    ("- id: MPA-4.1-05\n  why: x\n  reason: y\n", 3, "allowed: id, why, scope, link"),
    ("- id: MPA-4.1-05\n  why: x\n  why: y\n", 3, "twice"),
    ("- id: MPA-4.1-05\n  why: [x]\n", 2, "text"),
    ("- id: MPA-4.1-05\n  why: x\n  scope: here\n", 3, "addresses, role"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    host: a\n", 4, "allowed: addresses, role"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    role: client\n", 4, "initiator or responder"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: [192.0.2.999]\n", 4, "192.0.2.999"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: [192.0.2.1/33]\n", 4, "192.0.2.1/33"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: ['[2001:db8::1']\n", 4, "2001:db8::1"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: ['192.0.2.1:0']\n", 4, "192.0.2.1:0"),
    ("- id: MPA-4.1-05\n  why: x\n  scope:\n    addresses: []\n", 4, "list of addresses"),
    ("- id: 'MPA\n", None, "not YAML"),
    ("- id: &a [*a]\n", 1, ""),
    ("\x00\x01", 1, "not YAML"),
])
def test_mistakes_name_file_and_line(check, waivers, good, text, line, hint):
    path = waivers(text)
    result = check(f"--waivers={path}", good)
    assert result.returncode == 2 and result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(f"iwarp-check: {path}:" + (f"{line}: " if line else "")) and hint in result.stderr
