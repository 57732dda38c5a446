# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-check's findings about RPC-over-RDMA and NFS at a frame are in Wireshark, with the same rule and text."""
import collections
import re

SHOWN = ["rpcrdma.rule", "_ws.expert.message", "_ws.expert.severity"]
SEVERITIES = {0x800000: "error", 0x600000: "warning", 0x400000: "note"}
ORDER = ["-2", "-o", "tcp.reassemble_out_of_order:TRUE"]
# Cases in which Wireshark shows less of the stream; see test_captures.py.
TEXT = 150  # Wireshark cuts longer texts
# For the plugin a silence ends with the latest TCP segment, for the checker with the capture.
SECONDS = re.compile(r"within \d+ s\b")
RULE = re.compile(r"([A-Z0-9]+(?:-[0-9A-Z.]+)+): ")


def ids(root):
    """Rules of the two layers, from the catalogue."""
    found = set()
    for name in ("rpcrdma.tsv", "rpc.tsv", "nfs.tsv"):
        for line in (root / "rules" / name).read_text(encoding="utf-8").splitlines():
            found.add(line.split("\t")[0])
    return found


def alone(root):
    """Rules whose findings the plugin may miss: a table of docs/plugin-rules.md."""
    text = (root / "docs" / "plugin-rules.md").read_text(encoding="utf-8").split("checker alone")[1]
    return {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")}


def findings_of_checker(connections, rules):
    return collections.Counter((finding["frame"], finding["rule"], finding["severity"], SECONDS.sub("within N s", finding["message"])[:TEXT])
                               for one in connections for finding in one["findings"] if finding["rule"] in rules)


def findings_of_plugin(frames, rules):
    found = collections.Counter()
    for frame in frames:
        here = []
        for text, severity in zip(frame["_ws.expert.message"], frame["_ws.expert.severity"]):
            match = RULE.match(text)
            if match and match[1] in rules:
                found[frame["frame"], match[1], SEVERITIES[int(severity)], SECONDS.sub("within N s", text[match.end():])[:TEXT]] += 1
                here.append(match[1])
        assert sorted(here) == sorted(frame["rpcrdma.rule"])
    return found


def shown(everything, case):
    return everything.fields(case, SHOWN, *ORDER, "-Y", "rpcrdma")


def test_case(everything, check, root, case):
    rules = ids(root)
    said = findings_of_checker(everything.connections(case, check), rules)
    here = findings_of_plugin(shown(everything, case), rules)
    exempt = alone(root)
    assert not {finding for finding in said - here if finding[1] not in exempt}
    assert not here - said


def test_a_call_without_answer(wireshark, check, generated):
    """From docs/howto/mount-hangs.md: the server's later packets are enough proof, without a close, which is not visible."""
    path = generated("rpcrdma", "--inject=RPCR-4.5.4-03")
    assert "ACCESS of NFS3 was not answered for 40 s" in check(path).stdout
    frame, = wireshark.fields(path, ["rpcrdma.rule", "_ws.expert.message"], "-2", "-Y", "rpcrdma.rule")
    assert frame["frame"] == 8 and frame["rpcrdma.rule"] == ["RPCR-4.5.4-03"]
    assert "expected an answer within 30 s, or the connection closed; found that ACCESS of NFS3 was not answered for 40 s" in frame["_ws.expert.message"][0]


def test_findings_are_shown(everything, check, root):
    """The test above is not empty: nearly all findings are shown."""
    rules = ids(root)
    said = sum(sum(findings_of_checker(everything.connections(case, check), rules).values()) for case in everything.paths)
    seen = sum(sum(findings_of_plugin(shown(everything, case), rules).values()) for case in everything.paths)
    assert seen > 0.6 * said > 0
