# SPDX-License-Identifier: GPL-2.0-or-later
"""Together with Wireshark's own iwarp_mpa: it stays reachable, and where it is right both agree."""
import cases
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


# Cases in which the built-in dissector finds other FPDUs, in how many frames at most, and why.
APART = {
    "scenario port-reuse": (1, "takes an FPDU for one with Markers"),
    "fault MPA-C.2.5-02": (1, "takes an FPDU for one with Markers"),
    "fault MPA-4.1-02": (1, "believes the wrong ULPDU_Length"),
    "fault MPA-4.1-04": (1, "believes in PAD octets that are missing"),
    "fault MPA-7.1.1-11/word": (3, "takes a lone 00000000 for the first FPDU"),
    "fault MPA-7.1.2-16": (1, "shows no FPDU before the Reply"),
    "fault MPA-A.1-03": (1, "shows the FPDU that is left off half way"),
}


def comparable(everything, case):
    """Frames as the built-in dissector shows them and as ours does, where it can be right by what ours shows."""
    pairs = PAIRS | versions.builtin_newer()
    theirs = everything.fields(case, [*pairs, *UPPER, "_ws.malformed"], *ORDER, *BUILTIN, "-Y", "iwarp_mpa")
    names = dict.fromkeys([*pairs.values(), *UPPER, "mpa.flags.s", "mpa.marker", "mpa.part", "frame.len", "frame.cap_len"])
    ours = {frame["frame"]: frame for frame in everything.fields(case, names, *ORDER, *FALLBACK, "-Y", "mpa")}
    for frame in theirs:
        # The built-in dissector takes a segment for an FPDU, miscounts Markers, accepts a second
        # Request, and shows nothing of an FPDU cut by the snap length.
        our_frame = ours[frame["frame"]]
        if case == "scenario reject-then-mpa" and not our_frame["mpa.rev"]: # the ULP's use of a rejected connection
            continue
        if not (frame["_ws.malformed"] or our_frame["mpa.marker"] or our_frame["mpa.part"]
                or our_frame["frame.len"] != our_frame["frame.cap_len"]):
            yield frame, our_frame


def test_same_fields(everything, case):
    apart = []
    for frame, our_frame in comparable(everything, case):
        if our_frame["mpa.ulpdu_length"] != frame["iwarp_mpa.ulpdulength"]:
            apart.append((frame["frame"], our_frame["mpa.ulpdu_length"], frame["iwarp_mpa.ulpdulength"]))
            continue
        for their, our in (PAIRS | versions.builtin_newer()).items():
            if versions.builtin_differs(their) and our_frame["mpa.flags.s"] == ["1"]:
                continue
            if their.startswith("iwarp_mpa.enhanced.") and our_frame["mpa.rev"] == ["1"]: # by flag S, which is reserved there
                continue
            assert our_frame[our] == frame[their], (frame["frame"], our)
        for name in UPPER:
            assert our_frame[name] == frame[name], (frame["frame"], name)
    assert len(apart) <= APART.get(case, (0,))[0], apart


def test_enough_is_compared(everything):
    """The test above is not empty."""
    counts = {case: sum(len(our_frame["mpa.ulpdu_length"]) for _, our_frame in comparable(everything, case)) for case in cases.names()}
    assert sum(counts.values()) > 25000 and sum(map(bool, counts.values())) > 1400
