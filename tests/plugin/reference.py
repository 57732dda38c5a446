# SPDX-License-Identifier: GPL-2.0-or-later
"""RPC-over-RDMA, read independently from a capture file: pcap, Ethernet, IP, TCP, MPA without Markers, DDP, RDMAP, the
chunk lists of RFC 8166. RDMA operations are applied to a model of each side's memory, and each RPC message is returned
as its inline part and the contents of its chunks."""
import dataclasses
import struct

ETHERTYPE_VLAN, ETHERTYPE_IP, ETHERTYPE_IPV6, TCP = 0x8100, 0x0800, 0x86DD, 6
WRITE, READ_REQUEST, READ_RESPONSE, SENDS = 0, 1, 2, (3, 4, 5, 6)
MSG, NOMSG = 0, 1
CALL, REPLY = 0, 1
SYN = 0x02


def packets(path):
    data = path.read_bytes()
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at + 16 <= len(data):
        captured, = struct.unpack_from(order + "I", data, at + 8)
        yield data[at + 16:at + 16 + captured]
        at += 16 + captured


def tcp_segment(packet):
    """((address, port) of sender and receiver, flags, sequence number, payload), or None."""
    kind, at = struct.unpack_from(">H", packet, 12)[0], 14
    while kind == ETHERTYPE_VLAN:
        kind, at = struct.unpack_from(">H", packet, at + 2)[0], at + 4
    if kind == ETHERTYPE_IP and packet[at + 9] == TCP:
        header, total = (packet[at] & 15) * 4, struct.unpack_from(">H", packet, at + 2)[0]
        end = at + total if total else len(packet)
        source, target, at = packet[at + 12:at + 16], packet[at + 16:at + 20], at + header
    elif kind == ETHERTYPE_IPV6 and packet[at + 6] == TCP:
        end = at + 40 + struct.unpack_from(">H", packet, at + 4)[0]
        source, target, at = packet[at + 8:at + 24], packet[at + 24:at + 40], at + 40
    else:
        return None
    source_port, target_port, sequence = struct.unpack_from(">HHI", packet, at)
    return ((source, source_port), (target, target_port), packet[at + 13], sequence,
            packet[at + (packet[at + 12] >> 4) * 4:end])


class Stream:
    """One direction of a TCP connection, from its SYN on."""

    def __init__(self, sequence):
        self.first = (sequence + 1) & 0xFFFFFFFF
        self.pieces = {}

    def add(self, sequence, payload):
        offset = (sequence - self.first) & 0xFFFFFFFF
        if payload and offset < 1 << 31:
            self.pieces[offset] = max(self.pieces.get(offset, b""), payload, key=len)

    def octets(self):
        """Octets up to the first hole."""
        out = bytearray()
        for offset in sorted(self.pieces):
            if offset > len(out):
                break
            out += self.pieces[offset][len(out) - offset:]
        return bytes(out)


def connections(path):
    """[(octets that the opening side sent, octets of the other)]"""
    open_, all_ = {}, []
    for packet in packets(path):
        segment = tcp_segment(packet)
        if segment is None:
            continue
        source, target, flags, sequence, payload = segment
        if flags & SYN:
            known = open_.get((source, target))
            if known and known.first == (sequence + 1) & 0xFFFFFFFF:
                continue  # a retransmission
            open_[source, target] = Stream(sequence)
            if not flags & 0x10:
                open_.pop((target, source), None)
            else:
                all_.append((open_[target, source], open_[source, target]))
        elif (source, target) in open_:
            open_[source, target].add(sequence, payload)
    return [(opener.octets(), other.octets()) for opener, other in all_]


def fpdus(octets):
    """ULPDUs after one start-up frame; without support for Markers."""
    if not octets.startswith(b"MPA ID Re"):
        return
    assert not octets[16] & 0x80, "Markers"
    at = 20 + struct.unpack_from(">H", octets, 18)[0]
    while at + 2 <= len(octets):
        length, = struct.unpack_from(">H", octets, at)
        end = at + 2 + length + (-(2 + length)) % 4 + 4
        if end > len(octets):
            return
        yield octets[at + 2:at + 2 + length]
        at = end


@dataclasses.dataclass
class Operation:
    """A message of RDMAP: whole octets from one side."""
    opcode: int
    data: bytes
    stag: int = 0
    offset: int = 0


def operations(octets):
    """Messages in stream order; each Tagged segment is separate."""
    sends = {}
    for ulpdu in fpdus(octets):
        control, opcode = ulpdu[0], ulpdu[1] & 15
        if control & 0x80:
            stag, offset = struct.unpack_from(">IQ", ulpdu, 2)
            last = Operation(opcode, ulpdu[14:], stag, offset)
            yield last
            if control & 0x40 and opcode == READ_RESPONSE:
                yield Operation(-1, b"")  # the end of a Read Response
            continue
        queue, number, offset = struct.unpack_from(">III", ulpdu, 6)
        whole = sends.setdefault((queue, number), bytearray())
        whole[offset:offset] = ulpdu[18:]
        if control & 0x40:
            yield Operation(opcode, bytes(sends.pop((queue, number))))


class Memory:
    """Octets by (STag, offset), as they are moved."""

    def __init__(self):
        self.regions = {}

    def write(self, stag, offset, data):
        self.regions.setdefault(stag, []).append((offset, data))

    def read(self, stag, offset, length):
        """None if an octet was never moved."""
        out, there = bytearray(length), bytearray(length)
        for start, data in self.regions.get(stag, []):
            low, high = max(start, offset), min(start + len(data), offset + length)
            if low < high:
                out[low - offset:high - offset] = data[low - start:high - start]
                there[low - offset:high - offset] = b"\1" * (high - low)
        return bytes(out) if all(there) else None

    def forget(self, stag):
        self.regions.pop(stag, None)


@dataclasses.dataclass
class Header:
    xid: int
    proc: int
    reads: list  # (position, stag, length, offset)
    writes: list  # [(stag, length, offset), ...]
    reply: list  # or None
    inline: bytes


def header(send):
    """None if there are no chunk lists."""
    if len(send) < 28 or struct.unpack_from(">I", send, 4)[0] != 1:
        return None
    xid, _, _, proc = struct.unpack_from(">IIII", send)
    if proc not in (MSG, NOMSG):
        return None
    at, reads, writes, reply = 16, [], [], None
    while struct.unpack_from(">I", send, at)[0]:
        reads.append(struct.unpack_from(">IIIQ", send, at + 4))
        at += 24
    at += 4

    def chunk(at):
        count, = struct.unpack_from(">I", send, at)
        return [struct.unpack_from(">IIQ", send, at + 4 + 16 * i) for i in range(count)], at + 4 + 16 * count
    while struct.unpack_from(">I", send, at)[0]:
        segments, at = chunk(at + 4)
        writes.append(segments)
    at += 4
    if struct.unpack_from(">I", send, at)[0]:
        reply, at = chunk(at + 4)
    else:
        at += 4
    return Header(xid, proc, reads, writes, reply, send[at:])


@dataclasses.dataclass
class Message:
    """An RPC message: `inline` is the part that was not reduced (for Long messages the contents of their chunk)."""
    kind: int
    xid: int
    inline: bytes
    chunks: list = dataclasses.field(default_factory=list)  # (position or None, octets)

    def whole(self):
        """Calls: with reduced octets back at their Position."""
        out, used = bytearray(), 0
        for position, octets in sorted(self.chunks):
            more = position - len(out)
            out += self.inline[used:used + more] + octets + bytes(-len(octets) % 4)
            used += more
        return bytes(out + self.inline[used:])


def answers_of(opener, other):
    """Octets that `opener` sent in answer to Read Requests of `other`: Memory of opener's, by the STags read."""
    memory = Memory()
    requests = iter([operation for operation in operations(other) if operation.opcode == READ_REQUEST])
    current = None
    for operation in operations(opener):
        if operation.opcode == -1:
            current = None
        elif operation.opcode == READ_RESPONSE:
            if current is None:
                current = struct.unpack(">IQIIQ", next(requests).data)
            _, sink, _, source_stag, source = current
            memory.write(source_stag, source + operation.offset - sink, operation.data)
    return memory


def calls(sent, memory):
    """The Calls among one side's operations; memory: its own, as the other side read it."""
    for operation in sent:
        send = header(operation.data) if operation.opcode in SENDS else None
        if send is None or (send.proc == MSG and struct.unpack_from(">I", send.inline, 4)[0] != CALL):
            continue
        if send.proc == NOMSG and not any(read[0] == 0 for read in send.reads):
            continue
        parts = {}
        for position, stag, length, offset in send.reads:
            data = memory.read(stag, offset, length)
            parts[position] = None if data is None or parts.get(position, b"") is None else parts.get(position, b"") + data
        if None in parts.values():
            continue  # never read
        inline = parts.pop(0) if send.proc == NOMSG else send.inline
        yield Message(CALL, send.xid, inline, sorted(parts.items()))


def replies(sent):
    """The Replies among one side's operations."""
    memory = Memory()
    for operation in sent:
        if operation.opcode == WRITE:
            memory.write(operation.stag, operation.offset, operation.data)
        send = header(operation.data) if operation.opcode in SENDS else None
        if send is None or (send.proc == MSG and struct.unpack_from(">I", send.inline, 4)[0] != REPLY):
            continue
        if send.proc == NOMSG and any(read[0] == 0 for read in send.reads):
            continue

        def octets_of(segments):
            return b"".join(memory.read(stag, offset, length) for stag, length, offset in segments)
        inline = octets_of(send.reply) if send.proc == NOMSG else send.inline
        data = [octets_of(chunk) for chunk in send.writes]
        yield Message(REPLY, send.xid, inline, [(None, octets) for octets in data if octets])
        for chunk in [*send.writes, send.reply or []]:
            for stag, _, _ in chunk:
                memory.forget(stag)  # the offering Call is over


def messages(path):
    """All RPC messages of the capture: [Message], connection by connection, Calls before Replies."""
    found = []
    for opener, other in connections(path):
        for one, two in ((opener, other), (other, opener)):
            found += calls(operations(one), answers_of(one, two))
        found += [*replies(operations(other)), *replies(operations(opener))]
    return found
