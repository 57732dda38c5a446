# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors that are public elsewhere: iwarp-check names each of them in its capture, and nothing in the same conversation without it."""
import json
import re
import subprocess

import pytest

from museum import HERE, KNOWN, RULE, capture, exhibits, meaning, mended

ROWS = exhibits()
NAMED = 0.95


def happened(lines):
    """The block of what happened, without the advice."""
    begin = next((i for i, line in enumerate(lines) if line.startswith("What happened")), len(lines))
    block = []
    for line in lines[begin + 1:]:
        if not line:
            break
        if not re.match(r"\s+next: ", line):
            block.append(line.strip())
    return block


def said(check, path):
    """(the rules of all findings, what happened)"""
    lines = check("--color=never", path).stdout.splitlines()
    return {found[1] for line in lines if (found := re.match(r"\s+([A-Z0-9]+-[A-Z0-9.]+-\d+), ", line))}, happened(lines)


@pytest.fixture
def play(build, tmp_path):
    def run(text):
        scenario, out = tmp_path / "one.scenario", tmp_path / "one.pcapng"
        scenario.write_text(text, encoding="utf-8")
        subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", scenario, "-o", out], check=True)
        return out
    return run


def text_of(row):
    return (HERE / f"{row['id']}.scenario").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_an_exhibit_is_named(check, play, row):
    rules, lines = said(check, capture(row) or play(text_of(row)))
    if row["named"] == "-":
        assert row["why"] != "-"
    elif RULE.match(row["named"]):
        assert row["named"] in rules
    else:
        assert any(row["named"] in line for line in lines), lines


def test_a_finding_says_what_is_known(check, play):
    """One line under the rule, and the finding of NDJSON; the verdict is the same."""
    of = {row["id"]: row for row in ROWS}
    for name in ("siw-read-overrun", "libevpl-no-credits"):
        row, path = of[name], play(text_of(of[name]))
        line = f"known: {meaning(row)} ({row['link']})"
        text = check("--color=never", path)
        assert text.returncode == 1 and text.stdout.count("known: ") == text.stdout.count(line) == 1
        findings = [finding for line in check("--format=ndjson", path).stdout.splitlines()
                    for finding in json.loads(line).get("findings", []) if isinstance(finding, dict)]
        assert {(finding["known"], finding["known_link"]) for finding in findings} == {(meaning(row), row["link"])}
        assert meaning(row) in check("--format=html", path).stdout


def test_each_known_error_is_recognised(check, play):
    missing = []
    for row in ROWS:
        if row["known"] != "-" and f"known: {meaning(row)} ({row['link']})" not in check(
                "--color=never", capture(row) or play(text_of(row))).stdout:
            missing.append(row["id"])
    assert not missing


def test_what_is_known_of_one_server_is_not_said_of_another(check, play, root):
    """File handles of Ganesha: the report names known errors of Ganesha, not of Linux's server."""
    row = next(row for row in ROWS if row["id"] == "svcrdma-pull-up")
    assert "known: breaks Linux (NFS server)" in check(play(text_of(row))).stdout
    captures = root / "lab" / "upstream" / "captures"
    text = check(captures / "ganesha-6.5-long-read.pcap").stdout
    assert row["named"] in text and "known: " not in text
    assert "known: resembles an error of NFS-Ganesha" in check(captures / "ganesha-6.5-getattr-illegal.pcap").stdout


def test_known_errors_are_waivers_with_links(check, play):
    path = play(text_of(next(row for row in ROWS if row["id"] == "libevpl-no-credits")))
    for file in KNOWN.glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        assert text.count("- id: ") == text.count("  link: https://")
        assert check(f"--waivers={file}", path).stderr == ""
    names = [line.split("\t")[0] for line in check("--list-waivers").stdout.splitlines()]
    assert not any("known" in name or "libevpl" in name for name in names)


PLAYED = [row for row in ROWS if not capture(row)]


@pytest.mark.parametrize("row", PLAYED, ids=[row["id"] for row in PLAYED])
def test_the_same_without_the_error_is_silent(check, play, row):
    text = text_of(row)
    assert mended(text) != text and "# wrong" not in mended(text)
    rules, lines = said(check, play(mended(text)))
    assert not rules and row["named"] not in " ".join(lines)


def test_most_are_named():
    assert len(ROWS) >= 30 and sum(row["named"] != "-" for row in ROWS) >= NAMED * len(ROWS)


def test_every_scenario_is_an_exhibit():
    assert {path.stem for path in HERE.glob("*.scenario")} == {row["id"] for row in PLAYED}
    assert all(re.fullmatch(r"20(1[6-9]|2\d)", row["year"]) and row["link"].startswith("https://") for row in ROWS)


def test_the_page_is_made_from_the_table():
    done = subprocess.run(["/usr/bin/python3", HERE / "museum.py", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
