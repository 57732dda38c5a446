# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures made to exhaust their readers: one for each table of the checker tries to fill it."""
import itertools
import struct

WRITE, READ_REQUEST, SEND, SEND_INVALIDATE, TERMINATE = 0, 1, 3, 4, 7
SEGMENT = 1448


class Capture:
    """A pcap file with TCP connections on IPv4; checksums are left zero."""

    def __init__(self, path):
        self.file = open(path, "wb")  # pylint: disable=consider-using-with
        self.file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 1))
        self.time = 0

    def packet(self, ip_payload, source, destination, fragment=0, identifier=0, protocol=6):
        ip = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(ip_payload), identifier, fragment, 64, protocol, 0, source, destination)
        self.frame(b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0" + ip + ip_payload)

    def frame(self, frame):
        self.time += 1
        self.file.write(struct.pack("<IIII", 1700000000 + self.time // 100000, self.time % 100000 * 10, len(frame),
                                    len(frame)) + frame)

    def close(self):
        self.file.close()


class Connection:
    """One side sends; the other has answered the start-up and acknowledges."""

    def __init__(self, capture, client=0x0A000001, port=40000, server_port=7174, isn=1000, private=b""):
        self.capture, self.address, self.port = capture, (client, 0x0A000002), (port, server_port)
        self.sequence = [isn, (isn * 7 + 5) & 0xFFFFFFFF]
        self.segment(0, b"", 0x02)
        self.sequence[0] += 1
        self.segment(1, b"", 0x12)
        self.sequence[1] += 1
        self.segment(0, b"", 0x10)
        for side, word in ((0, b"Req"), (1, b"Rep")):
            self.octets(side, b"MPA ID " + word + b" Frame" + struct.pack(">BBH", 0, 1, len(private)) + private)

    def segment(self, side, payload, flags=0x18, sequence=None):
        sequence = self.sequence[side] if sequence is None else sequence
        head = struct.pack(">HHIIBBHHH", self.port[side], self.port[1 - side], sequence & 0xFFFFFFFF,
                           self.sequence[1 - side] & 0xFFFFFFFF, 0x50, flags, 65535, 0, 0)
        self.capture.packet(head + payload, self.address[side], self.address[1 - side])

    def octets(self, side, payload):
        for at in range(0, len(payload), SEGMENT):
            self.segment(side, payload[at:at + SEGMENT])
            self.sequence[side] += len(payload[at:at + SEGMENT])

    def fpdu(self, side, ulpdu):
        self.octets(side, fpdu(ulpdu))


def fpdu(ulpdu):
    return struct.pack(">H", len(ulpdu)) + ulpdu + bytes(-(2 + len(ulpdu)) % 4) + bytes(4)  # no CRC


def tagged(opcode, stag, to, payload=b"", last=True):
    return struct.pack(">BBIQ", 0xC1 if last else 0x81, 0x40 | opcode, stag, to) + payload


def untagged(opcode, queue, msn, payload=b"", offset=0, last=True, stag=0):
    return struct.pack(">BBIIII", 0x41 if last else 0x01, 0x40 | opcode, stag, queue, msn, offset) + payload


def call(xid, chunks=b"\0" * 12, kind=0):
    """RPC-over-RDMA with an NFSv3 NULL Call."""
    rpc = struct.pack(">10I", xid, 0, 2, 100003, 3, 0, 0, 0, 0, 0)
    return struct.pack(">IIII", xid, 1, 32, kind) + chunks + rpc


def many_stags(capture, n):
    connection = Connection(capture)
    for number in range(n):
        connection.fpdu(0, tagged(WRITE, number * 0x9E3779B1 & 0xFFFFFFFF, 0, b"x"))


def endless_send(capture, n):
    connection = Connection(capture)
    for number in range(n):
        connection.fpdu(0, untagged(SEND, 0, 1, b"x", offset=number, last=False))


def scattered_send(capture, n):
    """Every second octet, so that no two pieces of the message are adjacent."""
    connection = Connection(capture)
    for number in range(n):
        connection.fpdu(0, untagged(SEND, 0, 1, b"x", offset=2 * number, last=False))


def gigantic_reads(capture, n):
    connection = Connection(capture)
    for number in range(n):
        payload = struct.pack(">IQIIQ", number + 1, 1 << 63, 0xFFFFFFFF, number + 7, 1 << 62)
        connection.fpdu(0, untagged(READ_REQUEST, 1, number + 1, payload))


def unanswered_calls(capture, n):
    connection = Connection(capture, server_port=20049)
    for number in range(n):
        connection.fpdu(0, untagged(SEND, 0, number + 1, call(number + 1)))


def long_chunk_lists(capture, n):
    """As many segments as a Send of 60 KB can hold, all of one octet, each with its own STag."""
    connection = Connection(capture, server_port=20049)
    stags = itertools.count(1)
    for number in range(max(n // 2000, 1)):
        reads = b"".join(struct.pack(">IIIIQ", 1, 4 * index, next(stags), 1, index) for index in range(2000))
        connection.fpdu(0, untagged(SEND, 0, number + 1, call(number + 1, reads + b"\0" * 12)))


def retransmissions(capture, n):
    connection = Connection(capture)
    start = connection.sequence[0]
    payload = fpdu(tagged(WRITE, 1, 0, b"x" * 1000))
    connection.octets(0, payload)
    for _ in range(n):
        connection.segment(0, payload, sequence=start)


def shifted_overlaps(capture, n):
    """Each segment begins one octet after the previous one, and contradicts it."""
    connection = Connection(capture)
    for number in range(n):
        connection.segment(0, bytes([number & 0xFF]) * 100, sequence=connection.sequence[0] + 10 + number)


def holes(capture, n):
    connection = Connection(capture)
    for _ in range(n):
        octets = fpdu(tagged(WRITE, 1, 0, b"x" * 100))
        connection.segment(0, octets)
        connection.sequence[0] += 2 * len(octets)  # the next segment is not captured


def terminates(capture, n):
    connection = Connection(capture)
    for number in range(n):
        culprit = untagged(TERMINATE, 2, number + 1)
        connection.fpdu(number & 1, untagged(TERMINATE, 2, number + 1, struct.pack(">HHH", 0x1206, 0xC000, 18) + culprit))


def invalidations(capture, n):
    connection = Connection(capture)
    for number in range(n):
        connection.fpdu(0, untagged(SEND_INVALIDATE, 0, number + 1, b"x", stag=number + 1))


def alike_connections(capture, n):
    """Ports and addresses with equal sums and exclusive ors."""
    for number in range(max(n // 20, 1)):
        Connection(capture, client=0x0A100000 + number, port=65000 - number % 60000)


alike_connections.open = lambda n: n // 20  # parallel connections


def fragments(capture, n):
    """First fragments of datagrams whose rest never comes."""
    for number in range(n):
        capture.packet(b"\0" * 64, 0x0A000001 + (number >> 16), 0x0A000002, fragment=0x2000, identifier=number & 0xFFFF)
    Connection(capture)


def wraps(capture, n):
    """TCP sequence numbers wrap again and again, MSNs begin at their end."""
    connection = Connection(capture, isn=0xFFFFF000)
    for number in range(max(n // 100, 1)):
        connection.fpdu(0, tagged(WRITE, 1, 0xFFFFFFFFFFFF0000, b"x" * 60000))
        connection.sequence[0] += 0x40000000 if number % 2 else 0


def junk_requests(capture, n):
    """Start-up frames that begin and never end; open connections cost most, and their number is limited."""
    for number in range(max(n // 20, 1)):
        connection = Connection.__new__(Connection)
        connection.capture, connection.address = capture, (0x0A200000 + number, 0x0A000002)
        connection.port, connection.sequence = (40000, 7174), [1, 1]
        connection.segment(0, b"MPA ID Req Frame\0\1\2\0")


junk_requests.open = lambda n: n // 20


def xids_of_one_bucket(capture, n):
    """Without a seed, these shared a bucket of the table of Calls."""
    connection = Connection(capture, server_port=20049)
    for number in range(n):
        connection.fpdu(0, untagged(SEND, 0, number + 1, call(number * 0x0E8B2F51 & 0xFFFFFFFF)))


ALL = [xids_of_one_bucket, many_stags, endless_send, scattered_send, gigantic_reads, unanswered_calls, long_chunk_lists, retransmissions,
       shifted_overlaps, holes, terminates, invalidations, alike_connections, fragments, wraps, junk_requests]
