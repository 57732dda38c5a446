# SPDX-License-Identifier: GPL-2.0-or-later
"""A hole in a capture hides only what it could have contained: every fault is found after a hole, or hidden.tsv gives contents of
the hole that make it right; and no hole makes conforming traffic wrong. A sample by default, everything with IWARP_ALL.

In hidden.tsv `state` is hidden, or open: then no contents of the hole could explain the fault, and the checker should still find
it."""
import collections
import csv
import json
import os
import pathlib
import re
import subprocess

import pytest

import loss
import losses
import said

HERE = pathlib.Path(__file__).parent
ALL = os.environ.get("IWARP_ALL") == "1"
SHARE = 1.0 if ALL else 0.06
# Losses of several packets at once have to be requested.
ASKED = {"burst": ("warning",)}


# A pattern over several messages, which begins again after the hole.
PATTERNS = {"RPCR-3.3.1-06"}


@pytest.fixture(scope="module")
def check(build):
    return build / "conformance" / "iwarp-check"


@pytest.fixture(scope="module")
def gen(build):
    return build / "traffic-gen" / "iwarp-gen"


@pytest.fixture(scope="module")
def judged(check, gen, tmp_path_factory):
    return loss.judge(check, loss.make_faults(gen, tmp_path_factory.mktemp("faults"), SHARE))


def hidden():
    with (HERE / "hidden.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def reason(rows, miss):
    facts = {"rule": miss.rule, "fault": miss.made.fault, "kind": miss.made.kind, "transport": miss.made.transport}
    return next((row for row in rows if all(re.fullmatch(row[key], fact) for key, fact in facts.items())), None)


def text(miss):
    return f"{miss.made.kind} {miss.made.transport} {miss.made.fault}: {miss.rule} in frame {miss.frame}; found {miss.found}"


def test_what_is_not_found_could_have_been_in_the_hole(judged):
    every, missed, strayed, _ = judged
    print(*loss.table(every, missed, strayed), sep="\n")
    rows = hidden()
    states = collections.Counter(row["state"] if (row := reason(rows, miss)) else "unexplained" for miss in missed)
    print(f"of {len(every)} not found: {dict(states)}")
    assert [text(miss) for miss in missed if not reason(rows, miss)] == []
    assert len(every) > (15000 if ALL else 750)


def test_findings_keep_their_frames(judged):
    assert [text(miss) for miss in judged[2] if miss.rule not in PATTERNS] == []


def test_a_hole_adds_no_finding(judged):
    """A fault about something missing from a late capture can appear as another."""
    assert [(one.kind, one.transport, one.fault, found) for one, found in judged[3] if not one.kind.startswith("late")] == []


@pytest.mark.all
def test_each_reason_is_needed(judged):
    rows = hidden()
    used = [reason(rows, miss) for miss in judged[1]]
    assert [row for row in rows if row not in used] == []


@pytest.fixture(scope="module")
def conforming(check, gen, tmp_path_factory):
    """(number of captures, those with findings that the whole does not have)"""
    made = loss.make_conforming(gen, tmp_path_factory.mktemp("conforming"), SHARE)
    return len(made), [(one, found) for one, more in loss.judge_conforming(check, made)
                       if (found := [f for f in more if f[1] not in ASKED.get(one.way, ())])]


def test_conforming_stays_conforming(conforming):
    total, wrong = conforming
    assert not wrong, "\n".join(f"{one.path.name}, from frame {one.gone[0] + 1} on: {f[0]} {f[1]} in frame {f[2]}: {f[3]}"
                                for one, found in wrong for f in found)
    assert total > (8000 if ALL else 400)


# Faults that the captured packets decide, whatever the packets right before or after the fault were.
BESIDE = ("EXP-3.7.1-02", "NFSULB-6.4.1-04", "RPCR-3.4.6-06", "RPCR-3.4.6-07", "RPCR-3.4.6-09/spread", "RPCR-3.5.3-12",
          "RPCR-4.3.2-03", "RPCR-4.5-12")


@pytest.mark.parametrize("name", ["reply-right-before", "call-behind", "begins-with-replies"])
def test_a_hole_beside_a_fault_hides_nothing(check, gen, tmp_path, name):
    kind = next(kind for kind in loss.BESIDE["rpc"] if kind.name == name)
    made = [loss.make(gen, tmp_path, fault, kind, transport) for fault in said.faults() if fault.name in BESIDE
            for transport in ("iwarp", "roce")]
    every, missed, _, _ = loss.judge(check, [one for one in made if one])
    assert [text(miss) for miss in missed] == []
    assert len(every) >= len(BESIDE)


def test_the_last_call_and_its_acknowledge_are_lost(check, gen, tmp_path):
    """Its Reply has the XID that the caller uses next; earlier Calls are still unanswered."""
    path = tmp_path / "last.pcap"
    script = ("with rpcrdma; I call nfs3.null; R reply; I call nfs3.getattr; I call nfs3.getattr; I call nfs3.getattr; "
              "R reply back=0")
    subprocess.run([gen, "play", "script", f"--script={script}", "--transport=roce", "--pcap", "-o", path], check=True)
    capture = losses.load(path)
    call = capture.send(True, 3)
    acknowledge = [place for place in capture.said(False) if capture.packets[place].opcode == losses.ACKNOWLEDGE][-1]
    assert acknowledge > call
    losses.save(path, losses.without(capture.records, [call, acknowledge]))
    found = loss.findings(check, [path])[path]
    assert [f for f in found if f[1] == "error"] == []


@pytest.mark.parametrize("heard", [True, False])
def test_who_was_not_heard_since_the_call_is_not_accused(check, gen, tmp_path, heard):
    """The capture may have lost the rest of the connection, if not even an acknowledgment of the Call follows."""
    path = tmp_path / "silence.pcap"
    script = "with rpcrdma; I call nfs3.null; R reply; I call nfs3.getattr h.vers=2; R silence; I silence wait=6000; I hang"
    subprocess.run([gen, "play", "script", f"--script={script}", "--pcap", "-o", path], check=True)
    if not heard:
        losses.save(path, losses.without(losses.load(path).records, [8, 9]))
    run = subprocess.run([check, "--format=ndjson", path], capture_output=True, text=True, check=False)
    named = [finding["rule"] for finding in json.loads(run.stdout.splitlines()[1])["findings"]]
    assert ("RPCR-4.5.1-01" in named) == heard, run.stdout
