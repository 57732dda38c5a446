# SPDX-License-Identifier: GPL-2.0-or-later
"""Retransmissions on RoCE are shown at the frame where iwarp-check reports them."""
import struct

import pytest

import captures
import roce_copies as copies
from test_infiniband import FINDING, FOLDER, MODES, found_by_checker, findings_in

SOURCES = {**dict.fromkeys(copies.WRONG, "whole"), **dict.fromkeys(copies.ATOMICS, "atomics")}


@pytest.fixture(scope="module")
def sources(generated):
    paths = {"whole": generated("rpcrdma-segments", "--transport=roce"), "atomics": FOLDER / "ib-atomic-FETCH_AND_ADD.pcap"}
    return {name: [(time, octets, n) for time, n, octets in captures.records(path)] for name, path in paths.items()}


def write(path, seen):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, 1))
        for time, octets, length in seen:
            file.write(struct.pack("<IIII", *divmod(time, 10**9), len(octets), length) + octets)
    return path


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", SOURCES)
def test_a_copy_that_differs(wireshark, check, sources, tmp_path, name, mode):
    opcodes, change, _, text = (copies.WRONG | copies.ATOMICS)[name]
    seen, _, copy = copies.wrong(sources[SOURCES[name]], opcodes, change)
    path = write(tmp_path / "seen.pcap", seen)
    expected = found_by_checker(check, path)
    assert [(frame, rule) for frame, rule, _, message in expected if text in message] == [(copy, copies.RULE)]
    # In one pass, packets before the first answer are shown before their connection is known.
    early = mode == "one pass" and opcodes == copies.ATOMIC
    assert findings_in(wireshark.fields(path, FINDING, *MODES[mode], "-Y", "rpcrdma.rule")) == ({} if early else expected)


@pytest.mark.parametrize("mode", MODES)
def test_copies_that_do_not(wireshark, sources, tmp_path, mode):
    path = write(tmp_path / "seen.pcap", copies.right(sources["whole"], copies.ALL, copies.RIGHT["Acknowledge Request"]))
    assert not wireshark.fields(path, FINDING, *MODES[mode], "-Y", f'rpcrdma.rule == "{copies.RULE}"')
