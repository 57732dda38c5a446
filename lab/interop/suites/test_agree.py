# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests when a report and a capture of its run agree."""
import json

import pytest

import agree
import roles
import table


def case(name, outcome, **more):
    return {"id": name, "rule": name.split("/")[0], "aliases": [], "outcome": outcome, "actual": "", "suite": "rpcrdma",
            "ports": [1], **more}


def shown(*failed, connections=1):
    return {"failed": {rule: "found" for rule in failed}, "passed": [], "connections": connections}


@pytest.mark.parametrize("test,found,agrees", [
    (case("A-1", "passed"), shown(), True), (case("A-1", "passed"), shown("B-1"), True), (case("A-1", "passed"), shown("A-1"), False),
    (case("A-1/x", "passed", aliases=["B-1"]), shown("B-1"), False), (case("A-1", "failed"), shown("A-1"), True),
    (case("A-1", "failed"), shown("B-1"), False), (case("A-1", "failed", aliases=["B-1"]), shown("B-1"), True),
    (case("A-1", "failed"), shown(), False), (case("NFSULB-6.4.2-07", "failed"), shown("RPCR-4.5.4-03"), True),
    (case("A-1", "passed"), shown(connections=0), False), (case("A-1", "inconclusive"), shown("A-1"), True),
    (case("NFSULB-5.1-01", "passed"), shown(connections=0), True)])
def test_disagreements(test, found, agrees):
    assert (list(agree.disagreements([test], {test["id"]: found}, "responder")) == []) == agrees


def test_reasons_are_of_failures():
    """For each reason, some table has a failure that needs the reason."""
    failed = {(role.side, case) for role in roles.ROLES.values() for case, row in table.load(role.name).items()
              if table.may_fail(row)}
    assert agree.OPEN.keys() <= failed
    assert agree.TOLD.keys() <= {case for _, case in failed}


def test_what_is_seen_beside():
    tests = [case("A-1", "failed"), case("A-2", "passed")]
    found = agree.seen(tests, {"A-1": shown("A-1", "B-1"), "A-2": shown("B-1", "C-1")})
    assert [(test["id"], test["outcome"]) for test in found] == [("B-1/seen", "failed"), ("C-1/seen", "failed")]
    json.dumps(found)
