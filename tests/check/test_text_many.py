# SPDX-License-Identifier: GPL-2.0-or-later
"""A text report of many findings: the violated rules come first, and repetitions are counted."""
import re

import pytest


@pytest.fixture(scope="module")
def many(root):
    return sorted((root / "captures" / "real").rglob("*.pcap"))


def test_rules_come_first(check, many):
    said = check("--allow-empty", *many).stdout
    parts = said.split("\n\n")
    assert parts[0].startswith("FAIL: ") and parts[1].startswith("What happened ") and parts[2].startswith("rule violated ")
    rows = [line.split() for line in parts[2].splitlines()[1:]]
    rank = [["error", "warning", "note"].index(row[1]) for row in rows]
    assert rank == sorted(rank) and len(rows) > 5
    found = {severity: int(n) for n, severity in re.findall(r"(\d+) (error|warning|note)s?", parts[0].splitlines()[0])}
    assert sum(int(row[2]) for row in rows) == sum(found.values())


def test_repeated_connections_are_counted(check, many):
    said = check("--allow-empty", *many).stdout
    left_out = sum(map(int, re.findall(r"^  \.\.\. and (\d+) connections? with the same findings as above", said, re.M)))
    everything = check("--allow-empty", "--verbose", *many).stdout
    shown = re.compile(r"^  connection \d+: .*: (?!no findings)", re.M)
    assert left_out > 10 and len(shown.findall(said)) + left_out == len(shown.findall(everything))
    for rule in {line.split()[0] for line in said.split("\n\n")[2].splitlines()[1:]}:
        assert 1 <= said.count(f"\n      {rule}, ") <= everything.count(f"\n      {rule}, ")
    assert "same findings as above" not in everything


def test_waived_ones_are_others(check, many):
    """A finding that is waived on some connections is shown on the others."""
    first = check("--waive=DDP-3-08", *many[:3]).stdout
    assert "waived" in first


def test_few_need_no_table(check, bad):
    assert "rule violated" not in check(bad).stdout


def test_a_request_that_was_never_answered(check, root, tmp_path):
    """The capture does not pass, and the report names the connection."""
    octets = (root / "captures" / "real" / "params" / "crc-rping.pcap").read_bytes()
    at, packets = 24, 0
    while packets < 5:  # up to the Request and its acknowledgement
        at += 16 + int.from_bytes(octets[at + 8:at + 12], "little")
        packets += 1
    path = tmp_path / "unanswered.pcap"
    path.write_bytes(octets[:at])
    result = check(path)
    assert result.returncode == 3 and result.stdout.count("the connection request was never answered: nothing further could be checked") == 1
    assert "never answered" in result.stdout.splitlines()[0]
    beside = check(path, root / "captures" / "real" / "params" / "crc-rping.pcap")
    assert beside.returncode == 3
    assert "the connection request was never" not in check(root / "captures" / "real" / "params" / "crc-rping.pcap").stdout
