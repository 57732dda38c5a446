# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the fields of MPA, DDP and RDMAP are in a capture: RFC 5044, 5041, 5040, 6581, 7306."""
import itertools
import struct

import rpc_fields
from crc32c import crc32c
from pcap import TCP
from rpc_fields import Field

SYN, ACK = 0x02, 0x10
KEYS = {b"MPA ID Req Frame": "Request", b"MPA ID Rep Frame": "Reply"}
OPERATIONS = ("Write", "Read Request", "Read Response", "Send", "Send with Invalidate", "Send with SE",
              "Send with SE and Invalidate", "Terminate", "Immediate", "Immediate with SE", "Atomic Request",
              "Atomic Response")
HEADERS = {  # of the untagged ones: (field, octets)
    "Read Request": (("SinkSTag", 4), ("SinkTO", 8), ("RDMARDSZ", 4), ("SrcSTag", 4), ("SrcTO", 8)),
    "Atomic Request": (("AOpCode", 4), ("Request Identifier", 4), ("Remote STag", 4), ("Remote TO", 8),
                       ("Add or Swap Data", 8), ("Add or Swap Mask", 8), ("Compare Data", 8), ("Compare Mask", 8)),
    "Atomic Response": (("Original Request Identifier", 4), ("Original Remote Data Value", 8)),
    "Terminate": (("Layer and EType", 1), ("Error Code", 1), ("HdrCt", 1), ("Reserved", 1), ("DDP Segment Length", 2)),
}
PERIOD = 512
LARGEST = 2 + 65535 + 3 + 4


class Direction:
    def __init__(self, first):
        self.first, self.places = first, {}

    def stream(self):
        out = []
        while len(out) in self.places:
            out.append(self.places[len(out)])
        return out


def connections(capture):
    """Pairs of streams: the places of the octets that each end sent, the opener's first."""
    now, every = {}, []
    for frame in capture.frames:
        if frame.protocol != TCP:
            continue
        way = frame.source, frame.ports[0], frame.target, frame.ports[1]
        back = way[2:] + way[:2]
        if frame.flags & SYN:
            direction = Direction(frame.sequence + 1 & 0xFFFFFFFF)
            if not frame.flags & ACK:
                every.append((direction, None))
                now.pop(back, None)
            elif every and now.get(back) is every[-1][0]:
                every[-1] = every[-1][0], direction
            now[way] = direction
        elif way in now:
            offset = frame.sequence - now[way].first & 0xFFFFFFFF
            for number, place in enumerate(range(frame.data, frame.end)):
                now[way].places.setdefault(offset + number, place)
    return [(one.stream(), two.stream()) for one, two in every if two]


def startup(capture, stream):
    """(kind, flags, revision, where the FPDUs begin, fields) of the first frame, or None."""
    kind = KEYS.get(capture.at(stream[:16]))
    if not kind or len(stream) < 20:
        return None
    flags, revision = capture.octets[stream[16]], capture.octets[stream[17]]
    length = struct.unpack(">H", capture.at(stream[18:20]))[0]
    fields = [Field("mpa", "Key", kind, stream[:16]), Field("mpa", "flags", kind, stream[16:17]),
              Field("mpa", "Rev", kind, stream[17:18]), Field("mpa", "PD_Length", kind, stream[18:20])]
    private = stream[20:20 + length]
    if revision == 2 and flags & 0x10:
        fields += [Field("mpa", "IRD", kind, private[:2]), Field("mpa", "ORD", kind, private[2:4])]
        private = private[4:]
    fields += rpc_fields.private_data(capture, private, kind)
    return kind, flags, revision, 20 + length, fields


def under_crc(capture, stream, kept, crc):
    """The places covered by an FPDU's CRC, including its Markers; None if it is not used."""
    before = kept[0] - 4 if kept[0] >= 4 else kept[0]
    for first, end in itertools.product((kept[0], before), (kept[-5] + 1, kept[-4])):
        places = stream[first:end]
        if int.from_bytes(capture.at(crc), "little") == crc32c(capture.at(places)):
            return places
    return None


def without_markers(stream, markers):
    """(where in the stream its own octets are, the Markers between them)"""
    kept = [i for i in range(len(stream)) if not markers or i % PERIOD >= 4]
    found = [stream[i:i + 4] for i in range(0, len(stream) - 3, PERIOD)] if markers else []
    return kept, found


def fpdus(capture, stream, markers):
    kept, found = without_markers(stream, markers)
    for places in found:
        yield Field("mpa", "Marker reserved", "-", places[:2])
        yield Field("mpa", "FPDUPTR", "-", places[2:])
    at = 0
    while at + 2 <= len(kept):
        clear = [stream[i] for i in kept[at:at + LARGEST]]
        length, = struct.unpack(">H", capture.at(clear[:2]))
        pad = -(2 + length) % 4
        whole = 2 + length + pad + 4
        if whole > len(clear):
            return
        crc = clear[whole - 4:whole]
        covered = under_crc(capture, stream, kept[at:at + whole], crc)
        if covered:
            capture.covered.update(dict.fromkeys(covered + crc, (covered, crc)))
            yield Field("mpa", "CRC", "-", crc)
        yield Field("mpa", "ULPDU_Length", "-", clear[:2])
        if pad:
            yield Field("mpa", "PAD", "-", clear[2 + length:2 + length + pad])
        yield clear[2:2 + length]
        at += whole


def segment(capture, places):
    """The fields of DDP and RDMAP; (operation, last, places of the payload)."""
    head = capture.at(places[:18])
    tagged, last, opcode = head[0] & 0x80, head[0] & 0x40, head[1] & 15
    name = OPERATIONS[opcode] if opcode < len(OPERATIONS) else str(opcode)
    fields = [Field("ddp", "control", name, places[:1]), Field("rdmap", "control", name, places[1:2])]
    if tagged:
        fields += [Field("ddp", "STag", name, places[2:6]), Field("ddp", "TO", name, places[6:14])]
        return fields, name, last, places[14:]
    queue = struct.unpack_from(">I", head, 6)[0]
    fields += [Field("rdmap", "Invalidate STag" if "Invalidate" in name else "Reserved", name, places[2:6]),
               Field("ddp", "QN", name, places[6:10]), Field("ddp", "MSN", name, places[10:14]),
               Field("ddp", "MO", name, places[14:18])]
    at = 18
    for field, size in HEADERS.get(name, ()):
        if at + size <= len(places):
            fields.append(Field("rdmap", field, name, places[at:at + size]))
        at += size
    return fields, f"{name} {queue}", last, places[18:]


def ulpdus(capture, stream, markers):
    """All fields of the FPDUs, and the payload of each Send."""
    fields, sends, now = [], [], []
    for item in fpdus(capture, stream, markers):
        if isinstance(item, Field):
            fields.append(item)
            continue
        found, name, last, payload = segment(capture, item)
        fields += found
        if name.startswith("Send"):
            now = now + payload
            if last:
                sends.append((item[0], now))
                now = []
    return fields, sends


def locate(capture):
    """All fields of the capture, in its order of connections and directions."""
    out = []
    for one, two in connections(capture):
        ends = [(startup(capture, stream), stream) for stream in (one, two)]
        if not all(start for start, _ in ends):
            continue
        out += [field for start, _ in ends for field in start[4]]
        if any(kind == "Reply" and flags & 0x20 for (kind, flags, *_), _ in ends):
            continue
        sends = []
        for side, (start, stream) in enumerate(ends):
            other = ends[1 - side][0]
            fields, sent = ulpdus(capture, stream[start[3]:], other[1] & 0x80)
            out += fields
            sends += [(place, side, payload) for place, payload in sent]
        out += rpc_fields.locate(capture, sorted(sends))
    return out
