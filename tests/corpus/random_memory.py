# SPDX-License-Identifier: GPL-2.0-or-later
"""Random scripts of conversations about memory that nobody else writes: Writes, Reads and Atomics of several STags in
flight, with Sends and Immediate Data between them. The Responder's memory is known, so one wrong result can be put into
a conversation. Writes are placed on arrival; an Atomic or a Read is served then, or when it is answered."""
import random
import struct

MAX = (1 << 64) - 1
OCTETS = 192  # for each STag
WRITE, READ_RESPONSE, ATOMIC_RESPONSE = 0, 2, 11  # opcodes
SINK = 0xD000
STAGS = (0xA000, 0xB000, 0xC000)
BASES = {0xA000: 0, 0xB000: 0x1000, 0xC000: 0x7FFF0000}


def masked_add(original, data, mask):
    return ((original & ~mask & MAX) + (data & ~mask & MAX) & MAX) ^ ((original ^ data) & mask)


class Memory:
    """Writes one conversation; results are the places of answers whose value is known from earlier messages."""

    def __init__(self, seed, statements=60, in_flight=4):
        self.random = random.Random(seed)
        self.order = self.random.choice(["little", "big"])
        self.octets = {stag: bytearray(self.random.randrange(256) for _ in range(OCTETS)) for stag in STAGS}
        self.shown, self.doubtful = set(), set()  # (STag, octet) that were written, and that two messages raced for
        self.sink = self.msn = 0
        self.length, self.in_flight = statements, in_flight
        self.waiting, self.statements, self.results = [], [], []
        self.small = self.random.random() < 0.5  # uses counters rather than all 64 bits

    def number(self):
        return self.random.randrange(4) if self.small and self.random.random() < 0.8 else self.random.randrange(1 << 64)

    def place(self, length, step):
        stag = self.random.choice(STAGS)
        return stag, self.random.randrange(0, min(OCTETS - length, 64) + 1, step)

    @staticmethod
    def tagged(opcode, stag, to, octets):
        return "fpdu " + (struct.pack(">BBIQ", 0xC1, 0x40 | opcode, stag, to) + octets).hex()

    def result(self, request, octets):
        """The answer to the request, with these octets of memory."""
        if request["kind"] == "read":
            return "R " + self.tagged(READ_RESPONSE, SINK, request["sink"], octets)
        return "R fpdu " + struct.pack(">BBIIIIIQ", 0x41, 0x40 | ATOMIC_RESPONSE, 0, 3, request["msn"], 0, request["id"],
                                       int.from_bytes(octets, self.order)).hex()

    def write(self):
        length = self.random.choice([8, 8, 1, 3, 16, 40])
        stag, at = self.place(length, self.random.choice([1, 8]))
        octets = bytes(self.random.randrange(256) for _ in range(length))
        if length == 8 and self.random.random() < 0.5:
            octets = self.number().to_bytes(8, self.order)
        for waiting in self.waiting:  # it may find the old contents, or the new
            if waiting["stag"] == stag and waiting["at"] < at + length and at < waiting["at"] + waiting["length"]:
                waiting["doubtful"] = True
                if waiting["kind"] != "read":  # or be performed before or after this one
                    self.doubtful |= {(stag, waiting["at"] + i) for i in range(8)}
        self.octets[stag][at:at + length] = octets
        self.shown |= {(stag, at + i) for i in range(length)}
        self.statements.append("I " + self.tagged(WRITE, stag, BASES[stag] + at, octets))

    def read(self):
        length = self.random.choice([8, 8, 4, 24, 64])
        stag, at = self.place(length, self.random.choice([1, 8]))
        self.sink += 0x100
        self.statements.append(f"I read src={stag} srcto={BASES[stag] + at} size={length} sink={SINK} sinkto={self.sink}")
        self.ask({"kind": "read", "stag": stag, "at": at, "length": length, "sink": self.sink})

    def atomic(self):
        stag, at = self.place(8, 8)
        add = self.random.random() < 0.6
        value = int.from_bytes(self.octets[stag][at:at + 8], self.order)
        request = {"kind": "add" if add else "swap", "stag": stag, "at": at, "length": 8, "data": self.number(), "mask": 0}
        if self.random.random() < 0.3 or not add:
            request["mask"] = self.random.choice([MAX, self.random.randrange(1 << 64), 0x8080808080808080])
        words = f"I fadd data={request['data']} mask={request['mask']}"
        if not add:
            request["compare"] = value if self.random.random() < 0.6 else self.number()
            request["compare_mask"] = self.random.choice([MAX, MAX, self.random.randrange(1 << 64)])
            words = (f"I cswap data={request['data']} mask={request['mask']} cdata={request['compare']} "
                     f"cmask={request['compare_mask']}")
        request["id"] = self.random.randrange(3)
        self.msn += 1
        request["msn"] = self.msn
        self.statements.append(f"{words} astag={stag} ato={BASES[stag] + at} id={request['id']}")
        self.ask(request)

    def ask(self, request):
        request.update(served=False, doubtful=False)
        self.waiting.append(request)
        if self.random.random() < 0.5:
            for waiting in self.waiting:
                self.serve(waiting)

    def serve(self, request):
        """Earlier requests are already served."""
        if request["served"]:
            return
        stag, at, length = request["stag"], request["at"], request["length"]
        request["served"], request["octets"] = True, bytes(self.octets[stag][at:at + length])
        places = {(stag, at + i) for i in range(length)}
        request["known"] = places <= self.shown and not places & self.doubtful
        if request["kind"] != "read":
            value = int.from_bytes(request["octets"], self.order)
            if request["kind"] == "add":
                value = masked_add(value, request["data"], request["mask"])
            elif (value ^ request["compare"]) & request["compare_mask"] == 0:
                value = (value & ~request["mask"] & MAX) | (request["data"] & request["mask"])
            self.octets[stag][at:at + 8] = value.to_bytes(8, self.order)
            self.shown |= places
        if not request["doubtful"]:
            self.doubtful -= places

    def answer(self):
        request = self.waiting[0]
        self.serve(request)
        self.waiting.pop(0)
        place = len(self.statements)
        self.statements.append(self.result(request, request["octets"]))
        self.results.append((place, request))

    def tell(self):
        side = self.random.choice("IR")
        self.statements.append(f"{side} " + self.random.choice(
            ["send len=20", "send-se len=3", "imm data=7", "imm-se data=1", "write stag=0xEE00 to=64 len=30",
             "send-inv len=9 stag=0xEE01"]))

    def script(self):
        self.statements = ["with " + self.random.choice(["rev1", "rev2"]), "I send", "R send"]
        for _ in range(self.length):
            choice = self.random.random()
            if self.waiting and (choice < 0.3 or len(self.waiting) >= self.in_flight):
                self.answer()
            elif choice < 0.6:
                self.atomic()
            elif choice < 0.75:
                self.write()
            elif choice < 0.85:
                self.read()
            else:
                self.tell()
        while self.waiting:
            self.answer()
        self.statements += ["I fin", "R fin"]
        return "; ".join(self.statements)

    def decided(self):
        """Results whose octets are all known from earlier messages."""
        return [i for i, (_, request) in enumerate(self.results) if request["known"] and not request["doubtful"]]

    def spoilt(self, which):
        """The script with one octet of a result changed."""
        place, request = self.results[which]
        octets = bytearray(request["octets"])
        octets[self.random.randrange(len(octets))] ^= self.random.randrange(1, 256)
        return "; ".join(self.statements[:place] + [self.result(request, bytes(octets))] + self.statements[place + 1:])
