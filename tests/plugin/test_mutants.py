# SPDX-License-Identifier: GPL-2.0-or-later
"""Damaged captures: no dissector of ours ends tshark or raises an exception, and the checker accepts any contents of a
complete capture file.

`mutate` (tests/fuzz/mutate.c) repairs lengths, CRCs and checksums after its damage, so that it reaches the upper layers;
editcap -E changes octets anywhere. With a build of the asan preset all of this runs under its sanitizers."""
import os
import pathlib
import random
import re
import shutil
import subprocess

import pytest

import merge
from cases import names, real

# Dissectors of damaged payload may report it.
STOPPED = re.compile(r"(?:Malformed Packet: |Unreassembled Packet: |Dissector bug, protocol )(?:MPA|DDP|RDMAP|RPC-over-RDMA)")
PREFERENCES = {
    "mpa.verify_crc": ["TRUE", "FALSE"],
    "mpa.accept_midstream": ["TRUE", "FALSE"],
    "tcp.reassemble_out_of_order": ["TRUE", "FALSE"],
    "tcp.analyze_sequence_numbers": ["TRUE", "FALSE"],
    "tcp.desegment_tcp_streams": ["TRUE", "TRUE", "FALSE"],
    "tcp.relative_sequence_numbers": ["TRUE", "FALSE"],
    "tcp.check_checksum": ["TRUE", "FALSE"],
}
DECODE_AS = ["-d", "tcp.port==7174,mpa", "-d", "tcp.port==20049,mpa"]
TOGETHER = 120  # captures in one
WAYS = [["-V"], ["-V", "-2"], ["-T", "json", "-2"], ["-V", "-x"], ["-2", "-z", "rpc,programs", "-z", "expert"]]


def options(dice):
    chosen = [f"{name}:{dice.choice(values)}" for name, values in PREFERENCES.items()]
    return [item for one in chosen for item in ("-o", one)] + dice.choice([[], DECODE_AS]) + dice.choice(WAYS)


def mutant(build, sources, seed, folder):
    """A damaged capture of some sources, and how it was made."""
    dice = random.Random(seed)
    whole, damaged = folder / f"whole-{seed}.pcap", folder / f"mutant-{seed}.pcap"
    some = dice.sample(sorted(sources.items()), TOGETHER)
    assert len(merge.merge(some, whole)) > TOGETHER / 2
    if seed % 4 == 0:
        how = ["editcap", "-E", dice.choice(["0.001", "0.01", "0.05"]), "-o", dice.choice(["0", "54"]), "--seed", str(seed),
               whole, damaged]
    else:
        how = [build / "tests" / "fuzz" / "mutate", str(seed), dice.choice(["0.02", "0.1", "0.3", "0.8"]), whole, damaged]
    subprocess.run(how, check=True, capture_output=True, timeout=120)
    whole.unlink()
    return damaged, options(dice)


def keep(capture, seed):
    """Keeps a failing capture."""
    if "IWARP_MUTANTS" in os.environ:
        shutil.copy(capture, pathlib.Path(os.environ["IWARP_MUTANTS"]) / f"mutant-{seed}.pcap")


def look(wireshark, check, build, sources, seed, folder):
    capture, arguments = mutant(build, sources, seed, folder)
    result, stopped = wireshark.search(STOPPED, capture, *arguments)
    if result.returncode != 0 or stopped:
        keep(capture, seed)
    assert result.returncode == 0, (seed, arguments, result.stderr[-3000:])
    assert not stopped, (seed, arguments, stopped[:5])
    judged = check("--summary", "--format=ndjson", f"--output={folder / 'report.json'}", capture)
    if judged.returncode not in (0, 1, 3) or "Sanitizer" in judged.stderr:
        keep(capture, seed)
    assert judged.returncode in (0, 1, 3) and "Sanitizer" not in judged.stderr, (seed, judged.stderr[-3000:])
    wireshark.forget(capture)
    capture.unlink()


@pytest.fixture(scope="module")
def sources(generated):
    known = real()
    return {name: known[name][0] if arguments is None else generated(*arguments, "--pcap")
            for name, arguments in names().items()}


@pytest.mark.parametrize("seed", range(3))
def test_mutants(wireshark, check, build, sources, tmp_path, seed):
    look(wireshark, check, build, sources, seed, tmp_path)


@pytest.mark.all
def test_many_mutants(wireshark, check, build, sources, tmp_path):
    first = int(os.environ.get("IWARP_MUTANT_FIRST", "100"))
    for seed in range(first, first + int(os.environ.get("IWARP_MUTANT_COUNT", "30"))):
        look(wireshark, check, build, sources, seed, tmp_path)


def test_mutants_reach_the_upper_layers(wireshark, build, sources, tmp_path):
    """Damage without repair would only appear as bad CRCs."""
    whole, damaged = tmp_path / "whole.pcap", tmp_path / "damaged.pcap"
    merge.merge([(name, path) for name, path in sources.items() if "nfs" in name][:40], whole)
    subprocess.run([build / "tests" / "fuzz" / "mutate", "1", "0.2", whole, damaged], check=True, timeout=60)
    shown = wireshark.fields(damaged, ["mpa.crc.status", "rdmap.rule", "rpcrdma.rule"], "-Y", "mpa")
    crcs = [status for frame in shown for status in frame["mpa.crc.status"]]
    assert crcs.count("1") > 0.8 * len(crcs) > 100
    assert sum(len(frame["rpcrdma.rule"]) for frame in shown) > 20
