# SPDX-License-Identifier: GPL-2.0-or-later
"""Why Wireshark's own dissectors show something else. Each reason is a testable condition on one difference: on the octets (reading.py), and on
the values where their relation is known. A reason says nothing about the plugins' values: if the octets give a third opinion, the plugins
must agree with it, for any reason; see judge.py."""
import collections

from compare import AGGREGATOR, number
from messages import MSG, MSGP, NOMSG, is_call
from reading import (ATOMIC_REQUEST, CRC, INVALIDATE_STAG, KEYS, PRIVATE_MAX, R, READ_REQUEST, READ_RESPONSE, REPLY, S, SENDS, TAGGED, TERMINATE,
                     UNTAGGED)

Reason = collections.namedtuple("Reason", "name layers condition capture report since until")
REASONS = []

RES = {"mpa.rev", "mpa.pd_length", "mpa.private_data", "mpa.ird", "mpa.ord"}
OWNED = {4420: "NVMe/TCP", 3260: "iSCSI", 5445: "SMB Direct"}  # ports whose own dissectors Wireshark asks first


def reason(name, layers, capture, report="", since=(0, 0), until=(99, 0)):
    """capture: one of the tree that shows it, or how it is made. report: in lab/upstream/wireshark. since, until: releases of Wireshark."""
    def add(condition):
        REASONS.append(Reason(name, layers.split(), condition, capture, report, since, until))
        return condition
    return add


def startup_field(name):
    return name.startswith(("mpa.flags.", "mpa.enhanced.")) or name in RES


@reason("flag S of RFC 6581 is a reserved bit", "mpa", "generated/conforming/rev2.pcapng", until=(4, 6))
def flag_s(case):
    """Until 4.4: bit 0x10 counts as reserved."""
    return case.pair.ours == "mpa.flags.res" and case.flags & S and case.theirs == [value | S for value in case.opinion or case.ours]


@reason("IRD and ORD are part of the private data", "mpa", "generated/conforming/rev2.pcapng", until=(4, 6))
def enhanced(case):
    """Until 4.4: the first four octets."""
    if case.pair.ours != "mpa.private_data" or not case.flags & S or case.startup["revision"] < 2:
        return False
    return [value[8:] for value in case.theirs] == (case.opinion or case.ours or [""])


@reason("PD_Length without IRD and ORD", "mpa", "generated/conforming/rev2.pcapng", since=(4, 6))
def what_is_left(case):
    """The rest of the private data after these four octets."""
    return case.pair.ours == "mpa.pd_length" and case.flags & S and case.theirs == [value - 4 for value in case.opinion or case.ours]


@reason("flag S where the revision has none", "mpa", "generated/mpa/MPA2-6-04.pcapng", since=(4, 6))
def not_enhanced(case):
    """RFC 6581 is for revision 2; the dissector only checks the flag."""
    return case.flags & S and case.startup["revision"] != 2 and (case.pair.ours.startswith("mpa.enhanced.") or case.pair.ours in RES)


@reason("a second connection of the same ports", "mpa ddp rdmap", "generated/conforming/port-reuse.pcapng", "wireshark-port-reuse")
def reused(case):
    return case.connection and case.connection.reused


@reason("Markers in one direction", "mpa ddp rdmap", "generated/conforming/markers-to-responder.pcapng", "wireshark-markers-one-way")
def one_way(case):
    return case.known and not startup_field(case.pair.ours) and case.way.markers != case.peer.markers and not case.way.markers


@reason("Markers inside FPDUs", "mpa ddp rdmap", "generated/conforming/marker-walk.pcapng", "wireshark-markers-inside")
def markers(case):
    return case.known and not startup_field(case.pair.ours) and case.way.markers


@reason("the snap length", "mpa ddp rdmap", "play rev1 --snaplen=96 --pcap")
def snap(case):
    """The dissector skips an incomplete segment."""
    return case.cut and not case.theirs


@reason("another dissector has the port", "mpa ddp rdmap", "ulp/nvme-siw-basic.pcap")
def owned(case):
    return case.connection and any(port in OWNED for port in case.ports) and not case.theirs


@reason("the Invalidate STag of operations of RFC 7306", "rdmap", "generated/conforming/atomics.pcapng", "wireshark-rfc7306")
def invalidate_stag(case):
    return case.pair.ours == "rdmap.invalidate_stag" and not_of_rfc5040(case)


@reason("the reserved word of unknown operations", "rdmap", "generated/rdmap/RDMAP-7-01.pcapng")
def reserved_word(case):
    return case.pair.ours == "rdmap.reserved" and not_of_rfc5040(case)


def not_of_rfc5040(case):
    """The dissector shows the word only for the operations of RFC 5040."""
    if not case.known:  # by the plugin's view
        shown = [list(map(number, filter(None, case.row[name].split(AGGREGATOR)))) for name in ("rdmap.opcode", "rddp.tagged")]
        named = case.pair.ours == "rdmap.invalidate_stag"
        words = [found for found, tagged in zip(*shown) if not tagged and (found in INVALIDATE_STAG) == named]
        return len(words) == len(case.ours) and case.theirs == [value for found, value in zip(words, case.ours) if found in RFC5040]
    return case.theirs == [
        value for fpdu in case.fpdus for name, value in fpdu.values if name == case.pair.ours and opcode(fpdu) in RFC5040]


TAGGED_OPERATIONS = (0, 2)
AOPCODES = (0, 2)  # FetchAdd, CmpSwap
RFC5040 = (READ_REQUEST, TERMINATE, *SENDS)


def opcode(fpdu):
    return dict(fpdu.values).get("rdmap.opcode")


@reason("a Terminate that begins with the least significant bit", "rdmap", "real/errors/op-read-badstag.pcap")
def reversed_terminate(case):
    """The dissector reads it by the RFC, unlike siw's layout."""
    if not case.pair.ours.startswith("rdmap.terminate."):
        return False
    plain = [value for fpdu in case.fpdus if opcode(fpdu) == TERMINATE
             for name, value in as_written(fpdu.ulpdu[UNTAGGED:]) if name == case.pair.ours]
    return case.theirs == plain


def as_written(octets):
    word = int.from_bytes(octets[:4], "big")
    if len(octets) < 4 or not word & 0x1FFF:
        return []
    shown = {"layer": word >> 28, "etype": word >> 24 & 15, "code": word >> 16 & 255, "m": word >> 15 & 1, "d": word >> 14 & 1,
             "r": word >> 13 & 1, "reserved": word & 0x1FFF}
    return [("rdmap.terminate." + name, value) for name, value in shown.items()]


@reason("a DDP header that is not whole", "ddp rdmap", "generated/ddp/DDP-6.2.2-03.pcapng")
def short_header(case):
    """The dissector shows the part that exists."""
    return any(len(fpdu.ulpdu) < (TAGGED if fpdu.ulpdu[:1] >= b"\x80" else UNTAGGED) for fpdu in case.fpdus)


@reason("an operation with the other kind of header", "rdmap", "generated/rdmap/RDMAP-4.1-07.pcapng")
def other_header(case):
    """The opcode alone decides the fields of an operation; in RFC 5040 and 7306, Write and Read Response are Tagged."""
    return any(dict(fpdu.values).get("rddp.tagged") != (opcode(fpdu) in TAGGED_OPERATIONS) for fpdu in case.fpdus)


@reason("a Terminate of less than four octets", "rdmap", "generated/rdmap/RDMAP-4.8-01.pcapng")
def short_terminate(case):
    return case.pair.ours.startswith("rdmap.terminate.") and any(
        opcode(fpdu) == TERMINATE and len(fpdu.ulpdu) < UNTAGGED + 4 for fpdu in case.fpdus)


@reason("an unknown AOpCode, or reserved bits beside it", "rdmap", "generated/rdmap/RDMAPX-5.2.1-01.pcapng", "wireshark-atomic-reserved")
def atomic_reserved(case):
    """They count as part of AOpCode, which is then unknown; an unknown one has other fields."""
    return case.pair.ours.startswith("rdmap.atomic.") and any(
        opcode(fpdu) == ATOMIC_REQUEST and int.from_bytes(fpdu.ulpdu[UNTAGGED:UNTAGGED + 4], "big") not in AOPCODES for fpdu in case.fpdus)


@reason("a start-up frame in several segments", "mpa ddp rdmap", "generated/mpa/MPA-7.1.2-03.pcapng")
def split_startup(case):
    """The dissector recognises the frame only if it is whole in one segment."""
    return case.connection and any(
        way.startup and way.frame_of(way.startup["start"] + 1) != way.frame_of(way.startup["end"]) for way in case.connection.ways)


@reason("a start-up frame after streaming data of its segment", "mpa ddp rdmap", "play streaming-first --seed=3 --net=resegment=0.3 --pcap")
def inside(case):
    """The dissector only looks at the beginning of a segment."""
    return not case.theirs and case.connection and any(way.inside for way in case.connection.ways)


@reason("a start-up frame whose key is wrong", "mpa ddp rdmap", "generated/mpa/MPA-7.1.1-01.pcapng")
def wrong_key(case):
    """The dissector recognises it by its key; the plugin also by its place."""
    return not case.theirs and case.connection and any(
        way.octets and not way.octets.startswith(KEYS) and not way.startup for way in case.connection.ways)


@reason("two fields of one", "rdmap", "play stack --seed=3 --net=loss=0.02 --pcap")
def two_fields(case):
    """Wireshark gives the values of each, of Requests and of Responses, without their common order."""
    return sum(bool(case.their_row[name]) for name in case.pair.theirs) > 1 and sorted(case.theirs) == sorted(case.ours)


@reason("a PD_Length that reaches into FPDUs", "mpa ddp rdmap", "mutate 52001 0.2 generated/rdmap/RDMAP-3.1-05.pcapng")
def into_fpdus(case):
    """The dissector waits for that many octets, and continues after them; the plugin follows the FPDUs."""
    if not case.connection or not any(way.too_long for way in case.connection.ways):
        return False
    if not case.theirs or not case.ours and startup_field(case.pair.ours):
        return True
    if not case.way.too_long:
        return False
    start = min(at for at in map(case.way.octets.find, KEYS) if at >= 0) + len(KEYS[0])
    if startup_field(case.pair.ours):  # missing octets, and IRD and ORD as the first four octets of private data
        return case.way.octets[start] & S and (case.pair.ours == "mpa.flags.res" and case.theirs == [value | S for value in case.ours] or
                                               case.pair.ours == "mpa.private_data" and case.theirs[0][8:].startswith(case.ours[0]))
    shown = int(case.their_row["iwarp_mpa.ulpdulength"].split(AGGREGATOR)[0] or -1)
    after = start + 4 + int.from_bytes(case.way.octets[start + 2:start + 4], "big")
    return case.row["mpa.ulpdu_length"] != case.their_row["iwarp_mpa.ulpdulength"] and shown in next_lengths(case.way, after)


@reason("more private data than 512 octets", "mpa", "generated/mpa/MPA-7.1.1-31.pcapng")
def too_long(case):
    """The dissector waits for that many octets."""
    if not case.way or not case.way.octets.startswith(KEYS):
        return False
    length = int.from_bytes(case.way.octets[18:20], "big")
    if length <= PRIVATE_MAX or not case.theirs:
        return length > PRIVATE_MAX
    end = 20 + length
    return not case.ours and startup_field(case.pair.ours) and end <= len(case.way.octets) and case.frame == case.way.frame_of(end)


@reason("a Reply that is not after the Request", "mpa ddp rdmap", "generated/mpa/MPA-7.1.2-14.pcapng")
def out_of_turn(case):
    """The dissector begins with a Request."""
    if not case.connection or not any(way.startup for way in case.connection.ways):
        return False
    order = sorted((way.frame_of(way.startup["end"]), way.startup["key"]) for way in case.connection.ways if way.startup)
    return [key for _, key in order] != list(KEYS) and not case.theirs


@reason("a connection that was rejected", "mpa ddp rdmap", "generated/conforming/reject-then-mpa.pcapng")
def rejected(case):
    """Later octets belong to the upper layer; the dissector continues."""
    return not case.ours and case.connection and any(
        way.startup and way.startup["key"] == REPLY and way.startup["flags"] & R for way in case.connection.ways)


@reason("a second start-up frame", "mpa", "generated/mpa/MPA-7.1-06.pcapng")
def second_startup(case):
    """The plugin treats it as data after the first; the dissector as the first, or as an FPDU."""
    return not case.ours and case.payload.startswith(KEYS) and case.startup and case.offset > case.startup["start"]


@reason("an FPDU before the Reply", "mpa ddp rdmap", "generated/mpa/MPA-7.1.2-16.pcapng")
def early_fpdu(case):
    """The plugin reads it after the Reply, and shows it in its frame, even if it came before its direction's start-up frame. The dissector shows
    nothing beside a start-up frame."""
    if case.theirs or not case.known or case.frame != case.way.frame_of(case.startup["end"]):
        return False
    return bool(case.fpdus) or case.peer.lost is not None and case.peer.lost < case.frame


@reason("an octet that came before, as a probe", "mpa ddp rdmap", "generated/conforming/zero-window.pcapng")
def probe(case):
    """The TCP dissector gives the built-in no octets after it, if it reorders segments."""
    return not case.theirs and case.way and case.way.overlap is not None and case.way.overlap <= case.frame


@reason("start-up frames of revision 0 and another", "mpa ddp rdmap", "generated/mpa/MPA-C.2.5-02.pcapng")
def rdmac(case):
    """M does not decide about Markers here."""
    return case.connection and {0} < {way.startup["revision"] for way in case.connection.ways if way.startup}


@reason("a segment of less than 8 octets that an FPDU begins with", "mpa ddp rdmap", "play rdmap --seed=2 --net=resegment=0.3 --pcap",
        "wireshark-short-segment")
def short_segment(case):
    """The dissector leaves it to TCP, and begins again inside the FPDU: it waits for a length found there, or shows it."""
    return case.known and case.way.short is not None and case.way.short <= case.frame


@reason("an FPDU after a message that another dissector stumbles over", "mpa ddp rdmap",
        "play mount-nfs40 --seed=2 --net=resegment=0.3 --pcap", "wireshark-after-malformed")
def after_malformed(case):
    """Its rest comes in the next segment, but it is shown already, as nothing is reassembled after an exception. Then the dissector begins
    again."""
    return case.known and case.early <= case.frame


@reason("octets that are no FPDU", "mpa ddp rdmap", "generated/mpa/MPA-4.1-02.pcapng")
def framing(case):
    """The dissector begins again with each segment, or waits for the octets of a wrong length."""
    if not case.known or case.opinion is not None:
        return False
    if case.pair.ours != "mpa.ulpdu_length" and case.theirs and case.row["mpa.ulpdu_length"] == case.their_row["iwarp_mpa.ulpdulength"]:
        return False  # the same FPDUs
    first = int(case.their_row["iwarp_mpa.ulpdulength"].split(AGGREGATOR)[0] or -1)
    ended = [dict(fpdu.values)["mpa.ulpdu_length"] for fpdu in case.fpdus]
    return not case.theirs or first in (int.from_bytes(case.payload[:2], "big"), *ended, *next_lengths(case.way, case.way.sure))


def next_lengths(way, at):
    """Possible values of ULPDU_Length there, and after it, a few times."""
    for _ in range(8):
        length = int.from_bytes(way.octets[at:at + 2], "big")
        yield length
        at += 2 + length + -(2 + length) % 4 + CRC


# ---- RPC-over-RDMA, and RPC and NFS in it ----

ABOVE = "rpcrdma rpc nfs"


@reason("the layer below, which has not found the FPDU", ABOVE, "play rpcrdma --seed=6 --net=resegment=0.5 --pcap")
def nothing_below(case):
    """Or has found other FPDUs. Then the layers above get nothing."""
    return not case.theirs and case.connection and case.row["mpa.ulpdu_length"] != case.their_row["iwarp_mpa.ulpdulength"]


@reason("a Send with Solicited Event", ABOVE, "generated/conforming/rpcrdma-solicited.pcapng", "wireshark-solicited")
def solicited(case):
    """The dissector gives only Send and Send with Invalidate to the layers above."""
    return not case.theirs and any(opcode(fpdu) in SOLICITED for fpdu in case.fpdus)


SOLICITED = (5, 6)


@reason("several Sends that end in one segment", ABOVE, "play nfs41-backchannel --seed=2 --net=reorder=0.05 --pcap",
        "wireshark-several-messages")
def several(case):
    """The layers above get the first."""
    return 0 < len(list(filter(None, case.their_row["rpcordma.xid"].split(AGGREGATOR)))) < len(case.headers)


@reason("what the other direction says, whose framing is lost", "rpc nfs", "mutate 45001 0.02 generated/nfs/NFS41-18.36.3-05.pcapng")
def peer_lost(case):
    """The plugin resynchronises; the dissector begins again with each segment, or waits."""
    return case.known and case.peer.lost is not None and case.peer.lost <= case.frame and of_no_call(case)


@reason("a Read Response that names another sink than its Request", "rpc nfs", "mutate 11001 0.02 generated/conforming/stack-nfs42.pcapng")
def stray(case):
    """The plugin uses the order of the Requests (RFC 5040 section 5.3); the dissector uses STags."""
    stray = case.talk.stray if case.talk else None
    return not case.theirs and not case.headers and stray is not None and stray <= case.frame and any(
        opcode(fpdu) == READ_RESPONSE for fpdu in case.fpdus)


@reason("a Reply that names another Write chunk than its Call", "nfs", "mutate 8002 0.02 generated/conforming/rpcrdma-flight.pcapng")
def other_chunk(case):
    """The plugin uses the Call, which decides the place of data; the dissector the Reply."""
    return case.pair.ours == "nfs.data" and not any(case.theirs) and any(
        message.side != message.caller and stags(message.head) != stags(case.conversation.asked[message.caller, message.xid])
        for message in case.messages)


def stags(head):
    return [stag for chunk in head.writes for stag, _, _ in chunk]


@reason("a list that goes on by another word than 1", ABOVE, "mutate 82002 0.2 generated/rpcrdma/RPCR-3.3.3-05.pcapng")
def other_word(case):
    """The plugin does not accept it as a list."""
    return case.theirs[:len(case.ours)] == case.ours and any(head is None or not head.right for head in case.headers)


@reason("a Send that no buffer is for", ABOVE, "mutate 94002 0.2 generated/rpcrdma/RPCR-4.4.1-01.pcapng")
def no_buffer(case):
    """Its queue, MSN or MO is unexpected, or its header belongs to another operation (RFC 5041 section 7.2)."""
    if case.frame not in case.opinions.odd:
        return False
    shown = [number(value) for value in case.their_row["rpcordma.xid"].split(AGGREGATOR) if value]
    begun = case.pair.layer == "rpcrdma" and case.conversation and [xid for xid, _ in case.conversation.odd[case.frame]]
    return not case.ours or bool(begun) and shown == begun  # the dissector continues with earlier octets


@reason("a Call that no buffer is for, and RDMA Reads that complete it", "rpc nfs", "mutate 94003 0.2 generated/rpcrdma/RPCR-4.4.2-01.pcapng")
def odd_by_reads(case):
    """There the dissector ignores MSN and MO, and the plugin an MSN after a missing one."""
    row = case.row if case.ours else case.their_row
    shown = {number(value) for value in row["rpc.xid"].split(AGGREGATOR) if value}
    return not (case.ours and case.theirs) and not case.messages and not case.headers and case.talk and shown and shown <= {
        head.xid for found in case.talk.odd.values() for _, head in found if head and head.reads and is_call(head)}


@reason("a Reply to a Call that the plugin does not take", "rpc nfs", "mutate 74001 0.2 generated/rpcrdma/BIDI-5.4-01+ok.pcapng")
def of_odd_call(case):
    """No buffer is for it, a list in it continues with a word other than 1, or its RDMA Reads follow an unexpected Request."""
    if not case.conversation or case.opinion is not None or any(case.ours):
        return False
    calls = {xid for found in case.conversation.odd.values() for xid, _ in found} | {xid for _, xid in case.conversation.doubted}
    return any(head and head.xid in calls for head in case.headers)


@reason("a header that is not what the heuristic looks for", ABOVE, "generated/rpcrdma/RPCR-4.2.1-01.pcapng")
def no_header(case):
    """Version 1, and the XID again after the lists of an RDMA_MSG."""
    if not case.theirs and not case.headers and case.talk:  # Reads complete it
        ours = {number(value) for value in case.row["rpc.xid"].split(AGGREGATOR) if value}
        return ours and ours <= case.talk.foreign
    return not case.theirs and any(head is None or head.proc in (MSG, MSGP) and head.inline[:4] != head.xid.to_bytes(4, "big")
                                   for head in case.headers)


@reason("a Long Reply beside Write chunks", "rpc nfs", "generated/conforming/nfs41-chunks.pcapng")
def long_reply(case):
    """The Reply chunk's contents are not shown, or only partly."""
    return any(head and head.proc == NOMSG and head.reply is not None for head in case.headers) and \
        case.theirs == (case.opinion or case.ours)[:len(case.theirs)]


@reason("RDMA Writes that overlap", "nfs", "mutate 11005 0.2 generated/conforming/stack-rpc-credits.pcapng")
def overlap(case):
    """The dissector has their octets in order of arrival, not of place."""
    return case.opinion is not None and case.ours == case.opinion and any(message.rewritten for message in case.messages)


@reason("a Call that RDMA Reads complete", "rpc nfs", "generated/conforming/rpcrdma-long.pcapng", "wireshark-long-call")
def by_reads(case):
    """The message is not reassembled, or not in its order."""
    if any(message.by_reads for message in case.messages):
        return True
    # At another time: before the last Read, or after the Reply.
    shown = {number(value) for value in case.their_row["rpc.xid"].split(AGGREGATOR) if value}
    return not case.ours and not case.messages and not case.headers and shown and shown <= {
        head.xid for head in case.all_headers if head and head.reads and is_call(head)}


SAID_BY_CALL = {"rpc.program", "rpc.programversion", "rpc.procedure"}


@reason("a Reply whose Call was not shown", "rpc nfs", "generated/conforming/rpcrdma-long.pcapng", "wireshark-long-call")
def unknown_call(case):
    """The Call of this Reply is unknown, or mistaken for another with its XID."""
    key = id(case.conversation)
    for message in case.messages:
        shown = case.their_calls.get((key, message.xid), set())
        if message.side != message.caller and (not shown or set(message.asked_in) - shown):
            return not case.theirs or case.pair.layer == "nfs" or case.pair.ours in SAID_BY_CALL  # the Reply itself has the rest
    return not case.messages and of_no_call(case) and any(
        head and head.proc == MSG and not is_call(head) and not case.their_calls.get((key, head.xid)) for head in case.headers)


def of_no_call(case):
    """The Reply is shown like a Reply without a known Call: without fields that only the Call decides."""
    return not case.theirs or case.pair.ours in SAID_BY_CALL and not any(case.theirs)


@reason("a Reply that is shown twice", "rpc nfs", "generated/conforming/rpcrdma.pcapng", "wireshark-read-reply")
def twice(case):
    """Once reassembled with its Write chunks, once as in the Send; both incomplete."""
    if not any(head and head.writes for head in case.headers) and (case.headers or not case.their_row["rpcordma.rdma_handle"]):
        return False
    if case.pair.ours == "nfs.data":
        return bool(case.messages or not any(case.theirs)) and all(
            bytes.fromhex(value) in message.moved + message.octets for value in case.ours for message in case.messages)
    one, two = case.theirs, case.opinion or case.ours
    return any(one[:cut] == two[:cut] and one[cut:] == two[:len(one) - cut] for cut in range(1, len(one)))


@reason("a Reply whose Write chunks are not full", "nfs", "mutate 3010 0.2 generated/conforming/nfs41-chunks.pcapng")
def not_full(case):
    """When reassembling, the dissector takes later octets for data, and data for operations; then it shows the Send once more."""
    return case.ours and case.opinion is None and case.theirs[-len(case.ours):] == case.ours and case.theirs[:1] == case.ours[:1] and any(
        len(message.moved) < sum(length for chunk in message.head.writes for _, length, _ in chunk) for message in case.messages)


@reason("data in the Write chunk and inline", "nfs", "generated/rpcrdma/RPCR-4.3.2-04.pcapng")
def inline_too(case):
    """The plugin shows neither; the dissector shows the inline octets twice."""
    return not case.ours and case.frame in case.opinions.partial and case.frame not in case.opinions.broken and \
        case.theirs == 2 * case.opinions.over_tcp(case.frame, case.pair.ours)


@reason("a Reply with a Read list", "rpc nfs", "generated/conforming/old-done.pcapng")
def read_read(case):
    """RFC 8166 has none, and the plugin does not reassemble it. The dissector does when the next Send ends, before showing that."""
    replies = {head.xid for head in case.all_headers if head and head.reads and head.proc == MSG and not is_call(head)}
    if not case.ours:
        return replies and not case.headers
    more = len(case.theirs) - len(case.ours)
    shown = {number(value) for value in case.their_row["rpc.xid"].split(AGGREGATOR)[:more] if value}
    return more > 0 and case.theirs[more:] == (case.opinion or case.ours) and shown and shown <= replies


@reason("calls of both sides with one XID", "rpc nfs", "generated/conforming/rpcrdma-both-directions.pcapng")
def both_ways(case):
    if not case.messages and case.conversation and case.opinion is None:  # there is no third opinion on it
        odd = {head.xid for found in case.conversation.odd.values() for _, head in found if head and is_call(head)}
        return any(head and sum((side, head.xid) in case.conversation.asked for side in (0, 1)) + (head.xid in odd) > 1
                   for head in case.headers)
    return any((0, message.head.xid) in case.conversation.asked and (1, message.head.xid) in case.conversation.asked
               for message in case.messages)


@reason("an empty Read segment", "rpc nfs", "generated/rpcrdma/RPCR-4.3-01.pcapng")
def empty_segment(case):
    return not case.theirs and any(head and any(not length for _, _, length, _ in head.reads) for head in case.headers)


# ---- RoCE ----

@reason("a packet that was sent again", ABOVE, "roce/loss8in-mount-nfs41.pcap")
def repeated(case):
    return not case.ours and case.frame in case.opinions.roce.repeated


@reason("the first packet of a Send that was sent again", "rpcrdma", "play nfs2 --transport=roce --seed=3 --net=rnr=0.3 --pcap")
def repeated_start(case):
    """The plugin names its message; the dissector only handles whole Sends."""
    payload = case.opinions.roce.repeated.get(case.frame)
    return case.pair.ours == "rpcrdma.xid" and payload and case.ours == [int.from_bytes(payload[:4], "big")] and not case.theirs


@reason("a packet before which another has to come", ABOVE, "play rpcrdma-hole --transport=roce --pcap")
def held(case):
    """The packet comes again, or later, or the capture lacks it, as the Acknowledge shows. The
    dissector does not wait, and shows each packet at its
    place."""
    roce = case.opinions.roce
    if case.frame in roce.held and not case.ours:
        return True
    return case.frame in roce.released and case.theirs == (case.opinion or case.ours)[:len(case.theirs)]


@reason("the snap length of a packet", ABOVE + " infiniband", "play nfs3 --transport=roce --snaplen=128 --pcap")
def cut_packet(case):
    """Wireshark's dissector calls it malformed."""
    return not case.theirs and case.frame in case.opinions.roce.cut


@reason("payload that another dissector stumbles over", "infiniband", "roce/nfs3-read-4k-64k.pcap")
def stumbled(case):
    """Later octets, such as the ICRC, are not shown then."""
    return case.pair.ours == "infiniband.invariant.crc" and not case.theirs and case.their_row["_ws.malformed"]


@reason("a RoCE connection whose beginning was not captured", ABOVE, "play nfs3 --transport=roce --filter=udp[8]!=0x64 --pcap")
def unknown_connection(case):
    """The plugin shows it once the pair of queue pairs is known; the dissector never knows it, and finds no Calls."""
    if not case.their_row["infiniband.bth.psn"] or case.frame not in case.opinions.roce.unknown:
        return False
    return not case.ours and case.since >= case.frame or of_no_call(case)


@reason("what other packets would say, which were cut", ABOVE, "play nfs3 --transport=roce --snaplen=330 --pcap")
def others_cut(case):
    """The dissector has not shown the Reply's Call, or the READ's Write chunk."""
    connection = case.opinions.roce.of.get(case.frame)
    return connection and not connection.sure and of_no_call(case)
