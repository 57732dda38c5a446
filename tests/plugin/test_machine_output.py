# SPDX-License-Identifier: GPL-2.0-or-later
"""-T json, ek and pdml of the plugins' fields agree with -T fields: programs read these."""
import json
from xml.etree import ElementTree

import pytest

import versions

FIELDS = ["mpa.ulpdu_length", "rddp.payload_length", "rdmap.opcode", "rpcrdma.xid", "rpcrdma.segment.length", "rpcrdma.rpc.data"]


def values(tree, name):
    """The values of all keys of this name, in order."""
    if isinstance(tree, list):
        return [value for part in tree for value in values(part, name)]
    if not isinstance(tree, dict):
        return []
    found = []
    for key, part in tree.items():
        if key != name:
            found += values(part, name)
        else:
            found += [versions.value(str(value)) for value in (part if isinstance(part, list) else [part])]
    return found


@pytest.fixture(scope="module")
def path(root):
    return root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"


def expected(wireshark, path):
    return wireshark.fields(path, FIELDS[:-1], "-2", "-Y", "mpa")


def test_json(wireshark, path):
    text = wireshark.tshark(path, "-2", "-Y", "mpa", "-T", "json", "--no-duplicate-keys")
    frames = json.loads(text)
    for frame, fields in zip(frames, expected(wireshark, path), strict=True):
        assert int(values(frame, "frame.number")[0]) == fields["frame"]
        for name in FIELDS[:-1]:
            assert values(frame, name) == fields[name], name


def test_ek(wireshark, path):
    """For Elasticsearch: a line for each frame, with each value once."""
    lines = [json.loads(line) for line in wireshark.tshark(path, "-2", "-Y", "mpa", "-T", "ek").splitlines()]
    frames = [line["layers"] for line in lines if "layers" in line]
    for layers, fields in zip(frames, expected(wireshark, path), strict=True):
        for name in FIELDS[:-1]:
            protocol = name.split(".")[0]
            shown = values(layers.get(protocol, {}), f"{protocol}_{name.replace('.', '_')}")
            assert [int(value, 0) for value in shown] == [int(value, 0) for value in fields[name]], name


def test_pdml(wireshark, path):
    """Whole RPC messages are there, octet for octet."""
    text = wireshark.tshark(path, "-2", "-Y", "rpcrdma.rpc.data", "-T", "pdml")
    frames = ElementTree.fromstring(text).findall("packet")
    assert len(frames) > 3
    for frame in frames:
        data, = (field for field in frame.iter("field") if field.get("name") == "rpcrdma.rpc.data")
        length, = (field for field in frame.iter("field") if field.get("name") == "rpcrdma.rpc.length")
        assert len(data.get("value")) == 2 * int(length.get("show")) == 2 * int(data.get("size"))
