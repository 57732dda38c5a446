#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns the rule tables (one TSV per layer) into rule_ids.h and rule_table.c.

A mistake in a table stops the build with file, line and what is allowed there.
"""
import pathlib
import sys

COLUMNS = "id doc section level party observe severity judged rule how cause".split()
OBSERVE = ("wire", "wire-1way", "reaction", "endpoint", "meta")
SEVERITY = ("note", "warning", "error")


def symbol(rule_id):
    return "RULE_" + rule_id.replace("-", "_").replace(".", "_")


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def read(path):
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        cells = line.split("\t")
        if number == 1:
            if cells != COLUMNS:
                sys.exit(f"{path}:1: the columns must be: {' '.join(COLUMNS)}")
            continue
        if len(cells) != len(COLUMNS):
            sys.exit(f"{path}:{number}: {len(cells)} cells, {len(COLUMNS)} wanted")
        row = dict(zip(COLUMNS, cells), layer=path.stem, where=f"{path}:{number}")
        for column, allowed in (("observe", OBSERVE), ("severity", SEVERITY)):
            if row[column] not in allowed:
                sys.exit(f"{row['where']}: {column} is {row[column]!r}; allowed: {', '.join(allowed)}")
        rows.append(row)
    return rows


def main():
    out_dir, tables = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    rows = [row for table in tables for row in read(table)]
    by_id = {}
    for row in rows:
        if row["id"] in by_id:
            sys.exit(f"{row['where']}: {row['id']} stands twice")
        by_id[row["id"]] = row
    kinds = {"yes": "RULE_JUDGED", "permission": "RULE_PERMISSION", "no": "RULE_NOT_JUDGED"}
    header = ["/* Generated from engine/rules; do not edit. */", "#ifndef IWARP_RULE_IDS_H", "#define IWARP_RULE_IDS_H",
              "enum rule_id {"]
    table = ["/* Generated from engine/rules; do not edit. */", '#include "engine/rule.h"',
             "const struct rule rule_catalogue[RULE_COUNT] = {"]
    for row in rows:
        carriers, judged = [row["id"]], row["judged"]
        if judged.startswith("same:"):
            carriers, judged = judged[5:].split(","), "same"
            for same in carriers:
                target = by_id.get(same)
                if target is None or target["judged"] != "yes":
                    sys.exit(f"{row['where']}: 'same:' must name rules that are judged themselves, not {same!r}")
        elif judged not in kinds:
            sys.exit(f"{row['where']}: judged is {judged!r}; allowed: yes, permission, no, same:ID[,ID...]")
        header.append(f"    {symbol(row['id'])},")
        fields = [literal(row["id"]), literal(row["layer"]), literal(row["doc"]), literal(row["section"]),
                  literal(row["level"]), literal(row["party"]), "OBSERVE_" + row["observe"].upper().replace("-", "_"),
                  "SEVERITY_" + row["severity"].upper(), kinds.get(judged, "RULE_SAME"), symbol(carriers[0]),
                  f"(const enum rule_id[]){{{', '.join(map(symbol, carriers))}}}", str(len(carriers)),
                  literal(row["rule"]), literal(row["how"]), literal(row["cause"])]
        table.append("    {" + ", ".join(fields) + "},")
    header += ["    RULE_COUNT", "};", "#endif"]
    table.append("};")
    out_dir.mkdir(parents=True, exist_ok=True)
    (out_dir / "rule_ids.h").write_text("\n".join(header) + "\n", encoding="utf-8")
    (out_dir / "rule_table.c").write_text("\n".join(table) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
