# SPDX-License-Identifier: GPL-2.0-or-later
"""Fields of DDP and RDMAP: in every mode of Wireshark, together with the built-in dissector, and linked across frames."""
import pathlib
import re

import pytest

import cases
from cases import malformed

ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]
UNANALYSED = ["-o", "tcp.analyze_sequence_numbers:FALSE"]
ABSOLUTE = ["-o", "tcp.relative_sequence_numbers:FALSE"]
FALLBACK = ["--disable-protocol", "rddp"]

# Fields of a segment, for any frames; without later frames' information.
FIELDS = """rddp.tagged rddp.last rddp.version rddp.stag rddp.to rddp.qn rddp.msn rddp.mo rddp.payload_length
    rddp.message.number rddp.message.segment rddp.message.octets rddp.stag.first_seen rddp.missing rddp.reassembled.length
    rdmap.version rdmap.opcode rdmap.invalidate_stag rdmap.read.sink_stag rdmap.read.sink_to rdmap.read.size
    rdmap.read.source_stag rdmap.read.source_to rdmap.immediate rdmap.atomic.opcode rdmap.atomic.identifier
    rdmap.terminate.layer rdmap.terminate.etype rdmap.terminate.code rdmap.terminate.caused_by rdmap.operation
    rdmap.response_to rdmap.time rdmap.after_write""".split()

# Our names by the built-in's.
PAIRS = {
    "iwarp_ddp.tagged_flag": "rddp.tagged", "iwarp_ddp.last_flag": "rddp.last", "iwarp_ddp.dv": "rddp.version",
    "iwarp_ddp.tagged_offset": "rddp.to", "iwarp_ddp.stag": "rddp.stag", "iwarp_ddp.qn": "rddp.qn",
    "iwarp_ddp.msn": "rddp.msn", "iwarp_ddp.mo": "rddp.mo", "iwarp_rdma.version": "rdmap.version",
    "iwarp_rdma.opcode": "rdmap.opcode", "iwarp_rdma.inval_stag": "rdmap.invalidate_stag",
    "iwarp_rdma.sinkstag": "rdmap.read.sink_stag", "iwarp_rdma.sinkto": "rdmap.read.sink_to",
    "iwarp_rdma.rdmardsz": "rdmap.read.size", "iwarp_rdma.srcstag": "rdmap.read.source_stag",
    "iwarp_rdma.srcto": "rdmap.read.source_to",
}


def number(text):
    """A field's value: the built-in shows octets where ours are numbers."""
    if re.fullmatch(r"0x[0-9a-f]+", text):
        return int(text, 16)
    return int(text) if text.isdigit() else text


ALL = [*dict.fromkeys([*FIELDS, *PAIRS.values(), "_ws.malformed"])]


def only(names, frames):
    return [{name: frame[name] for name in ("frame", *names)} for frame in frames]


@pytest.mark.conforming  # with faults, a segment's kind may only be known at the end
def test_modes(everything, case):
    """Tests one pass and two passes, relative and absolute numbers."""
    expected = only(FIELDS, everything.fields(case, ALL, "-2", *ORDER, "-Y", "rddp"))
    assert everything.fields(case, FIELDS, "-2", *ORDER, *ABSOLUTE, "-Y", "rddp") == expected
    assert only(FIELDS, everything.fields(case, ALL, *ORDER, "-Y", "rddp")) == expected


def test_never_malformed(everything, case):
    for arguments in (["-2", *ORDER], ORDER, ["-2", *UNANALYSED], []):
        frames = everything.fields(case, ALL if arguments[-2:] == ORDER else ["_ws.malformed"], *arguments, "-Y", "rddp")
        assert not malformed(case, frames)


# Faults with one segment of which the built-in dissector shows more than ours, and why ours does not show those fields.
APART = {
    "fault MPA-4.1-12": "the ULPDU is too short for a header",
    "fault DDP-4.2-01": "the ULPDU is too short for a header",
    "fault DDP-4.3-01": "the ULPDU is too short for a header",
    "fault DDP-6.2.2-03": "the ULPDU is too short for a header",
    "fault DDP-6.2.2-03+ok": "the ULPDU is too short for a header",
    "fault RDMAP-4.1-07": "a Read Request that is tagged has no place for its header",
    "fault RDMAP-7.2-02/tagged": "a Read Request that is tagged has no place for its header",
    "fault RDMAP-4.1-10": "a Send that is tagged has no place for an STag to invalidate",
    "fault RDMAP-4.1-12": "a Send that is tagged has no place for an STag to invalidate",
}


def comparable(everything, case):
    """Frames as the built-in dissector shows them and as ours does, where it does not stop early."""
    theirs = everything.fields(case, [*PAIRS, "_ws.malformed", "rdmap.immediate"], *ORDER, *FALLBACK, "-Y",
                               "iwarp_ddp_rdmap")
    ours = {frame["frame"]: frame for frame in everything.fields(case, ALL, *ORDER, "-Y", "rddp")}
    for frame in theirs:
        our_frame = ours[frame["frame"]]
        # The built-in dissector does not know RFC 7306, and shows headers in a Terminate as octets.
        if not frame["_ws.malformed"] and {int(opcode, 16) for opcode in our_frame["rdmap.opcode"]} <= set(range(7)):
            yield frame, our_frame


def test_same_as_builtin(everything, case):
    different = [(frame["frame"], our) for frame, our_frame in comparable(everything, case) for their, our in PAIRS.items()
                 if [number(value) for value in our_frame[our]] != [number(value) for value in frame[their]]]
    assert len({frame for frame, _ in different}) <= (case in APART), different


def test_enough_is_compared(everything):
    """The test above is not empty."""
    assert sum(len(our_frame["rdmap.opcode"]) for case in cases.names() for _, our_frame in comparable(everything, case)) > 25000


def segments(wireshark, path, names, *arguments):
    return wireshark.fields(path, names, "-2", *ORDER, *(arguments or ["-Y", "rddp"]))


def real(root, name):
    return next((root / "captures" / "real").rglob(name))


def test_reads_are_linked_both_ways(wireshark, root):
    names = ["rdmap.opcode", "rdmap.operation", "rdmap.response_in", "rdmap.response_to", "rdmap.time", "rddp.last"]
    frames = segments(wireshark, real(root, "rping-c5.pcap"), names)
    requests = {frame["frame"]: frame for frame in frames if frame["rdmap.opcode"] == ["0x01"]}
    responses = {frame["frame"]: frame for frame in frames if frame["rdmap.opcode"] == ["0x02"]}
    assert len(requests) == len(responses) == 5
    for request in requests.values():
        response = responses[int(request["rdmap.response_in"][0])]
        assert response["rdmap.response_to"] == [str(request["frame"])]
        assert response["rdmap.operation"] == request["rdmap.operation"]
        assert 0 < float(response["rdmap.time"][0]) < 1


def test_sends_of_several_segments_are_put_together(wireshark, generated):
    path = generated("rev1")
    names = ["rddp.qn", "rddp.mo", "rddp.last", "rddp.payload_length", "rddp.reassembled.length", "rddp.reassembled.in"]
    for arguments in ([], ["-2"]):
        frames = wireshark.fields(path, names, *arguments, *ORDER, "-Y", "rddp.qn == 0 && rddp.mo > 0 && rddp.last == 1")
        assert frames
        for frame in frames:
            assert int(frame["rddp.reassembled.length"][0]) == int(frame["rddp.mo"][0]) + int(frame["rddp.payload_length"][0])
    earlier = segments(wireshark, path, names)
    earlier = [frame for frame in earlier if frame["rddp.qn"] == ["0"] and frame["rddp.last"] == ["0"]]
    assert earlier and all(frame["rddp.reassembled.in"] for frame in earlier)


def test_holes_are_shown(wireshark, generated):
    """Without a segment in the middle, the message is not reassembled, and the missing octets are shown."""
    path = generated("rev1")
    frames = segments(wireshark, path, ["rddp.qn", "rddp.msn", "rddp.mo", "rddp.last", "rddp.payload_length"])
    middle = next(frame for frame in frames if frame["rddp.qn"] == ["0"] and frame["rddp.last"] == ["0"] and frame["rddp.mo"] != ["0"])
    cut = pathlib.Path(path).with_name("hole.pcapng")
    wireshark_run = wireshark.folder / "home" / "hole.pcapng"
    wireshark.tshark(path, "-Y", f"frame.number != {middle['frame']}", "-w", wireshark_run)
    cut.write_bytes(wireshark_run.read_bytes())
    from_ = int(middle["rddp.mo"][0])
    missing = f"{from_}-{from_ + int(middle['rddp.payload_length'][0]) - 1}"
    for arguments in ([], ["-2"]):
        frames = wireshark.fields(cut, ["rddp.msn", "rddp.missing"], *arguments, "-Y", "rddp.missing")
        assert [frame["rddp.missing"] for frame in frames if frame["rddp.msn"] == middle["rddp.msn"]] == [[missing]]


@pytest.mark.parametrize("rule, gap", [("DDP-4.3-12", "MSN 2 to 3"), ("DDP-4.3-12/next", "MSN 2"), ("DDP-5.2-07", "octets 100-103 of MSN 2"),
                                       ("DDP-4.3-19", "octets 0-3 of MSN 2")])
def test_gaps_are_shown_at_once(wireshark, generated, rule, gap):
    """The rule waits for segments that may fill the gap: in one pass it may come too late for this frame."""
    scenario, = (row[1] for row in cases.listed("faults") if row[0] == rule)
    path = generated(scenario, f"--inject={rule}")
    for arguments in ([], ["-2"]):
        frame, = wireshark.fields(path, ["rddp.gap", "_ws.expert.message"], *arguments, *ORDER, "-Y", "rddp.gap")
        assert frame["rddp.gap"] == [gap]
        assert f"Before this segment, {gap} had not come" in frame["_ws.expert.message"][0]
    assert not wireshark.fields(generated(scenario), [], *ORDER, "-Y", "rddp.gap")


def test_write_is_shown_as_range(wireshark, root):
    names = ["rdmap.opcode", "rddp.to", "rddp.message.segment", "rddp.message.segments", "rddp.message.octets",
             "rddp.message.from", "rddp.payload_length"]
    frames = [frame for frame in segments(wireshark, real(root, "ib-write-bw-4096.pcap"), names)
              if frame["rdmap.opcode"] == ["0x00"] and int(frame["rddp.message.segments"][0]) > 1]
    assert frames
    for frame in frames:
        start, to = int(frame["rddp.message.from"][0], 16), int(frame["rddp.to"][0], 16)
        assert to - start + int(frame["rddp.payload_length"][0]) == int(frame["rddp.message.octets"][0])
    last = frames[-1]
    assert last["rddp.message.segment"] == last["rddp.message.segments"]


def test_terminate_is_read_as_it_was_meant(wireshark, root):
    names = ["rdmap.terminate.layer", "rdmap.terminate.etype", "rdmap.terminate.code", "rdmap.terminate.read.source_stag",
             "rdmap.terminate.ddp.qn"]
    frame = [frame for frame in segments(wireshark, real(root, "op-read-badstag.pcap"), names) if frame["rdmap.terminate.layer"]]
    assert [frame[0][name] for name in names] == [["0x00"], ["0x01"], ["0x00"], ["0x0e25a700"], ["1"]]


@pytest.mark.parametrize("name, rows", [
    ("op-read-badstag.pcap", "[0000 .... = Layer: ; [.... 0001 = EType: ; [1... .... .... .... = M: ; [.1.. .... .... .... = D: ; "
                             "[..1. .... .... .... = R: ; [...0 0000 0000 0000 = Reserved: "),
    ("scenario terminate", "0000 .... = Layer: ; .... 0000 = EType: ; 0... .... .... .... = M: "),
])
def test_terminate_shows_its_bits(wireshark, root, generated, name, rows):
    """As rows of a bit mask; in brackets those read in another layout, whose bits are in other places."""
    path = real(root, name) if name.endswith(".pcap") else generated(name.split()[1])
    text = wireshark.tshark(path, "-O", "rdmap", "-Y", "rdmap.opcode == 7")
    for row in rows.split("; "):
        assert f"    {row}" in text, text


@pytest.mark.parametrize("name, operation", [("op-read-badstag.pcap", "RDMA Read Request"), ("op-write-bounds.pcap", "RDMA Write"),
                                             ("op-send-toobig.pcap", "Send")])
def test_terminate_names_what_it_blames(wireshark, root, name, operation):
    """A soft-iWARP Terminate about a Read echoes a DDP Header that no segment had: its RDMAP header identifies the Read."""
    path = real(root, name)
    names = ["rdmap.terminate.caused_by", "rdmap.terminate.caused_by_operation", "rdmap.operation", "_ws.col.Info"]
    frames = {frame["frame"]: frame for frame in segments(wireshark, path, names, "-Y", "rdmap")}
    frame, = (frame for frame in frames.values() if frame["rdmap.terminate.caused_by"])
    culprit = frames[int(frame["rdmap.terminate.caused_by"][0])]
    assert frame["rdmap.terminate.caused_by_operation"] == culprit["rdmap.operation"]
    said, _, marks = frame["_ws.col.Info"][0].partition(" [")
    assert said.endswith(f", caused by {operation} in frame {culprit['frame']}")
    assert marks.startswith("error RDMAP-4.8-02") # siw's DDP Header


def test_upper_layers(wireshark, root):
    """NFS, through the list of the built-in dissector, and through the rpcrdma plugin."""
    path = real(root, "nfs3-names.pcap")
    names = ["nfs.procedure_v3", "rpc.xid", "rpc.msgtyp"]
    for arguments in ([], ["-2"]):
        ours = wireshark.fields(path, names, *arguments, *ORDER, "-Y", "rpc")
        assert len(ours) > 40
        assert ours == wireshark.fields(path, names, *arguments, *ORDER, *FALLBACK, "-Y", "rpc")
        assert ours == wireshark.fields(path, names, *arguments, *ORDER, "--disable-protocol", "rpcrdma", "-Y", "rpc")


def test_atomics_show_their_effect(wireshark, generated):
    names = ["rdmap.opcode", "rdmap.operation", "rdmap.atomic.original", "rdmap.atomic.after", "rdmap.response_in",
             "rdmap.response_to"]
    frames = segments(wireshark, generated("atomics"), names)
    requests = {frame["frame"]: frame for frame in frames if frame["rdmap.opcode"] == ["0x0a"]}
    responses = {frame["frame"]: frame for frame in frames if frame["rdmap.opcode"] == ["0x0b"]}
    assert len(requests) == len(responses) > 10
    for request in requests.values():
        response = responses[int(request["rdmap.response_in"][0])]
        assert response["rdmap.response_to"] == [str(request["frame"])]
        assert len(response["rdmap.atomic.after"]) == 1
        for name in ("rdmap.operation", "rdmap.atomic.original", "rdmap.atomic.after"):
            assert request[name] == response[name]


def test_every_operation_in_flight_is_linked(wireshark, generated):
    path = generated("operations", "--count=1000")
    names = ["rdmap.operation", "rdmap.response_in", "rdmap.response_to"]
    requests = segments(wireshark, path, names, "-Y", "rdmap.opcode == 1 || rdmap.opcode == 10")
    answers = {(frame["frame"], operation) for frame in segments(wireshark, path, names, "-Y", "rdmap.response_to")
               for operation in frame["rdmap.operation"]}
    pairs = [(int(answer), operation) for frame in requests
             for answer, operation in zip(frame["rdmap.response_in"], frame["rdmap.operation"])]
    assert len(pairs) == 1000 and set(pairs) <= answers


def test_statistics(wireshark, generated):
    text = wireshark.tshark(generated("atomics"), "-q", "-z", "rdmap,tree", "-z", "rdmap,srt")
    assert re.search(r"Atomic Request +14 ", text)
    assert re.search(r"FetchAdd +10 .*\n.*CmpSwap +6 ", text)
