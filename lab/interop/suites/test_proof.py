# SPDX-License-Identifier: GPL-2.0-or-later
"""Linux in every role, all suites: each case has the table's outcome (expected/), each failure was verified, and over an RDMA device iwarp-check finds the
same in a capture of the link. A role without a table fails."""
import dataclasses
import json

import pytest

import guest as lab
import proof
import results
import roles
import table

guests = [pytest.mark.all, pytest.mark.skipif(lab.why_not() is not None, reason=str(lab.why_not()))]


@pytest.mark.parametrize("name", [pytest.param(name, marks=guests) for name in roles.ROLES])
def test_outcomes(name, build):
    folder = build / "lab"
    folder.mkdir(exist_ok=True)
    role, expected = roles.ROLES[name], table.load(name)
    report = proof.test_role(build, role, folder, expected)
    assert report["tests"]
    assert list(proof.trouble(role, report, expected)) == []


@pytest.mark.parametrize("name", roles.ROLES)
def test_failures_are_verified(name):
    expected = table.load(name)
    assert expected, "no table"
    assert table.unverified(expected) == []


def test_no_case_is_left_out(build):
    """Each table, or unrecorded.txt, has every case of the suites for its role; cases that need our own TCP are in the tables of roles that have one."""
    late = table.unrecorded()
    for name, role in roles.ROLES.items():
        rows = {case for case in table.load(name) if not case.endswith("/seen")}
        left = {case for of, case in late if of == name}
        assert not rows & left and rows | left == set(proof.wanted(build, role)), name
    assert table.own_tcp() <= {case for role in roles.BY_WIRE for case in table.load(role.name)}


def test_deviations_are_shown():
    """Each explanation has a failure."""
    names = [path.stem for path in table.FOLDER.glob("*.tsv") if path.stem != "deviations"]
    shown = {row["deviation"] for name in names for row in table.load(name).values()}
    assert set(table.deviations()) <= shown


def report_of(**outcomes):
    return {"tests": [{"id": case, "outcome": outcome, "actual": actual, "suite": "mpa", "observations": []} for case, (outcome, actual) in outcomes.items()]}


def test_differences():
    expected = table.rows(report_of(a=("passed", "FIN"), b=("failed", "code 2 in frame 7"), c=("inconclusive", "why")))
    same = report_of(a=("passed", "RST"), b=("failed", "code 2 in frame 9"), c=("inconclusive", "why"))
    assert table.differences(expected, table.rows(same)) == {}
    for other in [{"a": ("failed", "FIN")}, {"b": ("failed", "code 3 in frame 7")}, {"b": ("passed", "")},
                  {"c": ("inconclusive", "another reason")}, {"d": ("passed", "")}, {"a": ("unstable", "")}]:
        found = table.rows({"tests": same["tests"] + report_of(**other)["tests"]})
        assert list(table.differences(expected, found)) == list(other)
    assert list(table.differences(expected, {})) == ["a", "b", "c"]


def chance(name, outcome="failed 1/3 || passed", found="code 2 || "):
    return {name: {"case": name, "outcome": outcome, "found": found, "deviation": "known"}}


def test_alternatives():
    """Outcome and text belong to the same alternative."""
    either = chance("a", "failed 1/3 || failed || inconclusive", "code 2 || code 3 || why")
    runs = {"a": ["failed"]}
    for outcome, actual, same in (("failed", "code 2", True), ("failed", "code 3", True), ("inconclusive", "why", True), ("failed", "why", False),
                                  ("inconclusive", "code 2", False), ("passed", "", False), ("unstable", "code 2", False)):
        assert (table.differences(either, table.rows(report_of(a=(outcome, actual))), runs) == {}) == same
    with pytest.raises(ValueError, match="2 outcomes, 3 texts"):
        table.alternatives(chance("a", "failed 1/3 || passed", "1 || 2 || ")["a"])


def test_demand():
    """Random results have to appear at least as often as the table says."""
    either = chance("a")
    assert list(table.differences(either, table.rows(report_of(a=("passed", "FIN"))))) == ["a"]
    assert table.differences(either, table.rows(report_of(a=("failed", "code 2")))) == {}
    passed = table.rows(report_of(a=("passed", "FIN")))
    for runs, good in ((["passed"] * 3, False), (["passed", "failed", "passed"], True), (["passed", "unstable"], True)):
        assert (table.differences(either, passed, {"a": runs}) == {}) == good
    beside = chance("b/seen")
    assert list(table.differences(beside, {})) == ["b/seen"]
    assert table.differences(beside, {}, {"b/seen": ["passed", "failed"]}) == {}
    other = table.rows(report_of(**{"b/seen": ("failed", "other")}))
    assert list(table.differences(beside, other, {"b/seen": ["failed"]})) == ["b/seen"]


def test_death_is_demanded():
    """A single death makes the case inconclusive, but satisfies the row."""
    dies = chance("a", "died 1/3 || inconclusive || passed", f"{table.DIES} || {table.DIES} || ")
    died = {outcome: table.rows({"tests": [case("a", outcome) | {"death": "refuses"}]}) for outcome in ("died", "inconclusive", "failed")}
    assert table.differences(dies, died["died"]) == table.differences(dies, died["inconclusive"]) == {}
    assert list(table.differences(dies, died["failed"])) == ["a"]
    runs = {}
    for seen in (died["inconclusive"], table.rows({"tests": [case("a", "inconclusive")]})):
        table.count(runs, dies, seen, True)
    assert runs == {"a": ["died", "inconclusive"]}
    passed = table.rows({"tests": [case("a", "passed")]})
    assert table.differences(dies, passed, runs) == {} and list(table.differences(dies, passed, {"a": ["inconclusive"] * 3})) == ["a"]


@pytest.mark.parametrize("name", roles.ROLES)
def test_deaths_are_no_failures(name):
    """The suites report a case that kills the device as "died", never as "failed"."""
    for row in table.load(name).values():
        assert ("failed", table.DIES) not in table.alternatives(row), row


@pytest.mark.parametrize("name", roles.ROLES)
def test_several_outcomes_are_demanded(name):
    """A row with several outcomes could not fail: it says how often the first appears in the runs of proof.py."""
    for row in table.load(name).values():
        several = len({outcome for outcome, _ in table.alternatives(row)}) > 1
        wanted = table.demand(row)
        assert several == bool(wanted), row
        assert not wanted or 1 <= wanted[1] <= wanted[2] == proof.REPEATS + 1, row


class Bench:
    """Each run has the next of these reports."""

    def __init__(self, *reports):
        self.reports, self.shown, self.asked = list(reports), {}, []

    def again(self):
        pass

    def suites(self, _, cases=None):
        self.asked.append(cases)
        return self.reports.pop(0)


def repeated(expected, *reports):
    """Unexpected results after all runs, and the cases of each further run."""
    role = roles.ROLES["rping"]
    bench, report = Bench(*reports[1:]), reports[0]
    proof.repeat(bench, role, table.FOLDER, report, expected)
    return [line.split()[0] for line in proof.trouble(role, report, expected) if "not verified" not in line], bench.asked


def test_what_is_demanded_runs_again():
    failed, passed = (lambda: {"tests": [case("A-1", "failed") | {"actual": "code 2"}]}), (lambda: {"tests": [case("A-1", "passed")]})
    assert repeated(chance("A-1"), failed()) == ([], [])
    assert repeated(chance("A-1"), passed(), passed(), failed()) == ([], [["A-1"], ["A-1"]])
    assert repeated(chance("A-1"), passed(), passed(), passed()) == (["A-1"], [["A-1"], ["A-1"]])


def test_what_is_demanded_beside_cases_runs_again():
    """Any case may show them."""
    expected = table.rows({"tests": [case("A-1", "passed")]}) | chance("B-1/seen")
    plain = lambda: {"tests": [case("A-1", "passed")]}
    seen = lambda: {"tests": [case("A-1", "passed", "B-1: wrong"), case("B-1/seen", "failed", suite="seen") | {"actual": "code 2"}]}
    assert repeated(expected, seen()) == ([], [])
    assert repeated(expected, plain(), seen()) == ([], [None])
    assert repeated(expected, plain(), plain(), plain()) == (["B-1/seen"], [None, None])


def test_what_a_wire_decided_does_not_run_again():
    """Sockets cannot decide the case, and an open result would replace the verdict."""
    role, report = roles.ROLES["target"], {"tests": [case(name, "failed") for name in roles.ROLES["target"].over_tap]}
    bench, expected = Bench(), table.rows({"tests": [case(name, "passed") for name in role.over_tap]})
    proof.repeat(bench, role, table.FOLDER, report, expected)
    assert bench.asked == [] and len(list(proof.trouble(role, report, expected))) == len(role.over_tap)


def test_unverified(tmp_path, monkeypatch):
    monkeypatch.setattr(table, "FOLDER", tmp_path)
    (tmp_path / "deviations.tsv").write_text("key\ttitle\ttext\nknown\tT\tt\n", encoding="utf-8")
    table.save("x", table.rows(report_of(a=("failed", "1"), b=("failed", "2"), c=("inconclusive", ""))))
    rows = table.load("x")
    assert table.unverified(rows) == ["a", "b"]
    lines = (tmp_path / "x.tsv").read_text(encoding="utf-8").replace("a\tfailed\t1\t", "a\tfailed\t1\tknown")
    (tmp_path / "x.tsv").write_text(lines, encoding="utf-8")
    assert table.unverified(table.load("x")) == ["b"]
    table.save("x", table.rows(report_of(a=("failed", "1"))))  # recorded again: known data stays
    assert table.unverified(table.load("x")) == []


def case(name, outcome, *observations, suite="mpa"):
    return {"id": name, "rule": name.split("/")[0], "outcome": outcome, "actual": "", "suite": suite,
            "observations": list(observations)}


def test_what_is_odd_runs_again():
    """Also the cases that showed other findings; the repeated results count."""
    report = {"tests": [case("A-1", "inconclusive"), case("A-2", "passed", "B-1: wrong"), case("A-3", "passed"),
                        case("B-1/seen", "failed", suite="seen")]}
    expected = table.rows({"tests": [case("A-1", "passed"), case("A-2", "passed"), case("A-3", "passed")]})
    odd = proof.showing(report, table.differences(expected, table.rows(report)))
    assert odd == ["A-1", "A-2"]
    again = {"tests": [case("A-1", "passed"), case("A-2", "passed")]}
    tests = proof.merged(report, again, set(odd))
    assert table.differences(expected, table.rows({"tests": tests})) == {}
    again = {"tests": [case("A-1", "passed"), case("A-2", "passed", "B-1: wrong"), case("B-1/seen", "failed", suite="seen")]}
    tests = proof.merged(report, again, set(odd))
    assert list(table.differences(expected, table.rows({"tests": tests}))) == ["B-1/seen"]


def test_cases_over_tap_take_their_places(monkeypatch, tmp_path):
    """Cases left open by port forwarding get the results from a wire; all others stay."""
    class Wire:
        def __init__(self, role):
            self.role, self.closed = role, False

        def suites(self, out, cases):
            assert self.role.wire and out.parent == tmp_path and cases == ("A-1",)
            return {"tests": [case("A-1", "failed")]}

        def close(self):
            self.closed = True

    booted = []
    monkeypatch.setattr(proof.bench, "boot", lambda _, role: booted.append(Wire(role)) or booted[-1])
    report = {"tests": [case("A-1", "inconclusive"), case("A-2", "passed")]}
    role = dataclasses.replace(roles.ROLES["target"], over_tap=("A-1",))
    proof.decide_over_tap(None, role, tmp_path, report)
    assert [(test["id"], test["outcome"]) for test in report["tests"]] == [("A-1", "failed"), ("A-2", "passed")]
    assert [wire.closed for wire in booted] == [True]
    proof.decide_over_tap(None, dataclasses.replace(role, over_tap=()), tmp_path, report)
    proof.decide_over_tap(None, role, tmp_path, {"tests": [case("A-2", "passed")]})  # --new runs some cases alone
    assert len(booted) == 1


def test_new_cases_over_tap(monkeypatch, tmp_path):
    """The rows of new cases also come from the run over the TAP interface."""
    class Guest:
        def __init__(self, role):
            self.wire = role.wire

        def suites(self, _, cases):
            return {"tests": [case(name, "failed" if self.wire else "inconclusive") for name in cases]}

        def close(self):
            pass

    monkeypatch.setattr(table, "FOLDER", tmp_path)
    monkeypatch.setattr(proof.bench, "boot", lambda _, role: Guest(role))
    monkeypatch.setattr(proof, "wanted", lambda *_: ["A-1", "A-2"])
    assert proof.add_new(None, dataclasses.replace(roles.ROLES["target"], over_tap=("A-1",)), tmp_path)
    assert {name: row["outcome"] for name, row in table.load("target").items()} == {"A-1": "failed", "A-2": "inconclusive"}


def test_who_was_at_it_when_it_died_does_not_end_the_service():
    """Several cases ran, and each ran again alone: the one that kills has died then."""
    report = {"tests": [case("A-1", "died"), case("A-2", "passed")], "deaths": [{"tests": ["A-1", "A-2"]}]}
    words = " ".join(results.verdict([(roles.ROLES["rping"], report)]))
    assert "crash its kernel: A-1." in words


def test_pages_leave_out_what_is_not_asked(monkeypatch, tmp_path):
    """The cases of a role on sockets that need a TCP of our own."""
    monkeypatch.setattr(results, "RESULTS", tmp_path)
    monkeypatch.setattr(results, "PAGES", {"siw": lambda _, reports: [test["id"] for test in reports[0][1]["tests"]]})
    tests = [case("A-1", "passed"), case("A-2", "not applicable") | {"actual": "it needs a TCP of our own (--wire)"}]
    (tmp_path / "rping.json").write_text(json.dumps({"tests": tests}), encoding="utf-8")
    results.main(tmp_path)
    assert (tmp_path / "siw.md").read_text(encoding="utf-8") == "A-1\n"
