#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A capture of NFSv3 over RoCE v2: READs and WRITEs of 64 KiB on one connection, from its ConnectRequest on; each ICRC is right.

tests/bench/roce_bulk.py MB MTU FILE [--without-icrc]

Without ICRC: the snap length cuts it away, so there is nothing to verify."""
import pathlib
import struct
import sys
import zlib

CLIENT, SERVER = 0, 1
ADDRESS = (bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2]))
QP = (0x11, 0x22)
FIRST_PSN = (1000, 500000)
CHUNK = 65536
CONSUMER = struct.pack(">IBBBB", 0xF6AB0E18, 1, 0, 3, 3)  # RFC 8797: 4096 octets both ways
SEND, WRITE, RESPONSE = (0x00, 0x01, 0x02, 0x04), (0x06, 0x07, 0x08, 0x0A), (0x0D, 0x0E, 0x0F, 0x10)  # First, Middle, Last, Only
READ_REQUEST, ACKNOWLEDGE, UD_SEND = 0x0C, 0x11, 0x64
AETH_OK = 0x1F << 24  # credits are not counted


class Capture:
    """A pcap file whose packets come 1 us apart."""

    def __init__(self, path, mtu, cut):
        self.cut = cut
        self.file, self.mtu, self.octets, self.time = path.open("wb"), mtu, 0, 1_700_000_000_000_000
        self.psn, self.messages = list(FIRST_PSN), [0, 0]
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))

    def packet(self, side, opcode, qp, psn, octets, ack=False):
        """octets: from the BTH to the ICRC."""
        udp = 8 + 12 + len(octets) + 4
        ip = ADDRESS[side] + ADDRESS[1 - side]
        flags = struct.pack(">HHH", 0xFFFF, qp >> 16, qp & 0xFFFF)
        last = struct.pack(">I", ack << 31 | psn & 0xFFFFFF)
        below = struct.pack(">HHHHHH", 49152, 4791, udp, 0, opcode << 8 | 0x40, 0xFFFF)
        masked = struct.pack(">8sBBHHHBBH8sHHHHHH", b"\xff" * 8, 0x45, 0xFF, 20 + udp, 7, 0x4000, 0xFF, 17, 0xFFFF, ip, 49152, 4791, udp,
                             0xFFFF, opcode << 8 | 0x40, 0xFFFF)
        icrc = zlib.crc32(octets, zlib.crc32(masked + b"\xff" + flags[3:] + last))
        frame = b"".join((b"\x02\0\0\0\0\1\x02\0\0\0\0\2\x08\0", struct.pack(">BBHHHBBH", 0x45, 0, 20 + udp, 7, 0x4000, 64, 17, 0), ip, below,
                          b"\0", flags[3:], last, octets, struct.pack("<I", icrc)))
        self.time += 1
        self.file.write(struct.pack("<IIII", *divmod(self.time, 1_000_000), len(frame) - self.cut, len(frame)) + frame[:len(frame) - self.cut])
        self.octets += 16 + len(frame)

    def acknowledge(self, side):
        """Acknowledges all requests of the other side."""
        self.packet(side, ACKNOWLEDGE, QP[1 - side], self.psn[1 - side] - 1, struct.pack(">I", AETH_OK | self.messages[1 - side]))

    def message(self, side, opcodes, octets, header=b"", psn=None, aeth=b""):
        """In packets of the path MTU; the first has header, the first and the last have aeth."""
        parts = [octets[at:at + self.mtu] for at in range(0, len(octets), self.mtu)]
        first = self.psn[side] if psn is None else psn
        for i, part in enumerate(parts):
            start, end = i == 0, i == len(parts) - 1
            opcode = opcodes[3] if start and end else opcodes[0] if start else opcodes[2] if end else opcodes[1]
            before = (header if start else b"") + (aeth if start or end else b"")
            self.packet(side, opcode, QP[1 - side], first + i, before + part, ack=end and not aeth)
        if psn is None:
            self.psn[side] += len(parts)
            self.messages[side] += 1

    def send(self, side, octets):
        self.message(side, SEND, octets)
        self.acknowledge(1 - side)

    def write(self, side, handle, offset, octets):
        self.message(side, WRITE, octets, struct.pack(">QII", offset, handle, len(octets)))
        self.acknowledge(1 - side)

    def read(self, side, handle, offset, octets):
        psn = self.psn[side]
        self.packet(side, READ_REQUEST, QP[1 - side], psn, struct.pack(">QII", offset, handle, len(octets)), ack=True)
        self.psn[side] += -(-len(octets) // self.mtu)
        self.messages[side] += 1
        self.message(1 - side, RESPONSE, octets, psn=psn, aeth=struct.pack(">I", AETH_OK | self.messages[side]))

    def manage(self, side, attribute, fields):
        """A MAD of connection management; fields: offset in its message, octets."""
        mad = bytearray(struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, 0x77, attribute, 0, 0) + bytes(232))
        for at, octets in fields:
            mad[24 + at:24 + at + len(octets)] = octets
        self.packet(side, UD_SEND, 1, 0, struct.pack(">II", 0x80010000, 1) + mad)

    def connect(self):
        codes = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}
        identity = [struct.pack(">I", 0xA1), struct.pack(">I", 0xB2)]
        ip_cm = struct.pack(">BBH12x4s12x4s", 0, 0x40, 40000, *ADDRESS)
        self.manage(CLIENT, 0x10, [(0, identity[0]), (8, struct.pack(">Q", 0x0000000001064E51)), (32, QP[CLIENT].to_bytes(3, "big")), (35, b"\x10"),
                                   (39, b"\x10"), (44, FIRST_PSN[SERVER].to_bytes(3, "big")), (50, bytes([codes[self.mtu] << 4])),
                                   (140, ip_cm + CONSUMER)])
        self.manage(SERVER, 0x13, [(0, identity[1]), (4, identity[0]), (12, QP[SERVER].to_bytes(3, "big")),
                                   (20, FIRST_PSN[CLIENT].to_bytes(3, "big")), (24, b"\x10\x10"), (36, CONSUMER)])
        self.manage(CLIENT, 0x14, [(0, identity[0]), (4, identity[1])])

    def disconnect(self):
        self.manage(CLIENT, 0x15, [(0, struct.pack(">II", 0xA1, 0xB2)), (8, QP[SERVER].to_bytes(3, "big"))])
        self.manage(SERVER, 0x16, [(0, struct.pack(">II", 0xB2, 0xA1))])


def call(xid, procedure, arguments):
    return struct.pack(">IIIIIIIIII", xid, 0, 2, 100003, 3, procedure, 0, 0, 0, 0) + struct.pack(">I32s", 32, b"f" * 32) + arguments


def reply(xid, results):
    return struct.pack(">IIIIII", xid, 1, 0, 0, 0, 0) + results


def header(xid, read=b"", write=b""):
    """RPC-over-RDMA: RDMA_MSG with lists that end here."""
    return struct.pack(">IIII", xid, 1, 32, 0) + read + struct.pack(">I", 0) + write + struct.pack(">II", 0, 0)


def play(path, size, mtu, icrc=True):
    capture, data = Capture(path, mtu, 0 if icrc else 4), bytes(range(256)) * (CHUNK // 256)
    capture.connect()
    capture.send(CLIENT, header(1) + struct.pack(">IIIIIIIIII", 1, 0, 2, 100003, 3, 0, 0, 0, 0, 0))
    capture.send(SERVER, header(1) + reply(1, b""))
    xid = 2
    while capture.octets < size:
        segment, file_offset = struct.pack(">IIQ", 0x1000 + xid, CHUNK, xid << 20), xid * CHUNK
        if xid % 2 == 0:
            chunk = struct.pack(">II", 1, 1) + segment
            capture.send(CLIENT, header(xid, write=chunk) + call(xid, 6, struct.pack(">QI", file_offset, CHUNK)))
            capture.write(SERVER, 0x1000 + xid, xid << 20, data)
            capture.send(SERVER, header(xid, write=chunk) + reply(xid, struct.pack(">IIIII", 0, 0, CHUNK, 0, CHUNK)))
        else:
            message = call(xid, 7, struct.pack(">QIII", file_offset, CHUNK, 2, CHUNK))
            capture.send(CLIENT, header(xid, read=struct.pack(">II", 1, len(message)) + segment) + message)
            capture.read(SERVER, 0x1000 + xid, xid << 20, data)
            capture.send(SERVER, header(xid) + reply(xid, struct.pack(">IIIIIQ", 0, 0, 0, CHUNK, 2, 7)))
        xid += 1
    capture.disconnect()
    capture.file.close()


if __name__ == "__main__":
    play(pathlib.Path(sys.argv[3]), int(sys.argv[1]) * 1_000_000, int(sys.argv[2]), "--without-icrc" not in sys.argv)
