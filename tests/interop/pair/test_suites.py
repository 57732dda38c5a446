# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux's NFS server and client through soft RoCE and siw: each case has the outcome of the table (../lab/expected/), each
failure there was verified, and iwarp-check finds the same in a capture of the link."""
import json
import subprocess

import pytest

import agree
import pair
import suites

import table  # of ../lab; pair.py adds its folder

RECORDED = [name for name in suites.ROLES if table.load(name)]
guests = [pytest.mark.all, pytest.mark.skipif(pair.why_not() is not None, reason=str(pair.why_not()))]


@pytest.mark.parametrize("name", [pytest.param(name, marks=guests) for name in RECORDED])
def test_outcomes(name, build):
    folder = build / "pair"
    folder.mkdir(exist_ok=True)
    role, expected = suites.ROLES[name], table.load(name)
    report = suites.test_role(build, role, folder, expected)
    assert report["tests"]
    assert list(suites.trouble(role, report, expected)) == []


@pytest.mark.parametrize("name", RECORDED)
def test_failures_are_verified(name):
    assert table.unverified(table.load(name)) == []


def test_every_role_has_a_table():
    assert RECORDED == list(suites.ROLES)


@pytest.mark.parametrize("name", RECORDED)
def test_no_case_is_left_out(name, build):
    """The table has every case of the suites for that role, but those that are known not to have been played yet."""
    role = suites.ROLES[name]
    lines = subprocess.run([build / "traffic-gen" / "iwarp-gen", "list", "tests"], capture_output=True, text=True, check=True).stdout
    rows = [line.split("\t") for line in lines.splitlines()]
    wanted = {row[0] for row in rows if row[1] in ("rpcrdma", "nfs") and row[2] in ("both", role.dut)}
    recorded = {case for case in table.load(name) if not case.endswith("/seen")}
    missing = table.not_recorded() & wanted
    assert recorded | missing == wanted and not recorded & missing


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
    (case("A-1", "passed"), shown(connections=0), False), (case("A-1", "inconclusive"), shown("A-1"), True)])
def test_disagreements(test, found, agrees):
    assert (list(agree.disagreements([test], {test["id"]: found}, "responder")) == []) == agrees


def test_reasons_are_of_failures():
    """No reason without a failure in some table that needs it."""
    failed = {(role.dut, case) for role in suites.ROLES.values() for case, row in table.load(role.name).items()
              if row["outcome"] == "failed"}
    assert agree.OPEN.keys() <= failed
    assert agree.TOLD.keys() <= {case for _, case in failed}


def test_what_is_seen_beside():
    tests = [case("A-1", "failed"), case("A-2", "passed")]
    found = agree.seen(tests, {"A-1": shown("A-1", "B-1"), "A-2": shown("B-1", "C-1")})
    assert [(test["id"], test["outcome"]) for test in found] == [("B-1/seen", "failed"), ("C-1/seen", "failed")]
    json.dumps(found)
