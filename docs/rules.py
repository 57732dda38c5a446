#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes the rule page from the catalogue: iwarp-check --list-rules --format=json | docs/rules.py > docs/rules.md"""
import collections
import itertools
import json
import sys

SHORT = {"passive": "capture", "active": "active test", "passive+active": "capture, active test"}
ON = {("iwarp",): "iWARP", ("ib",): "IB", ("iwarp", "ib"): "both"}
KINDS = {"same": "same as another", "with": "with others", "permission": "allows"}


def judged(rule):
    if rule["judged"] == "same":
        return f"same as {rule['same_as'][0]}"
    if rule["judged"] == "with":
        return f"with {', '.join(rule['judged_with'])}"
    if rule["judged"] == "permission":
        return "allows"
    return SHORT.get(rule["verification"], "not visible") + "".join(f", {other}" for other in rule["judged_with"])


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*")


def main():
    rules = json.load(sys.stdin)
    totals = collections.Counter(KINDS.get(rule["judged"]) or SHORT.get(rule["verification"], "not visible") for rule in rules)
    print("# Rules\n")
    print("Generated from `engine/rules/`; do not edit. `cmake --build build/release --target docs` writes it again.\n")
    print(f"{len(rules)} rules. *Judged* tells what decides a rule: a capture (`iwarp-check`, the Wireshark plugins), an active "
          "test (what it takes to provoke the reaction), both; *same as ID*: another rule states the same requirement and "
          "carries the findings of both; *with ID, ...*: what violates it is found under one of these rules, which demand more, "
          "less or a part of it; a rule with a verdict of its own that names others has findings under theirs, too; *allows*: a permission, never violated; *not visible*: concerns the inside of an endpoint, an "
          "administrator or a document. *On*: the transports that it binds on, iWARP, IB (RoCE and InfiniBand) or both. `iwarp-check --explain=ID` tells how, or why not.\n")
    print("| judged | rules |\n|---|---|")
    for name, count in totals.most_common():
        print(f"| {name} | {count} |")
    for (document, section), group in itertools.groupby(rules, key=lambda rule: (rule["document"], rule["section"])):
        print(f"\n## {document} section {section}\n")
        print("| rule | level | binds | on | severity | judged | requirement |\n|---|---|---|---|---|---|---|")
        for rule in group:
            print("|", " | ".join((rule["id"], rule["level"], rule["party"], ON[tuple(rule["transports"])], rule["severity"], judged(rule),
                                   cell(rule["title"]))), "|")


if __name__ == "__main__":
    main()
