# SPDX-License-Identifier: GPL-2.0-or-later
"""A third opinion on RPC-over-RDMA: RPC messages independently rebuilt from Sends and chunks (RFC 8166), of iWARP from reading.py and of RoCE
v2. The messages then go over plain TCP into a separate capture, in which Wireshark's dissectors of RPC and NFS show the expected fields."""
import collections
import dataclasses
import struct

from captures import ETHERNET
from reading import regular

MSG, NOMSG, MSGP, DONE, ERROR = range(5)
CALL = 0
WRITE, READ_REQUEST, READ_RESPONSE, SENDS = 0, 1, 2, (3, 4, 5, 6)
TAGGED, UNTAGGED = 14, 18
PORT, SEGMENT = 2049, 60000

Send = collections.namedtuple("Send", "frame side octets")
Odd = collections.namedtuple("Odd", "frame side octets")  # a Send, or part of one, without a buffer in the Send Queue
Write = collections.namedtuple("Write", "frame side stag to octets")
Stray = collections.namedtuple("Stray", "frame side")  # a Read Response to no sink of a Request
Request = collections.namedtuple("Request", "frame side stag to size sink sink_to")
# Octets read, by their place at the source. sure: False after an unexpected Request: then the answered Request is unknown.
Answer = collections.namedtuple("Answer", "frame side stag to octets sure", defaults=[True])


@dataclasses.dataclass
class Header:
    values: list  # (field of ours, value), the XID first
    proc: int
    reads: list  # (position, stag, length, offset)
    writes: list  # [(stag, length, offset), ...]
    reply: list  # or None
    inline: bytes
    right: bool = True  # False: a word that continues or ends a list is neither 1 nor 0

    @property
    def xid(self):
        return self.values[0][1]


@dataclasses.dataclass
class Message:
    frame: int
    side: int
    caller: int  # side
    octets: bytes
    whole: bool  # False: without its Write chunks' contents, or with a Read chunk without an item of its length
    head: Header
    moved: bytes = b""  # contents of a Reply's Write chunks
    by_reads: bool = False  # a Call that RDMA Reads completed
    asked_in: tuple = ()  # for a Reply: the frames with whole Calls of its XID
    rewritten: bool = False  # a Reply: RDMA Writes of its chunks overlap

    @property
    def xid(self):
        return int.from_bytes(self.octets[:4], "big")


def header(send):
    """None if it is not a header of RPC-over-RDMA version 1."""
    try:
        return _header(send)
    except struct.error:
        return None


def _header(send):
    xid, version, credit, proc = struct.unpack_from(">IIII", send)
    if version != 1 or proc > ERROR:
        return None
    values = [("rpcrdma.xid", xid), ("rpcrdma.version", version), ("rpcrdma.credit", credit), ("rpcrdma.proc", proc)]
    at = 16
    if proc == DONE:
        return Header(values, proc, [], [], None, b"")
    if proc == ERROR:
        code, = struct.unpack_from(">I", send, at)
        values.append(("rpcrdma.err", code))
        if code == 1:
            values += zip(("rpcrdma.vers_low", "rpcrdma.vers_high"), struct.unpack_from(">II", send, at + 4))
        return Header(values, proc, [], [], None, b"")
    if proc == MSGP:
        values += zip(("rpcrdma.align", "rpcrdma.thresh"), struct.unpack_from(">II", send, at))
        at += 8
    reads, writes, reply, marks = [], [], None, set()

    def goes_on(at):
        mark, = struct.unpack_from(">I", send, at)
        marks.add(mark)
        return mark

    def segment(at):
        found = struct.unpack_from(">IIQ", send, at)
        values.extend(zip(("rpcrdma.segment.handle", "rpcrdma.segment.length", "rpcrdma.segment.offset"), found))
        return found, at + 16

    def chunk(at):
        found = []
        for _ in range(min(struct.unpack_from(">I", send, at)[0], len(send))):
            one, at = segment(at if found else at + 4)
            found.append(one)
        return found, at if found else at + 4
    while goes_on(at):
        position, = struct.unpack_from(">I", send, at + 4)
        values.append(("rpcrdma.position", position))
        one, at = segment(at + 8)
        reads.append((position, *one))
    at += 4
    while goes_on(at):
        one, at = chunk(at + 4)
        writes.append(one)
    at += 4
    if goes_on(at):
        reply, at = chunk(at + 4)
    else:
        at += 4
    return Header(values, proc, reads, writes, reply, send[at:], marks <= {0, 1})


def of_iwarp(connection):
    """The operations of one connection, in the order of their frames."""
    found = sorted(((way.frame_of(fpdu.end), side, number, fpdu.ulpdu, fpdu.right) for side, way in enumerate(connection.ways)
                    for number, fpdu in enumerate(way.fpdus)), key=lambda one: one[:3])
    sends, requests, asked = ({}, {}), ([], []), [0, 0]  # sends: MSN -> octets; asked: the last MSN of Requests, None after an unexpected one
    done, begun = [0, 0], [b"", b""]  # number of Sends; the first octets of the unfinished Send
    for frame, side, _, ulpdu, whole in found:
        right = whole and regular(ulpdu)
        opcode = ulpdu[1] & 15 if len(ulpdu) >= 2 else -1
        tagged = len(ulpdu) >= TAGGED and ulpdu[0] >> 7
        if tagged and opcode in (WRITE, READ_RESPONSE):
            if not whole:
                continue  # DDP does not place octets with a wrong CRC
            stag, to = struct.unpack_from(">IQ", ulpdu, 2)
            if opcode == WRITE:
                yield Write(frame, side, stag, to, ulpdu[TAGGED:])
                continue
            request = next((one for one in reversed(requests[1 - side]) if answers(one, stag, to, len(ulpdu) - TAGGED)), None)
            yield Answer(frame, side, request.stag, request.to + to - request.sink_to, ulpdu[TAGGED:], asked[1 - side] is not None) \
                if request else Stray(frame, side)
        elif not tagged and len(ulpdu) >= UNTAGGED:
            msn, offset = struct.unpack_from(">II", ulpdu, 10)
            if opcode == READ_REQUEST and len(ulpdu) >= UNTAGGED + 28 and right and offset == 0:
                sink, sink_to, size, stag, to = struct.unpack_from(">IQIIQ", ulpdu, UNTAGGED)
                requests[side].append(Request(frame, side, stag, to, size, sink, sink_to))
                asked[side] = msn if asked[side] is not None and msn == asked[side] + 1 else None
            elif opcode in SENDS:
                part = sends[side].setdefault(msn, bytearray())
                begun[side] = begun[side] or bytes(ulpdu[UNTAGGED:])
                if not right or msn != done[side] + 1 or offset != len(part):
                    yield Odd(frame, side, begun[side])
                else:
                    part += ulpdu[UNTAGGED:]
                    if ulpdu[0] & 0x40:
                        yield Send(frame, side, bytes(part))
                if ulpdu[0] & 0x40:
                    done[side] += 1
                    begun[side] = b""


def answers(request, stag, to, length):
    return request.sink == stag and 0 <= to - request.sink_to and to - request.sink_to + length <= request.size


class Memory:
    """Octets of one side by (STag, offset), as moved."""

    def __init__(self):
        self.regions = {}

    def put(self, stag, to, octets):
        self.regions.setdefault(stag, []).append((to, octets))

    def get(self, segments):
        """None where an octet was never moved."""
        out = bytearray()
        for stag, length, offset in segments:
            part, there = bytearray(length), bytearray(length)
            for start, data in self.regions.get(stag, []):
                low, high = max(start, offset), min(start + len(data), offset + length)
                if low < high:
                    part[low - offset:high - offset] = data[low - start:high - start]
                    there[low - offset:high - offset] = b"\1" * (high - low)
            if not all(there):
                return None
            out += part
        return bytes(out)

    def all(self, stag):
        """All octets in order; where two moved to the same place, the later."""
        places = {}
        for start, data in self.regions[stag]:
            places.update(enumerate(data, start))
        return bytes(places[at] for at in sorted(places))

    def overlap(self, stag):
        ends = sorted((start, start + len(data)) for start, data in self.regions.get(stag, []))
        return any(end > start for (_, end), (start, _) in zip(ends, ends[1:]))

    def forget(self, stag):
        self.regions.pop(stag, None)


def contents(segments, memory, length):
    """The contents of a Read chunk, without waiting for roundup in a separate segment (RFC 5666 section 3.7). length: of the item, None for a
    whole message."""
    *before, (_, last, _) = segments
    if before and sum(segment[1] for segment in before) == length and 0 < last == -length % 4:
        octets = memory.get(before)
        return None if octets is None else octets + bytes(last)
    return memory.get(segments)


def call(head, memory):
    """(the Call, whether it is right), or None while octets are still to be read."""
    parts = {}
    for position, *segment in head.reads:
        parts.setdefault(position, []).append(segment)
    inline = contents(parts.pop(0), memory, None) if head.proc == NOMSG and 0 in parts else head.inline
    if inline is None:
        return None
    out, used, right = bytearray(), 0, len(inline) % 4 == 0
    for position, segments in sorted(parts.items()):
        more = position - len(out)
        if more < 0:
            return None
        out += inline[used:used + more]
        octets = contents(segments, memory, int.from_bytes(out[-4:], "big"))
        if octets is None:
            return None
        # The item's length precedes it, and its chunk may include the roundup.
        right = right and len(out) == position and len(octets) - 3 <= int.from_bytes(out[-4:], "big") <= len(octets)
        out += octets + bytes(-len(octets) % 4)
        used += more
    return bytes(out + inline[used:]), right


def reply(head, asked, memory):
    """(octets, whether complete, contents of its Write chunks); asked: the Call's header."""
    moved = [stag for chunk in [*head.writes, *asked.writes] for stag, length, _ in chunk if stag in memory.regions]
    data = b"".join(map(memory.all, dict.fromkeys(moved)))
    claimed = any(length for chunk in head.writes for _, length, _ in chunk)
    octets = memory.get(head.reply or []) if head.proc == NOMSG else head.inline
    for chunk in [*head.writes, head.reply or []]:
        for stag, _, _ in chunk:
            memory.forget(stag)  # the offering Call is over
    return octets, not moved and not claimed, data


def is_call(head):
    if head.proc == NOMSG:
        return any(position == 0 for position, *_ in head.reads)
    return len(head.inline) >= 8 and struct.unpack_from(">I", head.inline, 4)[0] == CALL


class Conversation:
    """The messages of one connection."""

    def __init__(self, operations):
        self.headers = collections.defaultdict(list)  # by frame
        self.asked = {}  # (side, XID) -> header of the last Call
        self.messages = []
        self.odd = {}  # frame -> [(first word, header)] of what is Odd
        self.stray = None  # the first frame with what is Stray
        self.foreign = set()  # first words of Sends with no header of version 1
        self.unasked = set()  # frames with a Reply to no Call, or to one of these:
        self.doubted = set()  # (side, XID) of Calls that the plugins need not take: with a list that is none, or Reads in doubt
        self._follow(operations)

    def _follow(self, operations):
        written, readable, waiting = (Memory(), Memory()), (Memory(), Memory()), []
        for operation in operations:
            side = operation.side
            if isinstance(operation, Odd):
                self.odd.setdefault(operation.frame, []).append((int.from_bytes(operation.octets[:4], "big"), header(operation.octets)))
            elif isinstance(operation, Stray):
                self.stray = self.stray or operation.frame
            elif isinstance(operation, Write):
                written[1 - side].put(operation.stag, operation.to, operation.octets)
            elif isinstance(operation, Answer):
                readable[side].put(operation.stag, operation.to, operation.octets)
                self._complete(operation, side, readable[side], waiting)
            else:
                head = header(operation.octets)
                self.headers[operation.frame].append(head)
                if head is None:
                    self.foreign.add(int.from_bytes(operation.octets[:4], "big"))
                if head and head.proc not in (DONE, ERROR):
                    self._send(operation, head, written[1 - side], waiting)

    def _complete(self, answer, side, memory, waiting):
        for one in [one for one in waiting if one[0] == side]:
            complete = call(one[1], memory)
            if complete:
                waiting.remove(one)
                if answer.sure:
                    self.messages.append(Message(answer.frame, side, side, *complete, one[1], by_reads=True))
                else:
                    self.doubted.add((side, one[1].xid))
                for _, stag, _, _ in one[1].reads:
                    memory.forget(stag)

    def _send(self, operation, head, memory, waiting):
        side, xid = operation.side, head.xid
        if is_call(head):
            self.asked[side, xid] = head
            self.doubted.discard((side, xid))
            if not head.right:
                self.doubted.add((side, xid))
                return
            complete = call(head, Memory())
            if complete:
                self.messages.append(Message(operation.frame, side, side, *complete, head))
            else:
                waiting.append((side, head))
        elif (1 - side, xid) in self.asked.keys() - self.doubted:  # the dissector of RPC has to know the Call
            rewritten = any(memory.overlap(stag) for chunk in [*head.writes, head.reply or []] for stag, *_ in chunk)
            octets, whole, moved = reply(head, self.asked[1 - side, xid], memory)
            waiting[:] = [one for one in waiting if (one[0], one[1].xid) != (1 - side, xid)]
            if octets is not None:
                before = [one.frame for one in self.messages if one.side == one.caller != side and one.octets[:4] == (octets or b"")[:4]]
                self.messages.append(Message(operation.frame, side, 1 - side, octets, whole, head, moved, False, tuple(before), rewritten))
        else:
            self.unasked.add(operation.frame)


def over_tcp(connections, out):
    """Writes a capture; returns the messages by its frames. connections: [[Message]]"""
    frames = []
    with out.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, ETHERNET))
        for number, found in enumerate(connections):
            next_ = [[1, 1], [1, 1]]  # a TCP connection for each calling side: their XIDs may be equal
            for message in sorted(found, key=lambda one: one.frame):
                octets = struct.pack(">I", 1 << 31 | len(message.octets)) + message.octets
                pieces = [octets[at:at + SEGMENT] for at in range(0, len(octets), SEGMENT)]
                for last, piece in enumerate(pieces, 1 - len(pieces)):
                    file.write(record(number, message, next_[message.caller], piece, len(frames)))
                    next_[message.caller][message.side] += len(piece)
                    frames.append(message if last == 0 else None)
    return frames


def record(number, message, next_, payload, time):
    side = message.side
    addresses = [bytes([10, end]) + number.to_bytes(2, "big") for end in (1, 2)]
    ports = (40000, PORT) if message.caller == 0 else (PORT, 40000)
    tcp = struct.pack(">HHIIBBHHH", ports[side], ports[1 - side], next_[side], next_[1 - side], 0x50, 0x18, 65535, 0, 0)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 40 + len(payload), 0, 0x4000, 64, 6, 0) + addresses[side] + addresses[1 - side]
    frame = bytes(12) + b"\x08\0" + ip + tcp + payload
    return struct.pack("<IIII", time // 1000, time % 1000 * 1000, len(frame), len(frame)) + frame
