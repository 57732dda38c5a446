# SPDX-License-Identifier: GPL-2.0-or-later
"""Real captures of RoCE v2: every Call and Reply is found and rebuilt, and every error and warning is in the manifest."""
import collections
import csv
import random
import struct
import subprocess

import pytest

from generated import findings, judge
from reports import read_report
from views import direction, packets, write


@pytest.fixture(scope="module")
def folder(root):
    return root / "captures" / "roce"


@pytest.fixture(scope="module")
def manifest(folder):
    with open(folder / "manifest.tsv", encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t"))


@pytest.fixture(scope="module")
def reports(folder, build, manifest):
    captures = judge(build, [folder / row["file"] for row in manifest], by_name=False)
    return {row["file"]: capture for row, capture in zip(manifest, captures)}


def calls(capture):
    return [call for c in capture["connections"] for call in c.get("rpcrdma", {"calls": []})["calls"]]


def listed(capture):
    counts = collections.Counter(f.rule for f in findings(capture) if f.severity != "note")
    return ",".join(f"{rule}:{n}" for rule, n in sorted(counts.items())) or "-"


def test_every_file_is_listed(folder, manifest):
    assert sorted(p.name for p in folder.glob("*.pcap*")) == sorted(row["file"] for row in manifest)


def test_counts(reports, manifest):
    """Compared with an independent count (docs/captures.md)."""
    for row in manifest:
        capture = reports[row["file"]]
        of = calls(capture)
        found = {"packets": capture["packets"], "connections": len(capture["connections"]),
                 "calls": sum(call["calls"] for call in of), "replies": sum(call["replies"] for call in of),
                 "retransmitted": sum(sum(c["ib"]["retransmitted"]) for c in capture["connections"])}
        assert found == {name: int(row[name]) for name in found}, row["file"]


def test_findings(reports, manifest):
    assert {row["file"]: listed(reports[row["file"]]) for row in manifest} == {row["file"]: row["findings"] for row in manifest}


def test_rules_bind_on_this_transport(reports, catalogue):
    """Rules that do not apply to RoCE have no counts, not even inconclusive ones."""
    elsewhere = {row["id"] for row in catalogue if row["transport"] == "iwarp"}
    for name, capture in reports.items():
        assert not [rule for c in capture["connections"] for rule in c["rules"] if rule in elsewhere], name


def test_invariant_crc(reports):
    for name, capture in reports.items():
        for connection in capture["connections"]:
            assert connection["transport"] == "roce2", name
            assert connection["ib"]["icrc"]["wrong"] == connection["ib"]["icrc"]["unknown"] == 0, name


def test_threads_give_the_same_report(folder, check):
    files = sorted(folder.glob("*.pcap"))
    one, two = (check("--format=ndjson", "--counts=connection", f"-j{n}", *files).stdout for n in (1, 3))
    assert one == two


def packets_of(path):
    data = path.read_bytes()
    at = 24
    while at < len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        yield data[at:at + 16], data[at + 16:at + 16 + length]
        at += 16 + length


def rewritten(path, out, keep, cut=None):
    """The capture without packets for which keep(number, frame) is false, cut to a snap length."""
    with open(out, "wb") as file:
        file.write(path.read_bytes()[:24])
        for number, (header, frame) in enumerate(packets_of(path)):
            if keep(number, frame):
                short = frame[:cut]
                file.write(header[:8] + struct.pack("<I", len(short)) + header[12:] + short)
    return out


def is_acknowledgement(frame):
    return len(frame) > 42 and frame[36:38] == b"\x12\xb7" and frame[42] == 0x11


KNOWN = {"CMPD-4.1-03", "RPCR-2.2.4.2-02"}


@pytest.mark.parametrize("seed", range(8))
def test_capture_loss_blames_nobody(folder, build, tmp_path, seed):
    """Requests and responses missing from the capture: findings are a subset."""
    paths = []
    for path in sorted(folder.glob("nfs*.pcap")):
        chance = random.Random(f"{seed} {path.name}")
        paths.append(rewritten(path, tmp_path / path.name, lambda number, frame: is_acknowledgement(frame) or chance.random() > 0.08))
    for path, capture in zip(paths, judge(build, paths, by_name=False)):
        wrong = [f for f in findings(capture) if f.severity != "note" and f.rule not in KNOWN]
        assert not wrong, (path.name, wrong)


def opcode(frame):
    """Fields of RoCE v2 on IPv4 without VLAN tags; None: another packet."""
    return frame[42] if len(frame) > 42 and frame[36:38] == b"\x12\xb7" else None


SEND_ONLY = 0x04
SENDS_AND_ACKNOWLEDGES = {SEND_ONLY, 0x11, 0x17}
RESPONSES = {0x0D, 0x0E, 0x0F, 0x10}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("lost,rate", [(SENDS_AND_ACKNOWLEDGES, 0.1), (SENDS_AND_ACKNOWLEDGES, 0.5), (RESPONSES, 0.3), (RESPONSES, 1)])
def test_whole_exchanges_missing(folder, build, tmp_path, seed, lost, rate):
    """A Send and its acknowledgement are both missing, or the answer to a Read: nobody is accused."""
    paths = []
    for path in sorted(folder.glob("*nfs*.pcap")):
        chance = random.Random(f"{seed} {path.name}")
        paths.append(rewritten(path, tmp_path / path.name, lambda number, frame: opcode(frame) not in lost or chance.random() >= rate))
    for path, capture in zip(paths, judge(build, paths, by_name=False)):
        wrong = [f for f in findings(capture) if f.severity != "note" and f.rule not in KNOWN]
        assert not wrong, (path.name, wrong)


@pytest.mark.parametrize("start", [3, 20, 45])
def test_late_start(folder, build, tmp_path, start):
    paths = [rewritten(path, tmp_path / path.name, lambda number, frame: number >= start)
             for path in sorted(folder.glob("nfs*.pcap"))]
    for path, capture in zip(paths, judge(build, paths, by_name=False)):
        wrong = [f for f in findings(capture) if f.severity != "note" and f.rule not in KNOWN]
        assert not wrong, (path.name, wrong)


def test_queue_pairs_from_the_command_line(folder, check, tmp_path):
    """Without connection management and acknowledgements, only the user can say which queue pairs belong together."""
    capture = rewritten(folder / "nfs42-mount-umount.pcap", tmp_path / "sends.pcap", lambda number, frame: opcode(frame) in {0x04, 0x17})
    unpaired, paired = (read_report(check("--format=ndjson", "--counts=connection", *options, capture).stdout)["captures"][0]["connections"]
                        for options in ([], ["--assume=qp=1000:1001,qp=0x2b:0x2B,qp=" + queue_pairs(folder, check)]))
    assert [sum(1 for n in c["counts"]["packets"] if n) for c in unpaired] == [1, 1]
    connection, = paired
    assert all(connection["counts"]["packets"]) and ":".join(map(str, connection["ib"]["queue_pairs"])) == queue_pairs(folder, check)
    assert all(call["replies"] for call in connection["rpcrdma"]["calls"])


def queue_pairs(folder, check):
    connection, = read_report(check("--format=ndjson", "--counts=connection", folder / "nfs42-mount-umount.pcap").stdout)["captures"][0]["connections"]
    return ":".join(map(str, connection["ib"]["queue_pairs"]))


@pytest.mark.parametrize("length", [64, 80, 96, 110, 128, 144, 160, 192, 256, 320])
def test_snap_length(folder, build, reports, tmp_path, length):
    """Findings are a subset of those of the whole capture; with 96 octets, headers without chunks are read."""
    paths = [rewritten(path, tmp_path / path.name, lambda number, frame: True, length)
             for path in sorted(folder.glob("*.pcap"))]
    for path, capture in zip(paths, judge(build, paths, by_name=False)):
        known = {f.rule for f in findings(reports[path.name])}
        wrong = [f for f in findings(capture) if f.rule not in known]
        assert not wrong, (path.name, wrong)
        whole, cut = (sum(len(c.get("rpcrdma", {"calls": []})["calls"]) > 0 or bool(c.get("rpcrdma", {}).get("other_calls"))
                          for c in report["connections"]) for report in (reports[path.name], capture))
        assert cut == (whole if length >= 96 else 0), path.name


def test_octets_of_the_icrc_cut(folder, build, reports, tmp_path):
    """Nothing else is hidden."""
    paths = []
    for path in sorted(folder.glob("nfs*.pcap")):
        paths.append(tmp_path / path.name)
        with open(paths[-1], "wb") as file:
            file.write(path.read_bytes()[:24])
            for number, (header, frame) in enumerate(packets_of(path)):
                short = frame[:len(frame) - (number % 5 if frame[23:24] == b"\x11" else 0)]
                file.write(header[:8] + struct.pack("<I", len(short)) + header[12:] + short)
    for path, capture in zip(paths, judge(build, paths, by_name=False)):
        whole = reports[path.name]
        assert calls(capture) == calls(whole), path.name
        assert [(f.rule, f.frame) for f in findings(capture)] == [(f.rule, f.frame) for f in findings(whole)], path.name


def test_a_packet_with_a_wrong_icrc_is_left_out(folder, check, build, tmp_path):
    source = folder / "nfs3-mount-umount.pcap"
    frames = [frame for _, frame in packets_of(source)]
    number = next(i for i, frame in enumerate(frames) if len(frame) > 42 and frame[36:38] == b"\x12\xb7" and frame[42] == 4)
    with open(tmp_path / "wrong.pcap", "wb") as file:
        file.write(source.read_bytes()[:24])
        for i, (header, frame) in enumerate(packets_of(source)):
            damaged = frame[:-5] + bytes([frame[-5] ^ 1]) + frame[-4:]
            file.write(header + (damaged if i == number else frame))
    text = check(tmp_path / "wrong.pcap").stdout
    assert f"1 packet with a wrong ICRC ignored, the first in frame {number + 1}" in text, text
    capture, = judge(build, [tmp_path / "wrong.pcap"], by_name=False)
    assert sum(call["calls"] for call in calls(capture)) == 12


@pytest.mark.parametrize("name", ["nfs3-mount-umount.pcap", "nfs42-long-setxattr.pcap"])
@pytest.mark.parametrize("senders", ["client", "server", "both"])
@pytest.mark.parametrize("management", [True, False])
def test_an_icrc_that_its_sender_never_gets_right_is_not_used(folder, build, check, tmp_path, name, senders, management):
    """Captured on the sending host, by a simulator, or anonymised; without `management`, only packets for queue pairs."""
    source, path = folder / name, tmp_path / name
    frames = [frame for _, frame in packets_of(source)]
    client = next(frame[26:30] for frame in frames if frame[36:38] == b"\x12\xb7")

    with open(path, "wb") as file:
        file.write(source.read_bytes()[:24])
        for header, frame in packets_of(source):
            of = senders == "both" or (frame[26:30] == client) == (senders == "client")
            wrong = of and frame[36:38] == b"\x12\xb7" and (management or frame[42] != 0x64)
            file.write(header + (frame[:-4] + bytes(4) if wrong else frame))
    whole, capture = judge(build, [source, path], by_name=False)
    if management:
        assert findings(capture) == findings(whole)
        assert calls(capture) == calls(whole)
        assert check(path).stdout.count("ICRC of the ") == (2 if senders == "both" else 1)
    else:
        assert not set(f.rule for f in findings(capture)) - set(f.rule for f in findings(whole))
        # Packets before the first Acknowledge are lost.
        assert sum(call["calls"] for call in calls(capture)) >= sum(call["calls"] for call in calls(whole)) - 2
    off = check("--assume=icrc=off", "--format=ndjson", "--counts=connection", path)
    connection, = read_report(off.stdout)["captures"][0]["connections"]
    assert connection["ib"]["icrc"]["wrong"] == sum(connection["ib"]["icrc"]["not_used"])
    assert sum(call["calls"] for call in connection["rpcrdma"]["calls"]) == sum(call["calls"] for call in calls(whole))


def test_lines(folder, check):
    lines = check("--print", folder / "nfs42-long-setxattr.pcap").stdout.splitlines()
    assert any("[roce2: ConnectRequest rpcrdma: v1 R send 4096 receive 4096]" in line for line in lines)
    assert sum("[roce2: READ handle" in line for line in lines) == 3
    assert sum("[rpcrdma: RDMA_NOMSG" in line for line in lines) == 4
    assert any("octets by Read CALL NFS4 COMPOUND SEQUENCE+PUTFH+SETXATTR" in line for line in lines)


def test_pages(folder, check):
    page = check("--format=html", folder / "nfs3-acl.pcap").stdout
    assert "RoCE v2, queue pairs" in page
    junit = check("--format=junit", folder / "nfs3-acl.pcap").stdout
    assert 'name="transport" value="roce2"' in junit
    assert subprocess.run(["xmllint", "--noout", "-"], input=junit, text=True, check=False).returncode == 0


def of_first_packets(path, n, drops=0):
    """The pcapng with only its first n packets, and a drop counter after them."""
    octets, at, seen = path.read_bytes(), 0, 0
    while at < len(octets):
        kind, length = struct.unpack_from("<II", octets, at)
        seen += kind == 6
        if seen > n:
            break
        at += length
    counters = struct.pack("<HHQHH", 7, 8, drops, 0, 0)
    statistics = struct.pack("<IIIQ", 5, 24 + len(counters), 0, 0) + counters + struct.pack("<I", 24 + len(counters))
    return octets[:at] + statistics


TWO_SEEN = "with rpcrdma; I call nfs3.null; R reply; I call nfs3.access; R reply; "


@pytest.mark.parametrize("ahead_us, lag_us, found", [(1000, 0, {"RPCR-3.3.1-10"}), (1000, 1000, set()), (100, 0, set())])
def test_order_beyond_the_skew(gen, build, tmp_path, ahead_us, lag_us, found):
    """A Reply before its Call, when Acknowledges show how far the directions are apart."""
    whole, seen = tmp_path / "whole.pcapng", tmp_path / "seen.pcap"
    script = TWO_SEEN + "I call nfs3.access wait=5; R reply; I call nfs3.access; R reply"
    assert gen("play", "script", "--transport=roce", f"--script={script}", "-o", whole).returncode == 0
    sent = packets(whole)
    call = max(i for i in range(len(sent) - 1) if sent[i + 1][0] - sent[i][0] > 4_000_000) + 1
    times = [time for time, *_ in sent]
    times[call + 2] = times[call] - ahead_us * 1000  # after the Acknowledge of the Call
    late = [time + lag_us * 1000 * direction(packet) for time, packet in zip(times, sent)]
    write(seen, sorted((time, *packet[1:]) for time, packet in zip(late, sent)))
    assert {f.rule for f in findings(judge(build, [seen], by_name=False)[0]) if f.severity != "note"} == found


def test_a_read_response_that_only_the_capture_lacks(gen, build, tmp_path):
    """The Read is not outstanding when the next one is sent."""
    whole = tmp_path / "whole.pcapng"
    run = gen("play", "nfs41-chunks", "--transport=roce", "--inject=NFS41-18.36.3-05+ok", "-o", whole)
    assert run.returncode == 0
    sent, lossy = packets(whole), []
    for lost in range(len(sent)):
        lossy.append(tmp_path / f"{lost}.pcap")
        write(lossy[-1], sent[:lost] + sent[lost + 1:])
    assert not [f for capture in judge(build, lossy, by_name=False) for f in findings(capture) if f.severity != "note"]


# Messages of the other side that might excuse a fault, by fault.
AT_THE_END = {"RPCR-2.2.2-02": "RPCR-2.2.2-02", "RPCR-2.2.2-03": "RPCR-2.2.2-03", "RPCR-2.2.2-04": "RPCR-2.2.2-04",
              "RPCR-3.3.1-10": "RPCR-3.3.1-10", "RPCR-3.4.5-09": "RPCR-3.4.5-09", "RPCR-3.4.6-04": "RPCR-3.4.6-04",
              "RPCR-4.5-04": "RPCR-4.5-04", "RPCR-2.2.2-02/reverse": "RPCR-2.2.2-02", "BIDI-2-02/later": "BIDI-2-02"}


@pytest.mark.parametrize("fault", AT_THE_END)
def test_end_of_a_whole_capture(gen, build, tmp_path, fault):
    """A capture that ends with the violation shows it, unless packets were dropped; its Acknowledge proves it."""
    whole, cut = tmp_path / "whole.pcapng", tmp_path / "cut.pcapng"
    run = gen("list", "faults", "--transport=roce")
    scenario = next(line.split("\t")[1] for line in run.stdout.splitlines() if line.split("\t")[0] == fault)
    assert gen("play", scenario, "--transport=roce", f"--inject={fault}", "-o", whole).returncode == 0

    def severity(n, drops=0):
        cut.write_bytes(of_first_packets(whole, n, drops))
        found = [f for f in findings(judge(build, [cut], by_name=False)[0]) if f.rule == AT_THE_END[fault]]
        return found[0].severity if found else None

    frame = next(f.frame for f in findings(judge(build, [whole], by_name=False)[0]) if f.rule == AT_THE_END[fault])
    assert severity(frame) == "warning"
    assert severity(frame + 4) == "error"
    assert severity(frame, drops=3) is None


def played(gen, path, fault):
    assert gen("play", "rpcrdma", "--transport=roce", f"--inject={fault}", "-o", path).returncode == 0
    return packets(path)


@pytest.mark.parametrize("late_ms, found", [(5000, True), (100, True), (10, False), (1, False)])
def test_calls_beyond_the_grant_that_are_acknowledged_late(gen, build, tmp_path, late_ms, found):
    """If a Reply comes before the Acknowledge of the Calls, the time shows that they were sent before it."""
    sent = played(gen, tmp_path / "whole.pcapng", "RPCR-3.3.1-03")
    calls, acks, rest = sent[:10], sent[10:13], sent[13:]
    late = [(time + late_ms * 1_000_000, *packet) for time, *packet in [rest[0], *acks, *rest[1:]]]
    write(tmp_path / "seen.pcap", [*calls, *late])
    rules = {f.rule for f in findings(judge(build, [tmp_path / "seen.pcap"], by_name=False)[0]) if f.severity != "note"}
    assert rules == ({"RPCR-3.3.1-03"} if found else set())


@pytest.mark.parametrize("late_ms, lost, found", [(100, 0, True), (5000, 0, True), (5, 0, False), (100, 2, False)])
def test_reads_beyond_the_limit_that_are_answered_late(gen, build, tmp_path, late_ms, lost, found):
    """50 us apart, each may have been answered in between, as far as PSNs show; lost: Responses missing from the capture."""
    sent = played(gen, tmp_path / "whole.pcapng", "RPCR-3.3.1-11")
    reads = [(time + i * 50_000, *packet) for i, (time, *packet) in enumerate(sent[9:13])]
    late = [(time + 200_000 + late_ms * 1_000_000, *packet) for time, *packet in sent[13:]]
    write(tmp_path / "seen.pcap", [*sent[:9], *reads, *late[2 * lost:]])
    rules = {f.rule for f in findings(judge(build, [tmp_path / "seen.pcap"], by_name=False)[0]) if f.severity != "note"}
    assert ("RPCR-3.3.1-11" in rules) == found


IN_FLIGHT = "with rpcrdma; I call nfs3.null; R reply; I call nfs3.getattr xid=0x10; I call nfs3.getattr xid=0x11; "


@pytest.mark.parametrize("answers, found", [
    ("R reply of=1; R reply; I call nfs3.null; R reply", set()),  # both are answered: the directions are apart
    ("R reply xid=0x11; R reply; I call nfs3.null; R reply", {"RPCR-2.2.2-02"}),  # the other Call has its own Reply
    ("R reply xid=0x11; R reply xid=0x12; I call nfs3.null; R reply", {"RPCR-2.2.2-02"}),  # nobody answers the first
    ("R reply xid=0x11; R reply; R reply back=1; I call nfs3.null; R reply", {"RPCR-2.2.2-02"})])
def test_a_reply_before_the_call_of_its_xid(gen, build, tmp_path, answers, found):
    """Another Call is outstanding: either the capture shows the second one late, or the XID is wrong by one."""
    whole, seen = tmp_path / "whole.pcapng", tmp_path / "seen.pcap"
    run = gen("play", "script", "--transport=roce", f"--script={IN_FLIGHT}{answers}", "-o", whole)
    assert run.returncode == 0, run.stderr
    sent = packets(whole)
    second = [i for i, packet in enumerate(sent) if opcode(packet[1]) == SEND_ONLY and not direction(packet)][2]
    reply = next(i for i in range(second, len(sent)) if opcode(sent[i][1]) == SEND_ONLY and direction(sent[i]))
    order = sent[:second] + sent[second + 1:reply - 1] + [sent[i] for i in (reply, second, reply - 1)] + sent[reply + 1:]
    write(seen, [(time, *packet[1:]) for (time, *_), packet in zip(sent, order)])
    assert {f.rule for f in findings(judge(build, [seen], by_name=False)[0]) if f.severity != "note"} == found


# Two Calls; the Reply to the first is lost; its XID is reused, then the rest. Places of captured packets:
REUSED = ("with rpcrdma; I call nfs3.null; R reply; I call nfs3.write len=100 xid=0x77; I call nfs3.getattr; R reply net=lost; "
          "I call nfs3.write len=200 xid=0x77 early; R reply; R reply")
CALLS, REUSE, REPLIES, NAK, SENT_AGAIN, TAKEN = [7, 8, 10], [9, 11], [12, 13], [15], [16, 17], [18, 19]


@pytest.mark.parametrize("order, found", [
    (REPLIES + REUSE + NAK + SENT_AGAIN + TAKEN, {"RPCR-2.2.2-03"}),
    (REPLIES + REUSE + NAK + NAK + SENT_AGAIN + TAKEN, {"RPCR-2.2.2-03"}),
    (REPLIES + NAK + REUSE + SENT_AGAIN + TAKEN, set()),  # a direction may be captured late: the packet was received meanwhile
    (REPLIES + NAK + SENT_AGAIN + REUSE + TAKEN, set()),
    (REPLIES + NAK + SENT_AGAIN + REUSE + NAK + TAKEN, set()),  # a copy of the NAK
    (REPLIES + REUSE + SENT_AGAIN + TAKEN, set()),  # an Acknowledge was lost, or the capture lacks the NAK
    (REPLIES + REUSE + TAKEN, set())])
def test_an_xid_whose_reply_did_not_arrive(gen, build, tmp_path, order, found):
    whole, seen = tmp_path / "whole.pcapng", tmp_path / "seen.pcap"
    assert gen("play", "script", "--transport=roce", f"--script={REUSED}", "-o", whole).returncode == 0
    sent = packets(whole)
    places = list(range(7)) + CALLS + order + list(range(20, len(sent)))
    write(seen, [(sent[0][0] + 60_000 * i, *sent[place][1:]) for i, place in enumerate(places)])
    assert {f.rule for f in findings(judge(build, [seen], by_name=False)[0]) if f.severity != "note"} == found
