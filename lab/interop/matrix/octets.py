#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""octets.py: reads the captures of the matrix once more, with nothing of this project's but this file, for the rule that most amber cells
break: RFC 8797 section 4.1, no Send with Invalidate unless both sides announced R = 1. Prints the cells in which it finds something else
than iwarp-check: first frame, and number. Exit status 1: there are some."""
import pathlib
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "guests"))
import guests  # noqa: E402
import store  # noqa: E402

PAGES = HERE.parents[2] / "lab" / "results" / "matrix"
FORMAT = bytes.fromhex("f6ab0e18")  # RFC 8797 section 4: the first word of RPC-over-RDMA's private data
SERVER = bytes([10, 1, 1, 2])
ROCE_PORT, CM_QUEUE_PAIR = 4791, 1
ROCE_INVALIDATE = (22, 23)  # BTH OpCodes: SEND Last and SEND Only, with Invalidate
RDMAP_INVALIDATE = (4, 6)  # RFC 5040 section 4.3: Send with Invalidate, the same with Solicited Event
STARTUP = (b"MPA ID Req Frame", b"MPA ID Rep Frame")


def packets(data):
    """(frame number, source, IP protocol, payload) from a pcap of Ethernet with IPv4."""
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at, number = 24, 0
    while at + 16 <= len(data):
        length = struct.unpack_from(order + "4I", data, at)[2]
        frame, number, at = data[at + 16:at + 16 + length], number + 1, at + 16 + length
        if frame[12:14] == b"\x08\x00":
            header = (frame[14] & 15) * 4
            yield number, frame[26:30], frame[23], frame[14 + header:14 + struct.unpack_from(">H", frame, 16)[0]]


def in_roce(datagram):
    """(message of the connection manager, whether it is a Send with Invalidate)"""
    if struct.unpack_from(">H", datagram, 2)[0] != ROCE_PORT:
        return b"", False
    queue_pair = int.from_bytes(datagram[13:16], "big")
    return datagram[8:] if queue_pair == CM_QUEUE_PAIR else b"", queue_pair != CM_QUEUE_PAIR and datagram[8] in ROCE_INVALIDATE


def in_tcp(segment):
    """The same for FPDUs at the beginning of a segment, as siw's are."""
    payload = segment[(segment[12] >> 4) * 4:]
    if payload[:16] in STARTUP:
        return payload, False
    untagged = len(payload) >= 4 and payload[2] & 0xBF == 0x01  # T = 0, DV = 1, for any L
    return b"", untagged and payload[3] >> 6 == 1 and payload[3] & 15 in RDMAP_INVALIDATE


def read(capture):
    """(first frame, number) of the server's Sends with Invalidate without an agreement; None: none."""
    data = subprocess.run(["zstd", "-dc", capture], capture_output=True, check=True).stdout
    announced, found, sent = {}, [], set()
    for number, source, protocol, carried in packets(data):
        if protocol == 6 and (source, carried[:8]) in sent and carried[13] & 2 == 0:  # ports and sequence number: a retransmission
            continue
        if protocol == 6 and len(carried) > (carried[12] >> 4) * 4:
            sent.add((source, carried[:8]))
        if protocol in (6, 17):
            message, invalidates = (in_tcp if protocol == 6 else in_roce)(carried)
            at = message.find(FORMAT)
            if at >= 0:
                announced.setdefault(source, set()).add(message[at + 5] & 1)
            elif invalidates and source == SERVER:
                found.append(number)
    agreed = len(announced) == 2 and all(bits == {1} for bits in announced.values())
    return (found[0], len(found)) if found and not agreed else None


def said(cell):
    findings = store.get(PAGES, f"cells/{cell}")["judged"]["findings"]
    finding = findings.get("server", {}).get("CMPD-4.1-03")
    return (finding["frame"], finding["times"]) if finding else None


def main():
    captures = {path.name.removesuffix(".pcap.zst"): path for path in sorted((guests.top() / "matrix").glob("*+nfs*.pcap.zst"))
                if ".try" not in path.name}
    broken = other = 0
    for cell, path in captures.items():
        here, there = read(path), said(cell)
        broken += here is not None
        if here != there:
            other += 1
            print(f"{cell}: here {here}, iwarp-check {there}")
    print(f"{len(captures)} captures, {broken} of them with such Sends; {other} read otherwise by iwarp-check")
    return other > 0 or not captures


if __name__ == "__main__":
    sys.exit(main())
