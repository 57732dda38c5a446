# SPDX-License-Identifier: GPL-2.0-or-later
"""RPC-over-RDMA on RoCE: iwarp-check's findings, whole messages, and everything else left to Wireshark."""
import collections
import random
import re
import struct

import pytest

import captures
import cases
import reference_ib
import roce
from many import Many
from reports import read_report
from test_modes import tree
from test_rpcrdma_data import check_message, octets
from test_rpcrdma_findings import RULE, SEVERITIES, TEXT

MODES = {"one pass": [], "two passes": ["-2"]}
FOLDER = cases.ROOT / "captures" / "roce"
PATHS = {path.stem: path for path in sorted(FOLDER.glob("*.pcap"))}
PATHS |= {path.stem: path for path in cases.roce()}
NFS = [name for name in PATHS if "nfs" in name]
FOREIGN = [name for name in PATHS if name not in NFS]
CUT = [name for name in NFS if name.startswith("snap")]
LATE = [name for name in NFS if name.startswith("mid")]


@pytest.fixture(params=MODES)
def mode(request):
    return MODES[request.param]


class Judged(Many):
    """The captures with their findings."""

    def __init__(self, wireshark, check, path, paths):
        super().__init__(wireshark, path, paths)
        self.check, self.said = check, None

    def by_checker(self, name):
        if self.said is None:
            self.said = found_by_checker(self.check, self.path)
        return collections.Counter({finding: n for finding, n in self.said.items() if self.has(name, finding[0])})

    def by_plugin(self, name, mode):
        return findings_in(self.fields(name, FINDING, *mode, "-Y", "rpcrdma.rule"))


@pytest.fixture(scope="module")
def nfs(wireshark, check, tmp_path_factory):
    """The captures of NFS."""
    return Judged(wireshark, check, tmp_path_factory.mktemp("nfs") / "nfs.pcap", {name: PATHS[name] for name in NFS})


# ---- findings ----

FINDING = ["rpcrdma.rule", "_ws.expert.message", "_ws.expert.severity"]
BLIND = {"NFSULB-5.1-01", "NFSULB-6.3-02"}  # about rpcbind on TCP


def found_by_checker(check, path):
    report = read_report(check("--format=ndjson", "--verbose", path).stdout)
    return collections.Counter((finding["frame"], finding["rule"], finding["severity"], finding["message"][:TEXT])
                               for capture in report["captures"] for connection in capture["connections"]
                               for finding in connection["findings"] if finding["rule"] not in BLIND)


def findings_in(rows):
    found = collections.Counter()
    for frame in rows:
        rules = []
        for text, severity in zip(frame["_ws.expert.message"], frame["_ws.expert.severity"]):
            match = RULE.match(text)
            if match:
                rules.append(match[1])
                found[frame["frame"], match[1], SEVERITIES[int(severity)], text[match.end():][:TEXT]] += 1
        assert sorted(rules) == sorted(frame["rpcrdma.rule"])
    return found


def found_by_plugin(wireshark, path, mode):
    return findings_in(wireshark.fields(path, FINDING, *mode, "-Y", "rpcrdma.rule"))


@pytest.mark.parametrize("name", FOREIGN)
def test_findings_are_the_checkers(wireshark, check, name):
    expected = found_by_checker(check, PATHS[name])
    assert found_by_plugin(wireshark, PATHS[name], []) == found_by_plugin(wireshark, PATHS[name], ["-2"]) == expected


@pytest.mark.parametrize("name", NFS)
def test_findings_in_nfs_are_the_checkers(nfs, name, mode):
    assert nfs.by_plugin(name, mode) == nfs.by_checker(name)


def rewritten(path, out, change):
    """The capture with change(number, frame) for each frame; None: removed."""
    data, at, number = path.read_bytes(), 24, 0
    with open(out, "wb") as file:
        file.write(data[:24])
        while at < len(data):
            length, = struct.unpack_from("<I", data, at + 8)
            frame = change(number, data[at + 16:at + 16 + length])
            if frame is not None:
                file.write(data[at:at + 8] + struct.pack("<I", len(frame)) + data[at + 12:at + 16] + frame)
            at, number = at + 16 + length, number + 1
    return out


MISSING = ["loss 1", "loss 2", "start 3", "start 20", "snap 128"]
MISSING_FROM = ["nfs3-read-4k-64k", "nfs41-recall", "nfs42-long-setxattr", "loss8in-mount-nfs41"]
DAMAGED = ["nfs3-read-4k-64k", "nfs3-write-4k-64k", "nfs41-recall", "nfs41-acl", "nfs42-long-setxattr"]


def lacking(how, name):
    kind, number = how.split()
    chance = random.Random(how + name)
    return {"loss": lambda i, frame: frame if chance.random() > 0.08 else None,
            "start": lambda i, frame: frame if i >= int(number) else None,
            "snap": lambda i, frame: frame[:int(number)]}[kind]


STOPPED = re.compile(r"(Malformed Packet: |Unreassembled Packet: |Dissector bug, protocol )RPC-over-RDMA")


def damaged(chance):
    """Changes octets of the transport or its payload, with the right ICRC."""
    def change(_, frame):
        if len(frame) > 62 and frame[36:38] == b"\x12\xb7" and chance.random() < 0.1:
            frame = bytearray(frame)
            for _ in range(chance.randrange(1, 4)):
                frame[chance.randrange(42, min(len(frame) - 4, 42 + chance.choice([12, 80, 1000])))] = chance.choice([0, 1, 2, 255, chance.randrange(256)])
            frame = roce.with_icrc(bytes(frame))
        return frame
    return change


@pytest.fixture(scope="module")
def missing(wireshark, check, tmp_path_factory):
    folder = tmp_path_factory.mktemp("missing")
    paths = {(how, name): rewritten(PATHS[name], folder / f"{how} {name}.pcap", lacking(how, name))
             for how in MISSING for name in MISSING_FROM}
    return Judged(wireshark, check, folder / "missing.pcap", paths)


@pytest.fixture(scope="module")
def spoiled(wireshark, check, tmp_path_factory):
    folder = tmp_path_factory.mktemp("spoiled")
    paths = {(name, seed): rewritten(PATHS[name], folder / f"{name} {seed}.pcap", damaged(random.Random(f"{seed} {name}")))
             for name in DAMAGED for seed in range(3)}
    return Judged(wireshark, check, folder / "spoiled.pcap", paths)


# In two passes: one pass does not show findings at earlier frames, and shows those that are withdrawn later.
TWICE = ["-2"]


@pytest.mark.parametrize("name", MISSING_FROM)
@pytest.mark.parametrize("how", MISSING)
def test_findings_where_packets_are_missing(missing, name, how):
    assert missing.by_plugin((how, name), TWICE) == missing.by_checker((how, name))
    assert not missing.fields((how, name), ["_ws.malformed"], *TWICE, "-Y", "_ws.malformed")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", DAMAGED)
def test_findings_in_damaged_captures(spoiled, name, seed):
    assert spoiled.by_plugin((name, seed), TWICE) == spoiled.by_checker((name, seed))


def test_damaged_captures_are_dissected_to_the_end(spoiled, wireshark, mode):
    result, stopped = wireshark.search(STOPPED, spoiled.path, "-V", *mode)
    assert result.returncode == 0 and not stopped


def test_the_tests_are_not_empty(nfs):
    assert sum(sum(nfs.by_checker(name).values()) for name in NFS) > 50


# ---- generated conversations ----

EVERY = 4  # one fault in this many
NETS = ["loss=0.1", "reorder=0.2", "dup=0.2", "loss=0.05,reorder=0.1,dup=0.1", "capture-loss=0.1", "rnr=0.2"]

def played():
    """{name: arguments of iwarp-gen play}: scenarios, faults, and scenarios on bad networks."""
    scenarios = [row[0] for row in cases.listed("scenarios", "--transport=roce")]
    faults = cases.listed("faults", "--transport=roce")
    found = {name: [name] for name in scenarios}
    found |= {row[0]: [row[1], f"--inject={row[0]}"] for row in faults[::EVERY]}
    for number, name in enumerate(scenarios):
        found[f"{name} on a bad network"] = [name, "--net=" + NETS[number % len(NETS)], f"--seed={number}"]
    return found


@pytest.fixture(scope="module")
def merged(generated, tmp_path_factory):
    path = tmp_path_factory.mktemp("roce") / "merged.pcap"
    paths = [(name, generated(*arguments, "--transport=roce", "--pcap")) for name, arguments in played().items()]
    parts, _ = captures.merge(paths, path)
    assert len(parts) == len(paths) > 150
    return path


def test_findings_in_generated_captures(wireshark, check, merged):
    expected = found_by_checker(check, merged)
    assert found_by_plugin(wireshark, merged, ["-2"]) == expected
    assert sum(expected.values()) > 100
    once = found_by_plugin(wireshark, merged, [])
    assert sum((once & expected).values()) > 0.8 * sum(expected.values()) and sum((once - expected).values()) < 10


WHOLE = ["rpcrdma", "rpcrdma-lengths", "rpcrdma-segments", "rpcrdma-long", "rpcrdma-flight", "rpcrdma-invalidate", "rpcrdma-large-inline",
         "rpcrdma-small-segments", "nfs2", "nfs3", "nfs40", "nfs41", "nfs41-chunks", "nfs41-slots", "nfs42"]
LOSSES = {"": [], "loss": ["--net=loss=0.1"]}


@pytest.fixture(scope="module")
def conversations(wireshark, generated, tmp_path_factory):
    paths = {(name, net): generated(name, "--transport=roce", "--pcap", *LOSSES[net]) for name in WHOLE for net in LOSSES}
    return Many(wireshark, tmp_path_factory.mktemp("conversations") / "all.pcap", paths), paths


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("net", LOSSES)
def test_generated_messages_are_dissected_whole(conversations, name, net, mode):
    many, paths = conversations
    whole(paths[name, net], many.fields((name, net), SHOWN, *mode, "-Y", MESSAGES))


# ---- messages ----

SHOWN = ["rpc.xid", "rpc.msgtyp", "nfs.data", "rpcrdma.rpc.data", "_ws.malformed", "_ws.unreassembled"]


MESSAGES = "infiniband && (rpc || _ws.malformed)"


def whole(path, frames, late=False):
    """Each message of an independent reader is dissected with the same octets."""
    rows = collections.defaultdict(list)
    for frame in frames:
        assert not frame["_ws.malformed"] and not frame["_ws.unreassembled"]
        for xid, kind in zip(frame["rpc.xid"], frame["rpc.msgtyp"]):
            rows[int(xid, 16), int(kind)].append(frame)
    expected = reference_ib.messages(path)
    assert expected or late
    assert sum(map(len, rows.values())) >= len(expected)
    seen = collections.Counter()
    for message in expected:
        key = message.xid, message.kind
        check_message(message, rows[key][seen[key]])
        seen[key] += 1


@pytest.mark.parametrize("name", [name for name in NFS if name not in CUT])
def test_every_message_is_dissected_whole(nfs, name, mode):
    whole(PATHS[name], nfs.fields(name, SHOWN, *mode, "-Y", MESSAGES), name in LATE)


def test_data_of_read_and_write(wireshark, mode):
    for name, kind in ("nfs3-read-4k-64k", 1), ("nfs3-write-4k-64k", 0):
        chunks = [data for message in reference_ib.messages(PATHS[name]) if message.kind == kind
                  for _, data in message.chunks]
        shown = [data for frame in wireshark.fields(PATHS[name], ["nfs.data"], *mode, "-Y", "nfs.data")
                 for data in octets(frame["nfs.data"])]
        assert len(chunks) > 2 and all(any(data.startswith(one) and len(data) - len(one) < 4 for one in shown) for data in chunks)


@pytest.mark.parametrize("name", CUT or ["none"])
def test_nothing_that_is_cut_is_malformed(nfs, name, mode):
    assert name == "none" or not any(frame["_ws.malformed"] for frame in nfs.fields(name, SHOWN, *mode, "-Y", MESSAGES))


@pytest.mark.parametrize("name", LATE or ["late"])
def test_a_call_before_the_connection_is_known_is_told(wireshark, tmp_path, name, mode):
    path = PATHS.get(name) or rewritten(PATHS["nfs42-mount-umount"], tmp_path / "late.pcap", lambda i, frame: frame if i >= 7 else None)
    frames = wireshark.fields(path, ["rpc.repframe", "rpc.msgtyp"], *mode, "-Y", "rpcrdma && rpc.msgtyp == 1")
    assert len(frames) > 5 and all(frame["rpc.repframe"] for frame in frames)


def test_cut_packets_keep_their_operation(wireshark, tmp_path):
    """Read from the displayed column: since 4.4 the field _ws.col.Info has its value before corrections."""
    path = rewritten(PATHS["nfs3-read-4k-64k"], tmp_path / "cut.pcap", lambda i, frame: frame[:256])
    frames = wireshark.fields(path, [], "-2", "-Y", "frame.cap_len < frame.len && infiniband")
    wide = wireshark.tshark(path, "-2", "-o", 'gui.column.format:"Info","%i"', "-Y",
                            "infiniband.bth.opcode in {6,7,8} && frame.len > 256").splitlines()
    assert frames and wide and all("RDMA WRITE" in info and "Malformed" not in info for info in wide)


# ---- links ----

def test_segments_are_linked_with_their_operations(wireshark):
    names = ["rpcrdma.operation", "rpcrdma.operation.octets", "rpcrdma.operation.first_in", "rpcrdma.operation.last_in"]
    moves = [*names, "rpcrdma.call_in", "rpcrdma.answer_in", "rpcrdma.move.octets", "infiniband.bth.opcode"]
    for name, requests in ("nfs3-read-4k-64k", False), ("nfs3-write-4k-64k", True):
        calls = {}
        for frame in wireshark.fields(PATHS[name], names, "-2", "-Y", "rpcrdma.kind == 1 && rpcrdma.operation"):
            for operation, count, first, last in zip(*(frame[field] for field in names)):
                calls[operation] = frame["frame"], int(count), int(first), int(last)
        moved, kinds = collections.Counter(), set()
        for frame in wireshark.fields(PATHS[name], moves, "-2", "-Y", "rpcrdma.move.xid"):
            operation, = frame["rpcrdma.operation"]
            call, _, first, last = calls[operation]
            assert frame["rpcrdma.call_in"] == [str(call)] and int(frame["rpcrdma.answer_in"][0]) > last
            kinds.add(int(frame["infiniband.bth.opcode"][0]))
            if frame["infiniband.bth.opcode"] != ["12"]:  # a Read request
                moved[operation] += int(frame["rpcrdma.move.octets"][0])
                assert first <= frame["frame"] <= last
        assert calls and moved == {operation: count for operation, (_, count, _, _) in calls.items()}
        assert (12 in kinds) == requests


@pytest.mark.parametrize("name", ["nfs3-names", "nfs3-write-4k-64k"])
def test_sends_of_several_packets(wireshark, name, mode):
    frame, = wireshark.fields(PATHS[name], ["rpcrdma.send.first_in", "rpcrdma.length"], *mode, "-Y", "rpcrdma.send.first_in")
    assert int(frame["rpcrdma.send.first_in"][0]) < frame["frame"] and int(frame["rpcrdma.length"][0]) > 1024
    parts = wireshark.fields(PATHS[name], ["rpcrdma.send.complete_in"], "-2", "-Y", "rpcrdma.send.complete_in")
    assert [part["rpcrdma.send.complete_in"] for part in parts] == [[str(frame["frame"])]]


def test_private_data_of_both_sides(wireshark):
    names = ["rpcrdma.startup." + name for name in
             ("identifier", "flags.r", "send_size", "receive_size", "to_responder", "to_initiator", "request_in", "reply_in")]
    request, reply = wireshark.fields(PATHS["nfs42-mount-umount"], names, "-2", "-Y", "rpcrdma.startup.identifier")
    for frame in request, reply:
        assert [frame["rpcrdma.startup." + name] for name in ("identifier", "send_size", "receive_size", "to_responder",
                                                            "to_initiator")] == [["0xf6ab0e18"], *[["4096"]] * 4]
    assert (request["rpcrdma.startup.flags.r"], reply["rpcrdma.startup.flags.r"]) == (["1"], ["0"])
    assert request["rpcrdma.startup.reply_in"] == [str(reply["frame"])]
    assert reply["rpcrdma.startup.request_in"] == [str(request["frame"])]


def test_callbacks(wireshark, mode):
    names = ["rpc.msgtyp", "rpc.repframe", "rpc.dup", "nfs.cb.operation"]
    frames = wireshark.fields(PATHS["nfs41-recall"], names, *mode, "-Y", "rpcrdma.reverse == 1")
    assert [frame["rpc.msgtyp"] for frame in frames] == [["0"], ["1"]] and all(frame["nfs.cb.operation"] for frame in frames)
    assert not any(frame["rpc.dup"] for frame in frames) and frames[1]["rpc.repframe"] == [str(frames[0]["frame"])]


def test_packets_sent_again(wireshark, mode):
    path, names = PATHS["loss8in-mount-nfs41"], ["_ws.col.Info", "rpcrdma.packet.copies", "rpcrdma.xid", "infiniband.bth.psn"]
    first = {str(frame["frame"]): frame for frame in wireshark.fields(path, names, *mode)}
    frames = wireshark.fields(path, names, *mode, "-Y", "rpcrdma.packet.repeated")
    assert len(frames) == 2
    for frame in frames:
        copy = first[frame["rpcrdma.packet.copies"][0]]
        assert copy["infiniband.bth.psn"] == frame["infiniband.bth.psn"] and copy["rpcrdma.xid"][:1] == frame["rpcrdma.xid"]
        assert f"[Retransmission of frame {copy['frame']}, XID {frame['rpcrdma.xid'][0]}]" in frame["_ws.col.Info"][0]


def test_random_access(wireshark):
    path = PATHS["nfs41-acl"]
    count = len(wireshark.fields(path, []))
    forward = list(range(1, count + 1))
    answers = wireshark.sharkd(path, [("frame", {"frame": number, "proto": True}) for number in forward + forward[::-1]], take=tree)
    assert answers[:count] == answers[count:][::-1]


def test_statistics(wireshark):
    text = wireshark.tshark(PATHS["nfs3-read-4k-64k"], "-q", "-z", "rpcrdma,tree", "-z", "rpcrdma,srt")
    assert "RDMA_MSG Call" in text and "NFS v3 READ" in text


@pytest.mark.parametrize("options", [["--transport=roce"], []])
def test_response_times_of_operations(wireshark, check, generated, options):
    """A COMPOUND counts for each of its operations, as in iwarp-check --stats."""
    path = generated("nfs42", "--pcap", *options)
    report = read_report(check("--stats", "--format=ndjson", path).stdout)
    expected = {row["name"].strip(): (row["latency"]["count"], row["latency"]["sum"] / 1e9)
                for row in report["captures"][0]["connections"][0]["statistics"]["calls"] if row["operation"]}
    text = wireshark.tshark(path, "-2", "-q", "-z", "rpcrdma,srt")
    rows = re.findall(r"^ +\d+  NFS v4 COMPOUND (with \w+) +(\d+) .* ([0-9.]+)$", text, re.M)
    assert {name for name, _, _ in rows} == set(expected) and len(rows) == len(expected) > 8
    for name, n, total in rows:
        assert int(n) == expected[name][0] and float(total) == pytest.approx(expected[name][1], abs=2e-6)


@pytest.mark.parametrize("net", ["loss=0.2", "rnr=0.3", "rnr=0.3,loss=0.1"])
def test_response_times_end_with_the_copy_that_was_taken(wireshark, check, generated, net):
    """Times are those of --stats: a retransmitted answer ends with its latest copy before the Acknowledge."""
    path = generated("nfs3", "--transport=roce", "--pcap", f"--net={net}", "--seed=5")
    report = read_report(check("--stats", "--format=ndjson", path).stdout)
    expected = [row["latency"] for row in report["captures"][0]["connections"][0]["statistics"]["calls"] if not row.get("operation")]
    rows = re.findall(r"^ +\d+  NFS v3 \w+ +(\d+) .* ([0-9.]+)$", wireshark.tshark(path, "-2", "-q", "-z", "rpcrdma,srt"), re.M)
    assert sorted(float(total) for _, total in rows) == pytest.approx(sorted(row["sum"] / 1e9 for row in expected), abs=2e-6)
    assert sorted(int(n) for n, _ in rows) == sorted(row["count"] for row in expected)
    copies = wireshark.fields(path, ["rpcrdma.received_in", "rpcrdma.time"], "-2", "-Y", "rpcrdma.received_in")
    assert copies and all(int(frame["rpcrdma.received_in"][0]) > frame["frame"] for frame in copies)


# ---- ownership ----

def without_plugins(wireshark, path, *arguments):
    environment = wireshark.environment
    wireshark.environment = dict(environment, WIRESHARK_PLUGIN_DIR="/nonexistent")
    try:
        return wireshark.tshark(path, *arguments)
    finally:
        wireshark.environment = environment


@pytest.mark.parametrize("name", FOREIGN)
def test_all_else_is_left_alone(wireshark, name, mode):
    """Captures without RPC-over-RDMA, octet for octet, except what the built-in dissector takes for it."""
    guess = ["--disable-heuristic", "rpcrdma_infiniband"]
    assert wireshark.tshark(PATHS[name], "-V", *mode) == without_plugins(wireshark, PATHS[name], "-V", *mode, *guess)


@pytest.mark.parametrize("choice", [["-o", "rpcrdma.infiniband:FALSE"], ["-d", "infiniband,rpcordma"], ["--disable-protocol", "rpcrdma"],
                                    ["--disable-heuristic", "rpcrdma_ib"]], ids=" ".join)
def test_the_built_in_can_be_chosen(wireshark, choice, mode):
    path = PATHS["nfs41-acl"]
    assert wireshark.fields(path, [], *mode, "-Y", "rpcrdma") and not wireshark.fields(path, [], *mode, "-Y", 'frame.protocols contains "rpcordma"')
    known = choice if "rpcordma" in choice[1] else []
    assert wireshark.tshark(path, "-V", *mode, *choice) == without_plugins(wireshark, path, "-V", *mode, *known)


def test_what_is_not_recognised_can_be_given(wireshark):
    path = PATHS.get("op-echo") or PATHS["op-send-norecv-late"]
    assert not wireshark.fields(path, [], "-Y", "rpcrdma")
    assert wireshark.fields(path, [], "-d", "infiniband,rpcrdma", "-Y", "rpcrdma")


@pytest.mark.parametrize("link", roce.LINKS)
def test_links(wireshark, tmp_path, link, mode):
    path = tmp_path / "roce.pcap"
    roce.write(path, link=link)
    rows = wireshark.fields(path, ["rpc.msgtyp", "nfs.data", "rpcrdma.kind"], *mode, "-Y", "rpcrdma.kind")
    assert [frame["rpc.msgtyp"] for frame in rows] == [["0"], ["1"], ["0"], ["1"]]
    assert rows[-1]["nfs.data"] == [b"0123456789abcdef".hex()]


def test_the_built_in_never_comes_first(wireshark, tmp_path, mode):
    """The dissector claims this Send of another connection, and Wireshark then asks this dissector first."""
    path = tmp_path / "mixed.pcap"
    roce.write(path, before=[roce.connected(roce.CLIENT, roce.SERVER, roce.SEND_ONLY, 7, roce.words(1, 9, 9, 3) + bytes(40), qp=0x999)])
    protocols = [frame["frame.protocols"][0] for frame in wireshark.fields(path, ["frame.protocols"], *mode, "-Y", "infiniband")]
    assert sum("rpcrdma:rpc" in protocol for protocol in protocols) == 4
    assert not any("rpcordma" in protocol for protocol in protocols)


@pytest.mark.parametrize("seed", [7, 10])
def test_a_send_whose_last_packet_came_first(wireshark, generated, seed):
    """The message is complete in the frame that shows it, not in the frame of its last packet."""
    path = generated("nfs2", "--transport=roce", "--net=reorder=0.3", f"--seed={seed}")
    names = ["rpcrdma.send.complete_in", "rpcrdma.xid", "rpcrdma.taken_in"]
    frames = {frame["frame"]: frame for frame in wireshark.fields(path, names, "-2")}
    assert any(frame["rpcrdma.taken_in"] for frame in frames.values())
    parts = [int(value) for frame in frames.values() for value in frame["rpcrdma.send.complete_in"]]
    assert parts and all(frames[frame]["rpcrdma.xid"] and not frames[frame]["rpcrdma.taken_in"] for frame in parts)
