# SPDX-License-Identifier: GPL-2.0-or-later
"""Merges captures of Ethernet, pcap or pcapng, into one file: tshark starts once for hundreds. Each capture gets its own addresses, so
that connections stay apart; an ICRC, which covers the addresses, stays right or wrong."""
import collections
import struct
import zlib

ETHERNET, IPV4, IPV6, VLANS = 1, 0x0800, 0x86DD, (0x8100, 0x88A8)
UDP, ROCE_PORT = 17, 4791
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
MAPPED = bytes(10) + b"\xff\xff"  # prefix of an IPv4 address mapped to IPv6
RESOLUTION = 9  # option of an interface: the unit of its times

Part = collections.namedtuple("Part", "name first last")  # frame numbers in the merged capture


def pcap(data):
    order = "<" if data[:1] in b"\xd4\x4d" else ">"
    if struct.unpack_from(order + "I", data, 20)[0] != ETHERNET:
        return None
    unit = 1 if struct.unpack_from(order + "I", data)[0] == 0xA1B23C4D else 1000
    found, at = [], 24
    while at + 16 <= len(data):
        seconds, fraction, captured, length = struct.unpack_from(order + "IIII", data, at)
        found.append((seconds * 10**9 + fraction * unit, length, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    return found


def unit_of(options, order):
    """Nanoseconds of one tick."""
    at = 0
    while at + 4 <= len(options):
        code, length = struct.unpack_from(order + "HH", options, at)
        if code == RESOLUTION:
            return 10.0 ** (9 - options[at + 4]) if options[at + 4] < 128 else 1e9 / 2 ** (options[at + 4] & 127)
        at += 4 + length + -length % 4
    return 1000.0


def pcapng(data):
    found, units, at, order = [], [], 0, "<"
    while at + 12 <= len(data):
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            units = []
        kind, size = struct.unpack_from(order + "II", data, at)
        if kind == INTERFACE:
            if struct.unpack_from(order + "H", data, at + 8)[0] != ETHERNET:
                return None
            units.append(unit_of(data[at + 16:at + size - 4], order))
        elif kind == PACKET:
            interface, high, low, captured, length = struct.unpack_from(order + "IIIII", data, at + 8)
            found.append((int((high << 32 | low) * units[interface]), length, data[at + 28:at + 28 + captured]))
        at += size
    return found


def records(path):
    """[(time in ns, length on the wire, octets)]; None for a link other than Ethernet."""
    data = path.read_bytes()
    return pcapng(data) if data[:4] == b"\x0a\x0d\x0d\x0a" else pcap(data)


def ip_header(octets):
    """(type, where the IP header is), or (type, None)."""
    at = 12
    while int.from_bytes(octets[at:at + 2], "big") in VLANS:
        at += 4
    kind = int.from_bytes(octets[at:at + 2], "big")
    return kind, at + 2 if kind in (IPV4, IPV6) and len(octets) >= at + 2 + (20 if kind == IPV4 else 40) else None


def udp_of(octets, kind, ip):
    return ip + (octets[ip] & 15) * 4 if kind == IPV4 else ip + 40


def icrc(octets, kind, ip):
    """(the ICRC that the packet should have, its place); None when it is not RoCE v2 or not whole: Annex A17."""
    udp = udp_of(octets, kind, ip)
    if octets[ip + (9 if kind == IPV4 else 6)] != UDP or octets[udp + 2:udp + 4] != ROCE_PORT.to_bytes(2, "big"):
        return None
    end = udp + int.from_bytes(octets[udp + 4:udp + 6], "big") - 4
    if end < udp + 20 or end + 4 > len(octets):
        return None
    masked = bytearray(octets[ip:end])
    for place in [1, 8, 10, 11] if kind == IPV4 else [1, 2, 3, 7]:
        masked[place] = 0xFF
    if kind == IPV6:
        masked[0] |= 0x0F
    for place in (udp + 6, udp + 7, udp + 12):
        masked[place - ip] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked)), end


def renumber(octets, number):
    """The frame with addresses of the capture `number`: changes two octets of each address."""
    kind, ip = ip_header(octets)
    if ip is None:
        return octets
    frame = bytearray(octets)
    was = icrc(frame, kind, ip)
    size, starts = (4, (ip + 12, ip + 16)) if kind == IPV4 else (16, (ip + 8, ip + 24))
    for start in starts:
        before = bytes(frame[start:start + size])
        at = start + (1 if kind == IPV4 else 8)
        frame[at:at + 2] = number.to_bytes(2, "big")
        if was:  # the connection management carries addresses, too, as GIDs
            gid = MAPPED if kind == IPV4 else b""
            frame[udp_of(frame, kind, ip):] = frame[udp_of(frame, kind, ip):].replace(gid + before, gid + bytes(frame[start:start + size]))
    if was and frame[was[1]:was[1] + 4] == was[0]:
        frame[was[1]:was[1] + 4] = icrc(frame, kind, ip)[0]
    return bytes(frame)


def merge(captures, out):
    """captures: (name, path). Writes `out`; returns the parts, and the names of captures that are not Ethernet."""
    parts, others, count, end = [], [], 0, 0
    with out.open("wb") as merged:
        merged.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, ETHERNET))
        for number, (name, path) in enumerate(captures, 1):
            frames = records(path)
            if not frames:
                others += [name] if frames is None else []
                continue
            later = max(0, end - frames[0][0])
            for time, length, octets in frames:
                time += later
                end = max(end, time + 10**9)
                merged.write(struct.pack("<IIII", *divmod(time, 10**9), len(octets), length) + renumber(octets, number))
            parts.append(Part(name, count + 1, count + len(frames)))
            count += len(frames)
    return parts, others
