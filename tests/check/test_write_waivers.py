# SPDX-License-Identifier: GPL-2.0-or-later
"""--write-waivers: a baseline of today's findings; with it only new findings fail."""
import re
import subprocess

import pytest

from reports import read_report

# Typical for a system with its own card, client and server: about twenty known findings.
KNOWN = ("MPA-4.1-05", "MPA-4.3-09", "RDMAP-4.8-30", "RDMAP-5.2.1-18", "RPCR-3.4.6.2-02", "RPCR-3.5.3-10", "RPCR-2.2.4.2-02",
         "CMPD-4.1-03/server", "RPCR-4.5.4-03/stall", "RPC-9-05/long", "RPCR-3.3.3-03", "RPCR-4.2.1-01/reply", "RPCR-4.3.3-05",
         "RPCR-3.5.3-16", "RPCR-3.4.6.2-03", "NFS4-15.2-04", "RPCR-4.5-04", "MPA-7.1.2-23", "RPCR-6.1-07")


@pytest.fixture(scope="module")
def known(capture, build):
    listed = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "faults"], capture_output=True, text=True, check=True).stdout
    scenario = dict(line.split("\t")[:2] for line in listed.splitlines())
    return {fault: capture(scenario[fault], "--inject=" + fault) for fault in KNOWN}


@pytest.fixture
def adopt(check, tmp_path):
    """adopt(*arguments) -> the baseline, written by a failing run."""
    def run(*arguments):
        path = tmp_path / "known.yaml"
        assert check("--fail-on=warning", f"--write-waivers={path}", *arguments).returncode == 1
        return path
    return run


def fails(check, *arguments):
    """(rule, operation) of unwaived findings."""
    result = check("--fail-on=warning", "--format=ndjson", "--verbose", *arguments)
    found = {(f["rule"], f.get("operation")) for c in read_report(result.stdout)["captures"] for k in c["connections"] for f in k["findings"]
             if not f["waived"] and f["severity"] != "note"}
    assert bool(found) == (result.returncode == 1)
    return found


def test_the_owner_of_a_ci_adopts_it(check, known, adopt, capture):
    """A system with twenty known findings passes from now on, and the first new finding turns it red."""
    before = read_report(check("--fail-on=warning", "--format=ndjson", *known.values()).stdout)["summary"]["findings"]
    assert before["error"] + before["warning"] >= 20
    path = adopt(*known.values())
    assert check("--fail-on=warning", f"--waivers={path}", "--strict-waivers", *known.values()).returncode == 0
    new = capture("marker-walk", "--inject=MPA-4.3-10")
    result = check("--fail-on=warning", f"--waivers={path}", *known.values(), new)
    assert result.returncode == 1 and result.stdout.startswith("FAIL: 1 error, ")
    assert {rule for rule, _ in fails(check, f"--waivers={path}", *known.values(), new)} == {rule for rule, _ in fails(check, new)}


def test_another_operation_is_new(check, adopt, capture):
    path = adopt(capture("nfs-auxiliary", "--inject=RPC-9-05/long"))
    assert not fails(check, f"--waivers={path}", capture("nfs-auxiliary", "--inject=RPC-9-05/long"))
    assert fails(check, f"--waivers={path}", capture("nfs3", "--inject=RPC-9-05/read")) == {("RPC-9-05", "READ")}


def test_a_finding_of_another_kind_is_new(check, adopt, capture):
    """For the same rule, at other messages: a missing answer to another operation."""
    path = adopt(capture("rpcrdma", "--inject=RPCR-4.5.4-03/idle"))
    assert ("RPCR-4.5.4-03", "READDIR") in fails(check, f"--waivers={path}", capture("rpcrdma", "--inject=RPCR-4.5.4-03/fault"))
    path = adopt(capture("rpcrdma", "--inject=RPCR-4.3.3-05"))
    assert fails(check, f"--waivers={path}", capture("rpcrdma", "--inject=RPCR-4.3.3-05/more"))


def test_numbers_may_differ(check, adopt, capture):
    """Other frames, XIDs and octets are not new findings, nor is the same device on another port."""
    path = adopt(capture("rev1", "--inject=MPA-4.1-05"))
    assert not fails(check, f"--waivers={path}", capture("rev1", "--inject=MPA-4.1-05", "--seed=7"))


def test_another_device_is_new(check, adopt, bad, tmp_path):
    path = adopt(bad)
    text = path.read_text(encoding="utf-8")
    address = re.search(r'addresses: \["([^"]+)"\]', text)[1]
    path.write_text(text.replace(address, "203.0.113.9"), encoding="utf-8")
    assert fails(check, f"--waivers={path}", bad)


def test_what_is_written(report, adopt, bad, fault):
    frame = report(bad)[1]["captures"][0]["connections"][0]["findings"][0]["frame"]
    text = adopt(bad).read_text(encoding="utf-8")
    assert text.startswith("# Findings that were known on 2") and f"# 1 finding, the first in frame {frame} of {bad}\n- id: {fault}\n" in text
    assert '    role: initiator\n    found: "expected # zero PAD octets; found PAD octets #"\n' in text


def test_only_what_fails(check, tmp_path, bad, good, known):
    """--fail-on chooses the findings to write; waived findings are not written again."""
    path = tmp_path / "known.yaml"
    assert check(f"--write-waivers={path}", good).returncode == 0
    assert check(f"--waivers={path}", "--strict-waivers", good).returncode == 0 and "[]" in path.read_text(encoding="utf-8")
    stalled = known["RPCR-4.5.4-03/stall"]
    for level, written in (("error", False), ("warning", True)):
        check(f"--write-waivers={path}", "--fail-on=" + level, stalled)
        assert ("RPCR-4.5.4-03" in path.read_text(encoding="utf-8")) == written
    assert check(f"--write-waivers={path}", "--waive=MPA-4.1-05", bad).returncode == 0
    assert "MPA" not in path.read_text(encoding="utf-8").split("\n", 1)[1]


def test_findings_that_are_not_listed(check, adopt, root):
    """Folded findings, and those beyond --max-findings, are in the baseline."""
    real = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    path = adopt("--max-findings=1", real)
    assert not fails(check, f"--waivers={path}", real)


def test_mistakes(check, tmp_path, bad):
    path = tmp_path / "known.yaml"
    path.write_text("- id: MPA-4.1-05\n  why: known\n", encoding="utf-8")
    for arguments, said in (([f"--write-waivers={path}", f"--waivers={path}", bad], "also read by --waivers"),
                            ([f"--write-waivers={bad}", bad], "one of the captures to check"),
                            ([f"--write-waivers={tmp_path}/no/where.yaml", bad], "cannot write"),
                            ([f"--write-waivers={path}", "--rotate=1", f"--output={tmp_path}/r.json", bad], "cannot be combined")):
        result = check(*arguments)
        assert result.returncode == 2 and said in result.stderr, arguments
