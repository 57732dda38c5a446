# SPDX-License-Identifier: GPL-2.0-or-later
"""Every rule about a reaction has a case, is decided by another rule's case, or has a reason why no case can decide it."""
import devices

SUITES = {"MPA": "mpa", "MPA2": "mpa2", "DDP": "ddp", "RDMAP": "rdmap", "RDMAPX": "rdmapx", "SEC": "rdmap",
          "RPCR": "rpcrdma", "RPCR0": "rpcrdma", "BIDI": "rpcrdma", "CMPD": "rpcrdma", "EXP": "rpcrdma",
          "RPC": "rpc", "NFSULB": "nfs", "NFS3": "nfs", "NFS4": "nfs"}


def test_every_reaction_is_tested(catalogue):
    tests = {row[0].split("/")[0] for row in devices.listed("tests")}
    untested = {row[0]: row for row in devices.listed("untested")}
    rows = {row["id"]: row for row in catalogue}

    def is_decided(rule, seen=()):
        if rule in tests or rule.split("-")[0] not in SUITES:
            return True
        if rule in untested:
            return untested[rule][2] != "-" or is_decided(untested[rule][1])
        row = rows[rule]
        return (row["judged"] in ("same", "with") or bool(row["with"])) and all(
            is_decided(other, (*seen, rule)) or rows[other]["observe"] != "reaction"
            for other in (row["with"] or [row["same"]]) if other not in seen)

    wanted = [row["id"] for row in catalogue if row["observe"] == "reaction" and row["severity"] in ("error", "warning")
              and row["id"].split("-")[0] in SUITES]
    assert len(wanted) > 100
    assert [rule for rule in wanted if not is_decided(rule)] == []


def test_no_excuse_for_what_is_tested():
    tests = {row[0].split("/")[0] for row in devices.listed("tests")}
    assert [row[0] for row in devices.listed("untested") if row[0] in tests] == []
