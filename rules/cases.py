#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Reads the case files of the rules, LAYER.cases (README.md has their form), and writes from them as C

    cases.py faults OUT.c CASES... TSV...    the faults of iwarp-gen, in the order of the files
    cases.py aliases OUT.c CASES... TSV...   which rules are judged by others alone: a fault is registered under one of those
    cases.py units OUT.c CASES... TSV...     every case with what iwarp-check must say of it
    cases.py mutants OUT.c CASES... TSV... DEF MUTANTS    the mutants of the suites, with the words of that list, and those of combinations (mutant_rows.py)
    cases.py suites OUT.c CASES... TSV... DEF    the cases of the suites, with the words of that list (suites.py)

A mistake in a file stops the build with file, line and what is allowed there.
"""
import copy
import pathlib
import re
import sys

import mutant_rows
import suites
from catalogue import literal, profile, read, relations, symbol, write_if_different

ID = re.compile(r"[A-Z][A-Z0-9]*-[A-Z0-9.]+-[0-9]+$")
KINDS = ("violates", "holds", "unit", "case", "mutant")
WORDS = ("also", "not on RoCE:", "change", "say", "finds", "passes", "doubts", "silent", "check", "snap", "lacks")
ROLES = tuple(suites.ROLES)
SEVERITIES = ("note", "warning", "error")
FINDING = re.compile(rf"([^=*]+)(?:=({'|'.join(SEVERITIES)}))?(?:\*([1-9][0-9]*))?$")


class Case:
    """One case of a rule: the messages sent, and the findings that they must give."""

    def __init__(self, rule, kind, suffix, scenario, where):
        self.rule, self.kind, self.scenario, self.where = rule, kind, scenario, where
        self.id = rule + ("+ok" + suffix if kind == "holds" and "+ok" not in suffix else suffix)
        self.table, self.summary, self.words = None, "", {}
        self.rows = []  # of `mutant`: (line, where) for each of its lines
        self.verdicts = []  # of `case`: (word, line) for each line that gives a verdict
        self.more = []  # of `unit`: further statements of which the same is found, with where they are

    def items(self, word):
        return self.words.get(word, "").replace(",", " ").split()

    def ids(self, word):
        return [item.split("=")[0].split("*")[0] for item in self.items(word)]

    def stimuli(self):
        """The conversations to play, each as (change, say, where)."""
        return [(self.words.get("change"), self.words.get("say"), self.where),
                *((None, say, where) for say, where in self.more)]


class Reader:
    """A case file: lets, tables and cases; what is written between braces is filled in when all has been read."""

    def __init__(self, path):
        self.path, self.lets, self.tables = path, {}, {}
        self.rule, self.into, self.begins, written = None, None, False, []
        for number, line in self.joined():
            self.where = f"{path}:{number}"
            self.take(line, written)
        self.cases = [case for template in written for case in self.filled(template)]

    def fail(self, text):
        sys.exit(f"{self.where}: {text}")

    def joined(self):
        """Lines without comments; a line that is indented deeper than the line before continues that line."""
        begun = None
        for number, line in enumerate(self.path.read_text(encoding="utf-8").splitlines(), 1):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            indent = len(line) - len(line.lstrip())
            if begun and (indent >= 6 or (indent >= 4 and not begun[1].startswith("  "))):
                begun[1] += " " + text
                continue
            if begun:
                yield begun
            begun = [number, " " * indent + text]
        if begun:
            yield begun

    def take(self, line, written):
        text = line.strip()
        if line.startswith("let "):
            self.take_let(text)
        elif line.startswith("table "):
            self.take_table(text)
        elif not line.startswith(" "):
            if not ID.match(text):
                self.fail(f"{text!r} is neither the id of a rule nor `let NAME = TEXT` nor `table NAME: COLUMN | ...`")
            self.rule, self.into, self.begins = text, None, True
        elif text.startswith("how: ") and self.begins:  # catalogue.py
            self.begins = False
        elif line.startswith("    "):
            self.take_word(text, written)
        elif self.into is not None:
            self.take_row(text)
        else:
            written.append(self.case(text))

    def take_let(self, text):
        match = re.match(r"let ([A-Z][A-Z0-9_]*)((?:\([a-z]+\))*) = (.*)", text)
        if not match:
            self.fail("a `let` is written `let NAME = TEXT` or `let NAME(parameter)... = TEXT`")
        if match[1] in self.lets:
            self.fail(f"{match[1]} has a meaning already")
        self.lets[match[1]] = (re.findall(r"\(([a-z]+)\)", match[2]), match[3])

    def take_table(self, text):
        match = re.match(r"table ([A-Z][A-Z0-9_]*): ([a-z]+(?: \| [a-z]+)*)$", text)
        if not match:
            self.fail("a table begins `table NAME: column | column ...`; its rows follow, indented by two")
        self.into = self.tables[match[1]] = [match[2].split(" | ")]

    def take_row(self, text):
        cells = [cell.strip() for cell in re.split(r"(?:^|\s)\|(?=\s|$)", text)]
        if len(cells) != len(self.into[0]):
            self.fail(f"{len(cells)} cells; the table has {len(self.into[0])} columns")
        self.into.append(cells)

    def case(self, text):
        match = re.match(rf"({'|'.join(KINDS)})((?: [/+][^ :]+)?)(?: each ([A-Z0-9_]+))? ([a-z0-9-]+): (.+)", text)
        if not match or not self.rule:
            self.fail(f"a case begins with one of {', '.join(KINDS)}, then [/NAME] [each TABLE] SCENARIO: SUMMARY, below the id of its "
                      f"rule; `case` and `mutant` have {' or '.join(ROLES)} instead of SCENARIO")
        if match[1] in ("case", "mutant") and match[4] not in ROLES:
            self.fail(f"a {match[1]} is {' or '.join(ROLES)}, not {match[4]}")
        case = Case(self.rule, match[1], match[2].strip(), match[4], self.where)
        case.table, case.summary = match[3], match[5]
        return case

    def take_word(self, text, written):
        if written and written[-1].kind == "mutant":
            written[-1].rows.append((text, self.where))
            return
        words = suites.WORDS if written and written[-1].kind == "case" else WORDS
        word = next((w for w in words if text.startswith(w) and text[len(w):][:1] in ("", " ", ":")), None)
        if not word or not written:
            self.fail(f"below a case there is one of: {', '.join(words)}")
        case, value = written[-1], text[len(word):].strip()
        if case.kind == "case" and word in suites.LINES:
            case.verdicts.append((word, value))
        elif word == "say" and word in case.words and case.kind == "unit":
            case.more.append((value, self.where))
        elif word in case.words:
            self.fail(f"there are two lines `{word}` of this case")
        else:
            case.words[word] = value

    def filled(self, template):
        """The case itself, or one for each row of its table."""
        self.where = template.where
        names, *rows = self.tables.get(template.table, [[], []])
        if template.table and template.table not in self.tables:
            self.fail(f"there is no table {template.table}")
        for row in rows:
            values = {name: self.expand(cell, {}) for name, cell in zip(names, row)}
            case = copy.copy(template)
            case.id = self.expand(template.id, values)
            case.summary = self.expand(template.summary, values)
            case.words = {word: self.expand(text, values) for word, text in template.words.items()}
            case.verdicts = [(word, self.expand(text, values | {name: f"{{{name}}}" for name in suites.HEARD})) for word, text in template.verdicts]
            case.more = [(self.expand(text, values), where) for text, where in template.more]
            yield case

    def expand(self, text, values):
        """{NAME}, {NAME(value)...}, {parameter} and {column}, from the outside in."""
        out, at = "", 0
        while (begin := text.find("{", at)) >= 0:
            name = re.match(r"\w+", text[begin + 1:])
            end = begin + 1 + (name.end() if name else 0)
            given = []
            while text[end:end + 1] == "(":
                close = self.closing(text, end)
                given.append(self.expand(text[end + 1:close], values))
                end = close + 1
            if not name or text[end:end + 1] != "}":
                self.fail(f"`{text[begin:end + 1]}` is not {{NAME}} or {{NAME(value)...}}")
            out += text[at:begin] + self.meaning(name[0], given, values)
            at = end + 1
        return out + text[at:]

    def closing(self, text, begin):
        depth = 0
        for at in range(begin, len(text)):
            depth += (text[at] == "(") - (text[at] == ")")
            if depth == 0:
                return at
        return self.fail("a parenthesis is not closed")

    def meaning(self, name, given, values):
        if name in values and not given:
            return values[name]
        parameters, text = self.lets.get(name, (None, None))
        if text is None or len(parameters) != len(given):
            self.fail(f"{{{name}}} with {len(given)} values has no `let`, or is no column")
        return self.expand(text, dict(zip(parameters, given)))


def check(cases, rows):
    seen = {"faults": {}, "suites": {}}
    for case in cases:
        if case.rule not in rows:
            sys.exit(f"{case.where}: the catalogue has no rule {case.rule}")
        for word in ("also", "breaks", "finds", "passes", "doubts", "silent"):
            for rule in case.ids(word):
                if rule not in rows:
                    sys.exit(f"{case.where}: the catalogue has no rule {rule}")
        for item in case.items("finds"):
            if not FINDING.match(item):
                sys.exit(f"{case.where}: `{item}` is not ID, ID=SEVERITY or ID*COUNT; severities: {', '.join(SEVERITIES)}")
        if not re.match(r"[0-9]*$", case.words.get("snap", "")) or not re.match(r"([0-9]+(-[0-9]+)?(, )?)*$", case.words.get("lacks", "")):
            sys.exit(f"{case.where}: `snap` takes a number of octets, `lacks` numbers of frames: 3, 7-9")
        if "change" in case.words and "say" in case.words:
            sys.exit(f"{case.where}: either the scenario is changed, or something else is said")
        if case.kind in ("unit", "mutant"):
            continue
        if case.kind != "case" and profile(case.rule, case.scenario) != profile(case.rule, ""):
            sys.exit(f"{case.where}: captures of faults have their names alone: a fault in {case.scenario} breaks a rule of RFC 5666, RPCR0-")
        ids = seen["suites" if case.kind == "case" else "faults"]
        if case.id in ids:
            another = "another case of" if case.kind == "case" else "another way to break"
            sys.exit(f"{case.where}: {case.id} is in {ids[case.id]} already; {another} a rule has a name: `{case.kind} /NAME`")
        ids[case.id] = case.where
    check_mutants([case for case in cases if case.kind == "mutant"], seen["suites"])


def check_mutants(mutants, ids):
    """Each has a case that it fails, and is the only one of its id in its role: another would never be run."""
    seen = {}
    for mutant in mutants:
        if mutant.id not in ids:
            sys.exit(f"{mutant.where}: there is no case {mutant.id} for the mutant to fail; say what our side does to it: `case ...`")
        for role in ROLES[1:] if mutant.scenario == "both" else (mutant.scenario,):
            if (mutant.id, role) in seen:
                sys.exit(f"{mutant.where}: {mutant.id} has a mutant that is {role} in {seen[mutant.id, role]} already")
            seen[mutant.id, role] = mutant.where


def under(row):
    """The rules of which one has the finding when this one is broken."""
    kind, same, along = relations(row["judged"])
    return same + along if kind in ("same", "with") else [row["id"]] + along


def text_or_null(text):
    return literal(text) if text else "NULL"


def faults(cases, _):
    lines = ['#include "traffic-gen/speak/faults/fault.h"', "", "const struct fault fault_rows[] = {"]
    for case in cases:
        if case.kind in ("violates", "holds"):
            fields = (case.id, case.scenario, case.summary, case.words.get("also"), case.words.get("change"),
                      case.words.get("say"), case.words.get("not on RoCE:"))
            lines.append("    {" + ", ".join(map(text_or_null, fields)) + "},")
    return lines + ["    {.id = NULL},", "};"]


def aliases(_, rows):
    shared = [row for row in rows.values() if row["judged"].startswith(("same:", "with:"))]
    return ['#include "traffic-gen/speak/faults/fault.h"', "", "const struct fault_alias fault_aliases[] = {",
            *(f'    {{{literal(row["id"])}, {literal(row["judged"][5:])}}},' for row in shared), "    {0},", "};"]


def rule_list(ids):
    return "(const enum rule_id[]){" + "".join(symbol(rule) + ", " for rule in ids) + "RULE_COUNT}"


def exact_list(case, rows):
    """The findings of a unit: without another severity that of the catalogue, without a number any number."""
    out = []
    for item in case.items("finds"):
        rule, severity, count = FINDING.match(item).groups()
        out.append(f"{{{symbol(rule)}, SEVERITY_{(severity or rows[rule]['severity']).upper()}, {count or 0}}}, ")
    return "(const struct rule_case_finding[]){" + "".join(out) + "{.rule = RULE_COUNT}}"


def options(case):
    return f"--profile={profile(case.rule, case.scenario)} {case.words.get('check', '')}".strip()


def units(cases, rows):
    lines = ['#include "tests/unit/rules/rule_case.h"', "", "const struct rule_case rule_cases[] = {"]
    for case in (case for case in cases if case.kind not in ("case", "mutant")):
        # A fault yields a finding of its rule; what is proper passes it.
        one_of = under(rows[case.rule]) if case.kind == "violates" else []
        passes = case.ids("passes") or ([case.rule] if case.kind == "holds" else [])
        for change, say, where in case.stimuli():
            said = (case.id, case.scenario, case.summary, None, change, say, None)
            lines.append("    {.said = {" + ", ".join(map(text_or_null, said)) + f"}}, .where = {literal(where)}, "
                         f".options = {literal(options(case))}, "
                         f".snap = {case.words.get('snap', 0)}, .lacks = {text_or_null(case.words.get('lacks'))}, "
                         f".exactly = {str(case.kind == 'unit').lower()}, "
                         f".one_of = {rule_list(one_of)}, .also = {rule_list(case.ids('also'))}, "
                         f".found = {exact_list(case, rows)}, .passed = {rule_list(passes)}, "
                         f".doubtful = {rule_list(case.ids('doubts'))}, .silent = {rule_list(case.ids('silent'))}}},")
    return lines + ["    {.said = {0}},", "};"]


def load(paths):
    rows = {row["id"]: row for path in paths if path.suffix == ".tsv" for row in read(path)}
    cases = [case for path in paths if path.suffix == ".cases" for case in Reader(path).cases]
    check(cases, rows)
    return cases, rows


def main():
    what, out, paths = sys.argv[1], pathlib.Path(sys.argv[2]), [pathlib.Path(name) for name in sys.argv[3:]]
    cases, rows = load(paths)
    words = next((path for path in paths if path.suffix == ".def"), None)
    if what == "suites":
        lines = suites.tables(cases, rows, words)
    elif what == "mutants":
        ours = [case for case in cases if case.kind == "mutant"]
        lines = mutant_rows.functions([*ours, *(case for path in paths if path.suffix == ".mutants" for case in mutant_rows.pairs(path, Case))], words)
    else:
        lines = {"faults": faults, "aliases": aliases, "units": units}[what](cases, rows)
    head = ["// SPDX-License-Identifier: GPL-2.0-or-later", "/* Generated from rules/; do not edit. */"]
    write_if_different(out, "\n".join([*head, *lines]) + "\n")


if __name__ == "__main__":
    main()
