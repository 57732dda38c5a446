# SPDX-License-Identifier: GPL-2.0-or-later
"""Side by side with Wireshark's own iwarp_mpa: it stays reachable, and where it is right both say the same."""
import pytest

BUILTIN = ["--disable-heuristic", "mpa_tcp"]
PAIRS = {
    "iwarp_mpa.rev": "mpa.rev",
    "iwarp_mpa.pdlength": "mpa.pd_length",
    "iwarp_mpa.marker_flag": "mpa.flags.m",
    "iwarp_mpa.crc_flag": "mpa.flags.c",
    "iwarp_mpa.rej_flag": "mpa.flags.r",
    "iwarp_mpa.ulpdulength": "mpa.ulpdu_length",
    "iwarp_mpa.pad": "mpa.pad",
}
UPPER = """iwarp_ddp.tagged_flag iwarp_ddp.last_flag iwarp_ddp.dv iwarp_ddp.stag iwarp_ddp.tagged_offset iwarp_ddp.qn
    iwarp_ddp.msn iwarp_ddp.mo iwarp_rdma.opcode iwarp_rdma.version iwarp_rdma.sinkstag iwarp_rdma.sinkto
    iwarp_rdma.rdmardsz iwarp_rdma.srcstag iwarp_rdma.srcto iwarp_rdma.inval_stag""".split()
ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]


def test_builtin_is_back_without_our_heuristic(wireshark, generated):
    path = generated("rev1")
    assert wireshark.fields(path, [], "-Y", "mpa") and not wireshark.fields(path, [], "-Y", "iwarp_mpa")
    assert not wireshark.fields(path, [], *BUILTIN, "-Y", "mpa")
    assert wireshark.fields(path, [], *BUILTIN, "-Y", "iwarp_mpa")


def test_same_fields(wireshark, case):
    theirs = wireshark.fields(case.path, [*PAIRS, *UPPER, "_ws.malformed"], *ORDER, *BUILTIN, "-Y", "iwarp_mpa")
    if not theirs:
        pytest.skip("nothing that the built-in dissector knows")
    ours = {frame["frame"]: frame
            for frame in wireshark.fields(case.path, [*PAIRS.values(), *UPPER], *ORDER, "-Y", "mpa")}
    compared = 0
    for frame in theirs:
        # It takes a segment for an FPDU; what it says of segments that hold more, or less, is not to be had.
        if frame["_ws.malformed"] or ours[frame["frame"]]["mpa.ulpdu_length"] != frame["iwarp_mpa.ulpdulength"]:
            continue
        # The length of enhanced private data is private data to it; Res is S to us.
        for their, our in PAIRS.items():
            assert ours[frame["frame"]][our] == frame[their], (frame["frame"], our)
        for name in UPPER:
            assert ours[frame["frame"]][name] == frame[name], (frame["frame"], name)
        compared += 1
    assert compared > 0
