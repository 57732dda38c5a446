# SPDX-License-Identifier: GPL-2.0-or-later
""""What happened" for captures of reported problems (tests/check/trouble), all scenarios and all real captures, in one golden file. Every
change to it is reviewed; to rewrite it: python3 tests/check/test_happened.py

A new rule or scenario changes nothing here: the numbers of exercised rules are left out, and so are captures in which nothing happened."""
import difflib
import json
import os
import pathlib
import re
import struct
import subprocess
import sys

import jsonschema
import pytest

from reports import validate
from stats import packets

ROOT = pathlib.Path(__file__).resolve().parents[2]
TROUBLE = ROOT / "tests" / "check" / "trouble"
GOLDEN = ROOT / "tests" / "check" / "happened.txt"
FOLDERS = [TROUBLE, *(ROOT / "captures" / name for name in ("generated/conforming", "real", "roce", "ulp"))]


def captures():
    return sorted(path for folder in FOLDERS for path in folder.rglob("*.pcap*"))


def block_of(program, path):
    """The beginning of the verdict, and the block."""
    text = subprocess.run([program, "--color=never", path.relative_to(ROOT)], cwd=ROOT, check=False, capture_output=True, text=True).stdout
    lines = text.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith(("What happened", "No trouble"))), None)
    block = [re.sub(r", \d+ rules? exercised", "", lines[0])]
    for line in lines[begin:] if begin is not None else []:
        if not line:
            break
        block.append("  " + line)
    return block


def silent(block):
    """True only for a capture that passes without a note and without trouble."""
    return block[0].startswith("PASS: no findings in ") and re.fullmatch(r"  No trouble(: .* Calls? \w+ answered)?\.", "\n".join(block[1:]))


def golden(program):
    blocks = [(path, block_of(program, path)) for path in captures()]
    return [line for path, block in blocks if not silent(block) for line in ["# " + str(path.relative_to(ROOT)), *block]]


def test_what_is_silent():
    assert silent(["PASS: no findings in 1 connection", "  No trouble."])
    assert silent(["PASS: no findings in 1 connection", "  No trouble: all 24 Calls were answered."])
    assert not silent(["PASS: 4 notes in 4 connections", "  No trouble."])
    assert not silent(["PASS: no findings in 2 connections", "  No trouble, as far as captured."])
    assert not silent(["PASS, but 1 call was not answered: no findings in 1 connection", "  No trouble."])
    assert not silent(["iwarp-check: no such file"])


def test_golden(build):
    found = golden(build / "conformance" / "iwarp-check")
    changes = list(difflib.unified_diff(GOLDEN.read_text(encoding="utf-8").splitlines(), found, "happened.txt", "found", lineterm="", n=1))
    assert not changes, "\n".join(changes)


@pytest.mark.parametrize("path", sorted(TROUBLE.glob("*.pcap")), ids=lambda path: path.stem)
def test_on_the_first_screen(check, path):
    lines = [line for line in check(path).stdout.splitlines() if line]
    assert any(line.startswith(("What happened", "No trouble")) for line in lines[:3])
    assert not lines[0].startswith("PASS:") or path.stem.startswith(("a1", "c6", "d"))


def kinds(report):
    return [trouble["kind"] for trouble in report["captures"][0]["trouble"]]


@pytest.mark.parametrize("name, expected", [
    ("b1-never-acknowledged-large-roce", ["size-dependent-loss", "call-loop"]),
    ("b3-reply-refused-too-long-loop-roce", ["call-loop"]),
    ("b5-right-write-refused-loop-roce", ["call-loop"]),
    ("b7-connect-loop-iwarp", ["connection-empty"]),
    ("c1-rnr-retry-before-timer-roce", ["call-unanswered", "receiver-not-ready"]),
    ("c2-zero-window-iwarp", ["closed-window", "call-unanswered"]),
    ("c6-one-direction-roce", ["one-direction"]),
    ("c8-dead-server-stats-order-roce", ["call-unanswered"]),
    ("d1-cnp-and-ce-roce", ["congestion"]),
    ("d3-delayed-ack-iwarp", ["delayed-ack"]),
    ("f1-syn-unanswered", ["connect-no-answer"]),
    ("f3-refused-then-nfs-over-tcp", ["connect-refused", "plain-tcp"]),
    ("f5-rej-invalid-service-id-roce", ["connect-rejected"]),
    ("f8-mpa-reply-after-15s", ["connect-late-reply"]),
    ("g40-server-silent", ["call-loop", "call-loop"]),
    ("g1-async-copy-without-cb-offload-iwarp", ["owed", "callback-path-down"]),
    ("g2-file-read-back-differs-roce", ["data-differs"]),
    ("h1-read-retry-wrong-psn-roce", ["read-continued", "call-unanswered"]),
    ("restart-nfs3", ["outage", "connect-rejected"]),
    ("vlan-nfs41", ["connect-incomplete"]),
])
def test_kinds(report, root, name, expected):
    _, parsed = report(TROUBLE / f"{name}.pcap")
    schema = json.loads((root / "docs" / "iwarp-check.schema.json").read_text(encoding="utf-8"))
    validate(parsed, schema)
    assert kinds(parsed) == expected


@pytest.mark.parametrize("options, status", [
    ([], 0), (["--fail-on=trouble"], 1), (["--fail-on=never,trouble"], 1), (["--fail-on=never"], 0), (["--fail-on=error"], 0)])
def test_exit_status(check, options, status):
    hang = TROUBLE / "c8-dead-server-stats-order-roce.pcap"
    assert check(*options, hang).returncode == status
    assert check("--summary", *options, hang).stdout.split("\t")[1] == "TROUBLE"


def test_data_that_differ(check):
    """A note by the rule; an error if nobody else writes the file."""
    differs = TROUBLE / "g2-file-read-back-differs-roce.pcap"
    for option, severity in ((), "note"), (("--exclusive",), "error"):
        result = check(*option, differs)
        assert "first at offset 0 of the file, shifted by 512 octets towards the end" in result.stdout
        assert f"\n    {severity}: frame " in result.stdout and "\n      NFS3-3.3.7-02, RFC 1813 section 3.3.7 (STATED): " in result.stdout
        assert result.returncode == (1 if severity == "error" else 0)


def test_notes_are_no_trouble(check):
    assert check("--fail-on=trouble", TROUBLE / "d1-cnp-and-ce-roce.pcap").returncode == 0


@pytest.mark.parametrize("name, status, word", [
    ("f5-rej-invalid-service-id-roce", 3, "NOTHING TO CHECK: 3 attempts to connect were rejected"),
    ("f1-syn-unanswered", 3, "NOTHING TO CHECK: 1 attempt to connect was not answered"),
    ("vlan-nfs41", 1, "FAIL: 1 handshake was never completed"),
])
def test_no_connection_is_no_pass(check, name, status, word):
    result = check(TROUBLE / f"{name}.pcap")
    assert result.returncode == status
    assert result.stdout.startswith(word)
    assert check("--allow-empty", TROUBLE / f"{name}.pcap").returncode == 0


@pytest.mark.parametrize("fmt", ["text", "markdown", "html"])
def test_formats_and_merge(check, tmp_path, fmt):
    hang = TROUBLE / "g40-server-silent.pcap"
    check("--format=ndjson", f"--output={tmp_path / 'a.json'}", hang)
    for result in (check(f"--format={fmt}", hang), check("merge", f"--format={fmt}", tmp_path / "a.json")):
        assert "OPEN in frame 154 (XID" in result.stdout.replace("\\(", "(").replace("&#40;", "(")
        assert "07:30:58.236" in result.stdout and "next: " in result.stdout
    assert check("merge", "--fail-on=trouble", tmp_path / "a.json").returncode == 1
    assert check("merge", tmp_path / "a.json").returncode == 0


def rewrite(source, target, change):
    """change(packet) -> [packet]; packets from one are a microsecond apart, others a millisecond."""
    found, link = packets(source.read_bytes())
    with open(target, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link))
        for n, packet in enumerate(found):
            for k, (captured, length, octets) in enumerate(change(packet)):
                out.write(struct.pack("<IIII", 1_000_000_000 + n // 1000, n % 1000 * 1000 + k, captured, length) + octets)
    return target


@pytest.mark.parametrize("transport", [[], ["--transport=roce"]])
def test_copies_are_left_out(report, capture, tmp_path, transport):
    """With three copies of each packet, the same is judged equally often."""
    source = capture("nfs3", "--pcap", *transport, suffix="pcap")
    once = report(rewrite(source, tmp_path / "once.pcap", lambda packet: [packet]))[1]["captures"][0]
    thrice = report(rewrite(source, tmp_path / "thrice.pcap", lambda packet: 3 * [packet]))[1]["captures"][0]
    assert [trouble["kind"] for trouble in thrice["trouble"]] == [trouble["kind"] for trouble in once["trouble"]] + ["copies"]
    assert "captured 3 times" in thrice["trouble"][-1]["words"] and "editcap -d" in thrice["trouble"][-1]["next"]
    assert thrice["packets"] == 3 * once["packets"] and thrice["rules"] == once["rules"]


@pytest.mark.parametrize("transport", [[], ["--transport=roce"]])
@pytest.mark.parametrize("sender", [1, 2])
def test_one_direction(report, capture, tmp_path, transport, sender):
    source = capture("nfs3", "--pcap", *transport, suffix="pcap")
    half = rewrite(source, tmp_path / "half.pcap", lambda packet: [packet] if packet[2][26:30] == bytes((192, 0, 2, sender)) else [])
    (trouble,) = report(half)[1]["captures"][0]["trouble"]
    assert trouble["kind"] == "one-direction" and f"only packets from 192.0.2.{sender}" in trouble["words"]


@pytest.mark.parametrize("ahead", [-30, 5000], ids=["acknowledged", "beyond"])
def test_a_forged_reset_ends_nothing(report, capture, tmp_path, ahead):
    """Only an RST at RCV.NXT has an effect (RFC 5961 section 3.2). Here the server hangs, and a Call is repeated after 100 s."""
    call, forged = [], []

    def forge(packet):
        octets = packet[2]
        sequence, acknowledged = struct.unpack_from(">II", octets, 38)
        if call:
            return []
        if octets[26:30] == bytes((192, 0, 2, 1)) and sequence - 0x10000001 > 400 and len(octets) > 150:
            call.append(octets)
            forged.append(octets[:16] + struct.pack(">H", 40) + octets[18:38]
                          + struct.pack(">IIBB", sequence + ahead, acknowledged, 0x50, 4) + octets[48:50] + bytes(4))
            return [packet, (54, 54, forged[0])]
        return [packet]

    path = rewrite(capture("nfs3", "--pcap", suffix="pcap"), tmp_path / "forged.pcap", forge)
    with open(path, "ab") as out:
        out.write(struct.pack("<IIII", 1_000_000_100, 0, len(call[0]), len(call[0])) + call[0])
    trouble = report(path)[1]["captures"][0]["trouble"]
    assert trouble[0]["kind"] == "call-unanswered" and "reset" not in trouble[0]["words"], trouble


@pytest.mark.parametrize("name, kind, command, failing", [
    ("c8-dead-server-stats-order-roce", "call-unanswered", "warning", "error"), ("d3-delayed-ack-iwarp", "delayed-ack", "notice", "notice")])
def test_annotations(check, name, kind, command, failing):
    path = TROUBLE / f"{name}.pcap"
    assert f"::{command} file={path},title={kind}::client " in check("--format=github", path).stdout
    assert f"::{failing} file={path},title={kind}::client " in check("--format=github", "--fail-on=trouble", path).stdout


@pytest.mark.parametrize("name, points", [("c8-dead-server-stats-order-roce", 1), ("d3-delayed-ack-iwarp", 0)])
def test_tap(check, report, name, points):
    path = TROUBLE / f"{name}.pcap"
    words = [trouble["words"] for trouble in report(path)[1]["captures"][0]["trouble"]]
    for options, failing in (([], 0), (["--fail-on=trouble"], points)):
        lines = check("--format=tap", *options, path).stdout.splitlines()
        assert sum(line.startswith("not ok ") and line.endswith(f"{path} what happened") for line in lines) == failing
        assert [line for line in lines if line.startswith("# client ")][0].partition("; next: ")[0].endswith(words[0])


@pytest.mark.parametrize("options", [[], ["--fail-on=trouble"]])
def test_sarif(check, root, report, options):
    schema = json.loads((root / "tests" / "check" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
    paths = [TROUBLE / f"{name}.pcap" for name in ("g1-async-copy-without-cb-offload-iwarp", "d3-delayed-ack-iwarp")]
    parsed = json.loads(check("--format=sarif", *options, *paths).stdout)
    jsonschema.validate(parsed, schema)
    run, = parsed["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    found = [result for result in run["results"] if result["ruleId"].startswith("trouble/")]
    expected = [(n, trouble) for n, capture in enumerate(report(*paths)[1]["captures"]) for trouble in capture["trouble"]]
    assert len({trouble["kind"] for _, trouble in expected}) == 3 and len(found) == len(expected) and len(rules) == len(set(rules))
    for result, (n, trouble) in zip(found, expected, strict=True):
        location = result["locations"][0]["physicalLocation"]
        assert result["ruleId"] == "trouble/" + trouble["kind"] == rules[result["ruleIndex"]]
        assert result["level"] == ("error" if options and trouble["level"] == "trouble" else "note")
        assert trouble["words"] + "; next: " + trouble["next"] in result["message"]["text"]
        assert location["artifactLocation"]["index"] == n and location["region"]["startLine"] == trouble["frame"]


@pytest.mark.parametrize("snap, words, step", [
    (100, "rejected the connection 3 times in 4.00 ms: reason 8, invalid service ID", "20049"),
    (96, "rejected the connection 3 times in 4.00 ms; the capture does not have the reason", "capture again without a snap length"),
    (88, "rejected the connection 3 times in 4.00 ms; the capture does not have the reason", "capture again without a snap length")])
def test_a_reject_that_is_cut(report, tmp_path, snap, words, step):
    """The ConnectRequest is cut, too."""
    cut = rewrite(TROUBLE / "f5-rej-invalid-service-id-roce.pcap", tmp_path / "cut.pcap", lambda packet: [(snap, packet[1], packet[2][:snap])])
    (found,) = report(cut)[1]["captures"][0]["trouble"]
    assert found["kind"] == "connect-rejected" and words in found["words"] and step in found["next"] and found["count"] == 3


@pytest.mark.parametrize("snap", [62, 80, 96, 128])
def test_no_reject_in_a_cut_capture(report, capture, tmp_path, snap):
    source = capture("mount-nfs41", "--transport=roce", "--pcap", suffix="pcap")
    cut = rewrite(source, tmp_path / "cut.pcap", lambda packet: [(min(packet[0], snap), packet[1], packet[2][:snap])])
    assert "connect-rejected" not in [each["kind"] for each in report(cut)[1]["captures"][0]["trouble"]]


def test_color(check):
    hang = TROUBLE / "c8-dead-server-stats-order-roce.pcap"
    assert check("--color=always", hang).stdout.startswith("\033[1;31mTROUBLE")


def test_nothing_happened(check, good):
    assert "\nNo trouble.\n" in check(good).stdout


if __name__ == "__main__":
    BUILD = pathlib.Path(os.environ.get("IWARP_BUILD", ROOT / "build" / "release"))
    GOLDEN.write_text("\n".join(golden(BUILD / "conformance" / "iwarp-check")) + "\n", encoding="utf-8")
    sys.exit(0)
