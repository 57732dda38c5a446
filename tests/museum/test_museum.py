# SPDX-License-Identifier: GPL-2.0-or-later
"""Errors that are public elsewhere: iwarp-check names each of them in its capture, and nothing in the same conversation without it."""
import re
import subprocess

import pytest

from museum import HERE, RULE, capture, exhibits, mended

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
