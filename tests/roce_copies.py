# SPDX-License-Identifier: GPL-2.0-or-later
"""Retransmitted packets of RoCE v2, unchanged and changed."""
import struct

import captures

RULE = "RPCR-2.3.2-04"
COPY_NS = 100_000
BTH = 42  # after Ethernet, IPv4 without options, UDP
SEND, WRITE, READ, RESPONSE, ATOMIC = {0x00, 0x01, 0x02, 0x04, 0x17}, {0x06, 0x0A}, {0x0C}, {0x0D, 0x0F, 0x10}, {0x14}
WRITE_MIDDLE, ATOMIC_ANSWER = {0x07, 0x08}, {0x12}
HEADERS = {0x17: 4, 0x06: 16, 0x0A: 16, 0x0C: 16, 0x0D: 4, 0x0F: 4, 0x10: 4, 0x12: 12, 0x14: 28}


def opcode(octets):
    return octets[BTH] if octets[12:15] == b"\x08\0\x45" and octets[36:38] == b"\x12\xb7" and len(octets) > BTH else None


def payload(octets):
    return BTH + 12 + HEADERS.get(octets[BTH], 0)


def sealed(octets):
    """The octets with their right ICRC and checksum of the IPv4 header."""
    octets = bytearray(octets)
    octets[24:26] = b"\0\0"
    total = sum(struct.unpack(">10H", octets[14:34]))
    total = (total & 0xFFFF) + (total >> 16)
    octets[24:26] = struct.pack(">H", ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF)
    right, end = captures.icrc(octets, captures.IPV4, 14)
    return bytes(octets[:end]) + right + bytes(octets[end + 4:])


def inverted(at):
    """Inverts the slice of the octets that at(octets) returns."""
    def change(octets):
        octets = bytearray(octets)
        octets[at(octets)] = bytes(octet ^ 0xFF for octet in octets[at(octets)])
        return octets
    return change


def header(start, size):
    return inverted(lambda octets: slice(BTH + 12 + start, BTH + 12 + start + size))


def of_payload(start, size):
    return inverted(lambda octets: slice(payload(octets) + start, payload(octets) + start + size))


def of_bth(start, mask):
    def change(octets):
        octets = bytearray(octets)
        octets[BTH + start] ^= mask
        return octets
    return change


def shorter(octets):
    octets = bytearray(octets)
    octets[-8:-4] = b""
    octets[16:18] = struct.pack(">H", struct.unpack(">H", octets[16:18])[0] - 4)
    octets[38:40] = struct.pack(">H", struct.unpack(">H", octets[38:40])[0] - 4)
    return octets


def another(octets):
    octets = bytearray(octets)
    octets[4 + 14:6 + 14] = b"\xab\xcd"  # the IP header's identification
    return octets


# name: (opcodes, the change, severity, text of the finding)
WRONG = {
    "payload of a Send": (SEND, of_payload(28, 4), "error", "at octet 28 of the payload"),
    "one octet of a Send": (SEND, of_payload(7, 1), "error", "(1 octets differ, the last at 7)"),
    "operation": (SEND, of_bth(0, 0x0A ^ 0x04), "error", "with this PSN; found"),
    "length": (SEND, shorter, "error", "octets of payload, as first sent"),
    "payload of a Write": (WRITE, of_payload(100, 32), "error", "at octet 100 of the payload"),
    "middle of a Write": (WRITE_MIDDLE, of_payload(3, 1), "error", "at octet 3 of the payload"),
    "address of a Write": (WRITE, header(7, 1), "error", "expected address 0x"),
    "R_Key of a Write": (WRITE, header(8, 1), "error", "R_Key 0x"),
    "length of a Write": (WRITE, header(13, 1), "error", "DMA Length"),
    "address of a Read": (READ, header(6, 1), "error", "expected address 0x"),
    "R_Key of a Read": (READ, header(10, 2), "error", "R_Key 0x"),
    "length of a Read": (READ, header(15, 1), "error", "DMA Length"),
    "Read Response": (RESPONSE, of_payload(64, 8), "warning", "at octet 64 of the payload"),
}
ATOMICS = {
    "what is added": (ATOMIC, header(19, 1), "error", "Swap or Add Data"),
    "address of an Atomic": (ATOMIC, header(7, 1), "error", "expected address 0x"),
    "result of an Atomic": (ATOMIC_ANSWER, header(11, 1), "error", "expected original data 0x"),
}
ALL = SEND | WRITE | WRITE_MIDDLE | READ | RESPONSE
RIGHT = {
    "the same": bytes,
    "another IP header": another,
    "Acknowledge Request": of_bth(8, 0x80),
    "Solicited Event": of_bth(1, 0x80),
    "FECN": of_bth(4, 0x80),
    "BECN": of_bth(4, 0x40),
    "MigReq": of_bth(1, 0x40),
}


def wrong(whole, opcodes, change, seal=sealed):
    """The packets with a changed copy after the first with such an opcode, and the numbers of both."""
    for i, (time, octets, length) in enumerate(whole):
        if opcode(octets) in opcodes:
            copy = seal(change(octets))
            return [*whole[:i + 1], (time, copy, length + len(copy) - len(octets)), *whole[i + 1:]], i + 1, i + 2
    raise AssertionError(f"no packet with opcode {opcodes}")


def right(whole, opcodes, change, seal=sealed):
    """Each packet with such an opcode, and a changed copy after it, too late to be a copy made by the capture."""
    seen, late = [], 0
    for time, octets, length in whole:
        seen.append((time + late, octets, length))
        if opcode(octets) in opcodes:
            late += COPY_NS
            seen.append((time + late, seal(change(octets)), length))
    return seen


def crosses(octets, other):
    """Whether it goes the other way."""
    return octets[26:30] == other[30:34]


def asked_for(octets):
    """Octets requested by a Read Request."""
    return int.from_bytes(octets[BTH + 24:BTH + 28], "big")


def later(octets, n):
    """A Read Request for the octets after its first n, for one PSN."""
    octets, at = bytearray(octets), BTH + 12
    octets[BTH + 9:BTH + 12] = (int.from_bytes(octets[BTH + 9:BTH + 12], "big") + 1 & 0xFFFFFF).to_bytes(3, "big")
    octets[at:at + 8] = (int.from_bytes(octets[at:at + 8], "big") + n).to_bytes(8, "big")
    octets[at + 12:at + 16] = (int.from_bytes(octets[at + 12:at + 16], "big") - n).to_bytes(4, "big")
    return sealed(octets)


def nak(acknowledge, request):
    """The Acknowledge as a NAK, PSN sequence error, for this request."""
    octets = bytearray(acknowledge)
    octets[BTH + 9:BTH + 12] = request[BTH + 9:BTH + 12]
    octets[BTH + 12] = 0x60
    return sealed(octets)
