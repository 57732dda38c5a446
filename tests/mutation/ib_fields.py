# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the fields of a RoCE v2 capture are: RETH, IETH, the private data of connection management, the Sends."""
from pcap import ROCE_PORT, UDP
import rpc_fields
from rpc_fields import Field

UD_SEND_ONLY, READ = 0x64, 0x0C
SEND_STARTS, SEND_ENDS, SENDS = (0x00, 0x04, 0x05, 0x17), (0x02, 0x03, 0x04, 0x05, 0x16, 0x17), (*range(6), 0x16, 0x17)
INVALIDATES, IMMEDIATES, WRITE_STARTS = (0x16, 0x17), (0x03, 0x05), (0x06, 0x0A, 0x0B)
REQUEST, REPLY, PRIVATE = 0x10, 0x13, {0x10: ("Request", 140), 0x13: ("Reply", 36)}
HEADERS = 12


def management(capture, frame):
    body = frame.data + HEADERS + 8 + 24  # BTH, DETH, MAD
    attribute = int.from_bytes(capture.octets[frame.data + HEADERS + 8 + 16:][:2], "big")
    kind, at = PRIVATE.get(attribute, (None, 0))
    if kind is None:
        return []
    start = body + at
    if kind == "Request":  # the IP addressing annex comes first
        start += 36 if capture.octets[start + 36:start + 40] == rpc_fields.MAGIC else 0
    return rpc_fields.private_data(capture, list(range(start, start + 8)), kind)


def locate(capture):
    out, sends, now, sides = [], [], {}, {}
    for frame in capture.frames:
        if frame.protocol != UDP or frame.ports[1] != ROCE_PORT.to_bytes(2, "big"):
            continue
        opcode, pad = capture.octets[frame.data], capture.octets[frame.data + 1] >> 4 & 3
        if opcode == UD_SEND_ONLY:
            out += management(capture, frame)
            continue
        key = frame.source, frame.target, capture.octets[frame.data + 5:frame.data + 8]
        at, end = frame.data + HEADERS, frame.end - 4 - pad
        if opcode in WRITE_STARTS or opcode == READ:
            of = "READ" if opcode == READ else "WRITE"
            out += [Field("ib", "RETH VA", of, range(at, at + 8)), Field("ib", "RETH R_Key", of, range(at + 8, at + 12)),
                    Field("ib", "RETH DMALen", of, range(at + 12, at + 16))]
        if opcode not in SENDS:
            continue
        if opcode in INVALIDATES:
            out.append(Field("ib", "IETH R_Key", "SEND", range(at, at + 4)))
        at += 4 if opcode in INVALIDATES or opcode in IMMEDIATES else 0
        places = list(range(at, end))
        now[key] = places if opcode in SEND_STARTS else now.get(key, []) + places
        if opcode in SEND_ENDS:
            sends.append((frame.start, sides.setdefault(frame.source, len(sides)), now.pop(key)))
    return out + rpc_fields.locate(capture, sends)
