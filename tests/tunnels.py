# SPDX-License-Identifier: GPL-2.0-or-later
"""The same packets in tunnels, and in records of other link types.

tunnelled(records, name) puts each Ethernet frame of [(time in ns, length on the wire, octets)] into that tunnel; write(path, records, linktype) writes
pcap."""
import struct

ETHERNET, IPV4, IPV6, RAW, ERF, NFLOG = 1, 0x0800, 0x86DD, 101, 197, 239
BRIDGED, MPLS = 0x6558, 0x8847
OUTER = bytes.fromhex("0200000000fe0200000000fd")


def checksum(octets):
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ethernet(kind, inner):
    return OUTER + struct.pack(">H", kind) + inner


def ipv4(protocol, inner, fragment=0, number=7):
    header = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(inner), number, fragment, 64, protocol, 0, bytes([198, 51, 100, 1]), bytes([198, 51, 100, 2]))
    return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + inner


def ipv6(protocol, inner):
    return struct.pack(">IHBB", 6 << 28, len(inner), protocol, 64) + bytes.fromhex("20010db8" + "00" * 11 + "01" + "20010db8" + "00" * 11 + "02") + inner


def over_ipv4(protocol, inner):
    return ethernet(IPV4, ipv4(protocol, inner))


def over_ipv6(protocol, inner):
    return ethernet(IPV6, ipv6(protocol, inner))


def udp(port, inner):
    return struct.pack(">HHHH", 49152, port, 8 + len(inner), 0) + inner


def vxlan(frame, vni=42):
    return struct.pack(">II", 0x08000000, vni << 8) + frame


def geneve(kind, inner, options=b""):
    return struct.pack(">BBHI", len(options) // 4, 0, kind, 42 << 8) + options + inner


def gre(kind, inner, flags=0, fields=b""):
    return struct.pack(">HH", flags, kind) + fields + inner


def ip_of(frame):
    """The EtherType and the IP packet of a frame, without VLAN tags."""
    at = 12
    while frame[at:at + 2] in (b"\x81\x00", b"\x88\xa8"):
        at += 4
    return int.from_bytes(frame[at:at + 2], "big"), frame[at + 2:]


def erspan_2(frame):
    return gre(0x88BE, struct.pack(">II", 0x10000000, 0) + frame, 0x1000, bytes(4))


def erspan_3(frame, more=b""):
    return gre(0x22EB, struct.pack(">IIHH", 0x20000000, 0, 0, len(more) > 0) + more + frame, 0x1000, bytes(4))


def labels(count):
    return b"".join(struct.pack(">I", (100 + i) << 12 | (i == count - 1) << 8 | 64) for i in range(count))


TUNNELS = {
    "VXLAN": lambda f: over_ipv4(17, udp(4789, vxlan(f))),
    "VXLAN of old Linux, over IPv6": lambda f: over_ipv6(17, udp(8472, vxlan(f))),
    "VXLAN in VXLAN": lambda f: over_ipv4(17, udp(4789, vxlan(over_ipv4(17, udp(4789, vxlan(f, 7)))))),
    "Geneve": lambda f: over_ipv4(17, udp(6081, geneve(BRIDGED, f))),
    "Geneve with options, IP": lambda f: over_ipv6(17, udp(6081, geneve(*ip_of(f), options=bytes(8)))),
    "GRE, Ethernet": lambda f: over_ipv4(47, gre(BRIDGED, f)),
    "GRE, IP": lambda f: over_ipv4(47, gre(*ip_of(f))),
    "GRE with checksum, key and number, over IPv6": lambda f: over_ipv6(47, gre(BRIDGED, f, 0xB000, bytes(12))),
    "ERSPAN I": lambda f: over_ipv4(47, gre(0x88BE, f)),
    "ERSPAN II": lambda f: over_ipv4(47, erspan_2(f)),
    "ERSPAN III": lambda f: over_ipv4(47, erspan_3(f)),
    "ERSPAN III with a subheader": lambda f: over_ipv4(47, erspan_3(f, bytes(8))),
    "MPLS, IP": lambda f: ethernet(MPLS, labels(3) + ip_of(f)[1]),
    "MPLS, Ethernet": lambda f: ethernet(MPLS, labels(1) + f),
    "MPLS, Ethernet after a control word": lambda f: ethernet(MPLS, labels(2) + bytes(4) + f),
    "MPLS over UDP": lambda f: over_ipv4(17, udp(6635, labels(1) + ip_of(f)[1])),
    "TZSP": lambda f: over_ipv4(17, udp(37008, bytes.fromhex("01000001 00 0a01c0 01") + f)),
    "IP in IP": lambda f: over_ipv4({IPV4: 4, IPV6: 41}[ip_of(f)[0]], ip_of(f)[1]),
}


def tunnelled(records, tunnel):
    found = []
    for time, length, octets in records:
        outer = TUNNELS[tunnel](octets)
        found.append((time, len(outer) + length - len(octets), outer))
    return found


def erf(records):
    """Records for Ethernet, with a checksum after the frame."""
    found = []
    for time, length, octets in records:
        frame = octets + bytes(4)
        record = 16 + 2 + len(frame) + -(len(frame) + 2) % 8
        stamp = (time // 10**9) << 32 | (time % 10**9 << 32) // 10**9
        header = struct.pack("<Q", stamp) + struct.pack(">BBHHH", 2, 4, record, 0, length + 4)
        found.append((time, record, header + bytes(2) + frame + bytes(record - 18 - len(frame))))
    return found


def nflog(records, order="<"):
    found = []
    for time, length, octets in records:
        kind, packet = ip_of(octets)
        attributes = struct.pack(order + "HH", 8, 1) + bytes(4) + struct.pack(order + "HH", 5, 10) + b"\0\0\0\0" + struct.pack(order + "HH", 4 + len(packet), 9)
        header = bytes([2 if kind == IPV4 else 10, 0]) + struct.pack(">H", 5)
        octets = header + attributes + packet + bytes(-len(packet) % 4)
        found.append((time, len(octets), octets))
    return found


def write(path, records, linktype=ETHERNET, snap=262144):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap, linktype))
        for time, length, octets in records:
            kept = octets[:snap]
            out.write(struct.pack("<IIII", time // 10**9, time % 10**9, len(kept), length) + kept)
