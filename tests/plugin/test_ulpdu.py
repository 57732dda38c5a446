# SPDX-License-Identifier: GPL-2.0-or-later
"""The next layer gets every ULPDU once, without its Markers. Here it is a probe in Lua."""
import pathlib
import struct

import pytest


@pytest.fixture(scope="module")
def probe(wireshark):
    return ["-X", f"lua_script:{wireshark.readable(pathlib.Path(__file__).with_name('probe.lua'))}"]


def stream(frames, port):
    """Octets sent by the port, from the first on; no segment is missing or repeated."""
    octets = {}
    for frame in frames:
        if frame["tcp.payload"] and frame["tcp.srcport"] == [port]:
            octets[int(frame["tcp.seq"][0])] = bytes.fromhex(frame["tcp.payload"][0])
    return b"".join(octets[seq] for seq in sorted(octets))


def ulpdus_of(octets, markers):
    """An independent FPDU walk."""
    octets = octets[20 + int.from_bytes(octets[18:20], "big"):]  # after the startup frame
    if markers:
        octets = b"".join(octets[at + 4:at + 512] for at in range(0, len(octets), 512))
    at, found = 0, []
    while at < len(octets):
        length = int.from_bytes(octets[at:at + 2], "big")
        found.append(octets[at + 2:at + 2 + length])
        at += (2 + length + 3) // 4 * 4 + 4
    return found


@pytest.mark.parametrize("options, markers", [
    (["rev1"], False), (["marker-walk"], True), (["jumbo-markers"], True), (["unaligned"], True), (["tiny-mss"], False),
    (["markers", "--net=resegment=0.5"], True),
], ids=lambda value: " ".join(value) if isinstance(value, list) else None)
def test_ulpdus(wireshark, generated, probe, options, markers):
    path = generated(*options)
    frames = wireshark.fields(path, ["tcp.srcport", "tcp.seq", "tcp.payload", "probe.ulpdu"], *probe, "-Y", "tcp.len > 0")
    for port in ("40001", "7174"):
        expected = [ulpdu for ulpdu in ulpdus_of(stream(frames, port), markers) if ulpdu]
        found = [bytes.fromhex(ulpdu) for frame in frames if frame["tcp.srcport"] == [port]
                 for ulpdu in frame["probe.ulpdu"]]
        assert found == expected and expected


def test_without_a_tree(wireshark, generated, probe):
    """The shorter path of Tagged segments ends when another dissector is assigned."""
    path = generated("bulk", "--size=20k")
    assert "RDMA Write, STag" in wireshark.tshark(path)
    lines = wireshark.tshark(path, *probe)
    assert "MPA Request" in lines and "RDMA Write" not in lines


def test_builtin_is_the_fallback(wireshark, generated, probe):
    path = generated("rev1")
    alone = ["--disable-protocol", "rddp"]
    assert wireshark.fields(path, [], *alone, "-Y", "iwarp_ddp_rdmap")
    assert not wireshark.fields(path, [], *alone, *probe, "-Y", "iwarp_ddp_rdmap")


def test_others_in_the_builtin_list_see_tagged_segments(wireshark, generated):
    """Wireshark's own dissectors in the list are not asked about segments that they do not want; others are."""
    path = generated("bulk", "--size=64k", "--ulpdu=1400")
    listener = wireshark.readable(pathlib.Path(__file__).with_name("listener.lua"))
    frames = wireshark.fields(path, ["rddp.payload_length", "listener.payload", "data.data"], "-X", f"lua_script:{listener}",
                              "-Y", "rdmap.opcode == 0")
    assert len(frames) > 40 and not any(frame["data.data"] for frame in frames)
    assert all([len(bytes.fromhex(payload)) for payload in frame["listener.payload"]] ==
               [int(length) for length in frame["rddp.payload_length"]] for frame in frames)


def exported_pdu(tag, name):
    """A PDU for the dissector of that name, with data that the dissectors of this plugin do not pass: sequence numbers of TCP."""
    tags = [(tag, name.encode()), (34, struct.pack(">HIIIBHH", 1, 120, 2, 3, 0, 0x10, 0)), (0, b"")]
    octets = b"".join(struct.pack(">HH", number, len(value) + -len(value) % 4) + value + bytes(-len(value) % 4) for number, value in tags)
    octets += bytes.fromhex("4143000000010000000000000001000000000000") * 3
    return struct.pack("<IIII", 1700000000, 0, len(octets), len(octets)) + octets


def test_data_of_others_are_not_taken(wireshark, tmp_path):
    """A capture can name the dissector of a PDU; then the data are not those of the layer below."""
    names = [(12, name) for name in ("rddp", "rpcrdma", "rpcrdma.infiniband")] + [(13, name) for name in ("rpcrdma_rdmap", "rdma_ulp_rdmap", "rpcrdma_ib")]
    path = tmp_path / "exported.pcap"
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 252) + b"".join(exported_pdu(*one) for one in names))
    for passes in ([], ["-2"]):
        frames = wireshark.fields(path, ["frame.protocols", "rddp.qn"], *passes)
        assert len(frames) == len(names) and frames[0]["rddp.qn"], frames
