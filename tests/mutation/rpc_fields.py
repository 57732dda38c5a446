# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the fields of RPC-over-RDMA, RPC and NFS are in Sends: RFC 8166, 8167, 8797, 5531, 8267."""
import collections
import struct

Field = collections.namedtuple("Field", "layer name of places")
PROCS = ("MSG", "NOMSG", "MSGP", "DONE", "ERROR")
NFS, NFS_CB, COMPOUND, SEQUENCE, READ3, WRITE3 = 100003, 0x40000000, 1, 53, 6, 7
PROGRAMS = {100003: "NFS", 100005: "MOUNT", 100021: "NLM", 100024: "NSM", 100227: "NFSACL", 100000: "rpcbind"}
AUTH_SYS, RPCSEC_GSS = 1, 6
VERS = 1
GSS_FIELDS = ("version", "gss_proc", "seq_num", "service", "handle length")
DATA, AUTHENTICATION = 0, 1  # of gss_proc, of service
READ2, WRITE2 = 6, 8
MAGIC = b"\xf6\xab\x0e\x18"


def private_data(capture, places, of):
    if capture.at(places[:4]) != MAGIC or len(places) < 8:
        return []
    return [Field("rpcrdma", "private Format Identifier", of, places[:4]),
            Field("rpcrdma", "private Version", of, places[4:5]), Field("rpcrdma", "private flags", of, places[5:6]),
            Field("rpcrdma", "private Send Size", of, places[6:7]),
            Field("rpcrdma", "private Receive Size", of, places[7:8])]


class Ended(Exception):
    """The message has no more octets inline."""


class Reader:
    def __init__(self, capture, places):
        self.capture, self.places, self.at, self.fields = capture, places, 0, []

    def word(self, layer=None, name=None, of="-", size=4):
        if self.at + size > len(self.places):
            raise Ended
        places = self.places[self.at:self.at + size]
        self.at += size
        if layer:
            self.fields.append(Field(layer, name, of, places))
        return int.from_bytes(self.capture.at(places), "big")

    def opaque(self, layer, name, of):
        length = self.word(layer, name + " length", of)
        self.skip(length + -length % 4)
        return length

    def skip(self, octets):
        if self.at + octets > len(self.places):
            raise Ended
        self.at += octets


def segments(reader, of, kind):
    for _ in range(reader.word("rpcrdma", f"{kind} segment count", of)):
        for field, size in (("Handle", 4), ("Length", 4), ("Offset", 8)):
            reader.word("rpcrdma", f"{kind} {field}", of, size)


def chunks(reader, of):
    while reader.word("rpcrdma", "Read list discriminator", of):
        for field, size in (("Position", 4), ("Handle", 4), ("Length", 4), ("Offset", 8)):
            reader.word("rpcrdma", "Read " + field, of, size)
    while reader.word("rpcrdma", "Write list discriminator", of):
        segments(reader, of, "Write")
    if reader.word("rpcrdma", "Reply chunk discriminator", of):
        segments(reader, of, "Reply")


def message(reader, calls, side, given):
    """One Send. calls: (side that called, XID) -> (program, version, procedure)."""
    xid, = struct.unpack(">I", reader.capture.at(reader.places[:4]))
    procedure = struct.unpack(">I", reader.capture.at(reader.places[12:16]))[0]
    kind = PROCS[procedure] if procedure < len(PROCS) else str(procedure)
    is_reply = (1 - side, xid) in calls and (1 - side, xid) not in given
    of = f"{kind} {'Reply' if is_reply else 'Call'}"
    for field in ("XID", "Version", "Credit", "Procedure"):
        reader.word("rpcrdma", field, of)
    if kind == "ERROR":
        if reader.word("rpcrdma", "Error", of) == VERS:
            for field in ("lowest Version", "highest Version"):
                reader.word("rpcrdma", field, of)
        return
    if kind == "MSGP":
        for field in ("Align", "Thresh"):
            reader.word("rpcrdma", field, of)
    elif kind not in ("MSG", "NOMSG"):
        return
    chunks(reader, of)
    if kind == "NOMSG":
        if is_reply:
            given.add((1 - side, xid))
        else:
            calls[side, xid] = None
        return
    rpc(reader, calls, side, given)


def rpc(reader, calls, side, given):
    at = reader.at
    xid, kind = struct.unpack(">II", reader.capture.at(reader.places[at:at + 8]))
    of = "Reply" if kind else "Call"
    reader.word("rpc", "xid", of)
    reader.word("rpc", "msg_type", of)
    if kind:
        given.add((1 - side, xid))
        reply(reader, calls.get((1 - side, xid)))
        return
    reader.word("rpc", "rpcvers", of)
    at = reader.at
    call = struct.unpack(">III", reader.capture.at(reader.places[at:at + 12]))
    calls[side, xid] = call
    program = PROGRAMS.get(call[0], "callback" if call[0] >= NFS_CB else "other")
    reader.word("rpc", "prog", program)
    reader.word("rpc", "vers", program)
    reader.word("rpc", "proc", f"{program} {call[1]}")
    flavor = reader.word("rpc", "cred flavor", of)
    length, start = reader.word("rpc", "cred length", of), reader.at
    if flavor == AUTH_SYS:
        reader.word()
        reader.opaque("rpc", "machinename", of)
        reader.word()
        reader.word()
        reader.word("rpc", "gids count", of)
    elif flavor == RPCSEC_GSS:
        _, gss_proc, _, service, _ = (reader.word("rpc", "gss " + field, of) for field in GSS_FIELDS)
        if gss_proc != DATA or service != AUTHENTICATION:  # the rest is not an argument, or is protected
            calls[side, xid] = None
    reader.at = start
    reader.skip(length + -length % 4)
    reader.word("rpc", "verf flavor", of)
    reader.skip(reader.word("rpc", "verf length", of))
    if calls[side, xid]:
        arguments(reader, call)


def arguments(reader, call):
    program, version, procedure = call
    if (program, version) == (NFS, 4) and procedure == COMPOUND or program >= NFS_CB and procedure == COMPOUND:
        of = "callback" if program >= NFS_CB else "Call"
        reader.opaque("nfs", "COMPOUND tag", of)
        reader.word("nfs", "COMPOUND minorversion", of)
        if program >= NFS_CB:
            reader.word()
        reader.word("nfs", "COMPOUND operation count", of)
        if reader.word("nfs", "first operation", of) == SEQUENCE:
            for field, size in (("sa_sessionid", 16), ("sa_sequenceid", 4), ("sa_slotid", 4), ("sa_highest_slotid", 4)):
                reader.word("nfs", field, of, size)
    elif (program, version) == (NFS, 3) and procedure:
        reader.opaque("nfs", "file handle", f"v3 {procedure}")
        if procedure in (READ3, WRITE3):
            reader.word(size=8)
            reader.word("nfs", "count", f"v3 {procedure}")
        if procedure == WRITE3:
            reader.word("nfs", "stable", "v3 7")
            reader.word("nfs", "data length", "v3 7")
    elif (program, version) == (NFS, 2) and procedure not in (0, 3, 7):
        reader.skip(32)
        if procedure == READ2:
            reader.word()
            reader.word("nfs", "count", "v2 6")
        elif procedure == WRITE2:
            reader.skip(12)
            reader.word("nfs", "data length", "v2 8")


def reply(reader, call):
    if reader.word("rpc", "reply_stat", "Reply"):
        reader.word("rpc", "reject_stat", "Reply")
        return
    reader.word("rpc", "verf flavor", "Reply")
    length = reader.word("rpc", "verf length", "Reply")
    reader.skip(length + -length % 4)
    if reader.word("rpc", "accept_stat", "Reply") or call is None:
        return
    program, version, procedure = call
    if (program, version) == (NFS, 4) and procedure == COMPOUND or program >= NFS_CB and procedure == COMPOUND:
        of = "callback Reply" if program >= NFS_CB else "Reply"
        reader.word("nfs", "COMPOUND status", of)
        reader.opaque("nfs", "COMPOUND tag", of)
        reader.word("nfs", "COMPOUND result count", of)
        first = reader.word("nfs", "first operation", of)
        reader.word("nfs", "first status", of)
        if first == SEQUENCE:
            for field, size in (("sr_sessionid", 16), ("sr_sequenceid", 4), ("sr_slotid", 4)):
                reader.word("nfs", field, of, size)
    elif (program, version) == (NFS, 3) and procedure:
        of = f"v3 {procedure}"
        status = reader.word("nfs", "status", of)
        if procedure == READ3 and not status:
            if reader.word("nfs", "attributes_follow", of):
                reader.skip(84)
            reader.word("nfs", "count", of + " Reply")
            reader.word("nfs", "eof", of)
            reader.word("nfs", "data length", of + " Reply")
    elif (program, version) == (NFS, 2) and procedure:
        status = reader.word("nfs", "status", f"v2 {procedure}")
        if procedure == READ2 and not status:
            reader.skip(68)
            reader.word("nfs", "data length", "v2 6 Reply")


def locate(capture, sends):
    """sends: (order, side, places of the octets)"""
    out, calls, given = [], {}, set()
    for _, side, places in sends:
        head = capture.at(places[:16])
        if len(head) < 16 or head[4:8] != b"\0\0\0\1" or head[12] or head[13]:
            continue  # not RPC-over-RDMA
        reader = Reader(capture, places)
        try:
            message(reader, calls, side, given)
        except (Ended, struct.error):
            pass
        out += reader.fields
    return out
