#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes captures/generated with its manifest: every conforming scenario, for each rule the first fault that breaks it,
and for a reaction also the proper answer. The tree keeps the conforming captures and those that a document or a test names;
of the others it has the SHA-256. tests/made_captures.py makes them all.

tests/corpus/make_corpus.py BUILD"""
import collections
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys

from generated import base, findings, judge, layer, name, profile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TREE = ROOT / "captures" / "generated"
LARGE = 200_000  # octets; larger captures are only in the manifest
COLUMNS = ("file", "kept", "sha256", "shows", "profile", "findings", "command")
NAMED = re.compile(r"generated/([a-z]+/[\w.+-]+\.pcapng)")

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


def named():
    """The files that documents and tests name."""
    texts = [path for folder in ("docs", "lab", "tests") for kind in ("*.md", "*.py") for path in (ROOT / folder).rglob(kind)]
    return {file for path in texts for file in NAMED.findall(path.read_text(encoding="utf-8"))}


def kept(file, octets, by_name):
    """yes: kept in the tree; no: made when needed; large: made only on request."""
    if len(octets) > LARGE:
        return "large"
    return "yes" if file.startswith("conforming/") or file in by_name else "no"


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
    rows, by_name = [COLUMNS], named()
    for e in everything:
        octets = (folder / e.file).read_bytes()
        rows.append((e.file, kept(e.file, octets, by_name), hashlib.sha256(octets).hexdigest(), e.shows, e.profile, told(reports[e.file]),
                     f"iwarp-gen play {' '.join(e.arguments)} -o {e.file}"))
    (folder / "manifest.tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    return rows[1:]


def main():
    build = pathlib.Path(sys.argv[1])
    shutil.rmtree(TREE, ignore_errors=True)
    for file, is_kept, *_ in make(build, TREE):
        if is_kept != "yes":
            (TREE / file).unlink()


if __name__ == "__main__":
    main()
