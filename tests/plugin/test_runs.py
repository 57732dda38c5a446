# SPDX-License-Identifier: GPL-2.0-or-later
"""Most records about bulk data follow from earlier ones, and are recomputed when drawn (plugins/common/runs.h). In one pass each frame is drawn from its
record, in a second one from recomputed data: they agree."""
import struct

import merge
import pytest

ORDER = ("-o", "tcp.reassemble_out_of_order:TRUE", "-Y", "mpa.fpdu.number")
FIELDS = """mpa.fpdu.number mpa.fpdu.length mpa.crc.status mpa.rule rddp.message.number rddp.message.segment rddp.message.octets rddp.message.first_frame
     rddp.rule rdmap.opcode rdmap.rule rpcrdma.move.xid rpcrdma.move.segment rpcrdma.move.offset rpcrdma.move.octets
    rpcrdma.call_in rpcrdma.rule""".split()


@pytest.mark.parametrize("options", [
    ("bulk", "--size=700k"),
    ("bulk", "--size=150k", "--ulpdu=64"),
    ("bulk", "--size=500k", "--markers"),
    ("nfs-bulk", "--size=4000k"),
], ids=" ".join)
def test_passes_agree(wireshark, generated, options):
    assert passes_agree(wireshark, generated(*options)) > 100


def passes_agree(wireshark, capture):
    """The number of frames in which they agree."""
    once, twice = (wireshark.fields(capture, FIELDS, *passes, *ORDER) for passes in ((), ("-2",)))
    for frame, again in zip(once, twice, strict=True):
        for name in FIELDS:
            if name.endswith(".rule"):  # a later frame may prove it
                assert set(frame[name]) <= set(again[name]), (frame["frame"], name)
            else:
                assert frame[name] == again[name], (frame["frame"], name)
    return len(once)


@pytest.mark.parametrize("scenario, size", [("bulk", "600k"), ("nfs-bulk", "2500k")])
def test_frames_out_of_order_and_twice(wireshark, generated, tmp_path, scenario, size):
    frames = [octets for *_, octets in merge.records(generated(scenario, f"--size={size}", "--pcap"))]
    for at in range(len(frames) // 3, len(frames) - 3, 37):
        frames[at], frames[at + 1] = frames[at + 1], frames[at]
    for at in range(len(frames) - 5, len(frames) // 2, -29):
        frames.insert(at + 2, frames[at])
    capture = tmp_path / "disturbed.pcap"
    with capture.open("wb") as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, 1))
        for number, octets in enumerate(frames):
            out.write(struct.pack("<IIII", 1, number, len(octets), len(octets)) + octets)
    assert passes_agree(wireshark, capture) > 300


def test_segments_are_counted(wireshark, generated):
    frames = wireshark.fields(generated("bulk", "--size=700k"), ["rddp.message.segment", "rddp.message.octets", "rddp.payload_length", "rddp.message.number"],
                              "-2", "-Y", "rdmap.opcode == 0")
    segment, octets, message = 0, 0, None
    assert len(frames) > 300
    for frame in frames:
        if frame["rddp.message.number"] != message:
            segment, octets, message = 0, 0, frame["rddp.message.number"]
        segment, octets = segment + 1, octets + int(frame["rddp.payload_length"][0])
        assert (frame["rddp.message.segment"], frame["rddp.message.octets"]) == ([str(segment)], [str(octets)]), frame["frame"]
