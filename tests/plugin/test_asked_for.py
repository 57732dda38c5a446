# SPDX-License-Identifier: GPL-2.0-or-later
"""Fields for what people ask about trouble: what a Terminate encloses, copies that differ, Calls without an answer, refusals."""
import pytest

import captures
import roce_copies as copies
from test_plugin_roce_copies import write

ORDER = ["-2", "-o", "tcp.reassemble_out_of_order:TRUE"]
TERMINATE = "414700000000000000020000000100000000" "1206c0000022"  # its DDP header; control, and DDP Segment Length
WRITES, READS = "infiniband.bth.opcode in {6..11}", "infiniband.bth.opcode == 12"
DDP = "rdmap.terminate.ddp."
ENCLOSED = ["rdmap.terminate.ddp.rsvd", "rdmap.terminate.ddp.dv", "rdmap.terminate.ddp.rv", "rdmap.terminate.ddp.rsv"]


@pytest.mark.parametrize("fault,words", [("DDP-4.1-11", ["0x01", "1", "1", "0x00"]), ("RDMAP-4.1-27", ["0x00", "1", "1", "0x01"])])
def test_header_in_terminate(wireshark, generated, fault, words):
    """Rsvd, DV, RV and Rsv are those of the segment that the Terminate blames."""
    path = generated("rdmap", f"--inject={fault}")
    blaming, = wireshark.fields(path, [*ENCLOSED, "rdmap.terminate.caused_by"], *ORDER, "-Y", "rdmap.terminate.ddp")
    assert [value for field in ENCLOSED for value in blaming[field]] == words
    frame = blaming["rdmap.terminate.caused_by"][0]
    of_segment = ["rddp.rsvd", "rddp.version", "rdmap.version", "rdmap.rsv"]
    blamed, = wireshark.fields(path, of_segment, *ORDER, "-Y", f"frame.number == {frame}")
    assert [blamed[field] for field in of_segment] == [[word] for word in words]


def test_invalidate_stag_of_rfc7306(wireshark, generated):
    """The word has this name in all messages of RFC 7306, but not in Sends without Invalidate."""
    path = generated("atomics")
    shown = wireshark.fields(path, ["rdmap.opcode", "rdmap.invalidate_stag", "rdmap.reserved"], *ORDER, "-Y", "rdmap.opcode >= 8")
    assert shown and all(frame["rdmap.invalidate_stag"] and not frame["rdmap.reserved"] for frame in shown)
    sends = wireshark.fields(generated("rdmap"), ["rdmap.invalidate_stag", "rdmap.reserved"], *ORDER, "-Y", "rdmap.opcode == 3")
    assert sends and all(frame["rdmap.reserved"] and not frame["rdmap.invalidate_stag"] for frame in sends)


def test_atomic_request_has_one_stag(wireshark, generated):
    """Only its Remote STag has a life: the word that is called Invalidate STag is none."""
    requests = wireshark.fields(generated("atomics"), ["rdmap.opcode", "rddp.stag.first_seen"], *ORDER, "-Y", "rdmap.opcode == 10")
    requests = [frame for frame in requests if set(frame["rdmap.opcode"]) == {"0x0a"}]
    assert requests and all(len(frame["rddp.stag.first_seen"]) == len(frame["rdmap.opcode"]) for frame in requests)


@pytest.mark.parametrize("octets,name", [("4143", "reserved"), ("4144", "invalidate_stag"), ("414a", "invalidate_stag"), ("414f", "reserved")])
def test_word_in_terminate(wireshark, generated, octets, name):
    """The enclosed opcode says what the enclosed word is."""
    path = generated("script", f"--script=with rev2; I send; R send; R fpdu {TERMINATE}{octets}11223344{12 * '00'}")
    frame, = wireshark.fields(path, [DDP + "reserved", DDP + "invalidate_stag"], *ORDER, "-Y", "rdmap.terminate.ddp")
    assert frame[DDP + name] == ["0x11223344"] and sum(len(values) for field, values in frame.items() if field != "frame") == 1


@pytest.mark.parametrize("octets,shown", [("0643", []), ("064311223344", ["reserved"]), ("864011223344", ["stag"]), ("06431122334400000001", ["reserved", "qn"])])
def test_cut_header_in_terminate(wireshark, generated, octets, shown):
    """What is there of the enclosed header is shown, its control octets first."""
    path = generated("script", f"--script=with rev2; I send; R send; R fpdu {TERMINATE}{octets}")
    more = [DDP + name for name in ("reserved", "stag", "to", "qn", "msn", "mo")]
    frame, = wireshark.fields(path, [*ENCLOSED, *more, "rdmap.terminate.trailing"], *ORDER, "-Y", "rdmap.terminate.ddp")
    assert [value for field in ENCLOSED for value in frame[field]] == ["0x01", "2", "1", "0x00"]
    assert [field for field in more if frame[field]] == [DDP + name for name in shown] and not frame["rdmap.terminate.trailing"]


@pytest.mark.parametrize("options", [[], ["-o", "iwarp.check:FALSE"], ["-o", "tcp.analyze_sequence_numbers:FALSE"]], ids=" ".join)
def test_differing_retransmission_on_tcp(wireshark, generated, options):
    names = ["mpa.differs.offset", "mpa.differs.first", "mpa.differs.again", "mpa.differs.first_frame"]
    path = generated("rev1", "--inject=MPA-7.1.5-03")
    frame, = wireshark.fields(path, names, "-2", *options, "-Y", "mpa.differs")
    offset, first, again, first_frame = (frame[name][0] for name in names)
    assert first != again and int(first_frame) < frame["frame"]
    payloads = wireshark.fields(path, ["tcp.payload", "tcp.seq"], "-2", "-o", "tcp.relative_sequence_numbers:TRUE", "-Y",
                                f"frame.number in {{{first_frame}, {frame['frame']}}}")
    octets = [bytes.fromhex(row["tcp.payload"][0].replace(":", ""))[int(offset) + 1 - int(row["tcp.seq"][0])] for row in payloads]
    assert octets == [int(first, 16), int(again, 16)]
    assert wireshark.fields(generated("rev1"), names, "-2", *options, "-Y", "mpa.differs") == []


@pytest.mark.parametrize("options", [[], ["-o", "iwarp.check:FALSE"]], ids=" ".join)
def test_differing_retransmission_on_roce(wireshark, generated, tmp_path, options):
    opcodes, change, _, words = copies.WRONG["payload of a Send"]
    source = [(time, octets, n) for time, n, octets in captures.records(generated("rpcrdma-segments", "--transport=roce"))]
    seen, _, copy = copies.wrong(source, opcodes, change)
    frame, = wireshark.fields(write(tmp_path / "seen.pcap", seen), ["rdma_ib.differs"], "-2", *options, "-Y", "rdma_ib.differs")
    assert frame["frame"] == copy and words in frame["rdma_ib.differs"][0]


@pytest.mark.parametrize("transport", ["iwarp", "roce"])
def test_unanswered(wireshark, generated, transport):
    """The Calls without an answer, once the capture has been read."""
    path = generated("rpcrdma", "--inject=RPCR-4.5.4-03", f"--transport={transport}")
    waiting = wireshark.fields(path, ["rpcrdma.response_in"], "-2", "-Y", "rpcrdma.unanswered")
    assert len(waiting) == 1 and not waiting[0]["rpcrdma.response_in"]
    assert wireshark.fields(path, [], "-Y", "rpcrdma.unanswered") == []
    whole = generated("rpcrdma", f"--transport={transport}")
    assert wireshark.fields(whole, [], "-2", "-Y", "rpcrdma.kind == 1") != []
    assert wireshark.fields(whole, [], "-2", "-Y", "rpcrdma.unanswered") == []


def test_copies_of_a_call(wireshark, generated):
    """Each copy leads to the first, and one answer is enough for all."""
    path = generated("rpcrdma", "--inject=RPCR-3.3.1-03+ok/copies")
    copies = wireshark.fields(path, ["rpcrdma.copy_of", "rpcrdma.xid", "rpcrdma.unanswered"], "-2", "-Y", "rpcrdma.copy_of")
    assert len(copies) > 1
    first = {copy["rpcrdma.copy_of"][0] for copy in copies}
    assert len(first) == 1
    original, = wireshark.fields(path, ["rpcrdma.xid", "rpcrdma.copy_of"], "-2", "-Y", f"frame.number == {first.pop()}")
    assert not original["rpcrdma.copy_of"] and {tuple(copy["rpcrdma.xid"]) for copy in copies} == {tuple(original["rpcrdma.xid"])}
    answered = wireshark.fields(path, [], "-2", "-Y", f"rpcrdma.kind == 2 && rpcrdma.xid == {original['rpcrdma.xid'][0]}")
    assert answered and not any(copy["rpcrdma.unanswered"] for copy in copies)


@pytest.mark.parametrize("transport,refusal", [("iwarp", "rdmap.opcode == 7"), ("roce", "infiniband.aeth.syndrome.opcode == 3")])
def test_refusals(wireshark, generated, transport, refusal):
    """A refused message has a link to the Terminate or NAK."""
    path = generated("rpcrdma", "--inject=RPCR-3.1-01/refused", f"--transport={transport}")
    refused, = wireshark.fields(path, ["rpcrdma.refused_in"], *ORDER, "-Y", "rpcrdma.refused_in")
    ends = {frame["frame"] for frame in wireshark.fields(path, [], *ORDER, "-Y", refusal)}
    assert int(refused["rpcrdma.refused_in"][0]) in ends and refused["frame"] < int(refused["rpcrdma.refused_in"][0])


@pytest.mark.parametrize("transport", ["iwarp", "roce"])
@pytest.mark.parametrize("fault,opcodes", [("RPCR-3.4.3-03", ("rdmap.opcode == 0", WRITES)), ("RPCR-3.4.3-03/read", ("rdmap.opcode == 1", READS))])
def test_call_with_refused_operation(wireshark, generated, transport, fault, opcodes):
    """A refused RDMA operation is a refusal of its Call, too."""
    path = generated("rpcrdma", f"--inject={fault}", f"--transport={transport}")
    call, = wireshark.fields(path, ["rpcrdma.refused_in"], *ORDER, "-Y", "rpcrdma.unanswered")
    refused = wireshark.fields(path, ["rpcrdma.refused_in"], *ORDER, "-Y", f"rpcrdma.refused_in && {opcodes[transport == 'roce']}")
    assert len(refused) == 1 and refused[0]["rpcrdma.refused_in"] == call["rpcrdma.refused_in"] != []


@pytest.mark.parametrize("arguments,mark", [
    (["rev1", "--inject=MPA-4.1-05"], "[error MPA-4.1-05]"), (["rpcrdma", "--inject=RPCR-3.3.1-01"], "RPCR-3.3.1-01]"),
    (["rdmap", "--inject=RDMAP-6.2.1-01"], "RDMAP-6.2.1-01]"), (["rpcrdma", "--inject=RPCR-3.3.1-01", "--transport=roce"], "RPCR-3.3.1-01]")],
    ids=lambda value: value if isinstance(value, str) else " ".join(value))
def test_findings_are_marked_in_info(wireshark, generated, arguments, mark):
    """Once in each frame with findings, and in no other frame."""
    path = generated(*arguments)
    rows = wireshark.fields(path, ["_ws.col.Info", "iwarp.finding", "iwarp.finding.text"], *ORDER)
    for row in rows:
        marks = sum(row["_ws.col.Info"][0].count(f" [{severity} ") for severity in ("error", "warning", "note"))
        assert marks == bool(row["iwarp.finding"]), row
        assert [text.split(": ")[0].split(" ")[1] for text in row["iwarp.finding.text"]] == row["iwarp.finding"]
    assert any(row["_ws.col.Info"][0].endswith(mark) for row in rows)
