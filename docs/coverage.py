#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Writes the coverage page from the catalogue, the faults and scenarios of iwarp-gen, and what iwarp-check says of them:
docs/coverage.py BUILD > docs/coverage.md
"""
import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "corpus"))
from generated import base, judge, name, outcomes, profile  # noqa: E402

KINDS = ("wire", "wire-1way", "reaction", "endpoint", "meta")
OUTCOMES = ("own finding", "with another rule", "permission", "not judged")

INTRO = """\
# Coverage

Generated from the rule catalogue and from what `iwarp-check` says of the conversations of `iwarp-gen`; do not edit.
`cmake --build build/release --target docs` writes it again. The requirements themselves are in `rules.md`.

What a rule is about, *kind*: **wire**, octets that a capture of both directions shows; **wire-1way**, octets that one
direction shows; **reaction**, what an end does about something; **endpoint**, the inside of an end; **meta**, documents,
administration and definitions.

How it is judged: **own finding**, `iwarp-check` names the rule when it is broken; **with another rule**, that rule
states the same requirement, or what violates this one violates it too, and carries the findings; **permission**, it allows something and cannot be broken;
**not judged**, with the reason.

*Evidence* of a rule with findings of its own: the faults that break it (`iwarp-gen play SCENARIO --inject=FAULT`; a
fault is named after its rule, so only what follows the rule's id is given: /NAME is another way to break it, +ok the
stimulus of a reaction with its proper answer), and conforming traffic that exercises it, a scenario of `iwarp-gen` or
else such an answer. Tests demand both of every one of these rules, that each fault yields its finding and no other, and
that conforming traffic yields none.
"""


def outcome(rule):
    return {"yes": "own finding", "same": "with another rule", "with": "with another rule", "permission": "permission"}.get(rule["judged"], "not judged")


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*")


def generator(build, *arguments):
    return subprocess.run([build / "traffic-gen" / "iwarp-gen", *arguments], capture_output=True, text=True,
                          check=True).stdout


def conforming_traffic(build, faults):
    """rule -> the first conversation that exercises it and breaks nothing of it, scenarios first."""
    scenarios = [line.split("\t")[0] for line in generator(build, "list", "scenarios").splitlines()
                 if not line.startswith(("bulk", "nfs-bulk", "many"))]
    plays = [(s, s, s) for s in scenarios]
    plays += [(name(fault), f"{fault}", scenario, f"--inject={fault}") for fault, scenario in faults if "+" in fault]
    first = {}
    with tempfile.TemporaryDirectory() as folder:
        paths = {}
        for file, _, *command in plays:
            paths[file] = pathlib.Path(folder) / (file + ".pcapng")
            generator(build, "play", *command, "-o", paths[file])
        reports = {}
        for rules in ("ietf", "rfc5666"):
            reports.update(judge(build, [p for p in paths.values() if profile(p) == rules], rules=rules))
    for file, shown, *_ in plays:
        for rule, (passed, failed) in outcomes(reports[file]).items():
            if passed and not failed:
                first.setdefault(rule, shown)
    return first


def totals(rules):
    print("\n| document | kind |", " | ".join(OUTCOMES), "| rules |")
    print("|---|---|" + "---:|" * (len(OUTCOMES) + 1))
    everything = collections.Counter()
    for document, group in itertools.groupby(rules, key=lambda rule: rule["document"]):
        counts = collections.Counter((rule["observe"], outcome(rule)) for rule in group)
        everything.update(counts)
        for kind in KINDS:
            line(document, kind, [counts[kind, what] for what in OUTCOMES])
    for kind in KINDS:
        line("all", kind, [everything[kind, what] for what in OUTCOMES])
    line("all", "all", [sum(everything[kind, what] for kind in KINDS) for what in OUTCOMES])


def line(document, kind, numbers):
    if sum(numbers):
        print("|", document, "|", kind, "|", " | ".join(map(str, numbers)), "|", sum(numbers), "|")


def evidence(rule, faults, traffic):
    own = [fault[len(rule["id"]):] or "itself" for fault, _ in faults if base(fault) == rule["id"]]
    return ", ".join(own) or "-", traffic.get(rule["id"], "-")


def document_tables(document, rules, faults, traffic):
    print(f"\n## {document}")
    of = {what: [rule for rule in rules if outcome(rule) == what] for what in OUTCOMES}
    if of["own finding"]:
        print("\n### Own findings\n\n| rule | kind | severity | faults | conforming traffic |\n|---|---|---|---|---|")
        for rule in of["own finding"]:
            print("|", " | ".join((rule["id"], rule["observe"], rule["severity"], *evidence(rule, faults, traffic))), "|")
    if of["with another rule"]:
        print("\n### With another rule\n\n| rule | kind | findings under |\n|---|---|---|")
        for rule in of["with another rule"]:
            print("|", rule["id"], "|", rule["observe"], "|", ", ".join(rule["same_as"][:1] or rule["judged_with"]), "|")
    if of["permission"]:
        print("\n### Permissions\n")
        print(", ".join(rule["id"] for rule in of["permission"]))
    if of["not judged"]:
        print("\n### Not judged\n\n| rule | kind | severity | reason |\n|---|---|---|---|")
        for rule in of["not judged"]:
            print("|", " | ".join((rule["id"], rule["observe"], rule["severity"], cell(rule["how"]))), "|")


def main():
    build = pathlib.Path(sys.argv[1])
    rules = json.loads(subprocess.run([build / "conformance" / "iwarp-check", "--list-rules", "--format=json"],
                                      capture_output=True, text=True, check=True).stdout)
    faults = [line.split("\t")[:2] for line in generator(build, "list", "faults").splitlines()]
    traffic = conforming_traffic(build, faults)
    print(INTRO, end="")
    totals(rules)
    for document, group in itertools.groupby(rules, key=lambda rule: rule["document"]):
        document_tables(document, list(group), faults, traffic)


if __name__ == "__main__":
    main()
