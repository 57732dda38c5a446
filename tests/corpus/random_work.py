# SPDX-License-Identifier: GPL-2.0-or-later
"""Random scenarios of work, and a model of the two real ends: the messages that they send, and their memory at the end.

Rights and uses of the regions make each side independent of the other's progress: only the other side writes `inbox`, `words` are for
its Atomics, `sink` is for this side's Reads."""
import functools
import random
import struct

ROUNDS, ACTIONS = 8, 5
INBOX, SINK, WORDS = 8192, 8192, 64
SIDES = ("initiator", "responder")
MASK64 = (1 << 64) - 1
LETTERS = {"initiator": "I", "responder": "R"}
SENDS = {(False, False): ("send", 3), (True, False): ("send-inv", 4), (False, True): ("send-se", 5),
         (True, True): ("send-se-inv", 6)}  # (invalidate, solicited): the verb, and its opcode


@functools.lru_cache(None)
def octets_by_chance(role, index, n):
    """The generator's octets, from SplitMix64."""
    state, out = (role << 32) | index, bytearray()
    for _ in range(n):
        state = (state + 0x9E3779B97F4A7C15) & MASK64
        z = ((state ^ state >> 30) * 0xBF58476D1CE4E5B9) & MASK64
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK64
        out.append((z ^ z >> 31) & 255)
    return bytes(out)


def pattern(number, n):
    return bytes((i * 7 + number * 31 + 0x31) & 255 for i in range(n))


def fetch_add(value, add, mask):
    """Fields end, at their highest bit, where the mask has ones: carries do not leave them (RFC 7306 section 5.2.1)."""
    out = carry = 0
    for bit in range(64):
        total = (value >> bit & 1) + (add >> bit & 1) + carry
        out |= (total & 1) << bit
        carry = 0 if mask >> bit & 1 else total >> 1
    return out


class Side:
    """One side of the model on one connection."""

    def __init__(self, role, regions):
        self.memory = {name: bytearray([r["fill"]] * r["octets"] if "fill" in r else octets_by_chance(role, i, r["octets"]))
                       for i, (name, r) in enumerate(regions.items())}
        self.carried = 0
        self.said, self.answered = [], []  # (opcode, STag, TO, payload) in order
        self.tokens = [name for name in regions if name.startswith("token")]


class Work:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.refusal = None  # (sender, layer/type/code as a number) on the last connection
        self.connections = []  # {side: Side}
        revision = self.random.choice([0, 1, 1, 2, 2, 2])
        self.old = revision == 0
        self.reads = 16
        self.rtr = 0  # the only type, of both sides
        words = [f"rev{revision}"]
        if not self.old:
            words += ["no-crc"] * (self.random.random() >= 0.85)
            wishes = {letter: {"markers": int(self.random.random() < 0.3), "ird": self.random.randrange(1, 6),
                               "ord": self.random.randrange(1, 6)} for letter in "IR"}
            wishes["R"]["ird"] += wishes["I"]["ord"]  # fewer are allowed, but give a warning
            if revision == 2 and self.random.random() < 0.4:
                self.rtr = self.random.choice([1, 2, 4])
                words.append(f"rtrI={self.rtr} rtrR={self.rtr}")
            elif revision == 1:  # nothing is negotiated: both have to know
                for wish in wishes.values():
                    wish.update(ird=8, ord=8)
            words += [f"{name}{letter}={value}" for letter, wish in wishes.items() for name, value in wish.items()]
            if self.random.random() < 0.4:
                words.append(f"mss={self.random.choice([256, 400, 700, 1111])}")
        self.regions = {side: self.memory(side) for side in SIDES}
        self.lines = ["with work " + " ".join(words)] + [
            f"{LETTERS[side]} memory {name} len={r['octets']} to={r['to']} stag={r['stag']} rights={r['rights']}"
            + (f" fill={r['fill']}" if "fill" in r else "") + " invalidable" * name.startswith("token")
            for side in SIDES for name, r in self.regions[side].items()]
        for number in range(self.random.choice([1, 1, 1, 2])):
            if number:
                self.lines.append(self.random.choice(["next", "next parallel"]))
            self.converse()
        if self.random.random() < 0.2:
            self.refuse()

    def memory(self, side):
        regions = {"inbox": {"octets": INBOX, "rights": "read+write"}, "words": {"octets": WORDS, "rights": "read+atomic"},
                   "sink": {"octets": SINK, "rights": "none"}, "token1": {"octets": 16, "rights": "none"},
                   "token2": {"octets": 16, "rights": "none"}}
        for index, (name, region) in enumerate(regions.items()):
            region["to"] = self.random.choice([0, 0x4000, self.random.randrange(1 << 48) & ~7, (1 << 64) - region["octets"]])
            region["stag"] = (1 + index) << 20 | SIDES.index(side) << 16 | self.random.randrange(1 << 16)
            if self.random.random() < 0.3:
                region["fill"] = self.random.randrange(256)
        return regions

    def amount(self, most):
        return self.random.choice([0, self.random.randrange(min(64, most)), self.random.randrange(most + 1),
                                   self.random.randrange(most + 1) & ~3])

    def number(self):
        return self.random.choice([0, 1, MASK64, self.random.randrange(1 << 64)])

    # Each makes one statement, and updates the model; `before` is this side's memory when the round begins.

    def payload(self, me, before, n):
        """The octets, and the word that names their source."""
        if self.random.random() < 0.5:
            me.carried += 1
            return pattern(me.carried - 1, n), ""
        region = self.random.choice(["inbox", "sink"])
        offset = self.random.randrange(len(before[region]) - n + 1)
        return bytes(before[region][offset:offset + n]), f" from={region}+{offset}"

    def send(self, me, before, peer, regions):
        n = self.amount(4000)
        solicited, token = self.random.random() < 0.3, None
        if me.tokens_of_peer and self.random.random() < 0.2:
            token = me.tokens_of_peer.pop()
        data, source = self.payload(me, before, n)
        verb, opcode = SENDS[token is not None, solicited]
        me.said.append((opcode, regions[token]["stag"] if token else 0, None, data))
        return f"{verb} len={n}{source}" + (f" stag={token}" if token else "")

    def write(self, me, before, peer, regions):
        n = self.amount(4000)
        at = self.random.randrange(INBOX - n + 1)
        data, source = self.payload(me, before, n)
        peer.memory["inbox"][at:at + n] = data
        me.said.append((0, regions["inbox"]["stag"], regions["inbox"]["to"] + at & MASK64, data))
        return f"write len={n} to=inbox+{at}{source}"

    def read(self, me, before, peer, regions):
        source = self.random.choice(["inbox", "inbox", "words"])
        n = self.amount(len(peer.memory[source]))
        at, into = self.random.randrange(len(peer.memory[source]) - n + 1), self.random.randrange(SINK - n + 1)
        mine = self.regions[me.name]["sink"]
        data = bytes(peer.memory[source][at:at + n])
        me.memory["sink"][into:into + n] = data
        sink_to, source_to = mine["to"] + into & MASK64, regions[source]["to"] + at & MASK64
        me.said.append((1, 0, None, struct.pack(">IQIIQ", mine["stag"], sink_to, n, regions[source]["stag"], source_to)))
        peer.answered.append((2, mine["stag"], sink_to, data))
        return f"read len={n} from={source}+{at} into=sink+{into}"

    def atomic(self, me, before, peer, regions):
        at = self.random.randrange(WORDS // 8) * 8
        old, = struct.unpack_from(">Q", peer.memory["words"], at)
        me.identifier += 1
        head = (me.identifier, regions["words"]["stag"], regions["words"]["to"] + at & MASK64)
        if self.random.random() < 0.5:
            add, mask = self.number(), self.number()
            new, kind = fetch_add(old, add, mask), (0, add, mask, 0, MASK64)
            words = f"fadd data={add} mask={mask}"
        else:
            compare = self.random.choice([old, self.number()])
            compare_mask, swap, swap_mask = self.number(), self.number(), self.number()
            equal = (old ^ compare) & compare_mask == 0
            new = (old & ~swap_mask) | (swap & swap_mask) if equal else old
            kind = (2, swap, swap_mask, compare, compare_mask)
            words = f"cswap cdata={compare} cmask={compare_mask} data={swap} mask={swap_mask}"
        struct.pack_into(">Q", peer.memory["words"], at, new)
        me.said.append((10, 0, None, struct.pack(">IIIQQQQQ", kind[0], *head, *kind[1:])))
        peer.answered.append((11, 0, None, struct.pack(">IQ", me.identifier, old)))
        return f"{words} at=words+{at}"

    def immediate(self, me, before, peer, regions):
        data, solicited = self.number(), self.random.random() < 0.5
        me.said.append((9 if solicited else 8, 0, None, struct.pack(">Q", data)))
        return f"{'imm-se' if solicited else 'imm'} data={data}"

    def actions(self, me, before, peer, regions):
        kinds = [self.send, self.send, self.write, self.write, self.read, self.read]
        if not self.old:
            kinds += [self.atomic, self.atomic, self.immediate]
        return [self.random.choice(kinds)(me, before, peer, regions) for _ in range(self.random.randrange(1, ACTIONS + 1))]

    def converse(self):
        sides = {side: Side(i, self.regions[side]) for i, side in enumerate(SIDES)}
        for side, other in (SIDES, SIDES[::-1]):
            sides[side].name, sides[side].identifier, sides[side].tokens_of_peer = side, 0, list(sides[other].tokens)
        for _ in range(self.random.randrange(1, ROUNDS + 1)):
            before = {side: {name: bytes(m) for name, m in sides[side].memory.items()} for side in SIDES}
            statements = []
            for side, other in (SIDES, SIDES[::-1]):
                if self.random.random() < 0.7 or (side == SIDES[0] and not sides[side].said):  # the Initiator begins
                    actions = self.actions(sides[side], before[side], sides[other], self.regions[other])
                    actions[0] += " early" if statements else " acked"
                    statements += [f"{LETTERS[side]} {action}" for action in actions]
            if self.random.random() < 0.1:
                wait = f" wait={self.random.randrange(1, 2000)}"
                statements[:1] = [first + wait for first in statements[:1]]
            self.lines += statements
        self.connections.append(sides)

    def refuse(self):
        """A request that the other side has to refuse, at the end."""
        side, other = self.random.choice([SIDES, SIDES[::-1]])
        kinds = [("write len=100 to=0x0BAD0BAD", 0x1100), (f"write len=2 to=inbox+{INBOX - 1}", 0x1101), ("write len=1 to=words", 0x0102),
                 ("read len=10 from=0x0BAD0BAD into=sink", 0x0100), (f"read len=2 from=inbox+{INBOX - 1} into=sink", 0x0101),
                 ("read len=1 from=sink into=sink", 0x0102), ("send-inv len=1 stag=inbox", 0x0109), ("term 0/0/00", None)]
        if not self.old:
            kinds += [("fadd at=0x0BAD0BAD", 0x0100), ("fadd at=inbox", 0x0102)]
        statement, code = self.random.choice(kinds)
        if "+" in statement and self.regions[other]["inbox"]["to"] > 1 << 60:
            code = {0x1101: 0x1103, 0x0101: 0x0104}[code]  # beyond the last Tagged Offset: it wraps
        self.lines.append(f"{LETTERS[side]} {statement} acked")
        self.refusal = (side, 0) if code is None else (other, code)

    def text(self):
        return "\n".join(self.lines) + "\n"
