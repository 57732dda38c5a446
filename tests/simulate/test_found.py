# SPDX-License-Identifier: GPL-2.0-or-later
"""Conversations that iwarp-gen simulate found to be judged wrongly, each reduced. In found.tsv `rule` is the rule that accused somebody
who conforms, `play` the words after `iwarp-gen play script`, `snap` the captured octets of each packet, and `lacks` frames that are
not captured."""
import csv
import pathlib
import shlex
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
sys.path.append(str(HERE.parent / "loss"))
import losses  # noqa: E402

with (HERE / "found.tsv").open(encoding="utf-8") as file:
    FOUND = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


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
