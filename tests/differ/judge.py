# SPDX-License-Identifier: GPL-2.0-or-later
"""The verdict on each difference: explained by a reason, or not. If the octets give a third opinion, the plugins must agree with it, even without
a difference."""
import collections
import functools

import captures
import compare
from messages import CALL
from opinions import Opinions
from reasons import REASONS

Verdict = collections.namedtuple("Verdict", "frame pair ours theirs opinion reason")  # reason: None if there is none

class Case:
    """A difference, with data about its frame."""

    def __init__(self, shown, opinions, frame, pair, ours, theirs):
        self.opinions, self.frame, self.pair, self.ours, self.theirs = opinions, frame, pair, ours, theirs
        self.row, self.their_row = shown.ours[frame - 1], shown.theirs[frame - 1]
        self.opinion = opinions.of(frame, pair)
        self.connection = self.way = self.peer = None
        self.cut, self.payload, self.offset = False, b"", 0
        if frame in opinions.tcp.of:
            self.connection, side, sequence, self.payload, length = opinions.tcp.of[frame]
            self.way, self.peer = self.connection.ways[side], self.connection.ways[1 - side]
            self.offset = self.way.offset(sequence)
            self.cut = len(self.payload) < length

    @property
    def known(self):
        return self.connection is not None and self.connection.known

    @property
    def startup(self):
        return self.way.startup if self.way else None

    @property
    def flags(self):
        return self.startup["flags"] if self.startup else 0

    @property
    def ports(self):
        return self.connection.ports

    @functools.cached_property
    def fpdus(self):
        """The messages that end in this frame."""
        return self.opinions.tcp.fpdus_of.get(self.frame, [])

    @property
    def headers(self):
        """RPC-over-RDMA headers of Sends that end in this frame; None if invalid."""
        odd = self.conversation.odd.get(self.frame, []) if self.conversation else []
        return self.opinions.headers.get(self.frame, []) + [head for _, head in odd]

    @property
    def messages(self):
        """RPC messages that are complete in this frame."""
        return self.opinions.messages.get(self.frame, [])

    @property
    def conversation(self):
        return self.opinions.conversation.get(self.frame)

    @property
    def talk(self):
        """The connection's conversation."""
        return self.opinions.conversation_of.get(id(self.connection or self.opinions.roce.of.get(self.frame)))

    @property
    def all_headers(self):
        """Of the whole connection."""
        return self.opinions.all_headers.get(id(self.connection or self.opinions.roce.of.get(self.frame)), [])


class Judge:
    def __init__(self, shark, capture, folder):
        self.shown = compare.Shown(shark, capture)
        self.opinions = Opinions(shark, [(length, octets) for _, length, octets in captures.records(capture)], self.shown.pairs, folder)

    def verdicts(self):
        """Verdicts for all differences. `same`: number of equal values, by pair; `agreed`: number that agree with the octets."""
        self.same, self.agreed, self._their_calls = collections.Counter(), collections.Counter(), {}
        self._early = {}  # id(Way) -> the first frame where Wireshark's dissector has shown an FPDU that ends later
        self._first = {}  # (sender, receiver, queue pair) of RoCE -> the frame from which the plugins show RPC-over-RDMA
        for number, (ours, theirs) in enumerate(zip(self.shown.ours, self.shown.theirs), 1):
            self.note(number)
            for pair in self.shown.pairs:
                if not ours[pair.ours] and not any(theirs[name] for name in pair.theirs):
                    continue
                verdict = self.verdict(number, pair, compare.values(pair, ours, False), compare.values(pair, theirs, True))
                if verdict:
                    yield verdict

    def note(self, number):
        """Notes the frame for later ones; for Calls shown by Wireshark's dissectors: (conversation, XID) -> frames."""
        ours, theirs = self.shown.ours[number - 1], self.shown.theirs[number - 1]
        if ours["rpcrdma.xid"] and number in self.opinions.roce.unknown:
            self._first.setdefault(self.opinions.roce.unknown[number], number)
        self._note_early(number, theirs)
        kinds, xids = ([compare.number(value) for value in theirs[name].split(compare.AGGREGATOR) if value] for name in ("rpc.msgtyp", "rpc.xid"))
        for kind, xid in zip(kinds, xids):
            if kind == CALL:
                self._their_calls.setdefault((id(self.opinions.conversation.get(number)), xid), set()).add(number)

    def _note_early(self, number, theirs):
        if number in self.opinions.tcp.of:
            connection, side, *_ = self.opinions.tcp.of[number]
            ended = [len(fpdu.ulpdu) for fpdu in self.opinions.tcp.fpdus_of.get(number, [])]
            shown = [compare.number(value) for value in theirs["iwarp_mpa.ulpdulength"].split(compare.AGGREGATOR) if value]
            if ended and len(shown) == len(ended) + 1 and shown[:-1] == ended:
                self._early.setdefault(id(connection.ways[side]), number)

    def verdict(self, number, pair, ours, theirs):
        case = Case(self.shown, self.opinions, number, pair, ours, theirs)
        case.their_calls = self._their_calls
        case.early = self._early.get(id(case.way), number + 1)
        case.since = self._first.get(self.opinions.roce.unknown.get(number), number)
        if case.opinion is not None:
            if case.opinion != ours:
                return Verdict(number, pair, ours, theirs, case.opinion, None)
            self.agreed[pair.ours] += len(ours)
        if ours == theirs:
            self.same[pair.ours] += len(ours)
            return None
        found = next((one for one in REASONS if pair.layer in one.layers and one.condition(case)), None)
        return Verdict(number, pair, ours, theirs, case.opinion, found)
