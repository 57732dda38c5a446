# SPDX-License-Identifier: GPL-2.0-or-later
"""RPC-over-RDMA, read from a capture of RoCE v2 independently, with help from reference.py only: pcap, Ethernet, IP,
UDP, BTH and later headers, requests in the order of their PSNs, each once. ConnectRequest and Reply pair the queue
pairs."""
import dataclasses
import struct

import reference

PORT = 4791
SEND_FIRST, SEND_LAST, SEND_ONLY = 0x00, (0x02, 0x03, 0x16), (0x04, 0x05, 0x17)
SENDS = (0x00, 0x01, *SEND_LAST, *SEND_ONLY)
WITH_INVALIDATE, WITH_IMMEDIATE = (0x16, 0x17), (0x03, 0x05, 0x09, 0x0B)
WRITES, WRITE_STARTS = range(0x06, 0x0C), (0x06, 0x0A, 0x0B)
READ, RESPONSES, RESPONSES_WITH_AETH, UD = 0x0C, range(0x0D, 0x11), (0x0D, 0x0F, 0x10), 0x64


@dataclasses.dataclass
class Packet:
    source: bytes
    target: bytes
    opcode: int
    qp: int
    psn: int
    body: bytes  # after the BTH, up to pad and ICRC


def packets(path):
    for frame in reference.packets(path):
        kind, at = struct.unpack_from(">H", frame, 12)[0], 14
        while kind == reference.ETHERTYPE_VLAN:
            kind, at = struct.unpack_from(">H", frame, at + 2)[0], at + 4
        if kind == reference.ETHERTYPE_IP and frame[at + 9] == 17:
            source, target, at = frame[at + 12:at + 16], frame[at + 16:at + 20], at + (frame[at] & 15) * 4
        elif kind == reference.ETHERTYPE_IPV6 and frame[at + 6] == 17:
            source, target, at = frame[at + 8:at + 24], frame[at + 24:at + 40], at + 40
        else:
            continue
        port, length = struct.unpack_from(">HH", frame, at + 2)
        if port != PORT or at + length > len(frame):
            continue
        bth = frame[at + 8:at + length]
        pad = bth[1] >> 4 & 3
        yield Packet(source, target, bth[0], int.from_bytes(bth[5:8], "big"), int.from_bytes(bth[9:12], "big"),
                     bth[12:len(bth) - 4 - pad])


@dataclasses.dataclass
class Connection:
    """[0]: the requester of the connection."""
    address: list
    qp: list
    first_psn: list  # for the requests of each side, as chosen by the other
    packets: list = dataclasses.field(default_factory=lambda: [[], []])


def connections(path):
    found, asked = [], {}
    for packet in packets(path):
        if packet.opcode == UD:
            mad = packet.body[8:]
            attribute, body = int.from_bytes(mad[16:18], "big"), mad[24:]
            if mad[1] != 7:
                continue
            if attribute == 0x10:
                asked[packet.source, body[:4]] = Connection(
                    [packet.source, packet.target], [int.from_bytes(body[32:35], "big"), None],
                    [None, int.from_bytes(body[44:47], "big")])
            elif attribute == 0x13 and (packet.target, body[4:8]) in asked:
                connection = asked.pop((packet.target, body[4:8]))
                connection.qp[1], connection.first_psn[0] = (int.from_bytes(body[i:i + 3], "big") for i in (12, 20))
                found.append(connection)
            continue
        for connection in reversed(found):
            for side in (0, 1):
                if (packet.source, packet.target, packet.qp) == (connection.address[side], connection.address[1 - side],
                                                                 connection.qp[1 - side]):
                    connection.packets[side].append(packet)
                    break
            else:
                continue
            break
    return found


def operations(connection, side):
    """The requests of `side`, in the order of PSNs, as reference.Operation; Reads with the PSN as their data."""
    requests, first = {}, connection.first_psn[side]
    for packet in connection.packets[side]:
        if packet.opcode in SENDS or packet.opcode in WRITES or packet.opcode == READ:
            requests.setdefault((packet.psn - first) & 0xFFFFFF, packet)
    send, rkey, address = bytearray(), 0, 0
    for _, packet in sorted(requests.items()):
        body = packet.body
        if packet.opcode == READ:
            yield reference.Operation(READ, struct.pack(">I", packet.psn), *struct.unpack_from(">QII", body)[1::-1]), \
                struct.unpack_from(">I", body, 12)[0]
            continue
        if packet.opcode in WRITE_STARTS:
            address, rkey = struct.unpack_from(">QI", body)
            body = body[16:]
        if packet.opcode in WITH_INVALIDATE or packet.opcode in WITH_IMMEDIATE:
            body = body[4:]
        if packet.opcode in WRITES:
            yield reference.Operation(reference.WRITE, body, rkey, address), len(body)
            address += len(body)
            continue
        send = bytearray(body) if packet.opcode == SEND_FIRST or packet.opcode in SEND_ONLY else send + body
        if packet.opcode in SEND_LAST or packet.opcode in SEND_ONLY:
            yield reference.Operation(reference.SENDS[0], bytes(send)), len(send)


def answers_of(connection, side):
    """Memory of `side`, as the other one read it."""
    memory = reference.Memory()
    responses = {packet.psn: packet.body[4:] if packet.opcode in RESPONSES_WITH_AETH else packet.body
                 for packet in connection.packets[side] if packet.opcode in RESPONSES}
    for operation, length in operations(connection, 1 - side):
        if operation.opcode != READ:
            continue
        psn, at = struct.unpack(">I", operation.data)[0], 0
        while at < max(length, 1) and psn in responses:
            memory.write(operation.stag, operation.offset + at, responses[psn])
            at += max(len(responses[psn]), 1)
            psn = (psn + 1) & 0xFFFFFF
    return memory


def messages(path):
    """Like reference.messages()."""
    found = []
    for connection in connections(path):
        sent = [[operation for operation, _ in operations(connection, side)] for side in (0, 1)]
        for side in (0, 1):
            found += reference.calls(sent[side], answers_of(connection, side))
        for side in (1, 0):
            found += reference.replies(sent[side])
    return found
