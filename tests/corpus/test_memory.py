# SPDX-License-Identifier: GPL-2.0-or-later
"""Memory that nobody else writes (--exclusive): a wrong result of an Atomic or a Read is found between any other messages,
and right results give no finding in any view."""
import pytest

from generated import findings, judge
from random_memory import Memory

CONVERSATIONS = 40
VIEWS = [None, "loss=0.02", "reorder=0.05", "capture-loss=0.005", "capture-loss=0.05"]
NOTES = {"DDP-3-08", "MPA-C.2.5-01", "RDMAPX-5-06"}


def play(gen, path, script, seed, net=None):
    run = gen("play", "script", f"--script={script}", f"--seed={seed}", *([f"--net={net}"] if net else []), "-o", path)
    assert run.returncode == 0, run.stderr
    return path


def found(build, paths):
    reports = judge(build, paths, counts=False, options=["--exclusive"])
    return {path.stem: [f for f in findings(reports[path.stem]) if f.rule not in NOTES] for path in paths}


def test_a_wrong_result_is_found(build, gen, tmp_path):
    paths = []
    for seed in range(CONVERSATIONS):
        memory = Memory(seed)
        memory.script()
        decided = memory.decided()
        if decided:
            script = memory.spoilt(memory.random.choice(decided))
            paths.append(play(gen, tmp_path / f"{seed}.pcapng", script, seed))
    assert len(paths) > CONVERSATIONS * 0.9
    wrong = {name: fs for name, fs in found(build, paths).items() if not any(f.severity != "note" for f in fs)}
    assert not wrong


@pytest.mark.parametrize("net", VIEWS)
def test_right_results_are_not_doubted(build, gen, tmp_path, net):
    paths = [play(gen, tmp_path / f"{seed}.pcapng", Memory(seed).script(), seed, net) for seed in range(CONVERSATIONS)]
    wrong = {name: fs for name, fs in found(build, paths).items() if fs}
    assert not wrong
