# SPDX-License-Identifier: GPL-2.0-or-later
"""Messages of two ends, read from a pcap file independently: Ethernet, IPv4, TCP, the start-up frames of MPA, Markers,
FPDUs, DDP, RDMAP. One list of messages for each direction of each connection."""
import collections
import struct

SYN, ACK = 0x02, 0x10
KEYS = (b"MPA ID Req Frame", b"MPA ID Rep Frame")
MARKERS, REJECTED = 0x80, 0x20
WRITE, READ_REQUEST, READ_RESPONSE, TERMINATE, ATOMIC_REQUEST, ATOMIC_RESPONSE = 0, 1, 2, 7, 0xA, 0xB
SENDS, IMMEDIATES = (3, 4, 5, 6), (8, 9)
PERIOD = 512

Message = collections.namedtuple("Message", "opcode stag to payload")  # to: Tagged only


def segments(path):
    """(ports, flags, sequence number, payload) of every packet with TCP."""
    data, at = path.read_bytes(), 24
    while at + 16 <= len(data):
        captured, = struct.unpack_from("<I", data, at + 8)
        packet, at = data[at + 16:at + 16 + captured], at + 16 + captured
        ip = 14
        head, total = (packet[ip] & 15) * 4, struct.unpack_from(">H", packet, ip + 2)[0]
        tcp = ip + head
        ports, sequence = packet[ip + 12:tcp] + packet[tcp:tcp + 4], struct.unpack_from(">I", packet, tcp + 4)[0]
        yield ports, packet[tcp + 13], sequence, packet[tcp + (packet[tcp + 12] >> 4) * 4:ip + total]


class Connection:
    def __init__(self, opener):
        self.opener, self.first, self.pieces = opener, {}, collections.defaultdict(dict)

    def octets(self, ports):
        """Octets up to the first hole."""
        out = bytearray()
        for offset, piece in sorted(self.pieces[ports].items()):
            if offset > len(out):
                break
            out += piece[len(out) - offset:]
        return bytes(out)


def reverse(ports):
    return ports[4:8] + ports[:4] + ports[10:12] + ports[8:10]


def streams(path):
    """Pairs of octet streams, the opener's first, in the order of the opener's ports (a SYN may be overtaken), and of time
    if ports are reused."""
    now, every = {}, []
    for ports, flags, sequence, payload in segments(path):
        connection = now.get(ports)
        if flags & SYN:
            first = (sequence + 1) & 0xFFFFFFFF
            if not flags & ACK and (connection is None or connection.first[ports] != first):
                connection = now[ports] = now[reverse(ports)] = Connection(ports)
                every.append(connection)
            connection.first.setdefault(ports, first)
        elif payload and connection and ports in connection.first:
            offset = (sequence - connection.first[ports]) & 0xFFFFFFFF
            if offset < 1 << 31:
                pieces = connection.pieces[ports]
                pieces[offset] = max(pieces.get(offset, b""), payload, key=len)
    return [(c.octets(c.opener), c.octets(reverse(c.opener))) for c in sorted(every, key=lambda c: c.opener[8:10])]


def startup(octets, key):
    """(flags, where the FPDUs begin), or None."""
    if octets[:16] != key:
        return None
    return octets[16], 20 + struct.unpack_from(">H", octets, 18)[0]


def ulpdus(octets, markers):
    """octets begins after the start-up frame, where the first Marker is due."""
    if markers:  # every 512 octets of the stream begin with one
        octets = b"".join(octets[i + 4:i + PERIOD] for i in range(0, len(octets), PERIOD))
    at = 0
    while at + 2 <= len(octets):
        n, = struct.unpack_from(">H", octets, at)
        end = at + 2 + n + (-(n + 2) & 3) + 4
        if end > len(octets):
            return
        yield octets[at + 2:at + 2 + n]
        at = end


def messages(octets, markers):
    parts, out = collections.defaultdict(bytes), []
    for ulpdu in ulpdus(octets, markers):
        tagged, last, opcode = ulpdu[0] & 0x80, ulpdu[0] & 0x40, ulpdu[1] & 15
        if tagged:
            stag, to = struct.unpack_from(">IQ", ulpdu, 2)
            key, payload = "tagged", ulpdu[14:]
        else:
            stag, queue, _, offset = struct.unpack_from(">IIII", ulpdu, 2)
            key, payload = queue, ulpdu[18:]
            assert offset == len(parts[key])
        if not parts[key] and tagged:
            begin = to
        parts[key] += payload
        if tagged:
            assert to == begin + len(parts[key]) - len(payload)
        if last:
            out.append(Message(opcode, stag, begin if tagged else None, parts.pop(key)))
    assert not any(parts.values())
    return out


def conversations(path):
    """For each connection: the Initiator's messages and the Responder's, or None without an agreement."""
    out = []
    for opener, other in streams(path):
        if not opener.startswith(KEYS[0]):
            opener, other = other, opener
        request, reply = startup(opener, KEYS[0]), startup(other, KEYS[1])
        if not request or not reply or reply[0] & REJECTED:
            out.append(None)
            continue
        old = 0 in (opener[17], other[17])
        out.append((messages(opener[request[1]:], old or reply[0] & MARKERS),
                    messages(other[reply[1]:], old or request[0] & MARKERS)))
    return out
