# SPDX-License-Identifier: GPL-2.0-or-later
"""Random scripts of conforming conversations: RPC-over-RDMA with NFS."""
import collections
import random

CALLS = 30


class Talk:
    """Writes one conversation: it only makes choices that RFC 8166 and RFC 8267 leave to the ends."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.inline = self.random.choice([1024, 1024, 2048, 4096, 4096, 16384])
        self.waiting = {"I": [], "R": []}  # Calls by sender: (has Read chunks, words of its Reply, slot)
        self.granted = {"I": 1, "R": 1}
        self.slots = {"I": set(), "R": set()}
        self.nfs4 = self.random.choice(["nfs41", "nfs41", "nfs42"]) # results of one minor version do not suit another
        self.remote_invalidation = self.random.random() < 0.7
        self.statements = []

    def setup(self):
        words = ["with rpcrdma"]
        if self.inline == 1024 and self.random.random() < 0.5:
            words.append("no-private-data")
            self.remote_invalidation = False
        else:
            words.append(f"inline={self.inline}")
            if not self.remote_invalidation:
                words.append(self.random.choice(["r=0", "rI=0", "rR=0"]))
        if self.random.random() < 0.3:
            mss = self.random.choice([140, 300, 700, 1111])
            words.append(f"mulpdu={mss - 12} mss={mss}")
        if self.random.random() < 0.3:
            words.append(f"pd-at={self.random.randrange(1, 9)}")
        return " ".join(words)

    def length(self, most=20000):
        return self.random.choice([self.random.randrange(1, 64), self.random.randrange(1, 3000),
                                   self.random.randrange(1, most), self.random.randrange(1, most) & ~3 or 4])

    def cut(self, n, most=5):
        """n octets as the sizes of up to `most` segments."""
        places = sorted({self.random.randrange(1, n) for _ in range(self.random.randrange(most))} if n > 1 else [])
        return "+".join(str(b - a) for a, b in zip([0, *places], [*places, n]))

    def offers(self, words, n):
        """The Write chunk for n octets, or nothing when they fit inline."""
        if n + 700 > self.inline or self.random.random() < 0.5:
            words.append(f"write={self.cut(n)}")
            return True
        return False

    def takes(self, words, n):
        """The argument of n octets: in a Read chunk, in a Long Call, or inline if it fits."""
        choice = self.random.random()
        if choice < 0.5:
            words.append(f"read={self.cut(n)}")
        if choice < 0.1 or 0.5 <= choice < 0.6 or (n + 500 > self.inline and choice >= 0.5):
            words.append(self.random.choice(["pz", "pz=100+rest", "pz=4+60+rest"]))
        return any(w.startswith(("read", "pz")) for w in words)

    def nfs3(self):
        words, reply, pull = [], [], False
        kind = self.random.choice(["read", "write", "symlink", "readlink", "readdir", "small", "nfs2", "acl", "gss"])
        if kind == "read":
            n = self.length()
            words = ["nfs3.read", f"count={n}"]
            self.offers(words, n)
            reply = self.random.choice([[], [], [f"len={self.random.randrange(n + 1)} eof=1"], ["status=5"]])
        elif kind == "write":
            n = self.length()
            words = ["nfs3.write", f"len={n}"]
            pull = self.takes(words, n)
            reply = self.random.choice([[], [], [], ["status=28"]])
        elif kind == "symlink":
            n = self.random.randrange(1, 1024)
            words = ["nfs3.symlink", f"len={n}"]
            pull = self.takes(words, n)
        elif kind == "readlink":
            words = ["nfs3.readlink", "write=1024"]
            reply = [f"len={self.random.randrange(1, 1000)}"]
        elif kind == "readdir":
            words = ["nfs3.readdir", "count=32768", f"reply={self.cut(33500, 3)}"]
            reply = self.random.choice([["entries=3"], ["entries=3 long"], ["entries=500"], ["status=10003"]])
        elif kind == "nfs2":
            n = self.random.randrange(1, 8192)
            if self.random.random() < 0.5:
                words = ["nfs2.read", f"count={n}"]
                self.offers(words, n)
                reply = self.random.choice([[], [f"len={self.random.randrange(n + 1)}"], ["status=5"]])
            else:
                n = n if self.random.random() < 0.5 else n % 1000 + 1
                words = ["nfs2.write" if n > 1000 else "nfs2.symlink", f"len={n}"]
                pull = self.takes(words, n)
        elif kind == "acl":
            n = self.random.randrange(1, 700)
            if self.random.random() < 0.5:
                words = ["nfsacl3.getacl", f"reply={self.cut(16384, 3)}"]
                reply = [f"aclcnt={n}"]
            else:
                words, pull = ["nfsacl3.setacl", f"aclcnt={n}"], 12 * n + 500 > self.inline
                words += [f"pz={self.random.choice(['', '100+'])}rest"] if pull else []
        elif kind == "gss":
            n, service = self.length(), self.random.choice([1, 2, 3])
            if self.random.random() < 0.5:
                words = ["nfs3.read", f"cred=gss:{service}", f"count={n}"]
                if service == 1:
                    words.append(f"write={self.cut(n)}")
                elif n + 700 > self.inline:
                    words.append(f"reply={self.cut(n + 700, 3)}")
            else:
                words, pull = ["nfs3.write", f"cred=gss:{service}", f"len={n}"], service == 1 or n + 700 > self.inline
                words += [f"read={self.cut(n)}"] if service == 1 else ["pz"] if pull else []
        else:
            words = [self.random.choice(["nfs3.getattr", "nfs3.null", "nfs3.lookup", "nfs3.fsinfo", "nfs3.remove",
                                         "nlm4.lock", "mount3.mnt", "nfs2.getattr", "nfs2.create", "nfs3.commit",
                                         "nfs3.access", "nfs3.rename", "nfs2.statfs", "nsm1.notify", "nlm4.unlock"])]
            reply = self.random.choice([[], [], [], ["denied"], ["accept=5"], ["accept=3"]])
        return words, reply, pull

    def nfs41(self):
        n, pull, reply = self.length(), False, []
        slot = self.random.choice([s for s in range(16) if s not in self.slots["I"]])
        self.slots["I"].add(slot)
        first = f"{self.nfs4}.compound ops=sequence:{slot},putfh,"
        kind = self.random.choice(["read", "read", "write", "write", "readdir", "link", "create", "small", "both"])
        if kind == "readdir":
            words = [first + "readdir:16384", f"reply={self.cut(17500, 3)}"]
            reply = [f"entries={self.random.randrange(100)}"]
        elif kind == "link":
            words = [first + "readlink,getattr", "write=4096"]
            reply = self.random.choice([[f"len={self.random.randrange(1, 3000)}"], ["results=3 status=22"]])
        elif kind == "create":
            n = self.random.randrange(1, 1024)
            words = [first + f"create:len={n},getfh,getattr"]
            pull = self.takes(words, n)
        elif kind == "small":
            words = [first + self.random.choice(["getattr", "lookup,getfh", "open,getfh,getattr", "close", "setattr",
                                                 "access,getattr", "lock", "remove", "savefh,putfh,rename"])]
        elif kind == "both":
            words, pull = [first + f"write:{n},getattr,read:{n}", f"read={self.cut(n)}", f"write={self.cut(n)}"], True
        elif kind == "read":
            words = [first + f"read:{n},getattr"]
            self.offers(words, n)
            reply = self.random.choice([[], [], [f"op2.len={self.random.randrange(n + 1)}"], ["results=3 status=5"],
                                        ["results=1 status=10052"]])
        else:
            words = [first + f"write:{n},getattr"]
            pull = self.takes(words, n)
        return words, reply, pull, slot

    def call(self, side):
        slot = None
        if side == "R":
            slot = self.random.choice([s for s in range(8) if s not in self.slots["R"]])
            self.slots["R"].add(slot)
            words, reply, pull = [f"cb{self.nfs4[3:]}.cb_compound ops=cb_sequence:{slot},cb_recall"], [], False
        elif self.random.random() < 0.5:
            words, reply, pull = self.nfs3()
        else:
            words, reply, pull, slot = self.nfs41()
        if self.random.random() < 0.2:
            words.append(f"credit={self.random.choice([17, 32, 128])}")
        offered = [w for w in words if w.startswith(("read=", "pz", "write=", "reply="))]
        self.statements.append(f"{side} call {' '.join(words)}")
        self.waiting[side].append([pull, reply, slot, bool(offered), pull])

    def pull(self, index):
        words = ["R pull", f"of={index}"]
        if self.random.random() < 0.2:
            words.append(f"parts={self.random.choice([512, 1000, 4096])}")
        self.statements.append(" ".join(words))
        self.waiting["I"][index][0] = False

    def reply(self, side, index=None):
        """To a Call of this side."""
        index = self.random.randrange(len(self.waiting[side])) if index is None else index
        pull, reply, slot, offered, _ = self.waiting[side][index]
        if pull:
            self.pull(index)
        words = [f"{'R' if side == 'I' else 'I'} reply of={index}", *reply]
        if side == "I" and offered and self.remote_invalidation and self.random.random() < 0.3:
            words.append("inv")
        words += [w for w in ("se", "backward", "parts=1000") if self.random.random() < 0.1]
        self.granted[side] = max(len(self.waiting[side]) + 1, self.random.choice([4, 8, 32]))
        words.append(f"credit={self.granted[side]}")
        self.statements.append(" ".join(words))
        self.slots[side].discard(slot)
        del self.waiting[side][index]

    def reconnect(self):
        """Repeats all Calls without a Reply."""
        while self.waiting["R"]:
            self.reply("R")
        self.statements += [self.random.choice(["I rst", "R close"]), "next"]
        for one in self.waiting["I"]:
            one[0] = one[4]  # memory is read again
        self.granted = {"I": 1, "R": 1}
        while self.waiting["I"]:
            self.statements.append("I again")
            self.reply("I", 0)
        self.statements += [f"I call {self.nfs4}.compound ops=bind_conn_to_session", "R reply credit=32"]
        self.granted["I"] = 32

    def script(self):
        self.statements = [self.setup(), f"I call {self.nfs4}.compound ops=exchange_id", "R reply",
                           f"I call {self.nfs4}.compound ops=create_session", "R reply"]
        self.granted["I"] = 32
        both = self.random.random() < 0.5
        breaks = self.random.randrange(CALLS) if self.random.random() < 0.3 else None
        for i in range(CALLS):
            if i == breaks:
                self.reconnect()
            side = "R" if both and self.random.random() < 0.3 else "I"
            # A client keeps one credit for a check whether its server is alive (RFC 8267 section 6.7.2).
            room = min(self.granted[side] - 1, 8 if side == "R" else 16) - len(self.waiting[side])
            room += self.granted[side] == 1
            if room > 0 and self.random.random() < 0.6:
                self.call(side)
            elif self.waiting[side]:
                self.reply(side)
        for side in "IR":
            while self.waiting[side]:
                self.reply(side)
        return "; ".join(self.statements)


def calls_of(script):
    """For each connection of a script: (name, direction) -> [Calls, Replies], as the report counts them. A Long Call's
    procedure is known when its Position-Zero Read chunk has been read."""
    connections, waiting = [collections.defaultdict(lambda: [0, 0])], {"I": [], "R": []}
    for statement in script.split("; "):
        if statement == "next":
            connections.append(collections.defaultdict(lambda: [0, 0]))
            continue
        side, verb, *words = statement.split(" ")
        if side not in waiting:
            continue
        peer, index = "R" if side == "I" else "I", next((int(w[3:]) for w in words if w.startswith("of=")), 0)
        if verb == "call":
            program, procedure = words[0].split(".")
            program = {"nfs41": "nfs4", "nfs42": "nfs4", "cb41": "nfs_cb1", "cb42": "nfs_cb1"}.get(program, program)
            key = f"{program} {procedure}".upper(), "forward" if side == "I" else "reverse"
            waiting[side].append((key, any(w.startswith("pz") for w in words)))
        if (verb == "call" and not waiting[side][-1][1]) or (verb == "again" and not waiting[side][0][1]):
            connections[-1][waiting[side][-1 if verb == "call" else 0][0]][0] += 1
        elif verb == "pull" and waiting[peer][index][1]:
            connections[-1][waiting[peer][index][0]][0] += 1
        elif verb == "reply":
            connections[-1][waiting[peer].pop(index)[0]][1] += 1
    return connections
