# SPDX-License-Identifier: GPL-2.0-or-later
"""Random Calls and Replies of every procedure and operation that wire/nfs_types.txt knows, and a capture of them."""
import struct
import sys

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "wire"))
import nfs_types  # noqa: E402  (needs the path)

MARKS = nfs_types.read_marks(ROOT / "wire" / "nfs.h")
DEFINITIONS = nfs_types.read(ROOT / "wire" / "nfs_types.txt", MARKS)
LONGEST = 40


class Writer:
    """Writes random values of a block. Where a status is, it is the one given."""

    def __init__(self, random, status=0):
        self.random, self.status, self.out = random, status, bytearray()

    def number(self, value):
        self.out += struct.pack(">I", value)

    def opaque(self, octets):
        self.number(len(octets))
        self.out += octets + bytes(-len(octets) % 4)

    def text(self, n):
        return bytes(self.random.choice(b"abcdefghijklmnopqrstuvwxyz") for _ in range(n))

    def block(self, steps):
        previous = None
        for step in nfs_types.walked(steps):
            # Attributes are decoded by their bitmap: none are asked for, so there are none.
            empty = previous is not None and previous.kind == "WORD_ARRAY"
            getattr(self, step.kind.lower())(step, empty)
            previous = step

    def words(self, step, _):
        for _ in range(step.n):
            self.number(self.random.randrange(1000, 100000))

    def word(self, step, _):
        self.number({"STATUS": self.status, "MINOR_VERSION": 2}.get(step.mark, self.random.randrange(1, 9)))

    def boolean(self, _step, _):
        self.number(self.random.randrange(2))

    def item(self, step, empty):
        self.opaque(self.text(0 if empty else self.random.randrange(1, min(step.n, LONGEST) + 1)))

    def fixed(self, step, _):
        self.out += self.text(step.n)

    def word_array(self, _step, _):
        self.number(0)

    def array(self, step, _):
        n = self.random.randrange(min(step.n, 3) + 1)
        self.number(n)
        for _ in range(n):
            self.block(step.body)

    def optional(self, step, _):
        present = self.random.randrange(2)
        self.number(present)
        if present:
            self.block(step.body)

    def list(self, step, _):
        for _ in range(self.random.randrange(3)):
            self.number(1)
            self.block(step.body)
        self.number(0)

    def switch(self, step, _):
        arms = [arm for arm in step.arms if arm[1] is not nfs_types.UNKNOWN]
        if step.mark == "DELEGATION":  # those of attributes came after Wireshark 4.0
            arms = [arm for arm in arms if arm[0] < 4]
        if step.mark == "STATUS":
            value = self.status
            body = next((arm[1] for arm in arms if arm[0] == value), arms[-1][1])
        else:
            value, body = self.random.choice(arms)
            if value is None:
                value = next(i for i in range(20) if i not in [arm[0] for arm in arms])
        self.number(value)
        self.block(body)


def message(random, steps, status):
    writer = Writer(random, status)
    writer.block(steps)
    return bytes(writer.out)


def compound(random, callback, numbers, status):
    """A Call and its Reply with these operations; the last of them with this status."""
    arguments, results = Writer(random), Writer(random)
    arguments.opaque(b"")
    arguments.number(2)
    if callback:
        arguments.number(1)
    results.number(status)
    results.opaque(b"")
    for writer in (arguments, results):
        writer.number(len(numbers))
    for place, number in enumerate(numbers):
        _, call, reply = DEFINITIONS.operations[callback][number]
        arguments.number(number)
        arguments.block(call)
        results.number(number)
        results.status = status if place == len(numbers) - 1 else 0
        results.block(reply)
    return bytes(arguments.out), bytes(results.out)


def rpc_call(xid, program, version, procedure, arguments):
    return struct.pack(">10I", xid, 0, 2, program, version, procedure, 0, 0, 0, 0) + arguments


def rpc_reply(xid, results):
    return struct.pack(">6I", xid, 1, 0, 0, 0, 0) + results


def capture(path, messages):
    """messages: [(from the server, RPC message)], each a TCP segment with a record mark (RFC 5531 section 11)."""
    sequence = [1000, 5000]
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 262144, 101))
        for number, (back, rpc) in enumerate(messages):
            payload = struct.pack(">I", 0x80000000 | len(rpc)) + rpc
            ports, ends = ((2049, 800), (1, 2)) if back else ((800, 2049), (2, 1))
            tcp = struct.pack(">HHIIBBHHH", *ports, sequence[back], sequence[1 - back], 5 << 4, 0x18, 0xffff, 0, 0)
            sequence[back] += len(payload)
            ip = struct.pack(">BBHHHBBHBBBBBBBB", 0x45, 0, 40 + len(payload), number & 0xffff, 0, 64, 6, 0,
                             10, 0, 0, ends[0], 10, 0, 0, ends[1])
            packet = ip + tcp + payload
            out.write(struct.pack("<IIII", number, 0, len(packet), len(packet)) + packet)


BEFORE = 20 + 20 + 4  # octets of a frame before the RPC message
