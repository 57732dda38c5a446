# SPDX-License-Identifier: GPL-2.0-or-later
"""Lookups of rpcbind over UDP before a connection of NFSv4, in the same capture: IPv4 and IPv6."""
import json
import struct
import subprocess

import pytest

from views import packets, write

MILLISECOND = 1_000_000


def opaque(text):
    return struct.pack(">I", len(text)) + text + bytes(-len(text) % 4)


def getaddr(version, netid, program=100003):
    """RFC 1833, rpcbind version 4."""
    return struct.pack(">10I", 7, 0, 2, 100000, 4, 3, 0, 0, 0, 0) + struct.pack(">2I", program, version) + opaque(netid) + opaque(b"") * 2


def datagram(first, payload):
    """To port 111, from and to whom the first frame of a connection is sent."""
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
    report = json.loads(check("--format=json", "--counts=connection", capture).stdout)
    connection, = report["captures"][0]["connections"]
    counts = {name: n for name, n in connection["rules"].get("NFSULB-6.3-02", {}).items() if n}
    assert counts == ({outcome: 1} if outcome else {})
    found = [finding for finding in connection["findings"] if finding["rule"] == "NFSULB-6.3-02"]
    assert [finding["severity"] for finding in found] == (["warning"] if outcome == "failed" else [])
    assert all("in frame 1, 1 ms before" in finding["message"] for finding in found)
