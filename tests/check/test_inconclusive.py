# SPDX-License-Identifier: GPL-2.0-or-later
"""Why rules are inconclusive, for all conforming and real captures, in one golden file: a line for each capture and reason. Every change
to it is reviewed; to rewrite it: python3 tests/check/test_inconclusive.py"""
import collections
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from reports import read_report, validate

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "check" / "inconclusive.tsv"
FOLDERS = [ROOT / "captures" / name for name in ("generated/conforming", "real", "roce", "ulp")]
LATE = ROOT / "captures" / "generated" / "conforming" / "rpcrdma-late.pcapng"
MISSING = {"hole", "late start"}


def captures():
    return sorted(path for folder in FOLDERS for path in folder.rglob("*.pcap*"))


def report_of(program, path):
    lines = subprocess.run([program, "--format=ndjson", path.relative_to(ROOT)], cwd=ROOT, check=False, capture_output=True, text=True).stdout
    return [json.loads(line) for line in lines.splitlines()]


def complete(line):
    """From its start to its end without a hole."""
    return line["mpa" if line["transport"] == "iwarp" else "ib"]["complete"]


def doubts(lines, kind):
    return [(line, rule, counts["why"]) for line in lines if line["type"] == kind
            for rule, counts in line["rules"].items() if counts["inconclusive"]]


def reasons(program):
    """Lines of the golden file, and what should not be: (capture, connection, rule, reason)."""
    rows, wrong = [], []
    for path in captures():
        lines, by_reason = report_of(program, path), collections.defaultdict(list)
        for _, rule, why in doubts(lines, "capture"):
            by_reason[why["reason"]].append(rule)
        rows += ["\t".join((str(path.relative_to(ROOT / "captures")), reason, " ".join(rules))) for reason, rules in sorted(by_reason.items())]
        wrong += [(path.name, line["id"], rule, why) for line, rule, why in doubts(lines, "connection")
                  if complete(line) and why["reason"] in MISSING]
    return rows, wrong


@pytest.fixture(scope="module")
def found(build):
    return reasons(build / "conformance" / "iwarp-check")


def test_golden(found):
    changes = list(difflib.unified_diff(GOLDEN.read_text(encoding="utf-8").splitlines(), found[0], GOLDEN.name, "found", lineterm="", n=0))
    assert not changes, "\n".join(changes)


def test_nothing_is_missing_in_complete_connections(found):
    assert not found[1]


@pytest.mark.parametrize("first_name, then", [("midstream.pcapng", LATE.name), (LATE.name, "midstream.pcapng")])
def test_the_first_of_all_connections(check, tmp_path, first_name, then):
    """The sums have the reason with the lowest frame, in any order of the connections."""
    path = tmp_path / "two.pcapng"
    path.write_bytes((LATE.parent / first_name).read_bytes() + (LATE.parent / then).read_bytes())
    lines = [json.loads(line) for line in check("--format=ndjson", path).stdout.splitlines()]
    assert len([line for line in lines if line["type"] == "connection" and line["rules"]]) == 2
    first = {}
    for _, rule, why in doubts(lines, "connection"):
        first[rule] = min(first.get(rule, why), why, key=lambda one: one["frame"])
    assert first and first == {rule: why for _, rule, why in doubts(lines, "capture")}


def sentences(text):
    block = text.split("\nnot always decided:\n")[1].split("\n\n")[0]
    return {rule: (int(n), why) for rule, n, why in (re.match(r" *(\S+) +(\d+)  inconclusive: (.*)", line).groups() for line in block.splitlines())}


def test_words(check, schema):
    """The text report, HTML and JUnit say in words what NDJSON says for programs."""
    report = read_report(check("--format=ndjson", LATE).stdout)
    validate(report, schema)
    text = sentences(check("--verbose", LATE).stdout)
    counts = {rule: counts for rule, counts in report["captures"][0]["rules"].items() if counts["inconclusive"]}
    assert counts and {rule: n for rule, (n, _) in text.items()} == {rule: n["inconclusive"] for rule, n in counts.items()}
    html, as_junit = check("--format=html", LATE).stdout, check("--format=junit", "--verbose", LATE).stdout
    for rule, (_, why) in text.items():
        assert why.endswith(f" {counts[rule]['why']['frame']}")
        assert (counts[rule]["why"]["reason"] == "late start") == why.startswith("the capture lacks the beginning of the connection before frame ")
        assert f'<p class="more">inconclusive: {why}</p>' in html
        assert counts[rule]["passed"] or f"inconclusive: {why}" in as_junit


def test_merge(check, tmp_path, good):
    """A merged report keeps the reasons; a report of several captures names the capture."""
    both = check("--format=ndjson", "--counts=connection", good, LATE).stdout
    (tmp_path / "a.json").write_text(both, encoding="utf-8")
    merged = check("merge", tmp_path / "a.json").stdout
    assert [capture["rules"] for capture in read_report(merged)["captures"]] == [capture["rules"] for capture in read_report(both)["captures"]]
    html = check("merge", "--format=html", tmp_path / "a.json").stdout
    for _, why in sentences(check("--verbose", good, LATE).stdout).values():
        assert why.endswith(f" of {LATE}") and f'<p class="more">inconclusive: {why}</p>' in html


if __name__ == "__main__":
    BUILD = pathlib.Path(os.environ.get("IWARP_BUILD", ROOT / "build" / "release"))
    rows_found, wrong_found = reasons(BUILD / "conformance" / "iwarp-check")
    GOLDEN.write_text("\n".join(rows_found) + "\n", encoding="utf-8")
    sys.exit("\n".join(map(str, wrong_found)))
