# SPDX-License-Identifier: GPL-2.0-or-later
"""The third opinion, for all layers: the values of a field in a frame according to the octets, or None."""
import collections

import compare
import messages
import reading
import roce_reading

HEADERS, UPPER = ("mpa", "ddp", "rdmap"), ("rpc", "nfs")


class Opinions:
    def __init__(self, shark, frames, pairs, folder):
        """frames: [(length, octets)]. folder: for a capture of the RPC messages over TCP."""
        self.tcp, self.roce = reading.Readings(frames), roce_reading.Roce(frames)
        self.headers = {}  # frame -> headers of RPC-over-RDMA
        self.messages = collections.defaultdict(list)  # frame -> RPC messages
        self.conversation = {}  # frame of these -> messages.Conversation
        self.partial, self.broken = set(), set()  # frames of incomplete messages; of malformed ones
        self.unasked = set()  # frames with a Reply whose Call is unknown
        self.odd = set()  # frames of Sends without a buffer: showing them is optional
        self._silent = set()  # frames with messages that the dissector of RPC does not recognise over TCP
        self._upper = collections.defaultdict(lambda: collections.defaultdict(list))
        self.conversation_of = {}  # id(connection) ->
        self.all_headers = {}  # id(connection) -> those of its whole conversation
        self._read([pair for pair in pairs if pair.layer in UPPER], shark, folder)

    def _read(self, pairs, shark, folder):
        found = []
        operations = [messages.of_iwarp(one) for one in self.tcp.connections if one.known]
        operations += [one.operations for one in self.roce.connections if one.sure]
        owners = [one for one in self.tcp.connections if one.known] + [one for one in self.roce.connections if one.sure]
        for owner, conversation in zip(owners, map(messages.Conversation, operations)):
            self.conversation_of[id(owner)] = conversation
            self.all_headers[id(owner)] = [head for frame in conversation.headers.values() for head in frame]
            self.headers.update(conversation.headers)
            self.odd |= conversation.odd.keys()
            self.unasked |= conversation.unasked
            self.conversation.update(dict.fromkeys([*conversation.headers, *conversation.odd], conversation))
            for message in conversation.messages:
                self.messages[message.frame].append(message)
                self.conversation[message.frame] = conversation
            if conversation.messages:
                found.append(conversation.messages)
        capture = folder / "over-tcp.pcap"
        order = messages.over_tcp(found, capture)
        names = ["frame.number", "_ws.malformed", *(pair.theirs[0] for pair in pairs)]
        # A dissector with one of the ports, such as SAP's 40000 since 4.4, would take them from RPC's.
        options = [*compare.BUILTIN, "-o", "tcp.try_heuristic_first:TRUE"]
        for message, row in zip(order, compare.rows(shark, capture, names, *options) if order else []):
            if message:
                self._note(message.frame, message.whole, row, pairs)
        shark.forget(capture)
        capture.unlink()

    def _note(self, frame, whole, row, pairs):
        for known, one in ((not whole, self.partial), (not row["rpc.xid"], self._silent), (row["_ws.malformed"], self.broken)):
            if known:
                one.add(frame)
        for pair in pairs:
            self._upper[frame][pair.ours] += compare.values(pair, row, True)

    def over_tcp(self, frame, field):
        """Wireshark's view of the messages, complete or not."""
        return self._upper[frame][field] if frame in self._upper else []

    def of(self, frame, pair):
        if pair.layer in HEADERS:
            return self.tcp.opinion(frame, pair.ours)
        if frame in self.odd:
            return None
        if pair.layer == "rpcrdma":
            found = self.headers.get(frame)
            if frame in self.roce.held and not found:
                return []  # others have to precede it
            if not found or not all(head and head.right for head in found):
                return None
            return [value for one in found for name, value in one.values if name == pair.ours]
        if pair.layer not in UPPER or frame not in self._upper or frame in self._silent or frame in self.unasked:
            return None
        if pair.layer == "nfs" and frame in self.partial:
            return None
        return self._upper[frame][pair.ours]
