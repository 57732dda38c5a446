#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes captures/generated with its manifest: every conforming scenario, for each rule the first fault that breaks it,
and for a reaction also the proper answer.

tests/corpus/make_corpus.py BUILD [FOLDER]"""
import collections
import pathlib
import shutil
import subprocess
import sys

from generated import base, findings, judge, layer, name, profile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KEPT_MAX = 200_000  # octets; larger captures are only in the manifest
COLUMNS = ("file", "kept", "shows", "profile", "findings", "command")

Entry = collections.namedtuple("Entry", "file shows profile arguments")


def generator(build, *arguments):
    return subprocess.run([build / "traffic-gen" / "iwarp-gen", *arguments], capture_output=True, text=True,
                          check=True).stdout


def entries(build):
    """The contents of the corpus, in the order of the manifest."""
    for line in generator(build, "list", "scenarios").splitlines():
        scenario, summary = line.split("\t")[:2]
        if not scenario.startswith(("bulk", "nfs-bulk", "many")):
            yield Entry(f"conforming/{scenario}.pcapng", summary, profile(scenario), [scenario])
    have = set()
    for line in generator(build, "list", "faults").splitlines():
        fault, scenario, _, summary = line.split("\t")
        kind = base(fault) + ("+ok" if "+" in fault else "")
        if kind not in have:
            have.add(kind)
            yield Entry(f"{layer(fault)}/{fault.replace('/', '_')}.pcapng", summary, profile(name(fault)),
                        [scenario, f"--inject={fault}"])


def told(capture):
    counts = collections.Counter(f.rule for f in findings(capture))
    return ",".join(f"{rule}:{n}" for rule, n in sorted(counts.items())) or "-"


def make(build, folder):
    """Writes all captures and the manifest into a directory, including captures too large to keep."""
    everything = list(entries(build))
    for entry in everything:
        path = folder / entry.file
        path.parent.mkdir(parents=True, exist_ok=True)
        generator(build, "play", *entry.arguments, "-o", path)
    reports = {}
    for rules in ("ietf", "rfc5666"):
        part = [e.file for e in everything if e.profile == rules]
        reports.update(zip(part, judge(build, [folder / f for f in part], by_name=False, rules=rules)))
    rows = [COLUMNS]
    for e in everything:
        kept = "yes" if (folder / e.file).stat().st_size <= KEPT_MAX else "no"
        rows.append((e.file, kept, e.shows, e.profile, told(reports[e.file]),
                     f"iwarp-gen play {' '.join(e.arguments)} -o {e.file}"))
    (folder / "manifest.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return rows[1:]


def main():
    build = pathlib.Path(sys.argv[1])
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "captures" / "generated"
    shutil.rmtree(folder, ignore_errors=True)
    for file, kept, *_ in make(build, folder):
        if kept == "no":
            (folder / file).unlink()


if __name__ == "__main__":
    main()
