# SPDX-License-Identifier: GPL-2.0-or-later
"""For every judged rule: a capture that breaks only this rule gives exactly its finding, and conforming traffic exercises it without a finding."""
import collections
import subprocess
import sys
import warnings

import pytest

from generated import STRICT, base, findings, layer, listed_faults, name, outcomes

# Findings allowed in conforming captures; nothing else is allowed, not even a note.
NOTES = {
    "rdmac": {"MPA-C.2.5-01"},  # these scenarios are about a Request of revision 0
    "rdmac-operations": {"MPA-C.2.5-01"},
    "rdmac-refused": {"MPA-C.2.5-01"},
    "stack-rdmac": {"MPA-C.2.5-01"},
    "no-crc": {"DDP-3-08"},  # both ends may agree to omit the CRC
    "markers-no-crc": {"DDP-3-08"},
    "fragments": {"MPA-A.5.1-01"},  # a packet fragmented on its way was sent without DF
    "nfs-retry": {"NFSULB-6.4.2-02"},
    "nfs41-chunks": {"NFSULB-6.4.2-01", "NFSULB-6.4.2-02"},  # more chunks than every server accepts
    "old-read-read": {"RPCR0-3.4-02"},  # only a client that offers no memory gets Replies in Read chunks
}


def show(found):
    return "\n".join(f"  frame {f.frame}: {f.severity} {f.rule}: {f.message}" for f in found) or "  nothing"


def demand_none(rules, what):
    """For incomplete layers this only shows the list, and nothing fails."""
    strict = [r for r in rules if layer(r) in STRICT]
    if len(strict) < len(rules):
        others = sorted(set(rules) - set(strict))
        warnings.warn(f"{what} {len(others)} rules: {', '.join(others)}", stacklevel=2)
    assert not strict, f"{what}: {', '.join(strict)}"


def demand_no_trouble(faults, trouble):
    """The same for trouble with faults: texts by fault id."""
    strict = [text for fault, text in trouble if layer(fault) in STRICT]
    if len(strict) < len(trouble):
        others = "\n".join(text for fault, text in trouble if layer(fault) not in STRICT)
        warnings.warn(f"{len(trouble) - len(strict)} faults\n{others}", stacklevel=2)
    assert not strict, f"{len(strict)} of {len(faults)} faults\n" + "\n".join(strict)


def complaints(capture, scenario):
    return [f for f in findings(capture) if f.severity != "note" and f.rule not in NOTES.get(scenario, ())]


def test_conforming_scenarios(corpus, scenarios):
    wrong = [f"{s}:\n{show(found)}" for s in scenarios
             if (found := [f for f in findings(corpus[s]) if f.rule not in NOTES.get(s, ())])]
    assert not wrong, "\n".join(wrong)


def test_every_scenario_is_recognised(corpus, scenarios):
    assert [s for s in scenarios if not corpus[s]["connections"]] == []


def test_ipv6_and_vlan_change_nothing(corpus, scenarios):
    def counts(key):
        return [(c["counts"], {r: v["passed"] for r, v in c["rules"].items() if not r.startswith("MPA-A.5.1")})
                for c in corpus[key]["connections"]]

    wrong = [f"{s}:\n{show(found)}" for s in scenarios if (found := complaints(corpus[f"{s}-ipv6-vlan"], s))]
    assert not wrong, "\n".join(wrong)
    # Another MSS cuts messages differently; the small conversations are the same octet for octet.
    assert counts("ends-on-grid") == counts("ends-on-grid-ipv6-vlan")


def expected(fault, rules):
    """Rules of which one must be found (a rule that others state or judge is reported under theirs); none for ID+ok."""
    return set(rules[base(fault.id)].under) if "+" not in fault.id else set()


def check_fault(fault, capture, rules, command):
    found, want = findings(capture), expected(fault, rules)
    extra = {f.rule for f in found if f.severity != "note"} - want - fault.also
    assert (not want or want & {f.rule for f in found}) and not extra, (
        f"{command} --inject={fault.id}: expected {' or '.join(want) or 'nothing'}"
        f"{' with ' + ', '.join(sorted(fault.also)) if fault.also else ''}, found\n{show(found)}")


@pytest.mark.parametrize("fault", listed_faults(), ids=lambda fault: fault.id)
def test_each_fault_yields_exactly_its_finding(request, few, play_fault, rules, fault):
    capture = play_fault(fault) if few else request.getfixturevalue("corpus")[name(fault.id)]
    check_fault(fault, capture, rules, f"iwarp-gen play {fault.scenario}")


def test_rules_that_others_judge_share_a_fault(gen, faults, rules, tmp_path):
    """--inject takes either id, and plays the same."""
    own = {f.id: f for f in faults}
    shared = [r for r in rules.values() if r.under != [r.id] and r.id not in own and all(rules[same].judged for same in r.under)]
    assert len(shared) > 50
    of = collections.defaultdict(list)
    for rule in shared:
        fault = next(own[same] for same in rule.under if same in own)
        of[fault.scenario].append((rule.id, fault.id))
    for scenario, pairs in of.items():
        for ids, path in zip(zip(*pairs), (tmp_path / "a", tmp_path / "b")):
            run = gen("play", scenario, "--inject=" + ",".join(ids), "-o", path)
            assert run.returncode == 0, run.stderr
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes(), pairs


def test_findings_name_the_direction_and_frame(corpus, faults):
    for fault in faults:
        for f in findings(corpus[name(fault.id)]):
            assert 1 <= f.frame <= corpus[name(fault.id)]["packets"], fault.id
            assert "expected" in f.message and "found" in f.message, f.message
            assert f.rule not in f.message


def test_every_rule_of_the_wire_is_judged_or_says_why_not(catalogue, rules):
    """Errors and warnings that a capture can show; equivalent rows share a judged one."""
    wrong = []
    for row in catalogue:
        if row["observe"] not in ("wire", "wire-1way") or row["severity"] not in ("error", "warning"):
            continue
        rule = rules[row["id"]]
        shared = row["judged"] in ("same", "with") and all(rules[same].judged for same in rule.under)
        if not rule.judged and not shared and row["judged"] != "permission" and len(row["how"]) < 20:
            wrong.append(row["id"])
    demand_none(wrong, "neither judged nor with a reason:")


def test_every_judged_rule_has_a_violation(faults, rules):
    have = {base(f.id) for f in faults if "+" not in f.id}
    missing = [r.id for r in rules.values() if r.judged and r.id not in have]
    demand_none(missing, "no fault is registered for")


def test_every_judged_rule_is_exercised_without_a_finding(corpus, scenarios, faults, rules):
    """By a conforming scenario, or by the proper answer to a stimulus (ID+ok)."""
    passed = set()
    for key in scenarios + [name(f.id) for f in faults if "+" in f.id]:
        passed |= {rule for rule, (good, bad) in outcomes(corpus[key]).items() if good and not bad}
    missing = [r.id for r in rules.values() if r.judged and r.id not in passed]
    demand_none(missing, "no conforming traffic exercises")


def test_reactions_have_both_answers(corpus, faults, rules, catalogue):
    """Every judged rule about a reaction: wrong and proper answers to its stimulus; the proper one passes the rule."""
    have = {kind: {base(f.id) for f in faults if ("+ok" in f.id) == kind} for kind in (False, True)}
    reactions = [row["id"] for row in catalogue if row["observe"] == "reaction" and row["id"] in rules
                 and rules[row["id"]].judged]
    assert len(reactions) > 100
    demand_none([r for r in reactions if r not in have[False]], "no wrong answer is registered for")
    demand_none([r for r in reactions if r not in have[True]], "no proper answer is registered for")
    wrong = []
    for fault in faults:
        if "+ok" in fault.id:
            good, bad = outcomes(corpus[name(fault.id)])[base(fault.id)]
            if not good or bad:
                wrong.append((fault.id, f"{fault.id}: {good} passed, {bad} failed"))
    demand_no_trouble(faults, wrong)


def test_no_fault_without_a_rule(faults, rules):
    unknown = [f.id for f in faults if base(f.id) not in rules]
    assert not unknown
    idle = [f.id for f in faults if not all(rules[same].judged for same in rules[base(f.id)].under)]
    demand_none(idle, "faults of rules that are not judged")


def test_rule_pages_are_up_to_date(build, root, tmp_path):
    subprocess.run([sys.executable, root / "docs" / "rules.py", build, tmp_path], check=True)
    made = {path.relative_to(tmp_path) for path in tmp_path.rglob("*.md")}
    assert made == {path.relative_to(root / "docs") for path in [root / "docs" / "rules.md", *(root / "docs" / "rules").glob("*.md")]}
    for path in made:
        assert (tmp_path / path).read_text(encoding="utf-8") == (root / "docs" / path).read_text(encoding="utf-8"), "cmake --build BUILD --target docs writes it"
