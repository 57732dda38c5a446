# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-check's findings about DDP and RDMAP at a frame are in Wireshark, with the same rule, severity and text."""
import collections
import re

SHOWN = ["rddp.rule", "rdmap.rule", "_ws.expert.message", "_ws.expert.severity"]
SEVERITIES = {0x800000: "error", 0x600000: "warning", 0x400000: "note"}
ORDER = ["-2", "-o", "tcp.reassemble_out_of_order:TRUE"]
DECODE_AS = ["-d", "tcp.port==7174,mpa", "-d", "tcp.port==20049,mpa"]  # if no start-up frame identifies MPA for the heuristic
# Cases in which Wireshark shows less of the stream; see test_captures.py. Octets are missing right after the SYNs,
# which only ACKs without payload show: the TCP dissector waits for them. Only the end, which the plugin does not
# see, shows that an answer never came: for the plugin the next one is out of order.
BLIND = ["fault DDP-4.3-14", "fault RDMAP-4.1-24", "fault RDMAP-5.2.1-14/skipped", "fault RDMAPX-5.2.1-26/skipped"]
TEXT = 150  # Wireshark cuts longer texts
LAYERS = re.compile(r"(?:DDP|RDMAPX?|SEC)-[0-9A-Z.]+-[0-9]+")


def alone(root):
    """Rules whose findings the plugin may miss: a table of docs/plugin-rules.md."""
    text = (root / "docs" / "plugin-rules.md").read_text(encoding="utf-8").split("checker alone")[1]
    return {line.split("|")[1].strip() for line in text.splitlines() if LAYERS.match(line[2:])}


def findings_of_checker(connections):
    return collections.Counter((finding["frame"], finding["rule"], finding["severity"], finding["message"][:TEXT])
                               for one in connections for finding in one["findings"]
                               if LAYERS.match(finding["rule"]))


def findings_of_plugin(frames):
    found = collections.Counter()
    for frame in frames:
        here = []
        for text, severity in zip(frame["_ws.expert.message"], frame["_ws.expert.severity"]):
            match = LAYERS.match(text)
            if match:
                found[frame["frame"], match[0], SEVERITIES[int(severity)], text[match.end() + 2:][:TEXT]] += 1
                here.append(match[0])
        assert sorted(here) == sorted(frame["rddp.rule"] + frame["rdmap.rule"])
    return found


def test_case(everything, check, root, case):
    said = findings_of_checker(everything.connections(case, check))
    if case in BLIND:
        return
    frames = everything.fields(case, SHOWN, *ORDER, "-Y", "rddp || rdmap")
    if not frames and said:
        frames = everything.fields(case, SHOWN, *ORDER, *DECODE_AS, "-Y", "rddp || rdmap")
    shown = findings_of_plugin(frames)
    exempt = alone(root)
    assert not {finding for finding in said - shown if finding[1] not in exempt}
    assert not shown - said


def test_findings_are_shown(everything, check):
    """The test above is not empty: nearly all findings are shown."""
    said = sum(sum(findings_of_checker(everything.connections(case, check)).values()) for case in everything.paths)
    shown = sum(sum(findings_of_plugin(everything.fields(case, SHOWN, *ORDER, "-Y", "rddp || rdmap")).values())
                for case in everything.paths)
    assert shown > 0.6 * said > 60


def test_long_findings_end_with_a_word(wireshark, generated):
    """Wireshark would show them after "[truncated]"."""
    path = generated("rdmap", "--inject=RDMAP-4.8-02")
    text = wireshark.tshark(path, *ORDER, "-O", "rdmap", "-Y", "rdmap.rule")
    assert re.search(r"RDMAP-4\.8-02: .* \.\.\.\]?$", text, re.M) and "[truncated]" not in text
