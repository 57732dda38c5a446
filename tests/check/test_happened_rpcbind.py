# SPDX-License-Identifier: GPL-2.0-or-later
"""What happened before a connection: rpcbind's answers (port 111) for netid rdma, and for MOUNT."""
import socket
import struct

import pytest

from reports import read_report
from stats import packets

NFS, MOUNT, NLM = 100003, 100005, 100021
CLIENT, SERVER, OTHER = "192.0.2.1", "192.0.2.2", "192.0.2.9"
FIN, SYN, RST, PUSH, ACK = 1, 2, 4, 8, 16


def ipv4(source, destination, protocol, payload):
    return (bytes(12) + b"\x08\x00" + struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 1, 0, 64, protocol, 0)
            + socket.inet_aton(source) + socket.inet_aton(destination) + payload)


def udp(source, destination, payload):
    return ipv4(source[0], destination[0], 17, struct.pack(">4H", source[1], destination[1], 8 + len(payload), 0) + payload)


def tcp(source, destination, flags, seq=0, ack=0, payload=b""):
    return ipv4(source[0], destination[0], 6, struct.pack(">HHIIBBHHH", source[1], destination[1], seq, ack, 0x50, flags, 8192, 0, 0) + payload)


def opaque(text):
    return struct.pack(">I", len(text)) + text + bytes(-len(text) % 4)


def call(version, procedure, arguments, xid):
    return struct.pack(">10I", xid, 0, 2, 100000, version, procedure, 0, 0, 0, 0) + arguments


def getport(program, version, protocol=6, xid=7):
    return call(2, 3, struct.pack(">4I", program, version, protocol, 0), xid)


def getaddr(version, netid=b"rdma", program=NFS, xid=7, rpcbind=4, procedure=3):
    return call(rpcbind, procedure, struct.pack(">2I", program, version) + opaque(netid) + opaque(b"") * 2, xid)


def reply(results, xid=7, accept=0):
    return struct.pack(">6I", xid, 1, 0, 0, 0, accept) + results


NOTHING, NO_PORT, PORT = opaque(b""), struct.pack(">I", 0), struct.pack(">I", 635)


def at_port(port):
    return opaque(f"192.0.2.2.{port >> 8}.{port & 255}".encode())


def asks(time, payload, client=CLIENT, port=1022):
    return time, udp((client, port), (SERVER, 111), payload)


def says(time, payload, client=CLIENT, port=1022):
    return time, udp((SERVER, 111), (client, port), payload)


def answered(question, results, time=0.0, xid=7):
    return [asks(time, question), says(time + 0.001, reply(results, xid))]


def refused(time, port, client_port=40000):
    ends = (CLIENT, client_port), (SERVER, port)
    return [(time, tcp(*ends, SYN, 100)), (time + 0.001, tcp(*ends[::-1], RST | ACK, 0, 101))]


def unheard(time, port, times=3):
    return [(time + n, tcp((CLIENT, 40001), (SERVER, port), SYN, 100)) for n in range(times)]


def over_tcp(question, results):
    """A connection to rpcbind with each message in one segment."""
    client, server = (CLIENT, 40002), (SERVER, 111)
    record = struct.pack(">I", 1 << 31 | len(question)) + question
    back = reply(results)
    back = struct.pack(">I", 1 << 31 | len(back)) + back
    return [(0.0, tcp(client, server, SYN, 100)), (0.001, tcp(server, client, SYN | ACK, 500, 101)), (0.002, tcp(client, server, ACK, 101, 501)),
            (0.003, tcp(client, server, PUSH | ACK, 101, 501, record)), (0.004, tcp(server, client, PUSH | ACK, 501, 101 + len(record), back))]


def plain_nfs(time):
    client, server = (CLIENT, 40003), (SERVER, 2049)
    null = struct.pack(">I", 1 << 31 | 40) + struct.pack(">10I", 9, 0, 2, NFS, 3, 0, 0, 0, 0, 0)
    return [(time, tcp(client, server, SYN, 100)), (time + 0.001, tcp(server, client, SYN | ACK, 500, 101)),
            (time + 0.002, tcp(client, server, ACK, 101, 501)), (time + 0.003, tcp(client, server, PUSH | ACK, 101, 501, null))]


@pytest.fixture
def happened(report, capture, tmp_path):
    """happened(packets, RDMA works from that time on, snap length) -> the troubles"""
    def run(seen, works=None, snap=65535):
        if works is not None:
            found, _ = packets(capture("nfs3", "--pcap", suffix="pcap").read_bytes())
            seen = seen + [(works + n * 0.001, octets) for n, (_, _, octets) in enumerate(found)]
        path = tmp_path / "rpcbind.pcap"
        with open(path, "wb") as out:
            out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            for time, octets in sorted(seen, key=lambda packet: packet[0]):
                whole = 1_000_000_000 * 10**6 + round(time * 10**6)
                out.write(struct.pack("<IIII", *divmod(whole, 10**6), min(snap, len(octets)), len(octets)) + octets[:snap])
        return report(path)[1]["captures"][0]["trouble"]
    return run


def kinds(troubles):
    return [trouble["kind"] for trouble in troubles if trouble["level"] == "trouble"]


END = [asks(60.0, getport(NLM, 4, xid=99), client=OTHER)]  # the capture lasts until then


@pytest.mark.parametrize("seen, what", [
    (answered(getaddr(4), NOTHING), "NFS version 4 is not registered for netid rdma"),
    (answered(getaddr(3, b"rdma6", rpcbind=3), NOTHING), "NFS version 3 is not registered for netid rdma6"),
    (answered(getaddr(4, procedure=9), NOTHING), "NFS version 4 is not registered for netid rdma"),
    (over_tcp(getaddr(4), NOTHING), "NFS version 4 is not registered for netid rdma"),
    (answered(getaddr(4), NOTHING) + answered(getaddr(3, xid=8), NOTHING, 1.0, 8), "NFS (versions 3, 4) is not registered for netid rdma"),
    (answered(getport(MOUNT, 3), NO_PORT), "MOUNT version 3 is not registered for TCP"),
    (answered(getport(MOUNT, 3), NO_PORT) + answered(getport(MOUNT, 3, 17, 8), NO_PORT, 1.0, 8), "MOUNT version 3 is not registered for TCP, UDP"),
    (answered(getaddr(3, b"udp6", MOUNT), NOTHING), "MOUNT version 3 is not registered for UDP"),
])
def test_not_registered(happened, seen, what):
    (trouble,) = happened(seen)
    question = 4 if len(seen) == 5 else 1
    assert trouble["kind"] == "not-registered" and trouble["level"] == "trouble" and trouble["frame"] == question
    assert trouble["words"] == f"rpcbind on 192.0.2.2 says in frame {question + 1} that {what} (asked in frame {question})"
    assert trouble["client"] == CLIENT and trouble["server"] == SERVER and trouble["connections"] == []
    assert "rpcinfo 192.0.2.2" in trouble["next"]
    assert ("rdma=y" in trouble["next"] and "port 20049" in trouble["next"]) == what.startswith("NFS")


@pytest.mark.parametrize("seen", [
    answered(getaddr(4), at_port(20049)),
    answered(getaddr(4), NOTHING) + answered(getaddr(4, xid=8), at_port(20049), 1.0, 8),
    answered(getaddr(4), NOTHING) + answered(getaddr(3, xid=8), at_port(20049), 1.0, 8),
    answered(getaddr(3), at_port(20049)) + answered(getaddr(4, xid=8), NOTHING, 1.0, 8),
    answered(getport(MOUNT, 3), PORT) + answered(getport(MOUNT, 3, 17, 8), NO_PORT, 1.0, 8),
    answered(getport(NFS, 3), NO_PORT),  # nobody asked for RDMA
    answered(getaddr(3, b"tcp"), NOTHING),
    answered(getport(NLM, 4), NO_PORT),
    answered(getaddr(4, program=100227), NOTHING),
    answered(getaddr(77), NOTHING),  # the version does not exist
    answered(getaddr(4, b"rdma7"), NOTHING),
    answered(getaddr(4), NOTHING, xid=8),  # the answer to another question
    [asks(0.0, getaddr(4)), (0.001, udp((SERVER, 111), (CLIENT, 1023), reply(NOTHING)))],
    [says(0.0, reply(NOTHING)), asks(0.001, getaddr(4))],  # before the question
    [says(0.0, reply(NOTHING))],
    [asks(0.0, getaddr(4))],
    [asks(0.0, getaddr(4)), says(0.001, reply(struct.pack(">2I", 3, 3), accept=2))],  # PROG_MISMATCH
    [asks(0.0, getaddr(4)), asks(0.1, getport(NLM, 4)), says(0.2, reply(NOTHING))],  # both questions have the same XID
    [asks(0.0, getaddr(4)), asks(3.0, getaddr(4)), says(3.1, reply(at_port(20049)))],
    [asks(0.0, getaddr(4)), asks(0.4, getaddr(4)), says(0.5, reply(struct.pack(">2I", 3, 3), accept=2))],
], ids=str)
def test_nothing_to_say(happened, seen):
    assert kinds(happened(seen + END)) == []


@pytest.mark.parametrize("snap, said", [(60, []), (80, []), (97, []), (100, ["not-registered"])])
def test_cut_packets(happened, snap, said):
    """Without the netid nothing is known."""
    assert kinds(happened(answered(getaddr(4), NOTHING) + [asks(5.0, getaddr(4))] + END, snap=snap)) == said


def test_cut_answer(happened):
    """The netid is captured, but not the answer: silence is not claimed."""
    verified = struct.pack(">5I", 7, 1, 0, 3, 40) + bytes(44) + NOTHING
    seen = [asks(0.0, getaddr(4)), asks(2.0, getaddr(4)), says(2.1, verified)]
    assert kinds(happened(seen + END, snap=100)) == [] and kinds(happened(seen + END)) == ["not-registered"]


def test_asked_again_before_the_answer(happened):
    (trouble,) = happened([asks(0.0, getaddr(4)), asks(3.0, getaddr(4)), says(3.1, reply(NOTHING)), says(3.2, reply(NOTHING))])
    assert trouble["kind"] == "not-registered" and trouble["frame"] == 1 and "in frame 3" in trouble["words"]


def test_registered_no_more(happened):
    """The latest answer of rpcbind to a question counts."""
    (trouble,) = happened(answered(getaddr(4), at_port(20049)) + answered(getaddr(4, xid=8), NOTHING, 9.0, 8))
    assert trouble["kind"] == "not-registered" and trouble["frame"] == 3


@pytest.mark.parametrize("seen", [answered(getaddr(4), NOTHING), answered(getport(MOUNT, 3), NO_PORT), [asks(0.0, getaddr(4)), asks(2.0, getaddr(4))],
                                  refused(0.0, 111), unheard(0.0, 111)], ids=["rdma", "mount", "silent", "refused", "unheard"])
def test_a_mount_that_works_all_the_same(happened, seen):
    assert kinds(happened(seen, works=5.0)) == []


def test_rdma_is_gone(happened):
    """Earlier success is no excuse."""
    assert kinds(happened(answered(getaddr(4), NOTHING, 60.0), works=0.0)) == ["not-registered"]


def test_silence(happened):
    (trouble,) = happened([asks(0.0, getaddr(4)), asks(3.0, getaddr(4)), asks(9.0, getaddr(3, xid=8))] + END)
    assert trouble["kind"] == "rpcbind-no-answer" and trouble["frame"] == 1
    assert trouble["words"] == "rpcbind on 192.0.2.2 does not answer: asked for NFS (versions 3, 4) for netid rdma 3 times in 9.00 s"
    assert "firewalls" in trouble["next"] and "port 20049" in trouble["next"]


@pytest.mark.parametrize("seen", [
    [asks(0.0, getaddr(4)), asks(0.5, getaddr(4)), asks(0.9, getaddr(4))],  # the capture ends too early
    [asks(0.0, getaddr(4)), asks(5.0, getaddr(4, xid=8))],  # neither question was repeated: the answers may be missing from the capture
    [asks(n / 2, getport(NFS, 3)) for n in range(9)],
], ids=["short", "once", "tcp"])
def test_no_silence(happened, seen):
    assert kinds(happened(seen)) == []


def test_one_direction(happened):
    """If the client continues, and no packet of the server is captured, silence is not claimed again."""
    seen = [asks(0.0, getaddr(4)), asks(3.0, getaddr(4))]
    assert kinds(happened(seen + unheard(10.0, 20049))) == ["connect-no-answer"]
    assert kinds(happened(seen + refused(10.0, 20049))) == ["connect-refused", "rpcbind-no-answer"]


def test_silence_after_an_answer(happened):
    seen = answered(getaddr(4), NOTHING) + [asks(30.0, getaddr(4, xid=8)), asks(33.0, getaddr(4, xid=8))]
    (trouble,) = happened(seen)
    assert trouble["kind"] == "rpcbind-no-answer" and trouble["frame"] == 3


@pytest.mark.parametrize("seen, kind, words", [
    (refused(0.0, 111), "connect-refused", "connection refused: rpcbind at 192.0.2.2:111 answers the SYN with a reset: nothing listens on this port"),
    (unheard(0.0, 111), "connect-no-answer", "rpcbind at 192.0.2.2:111 does not answer: TCP SYN sent 3 times in 2.00 s, nothing came back"),
])
def test_no_rpcbind(happened, seen, kind, words):
    (trouble,) = happened(seen)
    assert (trouble["kind"], trouble["words"]) == (kind, words) and "a mount that names the port does not ask" in trouble["next"]
    assert kinds(happened(seen + refused(8.0, 20049))) == (["connect-refused"] * 2 if kind == "connect-refused" else [kind, "connect-refused"])


def test_no_rpcbind_of_somebody_else(happened):
    """With many hosts, nothing shows that the mount uses RDMA."""
    crowd = [(1.0 + n, tcp((OTHER, 50000 + n), (SERVER, 3306), SYN, 100)) for n in range(5)]
    crowd += [(time + 1.0, octets) for time, octets in crowd]
    assert kinds(happened(refused(0.0, 111) + crowd)) == []
    assert kinds(happened(answered(getport(MOUNT, 3), NO_PORT) + crowd)) == []
    assert kinds(happened(answered(getaddr(4), NOTHING) + crowd)) == ["not-registered"]


def test_another_port(happened):
    """rpcbind names a port, the client tries another."""
    (trouble,) = happened(answered(getaddr(4), at_port(20050)) + refused(1.0, 20049))
    assert trouble["kind"] == "connect-refused" and trouble["words"].endswith("; rpcbind said in frame 2 that NFS version 4 has port 20050 for netid rdma")
    for seen in (answered(getaddr(4), at_port(20049)) + refused(1.0, 20049), refused(0.0, 20049) + answered(getaddr(4), at_port(20050), 1.0)):
        (trouble,) = happened(seen)
        assert "rpcbind" not in trouble["words"]


def test_what_the_client_did_then(happened):
    troubles = happened(answered(getaddr(4), NOTHING) + refused(1.0, 20049) + plain_nfs(2.0))
    assert kinds(troubles) == ["connect-refused", "not-registered", "plain-tcp"]
    troubles = happened(answered(getaddr(4), NOTHING) + plain_nfs(2.0))
    assert kinds(troubles) == ["not-registered", "plain-tcp"] and "see the line above" in troubles[1]["next"]
    assert kinds(happened(answered(getport(MOUNT, 3), NO_PORT) + plain_nfs(2.0))) == ["plain-tcp"]


def test_many_who_ask(happened):
    """At most two lines for each client and server, and only the latest of many."""
    seen = [packet for n in range(3000) for packet in (asks(n, getaddr(4, xid=n), f"198.18.{n >> 8}.{n & 255}"),
                                                       says(n + 0.1, reply(NOTHING, n), f"198.18.{n >> 8}.{n & 255}"))]
    seen += [packet for n in range(300) for packet in answered(getaddr(4, xid=n), NOTHING, 4000.0 + n, n)]
    troubles = happened(seen)
    left_out = [trouble for trouble in troubles if trouble["kind"] == "left-out"]
    assert [trouble["count"] for trouble in left_out if "questions to rpcbind" not in trouble["words"]] == [24]
    assert [trouble["count"] for trouble in left_out if "no room to record 1977 more questions to rpcbind" in trouble["words"]] == [1977]
    assert kinds(troubles).count("not-registered") == 1000


def test_on_the_first_screen(happened, check, tmp_path):
    happened(answered(getaddr(4), NOTHING))
    lines = check(tmp_path / "rpcbind.pcap").stdout.splitlines()
    assert lines[0].startswith("NOTHING TO CHECK: rpcbind says that the service is not registered; ")
    assert check("--fail-on=trouble", "--allow-empty", tmp_path / "rpcbind.pcap").returncode == 1


def test_periods(happened, check, tmp_path):
    """Each report has the knowledge until then, once."""
    happened(answered(getaddr(4), NOTHING) + [asks(15.0, getaddr(4, xid=8)), asks(17.0, getaddr(4, xid=8))]
             + answered(getaddr(4, xid=9), at_port(20049), 25.0, 9) + END)
    check("--format=ndjson", "--rotate=10", f"--output={tmp_path / 'part.json'}", tmp_path / "rpcbind.pcap")
    reports = [read_report(path.read_text(encoding="utf-8")) for path in sorted(tmp_path.glob("part-*"))]
    assert [kinds(report["captures"][0]["trouble"]) for report in reports[:3]] == [["not-registered"], ["rpcbind-no-answer"], []]
    assert len(reports) > 3 and kinds(reports[-1]["captures"][0]["trouble"]) == []
