# SPDX-License-Identifier: GPL-2.0-or-later
"""iwarp-gen simulate --adversary: packets that no receiver accepts change no verdict."""
import os
import re

import pytest

from test_simulate import simulate, sums  # pylint: disable=unused-import; a fixture

COUNT = int(os.environ.get("IWARP_ADVERSARY_COUNT", "5000"))
SEED = int(os.environ.get("IWARP_SIMULATE_SEED", "1"))
ADVERSARIES = ["outsider", "blind", "initiator", "responder"]


@pytest.mark.parametrize("who", ADVERSARIES)
def test_verdicts_stay(simulate, who):  # pylint: disable=redefined-outer-name
    run = simulate(f"--adversary={who}", f"--count={COUNT}", f"--seed={SEED}", "--reduce")
    assert run.returncode == 0, run.stdout + run.stderr
    forged = int(re.search(r"(\d+) captures with forged packets", run.stdout)[1])
    assert forged > COUNT * 0.9 and sums(run)["wrong"] == 0


def test_reduced_to_the_forged_packet(simulate, tmp_path):  # pylint: disable=redefined-outer-name
    run = simulate("--adversary=outsider", "--seed=13", "--count=1", "--verbose", "-w", tmp_path / "forged.pcapng")
    assert re.search(r"  after frame \d+: frame \d+ with ", run.stdout), run.stdout
    assert (tmp_path / "forged.pcapng").stat().st_size > 200


def test_unknown_adversary(simulate):  # pylint: disable=redefined-outer-name
    run = simulate("--adversary=insider")
    assert run.returncode == 2 and "no adversary 'insider': outsider, blind, initiator or responder" in run.stderr
