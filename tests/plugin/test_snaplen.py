# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures with a snap length: headers are dissected as far as captured, and the Info column says so."""
import collections
import subprocess

import pytest

import cases
import merge

HEADERS = ["mpa.ulpdu_length", "rddp.tagged", "rddp.qn", "rddp.msn", "rddp.stag", "rdmap.opcode", "rddp.payload_length"]
MPA = {"mpa.rev": 18, "mpa.ird": 24, "mpa.ord": 24}  # octets of the start-up frame that show it


@pytest.mark.parametrize("mode", [[], ["-2"]], ids=["one pass", "two"])
@pytest.mark.parametrize("octets", [74, 78, 80, 96, 128])
@pytest.mark.parametrize("scenario", ["operations", "nfs3", "atomics", "rdmap"])
def test_headers_and_info(wireshark, generated, scenario, octets, mode):
    """74 octets hold a start-up frame without private data and an FPDU up to the opcode; 78 a Tagged header, too."""
    names = [*HEADERS, *MPA, "_ws.malformed", "_ws.col.Info", "mpa.part", "mpa.hole"]
    whole = wireshark.fields(generated(scenario), names, *mode, "-Y", "mpa")
    cut = wireshark.fields(generated(scenario, f"--snaplen={octets}"), names, *mode, "-Y", "mpa")
    assert len(cut) == len(whole) > 10
    for frame, expected in zip(cut, whole):
        assert frame["_ws.col.Info"] and not frame["_ws.malformed"] and not frame["mpa.hole"], frame
        if expected["mpa.rev"]:
            for name, needed in MPA.items():
                assert frame[name] == (expected[name] if octets >= 54 + needed else []), name
        if octets >= 78 and len(expected["mpa.ulpdu_length"]) == 1:
            for name in HEADERS:
                assert frame[name] == expected[name] or (name not in HEADERS[:3] and octets < 96), name


@pytest.mark.parametrize("octets", [80, 96, 128])
def test_rpcrdma(wireshark, generated, octets):
    """Each Send shows its XID, with 96 octets its message type; with 128, Calls and Replies are dissected and matched."""
    names = ["rpcrdma.xid", "rpcrdma.proc", "rpc.xid", "rpc.procedure", "rpc.repframe", "_ws.malformed"]
    whole = wireshark.fields(generated("nfs3"), names, "-Y", "rddp.qn == 0")
    cut = wireshark.fields(generated("nfs3", f"--snaplen={octets}"), names, "-Y", "rddp.qn == 0")
    for name in ["rpcrdma.xid", "rpcrdma.proc"] if octets >= 96 else ["rpcrdma.xid"]:
        shown, expected = ([frame[name] for frame in frames if frame[name]] for frames in (cut, whole))
        assert shown == expected  # a Send of several segments is in the frame of the first
    matched = [frame for frame, expected in zip(cut, whole) if frame["rpc.xid"] == expected["rpc.xid"] != [] and
               frame["rpc.repframe"] == expected["rpc.repframe"]]
    assert len(matched) > 20 if octets >= 128 else not matched


@pytest.mark.parametrize("octets", [96, 128, 256])
def test_rpcrdma_on_roce(wireshark, generated, octets):
    """The built-in dissector of InfiniBand passes nothing on; Sends are shown once their connection is known."""
    names = ["rpcrdma.xid", "rpcrdma.proc", *(["rpcrdma.kind"] if octets > 96 else [])]
    whole, cut = ([tuple(frame[name][0] for name in names) for frame in
                   wireshark.fields(generated("nfs3", "--transport=roce", *option), names, "-2", "-Y", "rpcrdma.xid")]
                  for option in ([], [f"--snaplen={octets}"]))
    assert len(cut) > 30 and cut == whole


@pytest.mark.parametrize("octets", [1, 3, 4])
@pytest.mark.parametrize("fault", [[], ["--inject=RPCR-2.2.2-04"], ["--inject=RPCR-3.4.6-04"]], ids=["conforming", "reply", "write"])
def test_only_octets_of_the_icrc_are_cut(wireshark, build, generated, tmp_path, fault, octets):
    """Plugin and checker read such a packet as if it were complete."""
    names = ["rpcrdma.xid", "rpcrdma.proc", "rpcrdma.kind", "rpc.xid", "rpcrdma.rule"]
    whole, cut = generated("rpcrdma", "--transport=roce", *fault), tmp_path / "cut.pcap"
    subprocess.run(["editcap", "-C", f"-{octets}", whole, cut], check=True)
    shown, expected = (wireshark.fields(path, [*names, "_ws.malformed"], "-2") for path in (cut, whole))
    assert [[frame[name] for name in names] for frame in shown] == [[frame[name] for name in names] for frame in expected]
    assert not any(frame["_ws.malformed"] for frame in shown) and sum(bool(frame["rpcrdma.xid"]) for frame in shown) > 2

    def told(path):
        run = subprocess.run([build / "conformance" / "iwarp-check", "--print", path], capture_output=True, text=True, check=False)
        return [line for line in run.stdout.splitlines() if "[rpcrdma:" in line or line.startswith(("      frame", "    RPCR"))]
    assert told(cut) == told(whole) != []


INSTEAD = {"RPCR-3.4.6.2-03": "RPCR-3.4.6.2-02"}  # the octets beyond the result were not captured
RULES = "mpa.rule or rddp.rule or rdmap.rule or rpcrdma.rule"


@pytest.fixture(scope="module")
def together(generated, tmp_path_factory):
    """Real captures, and all scenarios, in one."""
    path = tmp_path_factory.mktemp("together") / "whole.pcap"
    paths = [(name, capture) for name, (capture, _) in cases.real().items()]
    paths += [(name, generated(name.split()[1], "--pcap")) for name in cases.names() if name.startswith("scenario ")]
    return path, merge.merge(paths, path)


@pytest.fixture(scope="module")
def blamed_in_whole(wireshark, together):
    return malformed_and_blamed(wireshark, *together)[1]


def malformed_and_blamed(wireshark, path, parts):
    """Malformed frames, and how often each rule is violated in each part."""
    names, malformed, blamed = ["_ws.malformed", "mpa.rule", "rddp.rule", "rdmap.rule", "rpcrdma.rule"], [], collections.Counter()
    part_of = [part.name for part in parts for _ in range(part.first, part.last + 1)]
    for frame in wireshark.fields(path, names, "-2", "-Y", f"_ws.malformed or {RULES}"):
        malformed += [frame["frame"]] if frame["_ws.malformed"] else []
        blamed.update((part_of[frame["frame"] - 1], rule) for name in names[1:] for rule in frame[name])
    return malformed, blamed


@pytest.mark.parametrize("octets", [96, 128, 192, 256, 512])
def test_nothing_is_malformed_and_nobody_blamed(wireshark, together, blamed_in_whole, tmp_path, octets):
    path, parts = together
    assert len(parts) > 50
    subprocess.run(["editcap", "-s", str(octets), path, tmp_path / "cut.pcap"], check=True)
    malformed, blamed = malformed_and_blamed(wireshark, tmp_path / "cut.pcap", parts)
    assert not malformed
    assert not [finding for finding in blamed - blamed_in_whole if (finding[0], INSTEAD.get(finding[1])) not in blamed_in_whole]
