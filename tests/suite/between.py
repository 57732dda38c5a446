# SPDX-License-Identifier: GPL-2.0-or-later
"""Between a conforming device and the suites: changes the device's messages, or adds others."""
import contextlib
import socket
import struct
import threading

from crc32c import crc32c

UNTAGGED, TAGGED = 18, 14  # octets of DDP's headers
READ_REQUEST, READ_RESPONSE, SEND, TERMINATE = 1, 2, 3, 7
SENDS = {3, 4, 5, 6}


def fpdu(ulpdu):
    octets = struct.pack(">H", len(ulpdu)) + ulpdu
    octets += bytes(-len(octets) % 4)
    return octets + struct.pack("<I", crc32c(octets))


class Segment:
    """A DDP segment that can be changed."""

    def __init__(self, ulpdu, is_good):
        self.ulpdu, self.is_good = bytearray(ulpdu), is_good

    @property
    def opcode(self):
        return self.ulpdu[1] & 15 if len(self.ulpdu) > 1 else None

    @property
    def is_tagged(self):
        return bool(self.ulpdu and self.ulpdu[0] & 0x80)

    @property
    def payload(self):
        return bytes(self.ulpdu[TAGGED if self.is_tagged else UNTAGGED:])

    def says(self, opcode):
        return len(self.ulpdu) >= TAGGED and self.opcode == opcode and self.is_tagged == (opcode == READ_RESPONSE)


def send(payload, last=True):
    """The MSN is set on sending."""
    return Segment(bytes([0x41 if last else 1, 0x43]) + bytes(4) + struct.pack(">III", 0, 0, 0) + payload, True)


class Between:
    """One connection. said(segment) and asked(segment), for the device's and the suite's segments, return the segments that the suite
    receives."""

    def __init__(self, suite, device, is_responder):
        self.suite, self.device, self.sends, self.lock = suite, device, 0, threading.Lock()
        ways = ((suite, device, self.from_suite), (device, suite, self.from_device))
        for source, target, take in ways:
            threading.Thread(target=self.pass_on, args=(source, target, take), daemon=True).start()

    def said(self, segment):
        return [segment]

    def asked(self, segment):
        return []

    def from_suite(self, octets, segment):
        answers = self.asked(segment)
        self.hear(answers)
        self.device.sendall(octets)

    def from_device(self, octets, segment):
        if segment.is_good:
            self.hear(self.said(segment))
        else:
            self.suite.sendall(octets)

    def hear(self, segments):
        """Numbers the MSNs of Sends again, as some were added. Octets are sent unchanged."""
        with self.lock:
            for segment in segments:
                if isinstance(segment, Segment) and segment.opcode in SENDS and not segment.is_tagged:
                    self.sends += 1
                    struct.pack_into(">I", segment.ulpdu, 10, self.sends)
                    self.sends -= not segment.ulpdu[0] & 0x40
                self.suite.sendall(fpdu(bytes(segment.ulpdu)) if isinstance(segment, Segment) else segment)

    def pass_on(self, source, target, take):
        with contextlib.suppress(OSError, EOFError):
            head = exactly(source, 20)
            target.sendall(head + exactly(source, struct.unpack(">H", head[18:])[0]))
            while True:
                head = exactly(source, 2)
                length = struct.unpack(">H", head)[0]
                rest = exactly(source, length + -(length + 2) % 4 + 4)
                octets = head + rest
                is_good = crc32c(octets[:-4]) == struct.unpack("<I", octets[-4:])[0]
                take(octets, Segment(rest[:length], is_good))
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RD if end is source else socket.SHUT_WR)


def exactly(source, n):
    octets = b""
    while len(octets) < n:
        more = source.recv(n - len(octets))
        if not more:
            raise EOFError
        octets += more
    return octets


class Proxy:
    """Listens at self.port, and connects each connection to the other port; kind: a Between."""

    def __init__(self, port, kind, is_responder):
        self.to, self.kind, self.is_responder, self.over = port, kind, is_responder, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(0.2)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while not self.over:
            with contextlib.suppress(TimeoutError, OSError):
                opener = self.listener.accept()[0]
                other = socket.create_connection(("127.0.0.1", self.to))
                for end in (opener, other):
                    end.settimeout(30)
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.kind(*((opener, other) if self.is_responder else (other, opener)), self.is_responder)

    def close(self):
        self.over = True
        self.listener.close()
