# SPDX-License-Identifier: GPL-2.0-or-later
"""Judging switched off by the preference iwarp.check: no findings, and otherwise the same dissection."""
import re

import pytest

OFF = ["-o", "iwarp.check:FALSE"]
ORDER = ["-2", "-o", "tcp.reassemble_out_of_order:TRUE"]
# The items that findings add to the details of a frame.
FOUND = re.compile(r"^\s*\[(Rule|See also|Finding): |\[Expert Info \(\w+/Protocol\): [A-Z0-9]+-[\d.A-Z]+-\d+: "
                   r"|^\s*\[[A-Z0-9]+-[\d.A-Z]+-\d+: |^\s*\[(Severity level: .*|Group: Protocol)\]$")

CASES = [["marker-walk", "--inject=MPA-4.3-09"], ["rev1", "--inject=MPA-4.4-12"], ["rdmap", "--inject=RDMAP-4.8-03"],
         ["rpcrdma", "--inject=RPCR-4.2.1-01"], ["nfs41", "--inject=RPCR-3.4.6-09"], ["operations", "--count=30"], ["stack-nfs42"],
         ["nfs42", "--transport=roce"], ["rpcrdma", "--inject=RPCR-3.3.1-01", "--transport=roce"]]


def details(wireshark, path, *options):
    # Another severity and group may belong to another expert item: only those after a finding go.
    shown, after = [], False
    for line in wireshark.tshark(path, *ORDER, *options, "-V").split("\n"):
        generic = re.match(r"^\s*\[(Severity level|Group): ", line)
        after = after if generic else bool(FOUND.search(line))
        if not after:
            shown.append(line)
    return shown


@pytest.mark.parametrize("arguments", CASES, ids=" ".join)
def test_nothing_is_judged_and_the_same_is_dissected(wireshark, generated, arguments):
    path = generated(*arguments)
    judged = wireshark.fields(path, ["iwarp.finding"], *ORDER, "-Y", "iwarp.finding")
    assert bool(judged) == any("inject" in argument for argument in arguments)
    assert wireshark.fields(path, ["iwarp.finding"], *ORDER, *OFF, "-Y", "iwarp.finding") == []
    assert details(wireshark, path, *OFF) == details(wireshark, path)


def test_preference_is_named_in_plain_words(wireshark):
    preferences = wireshark.run("tshark", "-G", "defaultprefs").stdout
    assert re.search(r"#iwarp\.check: TRUE", preferences)
