# SPDX-License-Identifier: GPL-2.0-or-later
"""Together with Wireshark's own iwarp_mpa: it stays reachable, and where it is right both agree."""
import versions

BUILTIN = ["--disable-heuristic", "mpa_tcp"]
CALLED = 'frame.protocols contains "iwarp_mpa"'  # the plugins add its fields, too
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
FALLBACK = ["--disable-protocol", "rddp"]  # the layers above are its own in both cases
ORDER = ["-o", "tcp.reassemble_out_of_order:TRUE"]


def test_builtin_is_back_without_our_heuristic(wireshark, generated):
    path = generated("rev1")
    assert wireshark.fields(path, [], "-Y", "mpa") and not wireshark.fields(path, [], "-Y", CALLED)
    assert not wireshark.fields(path, [], *BUILTIN, "-Y", "mpa")
    assert wireshark.fields(path, [], *BUILTIN, "-Y", CALLED)


def test_same_fields(everything, case):
    pairs = PAIRS | versions.builtin_newer()
    theirs = everything.fields(case, [*pairs, *UPPER, "_ws.malformed"], *ORDER, *BUILTIN, "-Y", "iwarp_mpa")
    names = dict.fromkeys([*pairs.values(), *UPPER, "mpa.flags.s", "mpa.marker", "mpa.part", "frame.len", "frame.cap_len"])
    ours = {frame["frame"]: frame for frame in everything.fields(case, names, *ORDER, *FALLBACK, "-Y", "mpa")}
    for frame in theirs:
        # It takes a segment for an FPDU, miscounts Markers, accepts a second Request, and shows nothing of an FPDU cut by the
        # snap length.
        our_frame = ours[frame["frame"]]
        if case == "scenario reject-then-mpa" and not our_frame["mpa.rev"]: # the ULP's use of a rejected connection
            continue
        if (frame["_ws.malformed"] or our_frame["mpa.ulpdu_length"] != frame["iwarp_mpa.ulpdulength"]
                or our_frame["mpa.marker"] or our_frame["mpa.part"] or our_frame["frame.len"] != our_frame["frame.cap_len"]):
            continue
        for their, our in pairs.items():
            if versions.builtin_differs(their) and our_frame["mpa.flags.s"] == ["1"]:
                continue
            if their.startswith("iwarp_mpa.enhanced.") and our_frame["mpa.rev"] == ["1"]: # by flag S, which is reserved there
                continue
            assert our_frame[our] == frame[their], (frame["frame"], our)
        for name in UPPER:
            assert our_frame[name] == frame[name], (frame["frame"], name)


def test_enough_is_compared(everything):
    """The test above is not empty."""
    frames = everything.wireshark.fields(everything.merged, ["iwarp_mpa.ulpdulength"], *ORDER, *BUILTIN, "-Y", "iwarp_mpa")
    assert sum(len(frame["iwarp_mpa.ulpdulength"]) for frame in frames) > 100
