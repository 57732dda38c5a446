#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Writes the pages of the rules, FOLDER/rules.md and FOLDER/rules/LAYER.md, from the catalogue, the faults and scenarios of
iwarp-gen, and the verdicts of iwarp-check on them: docs/rules.py BUILD FOLDER
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

LAYERS = {"mpa": "MPA", "ddp": "DDP", "rdmap": "RDMAP", "rpc": "RPC", "rpcrdma": "RPC-over-RDMA", "nfs": "NFS"}
KINDS = ("wire", "wire-1way", "reaction", "endpoint", "meta")
OUTCOMES = ("own finding", "with another rule", "permission", "not judged")
SHORT = {"passive": "capture", "active": "active test", "passive+active": "capture, active test"}
ON = {("iwarp",): "iWARP", ("ib",): "IB", ("iwarp", "ib"): "both"}
GENERATED = "Generated from `rules/`; do not edit. `cmake --build build/release --target docs` regenerates it.\n"

INTRO = """\
*Level* is the document's word, *binds* names the bound party, *on* the transports: iWARP, IB (RoCE
and InfiniBand) or both. *Severity* is the severity of a finding.

*Kind* is the subject of a rule: **wire**, octets that a capture of both directions shows;
**wire-1way**, octets that one direction shows; **reaction**, an end's reaction to something;
**endpoint**, the inside of an end; **meta**, documents, administration and definitions.

*Judged* names what judges the rule: a capture (`iwarp-check`, the Wireshark plugins), an active test
(`iwarp-gen test` provokes the reaction), or both; *same as ID*: another rule states the same
requirement and carries the findings of both; *with ID, ...*: violations are found under these rules,
which demand more, less or a part of it; a rule with its own verdict that names others has findings
under their names, too; *allows*: a permission, which cannot be violated; *no*: not judged, with the
reason. `iwarp-check --explain=ID` describes the method.

*Broken by* lists the faults that violate the rule (`iwarp-gen play SCENARIO --inject=FAULT`). A fault
is named after its rule, so only the rest of the name is given: /NAME is another way to break the
rule, +ok the stimulus of a reaction with its correct answer. *Held by* is conforming traffic that
exercises the rule: a scenario of `iwarp-gen` or such an answer. Tests demand for each rule with
findings of its own that each fault yields this finding and no other, and that conforming traffic
yields none.
"""


def outcome(rule):
    return {"yes": "own finding", "same": "with another rule", "with": "with another rule", "permission": "permission"}.get(rule["judged"], "not judged")


def judged(rule):
    if rule["judged"] == "same":
        return f"same as {rule['same_as'][0]}"
    if rule["judged"] == "with":
        return f"with {', '.join(rule['judged_with'])}"
    if rule["judged"] == "permission":
        return "allows"
    if outcome(rule) == "not judged":
        return "no: " + cell(rule["how"])
    return SHORT.get(rule["verification"], "not visible") + "".join(f", {other}" for other in rule["judged_with"])


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*")


def generator(build, *arguments):
    return subprocess.run([build / "traffic-gen" / "iwarp-gen", *arguments], capture_output=True, text=True,
                          check=True).stdout


def conforming_traffic(build, faults):
    """rule -> the first conversation that exercises the rule without violating it, scenarios first."""
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


def evidence(rule, faults, traffic):
    if outcome(rule) != "own finding":
        return "", ""
    own = [fault[len(rule["id"]):] or "itself" for fault, _ in faults if base(fault) == rule["id"]]
    return ", ".join(own) or "-", traffic.get(rule["id"], "-")


def totals(rules):
    """Lines of a table by document and kind."""
    yield "| document | kind | " + " | ".join(OUTCOMES) + " | rules |"
    yield "|---|---|" + "---:|" * (len(OUTCOMES) + 1)
    everything = collections.Counter()
    for document, group in itertools.groupby(sorted(rules, key=lambda rule: rule["document"]), key=lambda rule: rule["document"]):
        counts = collections.Counter((rule["observe"], outcome(rule)) for rule in group)
        everything.update(counts)
        yield from (line(document, kind, [counts[kind, what] for what in OUTCOMES]) for kind in KINDS if any(counts[kind, what] for what in OUTCOMES))
    yield line("all", "all", [sum(everything[kind, what] for kind in KINDS) for what in OUTCOMES])


def line(document, kind, numbers):
    return f"| {document} | {kind} | {' | '.join(map(str, numbers))} | {sum(numbers)} |"


def layer_page(layer, rules, faults, traffic):
    yield f"# Rules of {LAYERS[layer]}\n"
    yield GENERATED
    yield f"{len(rules)} rules. The columns are explained in [rules.md](../rules.md).\n"
    yield from totals(rules)
    for (document, section), group in itertools.groupby(rules, key=lambda rule: (rule["document"], rule["section"])):
        yield f"\n## {document} section {section}\n"
        yield "| rule | requirement | level | binds | on | severity | kind | judged | broken by | held by |\n|---|---|---|---|---|---|---|---|---|---|"
        for rule in group:
            yield "| " + " | ".join((rule["id"], cell(rule["title"]), rule["level"], rule["party"], ON[tuple(rule["transports"])],
                                     rule["severity"], rule["observe"], judged(rule), *evidence(rule, faults, traffic))) + " |"


def index_page(rules):
    yield "# Rules\n"
    yield GENERATED
    yield f"{len(rules)} rules, a page for each layer:\n"
    yield "| layer | rules | documents |\n|---|---:|---|"
    for layer, title in LAYERS.items():
        own = [rule for rule in rules if rule["layer"] == layer]
        documents = ", ".join(dict.fromkeys(rule["document"] for rule in own))
        yield f"| [{title}](rules/{layer}.md) | {len(own)} | {documents} |"
    yield "\n" + INTRO
    yield from totals(rules)


def main():
    build, folder = map(pathlib.Path, sys.argv[1:])
    rules = json.loads(subprocess.run([build / "conformance" / "iwarp-check", "--list-rules", "--format=json"],
                                      capture_output=True, text=True, check=True).stdout)
    faults = [line.split("\t")[:2] for line in generator(build, "list", "faults").splitlines()]
    traffic = conforming_traffic(build, faults)
    (folder / "rules").mkdir(parents=True, exist_ok=True)
    (folder / "rules.md").write_text("\n".join(index_page(rules)) + "\n", encoding="utf-8")
    for layer in LAYERS:
        own = [rule for rule in rules if rule["layer"] == layer]
        (folder / "rules" / f"{layer}.md").write_text("\n".join(layer_page(layer, own, faults, traffic)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
