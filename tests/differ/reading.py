# SPDX-License-Identifier: GPL-2.0-or-later
"""A third opinion: the octets of each TCP connection by RFC 5044, 5041, 5040, 6581 and 7306, read
independently and directly from the capture. This reader knows whole streams, unlike the dissectors;
where it is not sure (the start was not captured, octets are missing, framing is lost) it has no
opinion."""
import bisect
import collections
import dataclasses
import struct

from captures import IPV4, ip_header
from crc32c import crc32c

TCP, SYN, ACK = 6, 0x02, 0x10
REQUEST, REPLY = KEYS = (b"MPA ID Req Frame", b"MPA ID Rep Frame")
M, C, R, S = 0x80, 0x40, 0x20, 0x10
PRIVATE_MAX = 512
ENHANCED = ("mpa.enhanced.a", "mpa.enhanced.b", "mpa.enhanced.c", "mpa.enhanced.d", "mpa.ird", "mpa.ord", "mpa.private_data")
PERIOD, MARKER, CRC = 512, 4, 4
SMALLEST = 8  # octets of an FPDU without ULPDU, its PAD included
TAGGED, UNTAGGED = 14, 18
READ_REQUEST, READ_RESPONSE, TERMINATE, ATOMIC_REQUEST, ATOMIC_RESPONSE = 1, 2, 7, 10, 11
SENDS, INVALIDATES = (3, 4, 5, 6), (4, 6)
INVALIDATE_STAG = (*INVALIDATES, 8, 9, 10, 11) # opcodes with a word of this name: RFC 7306 keeps it in its messages, unused
# opcode -> queue in RFC 5040 and 7306; Write and Read Response have none.
QUEUES = {0: None, READ_RESPONSE: None, READ_REQUEST: 1, TERMINATE: 2, ATOMIC_REQUEST: 1, ATOMIC_RESPONSE: 3, 8: 0, 9: 0} | dict.fromkeys(SENDS, 0)

# After the untagged DDP header: opcode -> (octets, field).
BODIES = {
    READ_REQUEST: ((4, "read.sink_stag"), (8, "read.sink_to"), (4, "read.size"), (4, "read.source_stag"), (8, "read.source_to")),
    ATOMIC_REQUEST: ((4, "atomic.opcode"), (4, "atomic.identifier"), (4, "atomic.stag"), (8, "atomic.to"), (8, "atomic.data"),
                     (8, "atomic.mask"), (8, "atomic.compare"), (8, "atomic.compare_mask")),
    ATOMIC_RESPONSE: ((4, "atomic.identifier"), (8, "atomic.original")),
}


@dataclasses.dataclass
class Way:
    """One direction of a connection. `ends`: (number of octets without a hole, after which frame)."""
    octets: bytearray = dataclasses.field(default_factory=bytearray)
    ends: list = dataclasses.field(default_factory=list)
    reached: dict = dataclasses.field(default_factory=dict)  # frame -> octets
    first: int = None  # sequence number of its first octet
    early: dict = dataclasses.field(default_factory=dict)
    cut: bool = False  # by the snap length
    markers: bool = None
    overlap: int = None  # the first frame with both old and new octets
    startup: dict = None
    too_long: bool = False  # its start-up frame: PD_Length reaches into FPDUs, so their beginning is unknown
    inside: bool = False  # the start-up frame follows streaming data in its segment
    fpdus: list = dataclasses.field(default_factory=list)
    short: int = None  # the first frame of less than SMALLEST octets at the beginning of an FPDU
    sure: int = 0  # number of octets that are certainly streaming data, start-up frame or FPDUs

    def offset(self, sequence):
        """Offset in its octets; negative before the first."""
        return (sequence - (self.first or 0) + (1 << 31)) % (1 << 32) - (1 << 31)

    def add(self, frame, sequence, payload, length):
        offset = self.offset(sequence)
        if offset < len(self.octets) < offset + length and self.overlap is None:
            self.overlap = frame
        if length > len(payload):
            self.cut = True
        if payload:
            self.early.setdefault(offset, payload)
        for start in sorted(self.early):
            if start > len(self.octets):
                return
            piece = self.early.pop(start)[len(self.octets) - start:]
            if piece and not self.cut:
                self.octets += piece
                self.ends.append((len(self.octets), frame))
                self.reached[frame] = len(self.octets)

    @property
    def lost(self):
        """The first frame with octets that certainly are not an FPDU."""
        return self.frame_of(self.sure + 1) if self.sure < len(self.octets) else None

    def frame_of(self, octets):
        """The frame that completed this many."""
        return self.ends[bisect.bisect(self.ends, (octets, 0))][1]


@dataclasses.dataclass
class Connection:
    ways: list
    ports: tuple
    frames: list = dataclasses.field(default_factory=list)  # numbers of those with payload
    known: bool = False  # both start-up frames are known, and FPDUs follow
    reused: bool = False  # an earlier connection had its ports


@dataclasses.dataclass
class Fpdu:
    start: int
    end: int  # in the octets of its Way
    values: list  # (field of ours, value)
    ulpdu: bytes
    right: bool  # its CRC
    sure: bool  # False: no CRC confirms it, no operation has its header, or a Marker is wrong: it may be something else


class Readings:
    """For a capture: the connection of each frame with payload, and the field values of everything that ends in it."""

    def __init__(self, frames):
        self.of = {}  # frame -> (Connection, index of the way, sequence number, payload, its length before the snap length)
        self.values = collections.defaultdict(lambda: collections.defaultdict(list))
        self.fpdus_of = collections.defaultdict(list)  # frame -> FPDUs that end there
        self.connections = []
        self._doubtful = set()  # frames of doubtful FPDUs
        self._open = {}
        for number, (length, octets) in enumerate(frames, 1):
            self._take(number, octets, length)
        for connection in self.connections:
            self._dissect(connection)

    def _take(self, number, frame, wire):
        segment = tcp_segment(frame, wire)
        if segment is None:
            return
        source, target, sequence, flags, payload, length, acknowledged = segment
        key = frozenset((source, target)) if source != target else source
        now = self._open.get(key)
        if flags & SYN and (not flags & ACK or now is None):
            again = now and now[1][source].first == (sequence + 1) % (1 << 32)
            if not again:
                now = self._new(key, source, target, now is not None)
        elif now is None:
            now = self._new(key, source, target, False)
        connection, ways = now
        way, peer = ways[source], ways[target]
        if flags & SYN:
            way.first = (sequence + 1) % (1 << 32)
            if flags & ACK and peer.first is None:
                peer.first = acknowledged
            return
        if peer.first is None and flags & ACK and way.first == sequence and not way.octets:
            peer.first = acknowledged  # the third segment, after a missing SYN
        if length:
            connection.frames.append(number)
            self.of[number] = connection, [one is way for one in connection.ways].index(True), sequence, payload, length
            if way.first is not None:
                way.add(number, sequence, payload, length)

    def _new(self, key, source, target, reused):
        ways = {source: Way(), target: Way()}
        connection = Connection(list(ways.values()), (source[1], target[1]), reused=reused)
        self.connections.append(connection)
        self._open[key] = connection, ways
        return self._open[key]

    def opinion(self, frame, field):
        """The values of a field in that frame; None without an opinion."""
        if frame not in self.of:
            return None
        connection, way, sequence, _, length = self.of[frame]
        way = connection.ways[way]
        if way.startup is None:
            return None
        end = max(way.offset(sequence) + length, way.reached.get(frame, 0))
        values = self.values[frame][field] if frame in self.values else []
        if frame in self._doubtful or end > way.sure or not connection.known and end > way.startup["end"]:
            return None
        return None if None in values else values

    def _dissect(self, connection):
        for way in connection.ways:
            startup(way)
        starts = [way.startup for way in connection.ways]
        begins = {(side, way.offset(sequence)) for side, sequence, way in self._segments(connection)}
        for side, way in enumerate(connection.ways):
            way.inside = bool(way.startup) and (side, way.startup["start"]) not in begins
        for way, peer in zip(connection.ways, reversed(connection.ways)):
            if way.startup:
                frame = way.frame_of(way.startup["end"])
                if way.inside and peer.startup:  # before the other, it may be streaming data
                    frame = max(frame, peer.frame_of(peer.startup["end"]))
                for name, value in way.startup["values"]:
                    self.values[frame][name].append(value)
        connection.known = all(starts) and {start["key"] for start in starts} == set(KEYS) and \
            not any(start["flags"] & R for start in starts if start["key"] == REPLY)
        if not connection.known:
            return
        for way, peer in zip(connection.ways, reversed(connection.ways)):
            rdmac = way.startup["revision"] == peer.startup["revision"] == 0  # RFC 5044 appendix C: always with both
            crc = rdmac or (way.startup["flags"] | peer.startup["flags"]) & C
            way.markers = bool(rdmac or peer.startup["flags"] & M)
            fpdus(way, way.markers, bool(crc))
            self._find_short(connection, way)
            turn = peer.frame_of(peer.startup["end"])
            if way.lost is not None and way.lost <= turn:
                self._doubtful.add(turn)  # earlier octets may be shown there, and are doubtful
            unsure = 0  # it is shown where it ends, or with the next two, which confirm it
            for fpdu in way.fpdus:
                frame = max(way.frame_of(fpdu.end), peer.frame_of(peer.startup["end"]))  # not before its framing is known
                self.fpdus_of[frame].append(fpdu)
                if unsure or not fpdu.sure:
                    self._doubtful.update(range(way.frame_of(fpdu.start + 1), frame + 1))
                unsure = 2 if not fpdu.sure else max(0, unsure - 1)
                for name, value in fpdu.values:
                    self.values[frame][name].append(value)

    def _segments(self, connection):
        for frame in connection.frames:
            _, side, sequence, *_ = self.of[frame]
            yield side, sequence, connection.ways[side]

    def _find_short(self, connection, way):
        starts = {fpdu.start for fpdu in way.fpdus}
        for frame in connection.frames:
            _, side, sequence, _, length = self.of[frame]
            if connection.ways[side] is way and length < SMALLEST and way.offset(sequence) in starts:
                way.short = frame
                return


def tcp_segment(frame, wire):
    """(sender, receiver, sequence number, flags, payload, its length on the wire, ACK number), or None."""
    kind, ip = ip_header(frame)
    if ip is None or frame[ip + (9 if kind == IPV4 else 6)] != TCP:
        return None
    if kind == IPV4:
        at, end = ip + (frame[ip] & 15) * 4, ip + (int.from_bytes(frame[ip + 2:ip + 4], "big") or wire - ip)
        addresses = frame[ip + 12:ip + 16], frame[ip + 16:ip + 20]
    else:
        at, end = ip + 40, ip + 40 + int.from_bytes(frame[ip + 4:ip + 6], "big")
        addresses = frame[ip + 8:ip + 24], frame[ip + 24:ip + 40]
    if at + 20 > len(frame):
        return None
    source, target, sequence, acknowledged = struct.unpack_from(">HHII", frame, at)
    data = at + (frame[at + 12] >> 4) * 4
    return ((addresses[0], source), (addresses[1], target), sequence, frame[at + 13], frame[data:end], max(0, end - data),
            acknowledged)


def startup(way):
    """The first start-up frame of a way, after any streaming data."""
    found = [at for at in map(way.octets.find, KEYS) if at >= 0]
    if not found or len(way.octets) < min(found) + 20:
        return
    start = min(found)
    flags, revision, length = struct.unpack_from(">BBH", way.octets, start + 16)
    end = start + 20 + length
    if length > PRIVATE_MAX or end > len(way.octets):
        return
    segment_end = next(octets for octets, _ in way.ends if octets >= start + 20)
    way.too_long = segment_end < end and begins_fpdu(way.octets[segment_end:])
    if way.too_long:
        return
    private = bytes(way.octets[start + 20:end])
    values = [("mpa.rev", revision), ("mpa.pd_length", length), ("mpa.flags.m", flags >> 7 & 1), ("mpa.flags.c", flags >> 6 & 1),
              ("mpa.flags.r", flags >> 5 & 1), ("mpa.flags.s", flags >> 4 & 1)]
    enhanced = revision == 2 and flags & S and length >= 4
    values.append(("mpa.flags.res", flags & 15))
    if enhanced:
        ird, ord_ = struct.unpack_from(">HH", private)
        values += [("mpa.enhanced.a", ird >> 15), ("mpa.enhanced.b", ird >> 14 & 1), ("mpa.ird", ird & 0x3FFF),
                   ("mpa.enhanced.c", ord_ >> 15), ("mpa.enhanced.d", ord_ >> 14 & 1), ("mpa.ord", ord_ & 0x3FFF)]
    own = private[4:] if enhanced else private
    if flags & S and revision > 2:
        values += dict.fromkeys(ENHANCED, None).items()  # the contents of a later revision are unknown
    elif own:
        values.append(("mpa.private_data", own.hex()))
    way.startup = {"key": bytes(way.octets[start:start + 16]), "start": start, "end": end, "flags": flags, "revision": revision,
                   "values": values}
    way.sure = end


def begins_fpdu(octets):
    """By its CRC, and by more, as the CRC of no octets is weak evidence."""
    end = 2 + int.from_bytes(octets[:2], "big")
    end += -end % 4
    return SMALLEST < end + CRC <= len(octets) and int.from_bytes(octets[end:end + CRC], "little") == crc32c(bytes(octets[:end]))


def fpdus(way, markers, crc):
    """FPDUs after the start-up frame. An FPDU with a wrong CRC or Marker may have a wrong length:
    it counts if a right FPDU follows, or the end of the stream."""
    begin = way.startup["end"]
    stream = bytes(way.octets[begin:])
    places = [i for i in range(len(stream)) if i % PERIOD >= MARKER] if markers else range(len(stream))
    octets = bytes(map(stream.__getitem__, places)) if markers else stream
    at, before = 0, 0  # in `octets`, and in `stream`: Markers at the end of an FPDU belong to the next
    doubtful = []
    while at + 2 <= len(octets):
        length = int.from_bytes(octets[at:at + 2], "big")
        pad = -(2 + length) % 4
        end = at + 2 + length + pad + CRC
        if end > len(octets):
            return
        last = places[end - 1] + 1
        sent = int.from_bytes(octets[end - CRC:end], "little")
        right = not crc or sent == crc32c(stream[before:places[end - CRC]])
        values = [("mpa.ulpdu_length", length), ("mpa.crc", sent)]
        if pad:
            values.append(("mpa.pad", octets[end - CRC - pad:end - CRC].hex()))
        pointed = True
        for marker in range(-(-before // PERIOD) * PERIOD, last, PERIOD) if markers else ():
            reserved, pointer = struct.unpack_from(">HH", stream, marker)
            if pointer != max(0, marker - places[at]):
                right, pointed = right and crc, False
                reserved = pointer = None  # it may not be a Marker
            values += [("mpa.marker.reserved", reserved), ("mpa.marker.fpduptr", pointer)]
        ulpdu = octets[at + 2:at + 2 + length]
        values += segment(ulpdu)
        sure = pointed and (right and crc or not contradicts(ulpdu))  # a missing Marker may mean that others are elsewhere, too
        doubtful.append(Fpdu(begin + before, begin + last, values, ulpdu, right, sure))
        at, before = end, last
        if right or at == len(octets):
            way.fpdus += doubtful
            way.sure = begin + before
            doubtful = []


def contradicts(ulpdu):
    """The length does not fit the operation, or the header is not one of RFC 5040 and 7306."""
    opcode = ulpdu[1] & 15 if len(ulpdu) >= 2 else None
    return opcode in BODIES and len(ulpdu) != UNTAGGED + sum(size for size, _ in BODIES[opcode]) or not regular(ulpdu)


def regular(ulpdu):
    """Whether the DDP and RDMAP headers fit their operation, except MSN and MO: kind of buffer, queue, version, reserved bits."""
    tagged = bool(ulpdu) and ulpdu[0] >> 7
    if len(ulpdu) < (TAGGED if tagged else UNTAGGED) or ulpdu[0] & 0x3C or ulpdu[1] & 0x30 or (ulpdu[0] & 3) != ulpdu[1] >> 6:
        return False
    queue = QUEUES.get(ulpdu[1] & 15)
    return queue is None if tagged else queue == int.from_bytes(ulpdu[6:10], "big") and ulpdu[1] & 15 in QUEUES


def segment(ulpdu):
    """DDP and RDMAP headers; nothing if incomplete."""
    tagged = bool(ulpdu) and ulpdu[0] >> 7
    if len(ulpdu) < (TAGGED if tagged else UNTAGGED):
        return []
    control, rdmap = ulpdu[:2]
    opcode = rdmap & 15
    values = [("rddp.tagged", tagged), ("rddp.last", control >> 6 & 1), ("rddp.rsvd", control >> 2 & 15), ("rddp.version", control & 3),
              ("rdmap.version", rdmap >> 6), ("rdmap.rsv", rdmap >> 4 & 3), ("rdmap.opcode", opcode)]
    if tagged:
        return values + list(zip(("rddp.stag", "rddp.to"), struct.unpack_from(">IQ", ulpdu, 2)))
    word, queue, msn, offset = struct.unpack_from(">IIII", ulpdu, 2)
    values += [("rdmap.invalidate_stag" if opcode in INVALIDATE_STAG else "rdmap.reserved", word), ("rddp.qn", queue), ("rddp.msn", msn),
               ("rddp.mo", offset)]
    return values + (terminate(ulpdu[UNTAGGED:]) if opcode == TERMINATE else body(opcode, ulpdu[UNTAGGED:]))


def body(opcode, octets):
    values, at = [], 0
    for size, name in BODIES.get(opcode, ()):
        if at + size > len(octets):
            break
        value = int.from_bytes(octets[at:at + size], "big")
        if name == "atomic.opcode":
            values.append(("rdmap.atomic.reserved", value >> 4))
            value &= 15
        values.append(("rdmap." + name, value))
        at += size
    return values


def terminate(octets):
    """RFC 5040 section 4.8; if reserved bits are set, as from an implementation that fills octets from the least significant bit."""
    if len(octets) < 4:
        return []
    first, code, count, rest = octets[:4]
    shown = {"layer": first >> 4, "etype": first & 15, "code": code, "m": count >> 7, "d": count >> 6 & 1, "r": count >> 5 & 1,
             "reserved": (count & 31) << 8 | rest}
    if shown["reserved"] and not count >> 3 and not rest:
        shown |= {"layer": first & 15, "etype": first >> 4, "m": count & 1, "d": count >> 1 & 1, "r": count >> 2 & 1, "reserved": 0}
    elif shown["reserved"]:
        shown = dict.fromkeys([*shown, "segment_length"])
    if (shown["m"] or shown["d"]) and len(octets) >= 6:
        shown["segment_length"] = int.from_bytes(octets[4:6], "big")
    return [("rdmap.terminate." + name, value) for name, value in shown.items()]
