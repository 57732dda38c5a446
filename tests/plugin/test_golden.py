# SPDX-License-Identifier: GPL-2.0-or-later
"""The trees as a reader sees them: golden/TESTLIST names the cases, golden/NAME.txt holds the trees of MPA, or of
RPC-over-RDMA if the name begins with that.

IWARP_UPDATE=1 rewrites them; review the difference before committing."""
import os
import pathlib
import re

import pytest

import cases
import versions

GOLDEN = pathlib.Path(__file__).with_name("golden")
CASES = [re.split(r" {2,}", line.strip()) for line in (GOLDEN / "TESTLIST").read_text(encoding="utf-8").splitlines()
         if line and not line.startswith("#")]


def trees(text, title):
    """Frame numbers and the trees of one protocol; other protocols' change with Wireshark's version."""
    kept, ours = [], False
    for line in text.splitlines():
        frame = re.match(r"Frame (\d+): ", line)
        if frame:
            kept.append(f"Frame {frame[1]}")
        if line and not line.startswith(" "):
            ours = line.startswith(title)
        if ours and line:
            kept.append(line)
    return "\n".join(kept) + "\n"


def captured(name):
    known = cases.real()
    return known[name][0] if name in known else cases.ROOT / "captures" / name


@pytest.mark.parametrize("name, play, frames", CASES, ids=[case[0] for case in CASES])
def test_golden(wireshark, generated, name, play, frames):
    path = captured(play) if play.endswith(".pcap") else generated(*play.split())
    upper = name.startswith("rpcrdma")
    text = wireshark.tshark(path, "-2", "-V", "-O", "rpcrdma" if upper else "mpa", "-Y", frames)
    found = trees(text, "RPC-over-RDMA" if upper else "Marker PDU Aligned Framing")
    golden = GOLDEN / f"{name}.txt"
    if "IWARP_UPDATE" in os.environ:
        golden.write_text(found, encoding="utf-8")
    expected = golden.read_text(encoding="utf-8")
    assert found == expected if versions.release() == (4, 0) else versions.tree(found) == versions.tree(expected)
