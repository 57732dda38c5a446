# SPDX-License-Identifier: GPL-2.0-or-later
"""
Loss, reordering, duplicates and other segment boundaries are TCP's business: conforming conversations stay without a
finding, and a fault is still found, or there is no telling; it never becomes another one.

IWARP_SEEDS and IWARP_FAULT_SEEDS say how many seeds of each kind of trouble.
"""
import collections
import concurrent.futures
import itertools
import os

import pytest

from generated import NETS, WAYS, base, findings, judge, name, profile, troubled
from test_corpus import NOTES, expected, show

SEEDS = range(1, 1 + int(os.environ.get("IWARP_SEEDS", "20")))
FAULT_SEEDS = range(1, 1 + int(os.environ.get("IWARP_FAULT_SEEDS", "3")))
CHUNK = 100  # captures per call of iwarp-check

ROUTES = [(net, SEEDS, FAULT_SEEDS) for net in NETS] + [(way, SEEDS[:-(-len(SEEDS) // 4)], FAULT_SEEDS[:1]) for way in WAYS]

Job = collections.namedtuple("Job", "name scenario fault command")

# These break a rule by the moment at which, or the segments in which, something is sent. Retransmitted, joined with
# what is sent next or overtaken by the answer it is as it should be, and the capture does not show that it was not.
FADING = {
    "MPA-5.1-06", "MPA-6-06", "MPA-6-06/crossing", "MPA-7.1.2-16", "MPA-7.1.2-23", "MPA-7.1.2-25", "MPA-7.1.3-01",
    "MPA-7.1.5-01", "MPA-8-03", "MPA-A.1-05", "RDMAP-6.2.1-06", "RPCR-2.2.2-03/early", "RPCR-3.3.1-03/early",
    "RPCR-8.1.1-01", "RPCR-8.1.1-01/read",  # that it was taken shows by what the network may have lost
    # What the network loses just before a reset is never sent again.
    "DDP-5.3-03/endless", "NFS41-2.10.6.2-02", "NFS41-2.10.6.2-02/slot",
}

# What is wrong with segments is not to be seen where the capture shows them before the card cuts them.
OFFLOADED = {"MPA-3-03", "MPA-4.5-07", "MPA-5.1-04", "MPA-5.1-05", "MPA-5.1-07"}

# Rules that are told apart by what the network did.
ALIKE = [
    # A Terminate about an FPDU without fault: the oddest thing about the FPDU explains it.
    {"MPA-5.1-06", "MPA-5.2-01", "MPA-7.1.5-04", "MPA-A.5.2-01"},
    # Octets after a startup frame belong to it if they share its last segment.
    {"MPA-7.1.1-07", "MPA-7.1.1-28", "MPA-7.1.1-29", "MPA-7.1.1-31", "MPA-7.1.1-34", "MPA-7.1.2-04", "MPA-7.1.2-40",
     "MPA-7.1.3-01", "MPA2-6-07"},
    # Streaming data that crosses the Request, or that follows it.
    {"MPA-7.1.3-01", "MPA-7.1.5-01"},
    # A retransmission with other octets that comes before the first copy.
    {"MPA-7.1.5-03", "MPA-4.4-12"},
]


def alike(rules):
    return set().union(rules, *(group for group in ALIKE if group & rules))


@pytest.fixture(scope="module")
def trouble(build, gen, tmp_path_factory):
    """Runs jobs in small batches, so that neither captures nor reports pile up; what `look` finds of each job."""
    folder = tmp_path_factory.mktemp("trouble")

    def batch(part, look):
        rules, jobs = part
        paths = [folder / (job.name + ".pcapng") for job in jobs]
        for job, path in zip(jobs, paths):
            run = gen("play", *job.command, "-o", path)
            assert run.returncode == 0, run.stderr
        captures = judge(build, paths, rules=rules)
        for path in paths:
            path.unlink()
        return [(job, what) for job in jobs if (what := look(job, captures[job.name]))]

    def run(jobs, look):
        parts = []
        for rules in ("ietf", "rfc5666"):
            same = [job for job in jobs if profile(job.name) == rules]
            parts += [(rules, same[i:i + CHUNK]) for i in range(0, len(same), CHUNK)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(itertools.chain(*pool.map(lambda part: batch(part, look), parts)))
    return run


def tell(wrong, total):
    assert not wrong, f"{len(wrong)} of {total} captures\n" + "\n".join(
        f"iwarp-gen play {' '.join(job.command)}: {text}" for job, text in wrong)


def test_conforming_stays_conforming(trouble, scenarios):
    def look(job, capture):
        found = [f for f in findings(capture) if f.severity != "note" and f.rule not in NOTES.get(job.scenario, ())]
        return found and "\n" + show(found)

    jobs = [Job(troubled(s, net, seed), s, None, [s, f"--net={net}", f"--seed={seed}"])
            for s in scenarios for net, seeds, _ in ROUTES for seed in seeds]
    tell(trouble(jobs, look), len(jobs))


def test_faults_stay_what_they_are(trouble, faults, rules):
    def look(job, capture):
        found = findings(capture)
        want = expected(job.fault, rules)
        allowed = alike(want | job.fault.also) - ({base(job.fault.id)} if not want else set())
        extra = {f.rule for f in found if f.severity != "note"} - allowed
        if extra:
            return f"expected {' or '.join(want) or 'nothing'}, found\n{show(found)}"
        fading = FADING | (OFFLOADED if "tso=" in job.name else set())
        if not want or job.fault.id in fading or alike(want) & {f.rule for f in found}:
            return None
        open_ones = {r for c in capture["connections"] for r, n in c["rules"].items() if n["inconclusive"]}
        return None if want & open_ones else f"expected {' or '.join(want)}, or no telling; found\n{show(found)}"

    jobs = [Job(troubled(name(f.id), net, seed), f.scenario, f,
                [f.scenario, "--inject=" + f.id, f"--net={net}", f"--seed={seed}"])
            for f in faults for net, _, seeds in ROUTES for seed in seeds]
    tell(trouble(jobs, look), len(jobs))
