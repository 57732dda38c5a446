# SPDX-License-Identifier: GPL-2.0-or-later
"""Random scripts of conforming conversations: MPA start-up, DDP, RDMAP with Atomics and Immediate Data."""
import collections
import random

STATEMENTS = 40
IN_FLIGHT = 6  # requests of a side; the start-up of revision 2 allows at most 8

SENDS = {"send": "send", "send-inv": "send_invalidate", "send-se": "send_se", "send-se-inv": "send_se_invalidate"}
IMMEDIATES = {"imm": "immediate", "imm-se": "immediate_se"}


class Operations:
    """Writes one conversation; counts[i] is the number of uses of each operation on its connection i."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.waiting = {"I": [], "R": []}  # requests by sender, oldest first: the verb of the answer
        self.statements, self.counts = [], [collections.Counter()]
        self.rdmac = False

    def setup(self):
        words = [self.random.choice(["rev1", "rev1", "rev2", "rev2", "rev0"])]
        self.rdmac = words[0] == "rev0"
        if not self.rdmac:
            words += [w for w in ("no-crc", "markers") if self.random.random() < 0.2]
        if self.random.random() < 0.4 and "markers" not in words and not self.rdmac:
            mss = self.random.choice([140, 300, 700, 1111])
            words.append(f"mulpdu={mss - 12} mss={mss}")
        return "with " + " ".join(words)

    def length(self):
        return self.random.choice([self.random.randrange(64), self.random.randrange(3000), self.random.randrange(20000)])

    def say(self, text, operation):
        begun = sum(self.counts[-1].values()) >= 2  # both may send at any time
        if begun and self.random.random() < 0.1 and "answer" not in text and "result" not in text:
            text += " early"
        self.statements.append(text)
        self.counts[-1][operation] += 1

    def ask(self, side):
        kind = self.random.choice(["read", "read", "fadd", "cswap"])
        if kind == "read" or self.rdmac:
            self.say(f"{side} read size={self.length() + 1} srcto={self.random.randrange(1 << 40)}", "read_request")
            self.waiting[side].append("answer")
            return
        words = [side, kind]
        for name in ("data",) if kind == "fadd" else ("data", "cdata"):
            words += [f"{name}={self.random.randrange(1 << 64)}"] if self.random.random() < 0.7 else []
        if self.random.random() < 0.5:
            words.append(f"mask={self.random.randrange(1 << 64)}")
        self.say(" ".join(words), "atomic_request")
        self.waiting[side].append("result")

    def answer(self, side):
        """Answers this side's oldest request."""
        verb = self.waiting[side].pop(0)
        self.say(f"{'R' if side == 'I' else 'I'} {verb}", "read_response" if verb == "answer" else "atomic_response")

    def tell(self, side):
        kind = self.random.choice(["send", "send", "write", "immediate"])
        if kind == "send" or (self.rdmac and kind == "immediate"):
            verb = self.random.choice(list(SENDS))
            self.say(f"{side} {verb} len={self.length()}", SENDS[verb])
        elif kind == "write":
            self.say(f"{side} write len={self.length()} to={self.random.randrange(1 << 48)}", "write")
        else:
            verb = self.random.choice(list(IMMEDIATES))
            self.say(f"{side} {verb} data={self.random.randrange(1 << 64)}", IMMEDIATES[verb])

    def script(self):
        self.statements.append(self.setup())
        for connection in range(self.random.choice([1, 1, 1, 2])):
            if connection:
                self.statements.append("next")
                self.counts.append(collections.Counter())
            self.say("I send", "send")
            self.say("R send", "send")
            for _ in range(STATEMENTS):
                side, choice = self.random.choice("IR"), self.random.random()
                if choice < 0.35 and self.waiting[side]:
                    self.answer(side)
                elif choice < 0.6 and len(self.waiting[side]) < IN_FLIGHT:
                    self.ask(side)
                else:
                    self.tell(side)
            for side in "IR":
                while self.waiting[side]:
                    self.answer(side)
        return "; ".join(self.statements)
