# SPDX-License-Identifier: GPL-2.0-or-later
"""Wireshark's RPC and NFS dissectors get exactly the octets that the Sends and RDMA operations moved: see reference.py."""
import collections
import struct

import pytest

import cases
import reference

ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]
MODES = {"one pass": ORDER, "two passes": ["-2", *ORDER], "defaults": []}
LINKS = ["nfs.readlink.data", "nfs.symlink.to", "nfs.symlink.linktext"]
SHOWN = [*LINKS, "rpc.xid", "rpc.msgtyp", "nfs.data", "rpcrdma.rpc.data", "_ws.malformed", "_ws.unreassembled"]
SCENARIOS = ["rpcrdma", "rpcrdma-lengths", "rpcrdma-segments", "rpcrdma-long", "rpcrdma-flight", "rpcrdma-invalidate",
             "rpcrdma-large-inline", "rpcrdma-small-segments", "nfs2", "nfs3", "nfs40", "nfs41", "nfs41-chunks",
             "nfs41-slots", "nfs42", "nfs-auxiliary"]


def nfs_captures():
    return [name for name, (path, _) in cases.real().items() if "nfs" in path.parent.name or "nfs" in name]


@pytest.fixture(scope="module")
def capture(generated):
    return lambda case: cases.real()[case][0] if case.endswith(".pcap") else generated(case, "--pcap")


def shown(wireshark, path, mode):
    """{(XID, message type): [row of the frame, ...]}, each value as octets."""
    rows = collections.defaultdict(list)
    for frame in wireshark.fields(path, SHOWN, *MODES[mode], "-Y", "rpc"):
        for xid, kind in zip(frame["rpc.xid"], frame["rpc.msgtyp"]):
            rows[int(xid, 16), int(kind)].append(frame)
    return rows


def octets(values):
    return [bytes.fromhex(value) for value in values]


def put_back(inline, whole, data):
    """Whether `whole` is `inline` with `data` after its count somewhere."""
    padded = data + bytes(-len(data) % 4)
    at = whole.find(struct.pack(">I", len(data)) + data)
    while at >= 0:
        if whole == inline[:at + 4] + padded + inline[at + 4:]:
            return True
        at = whole.find(struct.pack(">I", len(data)) + data, at + 1)
    return False


def check_message(message, frame):
    wholes = octets(frame["rpcrdma.rpc.data"])
    if message.kind == reference.CALL and message.chunks:
        assert message.whole() in wholes
    elif len(message.chunks) == 1:
        assert any(put_back(message.inline, whole, message.chunks[0][1]) for whole in wholes)
    elif not message.chunks and wholes:
        assert message.inline in wholes
    for position, data in message.chunks:
        assert any(data in whole for whole in wholes), position


@pytest.mark.parametrize("name, mode", [
    (name, mode) for name in [*nfs_captures(), *SCENARIOS] for mode in MODES])
def test_every_message_is_dissected_whole(wireshark, capture, name, mode):
    path = capture(name)
    rows = shown(wireshark, path, mode)
    expected = reference.messages(path)
    assert expected
    assert sum(map(len, rows.values())) >= len(expected)
    assert not [frame["frame"] for frames in rows.values() for frame in frames
                if frame["_ws.malformed"] or frame["_ws.unreassembled"]]
    seen = collections.Counter()
    for message in expected:
        key = message.xid, message.kind
        frames = rows[key]
        assert seen[key] < len(frames), key
        check_message(message, frames[seen[key]])
        seen[key] += 1


@pytest.mark.parametrize("options", [
    ["rpcrdma", "--net=resegment=0.5"],
    ["rpcrdma", "--net=reorder=0.2,dup=0.1,loss=0.1"],
    ["nfs41-chunks", "--net=resegment=0.4,reorder=0.1", "--seed=3"],
    ["rpcrdma-both-directions", "--mtu=576", "--ipv6"],
    ["rpcrdma-again"],
], ids=" ".join)
@pytest.mark.parametrize("mode", ["one pass", "two passes"])
def test_trouble(wireshark, generated, options, mode):
    path = generated(*options, "--pcap")
    rows = shown(wireshark, path, mode)
    expected = reference.messages(path)
    assert sum(map(moved, expected)) > 1000
    for message in expected:
        frames = rows[message.xid, message.kind]
        wholes = [data for frame in frames for data in octets(frame["rpcrdma.rpc.data"])]
        assert frames and not [frame["frame"] for frame in frames if frame["_ws.malformed"]]
        if message.kind == reference.CALL and message.chunks:
            assert message.whole() in wholes
        elif message.chunks:
            assert any(all(data in whole for _, data in message.chunks) for whole in wholes)


def moved(message):
    return sum(len(data) for _, data in message.chunks)


@pytest.mark.parametrize("name, chunks", [("nfs3", 5), ("nfs41", 4), ("nfs41-recall.pcap", 1)])
def test_data_of_read_and_write(wireshark, capture, name, chunks):
    """In these, chunks other than whole messages hold file data and symbolic links."""
    path = capture(name)
    rows = shown(wireshark, path, "one pass")
    compared = 0
    for message in reference.messages(path):
        frames = rows[message.xid, message.kind]
        found = [data for frame in frames for data in octets(frame["nfs.data"])]
        found += [text.encode() for frame in frames for link in LINKS for text in frame[link]]
        for _, data in message.chunks:
            lengths = {len(data)} if message.kind == reference.REPLY else set(range(len(data) - 3, len(data) + 1))
            assert any(len(one) in lengths and data.startswith(one) for one in found)
            compared += 1
    assert compared >= chunks


def test_roundup_that_comes_later(wireshark, all_captures):
    """In a separate segment (RFC 5666 section 3.7): the message is complete without it, and was not cut."""
    path = all_captures / "rpcrdma" / "RPCR0-3.7-01.pcapng"
    for mode in MODES.values():
        call, = wireshark.fields(path, ["nfs.data"], *mode, "-Y", "nfs.data && rpc.msgtyp == 0")
        assert len(octets(call["nfs.data"])[0]) == 5
        assert not wireshark.fields(path, [], *mode, "-Y", "_ws.short || _ws.malformed")


def test_the_tests_are_not_empty(capture):
    assert len(nfs_captures()) >= 14
    found = [message for case in [*nfs_captures(), *SCENARIOS] for message in reference.messages(capture(case))]
    kinds = collections.Counter((message.kind, bool(message.chunks)) for message in found)
    assert min(kinds[kind, chunks] for kind in (0, 1) for chunks in (False, True)) > 10
    assert sum(map(moved, found)) > 20000
