# SPDX-License-Identifier: GPL-2.0-or-later
"""A Responder in a few lines, for tests of a device as a whole: which start-up it accepts, and when it dies. It frames with CRC as negotiated, without
Markers, answers Reads of no octets, and closes after an FPDU with a wrong CRC."""
import collections
import contextlib
import socket
import struct
import threading
import time

from crc32c import crc32c

Request = collections.namedtuple("Request", "markers crc enhanced revision a rtr ird ord data")


READ = 4  # RTR type in its Replies; 1: Send, 2: Write


def fpdu(ulpdu, crc=True):
    octets = struct.pack(">H", len(ulpdu)) + ulpdu
    octets += bytes(-len(octets) % 4)
    return octets + struct.pack("<I", crc32c(octets) if crc else 0)


def reply(request, reject=False, **change):
    """The Reply to the request, as octets."""
    flags = (0x40 if change.get("crc", request.crc) else 0) | (0x20 if reject else 0) | (0x10 if request.enhanced else 0)
    data = b""
    if request.enhanced:
        a, rtr = change.get("a", request.a), change.get("rtr", READ)
        first, second = (0x8000 | (rtr & 1) << 14, (rtr >> 1 & 1) << 15 | (rtr >> 2 & 1) << 14) if a else (0, 0)
        data = struct.pack(">HH", first | request.ord, second | min(request.ird, 16))
    return b"MPA ID Rep Frame" + struct.pack(">BBH", flags, request.revision, len(data)) + data


class Gone(Exception):
    """The connection is over."""


class Device:
    """takes(request) returns True, False (R = 1), changes to its Reply, "close", "silent" or "deaf"; bad_crc(device) is called at each wrong CRC and returns
    whether the connection is closed properly."""

    def __init__(self, takes=lambda request: True, bad_crc=lambda device: True, answers_reads=True):
        self.takes, self.bad_crc, self.answers_reads = takes, bad_crc, answers_reads
        self.requests, self.over, self.hung, self.rejects, self.stuffing = [], threading.Event(), False, False, []
        self.crashes = 0
        self.pauses = {"Request": 0, "Read": 0}  # seconds before each answer
        self.listener, self.port = None, 0
        self.listen()

    def listen(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        listener.settimeout(0.05)
        while not self.over.is_set() and self.listener is listener:
            with contextlib.suppress(TimeoutError, OSError):
                self.begin(listener.accept()[0])
        listener.close()

    def begin(self, connection):
        threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    # ---- faults ----

    def die(self, back_after=None):
        """Stops listening, forever or until then."""
        self.crashes += 1
        listener, self.listener = self.listener, None
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        if back_after is not None:
            threading.Timer(back_after, self.listen).start()

    def vanish(self):
        """SYNs are no longer answered: the backlog is full, and nobody accepts."""
        self.die()
        time.sleep(0.1)
        full = socket.create_server(("127.0.0.1", self.port), backlog=0)
        self.stuffing = [full]
        for _ in range(3):
            one = socket.socket()
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", self.port))
            self.stuffing.append(one)

    def revive(self):
        for one in self.stuffing:
            one.close()
        self.stuffing, self.hung, self.rejects = [], False, False
        if self.listener is None:
            self.listen()

    def close(self):
        self.over.set()
        for one in self.stuffing:
            one.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- one connection ----

    def serve(self, connection):
        with connection, contextlib.suppress(OSError, Gone):
            connection.settimeout(20)
            request = self.hear_request(connection)
            self.requests.append(request)
            verdict = False if self.rejects else "silent" if self.hung else self.takes(request)
            if verdict == "silent":
                self.ignore(connection)
            if verdict == "close":
                return
            time.sleep(self.pauses["Request"])
            connection.sendall(reply(request, verdict is False, **(verdict if isinstance(verdict, dict) else {})))
            if verdict == "deaf":
                self.ignore(connection)
            elif verdict is not False:
                self.operate(connection, request)

    @staticmethod
    def ignore(connection):
        while connection.recv(1000):
            pass

    @staticmethod
    def exactly(connection, n):
        octets = b""
        while len(octets) < n:
            more = connection.recv(n - len(octets))
            if not more:
                raise Gone
            octets += more
        return octets

    def hear_request(self, connection):
        head = self.exactly(connection, 20)
        flags, revision, length = struct.unpack(">BBH", head[16:])
        if not head.startswith(b"MPA ID Req Frame") or length > 512:
            raise Gone
        if flags & 0x10 and length < 4:
            raise Gone
        data = self.exactly(connection, length)
        first, second = struct.unpack(">HH", data[:4]) if flags & 0x10 else (0, 0)
        rtr = (first >> 14 & 1) | (second >> 15 & 1) << 1 | (second >> 14 & 1) << 2
        return Request(bool(flags & 0x80), bool(flags & 0x40), bool(flags & 0x10), revision, bool(first & 0x8000), rtr,
                       first & 0x3FFF, second & 0x3FFF, data[4:] if flags & 0x10 else data)

    def operate(self, connection, request):
        while True:
            head = self.exactly(connection, 2)
            length = struct.unpack(">H", head)[0]
            rest = self.exactly(connection, length + -(length + 2) % 4 + 4)
            octets = head + rest[:-4]
            if self.hung:
                continue
            if request.crc and crc32c(octets) != struct.unpack("<I", rest[-4:])[0]:
                if self.bad_crc(self):
                    return
                continue
            ulpdu = octets[2:2 + length]
            if self.answers_reads and len(ulpdu) >= 46 and ulpdu[1] & 0x0F == 1 and not ulpdu[0] & 0x80:
                sink_stag, sink_to = struct.unpack(">IQ", ulpdu[18:30])
                time.sleep(self.pauses["Read"])
                connection.sendall(fpdu(struct.pack(">BBIQ", 0xC1, 0x42, sink_stag, sink_to), request.crc))
