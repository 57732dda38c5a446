# SPDX-License-Identifier: GPL-2.0-or-later
"""Findings as expert items: one expert info for each rule, by which Wireshark groups; and filters for all of them."""
import re

import pytest

LAYERS = {"mpa": "mpa", "ddp": "rddp", "rdmap": "rdmap", "rpcrdma": "rpcrdma", "rpc": "rpcrdma", "nfs": "rpcrdma"}
ORDER = ["-2", "-o", "tcp.reassemble_out_of_order:TRUE"]
SEVERITIES = {"error": 0x800000, "warning": 0x600000, "note": 0x400000}


VAGUE = {"Violation of the standards", "Not as the standards recommend or state"}


def name_of(rule):
    return re.sub(r"[-.]", "_", rule.lower())


@pytest.fixture(scope="module")
def registered(wireshark):
    """{filter: title} of the fields of Wireshark that may be of a rule, or are titled as if they were of any"""
    return {row[2]: row[1] for row in wireshark.registered("fields") if row[0] == "F" and (".rule." in row[2] or row[1] in VAGUE)}


def test_each_rule_has_its_own(registered, root, catalogue):
    """The title has id and requirement: Wireshark's Expert Information uses it for its groups."""
    expected = {}
    for table in (root / "rules").glob("*.tsv"):
        ids = {line.split("\t")[0] for line in table.read_text(encoding="utf-8").splitlines()}
        for row in catalogue:
            if row["id"] in ids and row["judged"] == "yes":
                expected[f"{LAYERS[table.stem]}.rule.{name_of(row['id'])}"] = f"{row['id']}: {row['rule']}"
    shown = {name: title for name, title in registered.items() if re.match(r"(mpa|rddp|rdmap|rpcrdma)\.rule\.\w+_\w+_\d+$", name)}
    assert len(expected) > 600 and shown == expected


@pytest.mark.parametrize("capture", ["real/nfslong/nfs42-long-setxattr.pcap", "real/errors/op-read-bounds.pcap", "roce/nfs42-long-setxattr.pcap",
                                     "generated/mpa/MPA-4.1-05.pcapng"])
def test_filters_agree(wireshark, root, capture):
    """One filter for all layers, by layer, by severity, and by the rule's expert item: the same frames."""
    path = root / "captures" / capture
    layers = ("mpa", "rddp", "rdmap", "rpcrdma")

    def frames(text, *names):
        return wireshark.fields(path, names, *ORDER, "-Y", text)

    found = frames("iwarp.finding", "iwarp.finding", *(f"{layer}.rule" for layer in layers), "_ws.expert.message", "_ws.expert.severity")
    assert found == frames(" or ".join(f"{layer}.rule" for layer in layers), "iwarp.finding", *(f"{layer}.rule" for layer in layers),
                           "_ws.expert.message", "_ws.expert.severity")
    numbers = [frame["frame"] for frame in found]
    assert numbers == [frame["frame"] for frame in frames(" or ".join(f"{layer}.rule.{word}" for layer in layers for word in SEVERITIES))]
    for frame in found:
        assert sorted(frame["iwarp.finding"]) == sorted(rule for layer in layers for rule in frame[f"{layer}.rule"])
    for layer in layers:
        for rule in {rule for frame in found for rule in frame[f"{layer}.rule"]}:
            assert frames(f"{layer}.rule.{name_of(rule)}") == frames(f'iwarp.finding == "{rule}"') != []


def test_there_is_something_to_agree_on(wireshark, root):
    path = root / "captures" / "real" / "nfslong" / "nfs42-long-setxattr.pcap"
    assert len(wireshark.fields(path, [], *ORDER, "-Y", "iwarp.finding")) > 2


def test_no_group_says_only_that_something_is_wrong(registered):
    assert registered and not VAGUE & set(registered.values())
