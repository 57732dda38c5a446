# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures of very many parallel connections, over TCP and RoCE v2, each with one violation in its last message."""
import struct

import adversary

WRONG_VERSION = b"\xc3\x40" + struct.pack(">IQ", 1, 0) + b"x"  # DDP version 3 of a tagged message


def crowd_of_tcp(path, n, last=WRONG_VERSION):
    """All start, and after the last start all continue. last: the ULPDU at the end of each."""
    capture = adversary.Capture(path)
    connections = [adversary.Connection(capture, client=0x0A100000 + number, port=40000 + number % 20000) for number in range(n)]
    for connection in connections:
        connection.fpdu(0, adversary.tagged(adversary.WRITE, 1, 0, b"x" * 64))
    for connection in connections:
        connection.fpdu(0, last)
    capture.close()


def crowd_of_nfs(path, n):
    """The same with two Calls of NFS and their Replies each."""
    capture = adversary.Capture(path)
    connections = [adversary.Connection(capture, client=0x0A100000 + number, port=40000 + number % 20000, server_port=20049) for number in range(n)]
    for xid in (1, 2):
        for side in (0, 1):
            for connection in connections:
                connection.fpdu(side, adversary.untagged(adversary.SEND, 0, xid, message(xid, side)))
    capture.close()


def one_after_the_other(path, n, bad=lambda number: False, reset=False):
    """Connections with one message each, which is wrong if bad(number). All end in order, or by a reset."""
    capture = adversary.Capture(path)
    for number in range(n):
        connection = adversary.Connection(capture, client=0x0A100000 + number, port=40000 + number % 20000)
        connection.fpdu(0, WRONG_VERSION if bad(number) else adversary.tagged(adversary.WRITE, 1, 0, b"x"))
        if reset:
            connection.segment(0, b"", 0x14)
            continue
        for side in (0, 1):
            connection.segment(side, b"", 0x11)
            connection.sequence[side] += 1
        connection.segment(0, b"", 0x10)
    capture.close()


class Roce:
    """A pcap file of RoCE v2 between two hosts, whose snap length cuts away the ICRC."""

    def __init__(self, path):
        self.file = open(path, "wb")  # pylint: disable=consider-using-with
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        self.time = 0
        self.addresses = b"\2\0\0\0\0\1\2\0\0\0\0\2"  # of Ethernet

    def packet(self, hosts, opcode, qp, psn, octets):
        self.time += 1
        udp = 8 + 12 + len(octets) + 4
        frame = self.addresses + b"\x08\0" + struct.pack(
            ">BBHHHBBHIIHHHHBBHIIxxxx", 0x45, 0, 20 + udp, 7, 0x4000, 64, 17, 0, *hosts, 49152, 4791, udp, 0, opcode, 0x40, 0xFFFF, qp,
            psn)[:40] + octets
        self.file.write(struct.pack("<IIII", 1700000000 + self.time // 100000, self.time % 100000 * 10, len(frame), len(frame) + 4) +
                        frame)

    def close(self):
        self.file.close()


class QueuePairs:
    """A connection between a client and a server, from its ConnectRequest on."""
    A, B = 0x0A000001, 0x0A000002

    def __init__(self, capture, number, managed=True):
        self.capture, self.qp, self.number = capture, (0x010000 + number, 0x800000 + number), number
        self.psn, self.ids = [number * 97, 0xFF0000 - number * 97], (0x10000000 + number, 0x20000000 + number)
        if managed:
            self.request()
            self.reply()
            self.manage(0, 0x14, [(0, self.identity(0)), (4, self.identity(1))])

    def identity(self, side):
        return struct.pack(">I", self.ids[side])

    def hosts(self, side):
        return (self.A, self.B) if side == 0 else (self.B, self.A)

    def manage(self, side, attribute, fields):
        mad = bytearray(struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, 0x77, attribute, 0, 0) + bytes(232))
        for at, octets in fields:
            mad[24 + at:24 + at + len(octets)] = octets
        self.capture.packet(self.hosts(side), 0x64, 1, 0, struct.pack(">II", 0x80010000, 1) + mad)

    def request(self, identity=None, psn=None):
        ip_cm = struct.pack(">BBH12xI12xI", 0, 0x40, 40000, self.A, self.B)
        self.manage(0, 0x10, [(0, identity or self.identity(0)), (8, struct.pack(">Q", 0x0000000001064E51)),
                              (32, self.qp[0].to_bytes(3, "big")), (35, b"\x10"), (39, b"\x10"), (44, (self.psn[1] if psn is None else psn).to_bytes(3, "big")),
                              (50, b"\x30"), (140, ip_cm)])

    def reply(self, identities=None, psn=None):
        own, other = identities or (self.identity(1), self.identity(0))
        self.manage(1, 0x13, [(0, own), (4, other), (12, self.qp[1].to_bytes(3, "big")), (20, (self.psn[0] if psn is None else psn).to_bytes(3, "big")),
                              (24, b"\x10\x10")])

    def disconnect(self, side=0):
        self.manage(side, 0x15, [(0, self.identity(side)), (4, self.identity(1 - side)), (8, self.qp[1 - side].to_bytes(3, "big"))])

    def send(self, side, octets):
        self.capture.packet(self.hosts(side), 0x04, self.qp[1 - side], 0x80000000 | self.psn[side], octets)
        self.psn[side] += 1

    def acknowledge(self, side):
        self.capture.packet(self.hosts(side), 0x11, self.qp[1 - side], self.psn[1 - side] - 1, struct.pack(">I", 0x1F000001))


def message(xid, kind, credit=32):
    body = (0, 2, 100003, 3, 0, 0, 0, 0, 0) if kind == 0 else (1, 0, 0, 0, 0)
    return struct.pack(">IIIIIII", xid, 1, credit, 0, 0, 0, 0) + struct.pack(f">{1 + len(body)}I", xid, *body)


def crowd_of_roce(path, n, managed=True):
    capture = Roce(path)
    connections = [QueuePairs(capture, number, managed) for number in range(n)]
    for connection in connections:
        connection.send(0, message(1, 0))
    for connection in connections:
        connection.acknowledge(1)
        connection.send(1, message(1, 1))
        connection.acknowledge(0)
    for connection in connections:
        connection.send(0, message(2, 0, credit=0))  # asks for no credits
        connection.acknowledge(1)
    capture.close()
