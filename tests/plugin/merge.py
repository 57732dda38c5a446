# SPDX-License-Identifier: GPL-2.0-or-later
"""Merges many captures into one, so that tshark starts once instead of once for each.

Each capture gets its own addresses (the second and third octet of the IPv4 addresses become its number), so connections
stay apart; frame numbers are counted on."""
import collections
import struct

ETHERNET, IPV4, VLAN = 1, 0x0800, 0x8100

Part = collections.namedtuple("Part", "name first last")  # frame numbers in the merged capture


def records(path):
    """(seconds, fraction in ns, original length, octets) from a pcap file; None if it cannot be merged."""
    data = path.read_bytes()
    kinds = {0xA1B2C3D4: ("<", 1000), 0xA1B23C4D: ("<", 1), 0xD4C3B2A1: (">", 1000), 0x4D3CB2A1: (">", 1)}
    order, unit = kinds.get(struct.unpack_from("<I", data)[0], (None, None))
    if order is None or struct.unpack_from(order + "I", data, 20)[0] != ETHERNET:
        return None
    found, at = [], 24
    while at + 16 <= len(data):
        seconds, fraction, captured, length = struct.unpack_from(order + "IIII", data, at)
        found.append((seconds, fraction * unit, length, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return found


def renumber(octets, number):
    """The frame with capture `number`'s IPv4 addresses; None if it is not IPv4."""
    at = 12
    while int.from_bytes(octets[at:at + 2], "big") == VLAN:
        at += 4
    if int.from_bytes(octets[at:at + 2], "big") != IPV4:
        return None
    frame = bytearray(octets)
    for address in (at + 2 + 12, at + 2 + 16):
        frame[address + 1:address + 3] = number.to_bytes(2, "big")
    return bytes(frame)


def merge(captures, out, in_turn=False):
    """captures: (name, path). Writes `out`; returns the parts, without the captures that cannot be merged. in_turn: each
    capture begins when the previous one ends, as the checker would take times that go back for a changed clock."""
    parts, count, end = [], 0, 0
    with out.open("wb") as merged:
        merged.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, ETHERNET))
        for number, (name, path) in enumerate(captures):
            frames = records(path)
            changed = None if frames is None else [renumber(frame[3], number + 1) for frame in frames]
            if not changed or None in changed:
                continue
            later = max(0, end - frames[0][0]) if in_turn else 0
            for (seconds, ns, length, _), octets in zip(frames, changed):
                seconds += later
                end = max(end, seconds + 1)
                merged.write(struct.pack("<IIII", seconds, ns, len(octets), length) + octets)
            parts.append(Part(name, count + 1, count + len(frames)))
            count += len(frames)
    return parts
