# SPDX-License-Identifier: GPL-2.0-or-later
"""Packets around RDMA, built by hand: [(time in ns, length on the wire, octets)], as records() of captures.py gives them."""
import ipaddress
import struct

import captures

FIN, SYN, RST, PUSH, ACK = 1, 2, 4, 8, 16
MS, S = 10**6, 10**9
CLIENT_MAC, SERVER_MAC = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
ADDRESSES = {4: ("192.0.2.1", "192.0.2.2", "192.0.2.254"), 6: ("2001:db8::1", "2001:db8::2", "2001:db8::fe")}


def write(path, found):
    """Writes the packets, by time, as a pcap file."""
    with path.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 1 << 18, captures.ETHERNET))
        for time, length, octets in sorted(found, key=lambda packet: packet[0]):
            out.write(struct.pack("<IIII", *divmod(time, S), len(octets), length) + octets)
    return path


def tags(*vlans):
    return b"".join(struct.pack(">HH", 0x8100, vlan) for vlan in vlans)


def checksum(octets):
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets[:len(octets) & ~1])) + (octets[-1] << 8 if len(octets) % 2 else 0)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ip(source, destination, protocol, payload, dscp=0):
    a, b = ipaddress.ip_address(source), ipaddress.ip_address(destination)
    if a.version == 4:
        header = struct.pack(">BBHHHBBH", 0x45, dscp << 2, 20 + len(payload), 1, 0x4000, 64, protocol, 0) + a.packed + b.packed
        return header[:10] + struct.pack(">H", checksum(header)) + header[12:] + payload
    return struct.pack(">IHBB", 6 << 28 | dscp << 22, len(payload), protocol, 64) + a.packed + b.packed + payload


def ethernet(packet, source=CLIENT_MAC, destination=SERVER_MAC, vlans=()):
    return destination + source + tags(*vlans) + (b"\x08\x00" if packet[0] >> 4 == 4 else b"\x86\xdd") + packet


def tcp(ports, flags, seq=0, ack=0, payload=b""):
    return struct.pack(">HHIIBBHHH", *ports, seq, ack, 0x50, flags, 8192, 0, 0) + payload


def unreachable(sender, to, packet, port=False, mtu=0):
    """ICMP (ICMPv6) about `packet`, an IP packet: the host or the port is unreachable, or with `mtu`: the packet is too big."""
    if packet[0] >> 4 == 4:
        kind, code = (3, 4) if mtu else (3, 3 if port else 13)
        return ip(sender, to, 1, struct.pack(">BBHI", kind, code, 0, mtu) + packet[:48])
    kind, code = (2, 0) if mtu else (1, 4 if port else 1)
    return ip(sender, to, 58, struct.pack(">BBHI", kind, code, 0, mtu) + packet[:88])


class Connection:
    """A TCP connection of the client, from `port` to the server's `to`, whose packets are collected in `found`."""

    def __init__(self, found, at=0, port=1022, to=20049, version=4):
        self.found, self.at, self.ports, self.seq = found, at, (port, to), [1000, 5000]
        self.ends = ADDRESSES[version][:2]

    def send(self, side, flags, payload=b"", after=MS, seq=None):
        self.at += after
        packet = ip(self.ends[side], self.ends[1 - side], 6,
                    tcp(self.ports[::1 - 2 * side], flags, self.seq[side] if seq is None else seq, self.seq[1 - side] if flags & ACK else 0, payload))
        octets = ethernet(packet, *(CLIENT_MAC, SERVER_MAC)[::1 - 2 * side])
        self.found.append((self.at, len(octets), octets))
        if seq is None:
            self.seq[side] += len(payload) + (1 if flags & (SYN | FIN) else 0)
        return packet

    def open(self):
        self.send(0, SYN)
        self.send(1, SYN | ACK)
        self.send(0, ACK)
        return self

    def request(self, revision=1, again=False):
        frame = b"MPA ID Req Frame" + struct.pack(">BBH", 0x40, revision, 0)
        return self.send(0, PUSH | ACK, frame, seq=self.seq[0] - len(frame) if again else None, after=S if again else MS)

    def reply(self, revision=1):
        return self.send(1, PUSH | ACK, b"MPA ID Rep Frame" + struct.pack(">BBH", 0x40, revision, 0))


def is_ip(octets):
    return captures.ip_header(octets)[1] is not None


def side_of(octets):
    """0: the client's packet, 1: the server's, in what iwarp-gen writes; None: neither."""
    kind, at = captures.ip_header(octets)
    if at is None:
        return None
    source = octets[at + 12:at + 16] if kind == captures.IPV4 else octets[at + 8:at + 24]
    return {1: 0, 2: 1}.get(source[-1])


def with_dscp(octets, dscp):
    kind, at = captures.ip_header(octets)
    changed = bytearray(octets)
    if kind == captures.IPV4:
        changed[at + 1] = dscp << 2
        changed[at + 10:at + 12] = b"\0\0"
        changed[at + 10:at + 12] = struct.pack(">H", checksum(bytes(changed[at:at + 20])))
    else:
        changed[at:at + 2] = struct.pack(">H", 6 << 12 | dscp << 6 | int.from_bytes(octets[at:at + 2], "big") & 0x3F)
    return bytes(changed)
