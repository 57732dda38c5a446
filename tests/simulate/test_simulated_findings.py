# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversations that iwarp-gen simulate found to be judged wrongly, each reduced. In found.tsv `rule` is the rule that accused somebody
who conforms, `play` the words after `iwarp-gen play script`, `snap` the captured octets of each packet, and `lacks` frames that are
not captured.

captured.tsv: conversations that need the place of each packet, as captures in captured.tar.zst. `named` says whether the rule is broken in them. Each was
written by `iwarp-gen simulate --seed=N --count=1 -w`, or by `play` if it is a complete capture, with the seed in its name, when the
checker or the model was wrong about it. `scripts/archive add` puts another one into the archive."""
import csv
import json
import pathlib
import shlex
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "loss"))
import losses  # noqa: E402


def table(name):
    with (HERE / name).open(encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE))


FOUND = table("found.tsv")
CAPTURED = table("captured.tsv")


def places(text):
    """"3 5-7" as places from 0."""
    for part in text.split():
        first, _, last = part.partition("-")
        yield from range(int(first) - 1, int(last or first))


@pytest.mark.parametrize("row", FOUND, ids=lambda row: row["what"])
def test_nobody_is_accused(build, check, tmp_path, row):
    path = tmp_path / "found.pcap"
    subprocess.run([build / "traffic-gen" / "iwarp-gen", "play", "script", *shlex.split(row["play"]), f"--snaplen={row['snap'] or 0}",
                    "--pcap", "-o", path], check=True)
    losses.save(path, losses.without(losses.load(path).records, places(row["lacks"])))
    run = check("--summary", "--fail-on=warning", path)
    assert run.returncode == 0, check(path).stdout


@pytest.fixture(scope="module")
def captured(root, tmp_path_factory):
    folder = tmp_path_factory.mktemp("captured")
    subprocess.run([root / "scripts" / "archive", "unpack", HERE / "captured.tar.zst", folder], check=True)
    return folder


def test_the_table_has_each_capture(captured):
    assert {row["capture"] for row in CAPTURED} == {path.name for path in captured.iterdir()}


@pytest.mark.parametrize("row", CAPTURED, ids=lambda row: row["capture"].removesuffix(".pcapng"))
def test_the_rule_is_named_if_it_is_broken(check, captured, row):
    run = check("--format=ndjson", "--max-findings=0", captured / row["capture"])
    assert '"connection"' in run.stdout, (run.stdout, run.stderr)
    named = {finding["rule"] for line in run.stdout.splitlines() for finding in json.loads(line).get("findings", [])
             if isinstance(finding, dict) and finding["severity"] != "note"} if run.stdout else set()
    assert (row["rule"] in named) == (row["named"] == "yes"), f"{row['what']}: {sorted(named)}"
