# SPDX-License-Identifier: GPL-2.0-or-later
"""Every capture: all FPDUs found, none malformed, the same verdict as from iwarp-check, frame by frame."""
import collections
import re

from cases import malformed

ONCE = ["mpa.ulpdu_length", "mpa.crc.status", "mpa.fpdu.number", "mpa.rule", "_ws.expert.message", "_ws.expert.severity",
        "_ws.malformed"]
SEVERITIES = {0x800000: "error", 0x600000: "warning", 0x400000: "note"}
ORDER = ["-2", "-o", "tcp.reassemble_out_of_order:TRUE"]
DECODE_AS = ["-d", "tcp.port==7174,mpa", "-d", "tcp.port==20049,mpa"]  # if no start-up frame identifies MPA for the heuristic
UNANALYSED = ["-2", "-o", "tcp.analyze_sequence_numbers:FALSE"]
# Known cases in which Wireshark shows less, or something else; see docs/plugin-rules.md.
BLIND = {
    "scenario capture-loss": [ORDER],        # the TCP dissector waits for lost octets until the end
    "scenario midstream": [ORDER],           # the same: the SYNs are there, then octets are missing
    "scenario midstream-markers": [ORDER],
    "scenario midstream-no-crc": [ORDER],
    # Octets are missing right after the SYNs, and only ACKs without payload show it.
    "scenario msn-wrap": [ORDER, UNANALYSED],
    "scenario late": [ORDER, UNANALYSED],
    "fault DDP-4.3-14": [ORDER, UNANALYSED],
    "fault RDMAP-4.1-24": [ORDER, UNANALYSED],
    "fault MPA-7.1.5-04": [UNANALYSED],      # the Request's own octets come out of order
}
for _name in ("rpcrdma-late", "rpcrdma-late-reply", "rpcrdma-hole"):
    BLIND["scenario " + _name] = [ORDER, UNANALYSED]
TEXT = 150  # Wireshark cuts longer texts


def alone(root):
    """Rules whose findings the plugin may miss, and its alternatives: the last table of docs/plugin-rules.md."""
    text = (root / "docs" / "plugin-rules.md").read_text(encoding="utf-8").split("checker alone")[1]
    rows = [[cell.strip() for cell in line.split("|")] for line in text.splitlines() if line.startswith("| MPA")]
    return {row[1]: row[2] for row in rows}


def findings_of_checker(connections):
    return collections.Counter((finding["frame"], finding["rule"], finding["severity"], finding["message"][:TEXT])
                               for one in connections for finding in one["findings"]
                               if finding["rule"].startswith("MPA"))


def findings_of_plugin(frames):
    found = collections.Counter()
    for frame in frames:
        here = []
        for text, severity in zip(frame["_ws.expert.message"], frame["_ws.expert.severity"]):
            if re.match(r"MPA2?-[0-9A-Z.]+-[0-9]+: ", text):
                rule, message = text.split(": ", 1)
                found[frame["frame"], rule, SEVERITIES[int(severity)], message[:TEXT]] += 1
                here.append(rule)
        assert sorted(here) == sorted(frame["mpa.rule"])
    return found


def test_case(everything, check, root, case):
    connections = everything.connections(case, check)
    said = findings_of_checker(connections)
    for mode in (ORDER, UNANALYSED):
        if mode in BLIND.get(case, []):
            continue
        frames = everything.fields(case, ONCE, *mode, "-Y", "mpa")
        if not frames and connections:
            frames = everything.fields(case, ONCE, *mode, *DECODE_AS, "-Y", "mpa")
        assert not malformed(case, frames)
        fpdus = sum(len(frame["mpa.ulpdu_length"]) for frame in frames)
        assert all(len(frame["mpa.crc.status"]) == len(frame["mpa.ulpdu_length"]) for frame in frames)
        assert fpdus == sum(sum(one["counts"]["fpdus"]) for one in connections)
        assert everything.fpdus.get(case) in (None, fpdus)
        shown = findings_of_plugin(frames)
        missing, extra = said - shown, shown - said
        exempt = alone(root)
        assert not {finding for finding in missing if finding[1] not in exempt}
        instead = {(finding[0], exempt[finding[1]]) for finding in missing}
        assert not {finding for finding in extra if finding[:2] not in instead}


def test_findings_are_shown(everything, check):
    """The test above is not empty: nearly all findings are shown."""
    said = sum(sum(findings_of_checker(everything.connections(case, check)).values()) for case in everything.paths)
    shown = sum(sum(findings_of_plugin(everything.fields(case, ONCE, *ORDER, "-Y", "mpa")).values())
                for case in everything.paths)
    assert shown > 0.6 * said > 60
