# SPDX-License-Identifier: GPL-2.0-or-later
"""Random conforming conversations, complete and badly captured: no finding, and the report counts what the script
says.

IWARP_CONVERSATIONS is their number."""
import concurrent.futures
import os
import random

import pytest

from generated import NETS, findings, judge
from random_operations import Operations
from random_talk import Talk, calls_of

CONVERSATIONS = int(os.environ.get("IWARP_CONVERSATIONS", "400"))
CHUNK = 50  # conversations per call of iwarp-check
# Views of the conversation: disturbances, or gaps of the capture.
VIEWS = [f"--net={net}" for net in NETS] + ["--net=capture-loss=0.02", "--net=capture-loss=0.2", "--snaplen=90",
                                            "--snaplen=200", "late"]
# No CRC, and revision 0: choices that may give a note. A client that resets after a Reply may have other reasons.
NOTES = {"DDP-3-08", "MPA-C.2.5-01", "RDMAPX-5-06", "EXP-3.9-03"}


def of_nfs(seed):
    script = Talk(seed).script()
    return script, calls_of(script)


def of_rdmap(seed):
    operations = Operations(seed)
    return operations.script(), operations.counts


def late(script):
    first, rest = script.split("; ", 1)
    return f"{first} late msn=77; {rest}"


def calls_told(connection):
    calls = connection["rpcrdma"]["calls"] if "rpcrdma" in connection else []
    return {(c["name"], c["direction"]): [c["calls"], c["replies"]] for c in calls}


def play(build, gen, folder, make, seeds):
    """One text for each conversation with an error."""
    made = {}
    for seed in seeds:
        script, sent = make(seed)
        for view in (None, random.Random(seed).choice(VIEWS)):
            path = folder / f"{seed}-{'seen-badly' if view else 'whole'}.pcapng"
            command = ["play", "script", "--script=" + (late(script) if view == "late" else script), f"--seed={seed}",
                       *([view] if view and view != "late" else [])]
            run = gen(*command, "-o", path)
            assert run.returncode == 0, run.stderr
            made[path] = command, None if view else sent
    reports = judge(build, list(made), counts=False)
    wrong = []
    for path, (command, sent) in made.items():
        capture = reports[path.stem]
        path.unlink()
        found = [f for f in findings(capture) if f.rule not in NOTES and (sent or f.severity != "note")]
        text = [f"  frame {f.frame}: {f.severity} {f.rule}: {f.message}" for f in found]
        if sent:
            told = [calls_told(c) if make is of_nfs else c["counts"]["operations"] for c in capture["connections"]]
            if told != [dict(s) for s in sent]:
                text.append(f"  expected {[dict(s) for s in sent]}, found {told}")
        if text:
            wrong.append(f"iwarp-gen {' '.join(map(repr, command))}\n" + "\n".join(text))
    return wrong


@pytest.mark.parametrize("make", [of_rdmap, of_nfs])
def test_random_conversations(build, gen, tmp_path, make):
    parts = [range(i, min(i + CHUNK, CONVERSATIONS)) for i in range(0, CONVERSATIONS, CHUNK)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = sum(pool.map(lambda seeds: play(build, gen, tmp_path, make, seeds), parts), [])
    assert not wrong, f"{len(wrong)} of {2 * CONVERSATIONS}\n" + "\n".join(wrong)
