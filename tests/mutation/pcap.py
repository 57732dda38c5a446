# SPDX-License-Identifier: GPL-2.0-or-later
"""A pcap file whose octets are changed in place: every field is a list of places in the file, and after a change the CRC
of its FPDU and the checksum of TCP, or the ICRC, are corrected."""
import bisect
import struct
import zlib

from crc32c import crc32c

HEADER, RECORD, ETHERNET = 24, 16, 14
TCP, UDP, ROCE_PORT = 6, 17, 4791


def checksum(octets):
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets[:len(octets) & ~1]))
    total += octets[-1] << 8 if len(octets) & 1 else 0
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


class Frame:
    """For IPv4 without VLAN tag; `ip`, `data` and `end` are places in the file."""

    def __init__(self, octets, start, length):
        self.start, self.ip = start, start + ETHERNET
        self.protocol = None
        if octets[start + 12:start + 14] != b"\x08\x00" or octets[self.ip] >> 4 != 4:
            return
        self.protocol = octets[self.ip + 9]
        self.above = self.ip + (octets[self.ip] & 15) * 4
        self.end = self.ip + struct.unpack_from(">H", octets, self.ip + 2)[0]
        assert self.end <= start + length
        self.source, self.target = octets[self.ip + 12:self.ip + 16], octets[self.ip + 16:self.ip + 20]
        self.ports = octets[self.above:self.above + 2], octets[self.above + 2:self.above + 4]
        if self.protocol == TCP:
            self.sequence, = struct.unpack_from(">I", octets, self.above + 4)
            self.flags = octets[self.above + 13]
            self.data = self.above + (octets[self.above + 12] >> 4) * 4
        elif self.protocol == UDP:
            self.data = self.above + 8


class Capture:
    def __init__(self, path):
        self.octets = path.read_bytes()
        assert self.octets[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1")
        self.frames, at = [], HEADER
        while at < len(self.octets):
            length, = struct.unpack_from("<I", self.octets, at + 8)
            self.frames.append(Frame(self.octets, at + RECORD, length))
            at += RECORD + length
        self.starts = [frame.start for frame in self.frames]
        self.covered = {}  # place -> FPDU: (places that its CRC covers, places of the CRC)

    def at(self, places):
        return bytes(self.octets[place] for place in places)

    def frame(self, place):
        return bisect.bisect_right(self.starts, place) - 1

    def changed(self, places, value):
        """The file with other octets in these places, and correct computed fields."""
        octets, touched = bytearray(self.octets), set(places)
        for place, octet in zip(places, value):
            octets[place] = octet
        for covered, crc in {id(fpdu): fpdu for fpdu in map(self.covered.get, places) if fpdu}.values():
            if not touched.intersection(crc):
                for place, octet in zip(crc, crc32c(bytes(octets[p] for p in covered)).to_bytes(4, "little")):
                    octets[place] = octet
                touched.update(crc)
        for number in {self.frame(place) for place in touched}:
            repair(octets, self.frames[number])
        return bytes(octets)


def repair(octets, frame):
    ip, above, end = frame.ip, frame.above, frame.end
    if frame.protocol == TCP:
        octets[above + 16:above + 18] = b"\0\0"
        pseudo = bytes(octets[ip + 12:ip + 20]) + struct.pack(">HH", TCP, end - above)
        octets[above + 16:above + 18] = struct.pack(">H", checksum(pseudo + bytes(octets[above:end])))
    elif frame.protocol == UDP and frame.ports[1] == ROCE_PORT.to_bytes(2, "big"):
        octets[above + 6:above + 8] = b"\0\0"
        octets[end - 4:end] = icrc(bytes(octets[ip:end - 4]), above - ip)


def icrc(packet, header):
    """From the IP header to the ICRC (Annex A17): fields that change on the way count as ones."""
    masked = bytearray(packet)
    for place in (1, 8, 10, 11, header + 6, header + 7, header + 8 + 4):
        masked[place] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + masked))
