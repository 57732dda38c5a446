# SPDX-License-Identifier: GPL-2.0-or-later
"""Filters by the names of Wireshark's built-in dissectors: for every field and every capture of the tree and of its manifest, the plugins show the values that the
built-in dissectors show without them, in one pass and in two. Where they differ, REASONS has the fault of the built-in dissector.

The table of docs/wireshark.md has our field for each; both have the same values."""
import collections
import itertools
import os
import pathlib
import re

import captures
import pytest
import versions

OWN = pathlib.Path(__file__).resolve().parents[2] / "captures"
FOLDERS = [OWN]
if "IWARP_CAPTURES" in os.environ:
    FOLDERS.append(pathlib.Path(os.environ["IWARP_CAPTURES"]))
PASSES = ((), ("-2",))
GROUPS = 8  # of fields: each group is a run of tshark
PROTOCOLS = ("iwarp_mpa", "iwarp_ddp_rdmap", "rpcordma")
NUMBERS = {"FT_UINT8", "FT_UINT16", "FT_UINT32", "FT_UINT64", "FT_BOOLEAN", "FT_FRAMENUM"}
OTHER = {"iwarp_mpa.crc", "iwarp_mpa.crc_check", "iwarp_mpa.res"}  # octets in the other order; flag S is reserved until 4.4
RULES = ["mpa.rule", "rddp.rule", "rdmap.rule", "rpcrdma.rule"]
MORE = """ip.src ip.dst tcp.srcport tcp.dstport tcp.stream tcp.analysis.out_of_order tcp.analysis.lost_segment tcp.analysis.retransmission frame.len
    frame.cap_len mpa.hole mpa.skipped mpa.repeated rpc.xid rpcrdma.fault rpcrdma.packet.repeated rpcrdma.taken_in mpa.rev mpa.flags.r mpa.ulpdu_length
    mpa.marker rddp.gap rddp.fragment.count rdmap.opcode rdmap.atomic.opcode rdmap.atomic.reserved rpcrdma.version rpcrdma.xid
    rpcrdma.rpc rpcrdma.send.first_in rpcrdma.send.complete_in rpcrdma.complete_in rpcrdma.answer_in rpcrdma.call_in""".split()
# Fields for which the captures have no agreed value.
NEVER = {"iwarp_rdma.send.fragment." + name for name in ("overlap", "overlap.conflict", "multipletails", "toolongfragment", "error")}
PORTS_OF_OTHERS = {"3260", "4420", "5445"}
DEFINED_ATOMICS = {"0", "2"}
READ_IN_REPLY = "RPCR-4.3.1-03"
SOLICITED = {"0x05", "0x06"}


def one(values):
    return values[0] if values else None


def ends(frame):
    return frozenset([(one(frame["ip.src"]), one(frame["tcp.srcport"])), (one(frame["ip.dst"]), one(frame["tcp.dstport"]))])


class Connections:
    """Numbers of TCP streams of a capture, by what the plugins show."""

    def __init__(self, frames):
        self.marked, self.disordered, self.rejected, self.later, self.faulty, self.mixed, self.wrong, self.old = (set() for _ in range(8))
        first = {}  # stream by addresses and ports
        kinds = [(self.marked, ["mpa.marker"]), (self.faulty, ["mpa.rule"]), (self.mixed, ["rddp.rule", "rddp.gap"]), (self.wrong, ["rpcrdma.rule"]),
                 (self.disordered, [name for name in MORE if name.startswith("tcp.analysis")] + ["mpa.hole", "mpa.skipped", "mpa.repeated"])]
        for frame in frames:
            stream = one(frame["tcp.stream"])
            for streams, names in kinds:
                if any(frame[name] for name in names):
                    streams.add(stream)
            if READ_IN_REPLY in frame["rpcrdma.rule"]:
                self.old.add(stream)
            if "1" in frame["mpa.flags.r"]:
                self.rejected.add(stream)
            if frame["mpa.rev"] and first.setdefault(ends(frame), stream) != stream:
                self.later.add(stream)


def other_fpdus(theirs, ours, streams):
    """They find other FPDUs or start-up frames than the plugins, in one of these streams."""
    return (one(ours["tcp.stream"]) in streams
            and (theirs["iwarp_mpa.ulpdulength"] != ours["mpa.ulpdu_length"] or theirs["iwarp_mpa.rev"] != ours["mpa.rev"]))


MESSAGE = ["rpcrdma.rpc", "rpcrdma.send.first_in"]  # of one that the plugins rebuild here, of a part of one
LINKS = ["rpcrdma.complete_in", "rpcrdma.send.complete_in", "rpcrdma.answer_in", "rpcrdma.call_in"]
LENGTH = "rpcordma.reassembled.length"


def other_roundup(theirs, ours):
    """Both rebuild a message from the same frames, apart from at most three octets."""
    lengths, frames = ([int(one(frame[LENGTH]) or 0) for frame in (theirs, ours)], [frame["rpcordma.fragment"] for frame in (theirs, ours)])
    return all(lengths) and abs(lengths[0] - lengths[1]) < 4 and set(frames[0]) == set(frames[1])


IWARP, RPC, SENDS, REBUILT = r"iwarp_.*|rpcordma.*", r"rpcordma.*", r"iwarp_rdma\.send\..*", r"rpcordma\.(fragment.*|reassembled\..*)"
NOT_EVERYWHERE = "in the second pass they lose Sends of several segments"  # 4.0 also finds those malformed
# (fields, where, why): in these frames the built-in dissectors show something else, or nothing. f, t, o, c: the field, the frame as they and as the
# plugins show it, the connections of the capture.
REASONS = [
    (IWARP, lambda f, t, o, c: other_fpdus(t, o, c.marked),
     "with Markers, they take each TCP segment for one FPDU"),
    (r"iwarp_mpa\.(pad|crc.*|marker.*)", lambda f, t, o, c: o["mpa.marker"],
     "they look for Markers, and for PAD after one, at wrong places"),
    (IWARP, lambda f, t, o, c: other_fpdus(t, o, c.disordered),
     "they do not notice lost or repeated octets of the TCP stream"),
    (IWARP, lambda f, t, o, c: other_fpdus(t, o, c.rejected),
     "they go on after a rejection"),
    (IWARP, lambda f, t, o, c: other_fpdus(t, o, c.later),
     "they confuse a connection with an earlier one between the same ports"),
    (IWARP, lambda f, t, o, c: other_fpdus(t, o, o["tcp.stream"]) and PORTS_OF_OTHERS & {*o["tcp.srcport"], *o["tcp.dstport"]},
     "they are not asked about ports that another protocol owns"),
    (IWARP, lambda f, t, o, c: other_fpdus(t, o, c.faulty),
     "they do not check start-up frames and FPDUs"),
    (r"iwarp_(ddp|rdma).*|rpcordma.*", lambda f, t, o, c: o["frame.len"] != o["frame.cap_len"], "they stop at the snap length"),
    (IWARP, lambda f, t, o, c: (t["_ws.malformed"] or "assertion" in str(t["_ws.expert.message"])) and o[f][:len(t[f])] == t[f],
     "they stop at what they find malformed, or at a bug of theirs"),
    (SENDS, lambda f, t, o, c: one(o["tcp.stream"]) in c.marked | c.later | c.disordered | c.faulty | c.mixed,
     "they put Sends together in order of arrival, and with the octets of Markers in them"),
    (r"iwarp_rdma\.send\.reassembled_in", lambda f, t, o, c: set(t[f]) == {str(t["frame"])}, "they link to the frame itself"),
    (r"iwarp_rdma\.atomic\..*", lambda f, t, o, c: not set(o["rdmap.atomic.opcode"]) <= DEFINED_ATOMICS or set(o["rdmap.atomic.reserved"]) != {"0x0000000"},
     "they misplace the data of an undefined Atomic operation, and take reserved bits for a part of its number"),
    (RPC, lambda f, t, o, c: SOLICITED & set(o["rdmap.opcode"]), "they ignore Sends with Solicited Event"),
    (RPC, lambda f, t, o, c: o["rpcrdma.version"] not in ([], ["1"]), "they ignore versions other than 1"),
    (RPC, lambda f, t, o, c: o["rpcrdma.fault"], "they ignore, or find malformed, a wrong header"),
    (RPC, lambda f, t, o, c: not t["rpcordma"] and not set(o["rpcrdma.xid"]) <= set(o["rpc.xid"]),
     "they ignore a Send without an RPC message of its XID"),
    (RPC, lambda f, t, o, c: not t["rpcordma"] and o["rddp.fragment.count"], NOT_EVERYWHERE),
    (RPC, lambda f, t, o, c: o["rpcrdma.packet.repeated"] or o["rpcrdma.taken_in"], "they show a retransmission like the first packet"),
    (REBUILT, lambda f, t, o, c: not any(o[name] for name in ("rpcrdma.xid", *LINKS)),
     "they rebuild Sends of other upper layers, too, and take RDMA Writes without octets for parts"),
    (REBUILT, lambda f, t, o, c: not t[f] and any(o[name] for name in (LINKS if f == "rpcordma.reassembled.in" else MESSAGE)),
     "they rebuild fewer messages"),
    (r"rpcordma\.fragment\.count", lambda f, t, o, c: t[f] != [str(len(t["rpcordma.fragment"]))],
     "they count parts without octets"),
    (REBUILT, lambda f, t, o, c: other_roundup(t, o), "they forget roundup, or repeat other octets instead"),
    (REBUILT, lambda f, t, o, c: t[LENGTH] and o[LENGTH] and int(one(t[LENGTH])) < int(one(o[LENGTH])), "they omit parts"),
    (REBUILT, lambda f, t, o, c: one(o["tcp.stream"]) in c.old,
     "a Reply in Read chunks, which RFC 8166 forbids: they guess which of the Reads is the last, and the plugins do not"),
    (REBUILT, lambda f, t, o, c: t[f] and one(o["tcp.stream"]) in c.wrong,
     "they do not notice wrong chunks and RDMA operations"),
]


def listed(cell):
    """The names of a cell; `.b` after `a.x` stands for a.b."""
    names = []
    for name in re.findall(r"`([^` ]+)[^`]*`", cell):
        names.append(names[-1].rpartition(".")[0] + name if name.startswith(".") else name)
    return names


@pytest.fixture(scope="module")
def pairs(root):
    """{built-in field: ours} of docs/wireshark.md; "": the plugins show no such field; None: no single field is the same."""
    table = (root / "docs" / "wireshark.md").read_text(encoding="utf-8").partition("| built-in | the plugins |")[2].partition("\n\n")[0]
    found = {}
    for line in table.splitlines()[2:]:
        theirs, ours = map(listed, line.strip("|").split("|"))
        found |= zip(theirs, ours) if len(ours) == len(theirs) else dict.fromkeys(theirs, None if ours else "")
    return found


@pytest.fixture(scope="module")
def fields(wireshark):
    """{field of this release: type}, with the protocols themselves."""
    return dict.fromkeys(PROTOCOLS, "FT_PROTOCOL") | {row[2]: row[3] for row in wireshark.registered("fields") if row[0] == "F" and row[4] in PROTOCOLS}


class Seen:
    """The captures of a folder as both show them, in each of PASSES."""

    def __init__(self, wireshark, fields, pairs, captured, made, folder):
        self.own = captured == OWN
        self.merged = merged = folder / "merged.pcap"
        paths = {str(path.relative_to(captured)): path for path in captured.rglob("*.pcap*")}
        if self.own:
            paths |= {f"generated/{path.relative_to(made)}": path for path in made.rglob("*.pcap*")}
        self.parts, others = captures.merge(sorted(paths.items()), merged)
        assert not others
        names = dict.fromkeys([*fields, *filter(None, pairs.values()), *RULES, *MORE])
        self.ours = [wireshark.keep_fields(folder / f"ours{len(passes)}", merged, names, *passes) for passes in PASSES]
        plugins = wireshark.environment.pop("WIRESHARK_PLUGIN_DIR")
        try:
            self.theirs = [wireshark.keep_fields(folder / f"theirs{len(passes)}", merged, [*fields, "_ws.malformed", "_ws.expert.message"], *passes) for passes in PASSES]
        finally:
            wireshark.environment["WIRESHARK_PLUGIN_DIR"] = plugins

    def frames(self):
        """(place, theirs, ours, connections) for each frame, in each of PASSES."""
        for part in self.parts:
            ours = [rows.between(part.first, part.last) for rows in self.ours]
            connections = Connections(ours[-1])
            for rows, own in zip(self.theirs, ours):
                for there, here in zip(rows.between(part.first, part.last), own, strict=True):
                    assert there["frame"] == here["frame"]
                    yield f"{part.name}, frame {here['frame'] - part.first + 1}", there, here, connections


@pytest.fixture(scope="module", params=FOLDERS, ids=lambda folder: folder.name)
def seen(request, wireshark, fields, pairs, all_captures, tmp_path_factory):
    return Seen(wireshark, fields, pairs, request.param, all_captures, tmp_path_factory.mktemp("merged"))


def test_same_values(seen, fields, pairs):
    same, reasons, unexplained = collections.Counter(), collections.Counter(), []
    for place, theirs, ours, connections in seen.frames():
        for field in fields:
            assert pairs[field] != "" or not ours[field], (place, field)
            if theirs[field] == ours[field]:
                same[field] += len(ours[field])
            else:
                why = next((why for names, where, why in REASONS if re.fullmatch(names, field) and where(field, theirs, ours, connections)), None)
                reasons[why] += 1
                if not why:
                    unexplained.append((place, field, theirs[field], ours[field]))
    assert not unexplained, (len(unexplained), unexplained[:20])
    if seen.own:
        assert {why for *_, why in REASONS} <= {*reasons, NOT_EVERYWHERE}
        assert {field for field in fields if pairs[field] != "" and not same[field]} <= NEVER


def test_table_is_true(seen, fields, pairs):
    """Each field is in the table, and where the plugins show it, they show their own with the same values. Only a header that is too short, or in the
    wrong buffer model, may have one without the other."""
    shown, compared = collections.Counter(), collections.Counter()
    assert set(fields) <= set(pairs)
    for place, _, ours, _ in seen.frames():
        if any(ours[rule] for rule in RULES):
            continue
        for field, kind in fields.items():
            own = ours[pairs[field]] if pairs[field] else []
            shown[field] += bool(ours[field] and pairs[field])
            if not own or not ours[field]:
                continue
            compared[field] += 1
            if kind in NUMBERS and own != ["1"] * len(own) and field not in OTHER and not versions.builtin_differs(field):
                assert [int(value, 0) for value in ours[field]] == [int(value, 0) for value in own], (place, field)
    assert not [field for field in shown if compared[field] < shown[field] * 0.9]


@pytest.mark.parametrize("name", [*PROTOCOLS, "iwarp_mpa.crc", "iwarp_ddp", "iwarp_rdma.opcode", "rpcordma.xid"])
def test_filters_match(wireshark, root, name):
    """Without a printed tree, fields are added only if the filter has them."""
    capture = root / "captures" / "real" / "nfs" / "nfs3-names.pcap"
    has = {frame["frame"] for frame in wireshark.fields(capture, [name]) if frame[name]}
    found = wireshark.tshark(capture, "-Y", name).splitlines()
    assert has and {int(line.split()[0]) for line in found} == has


@pytest.fixture(scope="module")
def shown(seen, fields):
    """{field: number of frames that have it} in one pass."""
    return collections.Counter(field for part in seen.parts for row in seen.ours[0].between(part.first, part.last) for field in fields if row[field])


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_filter_matches(seen, shown, wireshark, fields, group):
    """The same for all fields: as many frames as have the field in a printed tree. Fields of the same part of a header are in different groups."""
    wanted = [*fields][group::GROUPS]
    table = wireshark.tshark(seen.merged, "-q", "-z", ",".join(["io,stat,0", *wanted]))
    _, *counts = re.search(r"^\|.*<>.*\|$", table, re.M)[0].strip("|").split("|")
    assert {field: int(count) for field, count in zip(wanted, counts[::2], strict=True)} == {field: shown[field] for field in wanted}


def test_nothing_is_visible(wireshark, root):
    text = wireshark.tshark(root / "captures" / "real" / "nfs" / "nfs3-names.pcap", "-V")
    assert "MPA" in text and "iWARP" not in text.replace("(iWARP)", "")
