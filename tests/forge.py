# SPDX-License-Identifier: GPL-2.0-or-later
"""Puts packets into a capture of Ethernet and IPv4 that no receiver accepts: of a third party, or of one hostile end.

A capture is a list of (time in ns, octets). Each kind of packet is a function of the capture and of the place of a segment with data in it;
it returns the packets to be put before that segment."""
import struct

import captures
import roce_copies

ETHERNET, TCP_AT, FIN, SYN, RST, PSH, ACK = 14, 34, 1, 2, 4, 8, 16


def read(path):
    return [(time, octets) for time, _, octets in captures.records(path)]


def write(path, packets):
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, 1))
        for time, octets in packets:
            out.write(struct.pack("<IIII", time // 10**9, time % 10**9, len(octets), len(octets)) + octets)


def put(packets, at, more, apart=20_000):
    """With `more` before the packet at that place, apart by so many ns; everything later comes later."""
    time = packets[at][0]
    shift = (len(more) + 1) * apart
    return (packets[:at] + [(time + (i + 1) * apart, octets) for i, octets in enumerate(more)]
            + [(later + shift, octets) for later, octets in packets[at:]])


def checksum(octets):
    total = sum(struct.unpack(f">{(len(octets) + 1) // 2}H", octets + bytes(len(octets) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ipv4(octets, payload, ip_sum=0):
    """The packet with another payload of its IPv4 header; ip_sum: what is wrong with the checksum of the header."""
    header = bytearray(octets[ETHERNET:TCP_AT])
    header[2:4] = struct.pack(">H", 20 + len(payload))
    header[10:12] = b"\0\0"
    header[10:12] = struct.pack(">H", checksum(bytes(header)) ^ ip_sum)
    return octets[:ETHERNET] + bytes(header) + payload


class Segment:
    """A segment whose fields may be changed. tcp_sum and ip_sum: what is wrong with the checksums."""

    def __init__(self, octets):
        self.octets = octets
        head = octets[TCP_AT:]
        self.ports = head[:4]
        self.seq, self.ack = struct.unpack_from(">II", head, 4)
        self.flags, self.window = head[13], struct.unpack_from(">H", head, 14)[0]
        size = (head[12] >> 4) * 4
        length = struct.unpack_from(">H", octets, ETHERNET + 2)[0] - 20
        self.options, self.data = head[20:size], head[size:length]

    def made(self, tcp_sum=0, ip_sum=0, **changes):
        seq, ack, flags, data = (changes.get(name, getattr(self, name)) for name in ("seq", "ack", "flags", "data"))
        options = changes.get("options", self.options)
        head = self.ports + struct.pack(">IIBBHHH", seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, (20 + len(options)) // 4 << 4, flags, self.window, 0, 0)
        tcp = head + options + data
        pseudo = self.octets[ETHERNET + 12:ETHERNET + 20] + struct.pack(">HH", 6, len(tcp))
        right = checksum(pseudo + tcp)
        return ipv4(self.octets, tcp[:16] + struct.pack(">H", right ^ tcp_sum) + tcp[18:], ip_sum)


def segments(packets):
    """[(place, segment)] of TCP."""
    return [(at, Segment(octets)) for at, (_, octets) in enumerate(packets) if octets[12:15] == b"\x08\0\x45" and octets[23] == 6]


def of_both(packets, at):
    """The segment at that place, and the other side's latest before it."""
    mine = Segment(packets[at][1])
    return mine, [other for place, other in segments(packets) if place < at and other.ports != mine.ports][-1]


DATA = bytes.fromhex("0012c1400000000100000000000000000102030000000000")

# What no receiver accepts. Each may be data, an acknowledgment, or an end.
OF_TCP = {
    "wrong checksum, data": lambda mine, other: [mine.made(data=DATA, tcp_sum=0x55)],
    "wrong checksum, reset": lambda mine, other: [mine.made(data=b"", flags=RST | ACK, tcp_sum=0x55)],
    "wrong checksum, FIN": lambda mine, other: [mine.made(data=b"", flags=FIN | ACK, tcp_sum=0x55)],
    "wrong checksum, SYN": lambda mine, other: [mine.made(data=b"", flags=SYN, seq=77, tcp_sum=0x55)],
    "wrong IP checksum": lambda mine, other: [mine.made(data=DATA, ip_sum=0x55)],
    "30 old ones with wrong checksums, then data": lambda mine, other:
        [mine.made(seq=mine.seq - 20, data=bytes(20), tcp_sum=0x55)] * 30 + [mine.made(data=DATA, tcp_sum=0x55)],
    "no ACK flag": lambda mine, other: [mine.made(data=DATA, flags=PSH)],
    "acknowledges what was never sent": lambda mine, other: [mine.made(data=DATA, ack=mine.ack + 100_000)],
    "acknowledges a little too much": lambda mine, other: [mine.made(data=DATA, ack=mine.ack + 5_000)],
    "acknowledges the past": lambda mine, other: [mine.made(data=DATA, ack=mine.ack - (1 << 30) - 100_000)],
    "outside the window": lambda mine, other: [mine.made(seq=mine.seq + (1 << 29), data=DATA)],
    "both sides jump": lambda mine, other:
        [mine.made(data=b"", ack=mine.ack + 100_000), other.made(seq=mine.ack + 100_000, ack=mine.seq, data=bytes(100))],
    "both sides jump a little": lambda mine, other:
        [mine.made(data=b"", ack=mine.ack + 3_000), other.made(seq=mine.ack + 3_000, ack=mine.seq, data=bytes(100))],
}


# ---- RoCE v2 ----

def packet(octets, psn=0, **bth):
    """The packet with a PSN that is so much larger, and other fields of the BTH, and its right ICRC."""
    changed = bytearray(octets)
    at = roce_copies.BTH
    if "opcode" in bth:
        changed[at] = bth["opcode"]
    changed[at + 1] |= bth.get("version", 0)
    if "pkey" in bth:
        changed[at + 2:at + 4] = struct.pack(">H", bth["pkey"])
    number = (int.from_bytes(changed[at + 9:at + 12], "big") + psn) & 0xFFFFFF
    changed[at + 9:at + 12] = number.to_bytes(3, "big")
    return roce_copies.sealed(changed)


def of_roce(packets, opcodes):
    return [at for at, (_, octets) in enumerate(packets) if roce_copies.opcode(octets) in opcodes]


def bad_ip_sum(octets):
    changed = bytearray(octets)
    changed[ETHERNET + 10] ^= 0x55
    return bytes(changed)


def emptied(octets):
    """The payload's octets are zero."""
    changed = bytearray(octets)
    at = roce_copies.payload(octets)
    changed[at:-4] = bytes(len(changed) - 4 - at)
    return bytes(changed)


# send: of the side whose next request it is; ack: the latest Acknowledge for that side.
OF_ROCE = {
    "TVer 1": lambda send, ack: [packet(emptied(send), version=1)],
    "P_Key of another partition": lambda send, ack: [packet(emptied(send), pkey=0x1234)],
    "wrong ICRC": lambda send, ack: [emptied(send)],
    "wrong IP checksum": lambda send, ack: [bad_ip_sum(packet(emptied(send)))],
    "acknowledges what was never sent": lambda send, ack: [packet(ack, psn=1000)],
    "both sides jump": lambda send, ack: [packet(ack, psn=1000), packet(emptied(send), psn=1000)],
    "both sides jump, data first": lambda send, ack: [packet(emptied(send), psn=1000), packet(ack, psn=1001)],
}
