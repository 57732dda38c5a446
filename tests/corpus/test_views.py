# SPDX-License-Identifier: GPL-2.0-or-later
"""Missing or reordered packets in a capture make rules inconclusive: a conforming conversation stays without a finding in any view.

Views of the end also add nothing to the findings of a faulty conversation.

IWARP_VIEWS is the number of seeds of each view, IWARP_READS the number of conversations of Reads into one sink."""
import concurrent.futures
import os
import random
import re

import pytest

from generated import NETS, ROCE_NETS, findings, judge, lines, name, profile
from random_operations import Operations
from test_corpus import NOTES, show
from views import CLOSE_VIEWS, VIEWS, connections, direction, in_order_of_time, packets, seen_badly, write

SEEDS = range(int(os.environ.get("IWARP_VIEWS", "1")))
READS = range(int(os.environ.get("IWARP_READS", "40")))
CHUNK = 8
MANY = ("bulk", "nfs-bulk", "many")  # long, and without new cases
# Its length shows the sender's intention: part of this conversation breaks the advice. An MSN of 1 is taken for the first; here MSNs wrap after a
# few messages, not after 2^32.
OF_A_PART = {"unaligned": {"MPA-5.1-04"}, "msn-wrap": {"RDMAPX-5.2.2-02", "RDMAPX-5.2.2-04"}}
# On RoCE an answer without a Call looks like one whose Call is missing at the very end: the warning says so.
DOUBTED = "the capture may lack just the Call that it belongs to, with the Acknowledge of that"


def tell(build, made, rules, allowed):
    reports = judge(build, [path for path, *_ in made], by_name=False, rules=rules, counts=False)
    wrong = []
    for (path, what), report in zip(made, reports):
        path.unlink()
        found = [f for f in findings(report) if f.severity != "note" and f.rule not in allowed
                 and not (f.severity == "warning" and DOUBTED in f.message)]
        if found:
            wrong.append(f"{what}\n{show(found)}")
    return wrong


def look(build, gen, folder, what, command, seeds, rules="ietf", allowed=()):
    """One text for each view of the conversation with findings."""
    made = []
    for seed in seeds:
        whole = folder / f"{what}-{seed}.pcapng"
        run = gen("play", *command(seed), f"--seed={seed}", "-o", whole)
        assert run.returncode == 0, run.stderr
        sent = packets(whole)
        whole.unlink()
        for number, view in enumerate(VIEWS):
            seen = seen_badly(sent, view, f"{what} {seed}")
            if seen:
                path = folder / f"{what}-{seed}-{number}.pcap"
                write(path, seen)
                made.append((path, f"iwarp-gen play {' '.join(command(seed))} --seed={seed}, {view}:"))
    return tell(build, made, rules, allowed)


def gather(work):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for part in pool.map(lambda call: call(), work) for text in part]
    assert not wrong, f"{len(wrong)} captures\n" + "\n".join(wrong)


def look_at_scenario(build, gen, folder, scenario, transport, seeds):
    """On a network with or without its own disturbances."""
    def command(seed):
        net = random.Random(f"{scenario} {seed}").choice(["", *(NETS if transport == "iwarp" else ROCE_NETS)])
        return [scenario, f"--transport={transport}", *([f"--net={net}"] if net else [])]

    return look(build, gen, folder, scenario, command, seeds, profile(scenario), set(NOTES.get(scenario, ())) | OF_A_PART.get(scenario, set()))


@pytest.mark.parametrize("transport", ["iwarp", "roce"])
def test_conforming_however_seen(build, gen, transport, tmp_path):
    names = [row[0] for row in lines(gen, "scenarios", f"--transport={transport}") if not row[0].startswith(MANY)]
    gather([lambda name=name: look_at_scenario(build, gen, tmp_path, name, transport, SEEDS) for name in names])


# Found by many seeds: reused addresses with a lost start; Writes before their Call; a Read whose answers come first; early acknowledgements, in
# two segments; Replies far ahead of their Calls.
FOUND = [("stack-startups", 10), ("stack-startups", 23), ("stack-startups", 26), ("stack-startups", 29), ("downgrade", 9),
         ("old-roundup", 38), ("read-half-done", 28), ("stack-nfs42", 129)]


@pytest.mark.parametrize("scenario, seed", FOUND)
def test_found_before(build, gen, tmp_path, scenario, seed):
    gather([lambda: look_at_scenario(build, gen, tmp_path, scenario, "iwarp", [seed])])


# A retransmission after an RNR NAK, or its Acknowledge, captured after the DREQ; a copy of the Send before the RNR NAK.
NOT_READY = [("nfs41-chunks", 5), ("rpcrdma-small-segments", 3), ("rpcrdma-lengths", 6)]


@pytest.mark.parametrize("scenario, seed", NOT_READY)
def test_not_ready_at_the_end(build, gen, tmp_path, scenario, seed):
    gather([lambda: look(build, gen, tmp_path, scenario,
                         lambda _: [scenario, "--transport=roce", f"--net={ROCE_NETS[-1]}"], [seed])])


@pytest.mark.parametrize("scenario", ["rdmap", "directions", "reads-at-limit", "rpcrdma", "rpcrdma-credits", "rpcrdma-again", "reject"])
def test_late_direction_without_syn(build, gen, tmp_path, scenario):
    """All packets of one side are captured before the other's, so it is unknown what the side had received."""
    whole = tmp_path / "whole.pcapng"
    assert gen("play", scenario, "-o", whole).returncode == 0
    parts, made = connections(packets(whole)), []
    for way in (True, False):
        for lost in (1, 2):
            path = tmp_path / f"{way}-{lost}.pcap"
            seen = [packet for part in parts
                    for packet in sorted(part[lost:], key=lambda packet: packet[0] + (direction(packet) == way) * 2_900_000)]
            write(path, in_order_of_time(seen))
            made.append((path, f"{scenario}, {way}, without {lost} packets"))
    assert not tell(build, made, profile(scenario), ())


# The same fault by another rule: without its FIN or RST, a skipped answer or segment may just come later than the next.
ALSO = {"RDMAP-5.2.1-14": "RDMAP-5.2.2-08", "RDMAPX-5.2.1-26": "RDMAPX-7-08", "DDP-5.3-03": "DDP-4.3-19"}


def close_views(build, gen, folder, transport, faults):
    """Findings in views of a conversation's end that the whole does not have."""
    made, wrong = [], []
    for fault, scenario in faults:
        whole = folder / f"{transport}-{name(fault)}.pcapng"
        run = gen("play", scenario, f"--transport={transport}", f"--inject={fault}", "-o", whole)
        assert run.returncode == 0, run.stderr
        sent = packets(whole)
        made.append((whole, None, fault, profile(name(fault))))
        for number, view in enumerate(CLOSE_VIEWS):
            for seed in SEEDS:
                seen = seen_badly(sent, view, f"{fault} {seed}")
                if seen:
                    path = folder / f"{transport}-{name(fault)}-{number}-{seed}.pcap"
                    write(path, seen)
                    made.append((path, view, f"iwarp-gen play {scenario} --transport={transport} --inject={fault}, {view}", profile(name(fault))))
    for rules in ("ietf", "rfc5666"):
        alike = [one[:3] for one in made if one[3] == rules]
        known = set()
        for (path, view, what), report in zip(alike, judge(build, [path for path, *_ in alike], False, rules, False)
                                              if alike else []):
            path.unlink()
            found = findings(report)
            if view is None:
                known = {f.rule for f in found} | {ALSO.get(f.rule) for f in found}
            elif more := [f for f in found if f.severity != "note" and f.rule not in known]:
                wrong.append(f"{what}\n{show(more)}")
    return wrong


@pytest.mark.parametrize("transport", ["iwarp", "roce"])
def test_faults_however_closed(build, gen, transport, tmp_path):
    """A missing or shifted FIN, RST, DREQ or DREP adds no finding to those of the whole."""
    faults = [row[:2] for row in lines(gen, "faults", f"--transport={transport}")]
    if os.environ.get("IWARP_ALL") != "1":  # those with proper reactions, and some of the others
        faults = [row for number, row in enumerate(faults) if "+" in row[0] or number % 8 == 0]
    gather([lambda first=first: close_views(build, gen, tmp_path, transport, faults[first:first + 50])
            for first in range(0, len(faults), 50)])


@pytest.mark.parametrize("transport", ["iwarp", "roce"])
def test_unanswered_in_one_direction(build, gen, tmp_path, transport):
    """Acknowledgments show that something was sent back, but not what: no Call is known to be unanswered."""
    made = []
    for fault, scenario in [row[:2] for row in lines(gen, "faults", f"--transport={transport}")]:
        if not fault.startswith("RPCR-4.5.4-03"):
            continue
        whole = tmp_path / f"{name(fault)}.pcapng"
        assert gen("play", scenario, f"--transport={transport}", f"--inject={fault}", "-o", whole).returncode == 0
        for way in (True, False):
            path = tmp_path / f"{name(fault)}-{way}.pcap"
            write(path, [packet for packet in packets(whole) if direction(packet) == way])
            made.append((path, f"{fault}, {way}"))
    assert made and not tell(build, made, "ietf", ())


def into_one_sink(seed):
    """Reads whose answers differ only in order and length."""
    rng = random.Random(seed)
    sizes = [rng.randint(1, 4000) for _ in range(rng.choice([1, 2, 5]))]
    return re.sub(r" read size=\d+", lambda _: f" read size={rng.choice(sizes)} sink=0x51a00 sinkto=0x1000",
                  Operations(seed).script())


def test_reads_into_one_sink(build, gen, tmp_path):
    gather([lambda first=first: look(build, gen, tmp_path, f"reads-{first}",
                                     lambda seed: ["script", "--script=" + into_one_sink(seed)],
                                     READS[first:first + CHUNK]) for first in range(0, len(READS), CHUNK)])
