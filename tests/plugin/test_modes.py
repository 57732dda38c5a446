# SPDX-License-Identifier: GPL-2.0-or-later
"""One pass, two passes, random access, and every way in which the TCP dissector can hand the stream over."""
import pytest

# Not here: what a frame can only tell when later frames are known (mpa.reply_in, mpa.continued_in).
FIELDS = """mpa.request mpa.reply mpa.flags mpa.rev mpa.pd_length mpa.ird mpa.ord mpa.request_in mpa.time mpa.ulpdu_length
    mpa.fpdu.number mpa.fpdu.length mpa.crc mpa.crc.status mpa.marker.fpduptr mpa.state.direction
    mpa.state.markers mpa.state.crc mpa.state.revision mpa.rule mpa.part.length iwarp_ddp.stag iwarp_ddp.tagged_offset
    iwarp_ddp.msn iwarp_ddp.mo iwarp_rdma.opcode""".split()
ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]
UNANALYSED = ["-o", "tcp.analyze_sequence_numbers:FALSE"]
ABSOLUTE = ["-o", "tcp.relative_sequence_numbers:FALSE"]

# Frame of an FPDU, offset and number do not depend on how the stream was cut; the frame in which a part lies does.
STREAM = "mpa.fpdu.number mpa.fpdu.length mpa.ulpdu_length mpa.crc mpa.crc.status mpa.state.direction".split()


def agree(wireshark, path):
    """The same fields in all modes that see the whole stream, with one pass and two."""
    expected = wireshark.fields(path, FIELDS, *ORDER, "-Y", "mpa")
    assert expected
    for mode in (ORDER, UNANALYSED, ORDER + ABSOLUTE):
        for passes in ([], ["-2"]):
            found = wireshark.fields(path, FIELDS, *passes, *mode, "-Y", "mpa && !mpa.repeated")
            if mode is UNANALYSED:  # segments that TCP would hold back are seen, so parts lie elsewhere
                cut = [{name: frame[name] for name in ["frame", *STREAM]} for frame in found if frame["mpa.fpdu.number"]]
                assert cut == [{name: frame[name] for name in ["frame", *STREAM]}
                               for frame in wireshark.fields(path, STREAM, *ORDER, "-Y", "mpa.fpdu.number")]
            else:
                assert found == expected
    return expected


def test_real(wireshark, case):
    if not wireshark.fields(case.path, [], "-Y", "mpa"):
        pytest.skip("no MPA in it")
    agree(wireshark, case.path)


def test_scenario(wireshark, generated, scenario):
    path = generated(scenario)
    if not wireshark.fields(path, [], "-Y", "mpa"):
        pytest.skip("no MPA in it that a heuristic can find")
    agree(wireshark, path)


@pytest.mark.parametrize("options", [
    ["rev1", "--ipv6", "--vlan", "--pcap"],
    ["markers", "--net=resegment=0.5"],
    ["jumbo-markers", "--net=reorder=0.1,dup=0.1,resegment=0.2"],
    ["unaligned", "--net=loss=0.1,resegment=0.4"],
    ["rev2", "--net=reorder=0.3", "--seed=7"],
], ids=" ".join)
def test_trouble(wireshark, generated, options):
    frames = agree(wireshark, generated(*options))
    assert sum(len(frame["mpa.fpdu.number"]) for frame in frames) > 10
    assert all(status == "1" for frame in frames for status in frame["mpa.crc.status"])  # good


def test_default_mode_sees_the_same_without_trouble(wireshark, generated):
    path = generated("markers", "--net=resegment=0.5")
    assert wireshark.fields(path, FIELDS, "-Y", "mpa") == wireshark.fields(path, FIELDS, *ORDER, "-Y", "mpa")


def test_default_mode_tells_of_holes_once_and_goes_on(wireshark, generated):
    path = generated("jumbo-markers", "--net=reorder=0.1")
    frames = wireshark.fields(path, ["mpa.hole", "mpa.hole.remedy", "mpa.fpdu.number", "mpa.crc.status"], "-Y", "mpa")
    holes = [frame for frame in frames if frame["mpa.hole"]]
    assert len(holes) > 3
    assert sum(len(frame["mpa.hole.remedy"]) for frame in frames) == 1
    assert "tcp.reassemble_out_of_order" in holes[0]["mpa.hole.remedy"][0]
    whole = wireshark.fields(path, ["mpa.fpdu.number"], *ORDER, "-Y", "mpa.fpdu.number")
    found = sum(len(frame["mpa.fpdu.number"]) for frame in frames)
    assert found > 0.7 * sum(len(frame["mpa.fpdu.number"]) for frame in whole)
    assert all(status == "1" for frame in frames for status in frame["mpa.crc.status"])


def trees(answers):
    """The protocol trees without what only later frames can tell."""
    def strip(node):
        children = [strip(child) for child in node.get("n", [])]
        return node["l"], children
    return [[strip(node) for node in answer["tree"]] for answer in answers]


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
    answers = trees(wireshark.sharkd(path, requests))
    first, back, some = answers[:count], answers[count:2 * count], answers[2 * count:]
    assert first == back[::-1]
    assert some == first[::7]
