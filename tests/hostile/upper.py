# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures against the code for NFS, RPC and rpcbind: one for each table and loop above RPC-over-RDMA tries to fill it, or to lengthen it."""
import struct

from adversary import SEND, Connection, call, untagged

NFS_PORT, RPCBIND_PORT = 20049, 111
NULL, GETATTR, READ, WRITE, COMPOUND = 0, 1, 6, 7, 1
FILE_SYNC, PUTROOTFH, PUTFH = 2, 24, 22
SYN, RST, PUSH, ACK = 2, 4, 8, 16
CLIENT, SERVER = 0x0A000001, 0x0A000002
DATA = bytes(range(256)) * 2


def opaque(octets):
    return struct.pack(">I", len(octets)) + octets + bytes(-len(octets) % 4)


class Nfs:
    """A connection with RPC messages that are all inline."""

    def __init__(self, capture, port=40000):
        self.connection, self.msn, self.xid = Connection(capture, port=port, server_port=NFS_PORT), [0, 0], 0

    def send(self, side, message, xid):
        self.msn[side] += 1
        self.connection.fpdu(side, untagged(SEND, 0, self.msn[side], struct.pack(">7I", xid, 1, 32, 0, 0, 0, 0) + message))

    def call(self, procedure, arguments, version=3):
        self.xid += 1
        self.send(0, struct.pack(">10I", self.xid, 0, 2, 100003, version, procedure, 0, 0, 0, 0) + arguments, self.xid)

    def answer(self, results):
        self.send(1, struct.pack(">6I", self.xid, 1, 0, 0, 0, 0) + results, self.xid)

    def write(self, handle, offset, data):
        self.call(WRITE, opaque(handle) + struct.pack(">QII", offset, len(data), FILE_SYNC) + opaque(data))
        self.answer(struct.pack(">IIIII8x", 0, 0, 0, len(data), FILE_SYNC))

    def read(self, handle, offset, data):
        self.call(READ, opaque(handle) + struct.pack(">QI", offset, len(data)))
        self.answer(struct.pack(">IIII", 0, 0, len(data), 0) + opaque(data))


def handle_of(number):
    return struct.pack(">QQ", number, number * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF)


def many_files_written(capture, n):
    """Each WRITE has its own file."""
    nfs = Nfs(capture)
    for number in range(n // 4):
        nfs.write(handle_of(number), 0, DATA)


def written_and_read_back(capture, n):
    """The octets read always differ from those written."""
    nfs = Nfs(capture)
    for number in range(n // 8):
        nfs.write(handle_of(number % 300), number * 512, DATA)
        nfs.read(handle_of(number % 300), number * 512, DATA[::-1])


def one_block_again_and_again(capture, n):
    nfs = Nfs(capture)
    for number in range(n // 8):
        nfs.write(handle_of(1), 0, DATA[number % 256:] + DATA[:number % 256])
        nfs.read(handle_of(1), 0, DATA)


def writes_that_are_open(capture, n):
    """Unanswered WRITEs to the same file: a READ is compared with all of them."""
    nfs = Nfs(capture)
    for number in range(n // 4):
        nfs.call(WRITE, opaque(handle_of(1)) + struct.pack(">QII", number * 64, 512, FILE_SYNC) + opaque(DATA))
        nfs.call(READ, opaque(handle_of(1)) + struct.pack(">QI", 0, 512))


def blocks_of_one_hash(capture, n):
    """Files and blocks whose numbers differ only in high bits."""
    nfs = Nfs(capture)
    for number in range(n // 4):
        nfs.write(handle_of(1), number << 40, DATA)


def different_errors(capture, n):
    nfs = Nfs(capture)
    for number in range(n // 2):
        nfs.call(GETATTR, opaque(handle_of(number)))
        nfs.answer(struct.pack(">I", 1 + number * 7919 % 70000))


def long_compounds(capture, n):
    """As many operations as fit a Send, each of four octets."""
    nfs = Nfs(capture)
    for _ in range(max(n // 1000, 1)):
        nfs.call(COMPOUND, opaque(b"") + struct.pack(">II", 1, 10000) + struct.pack(">I", PUTROOTFH) * 10000, version=4)


def huge_counts(capture, n):
    """Announced operations, handles, credentials and tags of 4 GiB."""
    nfs, most = Nfs(capture), 0xFFFFFFFF
    lies = [(COMPOUND, struct.pack(">III", 0, 1, most) + struct.pack(">I", PUTROOTFH) * 8, 4), (COMPOUND, struct.pack(">I", most) + bytes(40), 4),
            (COMPOUND, struct.pack(">IIIII", 0, 1, 1, PUTFH, most) + bytes(32), 4), (WRITE, struct.pack(">I", most) + bytes(40), 3),
            (WRITE, opaque(handle_of(1)) + struct.pack(">QIII", 0, most, 2, most), 3)]
    for number in range(n // 2):
        procedure, arguments, version = lies[number % len(lies)]
        nfs.call(procedure, arguments, version)
        nfs.answer(struct.pack(">IIII", 0, 0, most, most))


def huge_chunk_lists(capture, n):
    """Counts of segments that no header can hold."""
    connection = Connection(capture, server_port=NFS_PORT)
    for number in range(n):
        connection.fpdu(0, untagged(SEND, 0, number + 1, call(number + 1, struct.pack(">III", 0, 1, 0xFFFFFFFF))))


def one_stag_again(capture, n):
    """The same STag in a Read chunk of each Call, all of which stay unanswered."""
    connection = Connection(capture, server_port=NFS_PORT)
    for number in range(n):
        chunks = struct.pack(">IIIIQI", 1, 0, 0x1234, 4096, 0, 0) + bytes(8)
        connection.fpdu(0, untagged(SEND, 0, number + 1, call(number + 1, chunks)))


def datagram(capture, source, destination, payload):
    """UDP, although Capture writes TCP."""
    octets = struct.pack(">HHHH", source[1], destination[1], 8 + len(payload), 0) + payload
    capture.packet(octets, source[0], destination[0], protocol=17)


def rpcbind_questions(capture, n):
    """About other programs, versions and transports, from other ports, half of them answered; then an attempt over RDMA."""
    for number in range(n // 2):
        client, server = (CLIENT, 600 + number % 400), (SERVER, RPCBIND_PORT)
        program = (100003, 100005, 100021, 100024)[number % 4]
        question = struct.pack(">10I", number, 0, 2, 100000, 4, 3, 0, 0, 0, 0) + struct.pack(">II", program, 3) + opaque(b"rdma") + opaque(b"") * 2
        datagram(capture, client, server, question)
        datagram(capture, server, client, struct.pack(">6I", number, 1, 0, 0, 0, 0) + opaque(b"" if number % 2 else b"10.0.0.2.78.81"))
    Nfs(capture)


def rpcbind_pairs(capture, n):
    """Each client asks another server, and is refused."""
    for number in range(n // 2):
        client, server = (0x0A100000 + number, 700), (0x0A900000 + number, RPCBIND_PORT)
        question = struct.pack(">10I", number, 0, 2, 100000, 2, 3, 0, 0, 0, 0) + struct.pack(">4I", 100005, 3, 6, 0)
        datagram(capture, client, server, question)
        datagram(capture, server, client, struct.pack(">7I", number, 1, 0, 0, 0, 0, 0))


def segment(capture, source, destination, flags, seq, ack=0, payload=b"", options=b""):
    head = struct.pack(">HHIIBBHHH", source[1], destination[1], seq, ack, (20 + len(options)) // 4 << 4, flags, 65535, 0, 0)
    capture.packet(head + options + payload, source[0], destination[0])


def refused_attempts(capture, n):
    """The same two hosts, repeatedly: "what happened" covers all of them together."""
    for number in range(n // 2):
        client, server = (CLIENT, 1024 + number % 60000), (SERVER, NFS_PORT)
        segment(capture, client, server, SYN, number)
        segment(capture, server, client, RST | ACK, 0, number + 1)


def attempts_without_answer(capture, n):
    for number in range(n):
        segment(capture, (CLIENT, 1024 + number % 60000), (SERVER, NFS_PORT), SYN, number * 7)


def connections_that_end_at_once(capture, n):
    """Between the same two hosts; each is reset after its start-up frames."""
    for number in range(n // 6):
        connection = Connection(capture, port=1024 + number % 60000, server_port=NFS_PORT)
        connection.segment(1, b"", RST | ACK)


connections_that_end_at_once.open = lambda n: min(n // 6, 16384 // 6)  # for this many packets after its end
connections_that_end_at_once.ended = lambda n: n // 6
refused_attempts.open = lambda n: n // 2
attempts_without_answer.open = lambda n: n
rpcbind_pairs.ended = lambda n: n // 2


ALL = [many_files_written, written_and_read_back, one_block_again_and_again, writes_that_are_open, blocks_of_one_hash, different_errors, long_compounds,
       huge_counts, huge_chunk_lists, one_stag_again, rpcbind_questions, rpcbind_pairs, refused_attempts, attempts_without_answer,
       connections_that_end_at_once]
