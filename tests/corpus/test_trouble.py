# SPDX-License-Identifier: GPL-2.0-or-later
"""TCP handles loss, reordering, duplicates and other segment boundaries: conforming conversations stay without a finding, and a fault
is still found or undecidable; it never becomes another fault.

IWARP_SEEDS is the number of conversations of each scenario for each kind of disturbance, IWARP_FAULT_SEEDS the number of seeds for
each fault. Starting iwarp-gen or iwarp-check takes most of the time, so one run plays and judges many conversations."""
import collections
import concurrent.futures
import itertools
import os

import pytest

from generated import NETS, WAYS, base, findings, judge, name, profile
from test_corpus import NOTES, expected, show

SEEDS = int(os.environ.get("IWARP_SEEDS", "10"))
FAULT_SEEDS = range(1, 1 + int(os.environ.get("IWARP_FAULT_SEEDS", "2")))
CHUNK = 100  # conversations per call of iwarp-check
TOGETHER = 25  # faults per run of iwarp-gen
PORT = 40001  # of a run's first conversation; the others count from it

ROUTES = [(net, SEEDS, FAULT_SEEDS) for net in NETS] + [(way, -(-SEEDS // 4), FAULT_SEEDS[:1]) for way in WAYS]

Job = collections.namedtuple("Job", "scenario net seed clients faults")

# These faults break a rule by the time, or the segments, of a message. If it is retransmitted, joined with the next message or overtaken by
# the answer, it is right, and the capture does not show the opposite.
FADING = {
    "MPA-5.1-06", "MPA-6-06", "MPA-6-06/crossing", "MPA-7.1.2-16", "MPA-7.1.2-23", "MPA-7.1.2-25", "MPA-7.1.3-01",
    "MPA-7.1.5-01", "MPA-8-03", "MPA-A.1-05", "RDMAP-6.2.1-06", "RPCR-2.2.2-03/early", "RPCR-3.3.1-03/early",
    "RPCR-8.1.1-01", "RPCR-8.1.1-01/read",  # the evidence that it was accepted may be lost
    # Octets lost just before a reset are never sent again.
    "DDP-5.3-03/endless", "NFS41-2.10.6.2-02", "NFS41-2.10.6.2-02/slot",
}

# Errors in segments are invisible if the capture shows them before the card cuts them.
OFFLOADED = {"MPA-3-03", "MPA-4.5-01", "MPA-4.5-02", "MPA-4.5-02/eighteen-percent", "MPA-4.5-07", "MPA-5.1-04", "MPA-5.1-05",
             "MPA-5.1-07"}

# Rules that the network's effects distinguish.
ALIKE = [
    # A Terminate about an FPDU without an error: the most unusual feature of the FPDU explains it.
    {"MPA-5.1-06", "MPA-5.2-01", "MPA-7.1.5-04", "MPA-A.5.2-01"},
    # Octets after a startup frame belong to it if they share its last segment.
    {"MPA-7.1.1-07", "MPA-7.1.1-28", "MPA-7.1.1-29", "MPA-7.1.1-31", "MPA-7.1.1-34", "MPA-7.1.2-04", "MPA-7.1.2-40",
     "MPA-7.1.3-01", "MPA2-6-07"},
    # Streaming data that crosses the Request, or that follows it.
    {"MPA-7.1.3-01", "MPA-7.1.5-01"},
    # A retransmission with different octets that arrives before the first copy.
    {"MPA-7.1.5-03", "MPA-4.4-12"},
]


def alike(rules):
    return set().union(rules, *(group for group in ALIKE if group & rules))


def command(job):
    faults = ["--inject=" + ",".join(fault.id for fault in job.faults)] if job.faults else []
    clients = [f"--connections={job.clients}"] if job.clients > 1 else []
    return [job.scenario, *faults, f"--net={job.net}", f"--seed={job.seed}", *clients]


def rules_of(scenario, fault=None):
    return profile(name(fault.id) if fault else scenario)


@pytest.fixture(scope="module")
def trouble(build, gen, tmp_path_factory):
    """Plays and judges jobs in small batches, so that neither captures nor reports pile up: (job, its connections) of each."""
    folder = tmp_path_factory.mktemp("trouble")
    numbers = itertools.count()

    def batch(jobs):
        paths = [folder / f"{next(numbers)}.pcapng" for _ in jobs]
        for job, path in zip(jobs, paths):
            run = gen("play", *command(job), "-o", path)
            assert run.returncode == 0, run.stderr
        captures = judge(build, paths, by_name=False, rules=rules_of(jobs[0].scenario, *jobs[0].faults[:1]), counts=False)
        for path in paths:
            path.unlink()
        return jobs, captures

    def run(jobs):
        def key(job):
            return rules_of(job.scenario, *job.faults[:1]), max(job.clients, len(job.faults))

        parts = []
        for (_, conversations), same in itertools.groupby(sorted(jobs, key=key), key):
            same = list(same)
            step = max(1, CHUNK // conversations)
            parts += [same[i:i + step] for i in range(0, len(same), step)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for part, captures in pool.map(batch, parts):
                yield from zip(part, captures)
    return run


def tell(wrong, total):
    assert not wrong, f"{len(wrong)} of {total} conversations\n" + "\n".join(
        f"iwarp-gen play {' '.join(command(job))}: {text}" for job, text in wrong)


def test_conforming_stays_conforming(trouble, scenarios):
    """Plays each scenario with one client, and with several clients in parallel."""
    jobs = [Job(s, net, seed, clients, ())
            for s in scenarios for net, seeds, _ in ROUTES for seed, clients in ((1, 1), (2, seeds - 1)) if clients]
    wrong = []
    for job, capture in trouble(jobs):
        found = [f for f in findings(capture) if f.severity != "note" and f.rule not in NOTES.get(job.scenario, ())]
        if found:
            wrong.append((job, "\n" + show(found)))
    tell(wrong, sum(job.clients for job in jobs))


def one_each(job, capture):
    """The connection of each fault in a run, if each has one; else None."""
    connections = capture["connections"]
    ends = [f"{connection['initiator']} {connection['responder']} " for connection in connections]
    fits = len(ends) == len(job.faults) and all(f":{PORT + i} " in end for i, end in enumerate(ends))
    return [dict(capture, connections=[connection]) for connection in connections] if fits else None


def groups(faults, net, seed):
    """Groups of faults that one run can play."""
    def key(fault):
        return rules_of(fault.scenario, fault), fault.scenario

    for (_, scenario), same in itertools.groupby(sorted(faults, key=key), key):
        same = list(same)
        for i in range(0, len(same), TOGETHER):
            yield Job(scenario, net, seed, 1, tuple(same[i:i + TOGETHER]))


def test_faults_stay_what_they_are(trouble, faults, rules):
    def look(job, fault, capture):
        found = findings(capture)
        want = expected(fault, rules)
        allowed = alike(want | fault.also) - ({base(fault.id)} if not want else set())
        extra = {f.rule for f in found if f.severity != "note"} - allowed
        if extra:
            return f"expected {' or '.join(want) or 'nothing'}, found\n{show(found)}"
        fading = FADING | (OFFLOADED if "tso=" in job.net else set())
        if not want or fault.id in fading or alike(want) & {f.rule for f in found}:
            return None
        open_ones = {r for c in capture["connections"] for r, n in c["rules"].items() if n["inconclusive"]}
        return None if want & open_ones else f"expected {' or '.join(want)}, or no telling; found\n{show(found)}"

    # Faults whose results differ in company, as the checker recognises clients and their Calls on later connections, are judged
    # alone.
    wrong, total, apart = [], 0, {}
    for net, _, seeds in ROUTES:
        for seed in seeds:
            jobs = list(groups([fault for fault in faults if fault.id not in apart], net, seed))
            jobs += [Job(fault.scenario, net, seed, 1, (fault,)) for fault in apart.values()]
            while jobs:
                again = []
                for job, capture in trouble(jobs):
                    each = one_each(job, capture)
                    if len(job.faults) == 1:
                        fault, = job.faults
                        total += 1
                        if each is None:
                            apart[fault.id] = fault
                        if text := look(job, fault, capture):
                            wrong.append((job, text))
                    elif each is None:
                        middle = len(job.faults) // 2
                        again += [job._replace(faults=job.faults[:middle]), job._replace(faults=job.faults[middle:])]
                    else:
                        strange = {fault.id: fault for fault, own in zip(job.faults, each) if look(job, fault, own)}
                        apart |= strange
                        again += [job._replace(faults=(fault,)) for fault in strange.values()]
                        total += len(each) - len(strange)
                jobs = again
    assert total == len(faults) * sum(len(seeds) for _, _, seeds in ROUTES)
    tell(wrong, total)
