# SPDX-License-Identifier: GPL-2.0-or-later
"""On RoCE, one pass shows the same as two passes, except information from later frames."""
import os
import pathlib
import sys
import tempfile
import xml.etree.ElementTree

import pytest

from test_infiniband import PATHS

# Information that only later frames give, and its frames.
FORWARD = {
    "rpcrdma.startup.reply_in": "the ConnectReply",
    "rpcrdma.startup.to_responder": "the ConnectReply",
    "rpcrdma.startup.to_initiator": "the ConnectReply",
    "rpcrdma.startup.remote_invalidation": "the ConnectReply",
    "rpcrdma.response_in": "the answer",
    "rpcrdma.answer_in": "the answer",
    "rpcrdma.unanswered": "the end of the capture",
    "rpcrdma.refused_in": "the NAK",
    "rpcrdma.received_in": "a copy of the answer",
    "rpcrdma.complete_in": "the last Read response of the Call",
    "rpcrdma.chunk.moved": "RDMA operations",
    "rpcrdma.operation": "an RDMA operation",
    "rpcrdma.operation.octets": "packets of the operation",
    "rpcrdma.operation.request_in": "the Read Request",
    "rpcrdma.operation.first_in": "the first packet of the operation",
    "rpcrdma.operation.last_in": "the last packet of the operation",
    "rpcrdma.send.complete_in": "the last packet of the Send",
    "rpcrdma.taken_in": "the packet before it",
}
FIRST = {"rpcrdma.time"}  # for a retransmitted answer: its first copy
MORE = pathlib.Path(os.environ["IWARP_CAPTURES"]) if "IWARP_CAPTURES" in os.environ else None
CAPTURES = dict(PATHS)
if MORE:
    CAPTURES |= {path.stem: path for folder, pattern in [(MORE / "newer", "*rxe*"), (MORE.parent / "findings", "roce*")]
                 for path in sorted(folder.glob(pattern + ".pcap"))}


def shown(wireshark, path, *mode):
    """Our fields of each frame, in order. One frame at a time: as XML, a capture is many times its size."""
    frames = {}
    with tempfile.TemporaryFile() as file:
        wireshark.tshark(path, "-T", "pdml", "-Y", "rpcrdma", *mode, stdout=file)
        file.seek(0)
        for _, packet in xml.etree.ElementTree.iterparse(file):
            if packet.tag != "packet":
                continue
            number = packet.find("proto[@name='geninfo']/field[@name='num']").get("show")
            frames[int(number, 0)] = [(sys.intern(field.get("name")), sys.intern(field.get("show", ""))) for proto in packet.iter("proto")
                                      if proto.get("name") == "rpcrdma" for field in proto.iter("field")]
            packet.clear()
    return frames


def without(fields, names):
    return [field for field in fields if field[0] not in names]


def differences(wireshark, path, least=0):
    once, twice = shown(wireshark, path), shown(wireshark, path, "-2")
    assert len(once) >= least
    different = []
    known = min(once, default=0)  # frames before the connection is recognised
    for number in sorted(frame for frame in once.keys() | twice.keys() if frame >= known):
        one, two = once.get(number, []), twice.get(number, [])
        names = set(FORWARD) | (FIRST if any(field[0] == "rpcrdma.received_in" for field in two) else set())
        if without(one, names) != without(two, names):
            different.append((number, sorted(set(one) - set(two)), sorted(set(two) - set(one))))
    return different


@pytest.mark.parametrize("name", CAPTURES)
def test_captures(wireshark, name):
    assert not differences(wireshark, CAPTURES[name])


@pytest.mark.parametrize("net", ["", "loss=0.1", "rnr=0.2", "reorder=0.2", "dup=0.2"])
@pytest.mark.parametrize("name", ["rpcrdma", "rpcrdma-flight", "nfs3", "nfs41-backchannel", "nfs41-chunks"])
def test_generated(wireshark, generated, name, net):
    path = generated(name, "--transport=roce", "--pcap", *([f"--net={net}"] if net else []))
    assert not differences(wireshark, path, least=11)
