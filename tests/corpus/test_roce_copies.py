# SPDX-License-Identifier: GPL-2.0-or-later
"""A retransmission on RoCE equals the first copy: compared for each kind of packet, with no other findings."""
import pytest

import roce_copies as copies
from generated import findings, judge, outcomes
from test_roce import packets_of
from views import packets, write

SCENARIO = "rpcrdma-segments"


@pytest.fixture(scope="module")
def whole(gen, tmp_path_factory):
    path = tmp_path_factory.mktemp("copies") / "whole.pcapng"
    assert gen("play", SCENARIO, "--transport=roce", "-o", path).returncode == 0
    return packets(path)


@pytest.fixture(scope="module")
def atomics(root):
    path = root / "captures" / "roce" / "ib-atomic-FETCH_AND_ADD.pcap"
    return [(i * 1000, frame, len(frame)) for i, (_, frame) in enumerate(packets_of(path))]


@pytest.fixture
def report(build, tmp_path):
    def of(seen):
        write(tmp_path / "seen.pcap", seen)
        capture, = judge(build, [tmp_path / "seen.pcap"], by_name=False)
        return capture
    return of


def found(capture):
    return [f for f in findings(capture) if f.severity != "note"]


def check(report, seen, first, copy, severity, text):
    finding, = [f for f in found(report(seen)) if f.rule == copies.RULE]
    assert (finding.severity, finding.frame) == (severity, copy)
    assert text in finding.message and f"frame {first}" in finding.message, finding.message


@pytest.mark.parametrize("name", copies.WRONG)
def test_a_copy_that_differs(report, whole, name):
    opcodes, change, severity, text = copies.WRONG[name]
    seen, first, copy = copies.wrong(whole, opcodes, change)
    check(report, seen, first, copy, severity, text)
    assert len(found(report(seen))) == 1


@pytest.mark.parametrize("name", copies.ATOMICS)
def test_a_copy_of_an_atomic_that_differs(report, atomics, name):
    opcodes, change, severity, text = copies.ATOMICS[name]
    check(report, *copies.wrong(atomics, opcodes, change), severity, text)


@pytest.mark.parametrize("name", copies.RIGHT)
def test_a_copy_that_does_not(report, whole, name):
    capture = report(copies.right(whole, copies.ALL, copies.RIGHT[name]))
    assert not found(capture)
    assert outcomes(capture)[copies.RULE][0] > 100


def test_a_copy_that_the_capture_has_made(report, whole):
    """The copy has the same identification and time: nothing was retransmitted."""
    capture = report([packet for packet in whole for _ in range(2)])
    assert not found(capture)
    assert outcomes(capture)[copies.RULE] == [0, 0]


def test_a_copy_with_a_wrong_icrc_was_dropped(report, whole):
    opcodes, change, _, _ = copies.WRONG["payload of a Send"]
    assert not found(report(copies.wrong(whole, opcodes, change, bytes)[0]))


def test_a_first_packet_with_a_wrong_icrc_was_dropped(report, whole):
    """It is the first packet of its sender whose ICRC counts: nothing is known before."""
    i = next(i for i, packet in enumerate(whole) if copies.opcode(packet[1]) in copies.SEND)
    time, octets, length = whole[i]
    bare = [packet for packet in whole[i + 1:] if copies.opcode(packet[1]) != 0x64]
    capture = report([(time, bytes(copies.of_payload(40, 1)(octets)), length), (time, octets, length), *bare])
    assert not [f for f in found(capture) if f.rule == copies.RULE]


def test_octets_that_were_not_captured(report, whole):
    opcodes, change, _, _ = copies.WRONG["payload of a Write"]
    seen, _, _ = copies.wrong(whole, opcodes, change)
    snapped = [(time, octets[:128], length) for time, octets, length in seen]
    assert not [f for f in found(report(snapped)) if f.rule == copies.RULE]


@pytest.mark.parametrize("net", ["loss=0.1", "dup=0.2", "loss=0.05,reorder=0.1,dup=0.1", "rnr=0.2"])
@pytest.mark.parametrize("seed", range(3))
def test_a_bad_network(build, gen, tmp_path, net, seed):
    names = [SCENARIO, "nfs3", "nfs41-chunks"]
    paths = [tmp_path / f"{name}.pcapng" for name in names]
    for name, path in zip(names, paths):
        gen("play", name, "--transport=roce", f"--net={net}", f"--seed={seed}", "-o", path)
    captures = judge(build, paths, by_name=False)
    assert not [f for capture in captures for f in found(capture)]
    # An immediate duplicate made by the network looks like a copy made by the capture.
    assert (sum(outcomes(capture)[copies.RULE][0] for capture in captures) > 0) == (net != "dup=0.2")


@pytest.mark.parametrize("asked", [True, False])
def test_a_read_that_goes_on_where_nothing_has_come(report, whole, asked):
    """Its request did not arrive, as a NAK says; its end is sent again."""
    i = next(i for i, packet in enumerate(whole) if copies.opcode(packet[1]) in copies.READ and copies.asked_for(packet[1]) > 1024)
    time, octets, length = whole[i]
    rest = copies.later(octets, 1024)
    answer = next(other for _, other, _ in whole if copies.opcode(other) == 0x11 and copies.crosses(other, octets))
    nak = copies.nak(answer, octets)
    seen = whole[:i + 1] + [(time, nak, len(nak))] * asked + [(time, rest, length)]
    assert [(f.severity, f.frame) for f in found(report(seen)) if f.rule == copies.RULE] == [("error", i + 3)] * asked
