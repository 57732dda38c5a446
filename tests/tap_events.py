# SPDX-License-Identifier: GPL-2.0-or-later
"""The records (tap/event.h) that iwarp-tap would have reported on the server or the client of a capture of RoCE v2."""
import collections
import itertools
import struct

import captures

(CONNECT, ASKED, ACCEPT, ACCEPTED, REJECTED, LEAVE, LEFT, GONE, HEAD, BODY, SENT, RECEIVED, WRITE, READ, READ_OCTETS,
 EXPOSED, WRITTEN) = range(1, 18)
BLOCK = 4096
RECORD = "<QQQQIIIIIiBBBBBB2xI4x28s28s"
QP_CM = 1
REQUEST, REJECT, REPLY, READY, DISCONNECT = 0x10, 0x12, 0x13, 0x14, 0x15
PRIVATE = {REQUEST: (140 + 36, 92 - 36), REPLY: (36, 196), REJECT: (84, 148)}
SEND_OPS = {0: "first", 1: "middle", 2: "last", 4: "only", 0x16: "last", 0x17: "only"}
WRITE_OPS = {6: "first", 7: "middle", 8: "last", 0x0A: "only"}
ANSWER_OPS = {0x0D: 4, 0x0E: 0, 0x0F: 4, 0x10: 4}
ACK, READ_REQUEST = 0x11, 0x0C
MTU_CODES = {1: 256, 2: 512, 3: 1024, 4: 2048, 5: 4096}

Packet = collections.namedtuple("Packet", "ns source destination opcode qp psn rest")
Operation = collections.namedtuple("Operation", "ns what upward octets handle address length psn invalidates")


def packets(path):
    """Packets of RoCE v2 over IP, without tunnels."""
    with open(path, "rb") as file:
        data = file.read()
    frames = captures.pcapng(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else captures.pcap(data)
    for ns, length, octets in frames or []:
        if len(octets) != length:
            continue
        at = 12
        while struct.unpack_from(">H", octets, at)[0] in captures.VLANS:
            at += 4
        kind = struct.unpack_from(">H", octets, at)[0]
        at += 2
        if kind == captures.IPV4:
            protocol, source, destination = octets[at + 9], octets[at + 12:at + 16], octets[at + 16:at + 20]
            at += (octets[at] & 15) * 4
        elif kind == captures.IPV6:
            protocol, source, destination = octets[at + 6], octets[at + 8:at + 24], octets[at + 24:at + 40]
            at += 40
        else:
            continue
        if protocol != captures.UDP or struct.unpack_from(">H", octets, at + 2)[0] != captures.ROCE_PORT:
            continue
        end = at + struct.unpack_from(">H", octets, at + 4)[0]
        opcode, flags, _, qp, psn = struct.unpack_from(">BBHII", octets, at + 8)
        rest = octets[at + 20:end - 4 - (flags >> 4 & 3)]
        yield Packet(ns, source, destination, opcode, qp & 0xFFFFFF, psn & 0xFFFFFF, rest)


class Connection:
    """The connection of a captured ConnectRequest. Upward is from the client to the server."""
    def __init__(self, number, packet, mad):
        self.number, self.client, self.server, self.cm = number, packet.source, packet.destination, [(packet.ns, REQUEST, mad)]
        self.qp = [int.from_bytes(mad[24 + 32:24 + 35], "big"), None]
        self.ids = {packet.source: mad[24:28]}  # of connection management
        self.mtu = MTU_CODES.get(mad[24 + 50] >> 4, 1024)
        self.port = [int.from_bytes(mad[24 + 142:24 + 144], "big"), int.from_bytes(mad[24 + 14:24 + 16], "big")]
        self.next = [int.from_bytes(mad[24 + 44:24 + 47], "big"), None]  # PSN that the server, the client will use next
        self.open = [None, None]
        self.reads, self.operations, self.end = [], [], None

    def request(self, packet, upward):
        side = 1 if upward else 0
        expected = self.next[side]
        if expected is not None and (packet.psn - expected) & 0xFFFFFF >= 1 << 23:
            return  # a copy
        if expected is not None and packet.psn != expected:
            return  # beyond a packet that was lost: it will be sent again
        self.next[side] = (packet.psn + 1) & 0xFFFFFF
        opcode, rest = packet.opcode, packet.rest
        if opcode == READ_REQUEST:
            address, handle, length = struct.unpack_from(">QII", rest)
            self.next[side] = (packet.psn + max(1, -(-length // self.mtu))) & 0xFFFFFF
            self.reads.append([packet.psn, upward, length, b"", handle, address])
            self.operations.append(Operation(packet.ns, "read", upward, b"", handle, address, length, packet.psn, False))
            return
        place = SEND_OPS.get(opcode) or WRITE_OPS.get(opcode)
        if not place:
            return
        writes, skip, handle, address = opcode in WRITE_OPS, 0, 0, 0
        if writes and place in ("first", "only"):
            address, handle, _ = struct.unpack_from(">QII", rest)
            skip = 16
        if opcode in (0x16, 0x17):
            handle = struct.unpack_from(">I", rest)[0]
            skip = 4
        if place in ("first", "only"):
            self.open[side] = [b"", handle, address]
        if not self.open[side]:
            return
        self.open[side][0] += rest[skip:]
        if place in ("last", "only"):
            octets, first_handle, address = self.open[side]
            self.operations.append(Operation(packet.ns, "write" if writes else "send", upward, octets,
                                             first_handle if writes else handle, address, len(octets), packet.psn,
                                             opcode in (0x16, 0x17)))
            self.open[side] = None

    def answer(self, packet, upward):
        if packet.opcode == ACK:
            if packet.rest[0] >> 5 == 0:
                self.operations.append(Operation(packet.ns, "ack", upward, b"", 0, 0, 0, packet.psn, False))
            return
        for read in self.reads:
            psn, asked_upward, length, octets, handle, address = read
            if asked_upward == upward or len(octets) >= length:
                continue
            if packet.psn == (psn + len(octets) // self.mtu) & 0xFFFFFF:
                read[3] += packet.rest[ANSWER_OPS[packet.opcode]:]
                if len(read[3]) >= length:
                    self.operations.append(Operation(packet.ns, "answer", upward, read[3][:length], handle, address, length,
                                                     psn, False))
                return


def connections(path):
    found = []
    for packet in packets(path):
        if packet.qp == QP_CM and packet.opcode == 0x64:
            mad = packet.rest[8:]
            attribute = int.from_bytes(mad[16:18], "big")
            if attribute == REQUEST:
                if not any(c.client == packet.source and c.qp[0] == int.from_bytes(mad[56:59], "big") for c in found):
                    found.append(Connection(len(found) + 1, packet, mad))
                continue
            for c in reversed(found):
                if {c.client, c.server} != {packet.source, packet.destination} or c.ids.get(packet.destination) != mad[28:32]:
                    continue
                if any(attribute == a for _, a, _ in c.cm):
                    break
                c.cm.append((packet.ns, attribute, mad))
                if attribute == REPLY:
                    c.ids[packet.source] = mad[24:28]
                    c.qp[1] = int.from_bytes(mad[36:39], "big")
                    c.next[1] = int.from_bytes(mad[44:47], "big")
                if attribute == DISCONNECT and not c.end:
                    c.end = (packet.ns, packet.source == c.client)
                break
            continue
        for c in found:
            if packet.qp not in c.qp or {c.client, c.server} != {packet.source, packet.destination}:
                continue
            upward = packet.qp == c.qp[1] and packet.destination == c.server
            (c.answer if packet.opcode == ACK or packet.opcode in ANSWER_OPS else c.request)(packet, upward)
            break
    return found


def address(octets, port):
    if len(octets) == 4:
        return struct.pack("<H", 2) + struct.pack(">H", port) + octets
    return struct.pack("<H", 10) + struct.pack(">HI", port, 0) + octets + bytes(4)


class Records:
    def __init__(self, connection, server):
        self.c, self.server, self.out = connection, server, []
        ends = [address(connection.client, connection.port[0]), address(connection.server, connection.port[1])]
        self.ends = ends[::-1] if server else ends

    def put(self, ns, kind, octets=b"", of=0, total=None, length=None, handle=0, where=0, status=0, invalidates=False,
            depths=(0, 0), first=True):
        total = len(octets) if total is None else total
        at = 0
        while True:
            block = octets[at:at + BLOCK]
            record = struct.pack(RECORD, ns, self.c.number, of, where, kind, len(block),
                                 len(block) if length is None else length, total, handle, status, self.server, first and at == 0,
                                 invalidates, 0, *depths, 0, *self.ends)
            self.out.append((ns, len(self.out), record + block))
            at += BLOCK
            if at >= len(octets):
                return

    def set_up(self):
        kinds = {REQUEST: ASKED if self.server else CONNECT, REPLY: ACCEPT if self.server else ACCEPTED,
                 READY: ACCEPTED if self.server else None, REJECT: None if self.server else REJECTED}
        for ns, attribute, mad in self.c.cm:
            kind = kinds.get(attribute)
            if not kind:
                continue
            at, size = PRIVATE.get(attribute, (0, 0))
            depths = {REQUEST: (mad[24 + 35], mad[24 + 39]), REPLY: (mad[24 + 24], mad[24 + 25])}.get(attribute, (0, 0))
            self.put(ns, kind, mad[24 + at:24 + at + size] if size else b"", depths=depths)
        if self.c.end:
            ns, by_client = self.c.end
            self.put(ns, LEAVE if by_client != self.server else LEFT)
            self.put(max([ns] + [o.ns for o in self.c.operations]) + 1, GONE)

    # A kernel uses the memory of an item again at once, so `of` repeats.

    def of_server(self):
        posted = {}
        for o in self.c.operations:
            if o.what == "send" and o.upward:
                self.put(o.ns, RECEIVED, o.octets, of=1, handle=o.handle, invalidates=o.invalidates)
            elif o.what == "send":
                split = len(o.octets) // 2  # the rest is mapped before the head is there
                free = next(of for of in itertools.count(1) if of not in posted)
                if len(o.octets) > split:
                    self.put(o.ns, BODY, o.octets[split:], of=free)
                self.put(o.ns, HEAD, o.octets[:split], of=free, total=len(o.octets), handle=o.handle, invalidates=o.invalidates)
                posted[free] = o.psn
            elif o.what == "ack" and o.upward:
                for of in [of for of, psn in posted.items() if (o.psn - psn) & 0xFFFFFF < 1 << 23]:
                    self.put(o.ns, SENT, of=of)
                    del posted[of]
            elif o.what == "write" and not o.upward:
                self.put(o.ns, WRITE, o.octets, of=1, handle=o.handle, where=o.address)
            elif o.what == "read" and not o.upward:
                self.put(o.ns, READ, of=(1 << 32) + o.psn, handle=o.handle, where=o.address, total=o.length)
            elif o.what == "answer" and o.upward:
                self.put(o.ns, READ_OCTETS, o.octets, of=(1 << 32) + o.psn)
                self.put(o.ns, READ_OCTETS, of=(1 << 32) + o.psn, length=0, first=False)

    def of_client(self):
        memory = {}  # handle: [(address, octets)]
        for number, o in enumerate(self.c.operations):
            if o.what == "send" and o.upward:
                exposed = known(self.read_later(number, s) for s in read_list(o.octets))
                if exposed:
                    self.put(o.ns, EXPOSED, exposed, of=1)
                self.put(o.ns, HEAD, o.octets[:28], of=1, total=len(o.octets), handle=o.handle, invalidates=o.invalidates)
                if len(o.octets) > 28:
                    self.put(o.ns, BODY, o.octets[28:], of=1)
            elif o.what == "write" and not o.upward:
                memory.setdefault(o.handle, []).append((o.address, o.octets))
            elif o.what == "send":
                self.put(o.ns, RECEIVED, o.octets, of=1, handle=o.handle, invalidates=o.invalidates)
                segments = written_list(o.octets)
                if segments:
                    xid = struct.unpack_from("<I", o.octets)[0]
                    self.put(o.ns, WRITTEN, known(in_memory(memory, s) for s in segments), of=xid)
                    self.put(o.ns, WRITTEN, of=xid, length=0, first=False)

    def read_later(self, number, segment):
        handle, length, offset = segment
        octets = [None] * length
        for o in self.c.operations[number:]:
            if o.what == "answer" and o.upward and o.handle == handle and offset <= o.address < offset + length:
                at = o.address - offset
                octets[at:at + len(o.octets)] = o.octets[:length - at]
        return octets


def in_memory(memory, segment):
    handle, length, offset = segment
    octets = [None] * length
    for where, written in memory.get(handle, []):
        at = where - offset
        if 0 <= at < length:
            octets[at:at + len(written)] = written[:length - at]
    return octets


def known(segments):
    """The octets before the first that the capture does not show: a client's memory has others there."""
    found = bytearray()
    for segment in segments:
        for octet in segment:
            if octet is None:
                return bytes(found)
            found.append(octet)
    return bytes(found)


def words_of(octets):
    return struct.unpack(f">{len(octets) // 4}I", octets[:len(octets) // 4 * 4])


def read_list(octets):
    words, at, found = words_of(octets), 4, []
    while len(words) > at + 5 and words[3] < 2 and words[at] == 1:
        found.append((words[at + 2], words[at + 3], words[at + 4] << 32 | words[at + 5]))
        at += 6
    return found


def written_list(octets):
    words, at, found = words_of(octets), 5, []
    if len(words) < 7 or words[3] > 1 or words[4]:
        return []
    for _ in ("Write list", "Reply chunk"):
        while at < len(words) and words[at] == 1:
            count = words[at + 1] if at + 1 < len(words) else 0
            at += 2
            for _ in range(count):
                if at + 4 <= len(words):
                    found.append((words[at], words[at + 1], words[at + 2] << 32 | words[at + 3]))
                at += 4
            if _ == "Reply chunk":
                break
        at += 1
    return [segment for segment in found if segment[1]]


def records(path, server):
    """Each with its length before it, as tests/tap/tap_replay.c reads them."""
    found = []
    for connection in connections(path):
        of = Records(connection, server)
        of.set_up()
        (of.of_server if server else of.of_client)()
        found += [(ns, connection.number, order, record) for ns, order, record in of.out]
    found.sort(key=lambda each: each[:2] + (each[2],))
    return b"".join(struct.pack("<I", len(record)) + record for *_, record in found)
