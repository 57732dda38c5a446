# SPDX-License-Identifier: GPL-2.0-or-later
"""
Scenarios of work made at random, and a model of what two real ends have to make of it: which messages they send, and
what their memory holds at the end.

The rights and uses of the regions are such that neither side depends on how far the other one is: `inbox` is written by
the other side alone, `words` hold what it does atomics on, `sink` takes what this side reads.
"""
import functools
import json
import random
import struct

ROUNDS, ACTIONS = 8, 5
INBOX, SINK, WORDS = 8192, 8192, 64
SIDES = ("initiator", "responder")
MASK64 = (1 << 64) - 1
SENDS = {(False, False): 3, (True, False): 4, (False, True): 5, (True, True): 6}  # (invalidate, solicited): opcode


@functools.lru_cache(None)
def octets_by_chance(role, index, n):
    """The generator's, which is SplitMix64."""
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
    """Fields end, at their highest bit, where the mask has ones: no carry leaves them (RFC 7306 section 5.2.1)."""
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
        self.refusal = None  # (side that says it, layer/type/code as a number) on the last connection
        self.connections = []  # {side: Side}
        revision = self.random.choice([0, 1, 1, 2, 2, 2])
        self.old = revision == 0
        self.reads = 16
        connection = {"mpa-revision": revision}
        if not self.old:
            connection["crc"] = self.random.random() < 0.85
            for side in SIDES:
                connection[side] = {"markers": self.random.random() < 0.3, "ird": self.random.randrange(1, 6),
                                    "ord": self.random.randrange(1, 6)}
            connection["responder"]["ird"] += connection["initiator"]["ord"]  # less is allowed, and worth a warning
            if revision == 2 and self.random.random() < 0.4:
                kind = self.random.choice(["send", "write", "read"])
                connection["initiator"]["rtr"], connection["responder"]["rtr"] = [kind], [kind]
            elif revision == 1:  # nothing is negotiated: the two have to know
                for side in SIDES:
                    connection[side].update(ird=8, ord=8)
            if self.random.random() < 0.4:
                connection["mss"] = self.random.choice([256, 400, 700, 1111])
        self.regions = {side: self.memory(side) for side in SIDES}
        self.scenario = {"name": "random", "connection": connection, "memory": self.regions, "work": []}
        for number in range(self.random.choice([1, 1, 1, 2])):
            if number:
                self.scenario["work"].append(self.random.choice(["next connection", "parallel connection"]))
            self.converse()
        if self.random.random() < 0.2:
            self.refuse()

    def memory(self, side):
        regions = {"inbox": {"octets": INBOX, "rights": ["read", "write"]},
                   "words": {"octets": WORDS, "rights": ["read", "atomic"]},
                   "sink": {"octets": SINK, "rights": []},
                   "token1": {"octets": 16, "rights": [], "invalidable": True},
                   "token2": {"octets": 16, "rights": [], "invalidable": True}}
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

    # Each of these gives one action and tells the model of it; `before` is this side's memory when the round begins.

    def payload(self, action, me, before, n):
        if self.random.random() < 0.5:
            me.carried += 1
            return pattern(me.carried - 1, n)
        region = self.random.choice(["inbox", "sink"])
        offset = self.random.randrange(len(before[region]) - n + 1)
        action.update({"from": region, "from-offset": offset})
        return bytes(before[region][offset:offset + n])

    def send(self, me, before, peer, regions):
        n = self.amount(4000)
        action = {"send": n}
        solicited, token = self.random.random() < 0.3, None
        if me.tokens_of_peer and self.random.random() < 0.2:
            token = me.tokens_of_peer.pop()
            action["invalidate"] = token
        if solicited:
            action["solicited"] = True
        data = self.payload(action, me, before, n)
        me.said.append((SENDS[token is not None, solicited], regions[token]["stag"] if token else 0, None, data))
        return action

    def write(self, me, before, peer, regions):
        n = self.amount(4000)
        at = self.random.randrange(INBOX - n + 1)
        action = {"write": n, "to": "inbox", "to-offset": at}
        data = self.payload(action, me, before, n)
        peer.memory["inbox"][at:at + n] = data
        me.said.append((0, regions["inbox"]["stag"], regions["inbox"]["to"] + at & MASK64, data))
        return action

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
        return {"read": n, "from": source, "from-offset": at, "into": "sink", "into-offset": into}

    def atomic(self, me, before, peer, regions):
        at = self.random.randrange(WORDS // 8) * 8
        old, = struct.unpack_from(">Q", peer.memory["words"], at)
        me.identifier += 1
        head = (me.identifier, regions["words"]["stag"], regions["words"]["to"] + at & MASK64)
        if self.random.random() < 0.5:
            add, mask = self.number(), self.number()
            new, kind = fetch_add(old, add, mask), (0, add, mask, 0, MASK64)
            action = {"fetch-add": add, "mask": mask}
        else:
            compare = self.random.choice([old, self.number()])
            compare_mask, swap, swap_mask = self.number(), self.number(), self.number()
            equal = (old ^ compare) & compare_mask == 0
            new = (old & ~swap_mask) | (swap & swap_mask) if equal else old
            kind = (2, swap, swap_mask, compare, compare_mask)
            action = {"compare-swap": compare, "compare-mask": compare_mask, "swap": swap, "swap-mask": swap_mask}
        struct.pack_into(">Q", peer.memory["words"], at, new)
        me.said.append((10, 0, None, struct.pack(">IIIQQQQQ", kind[0], *head, *kind[1:])))
        peer.answered.append((11, 0, None, struct.pack(">IQ", me.identifier, old)))
        return {**action, "at": "words", "at-offset": at}

    def immediate(self, me, before, peer, regions):
        data, solicited = self.number(), self.random.random() < 0.5
        me.said.append((9 if solicited else 8, 0, None, struct.pack(">Q", data)))
        return {"immediate": data, "solicited": solicited}

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
            entry = {side: self.actions(sides[side], before[side], sides[other], self.regions[other])
                     for side, other in (SIDES, SIDES[::-1])
                     if self.random.random() < 0.7 or (side == SIDES[0] and not sides[side].said)}  # the Initiator begins
            if self.random.random() < 0.1:
                entry["wait"] = f"{self.random.randrange(1, 2000)} ms"
            if entry:
                self.scenario["work"].append(entry)
        self.connections.append(sides)

    def refuse(self):
        """Something that the other side cannot do, at the very end."""
        side, other = self.random.choice([SIDES, SIDES[::-1]])
        kinds = [({"write": 100, "to": 0x0BAD0BAD}, 0x1100), ({"write": 2, "to": "inbox", "to-offset": INBOX - 1}, 0x1101),
                 ({"write": 1, "to": "words"}, 0x0102), ({"read": 10, "from": 0x0BAD0BAD, "into": "sink"}, 0x0100),
                 ({"read": 2, "from": "inbox", "from-offset": INBOX - 1, "into": "sink"}, 0x0101),
                 ({"read": 1, "from": "sink", "into": "sink"}, 0x0102), ({"send": 1, "invalidate": "inbox"}, 0x0109),
                 ({"terminate": "0/0/00"}, None)]
        if not self.old:
            kinds += [({"fetch-add": 1, "at": 0x0BAD0BAD}, 0x0100), ({"fetch-add": 1, "at": "inbox"}, 0x0102)]
        action, code = self.random.choice(kinds)
        if action.get("to-offset", action.get("from-offset")) and self.regions[other]["inbox"]["to"] > 1 << 60:
            code = {0x1101: 0x1103, 0x0101: 0x0104}[code]  # beyond the last Tagged Offset: it wraps
        self.scenario["work"].append({side: action})
        self.refusal = (side, 0) if code is None else (other, code)

    def text(self):
        return json.dumps(self.scenario)
