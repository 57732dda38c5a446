# SPDX-License-Identifier: GPL-2.0-or-later
"""Random work for real ends: the capture is conforming, has the ends' messages and answers octet for octet, and at the end both
memories agree with a model. IWARP_CONVERSATIONS is the number."""
import concurrent.futures
import os
import random

import rdmap_reader as reader
from generated import NETS, WAYS, findings, judge
from random_jobs import Jobs
from random_work import SIDES, Work

CONVERSATIONS = int(os.environ.get("IWARP_CONVERSATIONS", "400"))
CHUNK = 50  # conversations per call of iwarp-check
NOTES = {"DDP-3-08", "MPA-C.2.5-01", "RDMAPX-5-06", "DDP-7.1-16"}  # no CRC, revision 0, memory up to 2^64: choices that may give a note
ANSWERS = (reader.READ_RESPONSE, reader.ATOMIC_RESPONSE)


def differences(work, path, memory):
    told = reader.conversations(path)
    if len(told) != len(work.connections):
        return [f"{len(told)} connections, expected {len(work.connections)}"]
    wrong = []
    for number, (sides, pair) in enumerate(zip(work.connections, told), 1):
        last = work.refusal if number == len(work.connections) else None
        for i, side in enumerate(SIDES):
            name, messages = f"connection {number}, {side}", [tuple(m) for m in pair[i]]
            wanted, said = sides[side].said, [m for m in messages if m[0] not in ANSWERS]
            if i == 0 and work.rtr:  # the RTR, and its answer
                said = said[1:]
            if i == 1 and work.rtr == 4:
                messages.remove(next(m for m in messages if m[0] == reader.READ_RESPONSE))
            answered = [m for m in messages if m[0] in ANSWERS]
            if last:
                ends = [m for m in said if m[0] == reader.TERMINATE]
                if bool(ends) != (side == last[0]) or (ends and int.from_bytes(ends[0][3][:2], "big") != last[1]):
                    wrong.append(f"{name}: {ends}, expected {last}")
                said = [m for m in said if m[0] != reader.TERMINATE][:len(wanted)]
            for what, found, want in (("said", said, wanted), ("answered", answered, sides[side].answered)):
                if found != want:
                    at = next((k for k, (a, b) in enumerate(zip(found, want)) if a != b), min(len(found), len(want)))
                    wrong.append(f"{name} {what} {len(found)}, expected {len(want)}; first difference at {at}: "
                                 f"{found[at:at + 1]}, expected {want[at:at + 1]}"[:600])
            for region, octets in sides[side].memory.items():
                if (memory / f"{number}-{side}-{region}").read_bytes() != octets:
                    wrong.append(f"{name}: other octets in region {region}")
    return wrong


def play(build, gen, folder, seeds):
    """One text for each conversation with an error."""
    made, wrong = {}, []
    for seed in seeds:
        work = Work(seed)
        scenario, memory = folder / f"{seed}.scenario", folder / f"{seed}"
        scenario.write_text(work.text())
        memory.mkdir()
        for net in (None, random.Random(seed).choice(NETS + WAYS)):
            path = folder / f"{seed}-{'net' if net else 'whole'}.pcap"
            run = gen("play", scenario, "--pcap", f"--seed={seed}", f"--memory={memory}", *([f"--net={net}"] if net else []),
                      "-o", path)
            assert run.returncode == 0, f"seed {seed}: {run.stderr}"
            made[path] = text = []
            try:
                text += differences(work, path, memory)
            except (AssertionError, IndexError, ValueError) as error:
                text.append(f"cannot be read: {error!r}")
    for path, capture in zip(made, judge(build, list(made), by_name=False, counts=False)):
        made[path] += [f"frame {f.frame}: {f.severity} {f.rule}: {f.message}" for f in findings(capture)
                       if f.rule not in NOTES and (f.severity != "note" or "whole" in path.stem)]
        if made[path]:
            wrong.append(f"seed {path.stem}:\n  " + "\n  ".join(made[path]))
        path.unlink()
    return wrong


def test_random_work(build, gen, tmp_path):
    parts = [range(i, min(i + CHUNK, CONVERSATIONS)) for i in range(0, CONVERSATIONS, CHUNK)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = sum(pool.map(lambda seeds: play(build, gen, tmp_path, seeds), parts), [])
    assert not wrong, f"{len(wrong)} of {2 * CONVERSATIONS}\n" + "\n".join(wrong)


def do_jobs(build, gen, folder, seeds):
    """The client compares the octets read with those written, and every status with the expected one."""
    made, wrong = {}, []
    for seed in seeds:
        scenario = folder / f"jobs-{seed}.scenario"
        scenario.write_text(Jobs(seed).text())
        for net in (None, random.Random(seed).choice(NETS + WAYS)):
            path = folder / f"jobs-{seed}-{'net' if net else 'whole'}.pcapng"
            run = gen("play", scenario, f"--seed={seed}", *([f"--net={net}"] if net else []), "-o", path)
            if run.returncode == 0:
                made[path] = net
            else:
                wrong.append(f"seed {seed}: {run.stderr}")
    for path, capture in zip(made, judge(build, list(made), by_name=False, counts=False)):
        found = [f"frame {f.frame}: {f.severity} {f.rule}: {f.message}" for f in findings(capture)
                 if f.rule not in NOTES and (f.severity != "note" or not made[path])]
        if found:
            wrong.append(f"seed {path.stem}:\n  " + "\n  ".join(found))
        path.unlink()
    return wrong


def test_random_jobs(build, gen, tmp_path):
    jobs = CONVERSATIONS // 5  # they are longer
    parts = [range(i, min(i + CHUNK, jobs)) for i in range(0, jobs, CHUNK)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = sum(pool.map(lambda seeds: do_jobs(build, gen, tmp_path, seeds), parts), [])
    assert not wrong, f"{len(wrong)} of {2 * jobs}\n" + "\n".join(wrong)
