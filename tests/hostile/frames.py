# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures against readers of files, frames and TCP: containers, tunnels, options, and segments of one octet."""
import gzip
import pathlib
import struct
import subprocess

from adversary import SEND, WRITE, Capture, Connection, fpdu, tagged, untagged

ETHERNET_HEADER = b"\2\0\0\0\0\1\2\0\0\0\0\2"
CLIENT, SERVER = 0x0A000001, 0x0A000002


def ordinary(path, packets, octets):
    """A control: as many packets, with as many octets in total, of a correct connection."""
    capture = Capture(path)
    connection = Connection(capture)
    frame, head = max(octets // max(packets, 1), 100), 14 + 20 + 20 + 2 + 14 + 4
    for _ in range(packets):
        connection.fpdu(0, tagged(WRITE, 1, 0, b"x" * min(frame - head, 1420)))
        if frame - head > 1420:
            for _ in range((frame - head) // 1420):
                connection.fpdu(0, tagged(WRITE, 1, 0, b"x" * 1420))
    capture.close()


# ---- TCP ----

def one_octet_a_segment(capture, n):
    connection = Connection(capture)
    octets = fpdu(untagged(SEND, 0, 1, b"x" * 50000))
    for at in range(n):
        connection.octets(0, octets[at % len(octets):at % len(octets) + 1])


def backwards(capture, n):
    """Sixty segments at a time, the last one first."""
    connection = Connection(capture)
    for _ in range(n // 60):
        at = connection.sequence[0]
        octets = b"".join(fpdu(tagged(WRITE, 1, 0, b"x" * 78)) for _ in range(60))
        for piece in range(len(octets) - 100, -1, -100):
            connection.segment(0, octets[piece:piece + 100], sequence=at + piece)
        connection.sequence[0] = at + len(octets)


def sack_floods(capture, n):
    """Forty octets of options in each segment: contradictory SACK blocks, and options without length."""
    connection = Connection(capture)
    for number in range(n):
        blocks = b"".join(struct.pack(">II", number * 4000 + at, number * 4000 + at + 999) for at in (3000, 2000, 1000))
        options = (b"\1\1\5\x1a" + blocks + bytes(12), b"\1" * 40, b"\5\2" * 20, b"\xfe\0" + bytes(38))[number % 4]
        octets = fpdu(tagged(WRITE, 1, 0, b"x" * 20)) if number % 2 else b""
        head = struct.pack(">HHIIBBHHH", *connection.port, connection.sequence[0] & 0xFFFFFFFF, connection.sequence[1] & 0xFFFFFFFF, 0xF0, 0x18, 9, 0, 0)
        capture.packet(head + options + octets, *connection.address)
        connection.sequence[0] += len(octets)


# ---- frames ----

def frame(capture, octets):
    capture.frame(ETHERNET_HEADER + octets)


def vlan_nest(capture, n):
    for _ in range(n // 16):
        frame(capture, b"\x81\0\0\1" * 300 + b"\x08\0" + bytes(40))
    Connection(capture)


def label_nest(capture, n):
    for _ in range(n // 16):
        frame(capture, b"\x88\x47" + b"\0\0\x10\x40" * 300 + bytes(40))
    Connection(capture)


def tunnel_nest(capture, n):
    """IPv4 in IPv4, sixty times."""
    for _ in range(n // 16):
        octets = b""
        for _ in range(60):
            octets = struct.pack(">BBHHHBBHII", 0x45, 0, 20 + len(octets), 0, 0, 64, 4, 0, CLIENT, SERVER) + octets
        frame(capture, b"\x08\0" + octets)
    Connection(capture)


def header_nest(capture, n):
    """A chain of IPv6 extension headers."""
    for _ in range(n // 16):
        chain = b"\x3c\0" + bytes(6)
        octets = chain * 160
        frame(capture, b"\x86\xdd" + struct.pack(">IHBB", 6 << 28, len(octets), 60, 64) + bytes(32) + octets)
    Connection(capture)


# ---- files ----

class Ng:
    """A pcapng file."""

    def __init__(self, path):
        self.file = open(path, "wb")  # pylint: disable=consider-using-with
        self.block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))

    def block(self, kind, body):
        body += bytes(-len(body) % 4)
        self.file.write(struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body)))

    def interface(self, options=b""):
        self.block(1, struct.pack("<HHI", 1, 0, 262144) + options)

    def packet(self, interface, octets, options=b""):
        self.block(6, struct.pack("<IIIII", interface, 0, 1000, len(octets), len(octets)) + octets + bytes(-len(octets) % 4) + options)

    def close(self):
        self.file.close()


OPTIONS = b"".join(struct.pack("<HH", 1, 5) + b"hello\0\0\0" for _ in range(100)) + bytes(4)
FOREIGN = ETHERNET_HEADER + b"\x08\x06" + bytes(46)


def many_interfaces(path, n):
    capture = Ng(path)
    for number in range(n):
        capture.interface()
        capture.packet(number, FOREIGN)
    capture.close()


def many_options(path, n):
    capture = Ng(path)
    capture.interface(OPTIONS)
    for _ in range(n // 8):
        capture.packet(0, FOREIGN, OPTIONS)
    capture.close()


def names_without_end(path, n):
    """Name resolution blocks, and unknown blocks."""
    capture = Ng(path)
    capture.interface()
    records = b"".join(struct.pack("<HHI", 1, 4 + 8, 0x0100000A + number) + b"host.to\0" for number in range(50)) + bytes(4)
    for number in range(n // 8):
        capture.block(4, records)
        capture.block(0x0BAD0000 + number, bytes(200))
    capture.packet(0, FOREIGN)
    capture.close()


def many_sections(path, n):
    """Each with its own interface."""
    with open(path, "wb") as whole:
        for _ in range(n // 4):
            section = Ng("/dev/null")
            section.file.close()
            section.file = whole
            section.block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
            section.interface()
            section.packet(0, FOREIGN)


def large_and_empty(path, n):
    """Frames of 60,000 octets of the same."""
    capture = Capture(path)
    for _ in range(max(n // 200, 1)):
        capture.frame(ETHERNET_HEADER + b"\x08\0" + bytes(60000))
    capture.close()


def bomb(pack):
    def make(path, n):
        plain = pathlib.Path(f"{path}.plain")
        large_and_empty(plain, 16 * n)
        pack(plain, path)
        plain.unlink()
    return make


def gzip_file(plain, path):
    pathlib.Path(path).write_bytes(gzip.compress(plain.read_bytes(), 9, mtime=0))


gzip_bomb = bomb(gzip_file)
zstd_bomb = bomb(lambda plain, path: subprocess.run(["zstd", "-qf19", "--long=27", plain, "-o", path], check=True))
gzip_bomb.__name__, zstd_bomb.__name__ = "gzip_bomb", "zstd_bomb"
for one in (gzip_bomb, zstd_bomb):
    one.unpacked = lambda path, n: large_and_empty(path, 16 * n)

IN_TCP = [one_octet_a_segment, backwards, sack_floods, vlan_nest, label_nest, tunnel_nest, header_nest]
FILES = [many_interfaces, many_options, names_without_end, many_sections, gzip_bomb, zstd_bomb]
