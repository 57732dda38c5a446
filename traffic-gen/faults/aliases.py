#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Writes, as C, which rules are judged by others alone: a fault is registered under one of those.

traffic-gen/faults/aliases.py OUT.c RULES.tsv...
"""
import pathlib
import sys

OUT, *TABLES = sys.argv[1:]
rows = []
for table in TABLES:
    lines = pathlib.Path(table).read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    rows += [dict(zip(names, line.split("\t"))) for line in lines[1:]]
text = (
    "// SPDX-License-Identifier: GPL-2.0-or-later\n/* Made by aliases.py of the rule tables. */\n"
    '#include "traffic-gen/faults/fault.h"\n\nconst struct fault_alias fault_aliases[] = {\n'
    + "".join(f'    {{"{row["id"]}", "{row["judged"][5:]}"}},\n' for row in rows
              if row["judged"].startswith(("same:", "with:")))
    + "    {0},\n};\n")
if not pathlib.Path(OUT).exists() or pathlib.Path(OUT).read_text(encoding="utf-8") != text:
    pathlib.Path(OUT).write_text(text, encoding="utf-8")
