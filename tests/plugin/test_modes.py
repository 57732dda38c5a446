# SPDX-License-Identifier: GPL-2.0-or-later
"""One pass, two passes, random access, and every mode of the TCP dissector."""
import json

import pytest

# Left out: fields of a frame that depend on later frames (mpa.reply_in, mpa.continued_in, some findings).
FIELDS = """mpa.request mpa.reply mpa.flags mpa.rev mpa.pd_length mpa.ird mpa.ord mpa.request_in mpa.time mpa.ulpdu_length
    mpa.fpdu.number mpa.fpdu.length mpa.crc mpa.crc.status mpa.marker.fpduptr mpa.state.direction
    mpa.state.markers mpa.state.crc mpa.state.revision mpa.part.length rddp.stag rddp.to
    rddp.msn rddp.mo rdmap.opcode""".split()
ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]
UNANALYSED = ["-o", "tcp.analyze_sequence_numbers:FALSE"]
ABSOLUTE = ["-o", "tcp.relative_sequence_numbers:FALSE"]

# Fields of an FPDU, for any segments.
STREAM = "mpa.fpdu.number mpa.fpdu.length mpa.ulpdu_length mpa.crc mpa.crc.status mpa.state.direction".split()


def fpdus(frames):
    return sorted(fpdu for frame in frames for fpdu in zip(*(frame[name] for name in STREAM)))


def all_modes(fields, two_passes_tell_more=False):
    """fields(names, arguments...) gives frames: asserts that all modes that see the whole stream agree."""
    expected = fields(FIELDS, "-2", *ORDER, "-Y", "mpa")
    assert fields(FIELDS, "-2", *ORDER, *ABSOLUTE, "-Y", "mpa") == expected
    if not two_passes_tell_more:
        assert fields(FIELDS, *ORDER, "-Y", "mpa") == expected
    # Segments that the TCP dissector would hold back are shown, so frames differ, but FPDUs do not.
    whole = fpdus(expected)
    if not two_passes_tell_more:
        assert fpdus(fields(STREAM, *UNANALYSED, "-Y", "mpa.fpdu.number")) == whole
    assert fpdus(fields(STREAM, "-2", *UNANALYSED, "-Y", "mpa.fpdu.number")) == whole
    return expected


# These fields differ between modes; see test_captures.py.
@pytest.mark.without("scenario capture-loss", "scenario rpcrdma-late-reply", "scenario rpcrdma-hole", "fault MPA-7.1.5-04")
def test_case(everything, case):
    # In a broken start-up the end of the connection may decide what some octets were.
    all_modes(lambda *arguments: everything.fields(case, *arguments), case.startswith("fault"))


@pytest.mark.parametrize("options", [
    ["rev1", "--ipv6", "--vlan", "--pcap"],
    ["markers", "--net=resegment=0.5"],
    ["unaligned", "--net=reorder=0.1,dup=0.1,loss=0.1,resegment=0.4"],
    ["rev2", "--net=reorder=0.3", "--seed=7"],
], ids=" ".join)
def test_trouble(wireshark, generated, options):
    path = generated(*options)
    frames = all_modes(lambda *arguments: wireshark.fields(path, *arguments))
    assert sum(len(frame["mpa.fpdu.number"]) for frame in frames) > 10
    assert all(status == "1" for frame in frames for status in frame["mpa.crc.status"])  # good


def test_default_mode_sees_the_same_without_trouble(wireshark, generated):
    path = generated("markers", "--net=resegment=0.5")
    assert wireshark.fields(path, FIELDS, "-Y", "mpa") == wireshark.fields(path, FIELDS, *ORDER, "-Y", "mpa")


def test_default_mode_tells_of_holes_once_and_goes_on(wireshark, generated):
    path = generated("marker-walk", "--net=reorder=0.1")
    frames = wireshark.fields(path, ["mpa.hole", "mpa.hole.remedy", "_ws.expert.message", "mpa.fpdu.number", "mpa.crc.status"], "-Y", "mpa")
    holes = [frame for frame in frames if frame["mpa.hole"]]
    assert len(holes) > 3
    assert sum(len(frame["mpa.hole.remedy"]) for frame in frames) == 1
    assert "tcp.reassemble_out_of_order" in " ".join(holes[0]["_ws.expert.message"])
    whole = wireshark.fields(path, ["mpa.fpdu.number"], *ORDER, "-Y", "mpa.fpdu.number")
    found = sum(len(frame["mpa.fpdu.number"]) for frame in frames)
    assert found > 0.7 * sum(len(frame["mpa.fpdu.number"]) for frame in whole)
    assert all(status == "1" for frame in frames for status in frame["mpa.crc.status"])


@pytest.mark.parametrize("options", [
    ["bulk", "--size=20k", "--ulpdu=64"],
    ["bulk", "--size=20k", "--markers"],
    ["operations", "--count=50"],
    ["nfs-bulk", "--size=1100k"],
    ["nfs3", "--net=loss=0.05,reorder=0.1"],
], ids=" ".join)
def test_summary_is_the_same_without_a_tree(wireshark, generated, options):
    """Without a tree, most Tagged segments take a shorter way."""
    path = generated(*options)
    lines = wireshark.tshark(path)
    assert "RDMA Write, STag" in lines or "RDMA Read Response, STag" in lines
    assert lines == wireshark.tshark(path, "-Y", "frame")


def tree(answer):
    """The protocol tree without later frames' information, as text: as objects it is many times that size."""
    def strip(node):
        children = [strip(child) for child in node.get("n", [])]
        return node["l"], children
    return json.dumps([strip(node) for node in answer["tree"]])


@pytest.mark.parametrize("options", [
    ["rev1"],
    ["markers", "--net=reorder=0.1,resegment=0.3"],
], ids=" ".join)
def test_random_access(wireshark, generated, options):
    """sharkd dissects frames one by one, as the GUI does."""
    path = generated(*options)
    count = len(wireshark.fields(path, []))
    forward = list(range(1, count + 1))
    requests = [("frame", {"frame": number, "proto": True}) for number in forward + forward[::-1] + forward[::7]]
    answers = wireshark.sharkd(path, requests, take=tree)
    first, back, some = answers[:count], answers[count:2 * count], answers[2 * count:]
    assert first == back[::-1]
    assert some == first[::7]
