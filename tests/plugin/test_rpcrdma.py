# SPDX-License-Identifier: GPL-2.0-or-later
"""Headers, chunks and their RDMA operations, Calls and answers, whole RPC messages: see also test_rpcrdma_data.py."""
import collections
import re

import pytest

import cases
from test_modes import tree

ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]
TWICE = ["-2", *ORDER]
CALL, REPLY, ERROR = "1", "2", "3"
SCENARIOS = ["rpcrdma", "rpcrdma-segments", "rpcrdma-long", "rpcrdma-unused", "rpcrdma-flight", "rpcrdma-both-directions",
             "rpcrdma-large-inline", "rpcrdma-port", "nfs3", "nfs41-chunks", "nfs41-backchannel", "nfs-gss"]
# Left out: information from later frames (links to them, moved octets of a chunk).
FIELDS = """rpcrdma.xid rpcrdma.version rpcrdma.credit rpcrdma.proc rpcrdma.position rpcrdma.segment.handle
    rpcrdma.segment.length rpcrdma.segment.offset rpcrdma.chunk.segments rpcrdma.chunk.octets rpcrdma.kind
    rpcrdma.transaction rpcrdma.reverse rpcrdma.response_to rpcrdma.time rpcrdma.credit.in_use rpcrdma.length
    rpcrdma.inline_threshold rpcrdma.move.xid rpcrdma.move.segment rpcrdma.move.offset rpcrdma.move.octets
    rpcrdma.call_in rpcrdma.rpc.length rpcrdma.rpc.data rpc.xid rpc.msgtyp rpc.procedure rpc.repframe nfs.opcode
    nfs.procedure_v3 nfs.status nfs.fh.hash nfs.data""".split()


@pytest.mark.parametrize("name", SCENARIOS)
def test_one_pass_and_two_say_the_same(wireshark, generated, name):
    path = generated(name, "--pcap")
    once = wireshark.fields(path, FIELDS, *ORDER, "-Y", "rpcrdma")
    twice = wireshark.fields(path, FIELDS, *TWICE, "-Y", "rpcrdma")
    if name == "rpcrdma-unused" or name == "rpcrdma-flight":  # Calls that were never read are shown from the second pass on
        shown = {frame["frame"] for frame in once if frame["rpc.xid"]}
        once = [frame for frame in once if frame["frame"] in shown]
        twice = [frame for frame in twice if frame["frame"] in shown]
    assert len(once) > 5
    assert once == twice
    assert once == [frame for frame in wireshark.fields(path, FIELDS, "-Y", "rpcrdma")
                    if frame["frame"] in {one["frame"] for one in once}]


@pytest.mark.parametrize("name", ["rpcrdma", "rpcrdma-both-directions", "nfs41-chunks"])
def test_random_access(wireshark, generated, name):
    """sharkd dissects frames one by one, as the GUI does."""
    path = generated(name, "--pcap")
    numbers = list(range(1, len(wireshark.fields(path, [])) + 1))
    requests = [("frame", {"frame": number, "proto": True}) for number in numbers + numbers[::-1] + numbers[::5]]
    answers = wireshark.sharkd(path, requests, take=tree)
    first, back, some = answers[:len(numbers)], answers[len(numbers):2 * len(numbers)], answers[2 * len(numbers):]
    assert first == back[::-1]
    assert some == first[::5]


# ---- Calls and answers ----

LINKS = ["rpcrdma.xid", "rpcrdma.kind", "rpcrdma.transaction", "rpcrdma.reverse", "rpcrdma.response_in",
         "rpcrdma.response_to", "rpcrdma.time", "rpcrdma.repeated"]


def sends(frames):
    """One row for each message, if a frame has at most one."""
    return {frame["frame"]: frame for frame in frames if len(frame["rpcrdma.kind"]) == 1}


@pytest.mark.parametrize("name", SCENARIOS)
def test_calls_and_answers_are_linked_both_ways(wireshark, generated, name):
    rows = sends(wireshark.fields(generated(name, "--pcap"), LINKS, *TWICE, "-Y", "rpcrdma.xid"))
    calls = {number: row for number, row in rows.items() if row["rpcrdma.kind"] == [CALL]}
    answers = {number: row for number, row in rows.items() if row["rpcrdma.kind"] in ([REPLY], [ERROR])}
    linked = 0
    for number, row in calls.items():
        for frame in row["rpcrdma.response_in"]:
            answer = answers[int(frame)]
            assert answer["rpcrdma.response_to"] == [str(number)]
            assert answer["rpcrdma.transaction"] == row["rpcrdma.transaction"]
            assert answer["rpcrdma.xid"] == row["rpcrdma.xid"] and answer["rpcrdma.reverse"] == row["rpcrdma.reverse"]
            assert float(answer["rpcrdma.time"][0]) > 0
            linked += 1
    assert linked == sum(1 for row in answers.values() if row["rpcrdma.response_to"]) >= 3


def test_errors_are_linked_to_their_calls(everything):
    frames = everything.wireshark.fields(everything.merged, [*LINKS, "rpcrdma.err", "rpcrdma.vers_low"], *TWICE, "-Y",
                                         "rpcrdma.proc == 4 and rpcrdma.response_to")
    for frame in frames:
        assert frame["rpcrdma.kind"] == [ERROR]
        assert frame["rpcrdma.err"] == ["1"] or not frame["rpcrdma.vers_low"]
    assert {"1", "2"} <= {value for frame in frames for value in frame["rpcrdma.err"]}


# ---- chunks and RDMA operations ----

MOVES = ["rpcrdma.move.xid", "rpcrdma.call_in", "rpcrdma.transaction", "rpcrdma.move.octets", "rdmap.operation",
         "rdmap.opcode"]
OPERATIONS = ["rpcrdma.xid", "rpcrdma.transaction", "rpcrdma.kind", "rpcrdma.operation", "rpcrdma.operation.octets",
              "rpcrdma.operation.first_in", "rpcrdma.operation.last_in"]


@pytest.mark.parametrize("name", ["rpcrdma", "rpcrdma-segments", "rpcrdma-long", "rpcrdma-both-directions", "nfs41-chunks"])
def test_segments_are_linked_with_their_operations(wireshark, generated, name):
    path = generated(name, "--pcap")
    moved, of_transaction = collections.Counter(), {}
    for frame in wireshark.fields(path, MOVES, *TWICE, "-Y", "rpcrdma.move.xid"):
        assert len(frame["rpcrdma.move.xid"]) == len(frame["rpcrdma.call_in"])
        for operation, octets in zip(frame["rdmap.operation"], frame["rpcrdma.move.octets"]):
            if frame["rdmap.opcode"] != ["0x01"]:
                moved[operation] += int(octets)
            of_transaction[operation] = frame["rpcrdma.transaction"]
    assert moved
    told = collections.Counter()
    for frame in wireshark.fields(path, OPERATIONS, *TWICE, "-Y", f"rpcrdma.kind == {CALL}"):
        if len(frame["rpcrdma.kind"]) > 1:
            continue
        for operation, octets in zip(frame["rpcrdma.operation"], frame["rpcrdma.operation.octets"]):
            told[operation] += int(octets)
            assert of_transaction[operation] == frame["rpcrdma.transaction"]
    assert {operation: octets for operation, octets in told.items() if octets} == {
        operation: octets for operation, octets in moved.items() if octets}


def test_calls_lead_to_where_they_become_complete(wireshark, generated):
    path = generated("rpcrdma", "--pcap")
    names = ["rpcrdma.xid", "rpcrdma.complete_in", "rpc.xid", "rpc.msgtyp"]
    waiting = [frame for frame in wireshark.fields(path, names, *TWICE, "-Y", "rpcrdma.complete_in")]
    assert waiting
    for frame in waiting:
        there = wireshark.fields(path, names, *TWICE, "-Y", f"frame.number == {frame['rpcrdma.complete_in'][0]}")
        assert there[0]["rpc.xid"] == frame["rpcrdma.xid"] and there[0]["rpc.msgtyp"] == ["0"]


# ---- both directions ----

@pytest.mark.parametrize("name", ["rpcrdma-both-directions", "nfs41-backchannel"])
@pytest.mark.parametrize("mode", [ORDER, TWICE], ids=["one pass", "two passes"])
def test_directions_do_not_mix(wireshark, generated, name, mode):
    """RPC's own matching agrees with ours, with equal or different XIDs in both directions."""
    names = ["rpcrdma.response_to", "rpcrdma.reverse", "rpc.repframe", "rpc.dup", "rpc.msgtyp", "rpcrdma.rpc"]
    frames = wireshark.fields(generated(name, "--pcap"), names, *mode, "-Y", "rpc.msgtyp == 1")
    assert {value for frame in frames for value in frame["rpcrdma.reverse"]} == {"0", "1"}
    for frame in frames:
        assert not frame["rpc.dup"]
        assert len(frame["rpc.repframe"]) == len(frame["rpcrdma.response_to"])


def test_callbacks_are_dissected(wireshark, root):
    path = cases.real()["nfs41-recall.pcap"][0]
    names = ["rpcrdma.reverse", "rpc.program", "rpc.msgtyp", "nfs.cb.operation"]
    frames = wireshark.fields(path, names, *ORDER, "-Y", "rpcrdma.reverse == 1")
    assert [frame["rpc.msgtyp"] for frame in frames] == [["0"], ["1"]]
    assert all(frame["nfs.cb.operation"] for frame in frames)


# ---- the rest ----

def test_private_data_of_both_sides(wireshark, generated):
    names = ["rpcrdma.startup.send_size", "rpcrdma.startup.receive_size", "rpcrdma.startup.to_responder",
             "rpcrdma.startup.to_initiator", "rpcrdma.startup.request_in", "rpcrdma.startup.reply_in", "rpcrdma.private_data.send_size"]
    request, reply = wireshark.fields(generated("rpcrdma-large-inline", "--pcap"), names, *TWICE, "-Y", "rpcrdma.startup.send_size")
    assert request["rpcrdma.startup.reply_in"] == [str(reply["frame"])]
    assert reply["rpcrdma.startup.request_in"] == [str(request["frame"])]
    for frame in (request, reply):
        assert frame["rpcrdma.startup.send_size"] == frame["rpcrdma.private_data.send_size"]
    sizes = {name: [int(frame["rpcrdma.startup." + name][0]) for frame in (request, reply)] for name in ("send_size", "receive_size")}
    for frame in (request, reply):
        assert int(frame["rpcrdma.startup.to_responder"][0]) == min(sizes["send_size"][0], sizes["receive_size"][1])
        assert int(frame["rpcrdma.startup.to_initiator"][0]) == min(sizes["send_size"][1], sizes["receive_size"][0])


def test_builtin_is_back_without_ours(wireshark, generated):
    path = generated("rpcrdma", "--pcap")
    assert wireshark.fields(path, [], *ORDER, "-Y", "rpcrdma") and not wireshark.fields(path, [], *ORDER, "-Y", 'frame.protocols contains "rpcordma"')
    assert wireshark.fields(path, [], *ORDER, "--disable-protocol", "rpcrdma", "-Y", "rpcordma")


def test_ports_can_be_given(wireshark, generated):
    path = generated("rpcrdma-port", "--pcap")
    usual = wireshark.fields(path, FIELDS, *ORDER, "-Y", "rpcrdma")
    assert usual == wireshark.fields(path, FIELDS, *ORDER, "-d", "rdmap.port==2049,rpcrdma", "-Y", "rpcrdma")
    assert usual == wireshark.fields(path, FIELDS, *ORDER, "-o", "rpcrdma.rdmap.port:20049,2049", "-Y", "rpcrdma")


def test_statistics(wireshark, generated):
    text = wireshark.tshark(generated("nfs3", "--pcap"), *ORDER, "-q", "-z", "rpcrdma,tree", "-z", "rpcrdma,srt")
    calls = re.search(r"RDMA_MSG Call +(\d+)", text)
    assert int(calls[1]) > 10 and re.search(r"Write chunk sizes +[1-9]", text) and re.search(r"granted +\d+ +\d+", text)
    assert re.search(r"Credits +[1-9]", text)
    assert not re.search(r"^ +\d+(-\d*)? +0 ", text, re.M)  # no bins without a size
    times = dict(re.findall(r"\d+ +(NFS v3 [A-Z]+) +(\d+) ", text))
    assert int(times["NFS v3 READ"]) >= 1 and int(times["NFS v3 WRITE"]) >= 1
