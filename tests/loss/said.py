# SPDX-License-Identifier: GPL-2.0-or-later
"""Contents of these tests' captures: the cases of the rules, scenarios, random conversations, real traffic."""
import collections
import importlib.util
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "rules"), str(ROOT / "tests" / "corpus")]
from random_operations import Operations  # noqa: E402
from random_talk import Talk  # noqa: E402

# By its path: the plugins' tests have another module `cases`.
SPEC = importlib.util.spec_from_file_location("rule_cases", ROOT / "rules" / "cases.py")
cases = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(cases)
profile = cases.profile

Case = collections.namedtuple("Case", "name script wanted part rules")
# Conforming: arguments for iwarp-gen play, or an existing capture; `count` captures are made from it.
Source = collections.namedtuple("Source", "name play path rules count")
# Words of scripts whose captures are incomplete by themselves.
LACKING = re.compile(r"net=(uncaptured|lost-before)|\b(unseen|hide|late)\b")
TALKS = 100  # random conversations of each kind


def scripts():
    """The rules' cases as scripts: (case, name, script, rows). The units of a rule are numbered."""
    every, rows = cases.load(sorted([*(ROOT / "rules").glob("*.tsv"), *(ROOT / "rules").glob("*.cases")]))
    units = collections.Counter()
    for case in every:
        if case.kind not in ("violates", "holds", "unit") or {"snap", "lacks", "check"} & case.words.keys():
            continue
        for _, script, _ in case.stimuli():
            units[case.rule] += case.kind == "unit"
            if script:
                yield case, f"{case.rule}#{units[case.rule]}" if case.kind == "unit" else case.id, script.rstrip("; "), rows


def found(case, rows):
    """Rules, one of which has a finding above notes."""
    if case.kind == "violates":
        return cases.under(rows[case.rule])
    return [rule for rule in case.ids("finds") if f"{rule}=note" not in case.words["finds"]]


def faults():
    for case, name, script, rows in scripts():
        if wanted := found(case, rows):
            part = "rpc" if re.match(r"with (\S+ )*(rpcrdma|nfs)\b", script) else "rdmap"
            yield Case(name, script, wanted, part, profile(case.rule, case.scenario))


def scenarios(gen):
    listed = subprocess.run([gen, "list", "scenarios"], capture_output=True, text=True, check=True).stdout
    return [line.split("\t")[0] for line in listed.splitlines() if not re.match("bulk|nfs-bulk|many", line)]


def conforming(gen):
    def played(name, play, rules, count):
        return [Source(f"{name}.{transport}", (*play, f"--transport={transport}"), None, rules, count) for transport in ("iwarp", "roce")]

    for name in scenarios(gen):
        for net, words in ("", ()), (".trouble", ("--net=reorder=0.1,dup=0.1",)):
            yield from played(name + net, (name, *words), profile("", name), 16)
    for case, name, script, rows in scripts():
        if not found(case, rows) and not case.words.get("also") and not LACKING.search(script):
            yield from played(name.replace("/", "_"), ("script", f"--script={script}"), profile(case.rule, case.scenario), 3)
    for seed in range(TALKS):
        yield from played(f"talk-{seed}", ("script", f"--script={Talk(seed).script()}"), "ietf", 4)
        yield from played(f"operations-{seed}", ("script", f"--script={Operations(seed).script()}"), "ietf", 4)
    for path in sorted([*ROOT.glob("captures/real/*/*.pcap"), *ROOT.glob("captures/roce/*.pcap")]):
        yield Source(f"real-{path.stem}", None, path, "ietf", 20)
