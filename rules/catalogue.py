#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns the rule tables (one TSV per layer) into rule_ids.h and rule_table.c.

A mistake in a table stops the build with file, line and what is allowed there. The column `judged`:

    yes                  has a check and findings of its own
    yes+with:ID[,ID...]  the same; some of its violations are found under these ids
    same:ID              states the same requirement: what violates one violates both
    with:ID[,ID...]      judged along with these: what violates it is found under one of these ids; not the reverse
    permission           allows something
    no                   cannot be seen
"""
import pathlib
import re
import sys

COLUMNS = "id doc section level party transport observe severity judged rule cause".split()
OBSERVE = ("wire", "wire-1way", "reaction", "endpoint", "meta")
SEVERITY = ("note", "warning", "error")
TRANSPORT = ("any", "iwarp", "ib")  # ib: RoCE and InfiniBand


def symbol(rule_id):
    return "RULE_" + rule_id.replace("-", "_").replace(".", "_")


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def profile(rule, scenario):
    """--profile for a fault of the rule ("": none) in the scenario: RFC 5666 for its own rules, and for scenarios that only RFC 5666 allows."""
    return "rfc5666" if rule.startswith("RPCR0-") or scenario.startswith("old-") else "ietf"


def relations(judged):
    """The column `judged` as (kind, ids of true equivalents, ids that it is judged along with)."""
    kind, _, ids = judged.partition(":")
    ids = ids.split(",") if ids else []
    return (kind.partition("+")[0], ids if kind == "same" else [], ids if kind.endswith("with") else [])


def hows(path):
    """What the line `how:` at the beginning of each block in the case file says, by rule."""
    blocks = re.finditer(r"^(\S+)\n  how: (.+(?:\n {6}.+)*)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {block[1]: " ".join(block[2].split()) for block in blocks}


def read(path):
    """The rows of a table, each with `how` from the case file beside the table."""
    rows, how = [], hows(path.with_suffix(".cases"))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if number == 1:
            if cells != COLUMNS:
                sys.exit(f"{path}:1: the columns must be: {' '.join(COLUMNS)}")
            continue
        if len(cells) != len(COLUMNS):
            sys.exit(f"{path}:{number}: {len(cells)} cells, expected {len(COLUMNS)}")
        row = dict(zip(COLUMNS, cells), layer=path.stem, where=f"{path}:{number}", how=how.get(cells[0]))
        if not row["how"]:
            sys.exit(f"{row['where']}: {path.stem}.cases has no block {row['id']} that begins with a line `how: TEXT`")
        for column, allowed in (("observe", OBSERVE), ("severity", SEVERITY), ("transport", TRANSPORT)):
            if row[column] not in allowed:
                sys.exit(f"{row['where']}: {column} is {row[column]!r}; allowed: {', '.join(allowed)}")
        rows.append(row)
    return rows


def write_if_different(path, text):
    """Almost every file of the build includes the ids: a word in a table does not make them new."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def counters(rows):
    """For each rule the number of its counter: judged rules have one, which rules that state the same share; the others share the last, unused one."""
    judged = [row["id"] for row in rows if relations(row["judged"])[0] == "yes"]
    number = {rule: n for n, rule in enumerate(judged)}
    return [number.get((relations(row["judged"])[1] or [row["id"]])[0], len(judged)) for row in rows]


def main():
    out_dir, tables = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    rows = [row for table in tables for row in read(table)]
    by_id = {}
    for row in rows:
        if row["id"] in by_id:
            sys.exit(f"{row['where']}: {row['id']} appears twice")
        by_id[row["id"]] = row
    kinds = {"yes": "RULE_JUDGED", "same": "RULE_SAME", "with": "RULE_WITH", "permission": "RULE_PERMISSION",
             "no": "RULE_NOT_JUDGED"}
    header = ["/* Generated from rules; do not edit. */", "#ifndef IWARP_RULE_IDS_H", "#define IWARP_RULE_IDS_H",
              "enum rule_id {"]
    table = ["/* Generated from rules; do not edit. */", '#include "engine/core/rule.h"',
             "const struct rule rule_catalogue[RULE_COUNT] = {"]
    for row in rows:
        judged, same, along = relations(row["judged"])
        if judged not in kinds or (judged == "same") != (len(same) == 1) or (judged == "with" and not along):
            sys.exit(f"{row['where']}: judged is {row['judged']!r}; allowed: yes, yes+with:ID[,ID...], same:ID, "
                     "with:ID[,ID...], permission, no")
        for other in same + along:
            if other == row["id"] or other not in by_id or relations(by_id[other]["judged"])[0] != "yes":
                sys.exit(f"{row['where']}: {row['judged']!r} must name rules that are judged themselves, not {other!r}")
        if same:
            along = relations(by_id[same[0]]["judged"])[2]
        header.append(f"    {symbol(row['id'])},")
        fields = [literal(row["id"]), literal(row["layer"]), literal(row["doc"]), literal(row["section"]),
                  literal(row["level"]), literal(row["party"]), "RULE_ON_" + row["transport"].upper(),
                  "OBSERVE_" + row["observe"].upper().replace("-", "_"),
                  "SEVERITY_" + row["severity"].upper(), kinds[judged], symbol((same or [row["id"]])[0]),
                  f"(const enum rule_id[]){{{', '.join(map(symbol, along))}}}" if along else "NULL", str(len(along)),
                  literal(row["rule"]), literal(row["how"]), literal(row["cause"])]
        table.append("    {" + ", ".join(fields) + "},")
    numbers = counters(rows)
    header += ["    RULE_COUNT", "};", f"enum {{ RULE_UNCOUNTED = {max(numbers)}, RULE_COUNTERS }};",
               f"static const unsigned short rule_counter[RULE_COUNT] = {{{', '.join(map(str, numbers))}}};", "#endif"]
    table.append("};")
    out_dir.mkdir(parents=True, exist_ok=True)
    for name, lines in (("rule_ids.h", header), ("rule_table.c", table)):
        write_if_different(out_dir / name, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
