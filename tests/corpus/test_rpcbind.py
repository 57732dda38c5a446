# SPDX-License-Identifier: GPL-2.0-or-later
"""Lookups of rpcbind over UDP before a connection of NFSv4, in the same capture: IPv4 and IPv6."""
import struct
import subprocess

import pytest

from reports import read_report
from views import packets, write

MILLISECOND = 1_000_000


def opaque(text):
    return struct.pack(">I", len(text)) + text + bytes(-len(text) % 4)


def getaddr(version, netid, program=100003):
    """RFC 1833, rpcbind version 4."""
    return struct.pack(">10I", 7, 0, 2, 100000, 4, 3, 0, 0, 0, 0) + struct.pack(">2I", program, version) + opaque(netid) + opaque(b"") * 2


def datagram(first, payload):
    """To port 111, between the hosts of a connection's first frame."""
    udp = struct.pack(">4H", 1022, 111, 8 + len(payload), 0) + payload
    if first[12:14] == b"\x08\x00":
        return first[:14] + struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 1, 0, 64, 17, 0) + first[26:34] + udp
    return first[:14] + struct.pack(">IHBB", 6 << 28, len(udp), 17, 64) + first[22:54] + udp


@pytest.mark.parametrize("family", [[], ["--ipv6"]], ids=["ipv4", "ipv6"])
@pytest.mark.parametrize("asked,netid,outcome", [
    (4, b"rdma", "failed"), (4, b"rdma6", "failed"), (3, b"rdma", "passed"), (4, b"tcp", "inconclusive"), (None, None, None)])
def test_lookup_over_udp(build, check, tmp_path, family, asked, netid, outcome):
    played, capture = tmp_path / "played.pcapng", tmp_path / "capture.pcap"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "nfs40", *family, "-o", played], check=True)
    seen = packets(played)
    time, first, _ = seen[0]
    if asked:
        question = datagram(first, getaddr(asked, netid))
        seen.insert(0, (time - MILLISECOND, question, len(question)))
    write(capture, seen)
    report = read_report(check("--format=ndjson", "--counts=connection", capture).stdout)
    connection, = report["captures"][0]["connections"]
    counts = {name: n for name, n in connection["rules"].get("NFSULB-6.3-02", {}).items() if n and name != "why"}
    assert counts == ({outcome: 1} if outcome else {})
    found = [finding for finding in connection["findings"] if finding["rule"] == "NFSULB-6.3-02"]
    assert [finding["severity"] for finding in found] == (["warning"] if outcome == "failed" else [])
    assert all("in frame 1, 1 ms before" in finding["message"] for finding in found)


def getport(program, version, protocol=6, xid=9):
    """RFC 1833, rpcbind version 2."""
    return struct.pack(">14I", xid, 0, 2, 100000, 2, 3, 0, 0, 0, 0, program, version, protocol, 0)


def answer(results, xid=9):
    return struct.pack(">6I", xid, 1, 0, 0, 0, 0) + results


def answered(first, payload):
    """From port 111 to the questioner."""
    back = bytearray(datagram(first, payload))
    ip, size = (14 + 12, 4) if first[12:14] == b"\x08\x00" else (14 + 8, 16)
    back[ip:ip + size], back[ip + size:ip + 2 * size] = back[ip + size:ip + 2 * size], back[ip:ip + size]
    udp = ip + 2 * size
    back[udp:udp + 4] = back[udp + 2:udp + 4] + back[udp:udp + 2]
    return bytes(back)


NO_PORT, PORT = struct.pack(">I", 0), struct.pack(">I", 635)
FAILED, PASSED, DOUBTED, SILENT = {"failed": 1}, {"passed": 1}, {"inconclusive": 1}, {}


@pytest.mark.parametrize("scenario,talk,outcome", [
    ("nfs3", [(getport(100005, 3), answer(NO_PORT))], FAILED),
    ("nfs3", [(getport(100021, 4), answer(NO_PORT))], FAILED),
    ("nfs3", [(getport(100024, 1), answer(NO_PORT))], FAILED),
    ("nfs3", [(getport(100005, 3), answer(NO_PORT)), (getport(100021, 4), answer(NO_PORT))], {"failed": 2}),
    ("nfs3", [(getport(100005, 3), None), (getport(100005, 3), answer(NO_PORT))], FAILED),
    ("nfs3", [(getport(100005, 3), answer(NO_PORT)), (getport(100005, 3), answer(NO_PORT))], FAILED),
    ("nfs3", [(getport(100005, 3), answer(PORT))], PASSED),
    ("nfs3", [(getport(100005, 3), answer(NO_PORT)), (getport(100005, 3), answer(PORT))], PASSED),
    ("nfs3", [(getport(100005, 3), answer(NO_PORT, xid=10))], SILENT),
    ("nfs3", [(getport(100005, 3), answer(b""))], SILENT),
    ("nfs3", [(getport(100005, 3), None)], SILENT),
    ("nfs3", [(getport(100005, 3, protocol=17), answer(NO_PORT))], SILENT),
    ("nfs3", [(getport(100005, 1), answer(NO_PORT))], SILENT),
    ("nfs3", [(getport(100003, 3), answer(NO_PORT))], SILENT),
    ("nfs40", [(getport(100005, 3), answer(NO_PORT))], SILENT),
])
def test_auxiliary_programs(build, check, tmp_path, scenario, talk, outcome):
    assert judged(build, check, tmp_path, [scenario], talk) == outcome


def test_auxiliary_programs_over_ipv6(build, check, tmp_path):
    """The portmapper knows IPv4 only."""
    assert judged(build, check, tmp_path, ["nfs3", "--ipv6"], [(getport(100005, 3), answer(NO_PORT))]) == DOUBTED


def judged(build, check, tmp_path, played_as, talk):
    played, capture = tmp_path / "played.pcapng", tmp_path / "capture.pcap"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", *played_as, "-o", played], check=True)
    seen = packets(played)
    time, first, _ = seen[0]
    said = [made(first, payload) for pair in talk for made, payload in zip((datagram, answered), pair) if payload is not None]
    seen = [(time - (len(said) - i) * MILLISECOND, packet, len(packet)) for i, packet in enumerate(said)] + seen
    write(capture, seen)
    report = read_report(check("--format=ndjson", "--counts=connection", capture).stdout)
    connection, = report["captures"][0]["connections"]
    found = [finding for finding in connection["findings"] if finding["rule"] == "NFSULB-5.1-01"]
    assert all(finding["severity"] == "warning" and "over TCP" in finding["message"] for finding in found)
    return {name: n for name, n in connection["rules"].get("NFSULB-5.1-01", {}).items() if n and name != "why"}
