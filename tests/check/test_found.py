# SPDX-License-Identifier: GPL-2.0-or-later
"""A finding begins with the observation, which must be clear without the expectation; the direction beside a frame is the frame's; reports
name operations and refusals, and nothing superfluous."""
import re
import socket
import subprocess

from captures import records

LITERALS = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*(?:"(?:[^"\\\n]|\\.)*"|PRI\w+))*')
BARE = re.compile(r"(that )?(?:(?:none|one|it|its|them|others|neither|nothing|some|both|0|\d+|%[-#.0-9]*(?:ll|z|l)?[udxXi]|0x%\w+)(?:;|$)"
                  r"|(?:it|them|neither|others) |one (?:that|of|to|from|with|at|after|before|in) )")


def sources(root):
    return sorted((root / "engine").rglob("*.c"))


def test_what_was_found_is_clear_by_itself(root):
    """"found 2" and "found none" are unclear at the beginning of a report."""
    messages = [(path.name, "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literal)))
                for path in sources(root) for literal in LITERALS.findall(path.read_text())]
    messages = [(name, text.split("; found ", 1)[1]) for name, text in messages if text.startswith("expected ") and "; found " in text]
    assert len(messages) > 400
    assert [each for each in messages if BARE.match(each[1])] == []


def side_of(packet):
    """The source of an IPv4 packet on Ethernet."""
    return socket.inet_ntoa(packet[26:30]) if packet[12:14] == b"\x08\x00" else None


def test_direction_is_the_frames(all_captures, report):
    """For an unanswered Call, too, the frame is that of the Call, whoever is at fault."""
    checked = awaited = 0
    for path in sorted(all_captures.rglob("*.pcapng"))[::4]:
        connections = report(path)[1]["captures"][0]["connections"]
        packets = records(path) if any(c["findings"] for c in connections) else []
        for connection in connections:
            sides = [connection[name].rsplit(":", 1)[0] for name in ("initiator", "responder")]
            for finding in connection["findings"]:
                sender = side_of(packets[finding["frame"] - 1][2])
                if sender not in sides or sides[0] == sides[1]:
                    continue
                to_responder = (finding["direction"] == "initiator-to-responder") != finding.get("awaited", False)
                assert to_responder == (sender == sides[0]), (path, finding)
                checked, awaited = checked + 1, awaited + finding.get("awaited", False)
    assert checked > 50 and awaited > 0


def test_an_unanswered_call_is_named(check, capture):
    text = check(capture("rpcrdma", "--inject=RPCR-4.5.4-03")).stdout
    assert re.search(r"\n    warning: frame 8, .* s \(2\S+Z\), to the responder: ACCESS of NFS3 was not answered for 40 s; ", text)


def test_who_refused_invalidation(check, root):
    text = check("--rules=CMPD-4.1-03", root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap").stdout
    match = re.search(r"expected a Send without Invalidate, as the (sender|receiver) "
                      r"(cleared R \(remote invalidation\)|sent no valid block of RFC 8797) in frame (\d+)\n", text)
    assert match and f"(see {match[3]})" in text


def test_a_missing_file_is_a_line(build, tmp_path):
    result = subprocess.run([build / "conformance" / "iwarp-check", "nosuch.pcap"], cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (2, "", "iwarp-check: nosuch.pcap: no such file\n")


def test_a_rejected_connection_is_complete(check, root):
    assert "rejected (reason 8), complete\n" in check(root / "captures" / "roce" / "cm-reject.pcap").stdout
    assert "rejected, complete\n" in check(root / "captures" / "real" / "errors" / "op-reject.pcap").stdout


def test_a_cut_file_is_no_whole_one(check, good, tmp_path):
    cut = tmp_path / "cut.pcapng"
    cut.write_bytes(good.read_bytes()[:-20])
    text = check(cut).stdout
    assert "ends too early: the first" in text.splitlines()[0] and "every Call was answered" not in text.splitlines()[0]
    assert "No trouble, as far as captured" in text


def test_the_snap_length_is_named(check, capture):
    text = check(capture("rev1", "--snaplen=60")).stdout
    assert re.search(r": \d+ packets, .*, \d+ packets? cut to 60 octets \(snap length\)\n", text)


def test_one_is_singular(check, root):
    """No "1 packets", "frames 353-353"."""
    paths = sorted((root / "captures" / "roce").glob("*.pcap")) + sorted((root / "captures" / "real" / "errors").glob("*.pcap"))
    for path in paths:
        text = check("--stats", path).stdout
        assert not re.search(r"(?<![\d.,x])1 (packets|FPDUs|Calls|gaps|frames|connections|segments|times|pauses|chunks|rules)\b", text), path
        assert not re.search(r"frames (\d+)-\1\b", text), path
