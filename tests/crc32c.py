# SPDX-License-Identifier: GPL-2.0-or-later
"""The CRC of an FPDU (RFC 5044 section 4.4), for tests that make or read octets."""


def table():
    values = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
        values.append(value)
    return values


TABLE = table()


def crc32c(octets):
    """The CRC as a number; its least significant octet is sent first."""
    value = 0xFFFFFFFF
    for octet in octets:
        value = TABLE[(value ^ octet) & 0xFF] ^ value >> 8
    return value ^ 0xFFFFFFFF
