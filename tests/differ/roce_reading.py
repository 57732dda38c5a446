# SPDX-License-Identifier: GPL-2.0-or-later
"""The operations of RoCE v2's reliable connections, for messages.py, read independently from the octets: requests in the order of their PSNs,
each once. A connection without connection management, or with cut packets, has none."""
import dataclasses

from captures import IPV4, ROCE_PORT, UDP, icrc, ip_header
from messages import Answer, Send, Write

UD, MANAGEMENT, CONNECT_REQUEST, CONNECT_REPLY = 0x64, 7, 0x10, 0x13
SEND_STARTS, SEND_ENDS, SENDS = (0x00, 0x04, 0x05, 0x17), (0x02, 0x03, 0x04, 0x05, 0x16, 0x17), (0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x16, 0x17)
WRITES, WRITE_STARTS, READ, ATOMICS = range(0x06, 0x0C), (0x06, 0x0A, 0x0B), 0x0C, (0x13, 0x14)
FOUR_MORE = (0x03, 0x05, 0x09, 0x0B, 0x16, 0x17)  # immediate data, or an R_Key to invalidate
RESPONSES, WITH_AETH, LONELY = range(0x0D, 0x11), (0x0D, 0x0F, 0x10), (0x11, 0x12)
WITH_SYNDROME = (*WITH_AETH, *LONELY)
NOT_YET = 0x20  # bit of a syndrome, for an RNR NAK and a NAK: the request of this PSN is still expected
MODULUS, HALF = 1 << 24, 1 << 23


@dataclasses.dataclass
class Packet:
    frame: int
    opcode: int
    psn: int
    body: bytes  # after the BTH, up to pad and ICRC


@dataclasses.dataclass
class Side:
    expected: int  # PSN of its next request
    early: dict = dataclasses.field(default_factory=dict)
    send: bytearray = None
    write: list = None  # (STag, offset)
    reads: list = dataclasses.field(default_factory=list)  # (PSN, packets, STag, offset)
    answered: set = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class Connection:
    mtu: int
    sides: list
    operations: list = dataclasses.field(default_factory=list)
    sure: bool = True


def distance(before, psn):
    return (psn - before + HALF) % MODULUS - HALF


class Roce:
    def __init__(self, frames):
        self.connections, self.repeated, self.wrong_icrc, self.cut = [], {}, set(), set()  # repeated: frame -> payload
        self.held, self.released = set(), set()  # frames of requests that came before another; frames that released such requests
        self.of = {}  # frame -> connection
        self.unknown = {}  # frame of another connection -> (sender, receiver, queue pair)
        self._asked, self._known, self._seen = {}, {}, set()
        for number, (length, octets) in enumerate(frames, 1):
            self._take(number, octets, length)
        for found in (self.held, self.released):  # cut packets only seem to be missing
            found.intersection_update([frame for frame in found if self.of[frame].sure])

    def _take(self, number, frame, wire):
        kind, ip = ip_header(frame)
        if ip is None or frame[ip + (9 if kind == IPV4 else 6)] != UDP:
            return
        udp = ip + (frame[ip] & 15) * 4 if kind == IPV4 else ip + 40
        source, target = (frame[ip + 12:ip + 16], frame[ip + 16:ip + 20]) if kind == IPV4 else (frame[ip + 8:ip + 24], frame[ip + 24:ip + 40])
        if len(frame) < udp + 20 or int.from_bytes(frame[udp + 2:udp + 4], "big") != ROCE_PORT:
            return
        bth = frame[udp + 8:udp + int.from_bytes(frame[udp + 4:udp + 6], "big")]
        key = source, target, bth[5:8]
        if key not in self._known:
            self.unknown[number] = key
            if bth[0] not in LONELY and (key, bth[0], bth[9:12]) in self._seen:
                self.repeated[number] = b""
            self._seen.add((key, bth[0], bth[9:12]))
        right = icrc(frame, kind, ip)
        if len(frame) < wire or right is None:
            self.cut.add(number)
            if key in self._known:
                self._known[key][0].sure = False
            return
        if frame[right[1]:right[1] + 4] != right[0]:
            self.wrong_icrc.add(number)
            return
        packet = Packet(number, bth[0], int.from_bytes(bth[9:12], "big"), bth[12:len(bth) - 4 - (bth[1] >> 4 & 3)])
        if packet.opcode == UD:
            self._manage(source, target, packet.body[8:])
        elif key in self._known:
            connection, side = self._known[key]
            self.of[number] = connection
            self._packet(connection, side, packet)

    def _manage(self, source, target, mad):
        if len(mad) < 256 or mad[1] != MANAGEMENT:
            return
        attribute, body = int.from_bytes(mad[16:18], "big"), mad[24:]
        if attribute == CONNECT_REQUEST:
            self._asked[source, target, body[:4]] = body[32:35], int.from_bytes(body[44:47], "big"), 128 << (body[50] >> 4)
        elif attribute == CONNECT_REPLY and (target, source, body[4:8]) in self._asked:
            qp, psn, mtu = self._asked.pop((target, source, body[4:8]))
            # Each side chooses the first PSN for requests to it.
            connection = Connection(mtu, [Side(int.from_bytes(body[20:23], "big")), Side(psn)])
            self.connections.append(connection)
            self._known[target, source, body[12:15]] = connection, 0
            self._known[source, target, qp] = connection, 1

    def _packet(self, connection, side, packet):
        one = connection.sides[side]
        if packet.opcode in RESPONSES:
            self._acknowledged(connection, 1 - side, packet)
            self._response(connection, side, packet)
        elif packet.opcode in LONELY:
            self._acknowledged(connection, 1 - side, packet)
        elif distance(one.expected, packet.psn) < 0 or packet.psn in one.early:
            self.repeated[packet.frame] = packet.body
        else:
            one.early[packet.psn] = packet
            if packet.psn != one.expected:
                self.held.add(packet.frame)
            self._take_early(connection, side, packet.frame)

    def _take_early(self, connection, side, frame):
        one = connection.sides[side]
        while one.expected in one.early:
            packet = one.early.pop(one.expected)
            if packet.frame != frame:
                self.released.add(frame)
            self._request(connection, side, packet, frame)

    def _acknowledged(self, connection, side, packet):
        """The capture may lack packets that the responder has: only these can be missing before an acknowledged PSN."""
        one, refused = connection.sides[side], packet.opcode in WITH_SYNDROME and packet.body[0] & NOT_YET
        end = packet.psn if refused else (packet.psn + 1) % MODULUS
        while distance(one.expected, end) > 0:
            one.expected = min([*one.early, end], key=lambda psn, after=one.expected: distance(after, psn))
            one.send = one.write = None
            self._take_early(connection, side, packet.frame)

    def _request(self, connection, side, packet, frame):
        one, body, opcode = connection.sides[side], packet.body, packet.opcode
        used = 1
        if opcode in SENDS:
            one.send = bytearray() if opcode in SEND_STARTS else one.send
            if one.send is not None:
                one.send += body[4 if opcode in FOUR_MORE else 0:]
            if opcode in SEND_ENDS and one.send is not None:
                connection.operations.append(Send(frame, side, bytes(one.send)))
        elif opcode in WRITES:
            if opcode in WRITE_STARTS:
                one.write = [int.from_bytes(body[8:12], "big"), int.from_bytes(body[:8], "big")]
                body = body[16:]
            data = body[4 if opcode in FOUR_MORE else 0:]
            if one.write:
                connection.operations.append(Write(frame, side, *one.write, data))
                one.write[1] += len(data)
        elif opcode == READ:
            size = int.from_bytes(body[12:16], "big")
            used = max(1, -(-size // connection.mtu))
            one.reads.append((packet.psn, used, int.from_bytes(body[8:12], "big"), int.from_bytes(body[:8], "big")))
        one.expected = (packet.psn + used) % MODULUS

    def _response(self, connection, side, packet):
        for psn, count, stag, to in reversed(connection.sides[1 - side].reads):
            offset = (packet.psn - psn) % MODULUS
            if offset < count:
                if packet.psn in connection.sides[side].answered:
                    self.repeated[packet.frame] = b""
                else:
                    connection.sides[side].answered.add(packet.psn)
                    data = packet.body[4 if packet.opcode in WITH_AETH else 0:]
                    connection.operations.append(Answer(packet.frame, side, stag, to + offset * connection.mtu, data))
                return
