# SPDX-License-Identifier: GPL-2.0-or-later
"""Which connections become MPA, the effect of preferences and "Decode As", and filters."""
import re
import subprocess

import pytest

import cases

ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]
DECODE_AS = ["-d", "tcp.port==7174,mpa"]


def test_protocol_is_registered_beside_the_builtin(wireshark):
    assert {"mpa", "iwarp_mpa"} <= {row[2] for row in wireshark.registered("protocols")}


def test_every_field_is_explained(wireshark, root):
    experts = {name for path in root.glob("plugins/*/fields.c")
               for name in re.findall(r'"([a-z_.]+)",\s+PI_', path.read_text(encoding="utf-8"))}
    ours = [row for row in wireshark.registered("fields") if row[0] == "F" and re.match(r"(mpa|rddp|rdmap|rpcrdma)\.", row[2])]
    # Expert items of rules have the requirement as title (test_experts.py).
    plain = {row[2] for row in ours if not row[7] and not re.search(r"\.rule\.\w+_\d+$", row[2])}
    assert len(ours) > 240 and plain == experts


def test_request_after_streaming_data(wireshark, generated):
    """Frames before the Request stay with their dissector, in every pass."""
    path = generated("streaming-first")
    for passes in ([], ["-2"]):
        frames = wireshark.fields(path, ["mpa.request", "mpa.reply", "tcp.len"], *passes, "-Y", "tcp.len > 0")
        before = [frame for frame in frames if frame["frame"] < next(f["frame"] for f in frames if f["mpa.request"])]
        assert len(before) >= 3
        assert not wireshark.fields(path, [], *passes, "-Y", f"mpa && frame.number <= {before[-1]['frame']}")
        assert sum(bool(frame["mpa.reply"]) for frame in frames) == 1


def test_request_split_over_segments(wireshark, generated):
    for seed in range(1, 30):
        path = generated("rev1", "--net=resegment=0.5", f"--seed={seed}")
        requests = wireshark.fields(path, ["tcp.len", "mpa.flags.c"], "-2", "-Y", "mpa.request")
        assert len(requests) == 1 and requests[0]["mpa.flags.c"] == ["1"]
        if int(requests[0]["tcp.len"][0]) < 20:
            return
    pytest.fail("no seed splits the Request")


def test_reused_ports_are_new_connections(wireshark, generated):
    frames = wireshark.fields(generated("port-reuse"), ["mpa.request_in", "tcp.stream"], "-Y", "mpa.reply")
    assert len(frames) == 3
    assert len({frame["mpa.request_in"][0] for frame in frames}) == 3
    assert len({frame["tcp.stream"][0] for frame in frames}) == 3


def test_request_and_reply_are_linked(wireshark, generated):
    path = generated("rev2")
    request, = wireshark.fields(path, ["mpa.reply_in", "frame.time_epoch"], "-2", "-Y", "mpa.request")
    reply, = wireshark.fields(path, ["mpa.request_in", "mpa.time", "frame.time_epoch"], "-2", "-Y", "mpa.reply")
    assert request["mpa.reply_in"] == [str(reply["frame"])] and reply["mpa.request_in"] == [str(request["frame"])]
    elapsed = float(reply["frame.time_epoch"][0]) - float(request["frame.time_epoch"][0])
    assert abs(float(reply["mpa.time"][0]) - elapsed) < 1e-6


def test_midstream_needs_decode_as(wireshark, generated, check):
    path = generated("midstream")
    assert not wireshark.fields(path, [], "-Y", "mpa")
    whole = [length for frame in wireshark.fields(path, ["mpa.ulpdu_length"], *DECODE_AS) for length in
             frame["mpa.ulpdu_length"]]
    by_port = [length for frame in wireshark.fields(path, ["mpa.ulpdu_length"], "-o", "mpa.tcp.port:7174") for length in
               frame["mpa.ulpdu_length"]]
    assert whole == by_port
    refused = wireshark.fields(path, ["mpa.ulpdu_length"], *DECODE_AS, "-o", "mpa.accept_midstream:FALSE", "-Y",
                               "mpa.ulpdu_length")
    assert not refused


MIDSTREAM = ["--enable-heuristic", "mpa_midstream_tcp"]


@pytest.fixture(params=["one pass", "two passes"])
def passes(request):
    return [] if request.param == "one pass" else ["-2"]


def test_midstream_heuristic_finds_what_decode_as_does(wireshark, generated, passes):
    path = generated("midstream")
    names = ["mpa.ulpdu_length", "rddp.msn", "rdmap.opcode"]
    assert wireshark.fields(path, names, *passes, *DECODE_AS, "-Y", "mpa") == wireshark.fields(path, names, *passes, *MIDSTREAM, "-Y", "mpa") != []


def test_midstream_frames_are_drawn_in_their_own_place(wireshark, tmp_path):
    """Without CRCs several FPDUs are needed to recognise the connection."""
    whole, late = cases.real()["nfs42-long-setxattr.pcap"][0], tmp_path / "late.pcap"
    subprocess.run(["editcap", "-F", "pcap", "-r", whole, late, "30-91"], check=True)
    names = ["mpa.ulpdu_length", "rddp.msn", "rdmap.opcode", "frame.time_epoch"]
    expected = [frame | {"frame": frame["frame"] - 29} for frame in wireshark.fields(whole, names, "-2", "-Y", "mpa && frame.number >= 30")]
    assert wireshark.fields(late, names, "-2", *MIDSTREAM, "-Y", "mpa") == expected
    once = wireshark.fields(late, names, *MIDSTREAM, "-Y", "mpa")
    assert once[0]["frame"] > 1  # and earlier frames are drawn with it
    assert sum(len(frame["mpa.ulpdu_length"]) for frame in once) == sum(len(frame["mpa.ulpdu_length"]) for frame in expected)
    replies = wireshark.fields(late, ["rpc.repframe"], *MIDSTREAM, "-Y", "rpc.msgtyp == 1 && frame.number > 4 && frame.number < 30")
    assert replies and all(frame["rpc.repframe"] for frame in replies)


def test_midstream_heuristic_leaves_other_connections_alone(wireshark, root, passes):
    path = root / "captures" / "roce" / "nfs3-mount-umount.pcap"  # with portmapper and MOUNT on TCP
    assert wireshark.tshark(path, *passes, *MIDSTREAM) == wireshark.tshark(path, *passes)


def test_crc_status(wireshark, generated):
    def statuses(path, *arguments):
        return {status for frame in wireshark.fields(path, ["mpa.crc.status"], *arguments) for status in
                frame["mpa.crc.status"]}
    good, unused, bad = generated("rev1"), generated("no-crc"), generated("rev1", "--inject=MPA-4.4-12")
    assert statuses(good) == {"1"} and statuses(unused) == {"2"} and statuses(bad) == {"0", "1"}
    assert statuses(good, "-o", "mpa.verify_crc:FALSE") == {"2"}
    assert wireshark.fields(bad, [], "-Y", 'mpa.crc.status == "bad" && mpa.crc.bad')
    assert not wireshark.fields(bad, [], "-Y", 'mpa.crc.status == "unverified"')
    assert wireshark.fields(unused, [], "-Y", 'mpa.crc.reason contains "not negotiated"')


def test_markers(wireshark, generated):
    frames = wireshark.fields(generated("marker-walk"), ["mpa.marker.fpduptr", "mpa.marker.expected", "mpa.marker.fpdu"],
                              "-Y", "mpa.marker")
    pointers = [int(pointer) for frame in frames for pointer in frame["mpa.marker.fpduptr"]]
    assert len(set(pointers)) > 10 and 0 in pointers
    assert not any(frame["mpa.marker.expected"] for frame in frames)
    assert all(len(frame["mpa.marker.fpdu"]) == len(frame["mpa.marker.fpduptr"]) for frame in frames)


def test_findings_can_be_filtered(wireshark, generated):
    path = generated("marker-walk", "--inject=MPA-4.3-09")
    by_id = wireshark.fields(path, [], "-2", "-Y", 'mpa.rule == "MPA-4.3-09"')
    assert len(by_id) == 1
    assert by_id == wireshark.fields(path, [], "-2", "-Y", "mpa.rule.error || mpa.rule.warning || mpa.rule.note")
    assert by_id == wireshark.fields(path, [], "-2", "-Y", '_ws.expert.message contains "MPA-4.3-09: "')


def test_private_data_of_rpcrdma(everything):
    """RFC 8797, as sent by Linux's NFS/RDMA client and server."""
    nfs = [case for case in everything.paths if case.startswith("nfs") or "-nfs" in case]
    assert nfs
    for case in nfs:
        frames = everything.fields(case, ["rpcrdma.private_data.version", "rpcrdma.private_data.send_size", "rpcrdma.private_data.receive_size"],
                                   "-Y", "rpcrdma.private_data")
        assert frames and all(frame["rpcrdma.private_data.version"] == ["1"] for frame in frames)
        assert all(int(frame["rpcrdma.private_data.send_size"][0]) % 1024 == 0 for frame in frames)


def test_every_fpdu_tells_the_negotiated_state(wireshark, generated):
    names = ["mpa.state.revision", "mpa.state.crc", "mpa.state.markers", "mpa.state.direction", "mpa.state.sender"]
    frames = wireshark.fields(generated("markers-to-responder"), ["mpa.ulpdu_length", *names], "-Y", "mpa.ulpdu_length")
    seen = set()
    for frame in frames:
        for name in names:
            assert len(frame[name]) == len(frame["mpa.ulpdu_length"])
        seen.update(zip(*(frame[name] for name in names)))
    assert seen == {("1", "1", "1", "0", "Initiator"), ("1", "1", "0", "1", "Responder")}


def test_what_the_snap_length_cut_is_shown_as_far_as_it_is_there(wireshark, generated):
    names = ["_ws.malformed", "mpa.rule", "mpa.ulpdu_length", "mpa.crc.status", "rddp.msn", "rddp.payload_length", "frame.len",
             "frame.cap_len"]
    whole = wireshark.fields(generated("markers"), names, "-2", "-Y", "mpa")
    cut = wireshark.fields(generated("markers", "--snaplen=128"), names, "-2", "-Y", "mpa")
    pairs = [(a, b) for a, b in zip(whole, cut) if b["frame.len"] != b["frame.cap_len"] and len(a["mpa.ulpdu_length"]) == 1]
    assert len(pairs) > 5
    for a, b in pairs:
        assert all(a[name] == b[name] for name in ("mpa.ulpdu_length", "rddp.msn", "rddp.payload_length"))
        assert b["mpa.crc.status"] == ["2"]  # unverified
    assert not any(frame["_ws.malformed"] or frame["mpa.rule"] for frame in cut)
