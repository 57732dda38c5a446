# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen simulate --adversary: packets that no receiver accepts change no verdict, but for the conversations in
adversary.tsv."""
import csv
import os
import pathlib
import re

import pytest

from test_simulate import simulate  # pylint: disable=unused-import; a fixture

COUNT = int(os.environ.get("IWARP_ADVERSARY_COUNT", "5000"))
SEED = int(os.environ.get("IWARP_SIMULATE_SEED", "1"))
ADVERSARIES = ["outsider", "blind", "initiator", "responder"]


def still_open(who):
    """Seeds of conversations in which the adversary still changes the verdict."""
    with pathlib.Path(__file__).with_name("adversary.tsv").open(encoding="utf-8", newline="") as file:
        return {int(row["seed"]) for row in csv.DictReader(file, delimiter="\t") if row["adversary"] == who}


@pytest.mark.parametrize("who", ADVERSARIES)
def test_verdicts_stay(simulate, who):  # pylint: disable=redefined-outer-name
    run = simulate(f"--adversary={who}", f"--count={COUNT}", f"--seed={SEED}", "--failures=100")
    forged = int(re.search(r"(\d+) captures with forged packets", run.stdout)[1])
    wrong = {int(seed) for seed in re.findall(r"^seed (\d+): ", run.stdout, re.M)}
    assert forged > COUNT * 0.9 and len(wrong) == int(re.search(r"(\d+) wrong", run.stdout)[1])
    assert wrong <= still_open(who), run.stdout


def test_reduced_to_the_forged_packet(simulate, tmp_path):  # pylint: disable=redefined-outer-name
    run = simulate("--adversary=outsider", "--seed=13", "--count=1", "--verbose", "-w", tmp_path / "forged.pcapng")
    assert re.search(r"  after frame \d+: frame \d+ with ", run.stdout), run.stdout
    assert (tmp_path / "forged.pcapng").stat().st_size > 200


def test_unknown_adversary(simulate):  # pylint: disable=redefined-outer-name
    run = simulate("--adversary=insider")
    assert run.returncode == 2 and "no adversary 'insider': outsider, blind, initiator or responder" in run.stderr
