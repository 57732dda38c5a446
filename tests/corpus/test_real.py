# SPDX-License-Identifier: GPL-2.0-or-later
"""The real captures: every FPDU is found, and every finding of severity error or warning is in the manifest."""
import collections
import csv
import random
import struct

import pytest

from generated import findings, judge


@pytest.fixture(scope="module")
def manifest(root):
    with open(root / "captures" / "real" / "manifest.tsv", encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f, delimiter="\t"))


@pytest.fixture(scope="module")
def real(root, build, manifest):
    paths = [root / "captures" / "real" / row["file"] for row in manifest]
    report = {}
    for row, path in zip(manifest, paths):
        assert path.exists(), path
    # Names repeat in different directories, so the order of the report counts, which is that of the arguments.
    captures = judge(build, paths, by_name=False)
    for row, capture in zip(manifest, captures):
        report[row["file"]] = capture
    return report


def test_every_file_is_listed(root, manifest):
    folder = root / "captures" / "real"
    assert sorted(str(p.relative_to(folder)) for p in folder.rglob("*.pcap*")) == sorted(r["file"] for r in manifest)


def test_small_enough_to_ship(root, manifest):
    assert sum((root / "captures" / "real" / row["file"]).stat().st_size for row in manifest) < 1_000_000


def test_counts(real, manifest):
    for row in manifest:
        capture = real[row["file"]]
        assert capture["packets"] == int(row["packets"]), row["file"]
        assert len(capture["connections"]) == int(row["connections"]), row["file"]
        assert sum(sum(c["counts"]["fpdus"]) for c in capture["connections"]) == int(row["fpdus"]), row["file"]
        terminates = sum(c["counts"]["operations"].get("terminate", 0) for c in capture["connections"])
        assert terminates == int(row["terminates"]), row["file"]


def test_findings(real, manifest):
    wrong = []
    for row in manifest:
        found = [f for f in findings(real[row["file"]]) if f.severity != "note"]
        counts = collections.Counter(f.rule for f in found)
        text = ",".join(f"{rule}:{n}" for rule, n in sorted(counts.items())) or "-"
        if text != row["findings"]:
            wrong.append(f"{row['file']}: expected {row['findings']}, found {text}\n"
                         + "\n".join(f"  frame {f.frame}: {f.rule}: {f.message}" for f in found))
    assert not wrong, "\n".join(wrong)


def records(octets):
    """The packets of a pcap file in this machine's order: header and octets of each."""
    at = 24
    while at < len(octets):
        length = struct.unpack_from("<8xI", octets, at)[0]
        yield octets[at:at + 16], octets[at + 16:at + 16 + length]
        at += 16 + length


def seen_badly(packets, dice):
    """A worse capture of the same traffic: it begins late, ends early, lacks packets, or cuts them."""
    n = dice.randrange(1, len(packets))
    some = set(dice.sample(range(len(packets)), min(3, len(packets) - 1)))
    length = dice.choice((96, 200, 400, 1000))
    return dice.choice((
        packets[n:],
        packets[:n],
        packets[:n] + packets[n + dice.randrange(1, 30):],
        [packet for i, packet in enumerate(packets) if i not in some],
        [(header[:8] + struct.pack("<I", min(length, len(octets))) + header[12:], octets[:length])
         for header, octets in packets],
    ))


def test_missing_context_makes_no_finding(root, build, real, manifest, tmp_path):
    dice = random.Random(4)
    names, paths = [], []
    for row in manifest:
        octets = (root / "captures" / "real" / row["file"]).read_bytes()
        packets = list(records(octets))
        for _ in range(6):
            names.append(row["file"])
            paths.append(tmp_path / f"{len(paths)}.pcap")
            paths[-1].write_bytes(octets[:24] + b"".join(map(b"".join, seen_badly(packets, dice))))
    wrong = []
    for name, path, capture in zip(names, paths, judge(build, paths, by_name=False)):
        known = {f.rule for f in findings(real[name]) if f.severity != "note"}
        wrong += [f"{name}, as {path.name}: frame {f.frame}: {f.rule}: {f.message}" for f in findings(capture)
                  if f.severity != "note" and f.rule not in known]
    assert not wrong, "\n".join(wrong)
