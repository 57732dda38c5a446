# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures with chosen times, and figures computed independently of iwarp-check."""
import math
import re
import struct

START = 1_000_000_000 * 10**9  # ns since the epoch


def packets(data):
    """[(captured length, length, octets)] of a pcap file, its link type"""
    link = struct.unpack_from("<I", data, 20)[0]
    found, at = [], 24
    while at < len(data):
        captured, length = struct.unpack_from("<II", data, at + 8)
        found.append((captured, length, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return found, link


def retime(source, target, time_of):
    """Rewrites the pcap file `source`; time_of(frame number) is a packet's time in ns since the first."""
    found, link = packets(source.read_bytes())
    with open(target, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, link))
        for frame, (captured, length, octets) in enumerate(found, 1):
            out.write(struct.pack("<IIII", *divmod(START + time_of(frame), 10**9), captured, length) + octets)
    return target


def messages(text):
    """[(frame, direction, kind, XID, credits, rest)] from the lines of --print about RPC-over-RDMA messages"""
    lines = re.findall(r"^(\d+) [\d.]+ ([<>]) \[rpcrdma: \w+ xid (0x\w+) credit (\d+) (.*?)(CALL|REPLY)(?: (.*?))?\]", text, re.M)
    return [(int(frame), direction, kind, xid, int(credit), about) for frame, direction, xid, credit, _, kind, about in lines]


def quantile(numbers, q):
    """The nearest-rank quantile."""
    return sorted(numbers)[max(0, math.ceil(q * len(numbers)) - 1)]
