#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""unicode.py OUT: writes tables of characters as C: the format characters, and those that are two columns wide, from GLib."""
import ctypes
import sys

END = 0x110000
G_UNICODE_FORMAT = 1
GLIB = ctypes.CDLL("libglib-2.0.so.0")


def ranges(fits):
    first = None
    for point in range(END + 1):
        if point < END and fits(point):
            first = point if first is None else first
        elif first is not None:
            yield first, point - 1
            first = None


def table(name, fits):
    rows = "".join(f"    {{0x{first:X}, 0x{last:X}}},\n" for first, last in ranges(fits))
    return f"static const struct span {name}[] = {{\n{rows}}};\n"


with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write("/* Made by unicode.py. */\n")
    out.write(table("format_characters", lambda point: GLIB.g_unichar_type(point) == G_UNICODE_FORMAT))
    out.write(table("wide_characters", GLIB.g_unichar_iswide))
