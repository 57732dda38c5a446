# SPDX-License-Identifier: GPL-2.0-or-later
"""Every capture: all FPDUs found, none malformed, the same verdict as iwarp-check, frame by frame."""
import collections
import pathlib

ONCE = ["mpa.ulpdu_length", "mpa.crc.status", "mpa.fpdu.number", "mpa.rule", "mpa.rule.error", "mpa.rule.warning",
        "mpa.rule.note", "_ws.malformed"]
EXACT = ["-2", "-o", "tcp.reassemble_out_of_order:TRUE"]


def alone():
    """Rules that only iwarp-check can judge, with the reason."""
    table = pathlib.Path(__file__).with_name("checker-alone.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return {line.split("\t")[0] for line in table}


def findings_of_checker(connections):
    return collections.Counter((finding["frame"], finding["rule"], finding["message"]) for one in connections
                               for finding in one["findings"])


def findings_of_plugin(frames):
    found = collections.Counter()
    for frame in frames:
        for text in frame["mpa.rule.error"] + frame["mpa.rule.warning"] + frame["mpa.rule.note"]:
            rule, message = text.split(": ", 1)
            found[frame["frame"], rule, message] += 1
        ids = frame["mpa.rule"]
        assert collections.Counter(ids) == collections.Counter(
            text.split(":")[0] for text in frame["mpa.rule.error"] + frame["mpa.rule.warning"] + frame["mpa.rule.note"])
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


def test_scenarios(wireshark, judged, generated, listed):
    for row in listed("scenarios"):
        options = ["--size=300k"] if row[0] == "bulk" else []
        compare(wireshark, judged, generated(row[0], *options))


def test_faults(wireshark, judged, generated, listed):
    wrong = []
    for fault, scenario, *_ in listed("faults"):
        try:
            compare(wireshark, judged, generated(scenario, f"--inject={fault}"))
        except AssertionError as error:
            wrong.append(f"{fault}: {error}")
    assert not wrong, "\n".join(wrong)
