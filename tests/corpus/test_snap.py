# SPDX-License-Identifier: GPL-2.0-or-later
"""Typical snap lengths: captured octets are judged, missing ones are inconclusive. Framing continues by ULPDU_Length and TCP's
numbers, so FPDUs and operations are counted as in the whole capture, except FPDUs whose headers were cut away after another
FPDU in the segment."""
import concurrent.futures
import os

import pytest

from generated import base, findings, judge, profile
from test_corpus import NOTES, show

SNAPS = (96, 128, 160, 256)
MIDSTREAM = {"late", "midstream", "midstream-markers", "midstream-no-crc", "rpcrdma-late"}  # recognised later, when cut
# Segments with FPDUs after a cut one.
SHARED = set("""
    capture-loss crc-by-reply crc-by-request ddp downgrade duplicate figures fragments keep-alive loss markers markers-no-crc
    markers-to-initiator markers-to-responder msn-wrap mtu-576 no-crc not-negotiated offload permissive port-reuse
    private-data rdmac reject reorder reorder-inside reset responder-opens rev1 rev2 rev2-plain rtr-choice rtr-markers rtr-read
    rtr-send rtr-stag-zero rtr-write streaming-first streaming-responder-last terminate tiny-mss two-at-once unaligned wrap
    zero-window""".split())
LARGE = {"mount-nfs2", "mount-nfs3", "mount-nfs40", "mount-nfs41", "mount-nfs42"}

# Faults in headers, and the shortest snap length that shows the evidence.
HEADERS = {
    96: ["RDMAP-4.1-06", "RDMAP-4.1-14", "RDMAP-4.1-16", "RDMAP-4.1-17", "RDMAP-4.1-23", "RDMAP-4.1-26", "RDMAP-4.2-02",
         "RDMAP-4.4-02", "RDMAP-5.4-11", "DDP-5.2-16", "RDMAPX-4.1-08", "RDMAPX-4.1-11", "RDMAPX-4.2-02"],
    128: ["RDMAP-5.2-01/first", "RDMAP-4.8-20", "RDMAP-4.8-34", "RDMAP-5.2.1-17", "RDMAP-8.1.1-08", "DDP-7.2-16",
          "RDMAPX-5.2.1-04", "RDMAPX-5.1.1-04", "RPCR-4.2.2-01", "RPCR-3.3.1-04"],
    # In conversations with several FPDUs in a segment.
    256: ["DDP-4.3-12", "DDP-4.3-16", "DDP-4.3-19", "DDP-5.2-07", "DDP-4.2-12", "DDP-5.2-11", "DDP-4.1-04", "RDMAP-4.4-03",
          "RDMAP-4.4-08", "RDMAP-5.2.1-14", "RDMAPX-5.2.2-02", "RPCR-4.1.2-11"],
}


def plays(gen, folder, jobs):
    """jobs: (name, arguments); the paths, in order."""
    def play(job):
        path = folder / f"{job[0].replace('/', '_')}.pcapng"
        run = gen("play", *job[1:], "-o", path)
        assert run.returncode == 0, run.stderr
        return path

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(play, jobs))


def reports(build, gen, folder, scenarios, snap):
    """By scenario."""
    option = [] if snap is None else [f"--snaplen={snap}"]
    out = {}
    for rules in ("ietf", "rfc5666"):
        alike = [s for s in scenarios if profile(s) == rules]
        out.update(zip(alike, judge(build, plays(gen, folder, [(s, s, *option) for s in alike]), by_name=False, rules=rules)))
    return out


@pytest.fixture(scope="module")
def whole(build, gen, scenarios, tmp_path_factory):
    return reports(build, gen, tmp_path_factory.mktemp("whole"), [s for s in scenarios if s not in LARGE], None)


@pytest.fixture(scope="module", params=SNAPS)
def cut(build, gen, whole, request, tmp_path_factory):
    return reports(build, gen, tmp_path_factory.mktemp("cut"), list(whole), request.param)


def test_nobody_is_blamed(whole, cut):
    wrong = []
    for scenario, report in cut.items():
        known = {f.rule for f in findings(whole[scenario])} | NOTES.get(scenario, set())
        found = [f for f in findings(report) if f.rule not in known]
        if found:
            wrong.append(f"{scenario}:\n{show(found)}")
    assert not wrong, "\n".join(wrong)


def test_fpdus_and_operations_are_counted(whole, cut):
    def counts(report):
        return [(c["counts"]["fpdus"], c["counts"]["operations"]) for c in report["connections"]]

    differ = {s for s, report in cut.items() if counts(report) != counts(whole[s])}
    assert differ <= SHARED | MIDSTREAM, sorted(differ - SHARED - MIDSTREAM)
    for scenario in differ - MIDSTREAM:  # never more than exist
        for (cut_fpdus, _), (fpdus, _) in zip(counts(cut[scenario]), counts(whole[scenario])):
            assert 0 < sum(cut_fpdus) <= sum(fpdus) or sum(fpdus) == 0, scenario


def test_the_list_of_shared_segments_is_no_longer_than_needed(whole, cut):
    same = {s for s in SHARED if [c["counts"] for c in cut[s]["connections"]] == [c["counts"] for c in whole[s]["connections"]]}
    assert same <= {"msn-wrap", "tiny-mss"}, sorted(same)  # their segments are short enough for some of the lengths


def test_rules_pass_on_what_is_there(whole, cut):
    """A capture with only the headers of DDP and RDMAP exercises their rules."""
    for scenario in ("rdmap", "stack-nfs3", "nfs3"):
        passed = {rule for c in cut[scenario]["connections"] for rule, n in c["rules"].items() if n["passed"]}
        for rule in ("MPA-3-01", "MPA-4.1-01", "DDP-4.1-10", "DDP-4.1-04", "RDMAP-4.1-14"):
            assert rule in passed, (scenario, rule)
        rules = {rule: n for c in cut[scenario]["connections"] for rule, n in c["rules"].items()}
        assert rules["MPA-4.1-04"]["inconclusive"] and not rules["MPA-4.1-04"]["failed"]


@pytest.mark.parametrize("snap, fault", [(snap, fault) for snap, faults in HEADERS.items() for fault in faults])
def test_faults_in_headers_are_found(build, gen, faults, tmp_path, snap, fault):
    scenario = next(f.scenario for f in faults if f.id == fault)
    for length in (n for n in SNAPS if n >= snap):
        path, = plays(gen, tmp_path, [(fault, scenario, f"--inject={fault}", f"--snaplen={length}")])
        report, = judge(build, [path], by_name=False)
        assert {f.rule for f in findings(report) if f.severity != "note"} == {base(fault)}, length
