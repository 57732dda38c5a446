#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""embed.py OUT FILE ...: scenarios as a table in C. Only the summary is read here: the comment after the licence."""
import pathlib
import re
import sys


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


rows = []
for path in sorted(map(pathlib.Path, sys.argv[2:])):
    text = path.read_text()
    summary = re.match(r"# SPDX-.*\n# (.+)\n", text)
    if not summary:
        sys.exit(f"{path}: the summary, a comment after the licence, is missing")
    rows.append(f"    {{.name = {quoted(path.stem)},\n     .summary = {quoted(summary[1])},\n     .script =\n"
                + "\n".join(f"         {quoted(line)} \"\\n\"" for line in text.splitlines()) + "},\n")
pathlib.Path(sys.argv[1]).write_text(
    '// Made by embed.py from scenarios/.\n#include "traffic-gen/scenario/scenario.h"\n\n'
    "static const struct scenario scenarios[] = {\n" + "".join(rows) + "};\n\n"
    "const struct scenario_table library_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};\n")
