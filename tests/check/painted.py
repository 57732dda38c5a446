# SPDX-License-Identifier: GPL-2.0-or-later
"""The pixels of a PNG as browsers write them (8 bits a channel, RGB or RGBA, not interlaced)."""
import collections
import struct
import zlib


def paeth(left, above, corner):
    distances = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
    return (left, above, corner)[distances.index(min(distances))]


def rows(png):
    """The rows of pixels, each as octets; and the octets of a pixel. PNG specification, section 9: filters."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", png[at + 8:at + 21])
            assert depth == 8 and colour in (2, 6) and not interlace
        elif kind == b"IDAT":
            packed += png[at + 8:at + 8 + length]
        at += length + 12
    size = 3 if colour == 2 else 4
    data, stride, above, out = zlib.decompress(packed), width * size, bytearray(width * size), []
    for y in range(height):
        kind, row = data[y * (stride + 1)], bytearray(data[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride if kind else 0):
            left, corner = (row[i - size], above[i - size]) if i >= size else (0, 0)
            row[i] = (row[i] + (left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[kind - 1]) & 255
        out.append(bytes(row))
        above = row
    return out, size


def colours(png):
    """How many pixels have which colour (red, green, blue)."""
    lines, size = rows(png)
    return collections.Counter(line[i:i + 3] for line in lines for i in range(0, len(line), size))


def is_blank(png):
    """Text that is painted has hundreds of colours at its edges; frames and areas have a few."""
    return len(colours(png)) < 300
