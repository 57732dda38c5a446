# SPDX-License-Identifier: GPL-2.0-or-later
"""-z follow: the octets of the Sends of a connection, and whole RPC messages."""
import re

import pytest

import versions
from cases import real

ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]
# A follower for parts of streams needs the name of one in tshark; 0: all of them.
WHOLE = "rpcrdma,raw,0,0" if versions.release() >= (4, 2) else "rpcrdma,raw,0"
ROCE = "rdma_ib,raw,1,0" if versions.release() >= (4, 2) else "rdma_ib,raw,1"
SENDS = "rdmap.opcode in {3, 4, 5, 6} && data && !rddp.reassembled.in"


def followed(wireshark, path, what):
    """[(from the first sender?, octets)]"""
    text = wireshark.tshark(path, *ORDER, "-q", "-z", f"follow,{what}")
    return [(not line.startswith("\t"), line.strip()) for line in text.splitlines() if re.fullmatch(r"\t?[0-9a-f]+", line)]


@pytest.mark.parametrize("source, stream", [("crc-rping.pcap", 0), ("ucmatose.pcap", 1), ("rev1", 0)])
def test_sends(wireshark, generated, source, stream):
    """Each Send once and complete, for any segments; also for a stream named by its addresses."""
    path = real()[source][0] if source.endswith(".pcap") else generated(source)
    frames = wireshark.fields(path, ["data.data", "data.len", "tcp.srcport", "tcp.dstport", "ip.src", "ip.dst"], "-2", *ORDER,
                              "-Y", f"{SENDS} && tcp.stream == {stream}")
    first = frames[0]
    expected = [(frame["tcp.srcport"] == first["tcp.srcport"], octets.rstrip("\u2026"), 2 * int(length))
                for frame in frames for octets, length in zip(frame["data.data"], frame["data.len"])]
    assert len(expected) > 10
    ends = ",".join(f"{first[ip][0]}:{first[port][0]}" for ip, port in (("ip.src", "tcp.srcport"), ("ip.dst", "tcp.dstport")))
    for which in (stream, ends):
        found = followed(wireshark, path, f"rdmap,raw,{which}")
        # tshark shows only the first octets of long fields
        assert [(side, octets[:len(cut)], len(octets)) for (side, octets), (_, cut, _) in zip(found, expected)] == expected
        assert len(found) == len(expected)


@pytest.mark.parametrize("source, what", [("real/nfslong", WHOLE), ("roce", ROCE), ("roce", "rdma_ib,raw,10.1.1.2:1,10.1.1.1:2")])
def test_rpc_messages(wireshark, root, source, what):
    """Whole messages, including file data however it was transferred. Calls and Replies alternate here."""
    path = root / "captures" / source / "nfs42-long-setxattr.pcap"
    if ":" in what and versions.release() >= (4, 2):
        pytest.skip("a stream with parts has no addresses")
    messages = followed(wireshark, path, what)
    frames = wireshark.fields(path, ["rpc.xid", "rpc.msgtyp"], *ORDER, "-Y", "rpc")
    assert len(messages) == len(frames) > 40
    for (from_client, octets), frame in zip(messages, frames):
        assert int(octets[:8], 16) == int(frame["rpc.xid"][0], 16)
        assert int(octets[8:16], 16) == int(frame["rpc.msgtyp"][0]) == (0 if from_client else 1)
    lengths = wireshark.fields(path, ["rpc.xid", "rpcrdma.rpc.length"], *ORDER, "-Y", "rpcrdma.rpc.length")
    assert len(lengths) > 1
    for frame in lengths:
        assert int(frame["rpcrdma.rpc.length"][0]) * 2 in {len(octets) for _, octets in messages}


def test_one_of_many(wireshark, root):
    """Since 4.2 the number means a transaction; before 4.2 it meant a message."""
    path = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    whole = followed(wireshark, path, WHOLE)
    assert [from_client for from_client, _ in whole[2:6]] == [True, False, True, False]
    assert followed(wireshark, path, "rpcrdma,raw,0,3") == (whole[4:6] if versions.release() >= (4, 2) else whole[2:3])
