# SPDX-License-Identifier: GPL-2.0-or-later
"""Captures that lack packets, and networks that lose, repeat and reorder them: the plugins find the same as iwarp-check.
The frame of a finding may differ, as the plugins notice a hole at another time; so may the frames that it names.
IWARP_SEEDS: number of captures of each scenario and kind of disturbance; all scenarios with IWARP_ALL."""
import collections
import os
import re

import pytest

import merge
from cases import names
from reports import read_report
from test_modes import ORDER, UNANALYSED

ALL = "IWARP_ALL" in os.environ
SEEDS = int(os.environ.get("IWARP_SEEDS", "2")) if not ALL else 6
SAMPLE = """stack-refusals stack-startups stack-nfs3 stack-nfs41-backchannel stack-rpc-credits terminates downgrade rev2
    markers atomics old-read-read nfs41-chunks port-reuse""".split()
TROUBLE = ["capture-loss=0.1,reorder=0.05", "capture-loss=0.3", "capture-loss=0.02,reorder=0.02",
           "loss=0.1,reorder=0.1,dup=0.1,resegment=0.3"]
DEFAULT = []
RULES = "mpa.rule or rddp.rule or rdmap.rule or rpcrdma.rule"
COUNTED = {"MPA-A.1-05"}  # over all retransmissions; iwarp-check leaves out the capture's own copies
RULE = re.compile(r"([A-Z0-9]+(?:-[0-9A-Z.]+)+): ")
TEXT = 150  # Wireshark cuts longer texts


def alone(root):
    """Rules whose findings the plugins may miss: tables of docs/plugin-rules.md."""
    text = (root / "docs" / "plugin-rules.md").read_text(encoding="utf-8").split("checker alone")[1]
    return {line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")}


def numberless(text):
    return re.sub(r"\d+", "#", text[:TEXT])


class Troubled:
    """Captures of scenarios, each with its own disturbances, merged into one."""

    def __init__(self, jobs, generated, check, folder):
        def make(job):
            scenario, net, seed = job
            return generated(scenario, f"--net={net}", f"--seed={seed}", "--pcap")

        paths = [make(job) for job in jobs]
        self.path = folder / "troubled.pcap"
        self.parts = merge.merge(zip(jobs, paths), self.path)
        assert len(self.parts) == len(jobs)
        result = check("--format=ndjson", "--verbose", self.path)
        self.connections = [one for report in read_report(result.stdout)["captures"] for one in report["connections"]]
        self.parts_of_frames = [part for part in self.parts for _ in range(part.first, part.last + 1)]
        several = collections.Counter(self.part(one["start_frame"]) for one in self.connections)
        self.several = {part for part, n in several.items() if n > 1}
        self.said = collections.Counter((self.part(finding["frame"]), finding["rule"], numberless(finding["message"]))
                                        for one in self.connections for finding in one["findings"])

        clean = [generated(scenario, "--pcap") for scenario in {job[0] for job in jobs}]
        result = check("--format=ndjson", "--verbose", *clean)
        self.true = {(scenario, finding["rule"])
                     for scenario, report in zip({job[0] for job in jobs}, read_report(result.stdout)["captures"])
                     for one in report["connections"] for finding in one["findings"]}

    def part(self, frame):
        return self.parts_of_frames[frame - 1]

    def shown(self, wireshark, mode):
        found = collections.Counter()
        for frame in wireshark.fields(self.path, ["_ws.expert.message"], "-2", *mode, "-Y", RULES):
            for text in frame["_ws.expert.message"]:
                match = RULE.match(text)
                if match:
                    found[self.part(frame["frame"]), match[1], numberless(text[match.end():])] += 1
        return found


@pytest.fixture(scope="module")
def troubled(generated, check, tmp_path_factory):
    scenarios = [case.split()[1] for case in names() if case.startswith("scenario ") and
                 not case.startswith("scenario old-")] if ALL else SAMPLE
    jobs = [(scenario, net, seed) for scenario in scenarios for net in TROUBLE for seed in range(1, SEEDS + 1)]
    return Troubled(jobs, generated, check, tmp_path_factory.mktemp("troubled"))


def blames(troubled, findings):
    """False findings, which contradict the scenario."""
    return sorted((part.name, rule, text) for part, rule, text in findings if (part.name[0], rule) not in troubled.true)


@pytest.mark.parametrize("mode", [DEFAULT, ORDER, UNANALYSED], ids=["default", "order", "unanalysed"])
def test_nobody_is_blamed_who_is_not_in_the_report(troubled, wireshark, mode):
    shown = troubled.shown(wireshark, mode)
    extra = shown - troubled.said
    if mode == ORDER:
        # Octets held back by the TCP dissector join those of the next connection, if that begins in the same
        # conversation (its SYN was not captured).
        extra = [finding for finding in extra if finding[0] not in troubled.several]
    assert not blames(troubled, extra)
    assert sum(shown.values()) >= 0.5 * sum(troubled.said.values()) > 5


def test_what_the_report_has_is_shown(troubled, wireshark, root):
    """This holds if the TCP dissector passes on all segments as captured."""
    exempt = alone(root)
    due = collections.Counter({finding: n for finding, n in troubled.said.items() if finding[1] not in exempt | COUNTED})
    missing = due - troubled.shown(wireshark, UNANALYSED)
    assert not blames(troubled, missing)
    assert sum(missing.values()) <= 0.1 * sum(due.values())
