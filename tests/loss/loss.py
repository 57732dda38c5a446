#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
What iwarp-check says of a capture that is not whole.

    loss.py faults FOLDER       captures of every fault, each with one thing missing before it, and what is still found
    loss.py beside FOLDER       the same with one packet or a burst missing right before or after the fault, or with
                                the capture beginning shortly before it
    loss.py conforming FOLDER   conforming captures with one packet lost and pauses after it, and what is said of them

FOLDER keeps the captures; what is there is not made again. --check=PROGRAM is another iwarp-check than that of the build,
--share=0.1 takes a tenth, --list=FILE gets a line for all that is missed or said wrongly.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import random
import re
import subprocess
import sys

import losses
import said
from reports import read_report

TOGETHER = 200  # captures per call of iwarp-check
HOUR = "I silence wait=3600000"
CALLS = "; ".join(["I call nfs3.null; R reply"] * 300)
SENDS = "; ".join(["I send; R send"] * 300)
READ = "I call nfs3.read count=8192 write; R reply len=8192"
WRITE = "I call nfs3.write len=8192 read; R pull; R reply"
CALL = "I call nfs3.getattr; R reply"
THREE_CALLS = "; ".join([CALL] * 3)
THREE_SENDS = "; ".join(["I send; R send"] * 3)
SECONDS_3 = 3 * 10**9

# Messages before the fault, and which of them the capture lacks.
Kind = collections.namedtuple("Kind", "name before lost")
# The same for messages after the fault; `lost` also gets the number of packets before these messages.
Behind = collections.namedtuple("Behind", "name after lost")


def send_of(client, number):
    """A Send in one packet before the fault; its number counts those of this side."""
    return lambda capture: [capture.send(client, number)]


def burst(client, number, packets):
    """Several packets, from a Send before the fault on."""
    def lost(capture):
        first = capture.send(client, number)
        return [] if first is None else range(first, first + packets)
    return lost


def until(client, number):
    """Everything before a Send."""
    return lambda capture: range(capture.send(client, number) or 0)


def until_middle(capture):
    """Everything before the second segment of an RDMA Write."""
    return range(capture.write_middle(False) or 0)


def until_acknowledge(capture):
    return range(capture.acknowledge() or 0)


def behind(client, packets=1):
    """The first Send after the fault, and the packets after it."""
    def lost(capture, begun):
        first = capture.send(client, 0, begun)
        return [] if first is None else range(first, first + packets)
    return lost


# One packet, or a burst, beside the fault; and captures that begin with each kind of packet.
BESIDE = {
    "rpc": (Kind("reply-before", CALL, send_of(False, 0)),
            Kind("reply-two-before", f"{CALL}; {CALL}", send_of(False, 0)),
            Kind("reply-right-before", THREE_CALLS, send_of(False, 2)),
            Kind("response-before", WRITE, lambda c: [c.response_middle()]),
            Kind("burst-before", f"{CALL}; {CALL}; {CALL}", burst(False, 1, 2)),
            Kind("burst-before-4", f"{CALL}; {CALL}; {CALL}; {CALL}", burst(True, 1, 4)),
            Kind("begins-with-call", f"{CALL}; {THREE_CALLS}", until(True, 1)),
            Kind("begins-with-reply", f"{CALL}; {THREE_CALLS}", until(False, 0)),
            Kind("begins-with-write", f"{READ}; {THREE_CALLS}", until_middle),
            Kind("begins-with-acknowledge", f"{READ}; {THREE_CALLS}", until_acknowledge),
            Kind("begins-with-replies", f"I call nfs3.getattr; I call nfs3.getattr; R reply; R reply; {THREE_CALLS}", until(False, 0)),
            Behind("call-behind", THREE_CALLS, behind(True)),
            Behind("reply-behind", THREE_CALLS, behind(False)),
            Behind("burst-behind", THREE_CALLS, behind(True, 3))),
    "rdmap": (Kind("send-before", "I send; R send; I send", send_of(True, 1)),
              Kind("answer-before", "I send; R send", send_of(False, 0)),
              Kind("burst-before", THREE_SENDS, burst(False, 1, 2)),
              Kind("begins-with-send", f"I send; R send; {THREE_SENDS}", until(True, 1)),
              Kind("begins-with-answer", f"I send; R send; {THREE_SENDS}", until(False, 0)),
              Kind("begins-with-answers", f"I send; I send; R send; R send; {THREE_SENDS}", until(False, 0)),
              Behind("send-behind", THREE_SENDS, behind(True)),
              Behind("answer-behind", THREE_SENDS, behind(False)),
              Behind("burst-behind", THREE_SENDS, behind(True, 3))),
}
KINDS = {
    "rpc": (Kind("write", READ, lambda c: [c.write_middle(False)]),
            Kind("write-idle", f"{READ}; {CALLS}; {HOUR}", lambda c: [c.write_middle(False)]),
            Kind("write-later", f"{READ}; I silence wait=5000", lambda c: [c.write_middle(False)]),
            Kind("call", "I call nfs3.getattr; R reply", lambda c: [c.first_send(True)]),
            Kind("late", None, lambda c: c.startup()),
            Kind("late-idle", f"I call nfs3.getattr; R reply; {HOUR}", lambda c: c.startup())),
    "rdmap": (Kind("write", "I write len=5000", lambda c: [c.write_middle(True)]),
              Kind("write-back", "I write len=0; R write len=5000", lambda c: [c.write_middle(False)]),
              Kind("write-later", "I write len=5000; I silence wait=5000", lambda c: [c.write_middle(True)]),
              Kind("write-idle", f"I write len=5000; {SENDS}; {HOUR}", lambda c: [c.write_middle(True)]),
              Kind("late", None, lambda c: c.startup()),
              Kind("late-idle", f"I send; R send; {HOUR}", lambda c: c.startup())),
}
# "whole" is the capture before the loss; "gone" are numbers of frames that `path` lacks.
Made = collections.namedtuple("Made", "fault kind transport rules wanted whole path gone")
Missed = collections.namedtuple("Missed", "made rule frame found")


def share_of(name, share):
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") < share * 2**32


def with_before(script, before):
    head, rest = re.fullmatch(r"(with [^;]*;)?(.*)", script, re.DOTALL).groups()
    return f"{head or ''} {before}; {rest.strip()}" if before else script


def play(gen, script, transport, path):
    run = subprocess.run([gen, "play", "script", f"--script={script}", f"--transport={transport}", "--pcap", "-o", path],
                         capture_output=True, check=False)
    return run.returncode == 0


def lost_behind(gen, fault, kind, transport, whole):
    """The packets lost after the fault. The capture without the messages after the fault shows where they begin."""
    bare = whole.with_suffix(".bare.pcap")
    begun = losses.load(bare).said_last() if play(gen, fault.script, transport, bare) else None
    bare.unlink(missing_ok=True)
    if begun is None or not play(gen, f"{fault.script}; {kind.after}", transport, whole):
        return None
    return kind.lost(losses.load(whole), begun)


def lost_before(gen, fault, kind, transport, whole):
    if not play(gen, with_before(fault.script, kind.before), transport, whole):
        return None
    return kind.lost(losses.load(whole))


def make(gen, folder, fault, kind, transport):
    """None if it cannot be played, or nothing can be lost."""
    stem = f"{fault.name.replace('/', '_')}.{kind.name}.{transport}"
    whole, path = folder / f"{stem}.whole.pcap", folder / f"{stem}.pcap"
    gone_path = folder / f"{stem}.gone"
    if not gone_path.exists():
        lost = lost_behind if isinstance(kind, Behind) else lost_before
        gone = [place for place in lost(gen, fault, kind, transport, whole) or [] if place is not None]
        if gone:
            losses.save(path, losses.without(losses.load(whole).records, gone))
        gone_path.write_text(" ".join(str(place + 1) for place in gone))
    gone = [int(number) for number in gone_path.read_text().split()]
    return Made(fault.name, kind.name, transport, fault.rules, fault.wanted, whole, path, gone) if gone else None


def findings(check, paths, rules="ietf"):
    """Findings above notes for each path: (rule, severity, frame, message, the frames of the octets)."""
    out = {}

    def judge(part):
        run = subprocess.run([check, "--format=ndjson", "--no-progress", f"--profile={rules}", *part], capture_output=True,
                             text=True, check=False)
        assert run.returncode in (0, 1, 3), run.stderr
        return read_report(run.stdout)["captures"]

    parts = [paths[i:i + TOGETHER] for i in range(0, len(paths), TOGETHER)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for captures in pool.map(judge, parts):
            for capture in captures:
                out[pathlib.Path(capture["file"])] = [
                    (f["rule"], f["severity"], f["frame"], f["message"], f["frames"])
                    for connection in capture["connections"] for f in connection["findings"] if f["severity"] != "note"]
    return out


def findings_by_rules(check, made, path):
    out = {}
    for rules in sorted({one.rules for one in made}):
        out.update(findings(check, [path(one) for one in made if one.rules == rules], rules))
    return out


def moved(one, frame):
    """The number of a frame in the capture without some frames."""
    return frame and frame - sum(number < frame for number in one.gone)


def beside(one, finding):
    """All octets of the finding are outside of the loss, on the side where the fault is."""
    if one.kind.endswith("behind"):
        return 0 < max(finding[4]) < one.gone[0]
    return finding[2] > one.gone[-1]


def judge(check, made):
    """Captures whose whole has the finding after the loss; among them missed ones, and those found in another frame; and captures with findings of other
    rules."""
    whole = findings_by_rules(check, made, lambda one: one.whole)
    partial = findings_by_rules(check, made, lambda one: one.path)
    judged, missed, strayed, wrong = [], [], [], []
    for one in made:
        proved = [f for f in whole[one.whole] if f[0] in one.wanted and f[2] and beside(one, f)]
        found = partial[one.path]
        others = [f for f in found if f[0] not in {w[0] for w in whole[one.whole]} and f[0] not in one.wanted]
        if others:
            wrong.append((one, others))
        if not proved:
            continue
        judged.append(one)
        rules, frames = {f[0] for f in proved}, {moved(one, f[2]) for f in proved}
        same = [f for f in found if f[0] in rules]
        if not same:
            missed.append(Missed(one, proved[0][0], moved(one, proved[0][2]), found))
        elif not any(frames.intersection(f[4]) for f in same):
            strayed.append(Missed(one, proved[0][0], moved(one, proved[0][2]), same))
    return judged, missed, strayed, wrong


def make_faults(gen, folder, share, kinds=KINDS):
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [(fault, kind, transport) for fault in said.faults() for kind in kinds[fault.part]
            for transport in (("iwarp", "roce") if fault.part == "rpc" else ("iwarp",))
            if share_of(f"{fault.name} {kind.name} {transport}", share)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [one for one in pool.map(lambda job: make(gen, folder, *job), jobs) if one]


# `whole` is the complete capture before the silences; `gone` are places.
Partial = collections.namedtuple("Partial", "name way rules whole silences gone path")
WAYS = {"lost": 0.7, "late": 0.15, "burst": 0.15}  # shares of the captures


def holes_in(folder, gen, source, count):
    """This many captures, each with a hole and some silences of three seconds after it."""
    whole = source.path or folder / f"{source.name}.whole.pcap"
    if not whole.exists():
        subprocess.run([gen, "play", *source.play, "--pcap", "-o", whole], capture_output=True, check=False)
    records = losses.load(whole).records if whole.exists() else []  # not all exist on RoCE
    dice = random.Random(source.name)
    for number in range(min(count, len(records) - 3)):
        way = dice.choices(list(WAYS), WAYS.values())[0]
        place = dice.randrange(1, len(records) - 1)
        after = range(place + 1, len(records))
        silences = dice.sample(after, min(len(after), dice.choice((1, 2, 5)))) + dice.choice(([], list(after[:1])))
        gone = {"lost": [place], "late": range(place), "burst": range(place, place + dice.choice((2, 3, 8)))}[way]
        path = folder / f"{source.name}.{number}.{way}.pcap"
        losses.save(path, losses.without(losses.paused(records, silences, SECONDS_3), gone))
        yield Partial(source.name, way, source.rules, whole, silences, gone, path)


def make_conforming(gen, folder, share):
    """With a share below 1, common kinds have fewer captures, and others are left out."""
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [(source, round(source.count * share) or share_of(source.name, source.count * share))
            for source in said.conforming(gen)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [one for part in pool.map(lambda job: list(holes_in(folder, gen, *job)), [job for job in jobs if job[1]])
                for one in part]


def whole_of(one):
    """The same capture without the loss."""
    return one.path.with_suffix(".whole.pcap")


def judge_conforming(check, made):
    """Captures with findings that the whole does not have: (Partial, the findings)"""
    found = findings_by_rules(check, made, lambda one: one.path)
    suspects = [one for one in made if found[one.path]]
    for one in suspects:
        losses.save(whole_of(one), losses.paused(losses.load(one.whole).records, one.silences, SECONDS_3))
    base = findings_by_rules(check, suspects, whole_of)
    for one in suspects:
        more = [f for f in found[one.path] if f[:2] not in {b[:2] for b in base[whole_of(one)]}]
        if more:
            yield one, more


def part_of(one):
    return next(part for part, names in PARTS.items() if one.fault.startswith(names))


PARTS = {"MPA": ("MPA",), "DDP, RDMAP": ("DDP", "RDMAP", "SEC"), "RPC, NFS": ("RPC", "BIDI", "CMPD", "EXP", "NFS")}


def table(judged, missed, strayed):
    totals, lost, other = (collections.Counter((part_of(one), one.kind, one.transport) for one in ones)
                           for ones in (judged, [miss.made for miss in missed], [miss.made for miss in strayed]))
    for key in sorted(totals):
        found = totals[key] - lost[key]
        yield "%-12s %-23s %-6s %4d of %4d found, %5.1f %%; %d of them in another frame" % (
            *key, found, totals[key], 100 * found / totals[key], other[key])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("faults", "beside", "conforming"))
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--check")
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--list", type=argparse.FileType("w"), default=sys.stdout)
    options = parser.parse_args()
    build = pathlib.Path(os.environ.get("IWARP_BUILD", said.ROOT / "build" / "release"))
    check, gen = options.check or build / "conformance" / "iwarp-check", build / "traffic-gen" / "iwarp-gen"
    if options.what != "conforming":
        kinds = KINDS if options.what == "faults" else BESIDE
        judged, missed, strayed, wrong = judge(check, make_faults(gen, options.folder, options.share, kinds))
        for word, miss in [*(("MISSED", miss) for miss in missed), *(("MOVED", miss) for miss in strayed)]:
            print(word, miss.made.kind, miss.made.transport, miss.made.fault, miss.rule, miss.frame, miss.made.path,
                  "; ".join(f"{f[0]} {f[2]}" for f in miss.found), sep="\t", file=options.list)
        for one, others in wrong:
            print("WRONG", one.kind, one.transport, one.fault, others[0][0], others[0][2], one.path, *(f[:4] for f in others), sep="\t", file=options.list)
        print(*table(judged, missed, strayed), sep="\n")
    else:
        made = make_conforming(gen, options.folder, options.share)
        wrong = list(judge_conforming(check, made))
        for one, more in wrong:
            print(one.way, one.name, one.gone[0] + 1, one.path,
                  "; ".join(f"{f[0]} {f[1]} {f[2]}: {f[3]}" for f in more), sep="\t", file=options.list)
        for way, count in sorted(collections.Counter(one.way for one in made).items()):
            print(f"{way:6} {count} captures, {sum(one.way == way for one, _ in wrong)} with findings that the whole has not")


if __name__ == "__main__":
    main()
