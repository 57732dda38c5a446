# SPDX-License-Identifier: GPL-2.0-or-later
"""Every capture: all FPDUs found, none malformed, the same verdict as iwarp-check, frame by frame."""
import collections
import pathlib
import re

ONCE = ["mpa.ulpdu_length", "mpa.crc.status", "mpa.fpdu.number", "mpa.rule", "_ws.expert.message", "_ws.expert.severity",
        "_ws.malformed"]
SEVERITIES = {0x800000: "error", 0x600000: "warning", 0x400000: "note"}
EXACT = ["-2", "-o", "tcp.reassemble_out_of_order:TRUE"]


def alone():
    """Rules that only iwarp-check can judge, with the reason."""
    table = pathlib.Path(__file__).with_name("checker-alone.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {line.split("\t")[0] for line in table}


def findings_of_checker(connections):
    return collections.Counter((finding["frame"], finding["rule"], finding["severity"], finding["message"])
                               for one in connections for finding in one["findings"])


def findings_of_plugin(frames):
    found = collections.Counter()
    for frame in frames:
        here = []
        for text, severity in zip(frame["_ws.expert.message"], frame["_ws.expert.severity"]):
            if re.match(r"MPA2?-[0-9A-Z.]+-[0-9]+: ", text):
                rule, message = text.split(": ", 1)
                found[frame["frame"], rule, SEVERITIES[int(severity)], message] += 1
                here.append(rule)
        assert sorted(here) == sorted(frame["mpa.rule"])
    return found


def compare(wireshark, judged, path):
    """Asserts that plugin and checker agree; returns the number of FPDUs."""
    connections = judged(path)
    frames = wireshark.fields(path, ONCE, *EXACT, "-Y", "mpa")
    assert not [frame["frame"] for frame in frames if frame["_ws.malformed"]]
    fpdus = sum(len(frame["mpa.ulpdu_length"]) for frame in frames)
    assert all(len(frame["mpa.crc.status"]) == len(frame["mpa.ulpdu_length"]) for frame in frames)
    assert fpdus == sum(sum(one["counts"]["fpdus"]) for one in connections)
    shown, said = findings_of_plugin(frames), findings_of_checker(connections)
    said = collections.Counter({key: n for key, n in said.items() if key[1] not in alone()})
    assert shown == said
    return fpdus


def test_real(wireshark, judged, case):
    fpdus = compare(wireshark, judged, case.path)
    assert case.fpdus is None or fpdus == case.fpdus


def test_scenario(wireshark, judged, generated, scenario):
    compare(wireshark, judged, generated(scenario))


def test_fault(wireshark, judged, generated, fault):
    compare(wireshark, judged, generated(fault[1], f"--inject={fault[0]}"))
